/* SPDX-License-Identifier: BSD-3-Clause */
/* What berth's own collective library (src/coll) does with a call, as stages that any call has:
 * within each host, between one rank of each, within hosts again (M.-S. Wu, 2005, chapter 3). Where
 * the two levels overlap, as if ranks didn't share cores: parts go beside the messages between
 * hosts, the first or last one before or behind them. The library decides by the same functions. */
#ifndef BERTH_SCHEDULE_TWO_LEVELS_H
#define BERTH_SCHEDULE_TWO_LEVELS_H

#include "schedule/schedule_rules.h"
#include "schedule/two_levels/chosen.h"

/* Calls of an operation, on communicators of so many ranks and hosts, of a size. */
typedef struct two_levels_cell {
  schedule_op_t op;
  int ranks, hosts, digits; /* digits: of bytes (berth_tuning_digits) */
  chosen_t choice;
} two_levels_cell_t;

typedef struct two_levels {
  double half;             /* see choose.h */
  bool agents;             /* there are some: they carry out calls that don't block */
  two_levels_cell_t *cell; /* what was measured; other calls are as choose.h says */
  size_t n;
} two_levels_t;

/* The cells of a tuning that were measured. Free `cell`. BERTH_BAD_INPUT: it names an algorithm
 * that berth doesn't know; BERTH_MISSING: memory is out. */
int two_levels_take(const berth_tuning_t *t, const char *path, two_levels_t *out,
                    berth_error_t *err);

/* What measurements have chosen for a blocking call whose hosts are known; NULL: nothing. */
const chosen_t *two_levels_chosen(const two_levels_t *l, const schedule_request_t *q);

/* Whether the library serves such calls; others go to the MPI. */
bool two_levels_serves(const two_levels_t *library, const schedule_request_t *q);

/* Appends the stages of a request on its hosts, which are connected in the order of their numbers.
 * Data that ranks of a host copy from each other's memory count as messages
 * between them. Returns BERTH_OK, or BERTH_MISSING: memory is out. */
int two_levels_decide(const two_levels_t *library, const schedule_request_t *q,
                      schedule_pieces_t *out, berth_error_t *err);
/* Fills the stage of a request if each rank has a host of its own. Reductions that need the order
 * of ranks count as if slices were equal. Returns the number of stages: 0 or 1. */
int two_levels_apart(const two_levels_t *library, const schedule_request_t *q,
                     schedule_stage_t *stage);

#endif
