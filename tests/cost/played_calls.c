/* SPDX-License-Identifier: BSD-3-Clause */
/* Model flow with collective operations in recorded programs: their messages cost what they would
 * if the programs sent and received them, and each share of the cost has its place. */
#include "cost/flow_machines.h"

enum { MEMBERS = 4, MOST_ROUNDS = 4, MOST_SENDS = 8, MOST_STEPS = 512, MOST_EVENTS = 6 };

/* A message of a round. */
typedef struct sent {
  int src, dst;
  uint64_t size;
} sent_t;

typedef struct round {
  uint64_t times; /* rounds of a call that are like it */
  int n;
  sent_t message[MOST_SENDS];
} round_t;

/* A collective operation on the ranks 0 to 3 or, beside it, on 4 to 7 as well. */
enum { FIRST = 1, SECOND = 2, BOTH = FIRST | SECOND };
typedef struct operation {
  const char *name;
  int on; /* FIRST or BOTH */
  int n_rounds;
  round_t round[MOST_ROUNDS];
  uint64_t calls[2];
} operation_t;

typedef struct steps {
  size_t n;
  berth_step_t step[MOST_STEPS];
} steps_t;

static void add_step(steps_t *to, berth_step_t s)
{
  assert_true(to->n < MOST_STEPS);
  to->step[to->n++] = s;
}

/* What a rank does in a round: it sends, then waits for that and for what it gets. */
static void write_round(steps_t *to, const round_t *r, int rank)
{
  int first = rank / MEMBERS * MEMBERS;
  const berth_step_kind_t waits[] = {BERTH_STEP_SENT, BERTH_STEP_ARRIVED};
  for (uint64_t k = 0; k < r->times; k++) {
    for (int i = 0; i < r->n; i++)
      if (first + r->message[i].src == rank)
        add_step(to, (berth_step_t){first + r->message[i].dst, 0, r->message[i].size, 1});
    for (int w = 0; w < 2; w++)
      for (int i = 0; i < r->n; i++) {
        int waiting = w ? r->message[i].dst : r->message[i].src;
        int for_rank = w ? r->message[i].src : r->message[i].dst;
        if (first + waiting == rank)
          add_step(to, (berth_step_t){first + for_rank, 0, 0, 1, waits[w]});
      }
  }
}

static void write_call(steps_t *to, const operation_t *o, int rank)
{
  for (int i = 0; i < o->n_rounds; i++) write_round(to, &o->round[i], rank);
}

/* The same programs in two forms: with calls, and with their messages. */
typedef struct programs {
  steps_t called[RANKS], written[RANKS];
} programs_t;

static void both(programs_t *p, int rank, berth_step_t s)
{
  add_step(&p->called[rank], s);
  add_step(&p->written[rank], s);
}

/* Ranks 0 to 3 have communicator 1, the others 2. */
static void add_call(programs_t *p, operation_t *o, int on)
{
  for (int c = 0; c < 2; c++) o->calls[c] += on & o->on & 1 << c ? 1 : 0;
  for (int r = 0; r < RANKS; r++) {
    const berth_step_t call = {1 + r / MEMBERS, 0, 8, 1, BERTH_STEP_MEET, .op = o->name};
    if (!(on & o->on & 1 << r / MEMBERS)) continue;
    add_step(&p->called[r], call);
    write_call(&p->written[r], o, r);
  }
}

/* A message that both ranks wait for, so that it is never under way beside others of the pair. */
static void add_message(programs_t *p, int src, int dst, uint64_t size)
{
  both(p, src, (berth_step_t){dst, BERTH_SEND_BLOCKS, size, 1});
  both(p, dst, (berth_step_t){src, 0, 0, 1, BERTH_STEP_RECEIVE});
}

/* --- patterns of them --- */

static void add_messages(berth_pattern_t *p, int src, const berth_step_t *s, size_t n,
                         uint64_t times)
{
  for (size_t i = 0; i < n; i++) {
    const berth_message_t m = {0, 0, src, s[i].peer, s[i].size, times, s[i].size * times};
    if (s[i].kind == BERTH_STEP_SEND) assert_int_equal(berth_pattern_add_message(p, &m, NULL), 0);
  }
}

static void add_order(berth_pattern_t *p, int rank, const steps_t *s, uint64_t rounds)
{
  berth_error_t err = {0};
  add_messages(p, rank, s->step, s->n, rounds);
  if (s->n && berth_pattern_add_order(p, &(berth_order_t){0, rank, rounds, s->n, s->step}, &err))
    fail_msg("%s", err.text);
}

/* Adds the phases of calls on one or both communicators. */
static void add_rounds(berth_pattern_t *p, const operation_t *o, int on, uint64_t calls,
                       berth_phase_t phase)
{
  for (int k = 0; k < o->n_rounds && calls; k++, phase.id++) {
    const round_t *r = &o->round[k];
    for (int i = 0; i < 2 * r->n; i++) {
      const sent_t *s = &r->message[i % r->n];
      int first = i / r->n * MEMBERS;
      const berth_message_t m = {phase.id, 0, first + s->src, first + s->dst, s->size, 1, s->size};
      if (on & 1 << i / r->n) assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
    }
    phase.name = o->name;
    phase.repeats = calls * r->times;
    phase.stage = 1;
    phase.rounds = r->times;
    assert_int_equal(berth_pattern_add_phase(p, &phase, NULL), BERTH_OK);
  }
}

/* Adds the phases of an operation's rounds, as berth_collectives_include does: those of calls on
 * both communicators, then those of more calls on one of them. */
static void add_operation(berth_pattern_t *p, const operation_t *o, int number, uint64_t rounds)
{
  int id = 1 + 2 * MOST_ROUNDS * number;
  bool one_more = o->on == BOTH && o->calls[0] != o->calls[1];
  int more = o->calls[1] < o->calls[0] ? FIRST : SECOND;
  uint64_t many = o->calls[more - 1], few = one_more ? o->calls[2 - more] : o->calls[0];
  add_rounds(p, o, o->on, few * rounds, (berth_phase_t){.id = id, .collective = number});
  if (one_more)
    add_rounds(
        p, o, more, (many - few) * rounds,
        (berth_phase_t){.id = id + MOST_ROUNDS, .collective = 100 + number, .more_of = number});
}

static const int ranks_of[2][MEMBERS] = {{0, 1, 2, 3}, {4, 5, 6, 7}};

static void add_comms(berth_pattern_t *p)
{
  assert_int_equal(berth_pattern_add_phase(p, &(berth_phase_t){.name = "", .repeats = 1}, NULL), 0);
  for (int i = 0; i < 2; i++)
    assert_int_equal(berth_pattern_add_comm(p, &(berth_comm_t){1 + i, MEMBERS, ranks_of[i]}, NULL),
                     0);
}

/* Lines of calls; `missing`: how many fewer of the first operation on communicator 1 there are. */
static void add_lines(berth_pattern_t *p, const operation_t *o, int n, uint64_t rounds,
                      uint64_t missing)
{
  for (int i = 0; i < n; i++)
    for (int c = 0; c < (o[i].on == BOTH ? 2 : 1); c++) {
      const uint64_t count = o[i].calls[c] * rounds - (i + c == 0 ? missing : 0);
      const berth_coll_t coll = {
          .comm = 1 + c, .op = o[i].name, .bytes = 8, .count = count, .root = -1};
      assert_int_equal(berth_pattern_add_coll(p, &coll, NULL), BERTH_OK);
    }
}

static void finish(berth_pattern_t *p)
{
  berth_error_t err = {0};
  if (berth_pattern_finish(p, &err)) fail_msg("%s", err.text);
}

static int number_of(const operation_t *o, int n, const char *name)
{
  for (int i = 0; i < n; i++)
    if (strcmp(o[i].name, name) == 0) return i + 1;
  return 0;
}

/* The pattern with n operations, whose programs are done `rounds` times. */
static berth_pattern_t *with_calls(const programs_t *x, const operation_t *o, int n,
                                   uint64_t rounds, uint64_t missing)
{
  size_t n_colls;
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  add_comms(p);
  for (int r = 0; r < RANKS; r++) add_order(p, r, &x->called[r], rounds);
  add_lines(p, o, n, rounds, missing);
  for (int i = 0; i < n; i++) add_operation(p, &o[i], i + 1, rounds);
  finish(p);
  const berth_coll_t *coll = berth_pattern_colls(p, &n_colls);
  for (size_t i = 0; i < n_colls; i++)
    berth_pattern_set_included(p, i, number_of(o, n, coll[i].op));
  return p;
}

static berth_pattern_t *with_messages(const programs_t *x, uint64_t rounds)
{
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  for (int r = 0; r < RANKS; r++) add_order(p, r, &x->written[r], rounds);
  finish(p);
  return p;
}

/* --- random ones --- */

static operation_t random_operation(dice_t *d, const char *name)
{
  operation_t o = {
      .name = name, .on = roll(d, 2) ? BOTH : FIRST, .n_rounds = 1 + roll(d, MOST_ROUNDS)};
  for (int i = 0; i < o.n_rounds; i++) {
    round_t *r = &o.round[i];
    r->times = 1 + (uint64_t)roll(d, 3);
    for (int src = 0; src < MEMBERS; src++) {
      int dst = roll(d, MEMBERS);
      if (dst != src) r->message[r->n++] = (sent_t){src, dst, (uint64_t)roll(d, 500)};
    }
    if (r->n == 0) r->message[r->n++] = (sent_t){0, 1, 100};
  }
  return o;
}

static void random_event(programs_t *x, dice_t *d, operation_t *o, int n)
{
  int src = roll(d, RANKS), dst = roll(d, RANKS);
  if (roll(d, 2))
    add_call(x, &o[roll(d, n)], roll(d, 2) ? BOTH : 1 + roll(d, 2));
  else if (src != dst)
    add_message(x, src, dst, (uint64_t)roll(d, 1000));
}

/* What the phases cost one by one, each as often as it occurs. */
static double sum_of_phases(const berth_pattern_t *p, const berth_topo_t *t, const int *pu_of_rank)
{
  double sum = 0;
  berth_cost_result_t r;
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  assert_int_equal(berth_cost_explain(c, BERTH_MODEL_FLOW, pu_of_rank, 0, &r, NULL), BERTH_OK);
  for (size_t k = 0; k < r.n_phases; k++) {
    assert_true(r.phases[k].cost_s >= 0);
    sum += (double)r.phases[k].repeats * r.phases[k].cost_s;
  }
  berth_cost_result_clear(&r);
  berth_cost_free(c);
  return sum;
}

/* Calls cost what their messages cost, and the phases' costs add up to the whole. */
static void random_programs(void **state)
{
  (void)state;
  static programs_t x;
  int played = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)rounds_of(1000); seed++) {
    dice_t d = {seed};
    int pu_of_rank[RANKS];
    uint64_t rounds = roll(&d, 10) ? 1 + (uint64_t)roll(&d, 5) : 1000;
    operation_t o[2] = {random_operation(&d, "MPI_Allreduce"),
                        random_operation(&d, "MPI_Allgather")};
    memset(&x, 0, sizeof x);
    add_call(&x, &o[0], BOTH);
    add_call(&x, &o[1], BOTH);
    for (int i = roll(&d, MOST_EVENTS); i > 0; i--) random_event(&x, &d, o, 2);
    berth_topo_t *t = random_machine(seed, 1);
    berth_pattern_t *calls = with_calls(&x, o, 2, rounds, 0), *messages = with_messages(&x, rounds);
    random_placement(seed, t, own_names, pu_of_rank);
    double found = cost_of(calls, t, BERTH_MODEL_FLOW, pu_of_rank);
    double expected = cost_of(messages, t, BERTH_MODEL_FLOW, pu_of_rank);
    if (differ(found, expected))
      fail_msg("seed %llu: found %.17g, expected %.17g", (unsigned long long)seed, found, expected);
    double sum = sum_of_phases(calls, t, pu_of_rank);
    if (differ(sum, found))
      fail_msg("seed %llu: phases cost %.17g, all %.17g", (unsigned long long)seed, sum, found);
    berth_pattern_free(calls);
    calls = with_calls(&x, o, 2, rounds, 1);
    played += differ(cost_of(calls, t, BERTH_MODEL_FLOW, pu_of_rank), expected);
    berth_pattern_free(calls);
    berth_pattern_free(messages);
    berth_topo_free(t);
  }
  assert_in_range(played, rounds_of(300), 100000); /* else playing them makes no difference */
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
