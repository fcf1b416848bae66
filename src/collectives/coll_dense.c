/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the rules that the rounds of large calls follow.
 *
 * An all-to-all is one dense phase. Rounds of other algorithms are looked at one by one: if each
 * member sends one message of the same size, as far ahead as all others or to the number that
 * differs from its own in the same bits, the round is dense. */
#include "collectives/coll_dense.h"

#include <berth/collectives.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "collectives/coll_list.h"
#include "pattern/dense.h"

/* A call has at most so many rounds that differ. */
enum { MOST_ROUNDS = 256 };

/* Rounds with the same messages. */
typedef struct round {
  const schedule_stage_t *stage; /* of the plan */
  int64_t first, times;
  bool follows; /* the rule; without one, the messages are listed */
  bool many;    /* this stands for all rounds of the stage, which are listed one by one */
  dense_phase_t rule;
} round_t;

/* What is to be added for a call. */
typedef struct plan {
  schedule_stage_t stage[SCHEDULE_STAGES];
  round_t *round;
  size_t n, cap;
  size_t listed; /* messages of rounds that follow no rule */
} plan_t;

/* --- rules --- */

static bool follows(const dense_phase_t *rule, const schedule_messages_t *m)
{
  for (int i = 0; i < rule->size; i++)
    if (m->message[i].dst != dense_target(rule, i)) return false;
  return true;
}

/* Whether each member sends one message, of a size that differs by one element at most. *bytes is
 * their mean. */
static bool one_each(const schedule_messages_t *m, const schedule_stage_t *s, uint64_t *bytes)
{
  int64_t least = INT64_MAX, most = 0, sum = 0;
  if (m->n != (size_t)s->call.size) return false;
  for (int i = 0; i < s->call.size; i++) {
    const schedule_message_t *own = &m->message[i];
    if (own->src != i) return false;
    least = own->n < least ? own->n : least;
    most = own->n > most ? own->n : most;
    sum += own->n;
  }
  *bytes = (uint64_t)(((sum + s->call.size / 2) / s->call.size) * s->element);
  return most - least <= 1;
}

/* Finds the rule of a round's messages. */
static bool find_rule(const schedule_messages_t *m, const schedule_stage_t *s, dense_phase_t *rule)
{
  *rule = (dense_phase_t){.size = s->call.size, .rounds = 1};
  if (!one_each(m, s, &rule->bytes)) return false;
  int to = m->message[0].dst;
  rule->shape = DENSE_AHEAD;
  rule->distance = to;
  if (follows(rule, m)) return true;
  rule->shape = DENSE_XOR;
  for (rule->shift = 0; rule->shift < 2; rule->shift++) {
    rule->distance = (to + rule->shift) % rule->size ^ rule->shift;
    if (follows(rule, m)) return true;
  }
  return false;
}

/* An all-to-all in as many rounds as its algorithm has. */
static dense_phase_t whole(const schedule_stage_t *s)
{
  int64_t rounds = s->algorithm->rounds(&s->call);
  return (dense_phase_t){.shape = rounds > 1 ? DENSE_IN_TURN : DENSE_AT_ONCE,
                         .size = s->call.size,
                         .rounds = rounds,
                         .bytes = (uint64_t)(s->call.count * s->element)};
}

/* --- the plan --- */

/* Gives all blocks the same size, if they differ by an element at most; and rings parts that do. */
static bool make_even(schedule_stage_t *s)
{
  schedule_call_t *c = &s->call;
  int64_t size = c->size, blocks = size;
  if (c->blocks) {
    if (c->blocks->most - c->blocks->least > 1) return false;
    if (schedule_block_kind(c->op) == SCHEDULE_PAIR_BLOCKS) blocks *= size;
    c->count = (c->blocks->total + blocks / 2) / blocks;
    c->blocks = NULL;
  }
  int64_t last = s->algorithm->rounds(c) - 2;
  if (s->algorithm->alike && last > MOST_ROUNDS && schedule_alike(s->algorithm, c, last) == 1)
    c->count = (c->count + size - 1) / size * size;
  return true;
}

/* How often the round's messages are sent in rounds that the plan doesn't have yet; 0: never. */
static int64_t times_of(const schedule_stage_t *s, int64_t round, int64_t rounds)
{
  if (!(s->algorithm->needs & SCHEDULE_ALTERNATES) || round == 0)
    return schedule_alike(s->algorithm, &s->call, round);
  return round < 3 ? (rounds - round + 1) / 2 : 0;
}

static int plan_round(coll_rounds_t *in, plan_t *plan, const coll_group_t *g, schedule_walk_t *walk,
                      round_t r)
{
  const schedule_stage_t *s = walk->stage;
  if (!schedule_walk_messages(walk, r.first, BERTH_MAX_ROUND_MESSAGES, &in->round))
    return no_memory(in->err);
  if (in->round.n == 0) return BERTH_OK;
  r.follows = find_rule(&in->round, s, &r.rule);
  if (!r.follows) plan->listed += in->round.n * g->n;
  return ARRAY_ADD(&plan->round, &plan->n, &plan->cap, r) ? BERTH_OK : no_memory(in->err);
}

/* Plans a stage. *can is false if its rounds are too many. */
static int plan_stage(coll_rounds_t *in, plan_t *plan, const coll_group_t *g, schedule_stage_t *s,
                      bool *can)
{
  *can = make_even(s);
  if (!*can) return BERTH_OK;
  if (s->algorithm->needs & SCHEDULE_EACH_PAIR) {
    round_t all = {.stage = s, .times = 1, .follows = true, .rule = whole(s)};
    return ARRAY_ADD(&plan->round, &plan->n, &plan->cap, all) ? BERTH_OK : no_memory(in->err);
  }
  schedule_walk_t walk;
  bool alternates = s->algorithm->needs & SCHEDULE_ALTERNATES;
  int rc = schedule_walk_begin(&walk, s) ? BERTH_OK : no_memory(in->err);
  for (int64_t i = 0, times = 1; i < walk.rounds && *can && times && !rc; i += times) {
    times = times_of(s, i, walk.rounds);
    if (times)
      rc = plan_round(in, plan, g, &walk, (round_t){.stage = s, .first = i, .times = times});
    if (alternates && times) times = 1;
    *can = plan->n <= MOST_ROUNDS && in->added + plan->listed <= BERTH_MAX_ROUND_MESSAGES &&
           walk.looked < COLL_MOST_LOOKS;
  }
  schedule_walk_clear(&walk);
  return rc;
}

/* Plans a stage of many rounds with few messages. */
static int plan_list(coll_rounds_t *in, plan_t *plan, const coll_group_t *g, schedule_stage_t *s,
                     bool *can)
{
  size_t n = in->added + plan->listed;
  round_t all = {.stage = s, .many = true};
  if (!coll_rounds_count(in, g, s, BERTH_MAX_ROUND_MESSAGES, &n)) return no_memory(in->err);
  *can = n <= BERTH_MAX_ROUND_MESSAGES;
  if (!*can) return BERTH_OK;
  plan->listed = n - in->added;
  return ARRAY_ADD(&plan->round, &plan->n, &plan->cap, all) ? BERTH_OK : no_memory(in->err);
}

static int plan_any(coll_rounds_t *in, plan_t *plan, const coll_group_t *g, schedule_stage_t *s,
                    bool *can)
{
  size_t n = plan->n, listed = plan->listed;
  int rc = plan_stage(in, plan, g, s, can);
  if (rc || *can) return rc;
  plan->n = n;
  plan->listed = listed;
  return plan_list(in, plan, g, s, can);
}

/* --- stand-ins --- */

enum { STAND_INS = 4 }; /* messages of a member, in place of all that it sends in a stage */

/* Whether the ranks of all communicators are all ranks of one: nobody belongs together more than
 * others. */
static bool covers_all(const coll_rounds_t *in, const coll_group_t *g)
{
  return g->n == 1 && g->first->request.call.size == berth_pattern_ranks(in->p);
}

static int add_stand_in(coll_rounds_t *in, const coll_group_t *g, const dense_phase_t *rule,
                        uint64_t count)
{
  int rc = BERTH_OK;
  for (size_t k = 0; k < g->n; k++) {
    const int *ranks = coll_comm_ranks(in->p, g->first[k].comm);
    for (int i = 0; i < rule->size && !rc; i++) {
      berth_message_t m = {.phase = (int)in->next_phase,
                           .src = dense_rank(ranks, i),
                           .dst = dense_rank(ranks, dense_target(rule, i)),
                           .size = rule->bytes,
                           .count = count,
                           .bytes = rule->bytes * count};
      rc = berth_pattern_add_message(in->p, &m, in->err);
    }
  }
  return rc;
}

/* In place of an all-to-all: to members at distances that shrink like powers, so that two parts of
 * a communicator exchange about as much as in truth, if their members are consecutive. */
static int stand_in_for_whole(coll_rounds_t *in, const coll_group_t *g, const dense_phase_t *rule)
{
  int rc = BERTH_OK, n = 0, distance[STAND_INS];
  for (int k = rule->size / 2; n < STAND_INS && k > 0; k = n + 1 < STAND_INS ? k / 8 : 1)
    distance[n++] = k;
  uint64_t others = (uint64_t)rule->size - 1, parts = (uint64_t)n;
  for (int i = 0; i < n && !rc; i++) {
    dense_phase_t some = {
        .shape = DENSE_AHEAD, .size = rule->size, .distance = distance[i], .bytes = rule->bytes};
    rc = add_stand_in(in, g, &some, others / parts + ((uint64_t)i < others % parts));
  }
  return rc;
}

/* In place of the n dense rounds of a stage, of which this is number i: some of them, more often.
 */
static int stand_in_for_round(coll_rounds_t *in, const coll_group_t *g, const dense_phase_t *rule,
                              size_t i, size_t n)
{
  size_t some = n < STAND_INS ? n : STAND_INS;
  if (i * some / n == (i + 1) * some / n) return BERTH_OK;
  return add_stand_in(in, g, rule, (n + some / 2) / some);
}

/* --- adding --- */

static int add_rule(coll_rounds_t *in, const coll_group_t *g, const dense_phase_t *rule)
{
  dense_phase_t own = *rule;
  const int **ranks = malloc(g->n * sizeof *ranks);
  if (!ranks) return no_memory(in->err);
  for (size_t i = 0; i < g->n; i++) ranks[i] = coll_comm_ranks(in->p, g->first[i].comm);
  own.phase = (int)in->next_phase;
  own.n_comms = g->n;
  own.ranks = ranks;
  int rc = pattern_add_dense(in->p, &own, in->err);
  free(ranks);
  return rc;
}

/* The number of dense rounds of a stage, and how many of them are before round `at` of the plan. */
static size_t count_dense(const plan_t *plan, const schedule_stage_t *s, size_t at, size_t *before)
{
  size_t n = *before = 0;
  for (size_t i = 0; i < plan->n; i++) {
    if (plan->round[i].stage != s || !plan->round[i].follows) continue;
    *before += i < at;
    n++;
  }
  return n;
}

static int add_dense_round(coll_rounds_t *in, const plan_t *plan, const coll_group_t *g, size_t at)
{
  size_t before;
  const round_t *r = &plan->round[at];
  size_t n = count_dense(plan, r->stage, at, &before);
  int rc = add_rule(in, g, &r->rule);
  if (rc || covers_all(in, g)) return rc;
  return dense_is_whole(&r->rule) ? stand_in_for_whole(in, g, &r->rule)
                                  : stand_in_for_round(in, g, &r->rule, before, n);
}

static int add_listed_round(coll_rounds_t *in, const coll_group_t *g, const round_t *r)
{
  schedule_walk_t walk;
  int rc = schedule_walk_begin(&walk, r->stage) ? BERTH_OK : no_memory(in->err);
  if (!rc) rc = coll_rounds_add_round(in, g, &walk, r->first, r->times);
  schedule_walk_clear(&walk);
  return rc;
}

static int add_planned(coll_rounds_t *in, const plan_t *plan, const coll_group_t *g)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < plan->n && !rc; i++) {
    const round_t *r = &plan->round[i];
    in->stage = (int)(r->stage - plan->stage) + 1;
    if (r->many || !r->follows) {
      rc = r->many ? coll_list_add_stage(in, g, r->stage) : add_listed_round(in, g, r);
      continue;
    }
    rc = add_dense_round(in, plan, g, i);
    if (!rc) rc = coll_rounds_name_phase(in, g, r->stage, r->first, r->times);
  }
  return rc;
}

int coll_dense_add_call(coll_rounds_t *in, const coll_group_t *g, int n,
                        const schedule_stage_t *stage, bool *added)
{
  int rc = BERTH_OK;
  plan_t plan = {0};
  *added = true;
  for (int i = 0; i < n && *added && !rc; i++) {
    plan.stage[i] = stage[i];
    rc = plan_any(in, &plan, g, &plan.stage[i], added);
  }
  if (!rc && *added) {
    in->call++;
    in->added += plan.listed;
    rc = add_planned(in, &plan, g);
  }
  free(plan.round);
  return rc;
}
