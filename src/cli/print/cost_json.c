/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "base/json_out.h"
#include "cli/print/advice_view.h"
#include "cli/print/cost_view.h"
#include "cli/print/estimate_text.h"
#include "cli/print/packing_view.h"
#include "pattern/phase_find.h"

static void put_alone(json_out_t *j, const cost_view_t *v, const berth_phase_cost_t *p,
                      const berth_alone_t *alone)
{
  if (!alone->algorithm) {
    json_put_string(j, "alone", NULL);
    return;
  }
  double here = p->repeats * p->cost_s;
  char *command = phases_alone_command(v->in, v->mapper, p->id);
  json_open(j, "alone", '{', JSON_LINES);
  json_put_string(j, "algorithm", alone->algorithm);
  json_put_number(j, "cost_s", alone->cost_s);
  json_put_number(j, "here_s", here);
  json_put_number(j, "difference_s", here - alone->cost_s);
  json_put_number(j, "pattern_cost_s", alone->pattern_cost_s);
  json_put_string(j, "command", command);
  json_close(j);
  free(command);
}

static void put_phases(json_out_t *j, const cost_view_t *v, const berth_cost_result_t *r)
{
  json_open(j, "phases", '[', JSON_LINES);
  for (size_t k = 0; k < r->n_phases; k++) {
    const berth_phase_cost_t *p = &r->phases[k];
    json_open(j, NULL, '{', JSON_LINES);
    cost_put_phase(j, v->in->topo, p);
    if (v->alone) put_alone(j, v, p, &v->alone[k]);
    json_close(j);
  }
  json_close(j);
}

static void put_verdict(json_out_t *j, const berth_uncertainty_t *u, size_t a, size_t b)
{
  if (u)
    json_put_string(j, "verdict", berth_verdict_name(berth_uncertainty_compare(u, a, b, NULL)));
}

/* Every pair of mappings. */
static void put_comparisons(json_out_t *j, const cost_view_t *v)
{
  if (!berth_assessment_uncertainty(v->assessment)) return;
  json_open(j, "comparisons", '[', JSON_LINES);
  for (size_t a = 0; a < v->n; a++)
    for (size_t b = a + 1; b < v->n; b++) {
      json_open(j, NULL, '{', JSON_ONE_LINE);
      json_put_string(j, "mapping", v->list[a].path);
      json_put_string(j, "against", v->list[b].path);
      cost_put_comparison(j, berth_assessment_uncertainty(v->assessment), a, b);
      json_close(j);
    }
  json_close(j);
}

static void put_result(json_out_t *j, const cost_view_t *v, size_t i)
{
  const costed_t *m = &v->list[i];
  const berth_estimate_t *e = berth_assessment_estimate(v->assessment, i);
  const berth_estimate_t *linear = berth_assessment_estimate(v->assessment, v->n);
  const berth_cost_result_t *r = berth_assessment_reasons(v->assessment, i);
  const berth_uncertainty_t *u = berth_assessment_uncertainty(v->assessment);
  double share = berth_pattern_mpi_share(v->in->pattern);
  double explained = berth_assessment_explained(v->assessment, i);
  bool fits = linear->cost_s >= 0;
  json_open(j, NULL, '{', JSON_LINES);
  json_put_string(j, "mapping", m->path);
  json_put_string(j, "algorithm", m->mapping.algorithm);
  json_put_number(j, "cost_s", e->cost_s);
  cost_put_interval(j, u, "", i);
  json_put_number(j, "linear_cost_s", fits ? linear->cost_s : NAN);
  if (fits) cost_put_interval(j, u, "linear_", v->n);
  if (fits) put_verdict(j, u, i, v->n);
  estimate_put_packing(j, "packing_s", e);
  estimate_put_packing(j, "linear_packing_s", linear);
  estimate_put_sharing(j, v->in, "sharing_s", e);
  estimate_put_sharing(j, v->in, "linear_sharing_s", linear);
  json_put_number(j, "cost_gain", fits ? e->gain : NAN);
  json_put_number(j, "mpi_share", share < 0 ? NAN : share);
  json_put_number(j, "mpi_explained", explained < 0 ? NAN : explained);
  estimate_put_run_gain(j, e);
  put_phases(j, v, r);
  cost_put_bottleneck(j, v->in->topo, &r->phases[r->max_cost_phase]);
  cost_put_levels(j, v->in->topo, r);
  cost_put_sites(j, v, m, r);
  packing_view_put(j, berth_assessment_packing(v->assessment), v->in->pattern,
                   m->mapping.pu_of_rank);
  if (m->advice) advice_put(j, m->advice, v->in, v->others);
  json_close(j);
}

int cost_view_json(const cost_view_t *v, const char *path, berth_error_t *err)
{
  json_out_t j;
  if (json_begin(&j, path, "berth-cost", err)) return BERTH_MISSING;
  json_put_string(&j, "model", berth_model_name(v->model));
  json_put_string(&j, "pattern", v->in->pattern_path);
  pattern_put_cut(&j, v->in->pattern);
  json_put_string(&j, "topology", v->in->topology_path);
  inputs_put_changes(&j, v->in);
  verdict_put_notes(&j, v->in);
  cost_put_uncertainty(&j, berth_assessment_uncertainty(v->assessment));
  json_open(&j, "results", '[', JSON_LINES);
  for (size_t i = 0; i < v->n; i++) put_result(&j, v, i);
  json_close(&j);
  put_comparisons(&j, v);
  json_close(&j);
  return out_commit(j.out, err);
}
