/* SPDX-License-Identifier: BSD-3-Clause */
/* The groups that BERTH_GROUPS names: the order of ranks along the machine, and its hosts. */
#ifndef BERTH_JOB_GROUPS_H
#define BERTH_JOB_GROUPS_H

#include <sched.h>
#include <stdbool.h>

/* What a job of n ranks knows of them, by rank of MPI_COMM_WORLD. */
typedef struct job_groups {
  int *place;     /* in the order; NULL: no groups are known */
  int *host;      /* the number of its group in the level `host`; 0: there is no such level */
  cpu_set_t free; /* for agents, if this rank is the lowest of its host: PUs beside its ranks */
} job_groups_t;

/* Rank 0 reads the file, and says why if it can't be used; all ranks call this. */
void job_groups_share(int n, int rank, bool agents, job_groups_t *out);
void job_groups_clear(job_groups_t *g);

#endif
