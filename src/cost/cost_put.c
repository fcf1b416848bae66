/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes costs as JSON and as text for people. */
#include "cost/cost_put.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/topo_levels.h"

/* Room for an element's text with a port: the lengths of names vary. */
static size_t room_for(const berth_topo_t *t, int element)
{
  const char *name = element >= 0 ? berth_topo_element_name(t, element) : NULL;
  return name ? strlen(name) : 0;
}

char *cost_resource_text(const berth_topo_t *t, berth_resource_t r)
{
  size_t size = 80 + room_for(t, r.element) + room_for(t, berth_topo_element(t, r.element)->parent);
  char *text = malloc(size);
  if (text) berth_resource_text(t, r, text, size);
  return text;
}

/* The names of all types need at least as much room as those of one level. */
char *cost_level_types(const berth_topo_t *t, int depth)
{
  size_t size = sizeof "pu+";
  for (int i = 0; i < berth_topo_n_types(t); i++) size += strlen(berth_topo_type(t, i)->name) + 1;
  char *text = malloc(size);
  if (text) topo_level_types(t, depth, text, size);
  return text;
}

void cost_put_resource(json_out_t *j, const berth_topo_t *t, berth_resource_t r)
{
  static const char *const port[] = {"down", "down", "up", "up", "switch"};
  static const char *const direction[] = {"out", "in", "out", "in", NULL};
  char *text = cost_resource_text(t, r);
  bool down = r.kind == BERTH_DOWN_OUT || r.kind == BERTH_DOWN_IN;
  int owner = down ? berth_topo_element(t, r.element)->parent : r.element;
  json_put_made(j, "text", text);
  json_put_string(j, "element", berth_topo_element_name(t, owner));
  json_put_u64(j, "element_number", (uint64_t)owner);
  json_put_string(j, "port", port[r.kind]);
  if (down) json_put_u64(j, "child_number", (uint64_t)r.element);
  json_put_string(j, "direction", direction[r.kind]);
}

void cost_put_bottleneck(json_out_t *j, const berth_topo_t *t, const berth_phase_cost_t *p)
{
  if (!p->has_bottleneck) {
    json_put_string(j, "bottleneck", NULL);
    return;
  }
  json_open(j, "bottleneck", '{', JSON_LINES);
  json_put_u64(j, "phase", (uint64_t)p->id);
  cost_put_resource(j, t, p->bottleneck);
  json_put_number(j, "bytes", p->bottleneck_bytes);
  json_put_u64(j, "pairs_total", p->n_pairs);
  json_open(j, "pairs", '[', JSON_LINES);
  for (size_t i = 0; i < p->n_listed; i++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "src", (uint64_t)p->pairs[i].src);
    json_put_u64(j, "dst", (uint64_t)p->pairs[i].dst);
    json_put_number(j, "messages", p->pairs[i].messages);
    json_put_number(j, "bytes", p->pairs[i].bytes);
    json_put_number(j, "time_s", p->pairs[i].time_s);
    json_close(j);
  }
  json_close(j);
  json_close(j);
}

void cost_put_phase(json_out_t *j, const berth_topo_t *t, const berth_phase_cost_t *p)
{
  json_put_u64(j, "id", (uint64_t)p->id);
  json_put_string(j, "name", p->name);
  if (p->of_phase >= 0) json_put_u64(j, "of_phase", (uint64_t)p->of_phase);
  json_put_number(j, "repeats", p->repeats);
  json_put_number(j, "cost_s", p->cost_s);
  cost_put_bottleneck(j, t, p);
}

void cost_put_levels(json_out_t *j, const berth_topo_t *t, const berth_cost_result_t *r)
{
  json_open(j, "levels", '[', JSON_LINES);
  for (size_t d = 0; d < r->n_levels; d++) {
    const berth_level_cost_t *l = &r->levels[d];
    json_open(j, NULL, '{', JSON_LINES);
    json_put_u64(j, "depth", d);
    json_put_made(j, "types", cost_level_types(t, (int)d));
    json_put_number(j, "cost_s", l->cost_s);
    json_put_number(j, "messages", l->messages);
    json_put_number(j, "bytes", l->bytes);
    if (l->has_busiest) {
      json_open(j, "busiest", '{', JSON_ONE_LINE);
      cost_put_resource(j, t, l->busiest);
      json_close(j);
    } else {
      json_put_string(j, "busiest", NULL);
    }
    json_close(j);
  }
  json_close(j);
}

const char *cost_margin_text(const berth_uncertainty_t *u, size_t i, char buf[COST_MARGIN])
{
  *buf = '\0';
  if (!u || berth_uncertainty_cost(u, i).value == 0) return buf; /* a cost of 0 has no interval */
  double percent = 100 * (berth_uncertainty_cost(u, i).factor - 1);
  if (isinf(percent)) return strcpy(buf, " ± unknown");
  char number[TEXT_NUMBER];
  snprintf(buf, COST_MARGIN, " ± %.16s%%", text_number(percent, 2, number));
  return buf;
}

void cost_put_interval(json_out_t *j, const berth_uncertainty_t *u, const char *prefix, size_t i)
{
  char key[64];
  if (!u) return;
  berth_interval_t cost = berth_uncertainty_cost(u, i);
  snprintf(key, sizeof key, "%sinterval_low_s", prefix);
  json_put_number(j, key, cost.low);
  snprintf(key, sizeof key, "%sinterval_high_s", prefix);
  json_put_number(j, key, cost.high);
}

void cost_put_comparison(json_out_t *j, const berth_uncertainty_t *u, size_t a, size_t b)
{
  if (!u) return;
  berth_interval_t ratio;
  berth_verdict_t verdict = berth_uncertainty_compare(u, a, b, &ratio);
  json_put_number(j, "ratio", ratio.value);
  json_put_number(j, "ratio_low", ratio.low);
  json_put_number(j, "ratio_high", ratio.high);
  json_put_string(j, "verdict", berth_verdict_name(verdict));
}

void cost_put_uncertainty(json_out_t *j, const berth_uncertainty_t *u)
{
  if (!u) return;
  double model = berth_uncertainty_model_error(u);
  json_open(j, "uncertainty", '{', JSON_ONE_LINE);
  json_put_u64(j, "measured_numbers", berth_uncertainty_numbers(u));
  json_put_u64(j, "without_spread", berth_uncertainty_unknown_numbers(u));
  json_put_number(j, "model_error", model > 0 ? model : NAN);
  json_close(j);
}
