/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that answer whoever comes first, such as a master with workers. */
#ifndef BERTH_PATTERN_PATTERN_ANSWERS_H
#define BERTH_PATTERN_PATTERN_ANSWERS_H

#include <berth/pattern.h>
#include <stdbool.h>

/* Whether a rank answers: in its order, a single message of any rank is followed by a send to a
 * rank that sends it messages, and at least two ranks get such sends. Whom it sends how much then
 * depends on the network. *first is the lowest of these ranks, *others says whether there are
 * more. */
bool pattern_answers(const berth_pattern_t *p, int *first, bool *others);

/* The same as a sentence for people. The caller frees it. NULL if there is no such rank, or memory
 * is out. */
char *pattern_answers_text(const berth_pattern_t *p);

#endif
