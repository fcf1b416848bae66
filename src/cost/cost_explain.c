/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the reasons of a cost: bottlenecks, levels and phases. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "cost/cost_hosts.h"
#include "cost/cost_internal.h"
#include "cost/cost_levels.h"
#include "cost/cost_slot.h"
#include "cost/dense/cost_dense.h"
#include "cost/flow/cost_flow.h"

/* The most expensive resource of the touched slots, the first of equal ones; -1 if there is
 * none. */
static int max_cost(const berth_cost_t *c, int *of_slot)
{
  int best = -1;
  for (int i = 0; i < c->n_touched; i++) {
    int s = c->touched[i], r = c->slot[s].resource[0];
    double cost = c->load[s].cost, max = best < 0 ? -1 : c->load[*of_slot].cost;
    if (cost < max || (cost == max && r > best)) continue;
    best = r; /* the first of its slot's resources */
    *of_slot = s;
  }
  return best;
}

/* Fills in pairs and numbers for bottleneck r. */
static int explain_bottleneck(berth_cost_t *c, size_t k, const int *pu_of_rank, size_t max_pairs,
                              int r, double bytes, berth_phase_cost_t *out, berth_error_t *err)
{
  out->has_bottleneck = r >= 0;
  if (r < 0) return BERTH_OK;
  out->bottleneck = c->resource[r].is;
  out->bottleneck_bytes = bytes;
  int rc = cost_list_pairs(c, k, pu_of_rank, r, &out->pairs, &out->n_pairs, err);
  out->n_listed = out->n_pairs < max_pairs ? out->n_pairs : max_pairs;
  return rc;
}

/* Adds one resource's cost to its level; see add_levels. */
static void add_to_level(const berth_cost_t *c, berth_model_t model, int resource, double cost,
                         double repeats, double *here, double *max_cost_so_far,
                         berth_cost_result_t *out)
{
  const cost_resource_t *r = &c->resource[resource];
  int d = c->element[r->is.element].depth;
  here[d] = model == BERTH_MODEL_SUM ? here[d] + cost : cost > here[d] ? cost : here[d];
  if (cost <= 0 || repeats * cost < max_cost_so_far[d]) return;
  berth_resource_t *busiest = &out->levels[d].busiest;
  bool first = repeats * cost > max_cost_so_far[d] || r->is.element < busiest->element ||
               (r->is.element == busiest->element && r->is.kind < busiest->kind);
  if (!first) return;
  out->levels[d].has_busiest = 1;
  *busiest = r->is;
  max_cost_so_far[d] = repeats * cost;
}

/* Adds a phase's costs to the levels. `here` has the highest cost of each level in the phase. */
static void add_levels(const berth_cost_t *c, berth_model_t model, double repeats, double *here,
                       double *max_cost_so_far, berth_cost_result_t *out)
{
  for (size_t d = 0; d < out->n_levels; d++) here[d] = 0;
  for (int i = 0; i < c->n_touched; i++) {
    int s = c->touched[i];
    for (int j = 0; j < 2 && c->slot[s].resource[j] >= 0; j++)
      add_to_level(c, model, c->slot[s].resource[j], c->load[s].cost, repeats, here,
                   max_cost_so_far, out);
  }
  for (size_t d = 0; d < out->n_levels; d++) out->levels[d].cost_s += repeats * here[d];
}

/* The same for model flow. */
static void add_flow_levels(const berth_cost_t *c, const cost_flow_reasons_t *reasons,
                            double repeats, double *here, double *max_cost_so_far,
                            berth_cost_result_t *out)
{
  for (size_t d = 0; d < out->n_levels; d++) here[d] = 0;
  for (int i = 0; i < reasons->n; i++) {
    int r = reasons->resource[i];
    add_to_level(c, BERTH_MODEL_FLOW, r, reasons->busy[r], repeats, here, max_cost_so_far, out);
  }
  for (size_t d = 0; d < out->n_levels; d++) out->levels[d].cost_s += repeats * here[d];
}

static int count_levels(const berth_cost_t *c, size_t k, const int *pu_of_rank,
                        berth_cost_result_t *out, berth_error_t *err)
{
  size_t n = out->n_levels;
  double *messages = calloc(2 * n, sizeof *messages), *bytes = messages + n;
  int rc = messages ? cost_levels_of_phase(c, k, pu_of_rank, (int)n, messages, bytes, err)
                    : no_memory(err);
  for (size_t d = 0; d < n && !rc; d++) {
    out->levels[d].messages += c->phase[k].repeats * messages[d];
    out->levels[d].bytes += c->phase[k].repeats * bytes[d];
  }
  free(messages);
  return rc;
}

static int explain_phase(berth_cost_t *c, berth_model_t model, size_t k, const int *pu_of_rank,
                         size_t max_pairs, double *scratch, berth_cost_result_t *out,
                         berth_error_t *err)
{
  berth_phase_cost_t *phase = &out->phases[k];
  double *max_cost_so_far = scratch + out->n_levels;
  if (model == BERTH_MODEL_FLOW && cost_is_counted(c, k)) model = BERTH_MODEL_PORT;
  if (model == BERTH_MODEL_FLOW) {
    cost_flow_reasons_t reasons;
    int rc = cost_flow_explain(c, k, pu_of_rank, &reasons, err);
    if (rc) return rc;
    phase->cost_s = reasons.cost;
    add_flow_levels(c, &reasons, phase->repeats, scratch, max_cost_so_far, out);
    return explain_bottleneck(c, k, pu_of_rank, max_pairs, reasons.bottleneck, reasons.bytes, phase,
                              err);
  }
  phase->cost_s = cost_price_phase(c, model, k, pu_of_rank);
  add_levels(c, model, phase->repeats, scratch, max_cost_so_far, out);
  int slot = 0, r = max_cost(c, &slot);
  double bytes = r < 0 ? 0 : cost_slot_bytes(c, k, c->load[slot].bytes);
  return explain_bottleneck(c, k, pu_of_rank, max_pairs, r, bytes, phase, err);
}

static int explain(berth_cost_t *c, berth_model_t model, const int *pu_of_rank, size_t max_pairs,
                   double *scratch, berth_cost_result_t *out, berth_error_t *err)
{
  const berth_phase_t *phases = berth_pattern_phases(c->pattern, &out->n_phases);
  int rc = BERTH_OK;
  for (size_t k = 0; k < c->n_phases && !rc; k++) {
    berth_phase_cost_t *phase = &out->phases[k];
    phase->id = phases[k].id;
    phase->of_phase = phases[k].collective ? phases[k].of_phase : -1;
    phase->name = phases[k].name;
    phase->repeats = c->phase[k].repeats;
    if (cost_is_by_hosts(c, k)) continue;
    rc = explain_phase(c, model, k, pu_of_rank, max_pairs, scratch, out, err);
    out->cost_s += phase->repeats * phase->cost_s;
    if (!rc) rc = count_levels(c, k, pu_of_rank, out, err);
    const berth_phase_cost_t *top = &out->phases[out->max_cost_phase];
    if (phase->repeats * phase->cost_s > top->repeats * top->cost_s) out->max_cost_phase = k;
  }
  return rc;
}

int berth_cost_explain(berth_cost_t *c, berth_model_t model, const int *pu_of_rank,
                       size_t max_pairs, berth_cost_result_t *out, berth_error_t *err)
{
  *out = (berth_cost_result_t){.n_phases = c->n_phases};
  out->n_levels = (size_t)berth_topo_element(c->topo, 0)->height + 1;
  out->phases = calloc(c->n_phases, sizeof *out->phases);
  out->levels = calloc(out->n_levels, sizeof *out->levels);
  double *scratch = calloc(2 * out->n_levels, sizeof *scratch);
  int rc = out->phases && out->levels && scratch ? BERTH_OK : no_memory(err);
  for (size_t d = 0; !rc && d < out->n_levels; d++) out->levels[d].depth = (int)d;
  if (!rc) rc = explain(c, model, pu_of_rank, max_pairs, scratch, out, err);
  if (!rc) rc = cost_hosts_explain(c, model, pu_of_rank, max_pairs, out, err);
  free(scratch);
  if (rc) berth_cost_result_clear(out);
  return rc;
}

void berth_cost_result_clear(berth_cost_result_t *r)
{
  for (size_t k = 0; r->phases && k < r->n_phases; k++) free(r->phases[k].pairs);
  free(r->phases);
  free(r->levels);
  *r = (berth_cost_result_t){0};
}

const char *berth_resource_text(const berth_topo_t *t, berth_resource_t r, char *buf, size_t size)
{
  const berth_element_t *e = berth_topo_element(t, r.element);
  const char *name = berth_topo_element_name(t, r.element);
  bool up = r.kind == BERTH_DOWN_OUT || r.kind == BERTH_UP_OUT;
  bool own_end = r.kind == BERTH_UP_OUT || r.kind == BERTH_UP_IN;
  const char *link = up ? "uplink" : "downlink";
  const char *above =
      r.kind == BERTH_SWITCH || own_end ? "" : berth_topo_element_name(t, e->parent);
  if (r.kind == BERTH_SWITCH)
    snprintf(buf, size, "%s: switch", name);
  else if (own_end)
    snprintf(buf, size, "%s of %s, own end", link, name);
  else if (name)
    snprintf(buf, size, "%s of %s, at %s", link, name, above);
  else
    snprintf(buf, size, "%s of PU %d, at %s", link, berth_topo_pu(t, e->first_pu)->os_index, above);
  return buf;
}
