/* SPDX-License-Identifier: BSD-3-Clause */
/* Matches a pattern's phases with the baseline's.
 * Numbers shift if a program gets a new phase, so unique names are compared first. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "check/check_internal.h"

/* A phase with what it is matched by; and lists of phases. */
typedef struct phase_key {
  const char *name;
  double repeats, cost_s;
  size_t place;
} phase_key_t;

typedef struct phase_keys {
  phase_key_t *items;
  size_t n;
  char **texts; /* names without line numbers, by index; NULL: not made yet */
  size_t n_texts;
} phase_keys_t;

/* matched[k] is the index in `was` of phase k of `now`; taken[] marks the matched ones. */
typedef struct matching {
  const check_side_t *now, *was;
  phase_keys_t now_keys, was_keys;
  size_t *matched;
  bool *taken;
} matching_t;

ORDER_BY(by_name, phase_key_t, RISING_TEXT(name) RISING(place))

ORDER_BY(by_name_and_cost, phase_key_t,
         RISING_TEXT(name) RISING(repeats) RISING(cost_s) RISING(place))

static int same_name(const phase_key_t *p, const phase_key_t *q)
{
  return strcmp(p->name, q->name);
}

/* Same name, same repeats, and same cost except for rounding. */
static int alike(const phase_key_t *p, const phase_key_t *q)
{
  int order = strcmp(p->name, q->name);
  if (!order) order = ORDER(p->repeats, q->repeats);
  bool differ = check_grew(p->cost_s, q->cost_s) || check_grew(q->cost_s, p->cost_s);
  return order || !differ ? order : ORDER(p->cost_s, q->cost_s);
}

/* Matches equal phases of two sorted lists. */
static void match_sorted(matching_t *m, int (*same)(const phase_key_t *, const phase_key_t *))
{
  for (size_t i = 0, k = 0; i < m->now_keys.n && k < m->was_keys.n;) {
    const phase_key_t *now = &m->now_keys.items[i], *was = &m->was_keys.items[k];
    bool gone = m->matched[now->place] != CHECK_NONE, had = m->taken[was->place];
    int order = gone ? -1 : had ? 1 : same(now, was);
    i += order <= 0;
    k += order >= 0;
    if (order) continue;
    m->matched[now->place] = was->place;
    m->taken[was->place] = true;
  }
}

static void sort(phase_keys_t *keys, int (*order)(const void *, const void *))
{
  if (keys->n > 1) qsort(keys->items, keys->n, sizeof *keys->items, order);
}

/* Removes names that several phases have. */
static void keep_unique(phase_keys_t *keys)
{
  size_t kept = 0;
  for (size_t i = 0, end; i < keys->n; i = end) {
    for (end = i + 1; end < keys->n && same_name(&keys->items[i], &keys->items[end]) == 0;) end++;
    if (end == i + 1) keys->items[kept++] = keys->items[i];
  }
  keys->n = kept;
}

/* Lists the phases that have names. False when memory is out. */
static bool list_phases(const check_side_t *side, phase_keys_t *keys)
{
  keys->items = calloc(side->n_phases + 1, sizeof *keys->items);
  for (size_t k = 0; keys->items && k < side->n_phases; k++)
    if (*side->phases[k].name)
      keys->items[keys->n++] = (phase_key_t){side->phases[k].name, (double)side->phases[k].repeats,
                                             side->cost.phases[k].cost_s, k};
  return keys->items != NULL;
}

/* Lists the phases again, by names without line numbers. */
static bool drop_lines(const check_side_t *side, phase_keys_t *keys)
{
  free(keys->items);
  keys->n = 0;
  if (!list_phases(side, keys)) return false;
  keys->texts = calloc(keys->n + 1, sizeof *keys->texts);
  for (; keys->texts && keys->n_texts < keys->n; keys->n_texts++) {
    char *text = check_place_text(keys->items[keys->n_texts].name);
    if (!text) return false;
    keys->texts[keys->n_texts] = text;
    keys->items[keys->n_texts].name = text;
  }
  return keys->texts != NULL;
}

static void keys_free(phase_keys_t *keys)
{
  for (size_t i = 0; i < keys->n_texts; i++) free(keys->texts[i]);
  free(keys->texts);
  free(keys->items);
}

/* Matches by number, unless both phases have names, which then differ. */
static size_t find_id(const check_side_t *side, const berth_phase_t *phase)
{
  size_t k = check_place(side, phase->id);
  if (k == CHECK_NONE) return CHECK_NONE;
  const char *name = side->phases[k].name;
  return !*name || !*phase->name || strcmp(name, phase->name) == 0 ? k : CHECK_NONE;
}

static void match_numbers(matching_t *m)
{
  for (size_t k = 0; k < m->now->n_phases; k++) {
    if (m->matched[k] != CHECK_NONE) continue;
    size_t place = find_id(m->was, &m->now->phases[k]);
    if (place == CHECK_NONE || m->taken[place]) continue;
    m->matched[k] = place;
    m->taken[place] = true;
  }
}

/* Phases that the tracer found have names with line numbers, which change when the program does.
 * Matches phases with equal names apart from these, those of equal cost first. */
static bool match_moved(matching_t *m)
{
  if (!drop_lines(m->now, &m->now_keys) || !drop_lines(m->was, &m->was_keys)) return false;
  sort(&m->now_keys, by_name_and_cost);
  sort(&m->was_keys, by_name_and_cost);
  match_sorted(m, alike);
  sort(&m->now_keys, by_name);
  sort(&m->was_keys, by_name);
  match_sorted(m, same_name);
  return true;
}

/* Matches all phases. False when memory is out. Both lists are sorted and merged, so thousands of
 * phases don't take quadratic time. */
static bool match(matching_t *m)
{
  if (!m->matched || !m->taken || !list_phases(m->now, &m->now_keys) ||
      !list_phases(m->was, &m->was_keys))
    return false;
  for (size_t k = 0; k < m->now->n_phases; k++) m->matched[k] = CHECK_NONE;
  sort(&m->now_keys, by_name);
  sort(&m->was_keys, by_name);
  keep_unique(&m->now_keys);
  keep_unique(&m->was_keys);
  match_sorted(m, same_name);
  match_numbers(m);
  return match_moved(m);
}

static void put_now(const check_side_t *side, size_t k, berth_check_phase_t *out)
{
  out->id = side->phases[k].id;
  out->name = side->phases[k].name;
  out->repeats = (double)side->phases[k].repeats;
  out->cost_s = side->cost.phases[k].cost_s;
}

static void put_was(const check_side_t *side, size_t k, berth_check_phase_t *out)
{
  out->was_id = side->phases[k].id;
  if (!out->name || !*out->name) out->name = side->phases[k].name;
  out->was_repeats = (double)side->phases[k].repeats;
  out->was_cost_s = side->cost.phases[k].cost_s;
}

static double growth(const berth_check_phase_t *p)
{
  return p->repeats * p->cost_s - p->was_repeats * p->was_cost_s;
}

ORDER_BY(by_growth, berth_check_phase_t, FALLING_BY(growth) RISING(id) RISING(was_id))

static void list_matched(const matching_t *m, berth_check_t *out)
{
  for (size_t k = 0; k < m->now->n_phases; k++) {
    berth_check_phase_t *phase = &out->phases[out->n_phases++];
    phase->was_id = -1;
    put_now(m->now, k, phase);
    if (m->matched[k] != CHECK_NONE) put_was(m->was, m->matched[k], phase);
  }
  for (size_t k = 0; k < m->was->n_phases; k++) {
    if (m->taken[k]) continue;
    berth_check_phase_t *gone = &out->phases[out->n_phases++];
    gone->id = -1;
    put_was(m->was, k, gone);
  }
  qsort(out->phases, out->n_phases, sizeof *out->phases, by_growth);
}

int check_match_phases(const check_job_t *job, berth_check_t *out, berth_error_t *err)
{
  size_t n = job->now.n_phases, n_was = job->was.n_phases;
  matching_t m = {.now = &job->now,
                  .was = &job->was,
                  .matched = malloc((n + 1) * sizeof *m.matched),
                  .taken = calloc(n_was + 1, sizeof *m.taken)};
  out->phases = calloc(n + n_was + 1, sizeof *out->phases);
  bool enough = out->phases && match(&m);
  if (enough) list_matched(&m, out);
  free(m.matched);
  free(m.taken);
  keys_free(&m.now_keys);
  keys_free(&m.was_keys);
  return enough ? BERTH_OK : no_memory(err);
}
