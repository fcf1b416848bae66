/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/print/explore.h"
#include "cli/print/screen.h"
#include "cli/print/verdict.h"
#include "cost/coverage.h"
#include "pattern/phase_find.h"
#include "topo/topo_levels.h"

enum { BINS = 20, BAR = 40, BESIDE_BAR = 40, QUANTILE = 11 };

static const struct quantile {
  double share;
  const char *name;
} quantiles[] = {{0, "min"},    {0.01, "1%"},  {0.05, "5%"},  {0.25, "25%"}, {0.5, "median"},
                 {0.75, "75%"}, {0.95, "95%"}, {0.99, "99%"}, {1, "max"}};
enum { N_QUANTILES = sizeof quantiles / sizeof *quantiles };

static double mean(const explore_view_t *v)
{
  double sum = 0;
  for (size_t i = 0; i < v->n_samples; i++) sum += v->sorted[i] / (double)v->n_samples;
  return sum;
}

void explore_histogram(const explore_view_t *v, size_t bins, size_t *count)
{
  double min = v->sorted[0], range = v->sorted[v->n_samples - 1] - min;
  memset(count, 0, bins * sizeof *count);
  for (size_t i = 0; i < v->n_samples; i++) {
    double at = range > 0 ? (v->sorted[i] - min) / range * (double)bins : 0;
    count[at < (double)bins ? (size_t)at : bins - 1]++;
  }
}

/* The placements whose cost is in a part of the way, which begins at `from` and ends before `to`.
 */
static void print_those(const explore_view_t *v, double from, double to)
{
  const char *between = "  <- ";
  for (size_t i = 0; i < v->n; i++)
    if (v->placement[i].cost_s >= from && v->placement[i].cost_s < to) {
      printf("%s%s", between, v->placement[i].name);
      between = ", ";
    }
  putchar('\n');
}

static void print_histogram(const explore_view_t *v)
{
  char from[TEXT_NUMBER];
  const size_t longest = (size_t)screen_bar(BESIDE_BAR, BAR);
  size_t count[BINS], max = 0;
  double min = v->sorted[0], width = (v->sorted[v->n_samples - 1] - min) / BINS;
  explore_histogram(v, BINS, count);
  for (size_t b = 0; b < BINS; b++) max = count[b] > max ? count[b] : max;
  printf("\n%13s  samples\n%13s", "cost from", "below");
  print_those(v, -INFINITY, min);
  for (size_t b = 0; b < (width > 0 ? BINS : 1); b++) {
    size_t length = (count[b] * longest + max - 1) / max;
    printf("%13s %8zu%s", topo_text_cost(v->in->topo, min + (double)b * width, from), count[b],
           length ? " " : "");
    for (; length > 0; length--) putchar('#');
    print_those(v, min + (double)b * width,
                b + 1 < BINS && width > 0 ? min + (double)(b + 1) * width
                                          : nextafter(v->sorted[v->n_samples - 1], INFINITY));
  }
  printf("%13s", "above");
  print_those(v, nextafter(v->sorted[v->n_samples - 1], INFINITY), INFINITY);
}

static void print_placements(const explore_view_t *v)
{
  char cost[TEXT_NUMBER], share[TEXT_NUMBER];
  double n = (double)v->n_samples, median = berth_costs_quantile(v->sorted, v->n_samples, 0.5);
  printf("\n%-24s %11s %14s  samples that cost more\n", "placement", "cost", "to the median");
  for (size_t i = 0; i < v->n; i++) {
    const explored_t *e = &v->placement[i];
    printf("%-24s %11s %+13.1f%%  %s%%", e->name, topo_text_cost(v->in->topo, e->cost_s, cost),
           -100 * assess_gain(median, e->cost_s),
           text_number(100 * (double)e->above / n, 4, share));
    if (e->equal) printf(", as much: %s%%", text_number(100 * (double)e->equal / n, 4, share));
    bool by_another = *e->by && strcmp(e->by, e->name) != 0;
    printf("%s%s%s%s\n", by_another ? ", by " : "", by_another ? e->by : "",
           e->same_as ? ", the same as " : "", e->same_as ? e->same_as : "");
  }
}

/* As many in a row as a terminal has columns for. */
static void print_quantiles(const explore_view_t *v)
{
  char cost[TEXT_NUMBER];
  size_t room = (size_t)screen_columns() / QUANTILE, n = room ? room : N_QUANTILES;
  for (size_t first = 0; first < N_QUANTILES; first += n) {
    size_t end = first + n < N_QUANTILES ? first + n : N_QUANTILES;
    for (size_t i = first; i < end; i++) printf("%*s", QUANTILE, quantiles[i].name);
    putchar('\n');
    for (size_t i = first; i < end; i++)
      printf("%*s", QUANTILE,
             topo_text_cost(v->in->topo,
                            berth_costs_quantile(v->sorted, v->n_samples, quantiles[i].share),
                            cost));
    putchar('\n');
  }
}

void explore_print(const explore_view_t *v)
{
  char cost[TEXT_NUMBER], share[TEXT_NUMBER];
  printf("%d ranks on %s: %zu random placement%s (model %s)\n\n",
         berth_pattern_ranks(v->in->pattern), berth_topo_name(v->in->topo), v->n_samples,
         text_plural((double)v->n_samples), berth_model_name(v->in->map.objective));
  print_quantiles(v);
  print_histogram(v);
  if (v->n) print_placements(v);
  if (v->n && v->placement[0].above == v->n_samples)
    printf("\nNo sample is as cheap as %s. With 95%% confidence, fewer than %s%% of all placements "
           "are cheaper\n",
           v->placement[0].name,
           text_number(100 * berth_costs_unseen_share(v->n_samples), 2, share));
  if (!isnan(v->lower_bound))
    printf("lower bound: %s\n", topo_text_cost(v->in->topo, v->lower_bound, cost));
  for (size_t i = 0; i < v->n_left_out; i++) printf("left out: %s\n", v->left_out[i].why.text);
  verdict_print_notes(stdout, v->in, NULL);
}

static void put_placements(json_out_t *j, const explore_view_t *v)
{
  double n = (double)v->n_samples;
  json_open(j, "placements", '[', JSON_LINES);
  for (size_t i = 0; i < v->n; i++) {
    const explored_t *e = &v->placement[i];
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_string(j, "name", e->name);
    json_put_string(j, "algorithm", e->by);
    json_put_number(j, "cost_s", e->cost_s);
    json_put_number(j, "dearer", (double)e->above / n);
    json_put_number(j, "equal", (double)e->equal / n);
    json_put_string(j, "same_as", e->same_as);
    json_close(j);
  }
  json_close(j);
}

static void put_distribution(json_out_t *j, const explore_view_t *v)
{
  size_t count[BINS];
  json_open(j, "quantiles", '[', JSON_LINES);
  for (size_t i = 0; i < N_QUANTILES; i++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_number(j, "share", quantiles[i].share);
    json_put_number(j, "cost_s", berth_costs_quantile(v->sorted, v->n_samples, quantiles[i].share));
    json_close(j);
  }
  json_close(j);
  json_put_number(j, "mean_s", mean(v));
  explore_histogram(v, BINS, count);
  json_open(j, "histogram", '[', JSON_ONE_LINE);
  for (size_t b = 0; b < BINS; b++) json_put_u64(j, NULL, count[b]);
  json_close(j);
}

static void put_left_out(json_out_t *j, const explore_view_t *v)
{
  json_open(j, "left_out", '[', JSON_LINES);
  for (size_t i = 0; i < v->n_left_out; i++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_string(j, "algorithm", v->left_out[i].name);
    json_put_string(j, "why", v->left_out[i].why.text);
    json_close(j);
  }
  json_close(j);
}

int explore_json(const explore_view_t *v, const char *path, berth_error_t *err)
{
  json_out_t j;
  if (json_begin(&j, path, "berth-explore", err)) return BERTH_MISSING;
  json_put_string(&j, "model", berth_model_name(v->in->map.objective));
  json_put_string(&j, "pattern", v->in->pattern_path);
  pattern_put_cut(&j, v->in->pattern);
  json_put_string(&j, "topology", v->in->topology_path);
  inputs_put_changes(&j, v->in);
  json_put_u64(&j, "samples", v->n_samples);
  json_put_u64(&j, "seed", v->in->map.seed);
  verdict_put_notes(&j, v->in);
  put_distribution(&j, v);
  put_placements(&j, v);
  put_left_out(&j, v);
  json_put_number(&j, "lower_bound_s", v->lower_bound);
  json_close(&j);
  return out_commit(j.out, err);
}

int explore_csv(const explore_view_t *v, const char *path, berth_error_t *err)
{
  out_file_t *out = out_open(path, err);
  if (!out) return BERTH_MISSING;
  out_text(out, "kind,name,cost_s\n");
  for (size_t i = 0; i < v->n; i++) {
    out_text(out, "placement,");
    out_csv(out, v->placement[i].name);
    out_printf(out, ",%.17g\n", v->placement[i].cost_s);
  }
  for (size_t i = 0; i < v->n_samples; i++) out_printf(out, "sample,%zu,%.17g\n", i, v->sample[i]);
  return out_commit(out, err);
}
