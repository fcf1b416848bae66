/* SPDX-License-Identifier: BSD-3-Clause */
/* Agents and ranks beside each other in one process, on a network that is played: random programs
 * of collective calls, ranks that are far ahead of others, packets in any order, agents and ranks
 * that end. Each rank has the right results, each call ends, and nothing is left. Who hangs is seen
 * at once: nobody has anything to do. BERTH_TEST_SEED=N plays one world again. */
#include <stdbool.h>

#include "agent/process/call.h"
#include "agents/plans.h"
#include "agents/played_fabric.h"
#include "harness.h"

enum { MOST_MEMBERS = 3, MOST_RANKS = MOST_AGENTS * MOST_MEMBERS };
enum { MOST_GROUPS = 3, MOST_STREAMS = 2, MOST_LINES = MOST_GROUPS * (1 + MOST_STREAMS) };
enum { PATIENCE = 60 };

/* A communicator. Its places are in the order of hosts. */
typedef struct group {
  int hosts, agent[MOST_AGENTS], first[MOST_AGENTS + 1];
  int rank[MOST_RANKS]; /* at each place */
  uint32_t number[MOST_AGENTS];
  bool fails; /* an agent or a rank of it has ended */
} group_t;

/* Calls of a group, one after another: the ordinary ones, or those of a persistent request. */
typedef struct line {
  group_t *group;
  uint32_t stream;
  int n;
  plan_t *plan;
} line_t;

/* A rank's part in a line. */
typedef struct side {
  const line_t *line;
  int place, begun, over, ahead; /* calls; so many may be under way */
} side_t;

typedef struct under_way {
  side_t *side; /* NULL: the channel is free */
  int call;
  uint32_t end;
  desk_order_t order;
} under_way_t;

typedef struct player {
  int agent, local;
  desk_rank_t *desk;
  store_t store;
  bool ended;
  uint64_t slow; /* has one turn of so many */
  side_t side[MOST_LINES];
  int n_sides, n_under_way;
  under_way_t channel[DESK_CHANNELS];
} player_t;

static struct {
  uint64_t seed;
  int agents, players, groups, lines;
  agent_t agent[MOST_AGENTS];
  uint64_t slow[MOST_AGENTS];
  bool agent_ended[MOST_AGENTS], rank_ended[MOST_AGENTS]; /* itself, or a rank of its host */
  bool told[MOST_AGENTS];                                 /* of the agent that has ended */
  player_t player[MOST_RANKS];
  group_t group[MOST_GROUPS];
  line_t line[MOST_LINES];
} world;

#define FAIL_WORLD(...)                                                                            \
  do {                                                                                             \
    print_error("world %llu: ", (unsigned long long)world.seed);                                   \
    print_error(__VA_ARGS__);                                                                      \
    print_error("\n");                                                                             \
    fail();                                                                                        \
  } while (0)

static int random_to(int n) { return (int)network_random((uint64_t)n); }
static bool one_in(int n) { return random_to(n) == 0; }

/* --- ranks --- */

static bool has_room(const player_t *p)
{
  return atomic_load(&p->desk->tail) - atomic_load(&p->desk->head) < DESK_ORDERS;
}

static void order(player_t *p, const desk_order_t *o)
{
  uint32_t tail = atomic_load(&p->desk->tail);
  p->desk->order[tail % DESK_ORDERS] = *o;
  atomic_store(&p->desk->tail, tail + 1);
}

static int free_channel(const player_t *p)
{
  if (p->n_under_way == DESK_CHANNELS) return -1;
  int at = random_to(DESK_CHANNELS);
  while (p->channel[at].side) at = (at + 1) % DESK_CHANNELS;
  return at;
}

static int host_of(const group_t *g, int place)
{
  int h = 0;
  while (g->first[h + 1] <= place) h++;
  return h;
}

static void begin(player_t *p, side_t *s, int channel)
{
  static int64_t input[PLAN_WORDS];
  const group_t *g = s->line->group;
  const plan_t *plan = &s->line->plan[s->begun];
  under_way_t *u = &p->channel[channel];
  desk_order_t o = plan_order(plan);
  o.channel = (uint16_t)channel;
  o.structure = g->number[host_of(g, s->place)];
  o.stream = s->line->stream;
  o.call = (uint32_t)s->begun + 1;
  o.in_bytes = plan_input(plan, g->first[g->hosts], s->place, input) * sizeof *input;
  if (o.in_bytes <= DESK_SMALL) {
    o.flags = DESK_IN_LINE;
    memcpy(p->desk->channel[channel].with.data, input, o.in_bytes);
  } else {
    o.in = store_take(&p->store, o.in_bytes);
    assert_true(o.in > 0);
    memcpy(p->store.base + o.in, input, o.in_bytes);
  }
  *u = (under_way_t){s, s->begun++, atomic_load(&p->desk->channel[channel].done.value) + 1, o};
  p->n_under_way++;
  order(p, &o);
}

static void compare(const player_t *p, const under_way_t *u, const desk_channel_t *c)
{
  static int64_t expected[PLAN_WORDS];
  const line_t *line = u->side->line;
  const plan_t *plan = &line->plan[u->call];
  int all = line->group->first[line->group->hosts];
  size_t n = plan_result(plan, all, u->side->place, expected);
  const char *found = c->small ? c->with.data : world.agent[p->agent].store.base + c->with.out;
  if (n * sizeof *expected > DESK_SMALL && c->small)
    FAIL_WORLD("call %d, %s: a small result, %zu elements expected", u->call, plan_name(plan), n);
  if (memcmp(found, expected, n * sizeof *expected) != 0)
    FAIL_WORLD("call %d, %s, place %d of %d: another result", u->call, plan_name(plan),
               u->side->place, all);
}

static bool is_over(const player_t *p, int channel)
{
  const under_way_t *u = &p->channel[channel];
  return u->side && wait_word_over(&p->desk->channel[channel].done, u->end) && has_room(p);
}

static void take(player_t *p, int channel)
{
  under_way_t *u = &p->channel[channel];
  const desk_channel_t *c = &p->desk->channel[channel];
  if (c->code && !u->side->line->group->fails)
    FAIL_WORLD("call %d, %s: error %d", u->call, plan_name(&u->side->line->plan[u->call]), c->code);
  if (!c->code) compare(p, u, c);
  if (!c->code && !c->small)
    order(p, &(desk_order_t){.kind = DESK_TAKEN,
                             .structure = u->order.structure,
                             .stream = u->order.stream,
                             .call = u->order.call});
  store_give(&p->store, u->order.in, u->order.in_bytes);
  u->side->over++;
  u->side = NULL;
  p->n_under_way--;
}

static bool may_begin(const player_t *p, const side_t *s)
{
  return has_room(p) && s->begun < s->line->n && s->begun - s->over < s->ahead;
}

/* Some calls begin, and of those that are over all or some are taken. */
static bool play(player_t *p, int turns, bool takes_all)
{
  bool any = false;
  if (p->ended) return false;
  for (int i = 0; i < turns; i++) {
    side_t *s = &p->side[random_to(p->n_sides)];
    int channel = may_begin(p, s) ? free_channel(p) : -1;
    if (channel >= 0) begin(p, s, channel);
    any |= channel >= 0;
  }
  for (int i = 0, at = random_to(DESK_CHANNELS); i < DESK_CHANNELS && p->n_under_way > 0; i++) {
    int channel = (at + i) % DESK_CHANNELS;
    if (!is_over(p, channel) || (!takes_all && one_in(4))) continue;
    take(p, channel);
    any = true;
  }
  return any;
}

/* --- a world --- */

static void make_player(int agent, int local)
{
  player_t *p = &world.player[world.players++];
  static const uint64_t slow[] = {1, 1, 1, 10, 200};
  memset(p, 0, sizeof *p);
  p->agent = agent;
  p->local = local;
  p->slow = slow[random_to(COUNT(slow))];
  p->desk = desk_rank(world.agent[agent].desk, local);
  assert_true(store_new("berth-test-rank", &p->store));
  world.agent[agent].rank[local] =
      (rank_t){.desk = p->desk, .store = p->store.base, .name = p->store.name, .bell = -1};
}

static void make_agent(int number, int members)
{
  agent_t *a = &world.agent[number];
  char why[DESK_WHY];
  size_t bytes = (desk_bytes(members, world.agents) + 63) / 64 * 64;
  *a = (agent_t){.desk = aligned_alloc(64, bytes)};
  memset(a->desk, 0, bytes);
  a->desk->ranks = members;
  a->desk->agents = world.agents;
  a->desk->own_agent = number;
  const wire_user_t user = agent_work_user(a);
  assert_true(agent_work_begin(a) && store_new("berth-test-agent", &a->store));
  a->wire = wire_open(NULL, PATIENCE, &user, why);
  wire_address(a->wire, desk_address(a->desk, number));
  for (int i = 0; i < members; i++) make_player(number, i);
}

static void meet(void)
{
  char why[DESK_WHY];
  for (int i = 0; i < world.agents; i++) {
    agent_t *a = &world.agent[i];
    static const uint64_t slow[] = {1, 1, 10, 50};
    assert_true(
        wire_meet(a->wire, world.agents, i, desk_address(a->desk, 0), a->desk->secret, why));
    world.slow[i] = slow[random_to(COUNT(slow))];
  }
}

/* All ranks, or some of some hosts in any order. */
static void choose_members(group_t *g, bool all)
{
  int agent[MOST_AGENTS], n = 0;
  for (int i = 0; i < world.agents; i++) agent[i] = i;
  for (int i = world.agents - 1; i > 0; i--) {
    int k = random_to(i + 1), other = agent[k];
    agent[k] = agent[i];
    agent[i] = other;
  }
  g->hosts = all ? world.agents : 1 + random_to(world.agents);
  for (int h = 0; h < g->hosts; h++) {
    int before = n;
    g->agent[h] = agent[h];
    g->first[h] = n;
    for (int r = 0; r < world.players; r++)
      if (world.player[r].agent == agent[h] && (all || !one_in(3))) g->rank[n++] = r;
    for (int r = 0; n == before; r++)
      if (world.player[r].agent == agent[h]) g->rank[n++] = r;
  }
  g->first[g->hosts] = n;
}

/* A rank orders something about a structure, and has the answer. */
static uint32_t ask(int rank, desk_order_t o, const void *in, size_t bytes)
{
  player_t *p = &world.player[rank];
  desk_channel_t *c = &p->desk->channel[0];
  uint32_t end = atomic_load(&c->done.value) + 1;
  o.in = store_take(&p->store, bytes);
  memcpy(p->store.base + o.in, in, bytes);
  order(p, &o);
  agent_work_once(&world.agent[p->agent]);
  assert_true(wait_word_over(&c->done, end) && c->code == 0);
  store_give(&p->store, o.in, bytes);
  return (uint32_t)c->with.out;
}

static void open_structure(group_t *g, int host, double half)
{
  int members = g->first[host + 1] - g->first[host];
  struct {
    desk_structure_t head;
    int32_t lists[MOST_MEMBERS + 2 * MOST_AGENTS];
  } s = {.head = {.members = members, .hosts = g->hosts, .own_host = host, .half = half}};
  for (int i = 0; i < members; i++) s.lists[i] = world.player[g->rank[g->first[host] + i]].local;
  for (int h = 0; h < g->hosts; h++) {
    s.lists[members + h] = g->agent[h];
    s.lists[members + g->hosts + h] = g->first[h + 1] - g->first[h];
  }
  g->number[host] = ask(g->rank[g->first[host]], (desk_order_t){.kind = DESK_OPEN}, &s, sizeof s);
}

static void make_group(group_t *g, bool all)
{
  static const double halves[] = {0, 1000, 100000};
  double half = halves[random_to(COUNT(halves))];
  *g = (group_t){0};
  choose_members(g, all);
  for (int h = 0; h < g->hosts; h++) open_structure(g, h, half);
  for (int h = 0; h < g->hosts; h++)
    ask(g->rank[g->first[h]], (desk_order_t){.kind = DESK_PEERS, .structure = g->number[h]},
        g->number, sizeof g->number);
}

/* `far`: calls that ranks may have under way. */
static void make_line(group_t *g, uint32_t stream, int n, int far, plan_kind_t kind)
{
  line_t *line = &world.line[world.lines++];
  int all = g->first[g->hosts];
  *line = (line_t){g, stream, n, calloc((size_t)n, sizeof(plan_t))};
  for (int i = 0; i < n; i++) {
    line->plan[i] = stream && i ? line->plan[0] : plan_make(kind, all, network_random);
    line->plan[i].salt = network_random(UINT64_MAX);
  }
  for (int place = 0; place < all; place++) {
    player_t *p = &world.player[g->rank[place]];
    p->side[p->n_sides++] = (side_t){.line = line, .place = place, .ahead = one_in(4) ? 1 : far};
  }
}

static void make_hosts(void)
{
  world.agents = 2 + random_to(MOST_AGENTS - 1);
  for (int i = 0; i < world.agents; i++) {
    world.agent_ended[i] = world.rank_ended[i] = world.told[i] = false;
    make_agent(i, 1 + random_to(MOST_MEMBERS));
  }
  meet();
}

static void make_programs(void)
{
  int groups = 1 + random_to(MOST_GROUPS), n = 50 << random_to(5);
  for (int i = 0; i < groups; i++) {
    make_group(&world.group[world.groups++], i == 0);
    const int far[] = {1, 8, (DESK_CHANNELS - MOST_LINES) / groups};
    make_line(&world.group[i], 0, n, far[random_to(COUNT(far))],
              (plan_kind_t)random_to(PLAN_KINDS));
    for (uint32_t k = (uint32_t)random_to(MOST_STREAMS + 1); k > 0; k--)
      make_line(&world.group[i], k, 1 + n / 10, 1, PLAN_ANY);
  }
}

/* All ranks begin all calls at once, but for the root, which begins when others have nothing to do
 * any more, or long after. Some calls are of all kinds. */
static void make_late_root(void)
{
  const int n = DESK_CHANNELS - MOST_LINES;
  group_t *g = &world.group[world.groups++];
  make_group(g, true);
  make_line(g, 0, n, n, one_in(2) ? PLAN_DOWN : PLAN_UP);
  int others = random_to(2) * random_to(8); /* at the beginning, or all over */
  for (int i = 0, step = one_in(2) ? 1 : n / 8; i < others; i++)
    world.line[0].plan[i * step] =
        plan_make(one_in(2) ? PLAN_ANY : PLAN_MEET, g->first[g->hosts], network_random);
  int root = world.line[0].plan[n - 1].root;
  for (int place = 0; place < g->first[g->hosts]; place++) {
    player_t *p = &world.player[g->rank[place]];
    p->side[0].ahead = n;
    p->slow = place == root ? 1000 : 1;
  }
}

static void make_world(uint64_t seed)
{
  world.seed = seed;
  world.players = world.groups = world.lines = 0;
  network_begin(seed);
  make_hosts();
  if (one_in(4))
    make_late_root();
  else
    make_programs();
}

/* --- ends --- */

static void fail_groups(int agent, int rank)
{
  for (int i = 0; i < world.groups; i++) {
    group_t *g = &world.group[i];
    for (int k = 0; k < g->first[g->hosts]; k++)
      g->fails |= g->rank[k] == rank || world.player[g->rank[k]].agent == agent;
  }
}

/* Its ranks have nobody who serves them: they end, too. */
static void end_agent(int agent)
{
  world.agent_ended[agent] = world.rank_ended[agent] = true;
  network_end_agent(agent);
  fail_groups(agent, -1);
  for (int i = 0; i < world.players; i++) world.player[i].ended |= world.player[i].agent == agent;
}

static void end_rank(int rank)
{
  player_t *p = &world.player[rank];
  p->ended = world.rank_ended[p->agent] = true;
  fail_groups(-1, rank);
  structure_fail_rank(&world.agent[p->agent], p->local);
}

static void tell_of_ended(int agent)
{
  for (int i = 0; i < world.agents && !world.told[agent]; i++) {
    if (!world.agent_ended[i] || world.agent_ended[agent]) continue;
    world.told[agent] = true;
    network_tell_lost(agent, i);
  }
}

/* --- the course of a world --- */

static bool all_over(void)
{
  bool over = true;
  for (int i = 0; i < world.players; i++)
    for (int k = 0; k < world.player[i].n_sides; k++)
      over &=
          world.player[i].ended || world.player[i].side[k].over == world.player[i].side[k].line->n;
  return over;
}

static void turn(void)
{
  int agent = random_to(world.agents), rank = random_to(world.players);
  if (network_random(world.slow[agent]) == 0 && !world.agent_ended[agent])
    agent_work_once(&world.agent[agent]);
  if (network_random(world.player[rank].slow) == 0)
    play(&world.player[rank], 1 + random_to(50), one_in(2));
  if (one_in(100)) tell_of_ended(agent);
}

/* Until nobody has anything to do. */
static void drain(void)
{
  network_hurry();
  for (int i = 0; i < world.agents; i++) tell_of_ended(i);
  for (bool any = true; any;) {
    any = false;
    for (int i = 0; i < world.players; i++) any |= play(&world.player[i], 1000, true);
    for (int i = 0; i < world.agents; i++)
      any |= !world.agent_ended[i] && agent_work_once(&world.agent[i]);
  }
}

static void check_over(void)
{
  for (int i = 0; i < world.players; i++) {
    const player_t *p = &world.player[i];
    for (int k = 0; k < p->n_sides && !p->ended; k++) {
      const side_t *s = &p->side[k];
      if (s->over == s->line->n) continue;
      FAIL_WORLD("it hangs: rank %d has ended %d and begun %d of %d calls of group %td, stream %u; "
                 "then comes %s",
                 i, s->over, s->begun, s->line->n, s->line->group - world.group, s->line->stream,
                 plan_name(&s->line->plan[s->over]));
    }
  }
}

static void close_structures(void)
{
  for (int i = 0; i < world.groups; i++) {
    const group_t *g = &world.group[i];
    for (int place = 0; place < g->first[g->hosts]; place++) {
      player_t *p = &world.player[g->rank[place]];
      const desk_order_t o = {.kind = DESK_CLOSE, .structure = g->number[host_of(g, place)]};
      if (!p->ended) order(p, &o);
    }
  }
  drain();
}

/* What an agent has after its ranks have closed everything. If one of them has ended, structures
 * stay: their agent ends with the last one. */
static void check_left(const agent_t *a)
{
  if (a->under_way > 0) FAIL_WORLD("%d calls are under way after the end", a->under_way);
  for (int i = 0; i < DESK_STRUCTURES; i++)
    if (a->structure[i].open) FAIL_WORLD("a structure is open after the end");
}

/* The memory of agents that stopped in the middle of something, for who looks for leaks. */
static void keep(const agent_t *a)
{
  static agent_t kept[1000];
  static size_t n;
  kept[n++ % COUNT(kept)] = *a;
}

static void unmake_world(void)
{
  for (int i = 0; i < world.players; i++) store_free(&world.player[i].store);
  for (int i = 0; i < world.lines; i++) free(world.line[i].plan);
  for (int i = 0; i < world.agents; i++) {
    agent_t *a = &world.agent[i];
    if (!world.rank_ended[i]) check_left(a);
    wire_close(a->wire);
    store_free(&a->store);
    free(a->desk);
    if (world.rank_ended[i])
      keep(a);
    else
      agent_work_end(a);
  }
}

typedef enum ends { NOBODY_ENDS, AN_AGENT_ENDS, A_RANK_ENDS } ends_t;

static void play_world(uint64_t seed, ends_t ends)
{
  make_world(seed);
  int turns = 2000 << random_to(4), when = random_to(turns);
  for (int i = 0; i < turns && !all_over(); i++) {
    turn();
    if (i == when && ends == AN_AGENT_ENDS) end_agent(random_to(world.agents));
    if (i == when && ends == A_RANK_ENDS) end_rank(random_to(world.players));
  }
  drain();
  check_over();
  close_structures();
  unmake_world();
}

static void play_worlds(ends_t ends, int usual)
{
  const char *one = getenv("BERTH_TEST_SEED");
  for (int i = 0; i < rounds_of(usual) && !one; i++) play_world((uint64_t)i, ends);
  if (one) play_world(strtoull(one, NULL, 10), ends);
}

static void calls_end_with_the_right_results(void **state)
{
  (void)state;
  play_worlds(NOBODY_ENDS, 150);
}

static void calls_end_if_an_agent_ends(void **state)
{
  (void)state;
  play_worlds(AN_AGENT_ENDS, 50);
}

static void calls_end_if_a_rank_ends(void **state)
{
  (void)state;
  play_worlds(A_RANK_ENDS, 50);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(calls_end_with_the_right_results),
                                     cmocka_unit_test(calls_end_if_an_agent_ends),
                                     cmocka_unit_test(calls_end_if_a_rank_ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
