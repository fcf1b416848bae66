/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 32 }; /* characters of a word that are compared */

static int min_of(int a, int b, int c) { return a < b ? (a < c ? a : c) : b < c ? b : c; }

static int lower(char c) { return tolower((unsigned char)c); }

int nearest_distance(const char *a, const char *b)
{
  int row[LONGEST + 1], n = (int)strnlen(b, LONGEST);
  for (int k = 0; k <= n; k++) row[k] = k;
  for (int i = 0; a[i] && i < LONGEST; i++) {
    int diagonal = row[0];
    row[0] = i + 1;
    for (int k = 0; k < n; k++) {
      int replaced = diagonal + (lower(a[i]) != lower(b[k]));
      diagonal = row[k + 1];
      row[k + 1] = min_of(replaced, row[k] + 1, row[k + 1] + 1);
    }
  }
  return row[n];
}

void nearest_compare(nearest_t *best, const char *word, const char *name)
{
  enum { BEGINNING = 3 }; /* letters that are enough for a name's beginning */
  size_t n = strlen(word), longer = strlen(name) > n ? strlen(name) : n;
  bool begins = n >= BEGINNING && strncasecmp(word, name, n) == 0;
  int distance = begins && n < strlen(name) ? 1 : nearest_distance(word, name);
  if ((size_t)distance * 3 > longer) return;
  if (!best->name || distance < best->distance) *best = (nearest_t){name, distance};
}
