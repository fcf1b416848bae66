/* SPDX-License-Identifier: BSD-3-Clause */

#include "cli/print/compare.h"
#include "cli/print/cost_view.h"
#include "cli/print/estimate_text.h"
#include "pattern/phase_find.h"

static void put_costs(json_out_t *j, const compare_view_t *v, const compared_t *row)
{
  json_open(j, "cost_s", '{', JSON_ONE_LINE);
  for (int model = 0; model < BERTH_N_MODELS; model++)
    if (v->asked[model])
      json_put_number(j, berth_model_name((berth_model_t)model), row->total[model].cost_s);
  json_close(j);
}

static void put_phases(json_out_t *j, const berth_topo_t *t, const berth_cost_result_t *r)
{
  json_open(j, "phases", '[', JSON_LINES);
  for (size_t k = 0; k < r->n_phases; k++) {
    json_open(j, NULL, '{', JSON_LINES);
    cost_put_phase(j, t, &r->phases[k]);
    json_close(j);
  }
  json_close(j);
}

static void put_row(json_out_t *j, const compare_view_t *v, size_t i)
{
  const compared_t *row = &v->row[i];
  const berth_estimate_t *e = &row->total[v->in->map.objective];
  json_open(j, NULL, '{', JSON_LINES);
  json_put_string(j, "mapping", row->is->name);
  json_put_string(j, "algorithm", row->is->is_linear ? "linear" : row->is->mapping.algorithm);
  json_put_string(j, "same_as", row->same_as);
  put_costs(j, v, row);
  estimate_put_packing(j, "packing_s", e);
  estimate_put_sharing(j, v->in, "sharing_s", e);
  cost_put_interval(j, berth_assessment_uncertainty(v->assessment), "", row->place);
  json_put_number(j, "cost_gain", e->gain);
  estimate_put_run_gain(j, e);
  json_put_u64(j, "moved", (uint64_t)e->moved);
  json_put_u64(j, "to_other_hosts", (uint64_t)e->moved_hosts);
  cost_put_bottleneck(j, v->in->topo, &row->cost->phases[row->cost->max_cost_phase]);
  put_phases(j, v->in->topo, row->cost);
  cost_put_levels(j, v->in->topo, row->cost);
  json_close(j);
}

/* Every row against the cheapest. */
static void put_comparisons(json_out_t *j, const compare_view_t *v)
{
  if (!berth_assessment_uncertainty(v->assessment)) return;
  json_open(j, "comparisons", '[', JSON_LINES);
  for (size_t i = 1; i < v->n; i++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_string(j, "mapping", v->row[i].is->name);
    json_put_string(j, "against", v->row[0].is->name);
    cost_put_comparison(j, berth_assessment_uncertainty(v->assessment), v->row[i].place,
                        v->row[0].place);
    json_close(j);
  }
  json_close(j);
}

int compare_json(const compare_view_t *v, const char *path, berth_error_t *err)
{
  json_out_t j;
  if (json_begin(&j, path, "berth-compare", err)) return BERTH_MISSING;
  json_put_string(&j, "model", berth_model_name(v->in->map.objective));
  json_put_string(&j, "pattern", v->in->pattern_path);
  pattern_put_cut(&j, v->in->pattern);
  json_put_string(&j, "topology", v->in->topology_path);
  inputs_put_changes(&j, v->in);
  json_put_u64(&j, "ranks", (uint64_t)berth_pattern_ranks(v->in->pattern));
  json_put_string(&j, "reference", v->row[v->reference].is->name);
  verdict_put_notes(&j, v->in);
  cost_put_uncertainty(&j, berth_assessment_uncertainty(v->assessment));
  json_open(&j, "placements", '[', JSON_LINES);
  for (size_t i = 0; i < v->n; i++) put_row(&j, v, i);
  json_close(&j);
  put_comparisons(&j, v);
  json_close(&j);
  return out_commit(j.out, err);
}

static void put_csv_head(out_file_t *out, const compare_view_t *v)
{
  const berth_cost_result_t *r = v->row[0].cost;
  out_text(out, "mapping,algorithm");
  for (int model = 0; model < BERTH_N_MODELS; model++)
    if (v->asked[model]) out_printf(out, ",%s_s", berth_model_name((berth_model_t)model));
  out_text(out, ",cost_gain,moved,to_other_hosts,bottleneck,bottleneck_phase,bottleneck_bytes");
  for (size_t d = 0; d < r->n_levels; d++) out_printf(out, ",level_%zu_s,level_%zu_bytes", d, d);
  for (size_t k = 0; k < r->n_phases; k++) out_printf(out, ",phase_%d_s", r->phases[k].id);
  out_text(out, "\n");
}

static void put_csv_row(out_file_t *out, const compare_view_t *v, size_t i)
{
  char where[256];
  const compared_t *row = &v->row[i];
  const berth_estimate_t *e = &row->total[v->in->map.objective];
  const berth_cost_result_t *r = row->cost;
  const berth_phase_cost_t *p = &r->phases[r->max_cost_phase];
  out_csv(out, row->is->name);
  out_text(out, ",");
  out_csv(out, row->is->is_linear ? "linear" : row->is->mapping.algorithm);
  for (int model = 0; model < BERTH_N_MODELS; model++)
    if (v->asked[model]) out_printf(out, ",%.17g", row->total[model].cost_s);
  out_printf(out, ",%.17g,%d,%d,", e->gain, e->moved, e->moved_hosts);
  if (p->has_bottleneck)
    out_csv(out, berth_resource_text(v->in->topo, p->bottleneck, where, sizeof where));
  out_printf(out, ",%d,%.17g", p->id, p->bottleneck_bytes);
  for (size_t d = 0; d < r->n_levels; d++)
    out_printf(out, ",%.17g,%.17g", r->levels[d].cost_s, r->levels[d].bytes);
  for (size_t k = 0; k < r->n_phases; k++)
    out_printf(out, ",%.17g", r->phases[k].repeats * r->phases[k].cost_s);
  out_text(out, "\n");
}

int compare_csv(const compare_view_t *v, const char *path, berth_error_t *err)
{
  out_file_t *out = out_open(path, err);
  if (!out) return BERTH_MISSING;
  put_csv_head(out, v);
  for (size_t i = 0; i < v->n; i++) put_csv_row(out, v, i);
  return out_commit(out, err);
}
