/* SPDX-License-Identifier: BSD-3-Clause */
#include "calib/node/node_team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/no_memory.h"

typedef struct member {
  node_team_t *team;
  pthread_t thread;
  bool started;
  int core, seat; /* seat: of the work at hand; -1: none */
  int rc;         /* of binding */
  berth_error_t err;
} member_t;

struct node_team {
  const node_machine_t *machine;
  member_t *member; /* one for each core */
  pthread_mutex_t lock;
  pthread_cond_t change;
  node_work_t *work;
  void *all;
  int busy; /* members that haven't finished the work, or their start */
  bool over;
};

static void *live(void *of)
{
  member_t *me = of;
  node_team_t *t = me->team;
  me->rc = node_machine_bind(t->machine, me->core, &me->err);
  pthread_mutex_lock(&t->lock);
  for (;;) {
    t->busy--;
    pthread_cond_broadcast(&t->change);
    while (me->seat < 0 && !t->over) pthread_cond_wait(&t->change, &t->lock);
    if (t->over) break;
    pthread_mutex_unlock(&t->lock);
    t->work(t->all, me->seat);
    pthread_mutex_lock(&t->lock);
    me->seat = -1;
  }
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

static void await(node_team_t *t)
{
  while (t->busy > 0) pthread_cond_wait(&t->change, &t->lock);
}

static int start(node_team_t *t, berth_error_t *err)
{
  int rc = BERTH_OK, n = t->machine->n_cores;
  pthread_mutex_lock(&t->lock);
  for (int i = 0; i < n && !rc; i++) {
    member_t *m = &t->member[i];
    *m = (member_t){.team = t, .core = i, .seat = -1};
    t->busy++;
    m->started = pthread_create(&m->thread, NULL, live, m) == 0;
    if (!m->started) {
      t->busy--;
      rc = berth_fail(err, BERTH_MISSING, "cannot start a thread for each of %d cores", n);
    }
  }
  await(t);
  for (int i = 0; i < n && !rc; i++)
    if ((rc = t->member[i].rc) && err) *err = t->member[i].err;
  pthread_mutex_unlock(&t->lock);
  return rc;
}

node_team_t *node_team_new(const node_machine_t *m, berth_error_t *err)
{
  node_team_t *t = calloc(1, sizeof *t);
  if (!t || !(t->member = calloc((size_t)m->n_cores, sizeof *t->member))) {
    free(t);
    return no_memory_null(err);
  }
  t->machine = m;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->change, NULL);
  if (start(t, err) == BERTH_OK) return t;
  node_team_free(t);
  return NULL;
}

void node_team_free(node_team_t *t)
{
  if (!t) return;
  pthread_mutex_lock(&t->lock);
  t->over = true;
  pthread_cond_broadcast(&t->change);
  pthread_mutex_unlock(&t->lock);
  for (int i = 0; i < t->machine->n_cores; i++)
    if (t->member[i].started) pthread_join(t->member[i].thread, NULL);
  pthread_mutex_destroy(&t->lock);
  pthread_cond_destroy(&t->change);
  free(t->member);
  free(t);
}

void node_team_run(node_team_t *t, const int *cores, int n, node_work_t *work, void *all)
{
  pthread_mutex_lock(&t->lock);
  t->work = work;
  t->all = all;
  t->busy = n;
  for (int i = 0; i < n; i++) t->member[cores[i]].seat = i;
  pthread_cond_broadcast(&t->change);
  await(t);
  pthread_mutex_unlock(&t->lock);
}

typedef struct race {
  node_racer_t *racers;
  int n;
  double seconds;
  atomic_int ready;
} race_t;

static void run_race(void *all, int seat)
{
  race_t *race = all;
  node_racer_t *me = &race->racers[seat];
  me->turn(me->own); /* its memory is there, its code is loaded */
  atomic_fetch_add(&race->ready, 1);
  while (atomic_load(&race->ready) < race->n) sched_yield();
  double bytes = 0, begin = clock_s(), now = begin, end = begin + race->seconds;
  do {
    bytes += me->turn(me->own);
    now = clock_s();
  } while (now < end);
  me->rate = bytes / (now - begin);
}

void node_team_race(node_team_t *t, const int *cores, int n, node_racer_t *racers, double seconds)
{
  race_t race = {.racers = racers, .n = n, .seconds = seconds};
  node_team_run(t, cores, n, run_race, &race);
}
