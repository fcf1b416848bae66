/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the page's data as one JSON object.
 * Its numbers are those of `berth cost --json` and `berth show --json`. */
#include <berth/sharing.h>
#include <math.h>
#include <stdlib.h>

#include "base/json_out.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "cost/cost_put.h"
#include "pattern/phase_find.h"
#include "report/report_internal.h"
#include "topo/topo_levels.h"

/* Maximum of listed elements (larger machines omit the lowest levels); maximum and minimum of
 * groups along a side of the matrix if there are too many pairs. */
enum { MAX_ELEMENTS = 20000, MAX_GROUPS = 512, MIN_GROUPS = 16 };

/* --- the run --- */

static void put_amount(json_out_t *j, summary_amount_t a)
{
  json_put_number(j, "messages", a.messages);
  json_put_number(j, "bytes", a.bytes);
}

static void put_run(json_out_t *j, const berth_report_t *r)
{
  size_t n;
  const char *const *command = berth_pattern_command(r->pattern, &n);
  double mpi_share = berth_pattern_mpi_share(r->pattern);
  json_open(j, "run", '{', JSON_ONE_LINE);
  json_put_strings(j, "command", command, n);
  json_put_string(j, "mpi", berth_pattern_mpi(r->pattern));
  json_put_string(j, "created", berth_pattern_created(r->pattern));
  json_put_number(j, "mpi_share", mpi_share < 0 ? NAN : mpi_share);
  put_amount(j, r->summary.all);
  json_put_u64(j, "pairs_total", r->summary.n_pairs);
  json_close(j);
}

static void put_phases(json_out_t *j, const berth_report_t *r)
{
  json_open(j, "phases", '[', JSON_LINES);
  for (size_t k = 0; k < r->n_listed; k++) {
    const summary_phase_t *p = &r->summary.phases[r->listed[k]];
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "id", (uint64_t)p->phase->id);
    json_put_string(j, "name", p->phase->name);
    json_put_u64(j, "repeats", p->phase->repeats);
    put_amount(j, p->once);
    json_close(j);
  }
  json_close(j);
  json_open(j, "phase_notes", '[', JSON_COMPACT);
  for (size_t k = 0; k < r->n_listed; k++)
    json_put_string(j, NULL, report_phase_note(r, r->listed[k]));
  json_close(j);
}

/* --- the machine --- */

/* The lowest height whose elements are listed. */
static int lowest_height(const berth_topo_t *t)
{
  int top = berth_topo_element(t, 0)->height;
  for (int height = 0; height < top; height++) {
    int n = 0;
    for (int e = 0; e < berth_topo_n_elements(t); e++)
      n += berth_topo_element(t, e)->height >= height;
    if (n <= MAX_ELEMENTS) return height;
  }
  return top;
}

static void put_elements(json_out_t *j, const berth_topo_t *t, int lowest, const char *key,
                         int (*value)(const berth_topo_t *t, int e))
{
  json_open(j, key, '[', JSON_COMPACT);
  for (int e = 0; e < berth_topo_n_elements(t); e++)
    if (berth_topo_element(t, e)->height >= lowest) json_put_number(j, NULL, value(t, e));
  json_close(j);
}

static int number_of(const berth_topo_t *t, int e) { return (void)t, e; }
static int parent_of(const berth_topo_t *t, int e) { return berth_topo_element(t, e)->parent; }
static int depth_of(const berth_topo_t *t, int e) { return berth_topo_element(t, e)->depth; }
static int first_pu_of(const berth_topo_t *t, int e) { return berth_topo_element(t, e)->first_pu; }
static int n_pus_of(const berth_topo_t *t, int e) { return berth_topo_element(t, e)->n_pus; }

/* Writes each host's element and range of PUs. */
static void put_hosts(json_out_t *j, const berth_topo_t *t)
{
  static const char *const keys[] = {"host_element", "host_first_pu", "host_pus"};
  for (int what = 0; what < 3; what++) {
    json_open(j, keys[what], '[', JSON_COMPACT);
    for (int h = 0; h < berth_topo_n_hosts(t); h++) {
      int number = berth_topo_host(t, h)->element;
      const berth_element_t *e = berth_topo_element(t, number);
      const int values[] = {number, e->first_pu, e->n_pus};
      json_put_number(j, NULL, values[what]);
    }
    json_close(j);
  }
}

/* Lists elements. PUs have numbers instead of names. */
static void put_machine(json_out_t *j, const berth_report_t *r)
{
  const berth_topo_t *t = r->topo;
  int lowest = lowest_height(t);
  json_open(j, "machine", '{', JSON_LINES);
  json_put_string(j, "name", berth_topo_name(t));
  json_put_u64(j, "pus", (uint64_t)berth_topo_n_pus(t));
  json_put_u64(j, "elements_total", (uint64_t)berth_topo_n_elements(t));
  json_open(j, "level_types", '[', JSON_ONE_LINE);
  for (int d = 0; d <= berth_topo_element(t, 0)->height; d++) {
    json_put_made(j, NULL, cost_level_types(t, d));
  }
  json_close(j);
  json_open(j, "hosts", '[', JSON_COMPACT);
  for (int h = 0; h < berth_topo_n_hosts(t); h++)
    json_put_string(j, NULL, berth_topo_host(t, h)->name);
  json_close(j);
  put_hosts(j, t);
  put_elements(j, t, lowest, "element", number_of);
  put_elements(j, t, lowest, "parent", parent_of);
  put_elements(j, t, lowest, "depth", depth_of);
  put_elements(j, t, lowest, "first_pu", first_pu_of);
  put_elements(j, t, lowest, "n_pus", n_pus_of);
  json_open(j, "names", '[', JSON_COMPACT);
  for (int e = 0; e < berth_topo_n_elements(t); e++)
    if (berth_topo_element(t, e)->height >= lowest)
      json_put_string(j, NULL, berth_topo_element_name(t, e));
  json_close(j);
  json_close(j);
}

/* --- placements --- */

static void put_costs(json_out_t *j, const berth_report_t *r, size_t i)
{
  const rated_t *p = &r->placement[i];
  json_open(j, "cost_s", '{', JSON_ONE_LINE);
  for (int m = 0; m < BERTH_N_MODELS; m++)
    if (p->estimate[m])
      json_put_number(j, berth_model_name((berth_model_t)m), p->estimate[m]->cost_s);
  json_close(j);
  json_open(j, "intervals", '{', JSON_ONE_LINE);
  for (int m = 0; m < BERTH_N_MODELS; m++) {
    if (!r->uncertainty[m]) continue;
    json_open(j, berth_model_name((berth_model_t)m), '{', JSON_ONE_LINE);
    cost_put_interval(j, r->uncertainty[m], "", i);
    json_close(j);
  }
  json_close(j);
  json_open(j, "margins", '{', JSON_ONE_LINE);
  for (int m = 0; m < BERTH_N_MODELS; m++) {
    char margin[COST_MARGIN];
    if (r->uncertainty[m])
      json_put_string(j, berth_model_name((berth_model_t)m),
                      cost_margin_text(r->uncertainty[m], i, margin));
  }
  json_close(j);
  json_put_number(j, "packing_s", p->estimate[r->options.model]->packing_s);
  bool known = berth_sharing_known(r->pattern, r->topo, r->options.model);
  json_put_number(j, "sharing_s", known ? p->estimate[r->options.model]->sharing_s : NAN);
}

/* Writes how a placement compares with each other one. */
static void put_verdicts(json_out_t *j, const berth_report_t *r, size_t i)
{
  const berth_uncertainty_t *u = r->uncertainty[r->options.model];
  berth_interval_t ratio;
  if (!u) return;
  json_open(j, "verdicts", '[', JSON_ONE_LINE);
  for (size_t k = 0; k < r->n; k++)
    json_put_string(j, NULL, berth_verdict_name(berth_uncertainty_compare(u, i, k, &ratio)));
  json_close(j);
}

static void put_comparison(json_out_t *j, const berth_report_t *r, size_t i)
{
  berth_model_t by = r->options.model;
  const berth_estimate_t *e = r->placement[i].estimate[by];
  json_put_number(j, "cost_gain", e->gain);
  cost_put_comparison(j, r->uncertainty[by], i, r->options.before);
  put_verdicts(j, r, i);
  json_put_u64(j, "moved", (uint64_t)e->moved);
  json_put_u64(j, "to_other_hosts", (uint64_t)e->moved_hosts);
}

/* Writes each rank's core and number of its host. */
static void put_where(json_out_t *j, const berth_report_t *r, const rated_t *p)
{
  int ranks = berth_pattern_ranks(r->pattern);
  json_put_ints(j, "pu_of_rank", JSON_COMPACT, p->is.pu_of_rank, (size_t)ranks);
  json_open(j, "host_of_rank", '[', JSON_COMPACT);
  for (int i = 0; i < ranks; i++)
    json_put_u64(j, NULL, (uint64_t)berth_topo_pu(r->topo, p->is.pu_of_rank[i])->host);
  json_close(j);
  json_open(j, "core_of_rank", '[', JSON_COMPACT);
  for (int i = 0; i < ranks; i++)
    json_put_number(j, NULL, berth_topo_pu(r->topo, p->is.pu_of_rank[i])->core);
  json_close(j);
}

static void put_load(json_out_t *j, const berth_report_t *r, const loads_t *loads, int lowest)
{
  static const char *const keys[] = {"element", "kind", "cost_s", "bytes"};
  for (int what = 0; what < 4; what++) {
    json_open(j, keys[what], '[', JSON_COMPACT);
    for (size_t i = 0; i < loads->n; i++) {
      const berth_load_t *l = &loads->load[i];
      if (berth_topo_element(r->topo, l->resource.element)->height < lowest) continue;
      const double values[] = {l->resource.element, l->resource.kind, l->cost_s, l->bytes};
      json_put_number(j, NULL, values[what]);
    }
    json_close(j);
  }
}

/* A phase's index in the page's list; NaN for all phases. */
static double place_of(const berth_report_t *r, size_t phase)
{
  for (size_t k = 0; k < r->n_listed; k++)
    if (r->listed[k] == phase) return (double)k;
  return NAN;
}

/* Writes loads by index of the phase; null is for all phases. */
static void put_loads(json_out_t *j, const berth_report_t *r, const rated_t *p)
{
  int lowest = lowest_height(r->topo);
  json_open(j, "loads", '[', JSON_LINES);
  for (size_t k = 0; k <= r->n_load_phases; k++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_number(j, "phase", k < r->n_load_phases ? place_of(r, r->load_phase[k]) : NAN);
    put_load(j, r, &p->loads[k], lowest);
    json_close(j);
  }
  json_close(j);
}

/* What to do about placement i, for a person: null for the one before. */
static void put_conclusion(json_out_t *j, const berth_report_t *r, size_t i)
{
  char text[REPORT_CONCLUSION];
  bool other = i != r->options.before;
  json_put_string(j, "conclusion", other ? report_conclusion(r, i, text, sizeof text) : NULL);
}

static void put_placements(json_out_t *j, const berth_report_t *r)
{
  json_open(j, "placements", '[', JSON_LINES);
  for (size_t i = 0; i < r->n; i++) {
    const rated_t *p = &r->placement[i];
    json_open(j, NULL, '{', JSON_LINES);
    json_put_string(j, "mapping", p->is.name);
    json_put_string(j, "label", p->label);
    json_put_string(j, "algorithm", p->is.algorithm);
    put_costs(j, r, i);
    put_comparison(j, r, i);
    put_conclusion(j, r, i);
    json_open(j, "phases", '[', JSON_ONE_LINE);
    for (size_t k = 0; k < r->n_listed; k++) {
      json_open(j, NULL, '{', JSON_ONE_LINE);
      cost_put_phase(j, r->topo, &p->cost->phases[r->listed[k]]);
      json_close(j);
    }
    json_close(j);
    cost_put_bottleneck(j, r->topo, &p->cost->phases[p->cost->max_cost_phase]);
    cost_put_levels(j, r->topo, p->cost);
    report_put_site_levels(j, r, p);
    put_where(j, r, p);
    put_loads(j, r, p);
    json_close(j);
  }
  json_close(j);
}

/* --- the matrix --- */

/* Writes the members of cells into the open object. */
static void put_amounts(json_out_t *j, const cells_t *cells)
{
  static const char *const keys[] = {"src", "dst", "messages", "bytes"};
  for (int what = 0; what < 4; what++) {
    json_open(j, keys[what], '[', JSON_COMPACT);
    for (size_t i = 0; i < cells->n; i++) {
      const cell_t *c = &cells->cell[i];
      const double values[] = {c->src, c->dst, c->messages, c->bytes};
      json_put_number(j, NULL, values[what]);
    }
    json_close(j);
  }
}

static void put_cells(json_out_t *j, const cells_t *cells)
{
  json_open(j, NULL, '{', JSON_ONE_LINE);
  put_amounts(j, cells);
  json_close(j);
}

/* Writes all lists of cells in an order; with j NULL it only counts them. */
static int put_grouped(json_out_t *j, const berth_report_t *r, const rated_t *order, int group,
                       size_t *n, berth_error_t *err)
{
  int rc = BERTH_OK, *position = report_positions(r, order, err);
  if (!position) return err->code;
  for (size_t k = 0; k < report_n_cells(r) && !rc; k++) {
    double repeats;
    cells_t cells;
    rc = report_group(report_cells(r, k, &repeats), position, group, &cells, err);
    *n += cells.n;
    if (j && !rc) put_cells(j, &cells);
    free(cells.cell);
  }
  free(position);
  return rc;
}

/* Chooses the smallest groups with which the page stays small enough. */
static int choose_group(const berth_report_t *r, int *group, berth_error_t *err)
{
  for (int groups = MAX_GROUPS;; groups /= 2) {
    size_t n = 0;
    *group = report_group_size(r, groups);
    int rc = put_grouped(NULL, r, NULL, *group, &n, err);
    for (size_t i = 0; i < r->n && !rc; i++)
      rc = put_grouped(NULL, r, &r->placement[i], *group, &n, err);
    if (rc || n <= REPORT_MAX_PAIRS || groups == MIN_GROUPS) return rc;
  }
}

static int put_groups(json_out_t *j, const berth_report_t *r, berth_error_t *err)
{
  int group;
  size_t n = 0;
  int rc = choose_group(r, &group, err);
  if (rc) return rc;
  json_open(j, "groups", '{', JSON_LINES);
  json_put_u64(j, "ranks", (uint64_t)group);
  json_open(j, "by_rank", '[', JSON_LINES);
  rc = put_grouped(j, r, NULL, group, &n, err);
  json_close(j);
  json_open(j, "by_placement", '[', JSON_LINES);
  for (size_t i = 0; i < r->n && !rc; i++) {
    json_open(j, NULL, '[', JSON_LINES);
    rc = put_grouped(j, r, &r->placement[i], group, &n, err);
    json_close(j);
  }
  json_close(j);
  json_close(j);
  return rc;
}

/* Writes each list's pairs: all, or the largest ones. */
static int put_pairs(json_out_t *j, const berth_report_t *r, berth_error_t *err)
{
  weight_t min;
  bool all = r->n_pairs <= REPORT_MAX_PAIRS;
  size_t room = all ? r->n_pairs : REPORT_LARGEST_PAIRS;
  int rc = report_find_min(r, room, &min, err);
  if (rc) return rc;
  cells_t kept = {.cell = malloc((room + 1) * sizeof *kept.cell)};
  if (!kept.cell) return no_memory(err);
  uint64_t number = 0;
  size_t room_for_sites = REPORT_MAX_PAIRS;
  json_open(j, "pairs", '[', JSON_LINES);
  for (size_t k = 0; k < report_n_cells(r) && !rc; k++) {
    double repeats;
    const cells_t *cells = report_cells(r, k, &repeats);
    kept.n = 0;
    for (size_t i = 0; i < cells->n; i++) {
      weight_t weight = report_weigh(&cells->cell[i], repeats, number++);
      if (report_is_large(&weight, &min)) kept.cell[kept.n++] = cells->cell[i];
    }
    json_open(j, NULL, '{', JSON_ONE_LINE);
    put_amounts(j, &kept);
    rc = report_put_pair_sites(j, r, k, &kept, &room_for_sites, err);
    json_close(j);
  }
  json_close(j);
  free(kept.cell);
  return rc || all ? rc : put_groups(j, r, err);
}

/* --- all of it --- */

static void put_sizes(json_out_t *j, const berth_report_t *r)
{
  json_open(j, "sizes", '[', JSON_LINES);
  for (int i = 0; i < SUMMARY_SIZES; i++) {
    if (r->summary.sizes[i].sum.messages == 0) continue;
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "least", r->summary.sizes[i].min);
    json_put_u64(j, "most", r->summary.sizes[i].max);
    put_amount(j, r->summary.sizes[i].sum);
    json_close(j);
  }
  json_close(j);
}

static void put_head(json_out_t *j, const berth_report_t *r)
{
  const berth_report_options_t *o = &r->options;
  json_put_string(j, "format", "berth-report");
  json_put_u64(j, "version", 1);
  json_put_string(j, "title", o->title);
  json_put_string(j, "pattern", o->pattern_name);
  pattern_put_cut(j, r->pattern);
  json_put_string(j, "topology", o->topology_name);
  json_put_u64(j, "ranks", (uint64_t)berth_pattern_ranks(r->pattern));
  json_put_string(j, "model", berth_model_name(o->model));
  json_open(j, "models", '[', JSON_ONE_LINE);
  for (int m = 0; m < BERTH_N_MODELS; m++)
    if (o->asked[m]) json_put_string(j, NULL, berth_model_name((berth_model_t)m));
  json_close(j);
  json_put_u64(j, "before", o->before);
  json_put_u64(j, "after", o->after);
  json_put_number(j, "phase", place_of(r, o->phase));
  json_put_u64(j, "phases_total", r->summary.n_phases);
  json_put_bool(j, "unmeasured_curves", topo_is_unmeasured(r->topo));
  json_put_string(j, "unit", berth_topo_has_distances(r->topo) ? "distance" : "second");
  cost_put_uncertainty(j, r->uncertainty[o->model]);
}

int report_put_data(const berth_report_t *r, out_file_t *out, berth_error_t *err)
{
  json_out_t j = {.out = out, .in_html = true};
  json_open(&j, NULL, '{', JSON_LINES);
  put_head(&j, r);
  put_run(&j, r);
  put_phases(&j, r);
  put_sizes(&j, r);
  time_summary_put(&j, &r->times);
  report_put_tuning(&j, r->options.tuning);
  report_put_call_sites(&j, r);
  int rc = report_put_top_pairs(&j, r, err);
  put_machine(&j, r);
  if (!rc) rc = report_put_nodes(&j, r, err);
  put_placements(&j, r);
  if (!rc) rc = put_pairs(&j, r, err);
  json_close(&j);
  return rc;
}
