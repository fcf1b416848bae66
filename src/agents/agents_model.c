/* SPDX-License-Identifier: BSD-3-Clause */
/* The expressions of the thesis' chapter 4. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "agents/agents_internal.h"

enum { MOST_DEGREE = 64 }; /* that is tried, beside the number of hosts */

const berth_executor_t *agents_executor(const berth_reduction_t *r, bool agent)
{
  return agent ? berth_agents_agent(r->agents) : berth_agents_host(r->agents);
}

static const berth_compute_t *find(const berth_reduction_t *r, bool agent)
{
  const berth_executor_t *e = agents_executor(r, agent);
  for (size_t i = 0; i < e->n_compute; i++)
    if (strcmp(e->compute[i].operation, r->operation) == 0 &&
        strcmp(e->compute[i].type, r->type) == 0)
      return &e->compute[i];
  return NULL;
}

static double at(const berth_time_point_t *point, size_t n, double amount)
{
  if (n == 1 || amount <= point[0].amount) return point[0].seconds;
  size_t i = 1;
  while (i + 1 < n && point[i].amount < amount) i++;
  double slope =
      (point[i].seconds - point[i - 1].seconds) / (point[i].amount - point[i - 1].amount);
  return fmax(0, point[i].seconds + slope * (amount - point[i].amount));
}

part_times_t agents_times(const berth_reduction_t *r, bool agent, double part)
{
  const berth_executor_t *e = agents_executor(r, agent);
  const berth_compute_t *c = find(r, agent);
  return (part_times_t){e->latency_s, e->start_s, at(e->receive, e->n_receive, part * c->bytes),
                        at(c->points, c->n, part)};
}

int berth_reduction_check(const berth_reduction_t *r, berth_error_t *err)
{
  if (r->hosts < 1 || r->hosts > BERTH_REDUCE_MAX_HOSTS)
    return berth_fail(err, BERTH_BAD_INPUT, "found %d hosts, expected 1 to %d", r->hosts,
                      BERTH_REDUCE_MAX_HOSTS);
  if (r->elements < 1 || r->elements > BERTH_REDUCE_MAX_ELEMENTS)
    return berth_fail(err, BERTH_BAD_INPUT, "found %d elements, expected 1 to %d", r->elements,
                      BERTH_REDUCE_MAX_ELEMENTS);
  for (int agent = 0; agent < 2; agent++)
    if (!find(r, agent))
      return berth_fail(err, BERTH_BAD_INPUT, "found no %.40s of %.40s by %s", r->operation,
                        r->type, agent ? "agents" : "hosts");
  return BERTH_OK;
}

int berth_reduction_max_splits(const berth_reduction_t *r)
{
  int splits = 0;
  while (r->hosts >> (splits + 1) && r->elements >> (splits + 1)) splits++;
  return splits;
}

double berth_reduction_serial(const berth_reduction_t *r, berth_reduce_place_t place)
{
  part_times_t t = agents_times(r, place != BERTH_REDUCE_HOST, r->elements);
  return t.start_s + (r->hosts > 1 ? t.latency_s : 0) +
         (r->hosts - 1) * (t.receive_s + t.compute_s);
}

double berth_reduction_full(const berth_reduction_t *r, berth_reduce_place_t place, int degree)
{
  part_times_t t = agents_times(r, place != BERTH_REDUCE_HOST, r->elements);
  double phases = log(r->hosts) / log(degree);
  return t.start_s + (t.latency_s + (degree - 1) * (t.receive_s + t.compute_s)) * phases;
}

/* The refined expression without C, for so many hosts. Powers are counted, because logarithms of
 * powers aren't always whole. */
static double tree_of(const part_times_t *t, int hosts, int degree)
{
  int full = 0;
  int64_t reached = 1; /* f^floor(log_f P) */
  while (reached * degree <= hosts) reached *= degree, full++;
  int rest = (int)((hosts + reached - 1) / reached) - 1, phases = full + (rest > 0);
  return t->latency_s * phases +
         (t->receive_s + t->compute_s) * ((degree - 1) * (double)full + rest);
}

double berth_reduction_time(const berth_reduction_t *r, berth_reduce_place_t place,
                            berth_reduce_tree_t tree)
{
  if (place == BERTH_REDUCE_INTERMEDIATE) return agents_play(r, place, tree);
  bool agent = place == BERTH_REDUCE_AGENT;
  double part = r->elements, time = agents_times(r, agent, part).start_s;
  int hosts = r->hosts;
  for (int s = 0; s < tree.splits; s++) {
    part /= 2;
    part_times_t t = agents_times(r, agent, part);
    time += t.latency_s + (1 + hosts % 2) * (t.receive_s + t.compute_s);
    hosts = (hosts + 1) / 2;
  }
  part_times_t t = agents_times(r, agent, part);
  time += tree_of(&t, hosts, tree.degree);
  if (tree.splits) time += t.latency_s + ((1 << tree.splits) - 1) * t.receive_s;
  return time;
}

berth_reduce_tree_t berth_reduction_best(const berth_reduction_t *r, berth_reduce_place_t place,
                                         int splits, double *seconds)
{
  berth_reduce_tree_t best = {2, splits < 0 ? 0 : splits};
  double least = DBL_MAX;
  int from = splits < 0 ? 0 : splits, to = splits < 0 ? berth_reduction_max_splits(r) : splits;
  for (int s = from; s <= to; s++) {
    int hosts = r->hosts >> s;
    for (int f = 2; f <= MOST_DEGREE + 1; f++) {
      berth_reduce_tree_t tree = {f <= MOST_DEGREE ? f : hosts > f ? hosts : f, s};
      double time = berth_reduction_time(r, place, tree);
      if (time < least * (1 - 1e-12)) least = time, best = tree;
      if (f >= hosts) break;
    }
  }
  if (seconds) *seconds = least;
  return best;
}
