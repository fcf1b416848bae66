/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes baselines, and checks patterns against them. */
#include <berth/check.h>
#include <berth/packing.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "base/no_memory.h"
#include "base/options.h"
#include "base/text.h"
#include "check/check_internal.h"
#include "cost/cost_check.h"
#include "cost/cost_sites.h"
#include "pattern/pattern_check.h"

static const berth_check_options_t defaults = {.size = sizeof defaults,
                                               .model = BERTH_MODEL_PORT,
                                               .baseline_name = "baseline",
                                               .tolerance = 0.005,
                                               .max_phases = 5,
                                               .max_pairs = 5,
                                               .max_sites = 3};

void berth_check_options_init(berth_check_options_t *o, size_t size)
{
  options_init(o, size, &defaults, sizeof defaults);
}

const char *berth_checked_name(berth_checked_t verdict)
{
  static const char *const names[] = {"no baseline", "within", "cheaper", "worse", "no verdict"};
  return names[verdict];
}

/* What is packed in a placement. *total_s has the cost without it, and gets the cost with it. */
static int add_packing(const berth_pattern_t *p, const berth_topo_t *t, berth_model_t model,
                       const int *pu_of_rank, double *packing_s, double *total_s,
                       berth_error_t *err)
{
  berth_packing_t *k = berth_packing_new(p, t, model, err);
  if (!k) return err->code;
  *packing_s = berth_packing_evaluate(k, pu_of_rank);
  *total_s = fmax(0, *total_s + *packing_s);
  berth_packing_free(k);
  return BERTH_OK;
}

/* Estimates one side. Clear it, also after a failure. */
static int price_side(check_side_t *side, const berth_pattern_t *p, const berth_topo_t *t,
                      berth_model_t model, const int *pu_of_rank, berth_error_t *err)
{
  berth_error_t own;
  if (!err) err = &own;
  *side = (check_side_t){.pattern = p, .pu_of_rank = pu_of_rank};
  side->phases = berth_pattern_phases(p, &side->n_phases);
  int rc = cost_check_model(model, "model", err);
  if (!rc) rc = cost_check_placement(p, t, pu_of_rank, err);
  if (rc) return rc;
  side->evaluator = berth_cost_new(p, t, err);
  if (!side->evaluator) return err->code;
  rc = berth_cost_explain(side->evaluator, model, pu_of_rank, 0, &side->cost, err);
  side->total_s = side->cost.cost_s;
  return rc ? rc : add_packing(p, t, model, pu_of_rank, &side->packing_s, &side->total_s, err);
}

static void side_clear(check_side_t *side)
{
  berth_cost_result_clear(&side->cost);
  berth_cost_free(side->evaluator);
  *side = (check_side_t){0};
}

/* --- baselines --- */

int berth_check_make_baseline(berth_pattern_t *p, const berth_topo_t *t, berth_model_t model,
                              const int *pu_of_rank, const char *algorithm, berth_error_t *err)
{
  check_side_t side;
  berth_baseline_phase_t *phases = NULL;
  int rc = price_side(&side, p, t, model, pu_of_rank, err);
  if (!rc && !(phases = calloc(side.n_phases + 1, sizeof *phases))) rc = no_memory(err);
  for (size_t k = 0; k < side.n_phases && !rc; k++)
    phases[k] = (berth_baseline_phase_t){side.phases[k].id, side.phases[k].name,
                                         side.cost.phases[k].cost_s};
  berth_baseline_t b = {.berth = BERTH_VERSION,
                        .model = berth_model_name(model),
                        .topology = berth_topo_name(t),
                        .topology_hash = berth_topo_hash(t),
                        .cost_s = side.total_s,
                        .n_phases = side.n_phases,
                        .phases = phases,
                        .algorithm = algorithm,
                        .pu_of_rank = pu_of_rank};
  for (int i = 0; i < BERTH_N_OPERATIONS; i++)
    b.rules[i] = berth_pattern_rules(p, (berth_operations_t)i);
  if (!rc) rc = berth_pattern_set_baseline(p, &b, err);
  if (!rc) berth_pattern_drop_run(p);
  free(phases);
  side_clear(&side);
  return rc;
}

/* Sets no verdict, with a reason. */
static bool unknown(berth_check_t *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool unknown(berth_check_t *out, const char *format, ...)
{
  FIELD_ARGUMENTS(text, sizeof out->reason, format);
  text_clean(text); /* as berth_fail does */
  memcpy(out->reason, text, sizeof text);
  out->verdict = BERTH_CHECKED_UNKNOWN;
  return false;
}

static bool has_operations(const berth_pattern_t *p, int of)
{
  size_t n;
  if (of == BERTH_COLLECTIVES)
    berth_pattern_colls(p, &n);
  else
    berth_pattern_rmas(p, &n);
  return n > 0;
}

static const char *rules_or_none(const char *rules) { return *rules ? rules : "no rules"; }

/* Whether both include operations of that kind by the same rules. It doesn't matter for one that
 * has none of them. */
static bool rules_agree(const berth_pattern_t *p, const berth_pattern_t *baseline, int of,
                        berth_check_t *out)
{
  static const char *const names[] = {"collective", "one-sided"};
  const char *now = berth_pattern_rules(p, (berth_operations_t)of);
  const char *was = berth_pattern_baseline(baseline)->rules[of];
  bool matter = has_operations(p, of) && has_operations(baseline, of);
  if (strcmp(was, now) == 0 || !matter) return true;
  return unknown(out,
                 "found %s operations included by %.40s, expected the baseline's, by "
                 "%.40s; " CHECK_MAKES_NEW,
                 names[of], rules_or_none(now), rules_or_none(was));
}

/* Whether the baseline belongs to these inputs; if not, there is no verdict. */
static bool belongs(const berth_pattern_t *p, const berth_topo_t *t,
                    const berth_pattern_t *baseline, const berth_check_options_t *options,
                    berth_check_t *out)
{
  const berth_baseline_t *b = berth_pattern_baseline(baseline);
  const char *model = berth_model_name(options->model);
  unsigned long long hash = berth_topo_hash(t), was = b->topology_hash;
  if (berth_pattern_ranks(p) != berth_pattern_ranks(baseline))
    return unknown(out,
                   "found a pattern of %d ranks, expected %d as in the baseline; "
                   "`berth_check_make_baseline` makes a new one",
                   berth_pattern_ranks(p), berth_pattern_ranks(baseline));
  if (hash != was)
    return unknown(
        out,
        "found topology %016llx \"%.80s\", expected the baseline's, %016llx \"%.80s\"; if "
        "the machine has changed, " CHECK_MAKES_NEW,
        hash, berth_topo_name(t), was, b->topology);
  for (int i = 0; i < BERTH_N_OPERATIONS; i++)
    if (!rules_agree(p, baseline, i, out)) return false;
  if (strcmp(b->model, model) != 0)
    return unknown(out, "found model %s, expected the baseline's, %.40s; " CHECK_MAKES_NEW, model,
                   b->model);
  return true;
}

int berth_check_placement(const berth_pattern_t *baseline, const berth_topo_t *t, const char *name,
                          berth_error_t *err)
{
  const berth_baseline_t *b = berth_pattern_baseline(baseline);
  for (int r = 0; r < berth_pattern_ranks(baseline); r++)
    if (b->pu_of_rank[r] >= berth_topo_n_pus(t))
      return berth_fail(err, BERTH_BAD_INPUT,
                        "%s: baseline.placement.pu_of_rank[%d]: found PU %d, expected 0 to %d, "
                        "those of the topology",
                        name, r, b->pu_of_rank[r], berth_topo_n_pus(t) - 1);
  return BERTH_OK;
}

static bool agrees(double found, double expected)
{
  return fabs(found - expected) <= 1e-9 * fmax(fabs(found), fabs(expected));
}

/* Whether this version estimates the baseline's cost as the version that made it. */
static bool prices_as_before(const check_side_t *was, berth_check_t *out)
{
  const berth_baseline_t *b = berth_pattern_baseline(was->pattern);
  if (agrees(was->total_s, b->cost_s)) return true;
  return unknown(
      out,
      "found a cost of %.9g s for the baseline's messages with berth %s, expected %.9g s as berth "
      "%.40s wrote; " CHECK_MAKES_NEW,
      was->total_s, BERTH_VERSION, b->cost_s, b->berth);
}

/* --- the verdict --- */

static bool has_messages(const berth_pattern_t *p)
{
  size_t n_phases, n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  for (size_t k = 0; k < n_phases; k++) {
    const berth_message_t *m = berth_pattern_messages(p, k, &n);
    if (cost_is_of_calls(&phases[k]) && phases[k].repeats) return true; /* it may list none */
    for (size_t i = 0; i < n && phases[k].repeats; i++)
      if (m[i].src != m[i].dst) return true;
  }
  return false;
}

/* Sets no verdict if no messages can be estimated. */
static void need_messages(const berth_pattern_t *p, berth_check_t *out)
{
  if (out->verdict == BERTH_CHECKED_UNKNOWN || has_messages(p)) return;
  unknown(
      out, "%s",
      out->n_unpriced
          ? "found only collective or one-sided operations, which estimates don't cover, expected "
            "messages between ranks"
          : "found a pattern without messages between ranks, expected some; was the "
            "program traced to its end?");
}

static bool is_worse(double now, double was, double tolerance)
{
  return check_grew(now, was * (1 + tolerance));
}

static int count_moved(const check_job_t *job)
{
  int moved = 0;
  for (int r = 0; r < berth_pattern_ranks(job->now.pattern); r++)
    moved += job->now.pu_of_rank[r] != job->was.pu_of_rank[r];
  return moved;
}

/* Explains the first phases that got worse. */
static int explain_worse(const check_job_t *job, berth_check_t *out, berth_error_t *err)
{
  int rc = BERTH_OK;
  size_t explained = 0;
  for (size_t k = 0; k < out->n_phases && !rc; k++) {
    berth_check_phase_t *phase = &out->phases[k];
    double now = phase->repeats * phase->cost_s, was = phase->was_repeats * phase->was_cost_s;
    if (phase->id < 0 || !check_grew(now, was) || (!out->total_worse && !phase->worse)) continue;
    if (explained++ == job->options->max_phases) break;
    rc = check_explain(job, check_place(&job->now, phase->id),
                       phase->was_id < 0 ? CHECK_NONE : check_place(&job->was, phase->was_id),
                       phase, err);
  }
  return rc;
}

/* Whether a phase has the program's own messages, and costs something. */
static bool has_cost(const check_side_t *side, int id, double cost_s)
{
  return id >= 0 && cost_s > 0 && !cost_is_of_calls(&side->phases[check_place(side, id)]);
}

/* Whether the run was divided into other phases, for instance by another tracer's options or
 * another import: the number of phases with a cost changed, and none of them was there before.
 * Ranks then wait for each other at other places, so costs can't be compared. A run with fewer
 * phases can still be judged worse, because fewer phases alone can't cost more. Rounds of
 * collective calls and epochs are the same however a run is divided. */
static bool is_divided_otherwise(const check_job_t *job, const berth_check_t *out, char *text,
                                 size_t size)
{
  size_t now = 0, was = 0, both = 0;
  for (size_t k = 0; k < out->n_phases; k++) {
    const berth_check_phase_t *p = &out->phases[k];
    bool is_now = has_cost(&job->now, p->id, p->cost_s);
    bool was_then = has_cost(&job->was, p->was_id, p->was_cost_s);
    now += is_now;
    was += was_then;
    both += is_now && was_then;
  }
  field_print(
      text, size,
      "found %zu phase%s, expected those of the baseline, which has %zu other%s: costs of runs "
      "that are divided differently can't be compared; if the change is intended, " CHECK_MAKES_NEW,
      now, now == 1 ? "" : "s", was, was == 1 ? "" : "s");
  return both == 0 && now != was && (now > was || !out->total_worse);
}

/* Decides the verdict. More expensive messages are worse in any case. If they didn't get more
 * expensive, messages may have become operations that estimates don't include. */
static void judge(const check_job_t *job, bool a_phase_is_worse, berth_check_t *out)
{
  const berth_check_options_t *o = job->options;
  berth_error_t why = {0};
  char text[sizeof out->reason];
  out->total_worse = is_worse(out->cost_s, out->was_cost_s, o->tolerance);
  if (is_divided_otherwise(job, out, text, sizeof text)) {
    unknown(out, "%s", text);
  } else if (out->total_worse || (o->each_phase && a_phase_is_worse)) {
    out->verdict = BERTH_CHECKED_WORSE;
  } else if (out->n_unpriced && out->unpriced->grew) {
    check_unpriced_reason(job->topo, out, &why);
    unknown(out, "%s", why.text);
  } else {
    out->verdict = check_grew(out->was_cost_s * (1 - o->tolerance), out->cost_s)
                       ? BERTH_CHECKED_CHEAPER
                       : BERTH_CHECKED_WITHIN;
  }
}

/* The baseline's messages in the pattern's placement. */
static int price_moved(const check_job_t *job, berth_check_t *out, berth_error_t *err)
{
  const check_side_t *was = &job->was;
  berth_model_t model = job->options->model;
  const int *now = job->now.pu_of_rank;
  double packing_s, *total_s = &out->was_cost_moved_s;
  *total_s = berth_cost_evaluate(was->evaluator, model, now);
  int rc = berth_cost_ran_out(was->evaluator, err);
  return rc ? rc : add_packing(was->pattern, job->topo, model, now, &packing_s, total_s, err);
}

static int compare(const check_job_t *job, berth_check_t *out, berth_error_t *err)
{
  const berth_check_options_t *o = job->options;
  bool a_phase_is = false;
  out->was_cost_s = out->was_cost_moved_s = job->was.total_s;
  out->was_packing_s = job->was.packing_s;
  out->moved = count_moved(job);
  int rc = out->moved ? price_moved(job, out, err) : BERTH_OK;
  if (!rc) rc = check_match_phases(job, out, err);
  for (size_t k = 0; k < out->n_phases && !rc; k++) {
    berth_check_phase_t *p = &out->phases[k];
    p->worse = is_worse(p->repeats * p->cost_s, p->was_repeats * p->was_cost_s, o->tolerance);
    a_phase_is = a_phase_is || p->worse;
  }
  if (rc || out->verdict == BERTH_CHECKED_UNKNOWN) return rc;
  judge(job, a_phase_is, out);
  return out->verdict == BERTH_CHECKED_WORSE ? explain_worse(job, out, err) : BERTH_OK;
}

static int check_budgets(const check_job_t *job, berth_check_t *out, berth_error_t *err)
{
  int rc = BERTH_OK;
  size_t n = job->options->n_budgets;
  out->budgets = calloc(n + 1, sizeof *out->budgets);
  if (!out->budgets) return no_memory(err);
  for (; out->n_budgets < n && !rc; out->n_budgets++)
    rc = check_budget(job, &job->options->budgets[out->n_budgets], &out->budgets[out->n_budgets],
                      err);
  return rc;
}

/* Estimates what can be estimated. Without a verdict the baseline's placement may be of another
 * machine or other ranks. Without any placement budgets are still looked up, because their names
 * may be wrong. */
static int price(check_job_t *job, const berth_pattern_t *p, const berth_pattern_t *baseline,
                 bool comparable, berth_check_t *out, berth_error_t *err)
{
  const berth_check_options_t *o = job->options;
  const int *was = comparable ? berth_pattern_baseline(baseline)->pu_of_rank : NULL;
  const int *now = o->pu_of_rank ? o->pu_of_rank : was;
  int rc = BERTH_OK;
  job->now.pattern = p;
  job->now.phases = berth_pattern_phases(p, &job->now.n_phases);
  if (!now) return check_budgets(job, out, err);
  rc = price_side(&job->now, p, job->topo, o->model, now, err);
  if (rc) return rc;
  out->priced = 1;
  out->cost_s = job->now.total_s;
  out->packing_s = job->now.packing_s;
  if (comparable) rc = price_side(&job->was, baseline, job->topo, o->model, was, err);
  if (!rc && comparable && prices_as_before(&job->was, out)) rc = compare(job, out, err);
  return rc ? rc : check_budgets(job, out, err);
}

int berth_check_run(const berth_pattern_t *p, const berth_topo_t *t,
                    const berth_pattern_t *baseline, const berth_check_options_t *given,
                    berth_check_t *out, berth_error_t *err)
{
  berth_check_options_t own = defaults, *options = &own;
  check_job_t job = {.topo = t, .options = options};
  *out = (berth_check_t){.verdict = BERTH_CHECKED_NOTHING};
  if (options_take(&own, sizeof own, given, "berth_check_options_init", err)) return BERTH_USAGE;
  if (!(own.tolerance >= 0 && isfinite(own.tolerance)))
    return berth_fail(err, BERTH_USAGE, "`tolerance`: found %g, expected a number of at least 0",
                      own.tolerance);
  if (cost_check_model(own.model, "model", err)) return BERTH_USAGE;
  if (pattern_check_finished(p, err) || (baseline && pattern_check_finished(baseline, err)))
    return BERTH_BAD_INPUT;
  if (baseline && !berth_pattern_baseline(baseline))
    return berth_fail(err, BERTH_BAD_INPUT,
                      "%s: found a pattern that is no baseline, expected one that "
                      "`berth_check_make_baseline` wrote",
                      options->baseline_name);
  bool comparable = baseline && belongs(p, t, baseline, options, out);
  int rc = comparable ? berth_check_placement(baseline, t, options->baseline_name, err) : BERTH_OK;
  if (!rc) rc = check_unpriced(p, comparable ? baseline : NULL, options->tolerance, out, err);
  need_messages(p, out);
  if (!rc) rc = price(&job, p, baseline, comparable, out, err);
  side_clear(&job.now);
  side_clear(&job.was);
  if (rc) berth_check_clear(out);
  return rc;
}

void berth_check_clear(berth_check_t *c)
{
  check_phases_free(c->phases, c->n_phases);
  for (size_t i = 0; i < c->n_budgets; i++) {
    check_phases_free(c->budgets[i].phases, c->budgets[i].n_phases);
    check_pairs_free(c->budgets[i].pairs, c->budgets[i].n_listed);
  }
  free(c->budgets);
  free(c->unpriced);
  *c = (berth_check_t){0};
}

int berth_check_code(const berth_check_t *c)
{
  for (size_t i = 0; i < c->n_budgets; i++)
    if (c->budgets[i].broken) return BERTH_CHECK_FAILED;
  if (c->verdict == BERTH_CHECKED_WORSE) return BERTH_CHECK_FAILED;
  return c->verdict == BERTH_CHECKED_UNKNOWN ? BERTH_NO_VERDICT : BERTH_OK;
}
