/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads budgets, and checks a pattern against them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/field.h"
#include "base/no_memory.h"
#include "base/numeric.h"
#include "base/order.h"
#include "base/text.h"
#include "check/check_internal.h"
#include "pattern/phase_find.h"

typedef struct unit {
  const char *name;
  double factor;
} unit_t;

static const unit_t times[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {NULL, 0}};
static const unit_t sizes[] = {{"B", 1},
                               {"KiB", 1024.0},
                               {"MiB", 1048576.0},
                               {"GiB", 1073741824.0},
                               {"TiB", 1099511627776.0},
                               {"PiB", 1125899906842624.0},
                               {NULL, 0}};

/* Reads a plain decimal number and its unit. strtod would accept spaces, signs, "inf" and
 * "0x10". */
static bool read_limit(const char *text, const unit_t *unit, double *out)
{
  char *end;
  bool decimal = *text == '.' || (*text >= '0' && *text <= '9');
  if (!decimal || (*text == '0' && (text[1] == 'x' || text[1] == 'X'))) return false;
  locale_t before = numeric_begin();
  double value = strtod(text, &end);
  numeric_end(before);
  if (end == text || !(value >= 0 && value <= 1e18)) return false;
  while (unit->name && strcmp(end, unit->name) != 0) unit++;
  *out = value * unit->factor;
  return unit->name != NULL;
}

int berth_budget_parse(const char *text, berth_budget_t *out, berth_error_t *err)
{
  static const struct {
    const char *prefix;
    berth_budget_kind_t kind;
    const unit_t *units;
  } kinds[] = {{"cost", BERTH_BUDGET_COST, times},
               {"phase:", BERTH_BUDGET_PHASE, times},
               {"bytes:", BERTH_BUDGET_BYTES, sizes}};
  const char *limit = strrchr(text, '='); /* the last one, because names may contain one */
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && limit; i++) {
    const char *name = text + strlen(kinds[i].prefix);
    bool named = kinds[i].kind != BERTH_BUDGET_COST;
    if (!text_starts(text, kinds[i].prefix) || (named ? name >= limit : name != limit)) continue;
    *out = (berth_budget_t){kinds[i].kind, text, name, (size_t)(limit - name), 0};
    if (read_limit(limit + 1, kinds[i].units, &out->limit)) return BERTH_OK;
    return berth_fail(
        err, BERTH_USAGE, "found limit '%.60s' in '%.120s', expected %s", limit + 1, text,
        named && kinds[i].units == sizes ? "a number of B, KiB, MiB, GiB, TiB or PiB, as in 10GiB"
                                         : "a number of s, ms, us or ns, as in 2.5s");
  }
  return berth_fail(
      err, BERTH_USAGE,
      "found '%.120s', expected a budget: cost=2.5s, phase:NAME=300ms or bytes:NAME=10GiB", text);
}

static bool is_named(const berth_budget_t *b, const char *name)
{
  return name && strlen(name) == b->length && memcmp(name, b->name, b->length) == 0;
}

/* --- costs --- */

static double total(const berth_check_phase_t *p) { return p->repeats * p->cost_s; }

ORDER_BY(by_cost, berth_check_phase_t, FALLING_BY(total) RISING(id))

/* Lists the most expensive of the phases first … end - 1, with the pairs that load their
 * bottlenecks. */
static int explain_cost(const check_job_t *job, size_t first, size_t end, berth_check_budget_t *out,
                        berth_error_t *err)
{
  size_t n = end - first, max = job->options->max_phases;
  int rc = BERTH_OK;
  out->phases = calloc(n + 1, sizeof *out->phases);
  if (!out->phases) return no_memory(err);
  for (size_t i = 0; i < n; i++)
    out->phases[i] = (berth_check_phase_t){.id = job->now.phases[first + i].id,
                                           .was_id = -1,
                                           .name = job->now.phases[first + i].name,
                                           .repeats = (double)job->now.phases[first + i].repeats,
                                           .cost_s = job->now.cost.phases[first + i].cost_s};
  qsort(out->phases, n, sizeof *out->phases, by_cost);
  out->n_phases = n < max ? n : max;
  for (size_t i = 0; i < out->n_phases && !rc; i++)
    rc = check_explain(job, check_place(&job->now, out->phases[i].id), CHECK_NONE, &out->phases[i],
                       err);
  return rc;
}

/* Appends a name to a list for an error. If there is no room, appends dots and returns false. */
static bool list_name(char *list, size_t size, const char *name)
{
  size_t used = strlen(list), left = size - used;
  int n = snprintf(list + used, left, "%s%s", used ? ", " : "", name);
  if (n >= 0 && (size_t)n + sizeof ", ..." < left) return true;
  snprintf(list + used, left, ", ...");
  return false;
}

static int find_phase(const check_job_t *job, const berth_budget_t *b, size_t *place,
                      berth_error_t *err)
{
  char option[140];
  field_print(option, sizeof option, "`budgets` %.120s", b->text);
  return pattern_find_phase(job->now.pattern, b->name, b->length, option, BERTH_BAD_INPUT, place,
                            err);
}

static int check_cost(const check_job_t *job, const berth_budget_t *b, berth_check_budget_t *out,
                      berth_error_t *err)
{
  size_t first = 0, end = job->now.n_phases;
  if (out->known) out->value = job->now.total_s;
  if (b->kind == BERTH_BUDGET_PHASE) {
    int rc = find_phase(job, b, &first, err);
    if (rc) return rc;
    end = first + 1;
    if (!out->known) return BERTH_OK;
    out->value = (double)job->now.phases[first].repeats * job->now.cost.phases[first].cost_s;
  }
  out->broken = out->known && out->value > b->limit;
  return out->broken ? explain_cost(job, first, end, out, err) : BERTH_OK;
}

/* --- bytes --- */

static void list_elements(const berth_topo_t *t, char *list, size_t size)
{
  bool room = true;
  for (int i = 0; i < berth_topo_n_types(t) && room; i++)
    room = list_name(list, size, berth_topo_type(t, i)->name);
  for (int e = 0; e < berth_topo_n_elements(t) && room; e++)
    if (berth_topo_element(t, e)->type >= 0)
      room = list_name(list, size, berth_topo_element_name(t, e));
}

/* Marks the switches with that name, or with a type of that name. */
static int mark(const berth_topo_t *t, const berth_budget_t *b, bool **out, berth_error_t *err)
{
  size_t found = 0, n = (size_t)berth_topo_n_elements(t);
  char names[300] = "";
  *out = calloc(n + 1, sizeof **out);
  if (!*out) return no_memory(err);
  for (int e = 0; e < (int)n; e++) {
    int type = berth_topo_element(t, e)->type;
    (*out)[e] = type >= 0 && (is_named(b, berth_topo_element_name(t, e)) ||
                              is_named(b, berth_topo_type(t, type)->name));
    found += (*out)[e];
  }
  if (found) return BERTH_OK;
  list_elements(t, names, sizeof names);
  return berth_fail(
      err, BERTH_BAD_INPUT,
      "`budgets` %.120s: found no element and no type of that name, expected one of %s", b->text,
      names);
}

/* Whether the way between two PUs passes a marked switch, the one where it turns round included. */
static bool passes(const berth_topo_t *t, const bool *marked, int from, int to)
{
  int a = berth_topo_element(t, berth_topo_pu(t, from)->element)->parent;
  int b = berth_topo_element(t, berth_topo_pu(t, to)->element)->parent;
  bool found = marked[a] || marked[b];
  while (a != b && !found) {
    int *deeper = berth_topo_element(t, a)->depth >= berth_topo_element(t, b)->depth ? &a : &b;
    *deeper = berth_topo_element(t, *deeper)->parent;
    found = marked[*deeper];
  }
  return found;
}

ORDER_BY(by_ranks, berth_check_pair_t, RISING(src) RISING(dst))

ORDER_BY(by_bytes, berth_check_pair_t, FALLING(bytes) RISING(src) RISING(dst))

/* Adds the bytes of one phase that pass. Each pair gets an entry for each phase. */
static int add_bytes(const check_job_t *job, const bool *marked, size_t k,
                     berth_check_budget_t *out, size_t *cap, berth_error_t *err)
{
  size_t n;
  double repeats = (double)job->now.phases[k].repeats;
  const int *pu = job->now.pu_of_rank;
  const berth_message_t *m = berth_pattern_messages(job->now.pattern, k, &n);
  for (size_t i = 0; i < n;) {
    berth_check_pair_t pair = {.src = m[i].src, .dst = m[i].dst};
    for (; i < n && m[i].src == pair.src && m[i].dst == pair.dst; i++) {
      pair.messages += repeats * (double)m[i].count;
      pair.bytes += repeats * (double)m[i].bytes;
    }
    if (pair.src == pair.dst || !passes(job->topo, marked, pu[pair.src], pu[pair.dst])) continue;
    if (!ARRAY_ADD(&out->pairs, &out->n_pairs, cap, pair)) return no_memory(err);
    out->value += pair.bytes;
  }
  return BERTH_OK;
}

/* Merges the entries of each pair, and sorts pairs by bytes. */
static void merge_pairs(berth_check_budget_t *out)
{
  size_t kept = 0;
  if (!out->n_pairs) return;
  qsort(out->pairs, out->n_pairs, sizeof *out->pairs, by_ranks);
  for (size_t i = 1; i < out->n_pairs; i++) {
    if (by_ranks(&out->pairs[kept], &out->pairs[i]) != 0) {
      out->pairs[++kept] = out->pairs[i];
      continue;
    }
    out->pairs[kept].messages += out->pairs[i].messages;
    out->pairs[kept].bytes += out->pairs[i].bytes;
  }
  out->n_pairs = kept + 1;
  qsort(out->pairs, out->n_pairs, sizeof *out->pairs, by_bytes);
}

static int check_bytes(const check_job_t *job, const berth_budget_t *b, berth_check_budget_t *out,
                       berth_error_t *err)
{
  bool *marked = NULL;
  size_t cap = 0;
  int rc = mark(job->topo, b, &marked, err);
  for (size_t k = 0; k < job->now.n_phases && !rc && out->known; k++)
    rc = add_bytes(job, marked, k, out, &cap, err);
  free(marked);
  out->broken = !rc && out->value > b->limit;
  if (!out->broken) {
    free(out->pairs);
    out->pairs = NULL;
    out->n_pairs = 0;
    return rc;
  }
  merge_pairs(out);
  size_t max = job->options->max_pairs, listed = out->n_pairs < max ? out->n_pairs : max;
  for (; out->n_listed < listed && !rc; out->n_listed++)
    rc = check_sites(job, CHECK_ALL, CHECK_NONE, &out->pairs[out->n_listed], err);
  return rc;
}

int check_budget(const check_job_t *job, const berth_budget_t *budget, berth_check_budget_t *out,
                 berth_error_t *err)
{
  out->budget = budget;
  out->known = job->now.pu_of_rank != NULL;
  return budget->kind == BERTH_BUDGET_BYTES ? check_bytes(job, budget, out, err)
                                            : check_cost(job, budget, out, err);
}
