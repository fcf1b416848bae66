/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdbool.h>

#include "base/json_out.h"
#include "cli/print/check_view.h"
#include "cost/cost_put.h"

static void put_site(json_out_t *j, const berth_site_t *site)
{
  json_put_string(j, "op", site ? site->op : NULL);
  json_put_strings(j, "frames", site ? site->frames : NULL, site ? site->n_frames : 0);
}

static void put_sites(json_out_t *j, const berth_check_pair_t *p)
{
  json_put_u64(j, "sites_total", p->n_sites);
  json_open(j, "sites", '[', JSON_LINES);
  for (size_t i = 0; i < p->n_listed; i++) {
    const berth_check_site_t *s = &p->sites[i];
    json_open(j, NULL, '{', JSON_ONE_LINE);
    put_site(j, s->site);
    json_put_number(j, "messages", s->messages);
    json_put_number(j, "was_messages", s->was_messages);
    json_put_number(j, "bytes", s->bytes);
    json_put_number(j, "was_bytes", s->was_bytes);
    json_close(j);
  }
  json_close(j);
}

static void put_pairs(json_out_t *j, const berth_check_pair_t *pairs, size_t n, size_t listed,
                      bool timed)
{
  json_put_u64(j, "pairs_total", n);
  json_open(j, "pairs", '[', JSON_LINES);
  for (size_t i = 0; i < listed; i++) {
    const berth_check_pair_t *p = &pairs[i];
    json_open(j, NULL, '{', JSON_LINES);
    json_put_u64(j, "src", (uint64_t)p->src);
    json_put_u64(j, "dst", (uint64_t)p->dst);
    json_put_number(j, "time_s", timed ? p->time_s : NAN);
    json_put_number(j, "was_time_s", timed ? p->was_time_s : NAN);
    json_put_number(j, "messages", p->messages);
    json_put_number(j, "was_messages", p->was_messages);
    json_put_number(j, "bytes", p->bytes);
    json_put_number(j, "was_bytes", p->was_bytes);
    put_sites(j, p);
    json_close(j);
  }
  json_close(j);
}

static void put_id(json_out_t *j, const char *key, int id)
{
  if (id < 0)
    json_put_string(j, key, NULL);
  else
    json_put_u64(j, key, (uint64_t)id);
}

static void put_port(json_out_t *j, const check_view_t *v, const berth_check_port_t *port)
{
  if (!port->known) {
    json_put_string(j, "port", NULL);
    return;
  }
  json_open(j, "port", '{', JSON_LINES);
  cost_put_resource(j, v->topo, port->resource);
  json_put_number(j, "cost_s", port->cost_s);
  json_put_number(j, "was_cost_s", port->was_cost_s);
  put_pairs(j, port->pairs, port->n_pairs, port->n_listed, true);
  json_close(j);
}

static void put_phases(json_out_t *j, const check_view_t *v, const berth_check_phase_t *phases,
                       size_t n)
{
  json_open(j, "phases", '[', JSON_LINES);
  for (size_t k = 0; k < n; k++) {
    const berth_check_phase_t *p = &phases[k];
    json_open(j, NULL, '{', JSON_LINES);
    put_id(j, "id", p->id);
    put_id(j, "was_id", p->was_id);
    json_put_string(j, "name", p->name);
    json_put_number(j, "repeats", p->repeats);
    json_put_number(j, "was_repeats", p->was_repeats);
    json_put_number(j, "cost_s", p->cost_s);
    json_put_number(j, "was_cost_s", p->was_cost_s);
    json_put_bool(j, "worse", p->worse);
    put_port(j, v, &p->port);
    if (p->site) {
      json_open(j, "called_at", '{', JSON_ONE_LINE);
      put_site(j, p->site);
      json_close(j);
    } else {
      json_put_string(j, "called_at", NULL);
    }
    json_close(j);
  }
  json_close(j);
}

static void put_budgets(json_out_t *j, const check_view_t *v)
{
  json_open(j, "budgets", '[', JSON_LINES);
  for (size_t i = 0; i < v->result.n_budgets; i++) {
    const berth_check_budget_t *b = &v->result.budgets[i];
    json_open(j, NULL, '{', JSON_LINES);
    json_put_string(j, "budget", b->budget->text);
    json_put_string(j, "unit", b->budget->kind == BERTH_BUDGET_BYTES ? "bytes" : "s");
    json_put_number(j, "value", b->known ? b->value : NAN);
    json_put_number(j, "limit", b->budget->limit);
    if (b->known)
      json_put_bool(j, "broken", b->broken);
    else
      json_put_string(j, "broken", NULL);
    put_phases(j, v, b->phases, b->n_phases);
    put_pairs(j, b->pairs, b->n_pairs, b->n_listed, false);
    json_close(j);
  }
  json_close(j);
}

/* What isn't priced: whether there is any, as other commands say it, and what. */
static void put_unpriced(json_out_t *j, const check_view_t *v)
{
  const berth_check_t *r = &v->result;
  bool compared = r->n_phases > 0;
  json_put_bool(j, "unpriced_operations", r->n_unpriced > 0);
  json_open(j, "unpriced", '[', JSON_LINES);
  for (size_t i = 0; i < r->n_unpriced; i++) {
    const berth_check_unpriced_t *u = &r->unpriced[i];
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_string(j, "op", u->op);
    json_put_string(j, "sync", u->sync);
    json_put_number(j, "ranks", u->sync ? NAN : u->ranks);
    json_put_number(j, "calls", u->calls);
    json_put_number(j, "was_calls", compared ? u->was_calls : NAN);
    json_put_number(j, "bytes", u->bytes);
    json_put_number(j, "was_bytes", compared ? u->was_bytes : NAN);
    json_put_bool(j, "grew", u->grew);
    json_close(j);
  }
  json_close(j);
}

static void put_placement(json_out_t *j, const check_view_t *v)
{
  const berth_check_t *r = &v->result;
  bool compared = r->n_phases > 0;
  json_open(j, "placement", '{', JSON_LINES);
  json_put_string(j, "algorithm", v->algorithm);
  json_put_number(j, "moved", compared ? r->moved : NAN);
  json_put_number(j, "was_cost_moved_s", compared ? r->was_cost_moved_s : NAN);
  json_close(j);
}

int check_json(const check_view_t *v, const char *path, berth_error_t *err)
{
  const berth_check_t *r = &v->result;
  bool compared = r->n_phases > 0;
  json_out_t j;
  if (json_begin(&j, path, "berth-check", err)) return BERTH_MISSING;
  json_put_string(&j, "verdict", berth_checked_name(r->verdict));
  json_put_string(&j, "reason", r->verdict == BERTH_CHECKED_UNKNOWN ? r->reason : NULL);
  json_put_u64(&j, "exit_code", (uint64_t)berth_check_code(r));
  json_put_bool(&j, "updated", v->updated);
  json_put_string(&j, "model", berth_model_name(v->options->model));
  json_put_string(&j, "pattern", v->pattern_path);
  json_put_string(&j, "topology", v->topology_path);
  json_put_hash(&j, "topology_hash", berth_topo_hash(v->topo));
  json_put_string(&j, "unit", berth_topo_has_distances(v->topo) ? "distance" : "second");
  json_put_string(&j, "baseline", v->baseline_path);
  json_put_u64(&j, "ranks", (uint64_t)berth_pattern_ranks(v->pattern));
  json_put_number(&j, "tolerance", v->options->tolerance);
  json_put_number(&j, "cost_s", r->priced ? r->cost_s : NAN);
  json_put_number(&j, "was_cost_s", compared ? r->was_cost_s : NAN);
  json_put_number(&j, "packing_s", r->priced ? r->packing_s : NAN);
  json_put_number(&j, "was_packing_s", compared ? r->was_packing_s : NAN);
  put_placement(&j, v);
  put_phases(&j, v, r->phases, r->n_phases);
  put_budgets(&j, v);
  put_unpriced(&j, v);
  json_close(&j);
  return out_commit(j.out, err);
}
