/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs of dense phases whose messages are listed round by round. */
#ifndef BERTH_COST_DENSE_DENSE_LISTED_H
#define BERTH_COST_DENSE_DENSE_LISTED_H

#include "cost/dense/cost_dense.h"

/* A slot in the current round: of all ranks, and of the current one. */
typedef struct dense_slot {
  double cost, bytes, time;
  double rank_bytes, rank_time;
  int64_t round, rank; /* stamps: which round and rank these numbers are of */
  bool touched;        /* by an earlier round */
  double total;        /* the cost over all rounds */
} dense_slot_t;

typedef struct dense_rounds {
  dense_slot_t *slot;
  int *visited, n_visited; /* slots that the current rank crosses */
  int *crossed, n_crossed; /* slots that the current round crosses */
  int64_t stamp;
  int *crossings; /* of the current message, by class: resources */
} dense_rounds_t;

/* Makes room for an evaluator's slots, unless there is; false: memory is out. */
bool dense_rounds_init(dense_rounds_t *r, const berth_cost_t *c);
void dense_rounds_clear(dense_rounds_t *r);

/* The cost of all rounds under c->pu_of_rank. c->load then has cost and bytes of all touched slots;
 * in model sum the result is the sum. */
double dense_listed_cost(berth_cost_t *c, berth_model_t model, size_t k, dense_rounds_t *r);

#endif
