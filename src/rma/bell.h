/* SPDX-License-Identifier: BSD-3-Clause */
/* What wakes a process's thread: datagrams of other processes, which the system delivers while the
 * program computes, and a call of this one. They say nothing but a number that other programs don't
 * know; a lost one costs a nap. */
#ifndef BERTH_RMA_BELL_H
#define BERTH_RMA_BELL_H

#include <stdbool.h>

/* False: the system refused. */
bool bell_open(void);
void bell_close(void);
/* All ranks tell each other their addresses; all call it. False: memory is out, or the MPI
 * failed. */
bool bell_meet(void);
/* Rings at a rank of MPI_COMM_WORLD. */
void bell_ring(int rank);
/* Wakes this process's thread. */
void bell_wake(void);
/* Sleeps until somebody rings, for so many seconds at most. */
void bell_wait(double seconds);

#endif
