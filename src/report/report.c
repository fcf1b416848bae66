/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes a report: costs of placements, and the load of every port in them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/options.h"
#include "base/order.h"
#include "base/text.h"
#include "cost/cost_sites.h"
#include "pattern/pattern_check.h"
#include "report/report_internal.h"

/* Maximum of pairs listed with a bottleneck; of phases on the page; of phases with loads. */
enum { LISTED = 20, MAX_PHASES = 256, LOAD_PHASES = 8 };

/* --- costs --- */

/* Estimates all placements in a model. */
static int assess(berth_report_t *r, berth_cost_t *evaluator, berth_model_t model,
                  const int *const *pu_of_rank, berth_error_t *err)
{
  const berth_report_options_t *o = &r->options;
  berth_assess_options_t with = berth_assess_defaults();
  with.model = model;
  with.reference = pu_of_rank[o->before];
  with.intervals = o->intervals;
  with.reasons = model == o->model;
  with.max_pairs = LISTED;
  with.evaluator = evaluator;
  berth_assessment_t *a = berth_assessment_new(r->pattern, r->topo, &with, r->n, pu_of_rank, err);
  if (!a) return err->code;
  r->assessment[model] = a;
  r->uncertainty[model] = berth_assessment_uncertainty(a);
  for (size_t i = 0; i < r->n; i++) {
    r->placement[i].estimate[model] = berth_assessment_estimate(a, i);
    if (with.reasons) r->placement[i].cost = berth_assessment_reasons(a, i);
  }
  return BERTH_OK;
}

static int assess_all(berth_report_t *r, berth_cost_t *evaluator, berth_error_t *err)
{
  int rc = BERTH_OK;
  const int **placements = malloc(r->n * sizeof *placements);
  if (!placements) return no_memory(err);
  for (size_t i = 0; i < r->n; i++) placements[i] = r->placement[i].is.pu_of_rank;
  for (int m = 0; m < BERTH_N_MODELS && !rc; m++)
    if (r->options.asked[m]) rc = assess(r, evaluator, (berth_model_t)m, placements, err);
  free(placements);
  return rc;
}

static double cost_of(const berth_report_t *r, size_t i)
{
  return r->placement[i].estimate[r->options.model]->cost_s;
}

static void choose_after(berth_report_t *r)
{
  berth_report_options_t *o = &r->options;
  if (o->after != BERTH_REPORT_CHEAPEST) return;
  o->after = o->before;
  for (size_t i = 0; i < r->n; i++)
    if (i != o->before && (o->after == o->before || cost_of(r, i) < cost_of(r, o->after)))
      o->after = i;
}

static void choose_phase(berth_report_t *r)
{
  berth_report_options_t *o = &r->options;
  if (o->phase == BERTH_REPORT_MAX_COST_PHASE)
    o->phase = r->placement[o->before].cost->max_cost_phase;
}

/* --- phases --- */

/* Each phase's cost, in the placement where it costs most. */
static void weigh_phases(const berth_report_t *r, double *weight)
{
  for (size_t k = 0; k < r->summary.n_phases; k++)
    for (size_t i = 0; i < r->n; i++) {
      const berth_phase_cost_t *p = &r->placement[i].cost->phases[k];
      weight[k] = fmax(weight[k], p->repeats * p->cost_s);
    }
}

ORDER_VALUES(ascending, size_t)

/* Moves the `max` phases with the largest weights into a list, and sorts it. */
static void take_phases(double *weight, size_t n, size_t max, size_t *list, size_t *n_list)
{
  while (*n_list < max) {
    size_t best = 0;
    for (size_t k = 1; k < n; k++)
      if (weight[k] > weight[best]) best = k;
    weight[best] = -1;
    list[(*n_list)++] = best;
  }
  qsort(list, *n_list, sizeof *list, ascending);
}

/* Chooses the most expensive phases. First come the phase that is shown first and the most
 * expensive ones of the placements that are shown first; then the most expensive one of each
 * placement. */
static int choose_phases(berth_report_t *r, berth_error_t *err)
{
  const berth_report_options_t *o = &r->options;
  size_t n = r->summary.n_phases;
  double *weight = calloc(n + 1, sizeof *weight);
  r->load_phase = malloc(LOAD_PHASES * sizeof *r->load_phase);
  r->listed = malloc(MAX_PHASES * sizeof *r->listed);
  if (!weight || !r->load_phase || !r->listed) {
    free(weight);
    return no_memory(err);
  }
  weigh_phases(r, weight);
  weight[r->placement[o->before].cost->max_cost_phase] = INFINITY;
  weight[r->placement[o->after].cost->max_cost_phase] = INFINITY;
  if (o->phase != BERTH_REPORT_ALL_PHASES) weight[o->phase] = INFINITY;
  take_phases(weight, n, n < LOAD_PHASES ? n : LOAD_PHASES, r->load_phase, &r->n_load_phases);
  for (size_t i = 0; i < r->n; i++) {
    double *max_cost = &weight[r->placement[i].cost->max_cost_phase];
    if (*max_cost >= 0) *max_cost = INFINITY; /* not chosen yet */
  }
  memcpy(r->listed, r->load_phase, r->n_load_phases * sizeof *r->listed);
  r->n_listed = r->n_load_phases;
  take_phases(weight, n, n < MAX_PHASES ? n : MAX_PHASES, r->listed, &r->n_listed);
  free(weight);
  return BERTH_OK;
}

/* --- loads --- */

/* A number for each resource, as an index of sums. */
static size_t number_of(berth_resource_t resource)
{
  return (size_t)resource.element * BERTH_N_RESOURCE_KINDS + (size_t)resource.kind;
}

static int list_total(berth_report_t *r, const berth_load_t *sum, loads_t *out, berth_error_t *err)
{
  size_t n = (size_t)berth_topo_n_elements(r->topo) * BERTH_N_RESOURCE_KINDS;
  for (size_t i = 0; i < n; i++) out->n += sum[i].cost_s > 0 || sum[i].bytes > 0;
  out->load = malloc((out->n + 1) * sizeof *out->load);
  if (!out->load) return no_memory(err);
  out->n = 0;
  for (size_t i = 0; i < n; i++)
    if (sum[i].cost_s > 0 || sum[i].bytes > 0) out->load[out->n++] = sum[i];
  return BERTH_OK;
}

/* Finds the loads of the chosen phases, and of all phases together. */
static int find_loads(berth_report_t *r, berth_cost_t *evaluator, rated_t *p, berth_load_t *sum,
                      berth_error_t *err)
{
  int rc = BERTH_OK;
  memset(sum, 0, (size_t)berth_topo_n_elements(r->topo) * BERTH_N_RESOURCE_KINDS * sizeof *sum);
  p->loads = calloc(r->n_load_phases + 1, sizeof *p->loads);
  if (!p->loads) return no_memory(err);
  for (size_t k = 0, at = 0; k < r->summary.n_phases && !rc; k++) {
    loads_t loads;
    rc = berth_cost_loads(evaluator, r->options.model, k, p->is.pu_of_rank, &loads.load, &loads.n,
                          err);
    if (rc) return rc;
    double repeats = (double)r->summary.phases[k].phase->repeats;
    for (size_t i = 0; i < loads.n; i++) {
      berth_load_t *to = &sum[number_of(loads.load[i].resource)];
      to->resource = loads.load[i].resource;
      to->cost_s += repeats * loads.load[i].cost_s;
      to->bytes += repeats * loads.load[i].bytes;
    }
    if (at < r->n_load_phases && r->load_phase[at] == k)
      p->loads[at++] = loads;
    else
      free(loads.load);
  }
  return list_total(r, sum, &p->loads[r->n_load_phases], err);
}

static int find_all_loads(berth_report_t *r, berth_cost_t *evaluator, berth_error_t *err)
{
  berth_load_t *sum =
      malloc((size_t)berth_topo_n_elements(r->topo) * BERTH_N_RESOURCE_KINDS * sizeof *sum);
  int rc = sum ? BERTH_OK : no_memory(err);
  for (size_t i = 0; i < r->n && !rc; i++)
    rc = find_loads(r, evaluator, &r->placement[i], sum, err);
  free(sum);
  return rc;
}

/* --- all of it --- */

static int find_all_pairs(berth_report_t *r, berth_error_t *err)
{
  int rc = BERTH_OK;
  r->pairs = calloc(r->summary.n_phases, sizeof *r->pairs);
  if (!r->pairs) return no_memory(err);
  for (size_t k = 0; k < r->summary.n_phases && !rc; k++) {
    rc = report_find_pairs(r->pattern, k, &r->pairs[k], err);
    r->n_pairs += r->pairs[k].n;
  }
  return rc;
}

/* Sums up the pairs of phases that the page doesn't list. */
static int find_others(berth_report_t *r, berth_error_t *err)
{
  cells_t *out = &r->others;
  if (r->n_listed == r->summary.n_phases) return BERTH_OK;
  out->cell = malloc((r->n_pairs + 1) * sizeof *out->cell);
  if (!out->cell) return no_memory(err);
  for (size_t k = 0, at = 0; k < r->summary.n_phases; k++) {
    bool is_listed = at < r->n_listed && r->listed[at] == k;
    at += is_listed;
    double repeats = (double)r->summary.phases[k].phase->repeats;
    for (size_t i = 0; !is_listed && i < r->pairs[k].n; i++) {
      const cell_t *c = &r->pairs[k].cell[i];
      out->cell[out->n++] = (cell_t){c->src, c->dst, repeats * c->messages, repeats * c->bytes};
    }
  }
  size_t apart = out->n;
  report_add_up(out);
  r->n_pairs -= apart - out->n;
  return BERTH_OK;
}

static char *command_line(const berth_pattern_t *p)
{
  size_t n, length = 1;
  const char *const *word = berth_pattern_command(p, &n);
  for (size_t i = 0; i < n; i++) length += strlen(word[i]) + 1;
  char *line = calloc(length, 1);
  for (size_t i = 0; line && i < n; i++) {
    if (i) strcat(line, " ");
    strcat(line, word[i]);
  }
  return line;
}

static int copy_texts(berth_report_t *r, berth_error_t *err)
{
  berth_report_options_t *o = &r->options;
  size_t words;
  berth_pattern_command(r->pattern, &words);
  r->pattern_name = strdup(o->pattern_name);
  r->topology_name = strdup(o->topology_name);
  r->title = o->title ? strdup(o->title)
             : words  ? command_line(r->pattern)
                      : strdup(o->pattern_name);
  o->title = r->title;
  o->pattern_name = r->pattern_name;
  o->topology_name = r->topology_name;
  return r->title && r->pattern_name && r->topology_name ? BERTH_OK : no_memory(err);
}

/* The last `parts` parts of a path. */
static const char *tail_of(const char *path, int parts)
{
  const char *at = path + strlen(path);
  for (; at > path; at--)
    if (at[-1] == '/' && at[0] && --parts == 0) break;
  return at;
}

/* The shortest end of a placement's file name that no other one has, if any. */
static const char *distinct_tail(const berth_report_t *r, size_t i)
{
  const char *path = r->placement[i].is.name, *tail = path;
  for (int parts = 1;; parts++) {
    bool same = false;
    tail = tail_of(path, parts);
    for (size_t k = 0; k < r->n && !same; k++)
      same = k != i && strcmp(tail, tail_of(r->placement[k].is.name, parts)) == 0;
    if (!same || tail == path) return tail;
  }
}

static int name_placements(berth_report_t *r, berth_error_t *err)
{
  for (size_t i = 0; i < r->n; i++)
    if (!(r->placement[i].label = strdup(distinct_tail(r, i)))) return no_memory(err);
  return BERTH_OK;
}

static int work_out(berth_report_t *r, const berth_report_placement_t *placements,
                    berth_error_t *err)
{
  r->placement = calloc(r->n, sizeof *r->placement);
  if (!r->placement) return no_memory(err);
  for (size_t i = 0; i < r->n; i++) r->placement[i].is = placements[i];
  int rc = copy_texts(r, err);
  if (!rc) rc = name_placements(r, err);
  if (!rc) rc = summary_init(&r->summary, r->pattern, err);
  if (!rc) rc = time_summary_init(&r->times, r->pattern, err);
  if (!rc) rc = find_all_pairs(r, err);
  if (rc) return rc;
  berth_cost_t *evaluator = berth_cost_new(r->pattern, r->topo, err);
  rc = evaluator ? assess_all(r, evaluator, err) : err->code;
  if (!rc) {
    choose_after(r);
    choose_phase(r);
    rc = choose_phases(r, err);
  }
  if (!rc) rc = find_others(r, err);
  if (!rc) rc = report_list_sites(r, err);
  if (!rc) rc = find_all_loads(r, evaluator, err);
  for (size_t i = 0; i < r->n && !rc; i++) {
    rated_t *p = &r->placement[i];
    rc = berth_cost_sites(evaluator, p->is.pu_of_rank, &p->site, &p->n_sites, err);
  }
  berth_cost_free(evaluator);
  return rc;
}

static const berth_report_options_t defaults = {.size = sizeof defaults,
                                                .pattern_name = "pattern",
                                                .topology_name = "topology",
                                                .model = BERTH_MODEL_PORT,
                                                .intervals = 1,
                                                .after = BERTH_REPORT_CHEAPEST,
                                                .phase = BERTH_REPORT_MAX_COST_PHASE};

void berth_report_options_init(berth_report_options_t *o, size_t size)
{
  options_init(o, size, &defaults, sizeof defaults);
}

berth_report_t *berth_report_new(const berth_pattern_t *p, const berth_topo_t *t,
                                 const berth_report_options_t *given, size_t n,
                                 const berth_report_placement_t *placements, berth_error_t *err)
{
  berth_error_t unheard;
  berth_report_options_t options = defaults;
  if (!err) err = &unheard;
  if (options_take(&options, sizeof options, given, "berth_report_options_init", err)) return NULL;
  if (pattern_check_finished(p, err)) return NULL;
  berth_report_t *r = calloc(1, sizeof *r);
  if (!r) return no_memory_null(err);
  *r = (berth_report_t){.pattern = p, .topo = t, .options = options, .n = n};
  r->options.asked[options.model] = 1;
  if (work_out(r, placements, err)) {
    berth_report_free(r);
    return NULL;
  }
  return r;
}

const char *report_conclusion(const berth_report_t *r, size_t i, char *buf, size_t size)
{
  char reference[128], sentence[320];
  const berth_assessment_t *a = r->assessment[r->options.model];
  const char *before = r->placement[r->options.before].label, *label = r->placement[i].label;
  bool usual = strcmp(before, "linear") == 0;
  snprintf(reference, sizeof reference, "in %.100s", usual ? "the default order" : before);
  berth_assessment_sentence(a, i, reference, sentence, sizeof sentence);
  switch (berth_assessment_result(a, i)) {
  case BERTH_ASSESSED_BETTER:
    snprintf(buf, size, "Remap by %.100s: %s.", label, sentence);
    break;
  case BERTH_ASSESSED_WORSE:
  case BERTH_ASSESSED_EQUAL:
    snprintf(buf, size, "Keep %s: %.100s takes %s.", reference + strlen("in "), label, sentence);
    break;
  default:
    snprintf(buf, size, "%.100s: %s.", label, sentence);
  }
  return buf;
}

const char *berth_report_conclusion(const berth_report_t *r, char *buf, size_t size)
{
  *buf = '\0';
  return r->options.after == r->options.before ? buf
                                               : report_conclusion(r, r->options.after, buf, size);
}

void berth_report_free(berth_report_t *r)
{
  if (!r) return;
  for (size_t i = 0; r->placement && i < r->n; i++) {
    rated_t *p = &r->placement[i];
    for (size_t k = 0; p->loads && k <= r->n_load_phases; k++) free(p->loads[k].load);
    free(p->loads);
    free(p->site);
    free(p->label);
  }
  free(r->placement);
  for (int m = 0; m < BERTH_N_MODELS; m++) berth_assessment_free(r->assessment[m]);
  for (size_t k = 0; r->pairs && k < r->summary.n_phases; k++) free(r->pairs[k].cell);
  free(r->pairs);
  free(r->listed);
  free(r->load_phase);
  free(r->site);
  free(r->place);
  free(r->others.cell);
  summary_clear(&r->summary);
  time_summary_clear(&r->times);
  free(r->title);
  free(r->pattern_name);
  free(r->topology_name);
  free(r);
}

/* --- for the parts of the report --- */

char *report_role_label(const berth_report_t *r, size_t placement)
{
  const berth_report_options_t *o = &r->options;
  const char *role = o->before == o->after    ? ""
                     : placement == o->before ? "before: "
                     : placement == o->after  ? "after: "
                                              : "";
  return text_printf("%s%s", role, r->placement[placement].label);
}

size_t report_phase(const berth_report_t *r) { return r->options.phase; }

const char *report_phase_note(const berth_report_t *r, size_t phase)
{
  const berth_phase_t *p = r->summary.phases[phase].phase;
  size_t calls = 0, others = 0;
  if (p->id != 0 || (*p->name && strcmp(p->name, "rest") != 0 && strcmp(p->name, "all") != 0))
    return NULL;
  for (size_t k = 0; k < r->summary.n_phases; k++) {
    bool of_calls = cost_is_of_calls(r->summary.phases[k].phase);
    calls += of_calls;
    others += !of_calls && k != phase;
  }
  return others                                                 ? "what is in no other phase"
         : calls && r->summary.phases[phase].once.messages == 0 ? "no point-to-point messages"
         : calls ? "the whole run's point-to-point messages"
                 : "the whole run";
}

char *report_phase_text(const berth_report_t *r)
{
  if (report_phase(r) == BERTH_REPORT_ALL_PHASES)
    return text_printf("all phases, with their repeats");
  const berth_phase_t *p = r->summary.phases[report_phase(r)].phase;
  const char *quote = *p->name ? "\"" : "", *note = report_phase_note(r, report_phase(r));
  char times[48] = "";
  if (p->repeats != 1)
    snprintf(times, sizeof times, ", one of %llu", (unsigned long long)p->repeats);
  return text_printf("phase %d%s%s%s%s%s%s%s%s", p->id, *p->name ? " " : "", quote, p->name, quote,
                     note ? " (" : "", note ? note : "", note ? ")" : "", times);
}

const loads_t *report_loads(const berth_report_t *r, const rated_t *placement)
{
  size_t at = 0;
  while (at < r->n_load_phases && r->load_phase[at] != report_phase(r)) at++;
  return &placement->loads[at]; /* the last are for all phases */
}
