/* SPDX-License-Identifier: BSD-3-Clause */
/* The choices of a call, and what a model says of them. */
#ifndef BERTH_COLL_TUNE_CHOICES_H
#define BERTH_COLL_TUNE_CHOICES_H

#include <berth/tuning.h>

#include "schedule/schedule.h"

/* Where a call is made. */
typedef struct tune_shape {
  schedule_op_t op;
  int ranks, hosts, largest; /* largest: ranks of the largest host */
  int64_t bytes;
  bool crowded;           /* ranks share cores */
  bool agents;            /* there are some */
  double half, bandwidth; /* of the network (network.h) */
  const char *told;       /* the rules of the MPI, if it can be told (told.h); or NULL */
} tune_shape_t;

/* Whether two choices do the same. */
bool tune_is_same(const berth_tuned_choice_t *a, const berth_tuned_choice_t *b);

/* Whether a choice can be carried out there as it is. */
bool tune_serves(const tune_shape_t *s, const berth_tuned_choice_t *one);

/* Lists the choices to measure and returns their number: the library's own first, the MPI last. An
 * algorithm has the segment that is the best by the model, half of it and twice as much. Choices
 * that the model expects to take more than twice as long as the best are left out; of the others
 * all but the best 8, and all but two of those that it expects to be equal. The library's own is
 * there with less overlap, too. Agents are there with what they choose and with trees of some
 * degrees. predicted_s is of hosts alone. The MPI's own algorithms are those
 * that the model expects to be the best of these, at most 4, as if all ranks were hosts. `all`:
 * every algorithm that serves the call, with all powers of two as segments and overlaps. */
int tune_choices(const tune_shape_t *s, bool all, berth_tuned_choice_t out[BERTH_MAX_CHOICES]);

#endif
