/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks of a job share memory: as the MPI says, divided by the groups' level `host`. */
#ifndef BERTH_JOB_HOSTS_H
#define BERTH_JOB_HOSTS_H

#include <sched.h>
#include <stdbool.h>

#include "job/job_groups.h"

typedef struct job_hosts {
  int *host;    /* of each rank of MPI_COMM_WORLD: the lowest rank that shares its memory, by whose
                   number hosts are known */
  int *machine; /* the same without groups: as the MPI says */
  job_groups_t groups;
  cpu_set_t cores; /* that ranks of this machine may use */
  bool crowded;    /* the machine has more ranks than cores */
} job_hosts_t;

/* Finds them; all n ranks call this. `agents`: free cores matter. False: memory is out, or the MPI
 * failed, on all ranks alike. */
bool job_hosts_find(int rank, int n, bool agents, job_hosts_t *out);
void job_hosts_clear(job_hosts_t *h);

#endif
