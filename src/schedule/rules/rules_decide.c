/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the rule that holds for a call, and the stages that it is made of. */
#include <string.h>

#include "schedule/call_block.h"
#include "schedule/put_steps.h"
#include "schedule/rules/rule.h"
#include "schedule/two_levels/two_levels.h"

/* Elements of a block for each rank. Of blocks of pairs, a rank has as many as there are ranks. */
static uint64_t all_elements(const schedule_call_t *c)
{
  if (!c->blocks) return (uint64_t)c->count * (uint64_t)c->size;
  bool pairs = schedule_block_kind(c->op) == SCHEDULE_PAIR_BLOCKS;
  return (uint64_t)(c->blocks->total / (pairs ? c->size : 1));
}

uint64_t rules_quantity(const schedule_request_t *q, rule_quantity_t quantity)
{
  const schedule_call_t *c = &q->call;
  uint64_t size = (uint64_t)c->size, elements = all_elements(c);
  uint64_t bytes = elements * (uint64_t)q->element;
  switch (quantity) {
  case RULE_RANKS:
    return size;
  case RULE_ELEMENTS:
    return elements / size;
  case RULE_BYTES:
    return bytes / size;
  case RULE_TOTAL_ELEMENTS:
    return elements;
  case RULE_TOTAL_BYTES:
    return bytes;
  case RULE_COMMUTATIVE:
    return c->commutative;
  case RULE_BUILT_IN:
    return !q->user_operation;
  case RULE_IN_PLACE:
    return q->in_place;
  case RULE_POWER_OF_TWO:
    return floor_power(c->size) == c->size;
  case RULE_EQUAL_BLOCKS:
    return blocks_are_equal(c);
  case RULE_PERSISTENT:
    return q->way == SCHEDULE_PERSISTENT;
  case RULE_HOSTS:
    return q->hosts ? (uint64_t)q->hosts->n : size;
  case RULE_APART:
    return !q->hosts || q->hosts->n == c->size;
  case RULE_CONSECUTIVE:
    return !q->hosts || q->hosts->consecutive;
  case RULE_ROOT_LEADS:
    return !q->hosts || q->hosts->leader[q->hosts->of_rank[c->root]] == c->root;
  }
  return 0;
}

bool rules_meets(const schedule_request_t *q, const condition_t *c)
{
  uint64_t value = rules_quantity(q, c->quantity);
  switch (c->comparison) {
  case RULE_EQUAL:
    return value == c->value;
  case RULE_BELOW:
    return value < c->value;
  case RULE_AT_MOST:
    return value <= c->value;
  case RULE_AT_LEAST:
    return value >= c->value;
  }
  return false;
}

static bool holds(const rule_t *rule, const schedule_request_t *q)
{
  for (int i = 0; i < rule->n_when; i++)
    if (!rules_meets(q, &rule->when[i])) return false;
  return true;
}

static const choice_t *choice_for(const rule_t *rule, const schedule_request_t *q)
{
  const choice_t *found = NULL;
  for (; rule && !found; rule = rule->next) {
    if (!holds(rule, q)) continue;
    found = rule->choice ? rule->choice : choice_for(rule->below, q);
    if (found && found->is_told && (schedule_has_no_choice(q) || !rules_serving(q, found)))
      found = NULL;
  }
  return found;
}

/* Elements of a part: operations that give each rank its own block have as many blocks as ranks,
 * which the others take for one. */
static schedule_request_t request_of(const schedule_request_t *q, const part_t *part)
{
  schedule_request_t r = *q;
  bool has_blocks = schedule_block_kind(q->call.op) != SCHEDULE_ONE_BLOCK;
  r.call.op = part->op;
  if (!has_blocks || schedule_block_kind(part->op) != SCHEDULE_ONE_BLOCK) return r;
  r.call.count = (int64_t)all_elements(&q->call);
  r.call.blocks = NULL;
  if (!part->whole || r.call.count == 0) return r;
  r.element *= r.call.count;
  r.call.count = 1;
  return r;
}

static int decide(const schedule_rules_t *r, const schedule_request_t *q, const choice_t *choice,
                  int depth, schedule_stage_t *stage, int room);

/* What becomes of a part if each rank has a host of its own: leaders are all ranks, and groups
 * within hosts have one rank. */
typedef enum fate { RUNS, VANISHES, SPLITS } fate_t;

static fate_t fate_apart(const schedule_request_t *q, const part_t *part)
{
  switch (part->among) {
  case SCHEDULE_ALL_RANKS:
  case SCHEDULE_LEADERS:
    return RUNS;
  case SCHEDULE_LEADERS_TO_RANK_0:
    return q->call.root == 0 ? RUNS : SPLITS;
  case SCHEDULE_RANK_0_AND_ROOT:
    return q->call.root == 0 ? VANISHES : SPLITS;
  case SCHEDULE_LEADERS_ONWARD:
    return SPLITS;
  default:
    return VANISHES;
  }
}

static int put_parts(const schedule_rules_t *r, const schedule_request_t *q, const choice_t *choice,
                     int depth, schedule_stage_t *stage, int room)
{
  int n = 0;
  if (choice->is_composed && q->hosts) return -1;
  for (int i = 0; i < choice->n_parts; i++) {
    fate_t fate = fate_apart(q, &choice->part[i]);
    if (fate == VANISHES) continue;
    if (fate == SPLITS) return -1;
    schedule_request_t part = request_of(q, &choice->part[i]);
    int more = decide(r, &part, choice->part[i].choice, depth + 1, stage + n, room - n);
    if (more < 0) return -1;
    n += more;
  }
  return n;
}

/* The stage of a choice that has an algorithm. */
static schedule_stage_t stage_of(const schedule_request_t *q, const choice_t *choice)
{
  bool of_bytes = choice->divides == DIVIDES_BYTES;
  schedule_stage_t s = {choice->algorithm, q->call, of_bytes ? 1 : q->element};
  s.call.count *= q->element / s.element;
  s.call.degree = choice->degree;
  s.call.segment = choice->segment / s.element;
  if (s.call.segment == 0 && choice->divides == DIVIDES_SINGLE_ELEMENTS) s.call.segment = 1;
  if (choice->segment > 0 && !s.call.blocks) {
    int64_t bytes = s.call.count * s.element;
    s.call.parts = bytes / choice->segment + (bytes % choice->segment > 0);
  }
  return s;
}

const choice_t *rules_choose(const schedule_rules_t *r, const schedule_request_t *q)
{
  return choice_for(r->rules[q->way != SCHEDULE_BLOCKING][q->call.op], q);
}

const choice_t *rules_serving(const schedule_request_t *q, const choice_t *choice)
{
  for (; choice && choice->algorithm; choice = choice->otherwise) {
    schedule_stage_t s = stage_of(q, choice);
    if (schedule_serves(s.algorithm, &s.call)) return choice;
  }
  return choice;
}

/* The stages of a choice; NULL: the rules' one. Rules of stages may lead to themselves, and then
 * say nothing. */
static int decide(const schedule_rules_t *r, const schedule_request_t *q, const choice_t *choice,
                  int depth, schedule_stage_t *stage, int room)
{
  choice = rules_serving(q, choice ? choice : rules_choose(r, q));
  if (!choice || depth >= DEEPEST_CHOICE) return -1;
  if (!choice->algorithm) return put_parts(r, q, choice, depth, stage, room);
  if (room < 1) return -1;
  *stage = stage_of(q, choice);
  return 1;
}

int rules_stages(const schedule_rules_t *r, const schedule_request_t *q, const choice_t *choice,
                 schedule_stage_t stage[SCHEDULE_STAGES])
{
  return decide(r, q, choice, 0, stage, SCHEDULE_STAGES);
}

const schedule_rules_t *rules_for(const schedule_rules_t *r, const schedule_request_t *q)
{
  return r->library.half > 0 && !two_levels_serves(&r->library, q) ? r->of_others : r;
}

int schedule_decide(const schedule_rules_t *r, const schedule_request_t *q,
                    schedule_stage_t stage[SCHEDULE_STAGES])
{
  r = rules_for(r, q);
  if (!r) return -1;
  return r->library.half > 0 ? two_levels_apart(&r->library, q, stage)
                             : rules_stages(r, q, NULL, stage);
}

choice_t rules_choice_named(const schedule_rules_t *r, schedule_op_t op, const char *name)
{
  const choice_t *known = r->choices[op];
  while (known && strcmp(known->name, name) != 0) known = known->next;
  choice_t c = {.name = name, .op = op, .algorithm = schedule_find(op, name)};
  if (known) c = *known;
  c.next = NULL;
  return c;
}

int schedule_decide_by(const schedule_rules_t *r, const schedule_request_t *q, const char *name,
                       const schedule_told_t *with, schedule_stage_t stage[SCHEDULE_STAGES])
{
  choice_t own = rules_choice_named(r, q->call.op, name);
  own.otherwise = NULL;
  if (with->segment > 0) own.segment = with->segment;
  if (with->degree > 0) own.degree = with->degree;
  if (!own.algorithm && own.n_parts == 0) return -1;
  return rules_stages(r, q, &own, stage);
}
