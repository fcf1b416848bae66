/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether somebody listens at an address. libfabric's providers try again and again to reach a
 * process that has ended; the system of its host says at once that nobody is there. */
#ifndef BERTH_AGENT_KNOCK_H
#define BERTH_AGENT_KNOCK_H

#include <stdbool.h>

typedef struct knock {
  int file; /* of a connection that is being made; -1: none is */
} knock_t;

/* Asks, or looks for the answer. True: nobody listens there. False also where nothing is known yet,
 * or where the address isn't one of IP. */
bool knock_refused(knock_t *k, const char *address);
void knock_end(knock_t *k);

#endif
