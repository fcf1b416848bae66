/* SPDX-License-Identifier: BSD-3-Clause */
/* Model flow with random programs, beside a simulation that is slow and has no tricks. */
#include "cost/program_patterns.h"
#include "cost/slow_flow.h"

/* --- the slow simulation --- */

enum { MOST_PROGRAM = 500 };

/* What a rank of a slow program has done. */
typedef struct slow_rank {
  berth_step_t *steps; /* without loops */
  size_t n, at;
  int flow_of[MOST_PROGRAM]; /* of its steps that send */
  int needed[RANKS], needed_in_all, visits[2];
  int posted[RANKS], posted_any;
} slow_rank_t;

typedef struct slow_program {
  slow_rank_t rank[RANKS];
  slow_flow_t flow[MOST_FLOWS];
  const berth_step_t *send[MOST_FLOWS];
  double came[MOST_FLOWS]; /* when its receiver saw it; INFINITY: not yet */
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
    return !(s->mode & 1) || all_sent(x, rank, s->peer);
  case BERTH_STEP_SENT:
    return all_sent(x, rank, s->peer);
  case BERTH_STEP_POSTED:
    return true;
  case BERTH_STEP_ARRIVED:
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
  if (s->kind == BERTH_STEP_SEND) x->flow[me->flow_of[me->at - 1]].held = false;
  if (s->kind == BERTH_STEP_RECEIVE || s->kind == BERTH_STEP_POSTED)
    *(s->peer == ANY ? &me->posted_any : &me->posted[s->peer]) += 1;
  if (s->kind == BERTH_STEP_RECEIVE || s->kind == BERTH_STEP_ARRIVED) {
    if (s->peer != ANY) me->needed[s->peer] += 1;
    me->needed_in_all += 1;
  }
  if (s->kind >= BERTH_STEP_MEET) me->visits[s->peer]++;
}

/* Whether a rank's program posts a receive for each message of another one. */
static bool posts_enough(const slow_program_t *x, int src, int dst)
{
  int receives = 0;
  for (size_t i = 0; i < x->rank[dst].n; i++) {
    const berth_step_t *s = &x->rank[dst].steps[i];
    receives += (s->kind == BERTH_STEP_RECEIVE || s->kind == BERTH_STEP_POSTED) &&
                (s->peer == src || s->peer == ANY);
  }
  for (int i = 0; i < x->n; i++) receives -= x->flow[i].src == src && x->flow[i].dst == dst;
  return receives >= 0;
}

/* Finds which messages wait for receives that aren't posted. */
static void look_at_receives(slow_program_t *x)
{
  int before[RANKS][RANKS] = {0};
  for (int i = 0; i < x->n; i++) {
    int src = x->flow[i].src, dst = x->flow[i].dst;
    const slow_rank_t *to = &x->rank[dst];
    x->flow[i].unposted = x->send[i]->mode & 2 && posts_enough(x, src, dst) &&
                          to->posted[src] + to->posted_any <= before[src][dst];
    before[src][dst]++;
  }
}

/* Notes which messages their receivers see: they have been delivered, or they were announced since
 * they need a receive. Earlier ones of the same pair come first. */
static void look_at_messages(slow_program_t *x, double time)
{
  for (int i = 0; i < x->n; i++) {
    bool first = true;
    const slow_flow_t *f = &x->flow[i];
    for (int k = 0; k < i; k++)
      first =
          first && (x->flow[k].src != f->src || x->flow[k].dst != f->dst || x->flow[k].left == 0);
    bool announced = first && !f->held && x->send[i]->mode & 2 && posts_enough(x, f->src, f->dst);
    if (f->left == 0 || announced) x->came[i] = fmin(x->came[i], time);
  }
}

static bool is_first(const berth_step_t *s)
{
  return s->kind == BERTH_STEP_RECEIVE && s->mode == BERTH_RECEIVE_FIRST;
}

/* The message that a rank's next receive from a source is for. -1: there is none. */
static int next_message(const slow_program_t *x, int src, int dst)
{
  int before = x->rank[dst].needed[src];
  for (int i = 0; i < x->n; i++)
    if (x->flow[i].src == src && x->flow[i].dst == dst && before-- == 0) return i;
  return -1;
}

static void swap_steps(slow_rank_t *me, size_t a, size_t b)
{
  berth_step_t step = me->steps[a];
  int flow = me->flow_of[a];
  me->steps[a] = me->steps[b];
  me->flow_of[a] = me->flow_of[b];
  me->steps[b] = step;
  me->flow_of[b] = flow;
}

/* A rank comes to turns, of two steps each: the one whose message came first is next. Returns false
 * if none came. */
static bool choose_turn(slow_program_t *x, int rank)
{
  double first = INFINITY;
  size_t next = 0;
  bool looked[RANKS] = {false};
  slow_rank_t *me = &x->rank[rank];
  for (size_t i = me->at; i < me->n && is_first(&me->steps[i]); i += 2) {
    int src = me->steps[i].peer, message = next_message(x, src, rank);
    double came = message < 0 ? 0 : x->came[message];
    if (!looked[src] && came < first) {
      first = came;
      next = i;
    }
    looked[src] = true;
  }
  for (; first < INFINITY && next > me->at; next -= 2) {
    swap_steps(me, next, next - 2);
    swap_steps(me, next + 1, next - 1);
  }
  return first < INFINITY;
}

/* Lets all ranks go as far as they can. */
static void go_on(slow_program_t *x, double time)
{
  for (bool moved = true, choose = false; moved || !choose;) {
    choose = !moved; /* turns when nothing else moves */
    moved = false;
    look_at_receives(x);
    slow_end_free(x->flow, x->n, time);
    look_at_messages(x, time);
    for (int r = 0; r < RANKS; r++) {
      slow_rank_t *me = &x->rank[r];
      if (me->at == me->n || (me->at > 0 && !may_pass(x, r, &me->steps[me->at - 1]))) continue;
      if (is_first(&me->steps[me->at]) && (!choose || !choose_turn(x, r))) continue;
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
    for (size_t i = 0; i < x->rank[r].n; i++) {
      const berth_step_t *s = &x->rank[r].steps[i];
      if (s->kind != BERTH_STEP_SEND) continue;
      assert_in_range(x->n, 0, MOST_FLOWS - 1);
      x->rank[r].flow_of[i] = x->n;
      x->came[x->n] = INFINITY;
      x->send[x->n] = s;
      x->flow[x->n++] = slow_message(t, r, s->peer, (double)s->size, pu_of_rank);
    }
  }
  do go_on(x, time);
  while (slow_step(t, x->flow, x->n, &time));
  for (int r = 0; r < RANKS; r++) assert_int_equal(x->rank[r].at, x->rank[r].n);
  return time;
}

/* --- random programs that end --- */

enum { EVENTS = 14 };

typedef struct programs {
  berth_step_t step[RANKS][MOST_PROGRAM];
  size_t n[RANKS];
  int ahead[RANKS][RANKS]; /* receives that a rank has posted for another one's next messages */
  int silent;              /* the receives of this rank weren't recorded */
} programs_t;

static void add_step(programs_t *x, int rank, berth_step_kind_t kind, int peer, uint64_t times)
{
  assert_in_range(x->n[rank], 0, MOST_PROGRAM - 1);
  x->step[rank][x->n[rank]++] = (berth_step_t){.kind = kind, .peer = peer, .times = times};
}

static void add_send(programs_t *x, int src, int dst, uint64_t size, int mode)
{
  add_step(x, src, BERTH_STEP_SEND, dst, 1);
  x->step[src][x->n[src] - 1].size = size;
  x->step[src][x->n[src] - 1].mode = (uint16_t)mode;
}

/* A rank serves those that send it messages, and they wait for its answers. A source may have two.
 */
static void serve(programs_t *x, dice_t *d, int rank)
{
  int n = 2 + roll(d, 4), source[5], answer[5];
  for (int i = 0; i < n; i++) {
    source[i] = (rank + 1 + roll(d, RANKS - 1)) % RANKS;
    answer[i] = 1 + roll(d, 500);
    add_send(x, source[i], rank, 1 + (uint64_t)roll(d, 2000), roll(d, BERTH_SEND_MODES));
  }
  for (int i = 0; i < n; i++) {
    add_step(x, rank, BERTH_STEP_RECEIVE, source[i], 1);
    x->step[rank][x->n[rank] - 1].mode = BERTH_RECEIVE_FIRST;
    add_send(x, rank, source[i], (uint64_t)answer[i], roll(d, 2));
  }
  add_step(x, rank, BERTH_STEP_SENT, rank, 1); /* what follows is no turn */
  for (int i = 0; i < n; i++) add_step(x, source[i], BERTH_STEP_RECEIVE, rank, 1);
}

/* What a rank does to get messages. */
static void receive(programs_t *x, dice_t *d, int src, int dst, uint64_t times)
{
  int how = roll(d, 8), *ahead = &x->ahead[dst][src];
  if (dst == x->silent) return;
  if (*ahead >= (int)times) {
    add_step(x, dst, BERTH_STEP_ARRIVED, src, times);
    *ahead -= (int)times;
  } else if (how == 0) {
    add_step(x, dst, BERTH_STEP_POSTED, src, times); /* nobody waits for it */
  } else {
    add_step(x, dst, BERTH_STEP_RECEIVE, how == 1 ? ANY : src, times);
  }
}

/* Something that happens, with all that it needs: each step's conditions are met by what other
 * ranks do in earlier events. */
static void add_event(programs_t *x, dice_t *d)
{
  int src = roll(d, RANKS), dst = roll(d, RANKS), comm = roll(d, 2);
  int kind = roll(d, 15), root = roll(d, members(comm));
  uint64_t times = roll(d, 4) ? 1 : 1 + (uint64_t)roll(d, 3);
  if (kind < 8) {
    add_step(x, src, BERTH_STEP_SEND, dst, times);
    x->step[src][x->n[src] - 1].size = roll(d, 5) ? 1 + (uint64_t)roll(d, 2000) : 0;
    x->step[src][x->n[src] - 1].mode = roll(d, BERTH_SEND_MODES);
    if (src == dst) x->step[src][x->n[src] - 1].mode &= BERTH_SEND_BLOCKS;
    receive(x, d, src, dst, times);
    if (kind < 2) add_step(x, src, BERTH_STEP_SENT, dst, 1);
  } else if (kind < 10) {
    x->ahead[dst][src] += (int)times;
    if (dst != x->silent) add_step(x, dst, BERTH_STEP_POSTED, src, times);
  } else if (kind == 14) {
    serve(x, d, dst);
  } else {
    berth_step_kind_t call = kind == 10   ? BERTH_STEP_FROM_ROOT
                             : kind == 11 ? BERTH_STEP_TO_ROOT
                                          : BERTH_STEP_MEET;
    for (int r = 0; r < members(comm); r++) {
      add_step(x, r, call, comm, 1);
      x->step[r][x->n[r] - 1].root = call == BERTH_STEP_MEET ? 0 : root;
    }
  }
}

/* Steps one by one, without loops. */
static void write_out(programs_t *x, int rank, const berth_step_t *s, size_t n)
{
  for (size_t i = 0; i < n; i++)
    for (uint64_t k = 0; k < s[i].times; k++) {
      add_step(x, rank, s[i].kind, s[i].peer, 1);
      x->step[rank][x->n[rank] - 1].size = s[i].size;
      x->step[rank][x->n[rank] - 1].mode = s[i].mode;
      x->step[rank][x->n[rank] - 1].root = s[i].root;
    }
}

static void add_events(programs_t *x, dice_t *d, int n)
{
  memset(x->ahead, 0, sizeof x->ahead);
  for (; n > 0; n--) add_event(x, d);
}

/* A prologue, a loop whose body all ranks do equally often, and an epilogue; and the same without
 * the loop. */
static void random_programs(uint64_t seed, programs_t *folded, programs_t *plain)
{
  dice_t d = {seed};
  int times = 1 + roll(&d, 4);
  size_t begin[RANKS], end[RANKS];
  *folded = *plain = (programs_t){.silent = roll(&d, 3 * RANKS)};
  add_events(folded, &d, roll(&d, 5));
  for (int r = 0; r < RANKS; r++) {
    begin[r] = folded->n[r];
    add_step(folded, r, BERTH_STEP_LOOP, 0, (uint64_t)times);
  }
  add_events(folded, &d, 1 + roll(&d, EVENTS));
  for (int r = 0; r < RANKS; r++) {
    end[r] = folded->n[r];
    folded->step[r][begin[r]].steps = end[r] - begin[r] - 1;
    if (end[r] == begin[r] + 1) end[r] = folded->n[r] = begin[r];
  }
  add_events(folded, &d, roll(&d, 5));
  for (int r = 0; r < RANKS; r++) {
    const berth_step_t *s = folded->step[r];
    size_t body = begin[r] + (end[r] > begin[r]);
    write_out(plain, r, s, begin[r]);
    for (int k = 0; k < times; k++) write_out(plain, r, s + body, end[r] - body);
    write_out(plain, r, s + end[r], folded->n[r] - end[r]);
  }
}

static double slow_cost_of(programs_t *plain, const berth_topo_t *t, const int *pu_of_rank)
{
  static slow_program_t slow;
  slow = (slow_program_t){0};
  for (int r = 0; r < RANKS; r++)
    slow.rank[r] = (slow_rank_t){.steps = plain->step[r], .n = plain->n[r]};
  return slow_program_cost(&slow, t, pu_of_rank);
}

static void a_slow_simulation_agrees(void **state)
{
  (void)state;
  static programs_t folded, plain;
  int waits = 0, large = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)rounds_of(300); seed++) {
    int pu_of_rank[RANKS];
    char name[32];
    snprintf(name, sizeof name, "seed %d", (int)seed);
    random_programs(seed, &folded, &plain);
    berth_topo_t *t = random_machine(seed, 1);
    berth_pattern_t *p = new_pattern(), *unordered = new_pattern();
    for (int r = 0; r < RANKS; r++) {
      add_program(p, r, folded.step[r], folded.n[r]);
      add_messages(unordered, r, folded.step[r], folded.n[r], 1);
    }
    assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
    assert_int_equal(berth_pattern_finish(unordered, NULL), BERTH_OK);
    random_placement(seed, t, own_names, pu_of_rank);
    double cost = cost_of(p, t, BERTH_MODEL_FLOW, pu_of_rank);
    double expected = slow_cost_of(&plain, t, pu_of_rank);
    if (differ(cost, expected)) FAIL_ROW(name, "found %.17g, expected %.17g", cost, expected);
    waits += cost > 1.05 * cost_of(unordered, t, BERTH_MODEL_FLOW, pu_of_rank);
    for (int r = 0; r < RANKS; r++)
      for (size_t i = 0; i < plain.n[r]; i++) plain.step[r][i].mode &= BERTH_SEND_BLOCKS;
    large += cost > 1.01 * slow_cost_of(&plain, t, pu_of_rank);
    berth_pattern_free(p);
    berth_pattern_free(unordered);
    berth_topo_free(t);
  }
  /* else the programs show nothing */
  assert_in_range(waits, rounds_of(300) / 15, 100000);
  assert_in_range(large, rounds_of(300) / 15, 100000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_slow_simulation_agrees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
