/* SPDX-License-Identifier: BSD-3-Clause */
/* Which call sites load which level of the machine. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "cost/cost_hosts.h"
#include "cost/cost_levels.h"
#include "cost/cost_sites.h"

/* What is added up: a row for each call site, and one for messages without any. */
typedef struct tally {
  berth_cost_t *c;
  const int *pu_of_rank;
  int n_levels;
  const berth_site_t *site;
  size_t n_sites;
  berth_site_traffic_t *row; /* n_sites + 1 */
  double *weight;            /* of each row, in the calls at hand */
  berth_error_t *err;
} tally_t;

/* The index of a call site; behind all of them if it is unknown. */
static size_t row_of(const berth_pattern_t *p, int site)
{
  size_t n;
  const berth_site_t *first = berth_pattern_sites(p, &n), *found = berth_pattern_site(p, site);
  return found ? (size_t)(found - first) : n;
}

static void add_messages(tally_t *t, size_t k)
{
  size_t n;
  double repeats = t->c->phase[k].repeats;
  const berth_message_t *m = berth_pattern_messages(t->c->pattern, k, &n);
  for (const berth_message_t *end = m + n; m < end; m++) {
    int top, deepest;
    berth_site_traffic_t *row = &t->row[row_of(t->c->pattern, m->site)];
    if (m->src == m->dst) continue;
    cost_levels_of_pair(t->c, t->pu_of_rank[m->src], t->pu_of_rank[m->dst], &top, &deepest);
    for (int d = top; d <= deepest; d++) {
      row->messages[d] += repeats * (double)m->count;
      row->bytes[d] += repeats * (double)m->bytes;
    }
  }
}

static int call_of(const berth_phase_t *phase)
{
  return phase->more_of > 0 ? phase->more_of : phase->collective;
}

bool cost_shares_sites(const berth_pattern_t *p, const berth_phase_t *phase)
{
  size_t n;
  const berth_coll_t *coll = berth_pattern_colls(p, &n);
  if (phase->by_hosts) return true;
  for (size_t i = 0; i < n && cost_is_of_calls(phase); i++)
    if (coll[i].included == call_of(phase)) return true;
  return false;
}

double cost_weigh_sites(const berth_pattern_t *p, const berth_phase_t *phase, double *weight)
{
  size_t n, n_sites;
  double sum = 0;
  int call = call_of(phase);
  const berth_coll_t *coll = berth_pattern_colls(p, &n);
  berth_pattern_sites(p, &n_sites);
  memset(weight, 0, (n_sites + 1) * sizeof *weight);
  for (size_t i = 0; i < n; i++) {
    if (coll[i].included != call) continue;
    double bytes = (double)coll[i].count * (double)(coll[i].bytes > 0 ? coll[i].bytes : 1);
    weight[row_of(p, coll[i].site)] += bytes;
    sum += bytes;
  }
  if (sum > 0) return sum;
  return weight[n_sites] = 1; /* epochs of one-sided operations */
}

/* Rounds of collective calls, or calls whose rounds depend on hosts. */
static int add_calls(tally_t *t, size_t k, const berth_phase_t *phase, double *level)
{
  int n = t->n_levels;
  double sum = cost_weigh_sites(t->c->pattern, phase, t->weight);
  double *messages = level, *bytes = level + n;
  memset(level, 0, 2 * (size_t)n * sizeof *level);
  int rc = cost_is_by_hosts(t->c, k)
               ? cost_hosts_levels(t->c, k, t->pu_of_rank, n, messages, bytes, t->err)
               : cost_levels_of_phase(t->c, k, t->pu_of_rank, n, messages, bytes, t->err);
  for (size_t i = 0; i <= t->n_sites && !rc; i++)
    for (int d = 0; d < n && t->weight[i] > 0; d++) {
      t->row[i].messages[d] += t->c->phase[k].repeats * t->weight[i] / sum * messages[d];
      t->row[i].bytes[d] += t->c->phase[k].repeats * t->weight[i] / sum * bytes[d];
    }
  return rc;
}

static bool is_empty(const tally_t *t, const berth_site_traffic_t *row)
{
  for (int d = 0; d < t->n_levels; d++)
    if (row->messages[d] > 0) return false;
  return true;
}

/* Rows and their numbers in one allocation. */
static berth_site_traffic_t *new_rows(const tally_t *t)
{
  size_t rows = t->n_sites + 1, levels = (size_t)t->n_levels;
  berth_site_traffic_t *row = calloc(1, rows * (sizeof *row + 2 * levels * sizeof(double)));
  double *number = row ? (double *)(void *)(row + rows) : NULL;
  for (size_t i = 0; row && i < rows; i++, number += 2 * levels)
    row[i] = (berth_site_traffic_t){i < t->n_sites ? t->site[i].id : -1, number, number + levels};
  return row;
}

static int count(tally_t *t)
{
  size_t n;
  int rc = BERTH_OK;
  const berth_phase_t *phase = berth_pattern_phases(t->c->pattern, &n);
  double *level = malloc(2 * (size_t)t->n_levels * sizeof *level);
  if (!level) return no_memory(t->err);
  for (size_t k = 0; k < n && !rc; k++) {
    size_t listed;
    berth_pattern_messages(t->c->pattern, k, &listed);
    bool counted = cost_is_of_calls(&phase[k]) && listed == 0;
    if (counted || cost_shares_sites(t->c->pattern, &phase[k]))
      rc = add_calls(t, k, &phase[k], level);
    else
      add_messages(t, k);
  }
  free(level);
  return rc;
}

int berth_cost_sites(berth_cost_t *c, const int *pu_of_rank, berth_site_traffic_t **out, size_t *n,
                     berth_error_t *err)
{
  berth_error_t own;
  tally_t t = {.c = c, .pu_of_rank = pu_of_rank, .err = err ? err : &own};
  t.site = berth_pattern_sites(c->pattern, &t.n_sites);
  t.n_levels = berth_topo_element(c->topo, 0)->height + 1;
  t.row = new_rows(&t);
  t.weight = malloc((t.n_sites + 1) * sizeof *t.weight);
  int rc = t.row && t.weight ? count(&t) : no_memory(err);
  free(t.weight);
  *n = 0;
  for (size_t i = 0; i <= t.n_sites && !rc; i++)
    if (!is_empty(&t, &t.row[i])) t.row[(*n)++] = t.row[i];
  if (rc) free(t.row);
  *out = rc ? NULL : t.row;
  return rc;
}
