/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank says to its host's agent, and how it hears of the end. */
#include "coll/agents/agents.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "schedule/two_levels/choose.h"

/* Of the queue, the channels and the store, which threads of a rank share. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint16_t given[DESK_CHANNELS]; /* channels that were in use and are free again */
static int n_given, n_used;
static const double looks_every = 0.1; /* seconds: for whether the agent is there */

int agents_channel(uint32_t *end)
{
  pthread_mutex_lock(&lock);
  int channel = n_given > 0 ? given[--n_given] : n_used < DESK_CHANNELS ? n_used++ : -1;
  pthread_mutex_unlock(&lock);
  if (channel >= 0) *end = atomic_load(&agents_channel_of(channel)->done.value) + 1;
  return channel;
}

bool agents_have_channel(void)
{
  pthread_mutex_lock(&lock);
  bool have = n_given > 0 || n_used < DESK_CHANNELS;
  pthread_mutex_unlock(&lock);
  return have;
}

void agents_channel_free(int channel)
{
  pthread_mutex_lock(&lock);
  given[n_given++] = (uint16_t)channel;
  pthread_mutex_unlock(&lock);
}

uint64_t agents_take(size_t bytes)
{
  pthread_mutex_lock(&lock);
  uint64_t at = store_take(&coll_agents.store, bytes);
  pthread_mutex_unlock(&lock);
  return at;
}

void agents_give(uint64_t at, size_t bytes)
{
  pthread_mutex_lock(&lock);
  store_give(&coll_agents.store, at, bytes);
  pthread_mutex_unlock(&lock);
}

/* A signal of a pipe without a reader mustn't reach the program. */
static void write_quietly(int file)
{
  sigset_t pipe, before, waiting;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&waiting);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  ssize_t n = write(file, "", 1);
  if (n < 0 && errno == EPIPE && !sigismember(&waiting, SIGPIPE))
    sigtimedwait(&pipe, NULL, &(struct timespec){0});
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void wake(void)
{
  if (atomic_load(&coll_agents.desk->sleeps)) write_quietly(coll_agents.bell);
}

/* The agent reads on whatever its calls wait for, so there is soon room for an order. */
void agents_order(const desk_order_t *o)
{
  desk_rank_t *r = coll_agents.own;
  pthread_mutex_lock(&lock);
  uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
  while (tail - atomic_load_explicit(&r->head, memory_order_acquire) >= DESK_ORDERS &&
         !coll_agents.broken) {
    wake();
    sched_yield();
    agents_live();
  }
  r->order[tail % DESK_ORDERS] = *o;
  atomic_store(&r->tail, tail + 1);
  pthread_mutex_unlock(&lock);
  if (o->kind != DESK_TAKEN || tail % (DESK_ORDERS / 4) == 0) wake();
}

static bool is_there(void)
{
  static double changed;
  static uint32_t seen;
  const desk_t *d = coll_agents.desk;
  struct pollfd bell = {.fd = coll_agents.bell};
  uint32_t beat = atomic_load_explicit(&d->beat, memory_order_relaxed);
  double now = wait_now();
  if (beat != seen || changed == 0) changed = now;
  seen = beat;
  if (wait_word_over(&d->state, DESK_ENDED)) return false;
  if (poll(&bell, 1, 0) > 0 && bell.revents & POLLERR) return false;
  return now - changed < d->patience;
}

bool agents_live(void)
{
  if (coll_agents.broken || is_there()) return !coll_agents.broken;
  coll_agents.broken = true;
  say_line("rank %d: the agent of its host has ended, or hangs", coll_job.rank);
  return false;
}

bool agents_wait(int channel, uint32_t end)
{
  wait_word_t *done = &agents_channel_of(channel)->done;
  bool asleep = coll_agents.desk->shares_cores;
  while (!wait_until(done, end, looks_every, asleep))
    if (!agents_live()) return wait_word_over(done, end);
  return true;
}

/* An order about a structure, with so many bytes of input; waits for its answer. */
static bool ask(desk_order_t *o, const void *in, size_t bytes, uint32_t *number)
{
  uint32_t end;
  int channel = agents_channel(&end);
  uint64_t at = channel >= 0 ? agents_take(bytes) : 0;
  if (at) {
    memcpy(coll_agents.store.base + at, in, bytes);
    o->channel = (uint16_t)channel;
    o->in = at;
    o->in_bytes = bytes;
    agents_order(o);
  }
  bool done = at && agents_wait(channel, end) && agents_channel_of(channel)->code == 0;
  if (done) *number = (uint32_t)agents_channel_of(channel)->with.out;
  if (at) agents_give(at, bytes);
  if (channel >= 0) agents_channel_free(channel);
  return done;
}

bool agents_open(const coll_comm_t *c, uint32_t *number)
{
  const coll_agents_t *a = &coll_agents;
  int members = c->memory.n, hosts = c->n_hosts;
  size_t bytes = sizeof(desk_structure_t) + (size_t)(members + 2 * hosts) * sizeof(int32_t);
  desk_structure_t *s = calloc(1, bytes);
  if (!s) return false;
  s->members = members;
  s->hosts = hosts;
  s->own_host = c->my_host;
  s->half = coll_job.half;
  for (int i = 0; i < members; i++) s->lists[i] = a->place[c->member[i]];
  for (int h = 0; h < hosts; h++) {
    s->lists[members + h] = a->agent[c->world[c->leader[h]]];
    s->lists[members + hosts + h] = c->first[h + 1] - c->first[h];
  }
  bool opened = ask(&(desk_order_t){.kind = DESK_OPEN}, s, bytes, number);
  free(s);
  return opened;
}

bool agents_peers(const coll_comm_t *c, const uint32_t *numbers)
{
  uint32_t none;
  return ask(&(desk_order_t){.kind = DESK_PEERS, .structure = numbers[c->my_host]}, numbers,
             (size_t)c->n_hosts * sizeof *numbers, &none);
}

void agents_close(const coll_comm_t *c)
{
  if (coll_agents.active && !coll_agents.broken)
    agents_order(&(desk_order_t){.kind = DESK_CLOSE, .structure = c->agent.number});
}
