/* SPDX-License-Identifier: BSD-3-Clause */
#include "agents/played_fabric.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct fabric {
  fabric_user_t user;
  int own;
  bool ended, lost[MOST_AGENTS]; /* agents that it takes for unreachable */
  int under_way;                 /* packets that it has sent, and whose end it hasn't heard of */
  packet_t **arriving;
  size_t n, cap;
};

static struct {
  uint64_t state;
  bool hurried;
  int agents, most_under_way;
  int slow_from, slow_to; /* one of 50 chances to arrive */
  fabric_t *fabric[MOST_AGENTS];
} network;

uint64_t network_random(uint64_t n)
{
  uint64_t x = network.state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return (x ^ x >> 31) % n;
}

void network_begin(uint64_t seed)
{
  memset(&network, 0, sizeof network);
  network.state = seed;
  network.most_under_way = 1 << network_random(7);
  network.slow_from = (int)network_random(MOST_AGENTS);
  network.slow_to = (int)network_random(MOST_AGENTS);
}

void network_hurry(void) { network.hurried = true; }

static void drop_all(fabric_t *f)
{
  while (f->n > 0) free(f->arriving[--f->n]);
}

void network_end_agent(int agent)
{
  network.fabric[agent]->ended = true;
  drop_all(network.fabric[agent]);
}

void network_tell_lost(int agent, int ended) { fabric_lose(network.fabric[agent], ended); }

fabric_t *fabric_open(const char *provider, const fabric_user_t *user, char *why)
{
  (void)provider, (void)why;
  fabric_t *f = calloc(1, sizeof *f);
  if (!f) abort();
  f->user = *user;
  f->own = network.agents++;
  network.fabric[f->own] = f;
  return f;
}

void fabric_close(fabric_t *f)
{
  drop_all(f);
  free(f->arriving);
  free(f);
}

void fabric_address(const fabric_t *f, char *out) { memset(out, f->own + 1, DESK_ADDRESS); }

bool fabric_meet(fabric_t *f, int agents, int own, const char *addresses,
                 const unsigned char *secret, char *why)
{
  (void)agents, (void)addresses, (void)secret, (void)why;
  return f->own == own;
}

void fabric_lose(fabric_t *f, int agent)
{
  f->lost[agent] = true;
  f->user.unreachable(f->user.with, agent);
}

bool fabric_is_gone(fabric_t *f, int agent)
{
  (void)f, (void)agent;
  return false;
}

packet_t *fabric_packet(fabric_t *f)
{
  if (f->under_way >= network.most_under_way) return NULL;
  packet_t *p = calloc(1, sizeof *p);
  if (!p) abort();
  return p;
}

void fabric_send(fabric_t *f, int agent, packet_t *p)
{
  fabric_t *to = network.fabric[agent];
  p->head.from = (uint32_t)f->own;
  if (f->ended || f->lost[agent] || to->ended) {
    free(p);
    return;
  }
  f->under_way++;
  if (!ARRAY_ADD(&to->arriving, &to->n, &to->cap, p)) abort();
}

static bool is_late(const fabric_t *f, const packet_t *p)
{
  return !network.hurried && f->own == network.slow_to && (int)p->head.from == network.slow_from &&
         network_random(50) > 0;
}

bool fabric_progress(fabric_t *f)
{
  int sent = f->under_way;
  f->under_way = network.hurried ? 0 : (int)network_random((uint64_t)sent + 1);
  bool any = f->under_way < sent;
  for (size_t n = network.hurried ? f->n : network_random(f->n + 1); n > 0 && f->n > 0; n--) {
    size_t i = network_random(f->n);
    packet_t *p = f->arriving[i];
    if (is_late(f, p)) continue;
    f->arriving[i] = f->arriving[--f->n];
    any = true;
    if (!f->lost[p->head.from]) f->user.received(f->user.with, p);
    free(p);
  }
  return any;
}

bool fabric_may_sleep(fabric_t *f, int *file)
{
  (void)f, (void)file;
  return false;
}
