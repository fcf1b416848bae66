/* SPDX-License-Identifier: BSD-3-Clause */
/* A host's parts with what was measured of them, for the picture on the page. */
#include <math.h>
#include <string.h>

#include "report/data_node.h"

enum { MAX_ELEMENTS = 4096 };

static const char *const uses[] = {"copy", "read", "write", "transpose"};
enum { N_USES = sizeof uses / sizeof *uses };

typedef struct picture {
  json_out_t *j;
  const berth_topo_t *t;
  const berth_node_t *n;
  int first, end;         /* the host's elements: from `first` to the one before `end` */
  int numa_type, n_numas; /* the type of its NUMA nodes, -1: unknown; how many were measured */
  const berth_node_curve_t *core[N_USES]; /* of each core alone; NULL: not measured */
} picture_t;

/* --- NUMA nodes --- */

/* Whether a name such as "package+numa" has the word. */
static bool has_word(const char *name, const char *word)
{
  size_t n = strlen(word);
  for (const char *at = name; (at = strstr(at, word)); at += n)
    if ((at == name || at[-1] == '+') && (at[n] == '\0' || at[n] == '+')) return true;
  return false;
}

static int count_type(const picture_t *p, int type)
{
  int n = 0;
  for (int e = p->first; e < p->end; e++) n += berth_topo_element(p->t, e)->type == type;
  return n;
}

static int count_numas(const berth_node_t *n)
{
  int most = -1;
  for (size_t i = 0; i < berth_node_n_curves(n); i++) {
    const berth_node_curve_t *c = berth_node_curve_at(n, i);
    if (c->what == BERTH_NODE_MEMORY && c->core_numa > most) most = c->core_numa;
  }
  return most + 1;
}

/* The type that is called so; else the outermost one with as many elements as NUMA nodes were
 * measured. */
static int find_numa_type(const picture_t *p)
{
  int alike = -1;
  for (int e = p->first; e < p->end; e++) {
    int type = berth_topo_element(p->t, e)->type;
    if (type < 0) continue;
    if (has_word(berth_topo_type(p->t, type)->name, "numa")) return type;
    if (alike < 0 && p->n_numas > 0 && count_type(p, type) == p->n_numas) alike = type;
  }
  return alike;
}

/* --- values --- */

/* Writes the rates of a part's cores together, by the use of memory. */
static void put_rates_of_all(const picture_t *p, int numa)
{
  json_open(p->j, "rates", '{', JSON_ONE_LINE);
  for (int i = 0; i < N_USES; i++) {
    const berth_node_curve_t *c =
        berth_node_find(p->n, BERTH_NODE_MEMORY, uses[i], "close", numa, numa);
    if (c) json_put_number(p->j, uses[i], c->y[c->n - 1]);
  }
  json_close(p->j);
}

static double rate_of_pu(const berth_node_curve_t *c, int pu)
{
  for (size_t i = 0; c && i < c->n; i++)
    if (c->x[i] == pu) return c->y[i];
  return NAN;
}

static void put_rates_of_pu(const picture_t *p, int pu)
{
  json_open(p->j, "rates", '{', JSON_ONE_LINE);
  for (int i = 0; i < N_USES; i++) {
    double rate = rate_of_pu(p->core[i], pu);
    if (!isnan(rate)) json_put_number(p->j, uses[i], rate);
  }
  json_close(p->j);
}

static void put_noise_of_pu(const picture_t *p, const char *key, int pu, bool idle)
{
  json_open(p->j, key, '{', JSON_ONE_LINE);
  for (size_t i = 0; i < berth_node_n_noise(p->n); i++) {
    const berth_node_noise_t *z = berth_node_noise_at(p->n, i);
    if (z->pu != pu || (z->idle >= 0) != idle) continue;
    json_put_number(p->j, "lost", z->lost);
    json_put_number(p->j, "longest_s", z->longest_s);
    break;
  }
  json_close(p->j);
}

/* --- the tree --- */

/* The host's own numbers are those of all its cores if its NUMA nodes have none. */
static void put_part(const picture_t *p, int e, int numa)
{
  const berth_element_t *at = berth_topo_element(p->t, e);
  json_open(p->j, NULL, '{', JSON_ONE_LINE);
  json_put_number(p->j, "parent", e == p->first ? -1 : at->parent - p->first);
  json_put_string(p->j, "type", berth_topo_type(p->t, at->type)->name);
  json_put_string(p->j, "name", berth_topo_element_name(p->t, e));
  json_put_number(p->j, "numa", numa < 0 ? NAN : numa);
  if (numa >= 0 || e == p->first) put_rates_of_all(p, numa);
  json_close(p->j);
}

static void put_pu(const picture_t *p, int e)
{
  const berth_element_t *at = berth_topo_element(p->t, e);
  const berth_pu_t *pu = berth_topo_pu(p->t, at->first_pu);
  json_open(p->j, NULL, '{', JSON_ONE_LINE);
  json_put_number(p->j, "parent", at->parent - p->first);
  json_put_u64(p->j, "pu", (uint64_t)pu->os_index);
  json_put_u64(p->j, "core", (uint64_t)pu->core);
  put_rates_of_pu(p, pu->os_index);
  put_noise_of_pu(p, "noise", pu->os_index, false);
  put_noise_of_pu(p, "noise_spare", pu->os_index, true);
  json_close(p->j);
}

/* Places of parents are those in this list. */
static void put_elements(const picture_t *p)
{
  int numa = 0;
  json_open(p->j, "elements", '[', JSON_LINES);
  for (int e = p->first; e < p->end; e++) {
    int type = berth_topo_element(p->t, e)->type;
    if (type < 0)
      put_pu(p, e);
    else
      put_part(p, e, type == p->numa_type ? numa++ : -1);
  }
  json_close(p->j);
}

/* Which cores are the slowest and the fastest ones alone. */
static void put_extremes(const picture_t *p)
{
  json_open(p->j, "extremes", '[', JSON_LINES);
  for (int i = 0; i < N_USES; i++) {
    const berth_node_curve_t *c = p->core[i];
    size_t low = 0, high = 0;
    if (!c) continue;
    for (size_t k = 1; k < c->n; k++) {
      if (c->y[k] < c->y[low]) low = k;
      if (c->y[k] > c->y[high]) high = k;
    }
    json_open(p->j, NULL, '{', JSON_ONE_LINE);
    json_put_string(p->j, "name", uses[i]);
    json_put_number(p->j, "slowest_pu", c->x[low]);
    json_put_number(p->j, "slowest", c->y[low]);
    json_put_number(p->j, "fastest_pu", c->x[high]);
    json_put_number(p->j, "fastest", c->y[high]);
    json_put_number(p->j, "share", c->y[low] / c->y[high]);
    json_close(p->j);
  }
  json_close(p->j);
}

void report_put_node_host(json_out_t *j, const berth_topo_t *t, int type)
{
  int first = -1;
  for (int h = 0; h < berth_topo_n_hosts(t) && first < 0; h++) {
    int element = berth_topo_host(t, h)->element;
    if (berth_topo_element(t, element)->type == type) first = element;
  }
  int size = berth_topo_element(t, first)->size;
  if (size > MAX_ELEMENTS) {
    json_put_string(j, "host", NULL);
    return;
  }
  const berth_node_t *n = berth_topo_type(t, type)->node;
  picture_t p = {j, t, n, first, first + size, -1, count_numas(n), {0}};
  for (int i = 0; i < N_USES; i++)
    p.core[i] = berth_node_find(n, BERTH_NODE_CORE, uses[i], "", -1, -1);
  p.numa_type = find_numa_type(&p);
  json_open(j, "host", '{', JSON_LINES);
  json_put_string(j, "name", berth_topo_element_name(t, first));
  json_put_u64(j, "numas", (uint64_t)p.n_numas);
  put_elements(&p);
  put_extremes(&p);
  json_close(j);
}
