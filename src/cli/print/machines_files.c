/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "base/json_out.h"
#include "cli/print/machines.h"
#include "topo/topo_levels.h"

static void put_machine(json_out_t *j, const machine_t *m)
{
  json_open(j, NULL, '{', JSON_LINES);
  json_put_string(j, "name", m->name);
  json_put_string(j, "topology", m->path);
  json_put_string(j, "change", m->change);
  json_put_u64(j, "hosts", (uint64_t)m->hosts);
  json_put_u64(j, "pus", (uint64_t)m->pus);
  json_put_number(j, "default_order_s", m->default_s < 0 ? NAN : m->default_s);
  json_put_number(j, "best_s", m->best_s);
  json_put_number(j, "lower_bound_s", m->bound_s < 0 ? NAN : m->bound_s);
  json_put_string(j, "algorithm", m->algorithm);
  json_put_string(j, "bottleneck", *m->bottleneck ? m->bottleneck : NULL);
  json_put_string(j, "bottleneck_level", m->top < m->n_levels ? m->levels[m->top].types : NULL);
  json_open(j, "levels", '[', JSON_LINES);
  for (size_t d = 0; d < m->n_levels; d++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_string(j, "types", m->levels[d].types);
    json_put_number(j, "cost_s", m->levels[d].cost_s);
    json_close(j);
  }
  json_close(j);
  json_close(j);
}

int machines_json(const machines_view_t *v, const char *path, berth_error_t *err)
{
  json_out_t j;
  if (json_begin(&j, path, "berth-machines", err)) return BERTH_MISSING;
  json_put_string(&j, "model", berth_model_name(v->in->map.objective));
  json_put_string(&j, "pattern", v->in->pattern_path);
  json_put_u64(&j, "ranks", (uint64_t)berth_pattern_ranks(v->in->pattern));
  json_put_string(&j, "sweep", v->sweep);
  inputs_put_changes(&j, v->asked);
  json_put_string(&j, "unit", berth_topo_has_distances(v->in->topo) ? "distance" : "second");
  json_open(&j, "machines", '[', JSON_LINES);
  for (size_t i = 0; i < v->n; i++) put_machine(&j, &v->machine[i]);
  json_close(&j);
  json_close(&j);
  return out_commit(j.out, err);
}

int machines_csv(const machines_view_t *v, const char *path, berth_error_t *err)
{
  out_file_t *out = out_open(path, err);
  if (!out) return BERTH_MISSING;
  out_text(out, "name,topology,change,hosts,pus,default_order_s,best_s,algorithm,bottleneck,"
                "bottleneck_depth\n");
  for (size_t i = 0; i < v->n; i++) {
    const machine_t *m = &v->machine[i];
    out_csv(out, m->name);
    out_text(out, ",");
    out_csv(out, m->path);
    out_text(out, ",");
    out_csv(out, m->change ? m->change : "");
    out_printf(out, ",%d,%d,", m->hosts, m->pus);
    if (m->default_s >= 0) out_printf(out, "%.17g", m->default_s);
    out_printf(out, ",%.17g,%s,", m->best_s, m->algorithm);
    out_csv(out, m->bottleneck);
    if (m->top < m->n_levels)
      out_printf(out, ",%zu\n", m->top);
    else
      out_text(out, ",\n");
  }
  return out_commit(out, err);
}
