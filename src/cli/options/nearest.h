/* SPDX-License-Identifier: BSD-3-Clause */
/* What somebody meant who typed a word that berth doesn't know. */
#ifndef BERTH_CLI_OPTIONS_NEAREST_H
#define BERTH_CLI_OPTIONS_NEAREST_H

/* How many letters to add, to leave out or to replace make one word of the other (V. I.
 * Levenshtein, Binary codes capable of correcting deletions, insertions, and reversals, 1966). */
int nearest_distance(const char *a, const char *b);

#endif
