/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "base/json_out.h"
#include "cli/print/show.h"
#include "pattern/pattern_grid.h"
#include "pattern/phase_find.h"

static void put_amount(json_out_t *j, summary_amount_t a)
{
  json_put_number(j, "messages", a.messages);
  json_put_number(j, "bytes", a.bytes);
}

static void put_parameters(json_out_t *j, const berth_pattern_t *p)
{
  size_t n;
  const berth_parameter_t *all = berth_pattern_parameters(p, &n);
  json_open(j, "parameters", '[', JSON_LINES);
  for (size_t i = 0; i < n; i++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_string(j, "name", all[i].name);
    json_put_string(j, "value", all[i].value);
    if (all[i].text) json_put_string(j, "text", all[i].text);
    json_close(j);
  }
  json_close(j);
}

static void put_run(json_out_t *j, const berth_pattern_t *p)
{
  size_t n;
  const char *const *command = berth_pattern_command(p, &n);
  double mpi_share = berth_pattern_mpi_share(p), wall = 0;
  json_put_u64(j, "ranks", (uint64_t)berth_pattern_ranks(p));
  json_put_strings(j, "command", command, n);
  json_put_string(j, "mpi", berth_pattern_mpi(p));
  put_parameters(j, p);
  pattern_put_grids(j, p);
  json_put_string(j, "created", berth_pattern_created(p));
  for (int r = 0; mpi_share >= 0 && r < berth_pattern_ranks(p); r++)
    wall = fmax(wall, berth_pattern_rank(p, r)->wall_s);
  json_put_number(j, "wall_s", mpi_share < 0 ? NAN : wall);
  json_put_number(j, "mpi_share", mpi_share < 0 ? NAN : mpi_share);
  json_put_number(j, "unsure_share", mpi_share < 0 ? NAN : berth_pattern_unsure_share(p));
  double core_wait_share = berth_pattern_core_wait_share(p);
  json_put_number(j, "core_wait_share", core_wait_share < 0 ? NAN : core_wait_share);
}

static void put_pairs(json_out_t *j, const summary_t *s, size_t top)
{
  json_put_u64(j, "pairs_total", s->n_pairs);
  json_put_u64(j, "partners_least", (uint64_t)s->partners_min);
  json_put_u64(j, "partners_most", (uint64_t)s->partners_max);
  json_open(j, "pairs", '[', JSON_LINES);
  for (size_t i = 0; i < show_listed(s->n_pairs, top); i++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "src", (uint64_t)s->pairs[i].src);
    json_put_u64(j, "dst", (uint64_t)s->pairs[i].dst);
    put_amount(j, s->pairs[i].sum);
    json_close(j);
  }
  json_close(j);
}

static void put_sites(json_out_t *j, const summary_t *s, size_t top)
{
  json_put_u64(j, "sites_total", s->n_sites);
  json_open(j, "sites", '[', JSON_LINES);
  for (size_t i = 0; i < show_listed(s->n_sites, top); i++) {
    const summary_site_t *site = &s->sites[i];
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "id", (uint64_t)site->id);
    json_put_string(j, "op", site->known ? site->known->op : NULL);
    put_amount(j, site->sum);
    json_put_strings(j, "frames", site->known ? site->known->frames : NULL,
                     site->known ? site->known->n_frames : 0);
    json_close(j);
  }
  json_close(j);
}

static void put_sizes(json_out_t *j, const summary_t *s)
{
  json_open(j, "sizes", '[', JSON_LINES);
  for (int i = 0; i < SUMMARY_SIZES; i++) {
    if (s->sizes[i].sum.messages == 0) continue;
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "least", s->sizes[i].min);
    json_put_u64(j, "most", s->sizes[i].max);
    put_amount(j, s->sizes[i].sum);
    json_close(j);
  }
  json_close(j);
}

static void put_phases(json_out_t *j, const summary_t *s)
{
  json_open(j, "phases", '[', JSON_LINES);
  for (size_t k = 0; k < s->n_phases; k++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "id", (uint64_t)s->phases[k].phase->id);
    json_put_string(j, "name", s->phases[k].phase->name);
    json_put_u64(j, "repeats", s->phases[k].phase->repeats);
    put_amount(j, s->phases[k].once);
    json_close(j);
  }
  json_close(j);
}

static void put_rmas(json_out_t *j, const summary_t *s)
{
  json_open(j, "one_sided", '[', JSON_LINES);
  for (size_t i = 0; i < s->n_rmas; i++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "win", (uint64_t)s->rmas[i].win);
    json_put_string(j, "sync", s->rmas[i].sync);
    json_put_string(j, "op", s->rmas[i].op);
    json_put_number(j, "operations", s->rmas[i].operations);
    json_put_number(j, "bytes", s->rmas[i].bytes);
    json_put_number(j, "epochs", s->rmas[i].epochs);
    json_close(j);
  }
  json_close(j);
}

static void put_unmodelled(json_out_t *j, const berth_pattern_t *p)
{
  size_t n;
  const berth_unmodelled_t *u = berth_pattern_unmodelled(p, &n);
  json_open(j, "unmodelled", '[', JSON_LINES);
  for (size_t i = 0; i < n; i++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_string(j, "op", u[i].op);
    json_put_u64(j, "calls", u[i].calls);
    json_close(j);
  }
  json_close(j);
}

static void put_parts(json_out_t *j, const summary_coll_t *c)
{
  json_put_u64(j, "most_rank", (uint64_t)c->max_rank);
  json_put_number(j, "most_bytes", c->max_bytes);
  json_put_u64(j, "least_rank", (uint64_t)c->min_rank);
  json_put_number(j, "least_bytes", c->min_bytes);
  json_put_u64(j, "rows", c->rows);
}

static void put_others(json_out_t *j, const summary_t *s)
{
  json_open(j, "collectives", '[', JSON_LINES);
  for (size_t i = 0; i < s->n_colls; i++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_string(j, "op", s->colls[i].op);
    json_put_number(j, "calls", s->colls[i].calls);
    json_put_number(j, "bytes", s->colls[i].bytes);
    if (s->colls[i].has_parts) put_parts(j, &s->colls[i]);
    json_close(j);
  }
  json_close(j);
  put_rmas(j, s);
  put_unmodelled(j, s->pattern);
}

int show_json(const summary_t *s, const time_summary_t *times, const char *path, size_t top,
              berth_error_t *err)
{
  json_out_t j;
  if (json_begin(&j, "-", "berth-show", err)) return BERTH_MISSING;
  json_put_string(&j, "pattern", path);
  pattern_put_cut(&j, s->pattern);
  put_run(&j, s->pattern);
  time_summary_put(&j, times);
  put_amount(&j, s->all);
  put_pairs(&j, s, top);
  put_sites(&j, s, top);
  put_sizes(&j, s);
  put_phases(&j, s);
  put_others(&j, s);
  json_close(&j);
  return out_commit(j.out, err);
}
