/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rank of the measuring job sits on which PU of the topology. */
#ifndef BERTH_CALIB_JOB_SEATS_H
#define BERTH_CALIB_JOB_SEATS_H

#include "calib/job/measuring_job.h"

typedef struct seats {
  int *rank_of_pu;         /* -1 for none */
  unsigned char *has_rank; /* per PU */
  int n_seated;
} seats_t;

/* Seats the ranks: each on a PU that its host has in the topology and that it may run on, those
 * with the least choice first, one a PU; and binds those that have a choice. Fails when a rank's
 * host isn't in the topology, which `path` names. Free with seats_clear, also after a
 * failure. */
int seats_find(const berth_topo_t *t, const char *path, job_t *job, seats_t *seats,
               berth_error_t *err);
void seats_clear(seats_t *seats);

/* The topology's host of that name; either may have a domain behind a dot. -1: there is none. */
int seats_find_host(const berth_topo_t *t, const char *name);

#endif
