/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts what an MPI was told in front of its rules. */
#include "schedule/rules/rules_tell.h"

#include <string.h>

#include "base/no_memory.h"

static const tells_t *tells_of(const char *rules)
{
  static const tells_t *const all[] = {&tells_openmpi, &tells_mpich};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i]->rules, rules) == 0) return all[i];
  return NULL;
}

/* What the rules say of an algorithm, with what was told beside it. */
static choice_t choice_told(const schedule_rules_t *r, const schedule_setting_t *setting,
                            const schedule_told_t *told)
{
  choice_t c = rules_choice_named(r, setting->op, setting->algorithm);
  c.is_told = true;
  if (told && setting->has_segment) c.segment = told->segment;
  if (told && setting->has_degree) c.degree = told->degree;
  return c;
}

void rules_tell_add(telling_t *t, const schedule_setting_t *setting, const schedule_told_t *told,
                    const condition_t *when, int n_when)
{
  arena_t *a = &t->rules->arena;
  schedule_op_t op = setting->op;
  const choice_t made = choice_told(t->rules, setting, told);
  rule_t rule = {.n_when = n_when, .choice = arena_copy(a, &made, sizeof made)};
  if (n_when) memcpy(rule.when, when, (size_t)n_when * sizeof *when);
  rule_t *copy = arena_copy(a, &rule, sizeof rule);
  t->failed |= !copy || !rule.choice;
  if (t->failed) return;
  if (t->last[op])
    t->last[op]->next = copy;
  else
    t->first[op] = copy;
  t->last[op] = copy;
}

static bool sends_nothing(const rule_t *rule)
{
  return rule->choice && !rule->choice->algorithm && rule->choice->n_parts == 0;
}

/* The MPI isn't asked for calls that send nothing, so these rules stay in front. */
static void put_in_front(telling_t *t, schedule_op_t op)
{
  rule_t **place = &t->rules->rules[0][op];
  for (rule_t **at = place; *at; at = &(*at)->next)
    if (sends_nothing(*at)) place = &(*at)->next;
  if (!t->first[op]) return;
  t->last[op]->next = *place;
  *place = t->first[op];
}

int schedule_rules_tell(schedule_rules_t *r, const schedule_parameter_t *parameter, size_t n,
                        bool *follows, berth_error_t *err)
{
  telling_t t = {.rules = r};
  const tells_t *tells = tells_of(r->name);
  for (size_t i = 0; i < n; i++) follows[i] = true;
  if (!tells) return BERTH_OK;
  tells->tell(&t, parameter, n, follows);
  if (t.failed) return no_memory(err);
  for (int op = 0; op < SCHEDULE_OPS; op++) put_in_front(&t, (schedule_op_t)op);
  return BERTH_OK;
}
