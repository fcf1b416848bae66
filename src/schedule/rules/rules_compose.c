/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the stages of calls that are composed of parts on groups of ranks, such as the ranks of
 * each host and their leaders. */
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "schedule/rules/rule.h"
#include "schedule/two_levels/two_levels.h"

const char *schedule_among_name(schedule_among_t among)
{
  static const char *const names[SCHEDULE_AMONG] = {
      [SCHEDULE_ALL_RANKS] = "all_ranks",
      [SCHEDULE_HOSTS] = "hosts",
      [SCHEDULE_OTHER_HOSTS] = "other_hosts",
      [SCHEDULE_ROOT_HOST] = "root_host",
      [SCHEDULE_LEADERS] = "leaders",
      [SCHEDULE_LEADERS_TO_RANK_0] = "leaders_to_rank_0",
      [SCHEDULE_ROOT_AND_LEADER] = "root_and_leader",
      [SCHEDULE_RANK_0_AND_ROOT] = "rank_0_and_root",
      [SCHEDULE_LASTS_AND_LEADERS] = "lasts_and_leaders",
      [SCHEDULE_LEADERS_ONWARD] = "leaders_onward",
      [SCHEDULE_SPEAKERS] = "speakers"};
  return names[among];
}

static bool add(schedule_pieces_t *p, schedule_piece_t piece)
{
  return ARRAY_ADD(&p->piece, &p->n, &p->cap, piece);
}

bool schedule_pieces_add(schedule_pieces_t *p, const schedule_stage_t *s)
{
  return add(p, (schedule_piece_t){p->steps++, SCHEDULE_ALL_RANKS, *s, NULL});
}

void schedule_pieces_clear(schedule_pieces_t *p)
{
  free(p->piece);
  free(p->apart);
  arena_free(&p->arena);
  *p = (schedule_pieces_t){0};
}

/* --- whether hosts matter --- */

static bool asks_for_hosts(const condition_t *c)
{
  return c->quantity == RULE_HOSTS || c->quantity == RULE_APART ||
         c->quantity == RULE_CONSECUTIVE || c->quantity == RULE_ROOT_LEADS;
}

/* Whether a rule holds for some hosts; *always: for all of them. */
static bool may_hold(const rule_t *rule, const schedule_request_t *q, bool *always)
{
  *always = true;
  for (int i = 0; i < rule->n_when; i++) {
    const condition_t *c = &rule->when[i];
    if (asks_for_hosts(c))
      *always = false;
    else if (!rules_meets(q, c))
      return false;
  }
  return true;
}

static bool is_composed(const choice_t *choice)
{
  while (choice && !choice->is_composed) choice = choice->otherwise;
  return choice != NULL;
}

/* Rules whose choice differs by hosts choose a composed one for some of them. */
static bool may_be_composed(const rule_t *rule, const schedule_request_t *q)
{
  bool always;
  for (; rule; rule = rule->next) {
    if (!may_hold(rule, q, &always)) continue;
    if (rule->choice ? is_composed(rule->choice) : may_be_composed(rule->below, q)) return true;
    if (always && rule->choice) return false;
  }
  return false;
}

bool schedule_is_by_hosts(const schedule_rules_t *r, const schedule_request_t *q)
{
  r = rules_for(r, q);
  return r && (r->library.half > 0 ||
               may_be_composed(r->rules[q->way != SCHEDULE_BLOCKING][q->call.op], q));
}

/* --- the parts of a call --- */

/* Its rules, or those of one of its stages, choose nothing. */
static int no_algorithm(const schedule_rules_t *r, const schedule_request_t *q, berth_error_t *err)
{
  const char *way = q->way == SCHEDULE_BLOCKING ? "" : "i", *op = schedule_op_name(q->call.op);
  return berth_fail(
      err, BERTH_BAD_INPUT,
      "%s: found no algorithm for %s%s on %d ranks, expected rules.%s%s to choose one",
      schedule_rules_name(r), way, op, q->call.size, way, op);
}

/* What a group of ranks does for a part of the request: its hosts don't matter to it. */
static schedule_request_t request_of(const schedule_request_t *q, const part_t *part,
                                     const schedule_group_t *g)
{
  schedule_request_t own = *q;
  own.hosts = NULL;
  own.call.op = part->op;
  own.call.size = g->n;
  own.call.root = g->root;
  if (!part->bytes) return own;
  own.call.count = (int64_t)part->bytes;
  own.element = 1;
  return own;
}

/* Appends the stages of a group from the step on. *end: the one behind them, if it is later. */
static int add_group(const schedule_rules_t *r, const schedule_request_t *q, const part_t *part,
                     const schedule_group_t *g, int step, int *end, schedule_pieces_t *out,
                     berth_error_t *err)
{
  schedule_stage_t stage[SCHEDULE_STAGES];
  const schedule_request_t own = request_of(q, part, g);
  int n = rules_stages(r, &own, part->choice, stage);
  if (n < 0) return no_algorithm(r, &own, err);
  const int *rank = g->rank;
  if (!rank && !(rank = arena_copy(&out->arena, g->pair, sizeof g->pair))) return no_memory(err);
  for (int i = 0; i < n; i++)
    if (!add(out, (schedule_piece_t){step + i, part->among, stage[i], rank})) return no_memory(err);
  if (*end < step + n) *end = step + n;
  return BERTH_OK;
}

ORDER_BY(by_step, schedule_piece_t, RISING(step) RISING(rank[0]))

/* Appends the stages of a part, as later steps. */
static int add_part(const schedule_rules_t *r, const schedule_request_t *q, const part_t *part,
                    schedule_pieces_t *out, berth_error_t *err)
{
  int rc = BERTH_OK, step = out->steps, end = step;
  size_t first = out->n;
  int groups = schedule_groups(q->hosts, part->among);
  for (int i = 0; i < groups && !rc; i++) {
    const schedule_group_t g = schedule_group_at(q->hosts, part->among, q->call.root, i);
    if (g.n > 1) rc = add_group(r, q, part, &g, step, &end, out, err);
  }
  out->steps = end;
  if (out->n > first + 1) qsort(out->piece + first, out->n - first, sizeof *out->piece, by_step);
  return rc;
}

/* A host for each rank. NULL: memory is out. */
static schedule_hosts_t *each_apart(arena_t *a, int size)
{
  int *host = arena_alloc(a, (size_t)size * sizeof *host);
  for (int i = 0; host && i < size; i++) host[i] = i;
  return host ? schedule_hosts_new(size, host) : NULL;
}

/* Says that the request has hosts: if it has none, one for each rank. False: memory is out. */
static bool take_hosts(schedule_request_t *q, schedule_pieces_t *out)
{
  if (!q->hosts) q->hosts = out->apart = each_apart(&out->arena, q->call.size);
  return q->hosts != NULL;
}

static int left_to_mpi(const schedule_rules_t *r, const schedule_request_t *q, berth_error_t *err)
{
  static const char *const ways[] = {"blocking", "nonblocking", "persistent"};
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found a %s %s, which berth's library leaves to the MPI, expected a call "
                    "that it serves",
                    schedule_rules_name(r), ways[q->way], schedule_op_name(q->call.op));
}

static int decide_two_levels(const schedule_rules_t *r, const schedule_request_t *q,
                             schedule_pieces_t *out, berth_error_t *err)
{
  schedule_request_t on = *q;
  return take_hosts(&on, out) ? two_levels_decide(&r->library, &on, out, err) : no_memory(err);
}

int schedule_decide_by_hosts(const schedule_rules_t *r, const schedule_request_t *q,
                             schedule_pieces_t *out, berth_error_t *err)
{
  const schedule_rules_t *own = r;
  if (!(r = rules_for(r, q))) return left_to_mpi(own, q, err);
  if (r->library.half > 0) {
    const chosen_t *chosen = two_levels_chosen(&r->library, q);
    if (!chosen || !chosen->mpi) return decide_two_levels(r, q, out, err);
    if (!r->of_others) return left_to_mpi(own, q, err);
    r = r->of_others;
  }
  int rc = BERTH_OK;
  const choice_t *choice = rules_serving(q, rules_choose(r, q));
  if (!choice) return no_algorithm(r, q, err);
  if (choice->is_composed) {
    schedule_request_t on = *q;
    if (!take_hosts(&on, out)) return no_memory(err);
    for (int i = 0; i < choice->n_parts && !rc; i++)
      rc = add_part(r, &on, &choice->part[i], out, err);
    return rc;
  }
  schedule_stage_t stage[SCHEDULE_STAGES];
  int n = rules_stages(r, q, choice, stage);
  if (n < 0) return no_algorithm(r, q, err);
  for (int i = 0; i < n; i++)
    if (!schedule_pieces_add(out, &stage[i])) return no_memory(err);
  return BERTH_OK;
}
