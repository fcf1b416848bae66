/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of a communicator's ranks by their hosts. */
#include "schedule/schedule_hosts.h"

#include <stdlib.h>

#include "base/order.h"

typedef struct at_host {
  int host, rank;
} at_host_t;

ORDER_BY(by_host, at_host_t, RISING(host) RISING(rank))

/* Counts the hosts of a list that is sorted by host. Each entry gets its host's lowest rank. */
static int name_by_leaders(at_host_t *at, int size)
{
  int n = 0;
  for (int i = 0, end; i < size; i = end, n++) {
    int host = at[i].host, leader = at[i].rank;
    for (end = i; end < size && at[end].host == host; end++) at[end].host = leader;
  }
  return n;
}

schedule_hosts_t *schedule_hosts_new(int size, const int *host)
{
  size_t ranks = (size_t)size;
  schedule_hosts_t *h = malloc(sizeof *h + (6 * ranks + 1) * sizeof(int));
  at_host_t *at = malloc((ranks + 1) * sizeof *at);
  if (!h || !at) {
    free(h);
    free(at);
    return NULL;
  }
  for (int r = 0; r < size; r++) at[r] = (at_host_t){host[r], r};
  qsort(at, ranks, sizeof *at, by_host);
  int *of_rank = (int *)(h + 1), *rank = of_rank + size, *leader = rank + size,
      *all = leader + size, *given = all + size, *first = given + size,
      n = name_by_leaders(at, size), k = -1;
  for (int i = 0, g = 0; i < size; i++)
    if (i == 0 || at[i].host != at[i - 1].host) given[g++] = at[i].host;
  qsort(at, ranks, sizeof *at, by_host);
  *h = (schedule_hosts_t){size, n, true, of_rank, first, rank, leader, all, given};
  for (int i = 0; i < size; i++) {
    if (i == 0 || at[i].host != at[i - 1].host) {
      leader[++k] = at[i].rank;
      first[k] = i;
    }
    all[i] = i;
    rank[i] = at[i].rank;
    of_rank[at[i].rank] = k;
    h->consecutive &= at[i].rank == i;
  }
  first[n] = size;
  for (int i = 0; i < n; i++) given[i] = of_rank[given[i]];
  free(at);
  return h;
}

int schedule_groups(const schedule_hosts_t *h, schedule_among_t among)
{
  switch (among) {
  case SCHEDULE_HOSTS:
  case SCHEDULE_OTHER_HOSTS:
  case SCHEDULE_LASTS_AND_LEADERS:
    return h->n;
  case SCHEDULE_LEADERS_ONWARD:
    return h->n - 1;
  default:
    return 1;
  }
}

/* A group of two, or of one if both are the same. */
static schedule_group_t pair(int from, int to)
{
  return (schedule_group_t){.n = from == to ? 1 : 2, .pair = {from, to}};
}

schedule_group_t schedule_group_at(const schedule_hosts_t *h, schedule_among_t among, int root,
                                   int i)
{
  int home = h->of_rank[root];
  const schedule_group_t host = {.n = h->first[i + 1] - h->first[i], .rank = h->rank + h->first[i]};
  switch (among) {
  case SCHEDULE_HOSTS:
    return host;
  case SCHEDULE_OTHER_HOSTS:
    return i == home ? (schedule_group_t){.n = 1, .rank = host.rank} : host;
  case SCHEDULE_ROOT_HOST: {
    schedule_group_t g = {.n = h->first[home + 1] - h->first[home],
                          .rank = h->rank + h->first[home]};
    while (g.rank[g.root] != root) g.root++;
    return g;
  }
  case SCHEDULE_LEADERS:
    return (schedule_group_t){.n = h->n, .root = home, .rank = h->leader};
  case SCHEDULE_LEADERS_TO_RANK_0:
    return (schedule_group_t){.n = h->n, .rank = h->leader};
  case SCHEDULE_ROOT_AND_LEADER:
    return pair(root, h->leader[home]);
  case SCHEDULE_RANK_0_AND_ROOT:
    return pair(0, root);
  case SCHEDULE_LASTS_AND_LEADERS:
    return pair(host.rank[host.n - 1], host.rank[0]);
  case SCHEDULE_LEADERS_ONWARD:
    return pair(h->leader[i], h->leader[i + 1]);
  default:
    return (schedule_group_t){.n = h->size, .root = root, .rank = h->all};
  }
}
