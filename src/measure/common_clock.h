/* SPDX-License-Identifier: BSD-3-Clause */
/* A clock that ranks of several hosts have in common, so that they can begin at the same moment:
 * that of rank 0 of a communicator. A rank learns how far it is off by round trips, of which the
 * shortest one is the most exact (F. Cristian, "Probabilistic clock synchronization", 1989). */
#ifndef BERTH_MEASURE_COMMON_CLOCK_H
#define BERTH_MEASURE_COMMON_CLOCK_H

#include <mpi.h>

/* All ranks of the communicator call it. Clocks drift: again after some seconds. */
void common_clock_set(MPI_Comm comm);
/* Seconds. */
double common_clock_now(void);
/* Waits for a moment, the last part of it awake. */
void common_clock_wait(double moment);

#endif
