/* SPDX-License-Identifier: BSD-3-Clause */
/* agent/process/fabric.h without a network: agents of one process send each other packets, which
 * arrive in any order, some much later than others. One network at a time. */
#ifndef BERTH_TESTS_AGENTS_PLAYED_FABRIC_H
#define BERTH_TESTS_AGENTS_PLAYED_FABRIC_H

#include "agent/process/fabric.h"

enum { MOST_AGENTS = 6 };

/* The same seed plays the same. Agents get their numbers in the order in which they open it. */
void network_begin(uint64_t seed);
/* A random number below n, of the same sequence. */
uint64_t network_random(uint64_t n);
/* From now on all that was sent arrives when its receiver looks. */
void network_hurry(void);
/* An agent has ended: what was sent to it is lost, and what it sends. */
void network_end_agent(int agent);
/* Another one finds that it is unreachable. */
void network_tell_lost(int agent, int ended);

#endif
