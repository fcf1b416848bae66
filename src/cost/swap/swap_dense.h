/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense phases in swaps: what each node carries, and how a try changes that. In an all-to-all, two
 * ranks of one communicator can change places without any change; others change the numbers of
 * members on their ways only. */
#ifndef BERTH_COST_SWAP_SWAP_DENSE_H
#define BERTH_COST_SWAP_SWAP_DENSE_H

#include "cost/dense/dense_count.h"
#include "cost/dense/dense_listed.h"
#include "cost/swap/cost_swap.h"

/* Fills s->dense if the pattern has dense phases; false: memory is out. */
bool swap_dense_init(berth_swap_t *s);
void swap_dense_free(berth_swap_t *s);

/* Whether a phase is dense; whether its rounds are listed one by one. */
static inline bool swap_is_dense(const berth_swap_t *s, int phase)
{
  return cost_dense(s->cost, (size_t)phase) != NULL;
}

static inline bool swap_is_listed(const berth_swap_t *s, int phase)
{
  return swap_is_dense(s, phase) && cost_dense(s->cost, (size_t)phase)->shape == DENSE_LISTED;
}

/* Notes the changes of the try in all dense phases. */
void swap_dense_note(berth_swap_t *s);
/* What a slot carries with the noted changes. */
dense_load_t swap_dense_load(const berth_swap_t *s, int phase, int slot);
/* The cost of a phase with them: in model sum; of one that is listed round by round. */
double swap_dense_sum(berth_swap_t *s, int phase);
double swap_dense_listed(berth_swap_t *s, int phase);
/* Makes them, before ranks change places; false: memory is out. The other one forgets them. */
bool swap_dense_commit(berth_swap_t *s, int phase);
void swap_dense_forget(berth_swap_t *s, int phase);

#endif
