/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks of a communicator share a host. */
#ifndef BERTH_SCHEDULE_HOSTS_H
#define BERTH_SCHEDULE_HOSTS_H

#include <stdbool.h>

/* Hosts are numbered from 0 in the order of their lowest ranks, which are their leaders. */
typedef struct schedule_hosts {
  int size, n;        /* ranks of the communicator; hosts */
  bool consecutive;   /* the ranks of each host follow one another */
  const int *of_rank; /* the host of each rank */
  const int *first;   /* where a host's ranks begin in `rank`; n + 1 places */
  const int *rank;    /* host by host, rising */
  const int *leader;  /* of each host */
  const int *all;     /* 0, 1, 2, …: the ranks themselves */
  const int *given;   /* the hosts in the order of the numbers that they were given */
} schedule_hosts_t;

/* From any numbers of hosts, by rank; `given` keeps their order. Free it. NULL: memory is out. */
schedule_hosts_t *schedule_hosts_new(int size, const int *host);

/* The groups of ranks that a part of a call runs on, beside each other. */
typedef enum schedule_among {
  SCHEDULE_ALL_RANKS,
  SCHEDULE_HOSTS,             /* the ranks of each host; the root is the leader */
  SCHEDULE_OTHER_HOSTS,       /* the same but for the root's host */
  SCHEDULE_ROOT_HOST,         /* the ranks of the root's host; the root is the call's */
  SCHEDULE_LEADERS,           /* the leaders of all hosts; the root is the one of the root's host */
  SCHEDULE_LEADERS_TO_RANK_0, /* the same; the root is rank 0, which always leads */
  SCHEDULE_ROOT_AND_LEADER,   /* the root and the leader of its host, unless it is that */
  SCHEDULE_RANK_0_AND_ROOT,   /* rank 0 and the root, unless it is that; the root is rank 0 */
  SCHEDULE_LASTS_AND_LEADERS, /* the last rank of each host, which is the root, and its leader */
  SCHEDULE_LEADERS_ONWARD,    /* each leader, which is the root, and the leader of the next host */
  SCHEDULE_OF_RULES,          /* so many may be in rules */
  SCHEDULE_SPEAKERS = SCHEDULE_OF_RULES, /* of berth's library: a rank of each host */
  SCHEDULE_AMONG                         /* their number */
} schedule_among_t;

typedef struct schedule_group {
  int n, root;     /* root: its index */
  const int *rank; /* borrowed; NULL: the ranks are `pair` */
  int pair[2];
} schedule_group_t;

/* How many groups there are, some of which may have one rank, and each of them. */
int schedule_groups(const schedule_hosts_t *h, schedule_among_t among);
schedule_group_t schedule_group_at(const schedule_hosts_t *h, schedule_among_t among, int root,
                                   int i);

#endif
