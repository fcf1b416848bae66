/* SPDX-License-Identifier: BSD-3-Clause */
/* What wakes a process's thread: datagrams of other processes, which the system delivers while the
 * program computes, and a call of this one. They say nothing but a number that other programs don't
 * know; a lost one costs a nap. */
#ifndef BERTH_RMA_BELL_H
#define BERTH_RMA_BELL_H

#include <stdbool.h>
#include <stdint.h>

enum { BELL_ADDRESSES = 4 };

/* Where a rank is heard: IPv4 addresses in network order, 0: none. */
typedef struct bell {
  uint32_t address[BELL_ADDRESSES];
  uint16_t port;   /* in network order; 0: it isn't heard */
  int32_t machine; /* the lowest rank of it, by the MPI */
  uint64_t secret;
} bell_t;

/* False: the system refused. */
bool bell_open(void);
void bell_close(void);
/* What this rank tells others, who then can ring. */
const bell_t *bell_own(void);
void bell_learn(int rank, const bell_t *its);
/* Rings at a rank of MPI_COMM_WORLD. */
void bell_ring(int rank);
/* Wakes this process's thread. */
void bell_wake(void);
/* Sleeps until somebody rings or wakes it, for so many seconds at most. Whether that happened. */
bool bell_wait(double seconds);

#endif
