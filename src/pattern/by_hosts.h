/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that an MPI composes of parts within hosts and between them. Which messages they send
 * depends on the placement, so their phases (berth_phase_t.by_hosts) have none. Whoever estimates a
 * placement asks for them. */
#ifndef BERTH_PATTERN_BY_HOSTS_H
#define BERTH_PATTERN_BY_HOSTS_H

#include <berth/pattern.h>
#include <stdbool.h>

typedef struct by_hosts {
  void *source;
  /* Adds rounds of the phases of `p` that are this source's to `to`, a finished pattern that has
   * these phases and rounds of other sources. */
  int (*add)(const void *source, const berth_pattern_t *p, const int *host_of_rank,
             berth_pattern_t *to, berth_error_t *err);
  void (*free)(void *source);
} by_hosts_t;

enum { BY_HOSTS_SOURCES = 2 }; /* one-sided operations, and collective ones */

/* Says where messages come from. Takes over the source, also after a failure. */
int pattern_set_by_hosts(berth_pattern_t *p, by_hosts_t from, berth_error_t *err);

/* Whether the pattern has phases whose messages depend on hosts. */
bool pattern_is_by_hosts(const berth_pattern_t *p);

/* The messages of all these phases, if each rank is on the host of that number: a finished pattern
 * of the same ranks, without other messages. Each round is a phase that occurs as often as in the
 * whole run. Its `of_phase` is the phase that it is a round of; rounds of one phase follow each
 * other, in the order of these phases. NULL: an error. */
berth_pattern_t *pattern_by_hosts(const berth_pattern_t *p, const int *host_of_rank,
                                  berth_error_t *err);

/* The same if each rank has a host of its own. */
berth_pattern_t *pattern_rounds_apart(const berth_pattern_t *p, berth_error_t *err);

/* The pattern with the messages that these phases have if each rank has a host of its own, in
 * phases of their own. Mappers that build from messages use it: it shows which ranks such calls
 * connect, if not how. It borrows the pattern and lives no longer. NULL: an error. Free accepts
 * NULL. */
const berth_pattern_t *pattern_apart(const berth_pattern_t *p, berth_error_t *err);
void pattern_apart_free(const berth_pattern_t *apart);

#endif
