/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the most expensive groups of collective calls, and what other algorithms would cost. */
#include <berth/collectives.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice_internal.h"
#include "advice/advice_price.h"
#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "collectives/coll_rules.h"
#include "pattern/by_hosts.h"
#include "pattern/phase_find.h"
#include "schedule/call_block.h"

/* Sizes of segments that are tried, 0 for none, and degrees. */
static const int64_t segments[] = {0, 8 << 10, 32 << 10, 128 << 10};
static const int degrees[] = {2, 4};
enum {
  N_SEGMENTS = sizeof segments / sizeof *segments,
  N_DEGREES = sizeof degrees / sizeof *degrees
};

/* What the search works on. */
typedef struct search {
  advice_scene_t scene;
  schedule_rules_t *rules, *own; /* that choose, and those of the MPI; these may be the same */
  coll_class_t *classes;
  size_t n_classes;
  advice_try_t *tries; /* of the algorithms taken, the most expensive first */
  size_t n, cap;
  berth_advice_t *out;
  berth_error_t *err;
} search_t;

/* --- what is taken --- */

static double rank_of(const advice_try_t *t) { return isnan(t->cost_s) ? -1 : t->cost_s; }
ORDER_BY(expensive_first, advice_try_t, FALLING_BY(rank_of) RISING(group.first))

/* Whether estimates have a group's calls by hosts. */
static int is_by_hosts(const search_t *s, advice_try_t *t)
{
  coll_rounds_t in = {.rules = s->rules, .err = s->err};
  int rc = coll_hosts_takes(&in, &t->group, t->n, t->stage, &t->by_hosts);
  in.rules = NULL; /* it was lent */
  coll_rounds_end(&in);
  return rc;
}

static int find_taken(search_t *s)
{
  coll_group_t g;
  bool by_hosts = pattern_is_by_hosts(s->scene.p);
  s->scene.rules = s->rules;
  for (size_t i = 0; i < s->n_classes; i += g.n) {
    advice_try_t t = {.group = g = coll_group_at(s->classes, i, s->n_classes)};
    t.n = schedule_decide(s->rules, &g.first->request, t.stage);
    int rc = by_hosts && t.n > 0 ? is_by_hosts(s, &t) : BERTH_OK;
    if (rc) return rc;
    if (t.n > 0 && !ARRAY_ADD(&s->tries, &s->n, &s->cap, t)) return no_memory(s->err);
  }
  int rc = advice_price(&s->scene, s->tries, s->n, s->err);
  if (!rc && s->n) qsort(s->tries, s->n, sizeof *s->tries, expensive_first);
  return rc;
}

/* --- what else there is --- */

/* Choices of one group while they are collected. */
typedef struct choices {
  advice_try_t *tries;
  size_t n, cap, n_choices, cap_choices;
  berth_choice_t *choices; /* of the tries */
} choices_t;

/* Where a setting has several algorithms, the MPI takes the first that serves. */
static bool is_there(const choices_t *c, const char *setting)
{
  return c->n > 0 && strcmp(c->choices[c->n - 1].setting, setting) == 0;
}

static bool add_choice(const search_t *s, const advice_try_t *taken, const schedule_setting_t *a,
                       schedule_told_t told, choices_t *to)
{
  advice_try_t t = {.group = taken->group};
  berth_choice_t c = {a->algorithm, a->number, (uint64_t)told.segment, told.degree, 0};
  t.n = schedule_decide_by(s->own, &t.group.first->request, a->algorithm, &told, t.stage);
  if (t.n < 1) return true;
  return ARRAY_ADD(&to->tries, &to->n, &to->cap, t) &&
         ARRAY_ADD(&to->choices, &to->n_choices, &to->cap_choices, c);
}

/* Adds all variants of an algorithm whose segments are smaller than the block. */
static bool add_variants(const search_t *s, const advice_try_t *taken, const schedule_setting_t *a,
                         choices_t *to)
{
  bool added = true;
  const schedule_request_t *q = &taken->group.first->request;
  if (is_there(to, a->number)) return true;
  for (int d = 0; d < (a->has_degree ? N_DEGREES : 1); d++)
    for (int i = 0; i < (a->has_segment ? N_SEGMENTS : 1) && added; i++)
      if (i == 0 || segments[i] < q->call.count * q->element)
        added = add_choice(s, taken, a,
                           (schedule_told_t){segments[i], a->has_degree ? degrees[d] : 0}, to);
  return added;
}

static double cost_of(const berth_choice_t *c) { return -c->cost_s; }
ORDER_BY(cheapest_first, berth_choice_t, FALLING_BY(cost_of))

static int find_choices(const search_t *s, const advice_try_t *taken, choices_t *to)
{
  const advice_mpi_t *mpi = s->out->mpi;
  size_t n;
  bool added = true;
  const schedule_request_t *q = &taken->group.first->request;
  schedule_op_t op = q->call.op;
  const schedule_setting_t *all = schedule_settings(mpi->rules, &n);
  bool has_choice = q->way == SCHEDULE_BLOCKING && mpi->is_told(op) && !schedule_has_no_choice(q);
  for (size_t i = 0; i < n && added && has_choice; i++)
    if (all[i].op == op) added = add_variants(s, taken, &all[i], to);
  int rc = added ? advice_price(&s->scene, to->tries, to->n, s->err) : no_memory(s->err);
  for (size_t i = 0; i < to->n_choices && !rc; i++)
    to->choices[i].cost_s = isnan(to->tries[i].cost_s) ? INFINITY : to->tries[i].cost_s;
  if (!rc && to->n) qsort(to->choices, to->n, sizeof *to->choices, cheapest_first);
  return rc;
}

/* --- one group --- */

static const char *name_of(arena_t *arena, const advice_try_t *t)
{
  char name[256];
  size_t used = 0;
  for (int i = 0; i < t->n && used < sizeof name; i++)
    used += (size_t)snprintf(name + used, sizeof name - used, "%s%s", i ? " + " : "",
                             t->stage[i].algorithm->name);
  return arena_strdup(arena, name);
}

static bool sites_differ(const coll_group_t *g)
{
  bool differ = false;
  for (size_t i = 0; i < g->n; i++)
    differ |= g->first[i].more_sites || g->first[i].site != g->first->site;
  return differ;
}

/* Fills all but the texts and choices. */
static berth_advised_t describe(const search_t *s, const advice_try_t *t)
{
  const coll_class_t *c = t->group.first;
  const schedule_call_t *call = &c->request.call;
  const berth_phase_t *phase = pattern_phase(s->scene.p, c->phase);
  int64_t elements = c->blocks ? c->blocks->total : call->count;
  return (berth_advised_t){.op = c->op,
                           .phase = c->phase,
                           .ranks = call->size,
                           .comms = t->group.n,
                           .bytes = (uint64_t)(elements * c->request.element),
                           .calls = (double)c->calls * (double)t->group.n *
                                    (phase ? (double)phase->repeats : 1),
                           .site = c->site,
                           .more_sites = sites_differ(&t->group),
                           .cost_s = isnan(t->cost_s) ? INFINITY : t->cost_s};
}

static int add_group(search_t *s, const advice_try_t *t)
{
  berth_advice_t *a = s->out;
  choices_t c = {0};
  berth_advised_t g = describe(s, t);
  char *text = coll_rounds_call_text(&t->group);
  int rc = isnan(t->cost_s) || t->by_hosts ? BERTH_OK : find_choices(s, t, &c);
  g.n = c.n;
  g.choices = arena_copy(&a->arena, c.choices, c.n * sizeof *c.choices);
  g.text = text ? arena_strdup(&a->arena, text) : NULL;
  g.algorithm = t->text ? arena_strdup(&a->arena, t->text) : name_of(&a->arena, t);
  if (!rc && (!g.choices || !g.text || !g.algorithm)) rc = no_memory(s->err);
  advice_key_t key = {.group = &a->groups[a->n], .by_hosts = t->by_hosts};
  a->mpi->find(&t->group.first->request, &key.ranks, &key.bytes);
  a->groups[a->n] = g;
  a->keys[a->n++] = key;
  free(text);
  free(c.tries);
  free(c.choices);
  return rc;
}

/* --- all --- */

static int find_all(search_t *s, size_t max)
{
  berth_advice_t *a = s->out;
  s->classes = coll_classes(s->scene.p, &s->n_classes, s->err);
  int rc = s->classes ? find_taken(s) : s->err->code;
  if (rc) return rc;
  size_t n = s->n < max ? s->n : max;
  a->groups = arena_alloc(&a->arena, (n + 1) * sizeof *a->groups);
  a->keys = arena_alloc(&a->arena, (n + 1) * sizeof *a->keys);
  if (!a->groups || !a->keys) return no_memory(s->err);
  for (size_t i = 0; i < n && !rc; i++) rc = add_group(s, &s->tries[i]);
  if (!rc && !advice_find_settings(a)) rc = no_memory(s->err);
  return rc;
}

/* Loads the rules that choose, and finds the MPI that they or the pattern are of. */
static int find_mpi(search_t *s, const char *rules)
{
  int nearest = 0;
  const char *of_pattern = berth_collectives_rules(berth_pattern_mpi(s->scene.p), &nearest);
  if (strcmp(rules, "auto") == 0) rules = nearest ? NULL : of_pattern;
  int rc = rules ? coll_rules_load(rules, s->scene.p, &s->rules, s->err) : BERTH_OK;
  if (rc || !rules) return rc;
  s->out->mpi = advice_mpi_find(schedule_rules_name(s->rules));
  if (!s->out->mpi && of_pattern && !nearest) s->out->mpi = advice_mpi_find(of_pattern);
  return s->out->mpi ? coll_rules_load(s->out->mpi->rules, s->scene.p, &s->own, s->err) : BERTH_OK;
}

berth_advice_t *berth_advice_new(const berth_pattern_t *p, const berth_topo_t *t,
                                 berth_model_t model, const int *pu_of_rank, const char *rules,
                                 size_t max, berth_error_t *err)
{
  berth_error_t local = {0};
  search_t s = {.scene = {p, t, model, pu_of_rank},
                .out = calloc(1, sizeof *s.out),
                .err = err ? err : &local};
  int rc = s.out ? find_mpi(&s, rules) : no_memory(s.err);
  if (!rc && s.out->mpi) rc = find_all(&s, max);
  coll_classes_free(s.classes, s.n_classes);
  for (size_t i = 0; i < s.n; i++) free(s.tries[i].text);
  free(s.tries);
  schedule_rules_free(s.rules);
  schedule_rules_free(s.own);
  if (!rc) return s.out;
  berth_advice_free(s.out);
  return NULL;
}

void berth_advice_free(berth_advice_t *a)
{
  if (!a) return;
  arena_free(&a->arena);
  free(a);
}

const berth_advised_t *berth_advice_groups(const berth_advice_t *a, size_t *n)
{
  *n = a->n;
  return a->groups;
}

const char *berth_advice_mpi(const berth_advice_t *a) { return a->mpi ? a->mpi->rules : ""; }
