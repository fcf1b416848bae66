/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that an MPI composes of parts within hosts and between them: their rounds, once it is known
 * which ranks share a host. */
#ifndef BERTH_COLLECTIVES_COLL_HOSTS_H
#define BERTH_COLLECTIVES_COLL_HOSTS_H

#include "collectives/coll_rounds.h"

/* Groups of calls whose rounds depend on hosts. */
typedef struct coll_hosts coll_hosts_t;

/* NULL: memory is out. */
coll_hosts_t *coll_hosts_new(void);
void coll_hosts_free(coll_hosts_t *h);

/* How many messages a group's parts within hosts have at most. */
size_t coll_hosts_local_messages(const coll_group_t *g);

/* Whether a group's rounds depend on hosts, and its messages, of which ranks apart have the most
 * (in n stages), are few enough beside those of other calls. If so, counts them in in->added. */
int coll_hosts_takes(coll_rounds_t *in, const coll_group_t *g, int n, const schedule_stage_t *stage,
                     bool *takes);

/* Adds a phase that stands for a group's rounds, which were counted, as call number in->call + 1.
 */
int coll_hosts_add_call(coll_hosts_t *h, coll_rounds_t *in, const coll_group_t *g);

/* Makes them the pattern's source of such rounds. Takes over both, also after a failure. */
int coll_hosts_finish(coll_hosts_t *h, schedule_rules_t *rules, berth_pattern_t *p,
                      berth_error_t *err);

/* Adds the rounds of a group's calls if each rank is on the host of that number, as call number
 * in->call + 1. They are of the phase `own`, and occur `repeats` times in it. Members of
 * communicators are ranks as in `comms`. *text, unless it is NULL, is the algorithms of the first
 * communicator: "binomial + recursive_doubling"; the caller frees it. */
int coll_hosts_add_rounds(coll_rounds_t *in, const coll_group_t *g, const berth_pattern_t *comms,
                          const int *host_of_rank, int own, uint64_t repeats, char **text);

#endif
