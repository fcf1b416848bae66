/* SPDX-License-Identifier: BSD-3-Clause */
/* A team whose members are threads: every pair has a channel in each direction. */
#ifndef BERTH_TESTS_TEAM_MEMBERS_H
#define BERTH_TESTS_TEAM_MEMBERS_H

#include <berth/team.h>
#include <pthread.h>

#include "harness.h"

enum { MOST_MEMBERS = 40 };

typedef struct channel {
  unsigned char *bytes;
  size_t n, cap, read;
} channel_t;

typedef struct members {
  int n;
  pthread_mutex_t mutex;
  pthread_cond_t sent;
  channel_t channel[MOST_MEMBERS][MOST_MEMBERS];
} members_t;

typedef struct member {
  berth_team_t team;
  members_t *all;
  void (*run)(struct member *m);
  void *context;  /* the test's */
  size_t largest; /* bytes that it received at once */
} member_t;

static inline int channel_send(void *context, int to, const void *bytes, size_t n)
{
  member_t *m = context;
  channel_t *c = &m->all->channel[m->team.rank][to];
  pthread_mutex_lock(&m->all->mutex);
  if (c->n + n > c->cap) c->bytes = realloc(c->bytes, c->cap = 2 * (c->n + n));
  memcpy(c->bytes + c->n, bytes, n);
  c->n += n;
  pthread_cond_broadcast(&m->all->sent);
  pthread_mutex_unlock(&m->all->mutex);
  return 0;
}

static inline int channel_receive(void *context, int from, void *bytes, size_t n)
{
  member_t *m = context;
  channel_t *c = &m->all->channel[from][m->team.rank];
  pthread_mutex_lock(&m->all->mutex);
  while (c->n - c->read < n) pthread_cond_wait(&m->all->sent, &m->all->mutex);
  if (bytes) memcpy(bytes, c->bytes + c->read, n);
  c->read += n;
  if (n > m->largest) m->largest = n;
  pthread_mutex_unlock(&m->all->mutex);
  return 0;
}

static inline void *member_main(void *member)
{
  member_t *m = member;
  m->run(m);
  return NULL;
}

/* Runs n members with contexts[i] each, and checks that nothing was sent that nobody received. */
static inline void run_team(int n, void (*run)(member_t *m), void *const *contexts)
{
  static members_t all;
  static member_t member[MOST_MEMBERS];
  pthread_t thread[MOST_MEMBERS];
  memset(&all, 0, sizeof all);
  all.n = n;
  pthread_mutex_init(&all.mutex, NULL);
  pthread_cond_init(&all.sent, NULL);
  for (int i = 0; i < n; i++) {
    member[i] = (member_t){{i, n, channel_send, channel_receive, &member[i], 0},
                           &all,
                           run,
                           contexts ? contexts[i] : NULL,
                           0};
    assert_int_equal(pthread_create(&thread[i], NULL, member_main, &member[i]), 0);
  }
  for (int i = 0; i < n; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      assert_int_equal(all.channel[i][k].n, all.channel[i][k].read);
      free(all.channel[i][k].bytes);
    }
}

#endif
