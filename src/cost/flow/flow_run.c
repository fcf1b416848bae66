/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulates the time of a phase.
 *
 * Rates hold until a flow ends. Then its connection and its rank continue with their next sends,
 * and new rates are computed.
 *
 * If many flows would end one by one, time advances in steps. A flow that would end within a step
 * gets a ceiling, so that it ends with the step. The other flows get what it leaves at once. So no
 * limit is exceeded and nothing idles, but a flow ends up to one step late. */
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "cost/flow/flow.h"

/* A flow with less of its volume left has ended; the rest is rounding. */
static const double nothing = 1e-12;

static int reserve(flow_run_t *run, const flow_net_t *net, const flow_phase_t *phase,
                   int n_resources, berth_error_t *err)
{
  size_t flows = (size_t)net->n_flows + 1, connections = (size_t)phase->n_connections + 1;
  size_t senders = (size_t)phase->n_senders + 1, resources = (size_t)n_resources + 1;
  bool enough = array_reserve(&run->remaining, &run->cap[0], flows, sizeof *run->remaining) &&
                array_reserve(&run->end, &run->cap[1], flows, sizeof *run->end) &&
                array_reserve(&run->held_by, &run->cap[2], net->n_uses + 1, sizeof *run->held_by) &&
                array_reserve(&run->busy, &run->cap[3], resources, sizeof *run->busy) &&
                array_reserve(&run->issued, &run->cap[4], connections, sizeof *run->issued) &&
                array_reserve(&run->served, &run->cap[5], connections, sizeof *run->served) &&
                array_reserve(&run->current, &run->cap[6], connections, sizeof *run->current) &&
                array_reserve(&run->rank_item, &run->cap[7], senders, sizeof *run->rank_item) &&
                array_reserve(&run->rank_round, &run->cap[8], senders, sizeof *run->rank_round) &&
                array_reserve(&run->waits, &run->cap[9], senders, sizeof *run->waits) &&
                array_reserve(&run->ended, &run->cap[10], flows, sizeof *run->ended) &&
                array_reserve(&run->ceiling, &run->cap[11], flows, sizeof *run->ceiling) &&
                array_reserve(&run->counted, &run->cap[12], resources, sizeof *run->counted);
  return enough ? flow_shares_init(&run->shares, net, err) : no_memory(err);
}

void flow_run_clear(flow_run_t *run)
{
  flow_shares_clear(&run->shares);
  free(run->remaining);
  free(run->end);
  free(run->held_by);
  free(run->busy);
  free(run->issued);
  free(run->served);
  free(run->current);
  free(run->rank_item);
  free(run->rank_round);
  free(run->waits);
  free(run->ended);
  free(run->ceiling);
  free(run->counted);
  *run = (flow_run_t){0};
}

/* The maximum number of sends of a rank of which each may wait for the previous one. */
static double longest_chain(const flow_phase_t *phase)
{
  double longest = 1;
  for (int s = 0; s < phase->n_senders; s++) {
    const flow_sender_t *sender = &phase->sender[s];
    double n = (double)(sender[1].first_item - sender->first_item) * sender->rounds;
    bool waits = sender->rounds > 1;
    for (int i = sender->first_item; i < sender[1].first_item; i++)
      waits = waits || phase->item[i].blocking || phase->item[i].next != i;
    if (waits && n > longest) longest = n;
  }
  return longest;
}

static void reset(flow_run_t *run, const flow_net_t *net, const flow_phase_t *phase,
                  int n_resources)
{
  run->time = 0;
  run->steps = 0;
  run->step = net->max / FLOW_STEPS / longest_chain(phase);
  for (int f = 0; f < net->n_flows; f++) run->end[f] = 0;
  for (size_t u = 0; u < net->n_uses; u++) run->held_by[u] = 0;
  for (int r = 0; r < n_resources; r++) run->busy[r] = 0, run->counted[r] = 0;
  for (int i = 0; i < phase->n_connections; i++) {
    run->issued[i] = run->served[i] = 0;
    run->current[i] = phase->connection[i].first_item;
  }
  for (int i = 0; i < phase->n_senders; i++) {
    run->rank_item[i] = phase->sender[i].first_item;
    run->rank_round[i] = 0;
    run->waits[i] = -1;
  }
}

/* Starts the connection's next send, if there is one. Sends without limits end at once. */
static void serve(flow_run_t *run, const flow_net_t *net, const flow_phase_t *phase, int connection)
{
  while (run->served[connection] < run->issued[connection]) {
    const flow_item_t *item = &phase->item[run->current[connection]];
    int f = item->kind;
    if (net->first_use[f] < net->first_use[f + 1]) {
      run->remaining[f] = item->times * phase->kind[f].volume;
      run->shares.state[f] = FLOW_ACTIVE;
      run->shares.rate[f] = 0;
      run->shares.active[run->shares.n_active++] = f;
      return;
    }
    run->end[f] = run->time;
    run->served[connection]++;
    run->current[connection] = item->next;
  }
}

/* Lets a rank issue sends until one blocks it or none is left. */
static void issue(flow_run_t *run, const flow_net_t *net, const flow_phase_t *phase, int sender)
{
  const flow_sender_t *s = &phase->sender[sender];
  int *at = &run->rank_item[sender], last = phase->sender[sender + 1].first_item;
  for (;;) {
    if (*at == last) {
      if (++run->rank_round[sender] >= s->rounds) return;
      *at = s->first_item;
    }
    const flow_item_t *item = &phase->item[(*at)++];
    int connection = phase->kind[item->kind].connection;
    bool idle = run->served[connection] == run->issued[connection]++;
    if (idle) serve(run, net, phase, connection);
    if (!item->blocking || run->served[connection] == run->issued[connection]) continue;
    run->waits[sender] = connection;
    return;
  }
}

/* Handles the delivery of a send of this kind. */
static void deliver(flow_run_t *run, const flow_net_t *net, const flow_phase_t *phase, int f)
{
  int connection = phase->kind[f].connection, sender = phase->connection[connection].sender;
  run->end[f] = run->time;
  run->current[connection] = phase->item[run->current[connection]].next;
  run->served[connection]++;
  serve(run, net, phase, connection);
  if (run->waits[sender] != connection || run->served[connection] < run->issued[connection]) return;
  run->waits[sender] = -1;
  issue(run, net, phase, sender);
}

ORDER_BY(by_rate, flow_ceiling_t, RISING(rate) RISING(flow))

/* Whether several flows would end at different times within a step, at their last rates. */
static bool many_end(const flow_run_t *run, int exact)
{
  const flow_shares_t *s = &run->shares;
  double first = run->step, last = 0;
  if (s->n_active <= exact) return false;
  for (int i = 0; i < s->n_active; i++) {
    int f = s->active[i];
    if (!(run->remaining[f] <= s->rate[f] * run->step)) continue;
    double end = run->remaining[f] / s->rate[f];
    if (end < first) first = end;
    if (end > last) last = end;
  }
  return last > first * (1 + 1e-9);
}

/* Makes ceilings for flows that could end within a step. Ends of other flows may make them
 * faster. */
static int make_ceilings(flow_run_t *run)
{
  const flow_shares_t *s = &run->shares;
  int n = 0;
  for (int i = 0; i < s->n_active; i++) {
    int f = s->active[i];
    double rate = run->remaining[f] / run->step;
    if (rate < 2 * s->rate[f]) run->ceiling[n++] = (flow_ceiling_t){rate, f};
  }
  qsort(run->ceiling, (size_t)n, sizeof *run->ceiling, by_rate);
  return n;
}

static double until_next_end(const flow_run_t *run)
{
  const flow_shares_t *s = &run->shares;
  double min = -1;
  for (int i = 0; i < s->n_active; i++) {
    double t = run->remaining[s->active[i]] / s->rate[s->active[i]];
    if (min < 0 || t < min) min = t;
  }
  return min;
}

/* Counts a resource once, even if several of its limits hold flows back. */
static void count_busy(flow_run_t *run, const flow_net_t *net, double dt)
{
  for (int i = 0; i < run->shares.n_full; i++) {
    int r = net->limit[run->shares.full[i]].resource;
    if (run->counted[r] == run->steps) continue;
    run->counted[r] = run->steps;
    run->busy[r] += dt;
  }
}

/* Advances by dt. Returns how many flows ended; they are in run->ended. */
static int advance(flow_run_t *run, const flow_net_t *net, const flow_phase_t *phase, double dt)
{
  flow_shares_t *s = &run->shares;
  int n_ended = 0, kept = 0;
  run->time += dt;
  count_busy(run, net, dt);
  for (int i = 0; i < s->n_active; i++) {
    int f = s->active[i];
    if (s->by[f] >= 0) run->held_by[s->by[f]] += dt;
    run->remaining[f] -= s->rate[f] * dt;
    const flow_item_t *item = &phase->item[run->current[phase->kind[f].connection]];
    if (run->remaining[f] > nothing * item->times * phase->kind[f].volume) {
      s->active[kept++] = f;
      continue;
    }
    s->state[f] = phase->sender[phase->connection[phase->kind[f].connection].sender].rounds == 1 &&
                          item->next == phase->connection[phase->kind[f].connection].first_item
                      ? FLOW_DONE
                      : FLOW_IDLE;
    run->ended[n_ended++] = f;
  }
  s->n_active = kept;
  return n_ended;
}

int flow_run(flow_run_t *run, flow_net_t *net, const flow_phase_t *phase, int n_resources,
             int exact, berth_error_t *err)
{
  if (reserve(run, net, phase, n_resources, err)) return BERTH_MISSING;
  reset(run, net, phase, n_resources);
  for (int i = 0; i < phase->n_senders; i++) issue(run, net, phase, i);
  while (run->shares.n_active > 0) {
    bool stepping = many_end(run, exact);
    flow_share(net, &run->shares, run->ceiling, stepping ? make_ceilings(run) : 0);
    run->steps++;
    int n = advance(run, net, phase, stepping ? run->step : until_next_end(run));
    for (int i = 0; i < n; i++) deliver(run, net, phase, run->ended[i]);
  }
  return BERTH_OK;
}
