/* SPDX-License-Identifier: BSD-3-Clause */
/* What the network between hosts is like, roughly: measured between the first two of the job. */
#ifndef BERTH_JOB_NETWORK_H
#define BERTH_JOB_NETWORK_H

#include <mpi.h>

#include "job/job_hosts.h"

enum { JOB_NETWORK_SMALL = 8, JOB_NETWORK_LARGE = 32 * 1024 }; /* bytes */

/* Seconds that messages take from host to host. Both 0: there is one host. Negative: it couldn't be
 * measured. */
typedef struct job_network {
  double small, large;
} job_network_t;

/* The lowest of n ranks that isn't on rank 0's host; n, if there is one host. */
int job_network_second(const job_hosts_t *h, int n);

/* Measures in some messages with this tag on a communicator of all ranks, which has the order of
 * MPI_COMM_WORLD. All ranks call it and get the same. */
job_network_t job_network_measure(const job_hosts_t *h, int rank, int n, MPI_Comm comm, int tag);

/* Seconds that a byte takes more; 0: unknown. */
double job_network_byte(const job_network_t *n);

#endif
