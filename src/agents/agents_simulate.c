/* SPDX-License-Identifier: BSD-3-Clause */
/* Plays reductions host by host, with detours of the cores. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/agents_internal.h"
#include "base/no_memory.h"
#include "base/options.h"

/* --- cores --- */

/* A core of which detours take time. `next` is when the next one begins. */
typedef struct core {
  double next;
} core_t;

typedef struct play {
  const berth_reduction_t *r;
  berth_reduce_place_t place;
  berth_reduce_tree_t tree;
  berth_noise_t noise[2]; /* of hosts and of agents */
  uint64_t random;
  core_t *core[2]; /* of each host; NULL: without noise */
  double *ready;   /* when each host has done what it has to */
} play_t;

/* splitmix64 (Steele, Lea and Flood 2014); above 0, at most 1. */
static double draw(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return ((double)((z ^ z >> 31) >> 11) + 1) * 0x1p-53;
}

static double gap(play_t *p, int agent)
{
  return -log(draw(&p->random)) * (p->noise[agent].every_s - p->noise[agent].length_s);
}

/* At any moment a core is in a detour with the chance that detours have of the time. */
static void start_core(play_t *p, int agent, core_t *core)
{
  const berth_noise_t *noise = &p->noise[agent];
  bool inside = draw(&p->random) * noise->every_s < noise->length_s;
  core->next = inside ? -draw(&p->random) * noise->length_s : gap(p, agent);
}

/* When work that could begin at `from` is done on a host's core. */
static double work(play_t *p, int agent, int host, double from, double seconds)
{
  core_t *core = p->core[agent] ? &p->core[agent][host] : NULL;
  if (!core) return from + seconds;
  double length = p->noise[agent].length_s, end = from + seconds;
  while (core->next < end) {
    if (core->next + length > from) end += core->next + length - fmax(core->next, from);
    core->next += length + gap(p, agent);
  }
  return end;
}

/* --- a reduction --- */

/* Whether an agent does the work of a host that receives, sends, or both. */
static bool by_agent(const play_t *p, bool receives, bool sends)
{
  return p->place == BERTH_REDUCE_AGENT ||
         (p->place == BERTH_REDUCE_INTERMEDIATE && receives && sends);
}

/* A message's time on its way: half of each end's latency. */
static double latency(const play_t *p, bool from_agent, bool to_agent)
{
  return (agents_executor(p->r, from_agent)->latency_s +
          agents_executor(p->r, to_agent)->latency_s) /
         2;
}

/* Hosts that have children in a tree of so many: place 0, f, 2f … as far as there is one behind. */
static bool has_children(int place, int hosts, int degree)
{
  return place % degree == 0 && place + 1 < hosts;
}

/* Reduces over hosts first to first + n - 1, to the first of them. */
static void play_tree(play_t *p, int first, int n, double part)
{
  int degree = p->tree.degree;
  const part_times_t times[2] = {agents_times(p->r, false, part), agents_times(p->r, true, part)};
  for (int64_t step = 1; step < n; step *= degree)
    for (int64_t parent = 0; parent + step < n; parent += step * degree) {
      bool parent_agent = by_agent(p, true, parent != 0 || p->tree.splits > 0);
      const part_times_t *t = &times[parent_agent];
      double done = p->ready[first + parent];
      for (int64_t k = 1; k < degree && parent + k * step < n; k++) {
        int child = (int)(parent + k * step);
        bool child_agent = by_agent(p, p->tree.splits > 0 || has_children(child, n, degree), true);
        double come = p->ready[first + child] + latency(p, child_agent, parent_agent);
        done = work(p, parent_agent, first + (int)parent, fmax(done, come),
                    t->receive_s + t->compute_s);
      }
      p->ready[first + parent] = done;
    }
}

/* Halves the vector among two halves of the hosts: each host sends what the other half reduces. The
 * last one of the first half may have no partner; the last one of the other half takes its part. */
static void play_split(play_t *p, int first, int n, double part)
{
  bool agent = by_agent(p, true, true);
  part_times_t t = agents_times(p->r, agent, part);
  int half = (n + 1) / 2;
  double each = t.receive_s + t.compute_s;
  for (int i = 0; i < n - half; i++) {
    int a = first + i, b = a + half;
    double from_a = p->ready[a] + t.latency_s, from_b = p->ready[b] + t.latency_s;
    p->ready[a] = work(p, agent, a, fmax(p->ready[a], from_b), each);
    p->ready[b] = work(p, agent, b, fmax(p->ready[b], from_a), each);
  }
  if (n % 2 == 0) return;
  int alone = first + half - 1, last = first + n - 1;
  p->ready[last] = work(p, agent, last, fmax(p->ready[last], p->ready[alone] + t.latency_s), each);
}

/* All parts of the hosts, depth first; the first host of each part has it in the end. */
static void play_parts(play_t *p, int first, int n, int splits, double part)
{
  if (splits == 0) {
    play_tree(p, first, n, part);
    return;
  }
  play_split(p, first, n, part / 2);
  play_parts(p, first, (n + 1) / 2, splits - 1, part / 2);
  play_parts(p, first + (n + 1) / 2, n / 2, splits - 1, part / 2);
}

/* The root receives the parts of the other groups' first hosts. */
static void play_join(play_t *p, int first, int n, int splits, double receive_s)
{
  if (splits == 0) {
    if (first == 0) return;
    bool agent = by_agent(p, true, true), root = by_agent(p, true, false);
    double come = p->ready[first] + latency(p, agent, root);
    p->ready[0] = work(p, root, 0, fmax(p->ready[0], come), receive_s);
    return;
  }
  play_join(p, first, (n + 1) / 2, splits - 1, receive_s);
  play_join(p, first + (n + 1) / 2, n / 2, splits - 1, receive_s);
}

/* When a host can begin: its process starts the reduction, and its agent if that takes part. */
static double begin(play_t *p, int host)
{
  int n = p->r->hosts;
  bool inner = p->tree.splits > 0 || (host != 0 && has_children(host, n, p->tree.degree));
  bool agent = p->place == BERTH_REDUCE_AGENT || (p->place == BERTH_REDUCE_INTERMEDIATE && inner);
  return work(p, 0, host, 0, agents_executor(p->r, agent)->start_s);
}

static double play(play_t *p)
{
  int n = p->r->hosts, splits = p->tree.splits;
  double part = p->r->elements / (double)(1 << splits);
  for (int agent = 0; agent < 2; agent++)
    for (int h = 0; h < n && p->core[agent]; h++) start_core(p, agent, &p->core[agent][h]);
  for (int h = 0; h < n; h++) p->ready[h] = begin(p, h);
  play_parts(p, 0, n, splits, p->r->elements);
  play_join(p, 0, n, splits, agents_times(p->r, by_agent(p, true, false), part).receive_s);
  return p->ready[0];
}

static bool open_play(play_t *p)
{
  size_t n = (size_t)p->r->hosts;
  p->ready = malloc(n * sizeof *p->ready);
  bool enough = p->ready != NULL;
  for (int agent = 0; agent < 2; agent++)
    if (p->noise[agent].length_s > 0)
      enough &= (p->core[agent] = malloc(n * sizeof *p->core[agent])) != NULL;
  return enough;
}

static void close_play(play_t *p)
{
  free(p->ready);
  free(p->core[0]);
  free(p->core[1]);
}

double agents_play(const berth_reduction_t *r, berth_reduce_place_t place, berth_reduce_tree_t tree)
{
  play_t p = {.r = r, .place = place, .tree = tree};
  double time = open_play(&p) ? play(&p) : -1;
  close_play(&p);
  return time;
}

static int check_noise(const berth_noise_t *noise, const char *whose, berth_error_t *err)
{
  if (noise->length_s == 0) return BERTH_OK;
  if (noise->length_s > 0 && noise->every_s > noise->length_s && isfinite(noise->every_s))
    return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found detours of %g s every %g s, expected a length below the interval",
                    whose, noise->length_s, noise->every_s);
}

static int check_tree(const berth_reduction_t *r, berth_reduce_place_t place,
                      berth_reduce_tree_t tree, berth_error_t *err)
{
  int splits = berth_reduction_max_splits(r);
  if ((unsigned)place >= BERTH_REDUCE_N_PLACES)
    return berth_fail(err, BERTH_BAD_INPUT, "place: found number %d, expected 0 to %d", (int)place,
                      BERTH_REDUCE_N_PLACES - 1);
  if (tree.degree < 2)
    return berth_fail(err, BERTH_BAD_INPUT, "`degree`: found %d, expected at least 2", tree.degree);
  if (tree.splits < 0 || tree.splits > splits)
    return berth_fail(err, BERTH_BAD_INPUT, "`splits`: found %d, expected 0 to %d", tree.splits,
                      splits);
  return BERTH_OK;
}

int berth_reduction_simulate(const berth_reduction_t *r, berth_reduce_place_t place,
                             berth_reduce_tree_t tree, const berth_simulation_t *options, size_t n,
                             double *times, berth_error_t *err)
{
  berth_simulation_t o = {.size = sizeof o};
  int rc = options_take(&o, sizeof o, options, "the caller's compiler", err);
  if (!rc) rc = check_tree(r, place, tree, err);
  if (!rc) rc = check_noise(&o.host, "hosts' noise", err);
  if (!rc) rc = check_noise(&o.agent, "agents' noise", err);
  if (rc) return rc;
  play_t p = {.r = r, .place = place, .tree = tree, .noise = {o.host, o.agent}, .random = o.seed};
  if (!open_play(&p)) rc = no_memory(err);
  for (size_t i = 0; i < n && !rc; i++) {
    times[i] = play(&p);
    if (o.progress) o.progress(o.progress_data, i + 1, n);
  }
  close_play(&p);
  return rc;
}
