/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers facts of a team's members and tells all of them the result. */
#include "team/team_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "team/team.h"

/* Precedes a fact's key and value. */
typedef struct fact_head {
  uint32_t kind, key_bytes;
  uint64_t value_bytes;
} fact_head_t;

void facts_put(facts_t *f, uint32_t kind, const void *key, size_t key_bytes, const void *value,
               size_t value_bytes)
{
  const fact_head_t head = {kind, (uint32_t)key_bytes, value_bytes};
  size_t n = sizeof head + key_bytes + value_bytes;
  if (f->failed || !array_reserve(&f->bytes, &f->cap, f->n + n, 1)) {
    f->failed = true;
    return;
  }
  unsigned char *to = f->bytes + f->n;
  memcpy(to, &head, sizeof head);
  if (key_bytes) memcpy(to + sizeof head, key, key_bytes);
  if (value_bytes) memcpy(to + sizeof head + key_bytes, value, value_bytes);
  f->n += n;
}

bool facts_next(const facts_t *f, size_t *at, fact_t *fact)
{
  fact_head_t head;
  if (*at == f->n) return false;
  const unsigned char *from = f->bytes + *at;
  memcpy(&head, from, sizeof head);
  *fact = (fact_t){head.kind, head.key_bytes, head.value_bytes, from + sizeof head,
                   from + sizeof head + head.key_bytes};
  *at += sizeof head + head.key_bytes + head.value_bytes;
  return true;
}

void facts_clear(facts_t *f)
{
  free(f->bytes);
  *f = (facts_t){0};
}

static int fact_order(const void *x, const void *y)
{
  const fact_t *a = x, *b = y;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  size_t n = a->key_bytes < b->key_bytes ? a->key_bytes : b->key_bytes;
  int order = n ? memcmp(a->key, b->key, n) : 0;
  return order ? order : (a->key_bytes > b->key_bytes) - (a->key_bytes < b->key_bytes);
}

static void copy(facts_t *into, const fact_t *fact)
{
  facts_put(into, fact->kind, fact->key, fact->key_bytes, fact->value, fact->value_bytes);
}

static void replace(facts_t *f, facts_t *by)
{
  by->failed |= f->failed;
  free(f->bytes);
  *f = *by;
}

static void sort(facts_t *f)
{
  fact_t *facts = NULL, next;
  facts_t sorted = {0};
  size_t n = 0, cap = 0;
  for (size_t at = 0; facts_next(f, &at, &next); facts[n++] = next)
    if (!ARRAY_GROW(&facts, n, &cap)) {
      f->failed = true;
      break;
    }
  if (n > 1) qsort(facts, n, sizeof *facts, fact_order);
  for (size_t i = 0; i < n; i++) copy(&sorted, &facts[i]);
  free(facts);
  replace(f, &sorted);
}

/* Merges two sorted sets. */
static void merge(facts_t *f, const facts_t *more, facts_combine_t *combine)
{
  facts_t all = {0};
  fact_t a, b;
  size_t at_a = 0, at_b = 0;
  bool has_a = facts_next(f, &at_a, &a), has_b = facts_next(more, &at_b, &b);
  while (has_a || has_b) {
    int order = !has_b ? -1 : !has_a ? 1 : fact_order(&a, &b);
    if (order == 0) combine(&all, &a, &b);
    if (order < 0) copy(&all, &a);
    if (order > 0) copy(&all, &b);
    if (order <= 0) has_a = facts_next(f, &at_a, &a);
    if (order >= 0) has_b = facts_next(more, &at_b, &b);
  }
  replace(f, &all);
}

/* Adds the facts of a child in the tree. */
static int take_in(facts_t *f, const berth_team_t *team, int from, facts_combine_t *combine, int rc,
                   berth_error_t *err)
{
  facts_t more = {0};
  berth_error_t theirs = {0};
  int failed = team_receive(team, from, &more.bytes, &more.n, &theirs);
  if (!rc && failed) rc = berth_fail(err, failed, "%s", theirs.text);
  if (!rc) merge(f, &more, combine);
  if (!rc && f->failed) rc = no_memory(err);
  facts_clear(&more);
  return rc;
}

/* Receives the outcome from the parent and sends it to the children. */
static int tell(facts_t *f, const berth_team_t *team, int top, bool everywhere, int rc,
                berth_error_t *err)
{
  if (team->rank) {
    facts_clear(f);
    rc = team_receive(team, team->rank - top, &f->bytes, &f->n, err);
    f->cap = f->n;
  }
  for (int step = top >> 1; step; step >>= 1)
    if (step < team->size - team->rank)
      team_send(team, team->rank + step, f->bytes, everywhere ? f->n : 0, rc, err);
  return rc;
}

int facts_agree(facts_t *f, const berth_team_t *team, facts_combine_t *combine, bool everywhere,
                int rc, berth_error_t *err)
{
  berth_error_t local = {0};
  if (!err) err = &local;
  int step = 1;
  sort(f);
  if (!rc && f->failed) rc = no_memory(err);
  if (team) {
    /* children are rank + step, for steps below the lowest bit of the rank */
    for (; step < team->size && !(team->rank & step); step <<= 1)
      if (step < team->size - team->rank)
        rc = take_in(f, team, team->rank + step, combine, rc, err);
    if (team->rank) team_send(team, team->rank - step, f->bytes, f->n, rc, err);
    rc = tell(f, team, step, everywhere, rc, err);
  }
  if (rc) facts_clear(f);
  return rc;
}

int facts_agree_on(const berth_team_t *team, facts_combine_t *combine, void *value, size_t n,
                   bool knows, int rc, berth_error_t *err)
{
  facts_t f = {0};
  fact_t fact;
  if (knows) facts_put(&f, 0, NULL, 0, value, n);
  rc = facts_agree(&f, team, combine, true, rc, err);
  for (size_t at = 0; !rc && n && facts_next(&f, &at, &fact);) memcpy(value, fact.value, n);
  facts_clear(&f);
  return rc;
}

/* Sends outcomes only, which needs no memory. */
int facts_status(const berth_team_t *team, int rc, berth_error_t *err)
{
  facts_t none = {0};
  return facts_agree(&none, team, NULL, true, rc, err);
}
