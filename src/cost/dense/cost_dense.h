/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs of dense phases (pattern/dense.h): their messages are counted by resource.
 *
 * If equal messages cross a resource, one of each of m senders, its cost depends on m alone. It is
 * the recurrence of model port with equal steps, and a table has it for each m. In rounds of one
 * message a sender, that is exact. An all-to-all is estimated as if its rounds spread evenly: in
 * each of them, as many messages cross a resource as in the mean. If all is sent at once, as if all
 * senders send the mean. */
#ifndef BERTH_COST_DENSE_COST_DENSE_H
#define BERTH_COST_DENSE_COST_DENSE_H

#include "cost/cost_internal.h"
#include "pattern/dense.h"

/* What crosses a resource in all rounds. */
typedef struct dense_load {
  int64_t messages;
  int64_t senders; /* of DENSE_AT_ONCE; otherwise their number follows from that of messages */
} dense_load_t;

/* A node's resources: its ways out and in, and the switch itself. */
typedef struct dense_node {
  dense_load_t out, in, self;
} dense_node_t;

/* Prepares what doesn't depend on placements: part of berth_cost_new. */
int cost_lay_out_dense(berth_cost_t *c, berth_error_t *err);
void cost_dense_free(struct cost_dense *dense);

/* The dense phase; NULL: phase k isn't dense. */
const dense_phase_t *cost_dense(const berth_cost_t *c, size_t k);

/* Whether model flow takes model port for a phase: it is a round of a call with dense ones. */
bool cost_is_counted(const berth_cost_t *c, size_t k);

/* The cost of a slot in phase k. */
double cost_dense_slot(const berth_cost_t *c, berth_model_t model, size_t k,
                       const cost_slot_t *slot, dense_load_t load);

/* Like cost_phase, for dense phases. In model sum it is the sum. */
double cost_dense_phase(berth_cost_t *c, berth_model_t model, size_t k, bool with_pus);

/* Model sum: adds to `messages`, by class, what crosses resources of a node or, with sign -1,
 * removes it; what crosses the ports of all PUs, if no rank shares one; the sum. */
void cost_dense_messages(const berth_cost_t *c, int v, const dense_node_t *load, int sign,
                         int64_t *messages);
void cost_dense_leaves(const berth_cost_t *c, size_t k, int64_t *messages);
double cost_dense_total(const berth_cost_t *c, size_t k, const int64_t *messages);

/* Adds to each level, by depth, the messages that cross its links, and writes their bytes. Both
 * must be zero. */
int cost_dense_levels(const berth_cost_t *c, size_t k, const int *pu_of_rank, int n_levels,
                      double *messages, double *bytes, berth_error_t *err);

#endif
