/* SPDX-License-Identifier: BSD-3-Clause */
/* Which messages of a phase wait until their receives are posted. */
#ifndef BERTH_COST_FLOW_FLOW_POSTS_H
#define BERTH_COST_FLOW_FLOW_POSTS_H

#include <berth/pattern.h>
#include <stdbool.h>

/* A rank that sends another one messages that need their receives. */
typedef struct flow_pair {
  int src, dst;
  bool ahead; /* at the end of an iteration, dst has posted receives for the next ones */
} flow_pair_t;

typedef struct flow_posts {
  size_t n;
  flow_pair_t *pair; /* sorted by destination and source */
} flow_posts_t;

/* Lists the pairs among the orders of a phase, whose n messages these are. A pair of which less
 * receives are posted than messages sent isn't among them: receives of other phases or calls take
 * part then, so nobody knows when. After a failure there is nothing to free. */
int flow_posts_make(flow_posts_t *p, const berth_order_t *order, const berth_order_t *end,
                    const berth_message_t *m, size_t n, berth_error_t *err);
void flow_posts_clear(flow_posts_t *p);

/* The pair; NULL if no message from src to dst needs its receive. */
const flow_pair_t *flow_posts_find(const flow_posts_t *p, int src, int dst);
/* Whether messages of any rank to dst may do so. */
bool flow_posts_receives(const flow_posts_t *p, int dst);

#endif
