/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/map_report.h"

#include <math.h>
#include <stdbool.h>

#include "base/text.h"
#include "cli/options/inputs.h"
#include "cost/coverage.h"
#include "pattern/phase_find.h"
#include "topo/topo_levels.h"

static const char *apart_text(const berth_candidate_t *c)
{
  return c->apart ? " (ranks apart)" : "";
}

const char *map_report_name(const berth_map_report_t *r, size_t i, char buf[MAP_REPORT_NAME])
{
  const berth_candidate_t *c = &r->candidate[i];
  if (c->phase)
    snprintf(buf, MAP_REPORT_NAME, "%s for phase %d \"%.*s\" alone", c->name, c->phase->id,
             pattern_call_name(c->phase), c->phase->name);
  else
    snprintf(buf, MAP_REPORT_NAME, "%s%s", c->name, apart_text(c));
  return buf;
}

double map_report_gap(const berth_map_report_t *r)
{
  double gap = assess_gain(r->candidate[r->chosen].price, r->lower_bound);
  return gap > 0 ? gap : 0;
}

static double gain_left(const berth_map_report_t *r)
{
  return assess_gain(r->candidate[r->chosen].price, r->candidate[r->cheapest].price);
}

static double saved_by_left(const berth_map_report_t *r)
{
  return r->candidate[r->chosen].price - r->candidate[r->cheapest].price;
}

static double gain_of_threads(const berth_map_report_t *r)
{
  return assess_gain(r->price_of_first_threads, r->candidate[r->chosen].price);
}

/* What was built for the whole pattern, in the order in which it was found. */
static void print_candidates(FILE *to, const berth_map_report_t *r, const berth_topo_t *t,
                             int more_than_cost)
{
  char price[TEXT_NUMBER];
  fprintf(to, "tried%s: ", more_than_cost ? " (costs with the share of sum and moves)" : "");
  for (size_t i = 0; i < r->n; i++)
    if (!r->candidate[i].phase)
      fprintf(to, "%s%s%s%s %s", i ? ", " : "", r->candidate[i].name, apart_text(&r->candidate[i]),
              r->candidate[i].any_thread ? " (any thread)" : "",
              topo_text_cost(t, r->candidate[i].price, price));
  fputc('\n', to);
}

/* Whether candidate i is the first of the cheapest for its phase. */
static bool leads_phase(const berth_map_report_t *r, size_t i)
{
  const berth_candidate_t *c = r->candidate;
  for (size_t k = 0; k < r->n; k++)
    if (c[k].phase == c[i].phase &&
        (c[k].price < c[i].price || (c[k].price == c[i].price && k < i)))
      return false;
  return c[i].phase != NULL;
}

/* What was built for phases alone: the cheapest for each. */
static void print_phases(FILE *to, const berth_map_report_t *r, const berth_topo_t *t)
{
  int n = 0;
  char price[TEXT_NUMBER];
  for (size_t i = 0; i < r->n; i++) {
    const berth_candidate_t *c = &r->candidate[i];
    if (leads_phase(r, i))
      fprintf(to, "%s%d \"%.*s\" %s by %s",
              n++ ? ", " : "found for one phase alone: ", c->phase->id, pattern_call_name(c->phase),
              c->phase->name, topo_text_cost(t, c->price, price), c->name);
  }
  if (n) fputc('\n', to);
}

/* How many ranks move, and the table of moves, without points that move no more ranks than the one
 * before. */
static void print_moves(FILE *to, const berth_map_report_t *r, const berth_topo_t *t)
{
  char cost[TEXT_NUMBER], each[TEXT_NUMBER];
  const berth_move_point_t *first = &r->point[0];
  if (r->moved >= 0)
    fprintf(to, "%d rank%s move%s\n", r->moved, text_plural(r->moved), r->moved == 1 ? "s" : "");
  if (r->n_points == 0) return;
  fprintf(to, "%11s  %10s  %8s  %s\n", "ranks moved", "cost", "gain", "gain per moved rank");
  for (size_t i = 0; i < r->n_points; i++) {
    const berth_move_point_t *p = &r->point[i];
    double gain = first->cost_s - p->cost_s;
    int more = p->moved - first->moved;
    if (i > 0 && p->moved == r->point[i - 1].moved) continue;
    fprintf(to, "%11d  %10s  %7.1f%%  %s\n", p->moved, topo_text_cost(t, p->cost_s, cost),
            100 * assess_gain(first->cost_s, p->cost_s),
            more > 0 ? topo_text_cost(t, gain / more, each) : "-");
  }
}

void map_report_print_kept(FILE *to, const berth_map_report_t *r, const berth_topo_t *t,
                           int by_error)
{
  char price[TEXT_NUMBER], gain[TEXT_NUMBER], limit[TEXT_NUMBER], name[MAP_REPORT_NAME];
  if (gain_left(r) > r->min_gain)
    fprintf(
        to,
        "Keep the current order: %s would save %s%% of the communication time, %s. That is less "
        "than 1%% of the recorded run. --min-gain 0 takes it.\n",
        map_report_name(r, r->cheapest, name), text_number(100 * gain_left(r), 2, gain),
        topo_text_cost(t, saved_by_left(r), price));
  else
    fprintf(to, "Keep the current order: %s would save %s%%, less than the %s%% of --min-gain%s.\n",
            map_report_name(r, r->cheapest, name), text_number(100 * gain_left(r), 2, gain),
            text_number(100 * r->min_gain, 3, limit),
            by_error ? " (the model's error on this machine)" : "");
}

void map_report_print(FILE *to, const berth_map_report_t *r, const berth_topo_t *t,
                      int more_than_cost)
{
  char price[TEXT_NUMBER];
  print_candidates(to, r, t, more_than_cost);
  print_phases(to, r, t);
  if (r->lower_bound >= 0)
    fprintf(to, "lower bound: %s. Another placement could save at most %.1f%%.\n",
            topo_text_cost(t, r->lower_bound, price), 100 * map_report_gap(r));
  else
    fprintf(to, "lower bound: unknown %s\n",
            r->stopped ? "(the search was stopped)" : "(the time limit was reached)");
  if (r->price_of_first_threads >= 0)
    fprintf(
        to,
        "Second hardware threads are used, though each rank could have its own core. That saves "
        "%s, %.1f%%.\n",
        topo_text_cost(t, r->price_of_first_threads - r->candidate[r->chosen].price, price),
        100 * gain_of_threads(r));
  print_moves(to, r, t);
}

static void put_phase(json_out_t *j, const berth_phase_t *phase)
{
  if (!phase) return;
  json_open(j, "phase", '{', JSON_ONE_LINE);
  json_put_u64(j, "id", (uint64_t)phase->id);
  json_put_string(j, "name", phase->name);
  json_close(j);
}

/* What the mapper of a candidate saw, unless it is the whole pattern. */
static void put_seen(json_out_t *j, const berth_candidate_t *c)
{
  put_phase(j, c->phase);
  if (c->apart) json_put_bool(j, "ranks_apart", true);
}

static void put_threads(json_out_t *j, const berth_map_report_t *r)
{
  if (r->price_of_first_threads < 0) {
    json_put_string(j, "second_threads", NULL);
    return;
  }
  json_open(j, "second_threads", '{', JSON_ONE_LINE);
  json_put_number(j, "price_without_s", r->price_of_first_threads);
  json_put_number(j, "gain", gain_of_threads(r));
  json_close(j);
}

static void put_moves(json_out_t *j, const berth_map_report_t *r)
{
  if (r->n_points == 0) {
    json_put_string(j, "moves", NULL);
    return;
  }
  json_open(j, "moves", '[', JSON_LINES);
  for (size_t i = 0; i < r->n_points; i++) {
    const berth_move_point_t *p = &r->point[i];
    int more = p->moved - r->point[0].moved;
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "at_most", (uint64_t)p->max);
    json_put_u64(j, "moved", (uint64_t)p->moved);
    json_put_number(j, "cost_s", p->cost_s);
    json_put_number(j, "gain", assess_gain(r->point[0].cost_s, p->cost_s));
    json_put_number(j, "gain_per_rank_s", more > 0 ? (r->point[0].cost_s - p->cost_s) / more : NAN);
    json_close(j);
  }
  json_close(j);
}

void map_report_put(json_out_t *j, const berth_map_report_t *r)
{
  if (r->n) json_put_number(j, "min_gain", r->min_gain);
  if (r->n) json_put_number(j, "least_saved_s", r->least_saved_s);
  json_open(j, "candidates", '[', JSON_LINES);
  for (size_t i = 0; i < r->n; i++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_string(j, "algorithm", r->candidate[i].name);
    json_put_number(j, "price_s", r->candidate[i].price);
    put_seen(j, &r->candidate[i]);
    if (r->candidate[i].any_thread) json_put_bool(j, "any_thread", true);
    json_close(j);
  }
  json_close(j);
  json_put_number(j, "moved", r->moved >= 0 ? r->moved : NAN);
  put_moves(j, r);
  put_threads(j, r);
  json_put_number(j, "price_s", r->candidate[r->chosen].price);
  bool bounded = r->lower_bound >= 0; /* null where it is unknown */
  json_put_number(j, "lower_bound_s", bounded ? r->lower_bound : NAN);
  json_put_number(j, "gap", bounded ? map_report_gap(r) : NAN);
  if (!r->left_as_it_is) {
    json_put_string(j, "left_as_it_is", NULL);
    return;
  }
  json_open(j, "left_as_it_is", '{', JSON_ONE_LINE);
  json_put_string(j, "cheapest", r->candidate[r->cheapest].name);
  put_seen(j, &r->candidate[r->cheapest]);
  json_put_number(j, "price_s", r->candidate[r->cheapest].price);
  json_put_number(j, "gain", gain_left(r));
  json_put_number(j, "saved_s", saved_by_left(r));
  json_close(j);
}
