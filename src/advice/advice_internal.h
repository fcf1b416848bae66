/* SPDX-License-Identifier: BSD-3-Clause */
/* Advice as it is in memory. */
#ifndef BERTH_ADVICE_ADVICE_INTERNAL_H
#define BERTH_ADVICE_ADVICE_INTERNAL_H

#include <math.h>

#include "advice/advice_mpi.h"
#include "base/arena.h"

/* By what the MPI looks up the calls of a group. */
typedef struct advice_key {
  int ranks;
  uint64_t bytes;
  const berth_advised_t *group;
  bool by_hosts; /* advice_try_t.by_hosts */
} advice_key_t;

struct berth_advice {
  arena_t arena;           /* of all that is below */
  const advice_mpi_t *mpi; /* NULL: none is known */
  size_t n, n_settings;
  berth_advised_t *groups;
  advice_key_t *keys; /* of the groups */
  berth_setting_t *settings;
};

/* Whether something costs enough less. */
static inline bool advice_gains(double before, double after)
{
  return isfinite(before) && after <= (1 - BERTH_ADVICE_GAIN) * before && after < before;
}

/* Finds the settings of all groups, whose keys it sorts. False: memory is out. */
bool advice_find_settings(berth_advice_t *a);

#endif
