/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST = 32 }; /* characters of a word that are compared */

static int min_of(int a, int b, int c) { return a < b ? (a < c ? a : c) : b < c ? b : c; }

int nearest_distance(const char *a, const char *b)
{
  int row[LONGEST + 1], n = (int)strnlen(b, LONGEST);
  for (int k = 0; k <= n; k++) row[k] = k;
  for (int i = 0; a[i] && i < LONGEST; i++) {
    int diagonal = row[0];
    row[0] = i + 1;
    for (int k = 0; k < n; k++) {
      int replaced = diagonal + (a[i] != b[k]);
      diagonal = row[k + 1];
      row[k + 1] = min_of(replaced, row[k] + 1, row[k + 1] + 1);
    }
  }
  return row[n];
}

void nearest_compare(nearest_t *best, const char *word, const char *name)
{
  int distance = nearest_distance(word, name);
  if (!best->name || distance < best->distance) *best = (nearest_t){name, distance};
}
