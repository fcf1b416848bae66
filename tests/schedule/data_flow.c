/* SPDX-License-Identifier: BSD-3-Clause */
/* Each algorithm leaves at each rank what MPI says, for every size and root; and a mistake in any
 * of its steps is found. */
#include "schedule/schedule_parts.h"
#include "schedule/schedule_round.h"
#include "simulator.h"

static const int64_t counts[] = {0, 1, 7, 131}, segments[] = {0, 1, 3};
static const int degrees[] = {2, 3, 4};

static bool has_root(schedule_op_t op)
{
  return op == SCHEDULE_BCAST || op == SCHEDULE_REDUCE || op == SCHEDULE_GATHER ||
         op == SCHEDULE_SCATTER || op == SCHEDULE_GATHERV || op == SCHEDULE_SCATTERV;
}

/* --- blocks of different sizes --- */

enum { SHAPES = 3 };

/* Elements of block i: some are empty; all but one are; none is. */
static int64_t shaped(int shape, int size, int i)
{
  const int64_t sizes[SHAPES] = {(int64_t)i * i % 7 % 4, i == size / 2 ? 7 : 0, 1 + i % 5};
  return sizes[shape];
}

static schedule_blocks_t *blocks_of(schedule_op_t op, int size, int shape)
{
  int n = schedule_block_kind(op) == SCHEDULE_PAIR_BLOCKS ? size * size : size;
  int64_t *own = malloc((size_t)n * sizeof *own);
  for (int i = 0; i < n; i++) own[i] = shaped(shape, n, i);
  schedule_blocks_t *b = schedule_blocks_new(op, size, own);
  free(own);
  return b;
}

typedef void visit_t(const schedule_algorithm_t *a, const schedule_call_t *c);

/* Visits the calls that differ from this one in how its blocks are divided, reduced or sent. */
static void vary_ways(const schedule_algorithm_t *a, schedule_call_t c, visit_t *visit)
{
  size_t n_segments = a->needs & SCHEDULE_SEGMENTS ? COUNT(segments) : 1;
  size_t n_degrees = a->needs & SCHEDULE_DEGREE ? COUNT(degrees) : 1;
  for (size_t k = 0; k < n_segments; k++)
    for (size_t l = 0; l < n_degrees; l++)
      for (int commutative = 0; commutative < 2; commutative++) {
        c.segment = segments[k];
        c.degree = degrees[l];
        c.commutative = commutative;
        if (schedule_serves(a, &c)) visit(a, &c);
      }
}

static void vary(const schedule_algorithm_t *a, schedule_call_t c, visit_t *visit)
{
  /* The last one gives each of 64 ranks more than one element. */
  bool parts = a->needs & (SCHEDULE_ELEMENT_A_RANK | SCHEDULE_ELEMENT_A_PART);
  size_t n_counts = COUNT(counts) - !parts;
  for (size_t i = 0; i < n_counts; i++) {
    c.count = counts[i];
    vary_ways(a, c, visit);
  }
  for (int shape = 0; schedule_block_kind(c.op) >= SCHEDULE_RANK_BLOCKS && shape < SHAPES;
       shape++) {
    schedule_blocks_t *own = blocks_of(c.op, c.size, shape);
    c.count = 0;
    c.blocks = own;
    vary_ways(a, c, visit);
    free(own);
  }
}

/* Visits the algorithm's calls of all sizes from `least` to `most`, with about so many roots. */
static void all_calls(const schedule_algorithm_t *a, int least, int most, int roots, visit_t *visit)
{
  for (int size = least; size <= most; size++)
    for (int root = 0; root < (has_root(a->op) ? size : 1); root += 1 + (size - 1) / roots)
      vary(a, (schedule_call_t){.op = a->op, .size = size, .root = root}, visit);
}

static void fail_call(const schedule_algorithm_t *a, const schedule_call_t *c, const char *text)
{
  FAIL_ROW(a->name, "%s, %d ranks, root %d, %s %lld elements, segments of %lld, degree %d, %s: %s",
           schedule_op_name(a->op), c->size, c->root, c->blocks ? "blocks of at most" : "",
           (long long)block_most(c), (long long)c->segment, c->degree,
           c->commutative ? "commutative" : "in order", text);
}

static int calls;

static void is_correct(const schedule_algorithm_t *a, const schedule_call_t *c)
{
  simulator_t s;
  calls++;
  simulate(&s, a, c, (mistake_t){NO_MISTAKE, 0});
  if (*s.wrong) fail_call(a, c, s.wrong);
}

static void every_rank_gets_its_blocks(void **state)
{
  (void)state;
  size_t n;
  const schedule_algorithm_t *list = schedule_algorithms(&n);
  int roots = rounds_of(8); /* check.sh takes 3; 64 take half a minute */
  int most = roots < 3 ? 18 : MOST_RANKS;
  for (size_t i = 0; i < n; i++) {
    calls = 0;
    all_calls(&list[i], 1, most, roots, is_correct);
    print_message("%s, %s: %d calls\n", schedule_op_name(list[i].op), list[i].name, calls);
    assert_true(calls >= most / 2 || list[i].needs & (SCHEDULE_POWER_OF_TWO | SCHEDULE_TWO_RANKS));
  }
}

/* --- mistakes --- */

static int made;

/* Whether the call is right without what the step moves, or the last element of that: then it may
 * come from anywhere. */
static bool is_needless(const schedule_algorithm_t *a, const schedule_call_t *c, int kind,
                        int64_t at)
{
  simulator_t s;
  simulate(&s, a, c, (mistake_t){kind == FEWER ? LOSE_LAST : LOSE_DATA, at});
  return !*s.wrong;
}

static bool may_be_missed(const schedule_algorithm_t *a, const schedule_call_t *c, int kind,
                          int64_t at)
{
  return (kind == OTHER_PLACE || a->needs & SCHEDULE_REDUNDANT) && is_needless(a, c, kind, at);
}

static void mistakes_are_found(const schedule_algorithm_t *a, const schedule_call_t *c)
{
  simulator_t s;
  simulate(&s, a, c, (mistake_t){NO_MISTAKE, 0});
  int64_t steps = *s.wrong ? 0 : s.steps;
  for (int kind = LOSE_STEP; kind <= OTHER_SIDE; kind++) {
    bool side_counts = !c->commutative || kind != OTHER_SIDE;
    for (int64_t at = 0; side_counts && at < steps; at++) {
      simulate(&s, a, c, (mistake_t){kind, at});
      made += s.changed;
      if (s.changed && !*s.wrong && !may_be_missed(a, c, kind, at)) {
        char text[80];
        snprintf(text, sizeof text, "mistake %d in step %lld isn't found", kind, (long long)at);
        fail_call(a, c, text);
      }
    }
  }
}

static void every_mistake_is_found(void **state)
{
  (void)state;
  size_t n;
  const schedule_algorithm_t *list = schedule_algorithms(&n);
  for (size_t i = 0; i < n; i++) {
    made = 0;
    all_calls(&list[i], 2, rounds_of(2) < 2 ? 5 : 9, 2, mistakes_are_found);
    print_message("%s, %s: %d mistakes\n", schedule_op_name(list[i].op), list[i].name, made);
    assert_true(made > 0);
  }
}

/* --- rounds that are alike --- */

typedef struct sum {
  uint64_t messages, hash;
} sum_t;

/* A hash of a round's messages that doesn't depend on their order. */
static sum_t sum_of(const schedule_algorithm_t *a, const schedule_call_t *c, int64_t round)
{
  sum_t sum = {0};
  for (int r = 0; r < c->size; r++) {
    schedule_steps_t l = {0};
    schedule_steps(a, c, r, round, &l);
    for (size_t i = 0; i < l.n; i++) {
      if (l.step[i].kind != STEP_SEND) continue;
      uint64_t key = (((uint64_t)r * 64 + (uint64_t)l.step[i].peer) << 32) + (uint64_t)l.step[i].n;
      sum.messages++;
      sum.hash += (key + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ (key >> 7);
    }
    schedule_steps_clear(&l);
  }
  return sum;
}

static void alike_are_equal(const schedule_algorithm_t *a, const schedule_call_t *c)
{
  int64_t rounds = a->rounds(c);
  for (int64_t round = 0; round < rounds; round++) {
    sum_t first = sum_of(a, c, round);
    int64_t n = schedule_alike(a, c, round);
    if (n < 1 || round + n > rounds) fail_call(a, c, "alike goes beyond the end");
    for (int64_t i = 1; i < n; i++) {
      sum_t other = sum_of(a, c, round + i);
      if (other.messages != first.messages || other.hash != first.hash)
        fail_call(a, c, "rounds that are alike have different messages");
    }
  }
}

static void rounds_alike_have_the_same_messages(void **state)
{
  (void)state;
  size_t n;
  const schedule_algorithm_t *list = schedule_algorithms(&n);
  for (size_t i = 0; i < n; i++) all_calls(&list[i], 1, 17, 3, alike_are_equal);
}

/* --- parts --- */

/* The parts of each rank. */
static struct {
  schedule_parts_t used, final;
  size_t n_used, n_final;
} parts[MOST_RANKS];

static bool is_reduced_whole(const schedule_call_t *c)
{
  return c->op == SCHEDULE_REDUCE || c->op == SCHEDULE_ALLREDUCE;
}

/* Input is there when it is said to be needed, and not before. If it may be the output's memory,
 * that isn't written yet. */
static void give_input(simulator_t *s, int rank, int64_t when)
{
  memory_t *m = &s->rank[rank];
  const schedule_parts_t *p = &parts[rank].used;
  for (size_t *i = &parts[rank].n_used; *i < p->n && p->part[*i].when <= when; ++*i)
    for (int64_t k = p->part[*i].span.first; k < p->part[*i].span.end; k++) {
      bool written = k < m->n[SCHEDULE_OUT] && m->at[SCHEDULE_OUT][k].ranks;
      if (is_reduced_whole(s->call) && written) WRONG(s, "rank %d overwrites its input", rank);
      if (k < m->n[SCHEDULE_IN]) m->at[SCHEDULE_IN][k] = given(rank, k);
    }
}

/* Output that stays is right. */
static void check_output(simulator_t *s, int rank, int64_t when)
{
  const schedule_parts_t *p = &parts[rank].final;
  for (size_t *i = &parts[rank].n_final; *i < p->n && p->part[*i].when <= when; ++*i)
    for (int64_t k = p->part[*i].span.first; k < p->part[*i].span.end; k++) {
      value_t want = expected(s->call, rank, k), got = s->rank[rank].at[SCHEDULE_OUT][k];
      if (want.ranks != got.ranks || (want.ranks && want.index != got.index))
        WRONG(s, "rank %d: element %lld isn't final", rank, (long long)k);
    }
}

static void look_at_parts(simulator_t *s, int64_t when)
{
  for (int r = 0; r < s->call->size; r++) {
    memory_t *m = &s->rank[r];
    for (int64_t i = 0; when == 0 && i < m->n[SCHEDULE_IN]; i++)
      m->at[SCHEDULE_IN][i] = (value_t){0};
    give_input(s, r, when);
    check_output(s, r, when);
  }
}

static int64_t sum_of_parts(const schedule_parts_t *p)
{
  int64_t sum = 0;
  for (size_t i = 0; i < p->n; i++) sum += p->part[i].span.end - p->part[i].span.first;
  return sum;
}

static void parts_are_known(const schedule_algorithm_t *a, const schedule_call_t *c)
{
  simulator_t s = {.algorithm = a, .call = c, .moment = look_at_parts};
  memset(parts, 0, sizeof parts);
  for (int r = 0; r < c->size; r++) {
    int64_t total = output_size(c, r);
    assert_true(schedule_parts_used(a, c, r, is_reduced_whole(c), &parts[r].used));
    assert_true(schedule_parts_final(a, c, r, total, &parts[r].final));
    if (sum_of_parts(&parts[r].final) != total) fail_call(a, c, "parts aren't the whole output");
  }
  play(&s);
  for (int r = 0; r < c->size; r++) {
    schedule_parts_clear(&parts[r].used);
    schedule_parts_clear(&parts[r].final);
  }
  if (*s.wrong) fail_call(a, c, s.wrong);
}

static void parts_are_used_and_final_when_they_are_said_to_be(void **state)
{
  (void)state;
  size_t n;
  const schedule_algorithm_t *list = schedule_algorithms(&n);
  for (size_t i = 0; i < n; i++) all_calls(&list[i], 1, 13, 2, parts_are_known);
}

/* --- what estimates of large calls rely on --- */

static sum_t sum_of_walk(const schedule_messages_t *m)
{
  sum_t sum = {0};
  for (size_t i = 0; i < m->n; i++) {
    const schedule_message_t *own = &m->message[i];
    uint64_t key = (((uint64_t)own->src * 64 + (uint64_t)own->dst) << 32) + (uint64_t)own->n;
    sum.messages++;
    sum.hash += (key + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ (key >> 7);
  }
  return sum;
}

/* A walk finds the messages of each round, also if it leaves out rounds that are alike. */
static void walks_are_whole(const schedule_algorithm_t *a, const schedule_call_t *c)
{
  for (int skips = 0; skips < 2; skips++) {
    schedule_walk_t walk;
    schedule_messages_t m = {0};
    schedule_stage_t stage = {a, *c, 1};
    assert_true(schedule_walk_begin(&walk, &stage));
    for (int64_t i = 0; i < walk.rounds; i += skips ? schedule_alike(a, c, i) : 1) {
      assert_true(schedule_walk_messages(&walk, i, SIZE_MAX, &m));
      sum_t all = sum_of(a, c, i), found = sum_of_walk(&m);
      if (all.messages != found.messages || all.hash != found.hash)
        fail_call(a, c, "a walk misses messages of a round");
      for (size_t k = 1; k < m.n; k++) assert_true(m.message[k - 1].src <= m.message[k].src);
    }
    schedule_walk_clear(&walk);
    free(m.message);
  }
}

/* SCHEDULE_EACH_PAIR: each rank sends each other one a block; SCHEDULE_ALTERNATES. */
static void claims_are_true(const schedule_algorithm_t *a, const schedule_call_t *c)
{
  int64_t rounds = a->rounds(c), sent = 0, pair[17 * 17] = {0};
  for (int64_t i = 0; i < rounds; i++) {
    schedule_messages_t m = {0};
    assert_true(schedule_round_messages(&(schedule_stage_t){a, *c, 1}, i, SIZE_MAX, &m));
    for (size_t k = 0; k < m.n; k++) {
      const schedule_message_t *own = &m.message[k];
      sent += own->src != own->dst;
      pair[own->src * 17 + own->dst]++;
      if (a->needs & SCHEDULE_EACH_PAIR && !c->blocks && own->n != c->count)
        fail_call(a, c, "a message isn't a block");
    }
    free(m.message);
    if (!(a->needs & SCHEDULE_ALTERNATES) || c->blocks || i < 3) continue;
    sum_t own = sum_of(a, c, i), before = sum_of(a, c, i - 2);
    if (own.messages != before.messages || own.hash != before.hash)
      fail_call(a, c, "rounds don't alternate");
  }
  bool empty = a->needs & SCHEDULE_SKIPS_EMPTY && (c->blocks || c->count == 0);
  if (!(a->needs & SCHEDULE_EACH_PAIR) || empty) return;
  for (int from = 0; from < c->size; from++)
    for (int to = 0; to < c->size; to++)
      if (from != to && pair[from * 17 + to] != 1) fail_call(a, c, "a pair sends not once");
  assert_int_equal(sent, c->size * (c->size - 1));
}

static void what_large_calls_rely_on(void **state)
{
  (void)state;
  size_t n;
  const schedule_algorithm_t *list = schedule_algorithms(&n);
  for (size_t i = 0; i < n; i++) {
    all_calls(&list[i], 1, 17, 3, walks_are_whole);
    all_calls(&list[i], 1, 17, 3, claims_are_true);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_rank_gets_its_blocks),
      cmocka_unit_test(every_mistake_is_found),
      cmocka_unit_test(rounds_alike_have_the_same_messages),
      cmocka_unit_test(parts_are_used_and_final_when_they_are_said_to_be),
      cmocka_unit_test(what_large_calls_rely_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
