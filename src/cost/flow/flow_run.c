/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulates the time of a chain.
 *
 * Rates hold until a flow ends. Then its connection and its rank continue with their next sends,
 * and new rates are computed.
 *
 * If many flows would end one by one, time advances in steps. A flow that would end within a step
 * gets a ceiling, so that it ends with the step. The other flows get what it leaves at once. So no
 * limit is exceeded and nothing idles, but a flow ends up to one step late. */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "cost/flow/flow.h"

/* Ranks that wait for their next turn; TURN_SOON: they are in run->serving. */
enum { TURN = -5, TURN_SOON = -6 };

/* A flow with less of its volume left has ended; the rest is rounding. */
static const double nothing = 1e-12;

static int reserve(flow_run_t *run, const flow_net_t *net, const flow_chain_t *chain,
                   int n_resources, berth_error_t *err)
{
  size_t flows = (size_t)net->n_flows + 1, connections = (size_t)chain->n_connections + 1;
  size_t senders = (size_t)chain->n_senders + 1, resources = (size_t)n_resources + 1;
  size_t members = (size_t)chain->n_members + 1, turns = (size_t)chain->n_turns + 1;
  size_t items = chain->n_turns > 0 ? (size_t)chain->n_items : 1;
  bool enough = array_reserve(&run->remaining, &run->cap[0], flows, sizeof *run->remaining) &&
                array_reserve(&run->end, &run->cap[1], flows, sizeof *run->end) &&
                array_reserve(&run->held_by, &run->cap[2], net->n_uses + 1, sizeof *run->held_by) &&
                array_reserve(&run->busy, &run->cap[3], resources, sizeof *run->busy) &&
                array_reserve(&run->issued, &run->cap[4], connections, sizeof *run->issued) &&
                array_reserve(&run->served, &run->cap[5], connections, sizeof *run->served) &&
                array_reserve(&run->current, &run->cap[6], connections, sizeof *run->current) &&
                array_reserve(&run->rank_item, &run->cap[7], senders, sizeof *run->rank_item) &&
                array_reserve(&run->arrived, &run->cap[8], senders, sizeof *run->arrived) &&
                array_reserve(&run->waits, &run->cap[9], senders, sizeof *run->waits) &&
                array_reserve(&run->ended, &run->cap[10], flows, sizeof *run->ended) &&
                array_reserve(&run->ceiling, &run->cap[11], flows, sizeof *run->ceiling) &&
                array_reserve(&run->counted, &run->cap[12], resources, sizeof *run->counted) &&
                array_reserve(&run->ready, &run->cap[13], senders, sizeof *run->ready) &&
                array_reserve(&run->left, &run->cap[14], members, sizeof *run->left) &&
                array_reserve(&run->posted, &run->cap[15], connections, sizeof *run->posted) &&
                array_reserve(&run->posted_any, &run->cap[16], senders, sizeof *run->posted_any) &&
                array_reserve(&run->unposted, &run->cap[17], connections, sizeof *run->unposted) &&
                array_reserve(&run->turn, &run->cap[18], senders, sizeof *run->turn) &&
                array_reserve(&run->next_left, &run->cap[19], turns, sizeof *run->next_left) &&
                array_reserve(&run->first_left, &run->cap[22], turns, sizeof *run->first_left) &&
                array_reserve(&run->came, &run->cap[20], items, sizeof *run->came) &&
                array_reserve(&run->serving, &run->cap[21], senders, sizeof *run->serving);
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
  free(run->arrived);
  free(run->waits);
  free(run->ended);
  free(run->ceiling);
  free(run->counted);
  free(run->ready);
  free(run->left);
  free(run->posted);
  free(run->posted_any);
  free(run->unposted);
  free(run->turn);
  free(run->next_left);
  free(run->first_left);
  free(run->came);
  free(run->serving);
  *run = (flow_run_t){0};
}

/* The rounds of a collective operation that are played. */
static double rounds_played(const flow_chain_t *chain)
{
  double n = 0;
  for (int k = 0; k < chain->n_members; k++) n += chain->member[k].played;
  return n;
}

/* The maximum number of sends of which each may wait for the previous one: of a rank, or of all
 * ranks if they wait for each other. */
static double longest_sequence(const flow_chain_t *chain)
{
  double longest = rounds_played(chain);
  for (int s = 0; s < chain->n_senders && chain->n_members == 1; s++) {
    const flow_sender_t *sender = &chain->sender[s];
    double n = sender[1].first_item - sender->first_item;
    bool waits = false;
    for (int i = sender->first_item; i < sender[1].first_item; i++)
      waits = waits || chain->item[i].blocking || chain->item[i].next != i;
    if (waits && n > longest) longest = n;
  }
  return longest;
}

/* Lists the first turn of each source, in the order of the turns. */
static void list_turns(flow_run_t *run, const flow_chain_t *chain)
{
  for (int t = chain->n_turns - 1; t >= 0; t--) {
    int *list = &run->first_left[chain->item[chain->turn[t].service].next];
    if (t + 1 == chain->n_turns || chain->turn[t + 1].service != chain->turn[t].service) *list = -1;
    if (!chain->turn[t].is_first) continue;
    run->next_left[t] = *list;
    *list = t;
  }
}

static void reset(flow_run_t *run, const flow_net_t *net, const flow_chain_t *chain,
                  int n_resources)
{
  run->time = 0;
  run->steps = 0;
  run->step = net->max / FLOW_STEPS / longest_sequence(chain);
  run->n_ready = run->n_serving = run->passed = 0;
  for (int f = 0; f < net->n_flows; f++) run->end[f] = 0;
  for (size_t u = 0; u < net->n_uses; u++) run->held_by[u] = 0;
  for (int r = 0; r < n_resources; r++) run->counted[r] = 0;
  for (int k = 0; k < chain->n_members; k++) run->left[k] = chain->member[k].n_sends;
  for (int i = 0; i < chain->n_connections; i++) {
    run->issued[i] = run->served[i] = 0;
    run->current[i] = chain->connection[i].first_item;
    run->posted[i] = 0;
    run->unposted[i] = false;
  }
  for (int i = 0; i < chain->n_senders; i++) {
    run->rank_item[i] = chain->sender[i].first_item;
    run->arrived[i] = run->posted_any[i] = 0;
    run->waits[i] = run->turn[i] = -1;
  }
  list_turns(run, chain);
  for (int i = 0; chain->n_turns > 0 && i < chain->n_items; i++) run->came[i] = INFINITY;
}

static void wake(flow_run_t *run, int sender, int connection)
{
  if (sender < 0 || (run->waits[sender] != connection && run->waits[sender] != FLOW_ANY)) return;
  run->waits[sender] = -1;
  run->ready[run->n_ready++] = sender;
}

/* A rank looks which turn is next when nothing else happens any more at this time. */
static void serve_next(flow_run_t *run, int sender)
{
  run->waits[sender] = TURN_SOON;
  run->serving[run->n_serving++] = sender;
}

/* The receiver sees the send that a connection serves. If it waits for its next turn, it looks
 * again. */
static void announce(flow_run_t *run, const flow_chain_t *chain, int connection)
{
  int item = run->current[connection], receiver = chain->connection[connection].receiver;
  if (chain->n_turns == 0 || run->came[item] < INFINITY) return;
  run->came[item] = run->time;
  if (receiver >= 0 && run->waits[receiver] == TURN) serve_next(run, receiver);
}

/* The send that a connection serves has been delivered: those who wait for it look again. */
static void count_delivery(flow_run_t *run, const flow_chain_t *chain, int connection)
{
  const flow_item_t *item = &chain->item[run->current[connection]];
  announce(run, chain, connection);
  run->end[item->kind] = run->time;
  run->current[connection] = item->next;
  run->served[connection]++;
  const flow_kind_t *kind = &chain->kind[item->kind];
  int receiver = chain->connection[connection].receiver;
  run->left[kind->member]--;
  if (receiver >= 0 && kind->volume > 0) run->arrived[receiver] += item->times * kind->messages;
  wake(run, chain->connection[connection].sender, connection);
  wake(run, receiver, connection);
}

/* Whether the connection's next send waits for its receive. */
static bool is_unposted(const flow_run_t *run, const flow_chain_t *chain, int connection)
{
  double receives = chain->item[run->current[connection]].receives;
  int receiver = chain->connection[connection].receiver;
  return receives > 0 && receives > run->posted[connection] + run->posted_any[receiver];
}

/* Starts the connection's next send, if there is one and it needn't wait. Sends without limits end
 * at once. */
static void serve(flow_run_t *run, flow_net_t *net, const flow_chain_t *chain, int connection)
{
  while (run->served[connection] < run->issued[connection]) {
    const flow_item_t *item = &chain->item[run->current[connection]];
    if (item->receives > 0) announce(run, chain, connection);
    run->unposted[connection] = is_unposted(run, chain, connection);
    if (run->unposted[connection]) return;
    int f = item->kind;
    if (net->first_use[f] < net->first_use[f + 1]) {
      run->remaining[f] = item->times * chain->kind[f].volume;
      run->shares.state[f] = FLOW_ACTIVE;
      run->shares.rate[f] = 0;
      run->shares.active[run->shares.n_active++] = f;
      flow_net_activate(net, f);
      return;
    }
    count_delivery(run, chain, connection);
  }
}

/* A rank posts receives: sends that waited for them start. */
static void post(flow_run_t *run, flow_net_t *net, const flow_chain_t *chain,
                 const flow_item_t *item, int sender)
{
  int connection = item->connection;
  if (connection == FLOW_ANY) {
    run->posted_any[sender] += item->times;
    for (int c = chain->sender[sender].first_in; c >= 0; c = chain->connection[c].next_in)
      if (run->unposted[c]) serve(run, net, chain, c);
  } else if (connection != FLOW_NONE) {
    run->posted[connection] += item->times;
    if (run->unposted[connection]) serve(run, net, chain, connection);
  }
}

/* Where the list has the turn whose message came first; of several at once the one that was
 * recorded first. NULL: none has come. */
static int *first_come(flow_run_t *run, const flow_chain_t *chain, const flow_item_t *service)
{
  int *first = NULL;
  double at = INFINITY;
  for (int *link = &run->first_left[service->next]; *link >= 0; link = &run->next_left[*link]) {
    int announced = chain->turn[*link].announced;
    double came = announced < 0 ? 0 : run->came[announced];
    bool earlier = came < at || (first && came == at && *link < *first);
    if (!earlier) continue;
    first = link;
    at = came;
  }
  return first;
}

/* A rank takes the turn at a place in the list. The source's next one takes its place. */
static void take(flow_run_t *run, const flow_chain_t *chain, int sender, int *link)
{
  int turn = *link, next = chain->turn[turn].next;
  *link = next < 0 ? run->next_left[turn] : next;
  if (next >= 0) run->next_left[next] = run->next_left[turn];
  run->turn[sender] = turn;
  run->rank_item[sender] = chain->turn[turn].first_item;
}

/* After a turn the rank returns to where it takes them. */
static void end_turn(flow_run_t *run, const flow_chain_t *chain, int sender)
{
  const flow_turn_t *turn = &chain->turn[run->turn[sender]];
  if (run->rank_item[sender] != turn->end_item) return;
  run->turn[sender] = -1;
  run->rank_item[sender] = turn->service;
}

/* Whether a rank must wait after an item, or at it. */
static bool holds(const flow_run_t *run, const flow_item_t *item, int sender)
{
  if (item->kind == FLOW_POST || item->connection == FLOW_NONE) return false;
  if (item->connection == FLOW_ANY) return run->arrived[sender] < item->times;
  int served = run->served[item->connection];
  if (item->kind < 0 && item->delivered != FLOW_ALL) return served < item->delivered;
  return (item->kind < 0 || item->blocking) && served < run->issued[item->connection];
}

/* Lets a rank go on until an item holds it or none is left. A rank that looks again begins with the
 * item that held it. */
static void issue(flow_run_t *run, flow_net_t *net, const flow_chain_t *chain, int sender)
{
  const flow_sender_t *s = &chain->sender[sender];
  int *at = &run->rank_item[sender], last = s[1].first_item;
  for (;;) {
    if (run->turn[sender] >= 0) end_turn(run, chain, sender);
    if (*at == last) return;
    const flow_item_t *item = &chain->item[(*at)++];
    if (item->kind == FLOW_SERVE) {
      serve_next(run, sender);
      return;
    }
    if (item->kind == FLOW_POST) post(run, net, chain, item, sender);
    if (item->kind >= 0 && run->served[item->connection] == run->issued[item->connection]++)
      serve(run, net, chain, item->connection);
    if (!holds(run, item, sender)) continue;
    run->waits[sender] = item->connection;
    return;
  }
}

/* Whether the item before the sender's next one still holds it. */
static bool still_held(flow_run_t *run, const flow_chain_t *chain, int sender)
{
  const flow_item_t *item = &chain->item[run->rank_item[sender] - 1];
  if (!holds(run, item, sender)) return false;
  run->waits[sender] = item->connection;
  return true;
}

static void issue_ready(flow_run_t *run, flow_net_t *net, const flow_chain_t *chain)
{
  while (run->n_ready > 0) {
    int sender = run->ready[--run->n_ready];
    if (!still_held(run, chain, sender)) issue(run, net, chain, sender);
  }
}

/* A rank takes its next turn, or goes on after the last one. Returns false if none has come. */
static bool take_next(flow_run_t *run, const flow_chain_t *chain, int sender)
{
  const flow_item_t *service = &chain->item[run->rank_item[sender] - 1];
  bool left = run->first_left[service->next] >= 0;
  int *first = first_come(run, chain, service);
  if (first)
    take(run, chain, sender, first);
  else if (!left)
    run->rank_item[sender] = chain->turn[service->next + service->delivered - 1].end_item;
  return first || !left;
}

static void take_turns(flow_run_t *run, flow_net_t *net, const flow_chain_t *chain)
{
  while (run->n_serving > 0) {
    int sender = run->serving[--run->n_serving];
    bool goes_on = take_next(run, chain, sender);
    run->waits[sender] = goes_on ? -1 : TURN;
    if (goes_on) issue(run, net, chain, sender);
    issue_ready(run, net, chain);
  }
}

/* If all wait for one another, the rank that has got least far goes on: the recorded programs don't
 * fit together, or the rounds in which loops are played don't. Returns false if nobody waits. */
static bool release(flow_run_t *run, flow_net_t *net, const flow_chain_t *chain)
{
  int found = -1;
  double least = 2;
  for (int i = 0; i < chain->n_senders; i++) {
    const flow_sender_t *s = &chain->sender[i];
    double done = (double)(run->rank_item[i] - s->first_item) / (s[1].first_item - s->first_item);
    if (run->waits[i] == -1 || done >= least) continue;
    least = done;
    found = i;
  }
  if (found < 0) return false;
  run->waits[found] = -1;
  const flow_item_t *item = &chain->item[run->rank_item[found] - 1];
  if (item->kind == FLOW_SERVE) take(run, chain, found, &run->first_left[item->next]);
  issue(run, net, chain, found);
  issue_ready(run, net, chain);
  take_turns(run, net, chain);
  return true;
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
static int advance(flow_run_t *run, flow_net_t *net, const flow_chain_t *chain, double dt)
{
  flow_shares_t *s = &run->shares;
  int n_ended = 0, kept = 0;
  run->time += dt;
  count_busy(run, net, dt);
  for (int i = 0; i < s->n_active; i++) {
    int f = s->active[i];
    if (s->by[f] >= 0) run->held_by[s->by[f]] += dt;
    run->remaining[f] -= s->rate[f] * dt;
    const flow_item_t *item = &chain->item[run->current[chain->kind[f].connection]];
    if (run->remaining[f] > nothing * item->times * chain->kind[f].volume) {
      s->active[kept++] = f;
      continue;
    }
    s->state[f] = FLOW_IDLE;
    flow_net_deactivate(net, f);
    run->ended[n_ended++] = f;
  }
  s->n_active = kept;
  return n_ended;
}

static void pass(flow_run_t *run, const flow_chain_t *chain)
{
  while (run->passed < chain->n_members && run->left[run->passed] == 0) run->passed++;
}

int flow_start(flow_run_t *run, flow_net_t *net, const flow_chain_t *chain, int n_resources,
               berth_error_t *err)
{
  if (reserve(run, net, chain, n_resources, err)) return BERTH_MISSING;
  reset(run, net, chain, n_resources);
  for (int i = 0; i < chain->n_senders; i++) issue(run, net, chain, i);
  issue_ready(run, net, chain);
  take_turns(run, net, chain);
  pass(run, chain);
  return BERTH_OK;
}

void flow_continue(flow_run_t *run, flow_net_t *net, const flow_chain_t *chain, int n_resources,
                   int members, int exact)
{
  for (int r = 0; r < n_resources; r++) run->busy[r] = 0;
  while (run->passed < members) {
    if (run->shares.n_active == 0) {
      if (!release(run, net, chain)) return;
      pass(run, chain);
      continue;
    }
    bool stepping = many_end(run, exact);
    flow_share(net, &run->shares, run->ceiling, stepping ? make_ceilings(run) : 0);
    run->steps++;
    int n = advance(run, net, chain, stepping ? run->step : until_next_end(run));
    for (int i = 0; i < n; i++) {
      int connection = chain->kind[run->ended[i]].connection;
      count_delivery(run, chain, connection);
      serve(run, net, chain, connection);
      issue_ready(run, net, chain);
    }
    take_turns(run, net, chain);
    pass(run, chain);
  }
}
