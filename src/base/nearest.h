/* SPDX-License-Identifier: BSD-3-Clause */
/* What somebody meant who wrote a word that berth doesn't know. */
#ifndef BERTH_BASE_NEAREST_H
#define BERTH_BASE_NEAREST_H

/* How many letters to add, to leave out or to replace make one word of the other (V. I.
 * Levenshtein, Binary codes capable of correcting deletions, insertions, and reversals, 1966).
 * Capital letters are as good as small ones. */
int nearest_distance(const char *a, const char *b);

/* The nearest one of the names that were compared with a word, if one is near: at most a third of
 * the letters differ, or the word is its beginning. Begin with {0}. */
typedef struct nearest {
  const char *name; /* borrowed; NULL: none is near */
  int distance;
} nearest_t;

/* Compares one more name. Of equally near ones the first one stays. */
void nearest_compare(nearest_t *best, const char *word, const char *name);

#endif
