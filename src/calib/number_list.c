/* SPDX-License-Identifier: BSD-3-Clause */
#include "calib/number_list.h"

#include <stdlib.h>

int number_list_count(const char *list, int number)
{
  int n = 0;
  while (*list) {
    char *end;
    long a = strtol(list, &end, 10), b = a;
    if (end == list) break;
    if (*end == '-') b = strtol(end + 1, &end, 10);
    n += number < 0 ? (int)(b - a + 1) : number >= a && number <= b;
    list = *end == ',' ? end + 1 : end;
  }
  return n;
}
