/* SPDX-License-Identifier: BSD-3-Clause */
/* Model flow with recorded programs: ranks that wait for messages and for one another. */
#include "cost/flow_machines.h"
#include "cost/slow_flow.h"

/* Steps of a program. */
#define SEND(to, size)                                                                             \
  {                                                                                                \
    to, 0, size, 1, BERTH_STEP_SEND, 0, 0                                                          \
  }
#define SEND_WAIT(to, size)                                                                        \
  {                                                                                                \
    to, 1, size, 1, BERTH_STEP_SEND, 0, 0                                                          \
  }
#define RECEIVE(from, times)                                                                       \
  {                                                                                                \
    from, 0, 0, times, BERTH_STEP_RECEIVE, 0, 0                                                    \
  }
#define SENT(to)                                                                                   \
  {                                                                                                \
    to, 0, 0, 1, BERTH_STEP_SENT, 0, 0                                                             \
  }
#define MEET(comm)                                                                                 \
  {                                                                                                \
    comm, 0, 0, 1, BERTH_STEP_MEET, 0, 0                                                           \
  }
#define FROM(comm, root)                                                                           \
  {                                                                                                \
    comm, 0, 0, 1, BERTH_STEP_FROM_ROOT, root, 0                                                   \
  }
#define TO(comm, root)                                                                             \
  {                                                                                                \
    comm, 0, 0, 1, BERTH_STEP_TO_ROOT, root, 0                                                     \
  }
#define LOOP(times, steps)                                                                         \
  {                                                                                                \
    0, 0, 0, times, BERTH_STEP_LOOP, 0, steps                                                      \
  }
#define ANY BERTH_ANY_RANK

enum { MOST_STEPS = 12 };

/* Counts what an order sends, as messages. */
static void add_messages(berth_pattern_t *p, int src, const berth_step_t *s, size_t n,
                         uint64_t repeats)
{
  for (size_t i = 0; i < n; i++) {
    if (s[i].kind == BERTH_STEP_LOOP) {
      add_messages(p, src, s + i + 1, s[i].steps, repeats * s[i].times);
      i += s[i].steps;
    } else if (s[i].kind == BERTH_STEP_SEND) {
      uint64_t count = s[i].times * repeats;
      berth_message_t m = {0, 0, src, s[i].peer, s[i].size, count, s[i].size * count};
      assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
    }
  }
}

static void add_program(berth_pattern_t *p, int src, const berth_step_t *s, size_t n)
{
  berth_error_t err = {0};
  berth_order_t order = {0, src, 1, n, s};
  add_messages(p, src, s, n, 1);
  if (berth_pattern_add_order(p, &order, &err)) fail_msg("%s", err.text);
}

/* Communicator 1 has the ranks 0 to 3. */
static berth_pattern_t *new_pattern(void)
{
  static const int first_four[] = {3, 1, 0, 2};
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  assert_int_equal(berth_pattern_add_comm(p, &(berth_comm_t){1, 4, first_four}, NULL), BERTH_OK);
  return p;
}

/* Hosts with links of 100 B/s in each direction, one rank on each: a message of 100 bytes takes
 * 1 s. */
static const machine_t star = {8, {100, 100, 100, 100, 100, 100, 100, 100}, 0, 0};

static const struct {
  const char *name;
  berth_step_t steps[4][MOST_STEPS]; /* of ranks 0 to 3 */
  double cost, tolerance;            /* relative */
} cases[] = {
    /* Without the receive, rank 1 would send from the beginning: 1 s */
    {"one after the other",
     {{SEND(1, 100)}, {RECEIVE(0, 1), SEND(2, 100)}, {RECEIVE(1, 1), SEND(3, 100)}},
     3,
     1e-12},
    {"ping-pong, 5 rounds",
     {{LOOP(5, 2), SEND(1, 100), RECEIVE(1, 1)}, {LOOP(5, 2), RECEIVE(0, 1), SEND(0, 100)}},
     10,
     1e-12},
    /* More rounds than are played */
    {"ping-pong, 1,000 rounds",
     {{LOOP(1000, 2), SEND(1, 100), RECEIVE(1, 1)}, {LOOP(1000, 2), RECEIVE(0, 1), SEND(0, 100)}},
     2000,
     1e-9},
    /* The same ranks, one of them with its first round apart */
    {"ping-pong, folded otherwise",
     {{LOOP(1000, 2), SEND(1, 100), RECEIVE(1, 1)},
      {RECEIVE(0, 1), SEND(0, 100), LOOP(999, 2), RECEIVE(0, 1), SEND(0, 100)}},
     2000,
     0.01},
    /* 1,000 messages through three links: the last one leaves after 1,000 s and needs 2 s more.
     * 16 rounds of 62.5 messages would take 1,125 s */
    {"pipeline",
     {{LOOP(1000, 1), SEND_WAIT(1, 100)},
      {LOOP(1000, 2), RECEIVE(0, 1), SEND_WAIT(2, 100)},
      {LOOP(1000, 2), RECEIVE(1, 1), SEND_WAIT(3, 100)}},
     1002,
     1e-9},
    /* Loops in a loop: the pipeline runs empty between them; 10 * (100 + 2) */
    {"pipeline that runs empty",
     {{LOOP(10, 3), LOOP(100, 1), SEND_WAIT(1, 100), RECEIVE(3, 1)},
      {LOOP(10, 3), LOOP(100, 2), RECEIVE(0, 1), SEND_WAIT(2, 100)},
      {LOOP(10, 3), LOOP(100, 2), RECEIVE(1, 1), SEND_WAIT(3, 100)},
      {LOOP(10, 2), RECEIVE(2, 100), SEND(0, 0)}},
     1020,
     1e-9},
    /* A long message beside: both leave rank 0 by one link, 500 bytes each at half its rate */
    {"beside a loop",
     {{SEND(2, 50000), LOOP(500, 2), SEND(1, 100), RECEIVE(1, 1)},
      {LOOP(500, 2), RECEIVE(0, 1), SEND(0, 0)}},
     1000,
     0.01},
    /* Rank 0 waits for what it sent before it goes on: 1 + 1 + 1 */
    {"sent", {{SEND(1, 100), SENT(1), SEND(2, 100), SENT(2), SEND(3, 100)}}, 3, 1e-12},
    {"nothing sent to wait for", {{SENT(3), SEND(1, 100)}}, 1, 1e-12},
    /* The first message to arrive is rank 2's, after 1 s; rank 1's takes 2 s. Rank 0's 200 bytes
     * go from 1 s on, at first beside rank 1's to rank 3 */
    {"any rank",
     {{RECEIVE(ANY, 1), SEND(3, 200)}, {SEND(3, 100), SEND(0, 100)}, {SEND(0, 50)}},
     3.5,
     1e-12},
    {"all of any rank",
     {{RECEIVE(ANY, 3), SEND(3, 200)}, {SEND(0, 50)}, {SEND(0, 100)}, {SEND(0, 50)}},
     4,
     1e-12},
    /* Rank 0 has taken rank 1's message, so any rank's is another one */
    {"one rank, then any",
     {{RECEIVE(1, 1), RECEIVE(ANY, 1), SEND(3, 100)}, {SEND(0, 50)}, {SEND(0, 150)}},
     3,
     1e-12},
    /* Rank 0's message is over after 3 s, then all go on */
    {"meeting",
     {{SEND_WAIT(1, 300), MEET(1), SEND(1, 100)}, {MEET(1), SEND(2, 100)}, {MEET(1)}, {MEET(1)}},
     4,
     1e-12},
    {"meetings in a loop, 1,000 times",
     {{LOOP(1000, 2), SEND_WAIT(1, 100), MEET(1)},
      {LOOP(1000, 2), MEET(1), SEND_WAIT(2, 100)},
      {LOOP(1000, 1), MEET(1)},
      {LOOP(1000, 2), SEND_WAIT(0, 200), MEET(1)}},
     2001,
     1e-9},
    /* Communicator 1 has its ranks in another order than they have in MPI_COMM_WORLD */
    {"from a root: only it has to come",
     {{SEND_WAIT(1, 300), FROM(1, 2), SEND(1, 100)},
      {FROM(1, 2), SEND(2, 500)},
      {FROM(1, 2), SEND(3, 100)},
      {FROM(1, 2)}},
     5,
     1e-12},
    {"from a root: it comes late",
     {{FROM(1, 2), SEND(1, 100)}, {FROM(1, 2)}, {SEND_WAIT(3, 300), FROM(1, 2)}, {FROM(1, 2)}},
     4,
     1e-12},
    {"to a root: it waits for all",
     {{SEND_WAIT(1, 300), TO(1, 2)}, {TO(1, 2)}, {TO(1, 2), SEND(3, 100)}, {TO(1, 2)}},
     4,
     1e-12},
    {"to a root: others don't wait",
     {{SEND_WAIT(1, 300), TO(1, 2)}, {TO(1, 2), SEND(2, 300)}, {TO(1, 2)}, {TO(1, 2)}},
     3,
     1e-12},
    /* One of the members has no such call: nobody is held up */
    {"meeting without a member",
     {{SEND_WAIT(1, 300), MEET(1)}, {MEET(1), SEND(2, 100)}, {MEET(1)}, {SEND(2, 0)}},
     3,
     1e-12},
    /* Messages that never come: the programs don't fit together. Each goes on when nothing else
     * happens */
    {"both wait", {{RECEIVE(1, 1), SEND(1, 100)}, {RECEIVE(0, 1), SEND(0, 100)}}, 2, 1e-12},
    {"a message of an earlier phase", {{RECEIVE(3, 5), SEND(1, 100)}}, 1, 1e-12},
};

static size_t n_steps(const berth_step_t *s)
{
  size_t n = 0;
  while (n < MOST_STEPS && s[n].times) n++;
  return n;
}

static void closed_forms(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_topo_t *t = make_machine(&star);
    berth_pattern_t *p = new_pattern();
    for (int r = 0; r < 4; r++)
      if (n_steps(cases[i].steps[r]))
        add_program(p, r, cases[i].steps[r], n_steps(cases[i].steps[r]));
    assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
    double cost = cost_of(p, t, BERTH_MODEL_FLOW, in_order(t));
    if (fabs(cost - cases[i].cost) > cases[i].tolerance * cases[i].cost)
      FAIL_ROW(cases[i].name, "found %.17g, expected %.17g", cost, cases[i].cost);
    if (cost < cost_of(p, t, BERTH_MODEL_BOUND, in_order(t)) * (1 - 1e-9))
      FAIL_ROW(cases[i].name, "less than bound");
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* --- a slow simulation -------------------------------------------------------------------------
 */

/* What a rank of a slow program has done. `flow` are its sends. */
typedef struct slow_rank {
  const berth_step_t *steps; /* without loops */
  size_t n, at;
  int flow; /* its next send */
  int needed[RANKS], needed_in_all, visits[2];
} slow_rank_t;

typedef struct slow_program {
  slow_rank_t rank[RANKS];
  slow_flow_t flow[MOST_FLOWS];
  int n;
} slow_program_t;

static int delivered(const slow_program_t *x, int src, int dst)
{
  int n = 0;
  for (int i = 0; i < x->n; i++)
    n += x->flow[i].dst == dst && (src == ANY || x->flow[i].src == src) && x->flow[i].left == 0;
  return n;
}

static bool all_sent(const slow_program_t *x, int src, int dst)
{
  for (int i = 0; i < x->n; i++)
    if (x->flow[i].src == src && x->flow[i].dst == dst && !x->flow[i].held && x->flow[i].left > 0)
      return false;
  return true;
}

static int members(int comm) { return comm ? 4 : RANKS; }

/* Whether a rank that has come to a step may go on. */
static bool may_pass(const slow_program_t *x, int rank, const berth_step_t *s)
{
  const slow_rank_t *me = &x->rank[rank];
  bool all = s->kind == BERTH_STEP_MEET || (s->kind == BERTH_STEP_TO_ROOT && s->root == rank);
  switch (s->kind) {
  case BERTH_STEP_SEND:
    return !s->blocking || all_sent(x, rank, s->peer);
  case BERTH_STEP_SENT:
    return all_sent(x, rank, s->peer);
  case BERTH_STEP_RECEIVE:
    return s->peer == ANY ? delivered(x, ANY, rank) >= me->needed_in_all
                          : delivered(x, s->peer, rank) >= me->needed[s->peer];
  default:
    for (int r = 0; r < members(s->peer); r++)
      if ((all || (s->kind == BERTH_STEP_FROM_ROOT && r == s->root)) &&
          x->rank[r].visits[s->peer] < me->visits[s->peer])
        return false;
    return true;
  }
}

/* The rank comes to its next step. */
static void arrive(slow_program_t *x, int rank)
{
  slow_rank_t *me = &x->rank[rank];
  const berth_step_t *s = &me->steps[me->at++];
  if (s->kind == BERTH_STEP_SEND) x->flow[me->flow++].held = false;
  if (s->kind == BERTH_STEP_RECEIVE && s->peer != ANY) me->needed[s->peer] += (int)s->times;
  if (s->kind == BERTH_STEP_RECEIVE) me->needed_in_all += (int)s->times;
  if (s->kind >= BERTH_STEP_MEET) me->visits[s->peer]++;
}

/* Lets all ranks go as far as they can. */
static void go_on(slow_program_t *x, double time)
{
  for (bool moved = true; moved;) {
    moved = false;
    slow_end_free(x->flow, x->n, time);
    for (int r = 0; r < RANKS; r++) {
      slow_rank_t *me = &x->rank[r];
      if (me->at == me->n || (me->at > 0 && !may_pass(x, r, &me->steps[me->at - 1]))) continue;
      arrive(x, r);
      moved = true;
    }
  }
}

static double slow_program_cost(slow_program_t *x, const berth_topo_t *t, const int *pu_of_rank)
{
  double time = 0;
  x->n = 0;
  for (int r = 0; r < RANKS; r++) {
    x->rank[r].flow = x->n;
    for (size_t i = 0; i < x->rank[r].n; i++) {
      const berth_step_t *s = &x->rank[r].steps[i];
      if (s->kind != BERTH_STEP_SEND) continue;
      assert_in_range(x->n, 0, MOST_FLOWS - 1);
      x->flow[x->n++] = slow_message(t, r, s->peer, (double)s->size, pu_of_rank);
    }
  }
  do go_on(x, time);
  while (slow_step(t, x->flow, x->n, &time));
  for (int r = 0; r < RANKS; r++) assert_int_equal(x->rank[r].at, x->rank[r].n);
  return time;
}

/* --- random programs that end ------------------------------------------------------------------
 */

enum { EVENTS = 14, MOST_PROGRAM = 200 };

typedef struct programs {
  berth_step_t step[RANKS][MOST_PROGRAM];
  size_t n[RANKS];
} programs_t;

static void add_step(programs_t *x, int rank, berth_step_t s)
{
  assert_in_range(x->n[rank], 0, MOST_PROGRAM - 1);
  x->step[rank][x->n[rank]++] = s;
}

/* Something that happens, with all that it needs: each step's conditions are met by what other
 * ranks do in earlier events. */
static void add_event(programs_t *x, dice_t *d)
{
  int src = roll(d, RANKS), dst = roll(d, RANKS), comm = roll(d, 2);
  int kind = roll(d, 12), root = roll(d, members(comm));
  if (kind < 8) {
    uint64_t size = roll(d, 5) ? 1 + (uint64_t)roll(d, 2000) : 0;
    add_step(x, src, (berth_step_t){dst, roll(d, 2), size, 1, BERTH_STEP_SEND, 0, 0});
    if (kind < 2) add_step(x, src, (berth_step_t){dst, 0, 0, 1, BERTH_STEP_SENT, 0, 0});
    if (kind > 0)
      add_step(x, dst, (berth_step_t){kind == 2 ? ANY : src, 0, 0, 1, BERTH_STEP_RECEIVE, 0, 0});
    return;
  }
  berth_step_kind_t call = kind == 8   ? BERTH_STEP_FROM_ROOT
                           : kind == 9 ? BERTH_STEP_TO_ROOT
                                       : BERTH_STEP_MEET;
  if (call == BERTH_STEP_MEET) root = 0;
  for (int r = 0; r < members(comm); r++)
    add_step(x, r, (berth_step_t){comm, 0, 0, 1, call, root, 0});
}

/* A prologue, a loop whose body all ranks do equally often, and an epilogue; and the same without
 * the loop. */
static void random_programs(uint64_t seed, programs_t *folded, programs_t *plain)
{
  dice_t d = {seed};
  int times = 1 + roll(&d, 4);
  size_t begin[RANKS];
  *folded = (programs_t){0};
  for (int i = roll(&d, 5); i > 0; i--) add_event(folded, &d);
  *plain = *folded;
  for (int r = 0; r < RANKS; r++) {
    begin[r] = folded->n[r];
    add_step(folded, r, (berth_step_t){0, 0, 0, (uint64_t)times, BERTH_STEP_LOOP, 0, 0});
  }
  for (int i = 1 + roll(&d, EVENTS); i > 0; i--) add_event(folded, &d);
  for (int r = 0; r < RANKS; r++) {
    size_t body = folded->step[r][begin[r]].steps = folded->n[r] - begin[r] - 1;
    for (int k = 0; k < times; k++)
      for (size_t i = 0; i < body; i++) add_step(plain, r, folded->step[r][begin[r] + 1 + i]);
    if (body == 0) folded->n[r]--;
  }
  for (int i = roll(&d, 5); i > 0; i--) {
    dice_t again = d;
    add_event(folded, &d);
    add_event(plain, &again);
  }
}

static void a_slow_simulation_agrees(void **state)
{
  (void)state;
  static programs_t folded, plain;
  static slow_program_t slow;
  int waits = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)rounds_of(300); seed++) {
    int pu_of_rank[RANKS];
    char name[32];
    snprintf(name, sizeof name, "seed %d", (int)seed);
    random_programs(seed, &folded, &plain);
    berth_topo_t *t = random_machine(seed, 1);
    berth_pattern_t *p = new_pattern(), *unordered = new_pattern();
    slow = (slow_program_t){0};
    for (int r = 0; r < RANKS; r++) {
      add_program(p, r, folded.step[r], folded.n[r]);
      add_messages(unordered, r, folded.step[r], folded.n[r], 1);
      slow.rank[r] = (slow_rank_t){.steps = plain.step[r], .n = plain.n[r]};
    }
    assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
    assert_int_equal(berth_pattern_finish(unordered, NULL), BERTH_OK);
    random_placement(seed, t, own_names, pu_of_rank);
    double cost = cost_of(p, t, BERTH_MODEL_FLOW, pu_of_rank);
    double expected = slow_program_cost(&slow, t, pu_of_rank);
    if (differ(cost, expected)) FAIL_ROW(name, "found %.17g, expected %.17g", cost, expected);
    waits += cost > 1.05 * cost_of(unordered, t, BERTH_MODEL_FLOW, pu_of_rank);
    berth_pattern_free(p);
    berth_pattern_free(unordered);
    berth_topo_free(t);
  }
  assert_in_range(waits, 20, 100000); /* else the programs show nothing */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(a_slow_simulation_agrees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
