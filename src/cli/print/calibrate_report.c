/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/calibrate_report.h"

#include <berth/trials.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/text.h"
#include "cli/print/topo_view.h"

/* A row of the table: what, its value with a unit, spread, samples. The caller ends the line. */
enum { LABEL = 35, VALUE = 13 };

static void print_spread(FILE *to, double spread, int samples)
{
  char text[TEXT_NUMBER] = "unknown";
  int decimals = spread < 0.00995 ? 2 : spread < 0.0995 ? 1 : 0;
  if (!isinf(spread)) snprintf(text, sizeof text, "+-%.*f%%", decimals, 100 * spread);
  fprintf(to, "%9s  %7d", text, samples);
}

static void print_row(FILE *to, const char *what, const berth_calib_number_t *n)
{
  char value[TEXT_NUMBER];
  if (n->samples == 0) return;
  fprintf(to, "    %-*s  %*s  ", LABEL - 4, what, VALUE, text_bandwidth(n->value, value));
  print_spread(to, n->spread, n->samples);
}

static void end_row(FILE *to, const char *remark)
{
  fprintf(to, "%s%s\n", *remark ? "  " : "", remark);
}

static void print_heading(FILE *to, const char *what, const char *more)
{
  fprintf(to, "\n%-*s  %*s  %9s  %7s%s%s\n", LABEL, what, VALUE, "bandwidth", "spread", "samples",
          *more ? "  " : "", more);
}

static void print_pair(FILE *to, const berth_calib_link_t *l)
{
  char what[80], remark[120] = "";
  if (l->points == 0) return;
  snprintf(what, sizeof what, "a pair at its best of %d sizes", l->points);
  if (l->unsure > 0)
    snprintf(remark, sizeof remark, "%d size%s spread by more than 25%%", l->unsure,
             l->unsure == 1 ? "" : "s");
  if (l->once > 0)
    snprintf(remark + strlen(remark), sizeof remark - strlen(remark), "%s%d size%s measured once",
             l->unsure > 0 ? ", " : "", l->once, l->once == 1 ? "" : "s");
  print_row(to, what, &l->largest);
  end_row(to, remark);
}

static void print_link(FILE *to, const berth_calib_link_t *l)
{
  char latency[TEXT_NUMBER];
  fprintf(to, "  %s, %s\n", l->name, l->pair);
  print_pair(to, l);
  for (int d = 0; d < 2; d++) {
    if (l->capacity[d].samples == 0) continue;
    print_row(to, d ? "several pairs, downlink" : "several pairs, uplink", &l->capacity[d]);
    end_row(to, "");
  }
  if (l->latency_samples > 0) {
    fprintf(to, "    %-*s  %*s  ", LABEL - 4, "latency of 1 B", VALUE,
            text_seconds(l->latency_s, latency));
    print_spread(to, l->latency_spread, l->latency_samples);
    end_row(to, "");
  }
  if (l->reverse_at)
    fprintf(to, "    %-*s  %*.1f%%  (at %s)\n", LABEL - 4, "lost when both ways are busy",
            VALUE - 1, 100 * l->reverse, l->reverse_at);
  else if (l->has_reverse)
    fprintf(to, "    %-*s  %*s  (a switch's limit hides it)\n", LABEL - 4,
            "lost when both ways are busy", VALUE, "unknown");
}

static void print_switch(FILE *to, const berth_calib_switch_t *s)
{
  char ports[TEXT_NUMBER], value[TEXT_NUMBER];
  text_bandwidth(s->total.value, value);
  fprintf(to, "  %-*s  %*s  ", LABEL - 2, s->name, VALUE, value);
  print_spread(to, s->total.spread, s->total.samples);
  const char *written = s->limited ? value : s->unsure ? "unknown" : s->is_other ? "" : "none";
  fprintf(to, "  %*s  %*s\n", VALUE, text_bandwidth(s->ports, ports), VALUE, written);
}

static const char *bound(double value, char text[TEXT_NUMBER])
{
  return value > 0 ? text_bandwidth(value, text) : "none";
}

static void print_type(FILE *to, const berth_calib_type_t *t)
{
  char value[TEXT_NUMBER], usual[TEXT_NUMBER];
  fprintf(to, "  %s: %s%s\n", t->name, t->elements, t->n_differences ? "" : ", for its curves");
  for (int i = 0; i < t->n_differences; i++)
    fprintf(to, "    %-*s  %*s  %*s\n", LABEL - 4, t->difference[i].what, VALUE,
            bound(t->difference[i].value, value), VALUE, bound(t->difference[i].usual, usual));
}

static void print_list(FILE *to, const char *heading, const char *const *list, size_t n)
{
  const size_t max = 12;
  if (n > 0) fprintf(to, "\n%s\n", heading);
  for (size_t i = 0; i < n && i < max; i++) fprintf(to, "  %s\n", list[i]);
  if (n > max) fprintf(to, "  and %zu more (--json has all)\n", n - max);
}

static const char *or_unknown(const char *transport) { return *transport ? transport : "unknown"; }

static void print_model_errors(FILE *to, const calibrate_summary_t *s)
{
  if (topo_has_model_errors(s->fitted)) {
    fprintf(to, "\nmodel_error of %d trials, messages between random ranks: ", s->trials);
    topo_print_model_errors(to, s->fitted);
    fputc('\n', to);
  } else if (topo_has_model_errors(s->before)) {
    fputs("\nmodel_error is left out: ", to);
    topo_print_model_errors(to, s->before);
    fputs(" held for other curves, validate again\n", to);
  } else if (s->findings->n_unmeasured > 0) {
    fputs("\nno model_error: its trials begin when everything is measured\n", to);
  } else {
    fprintf(
        to,
        "\nno model_error: %d trials were done, expected at least %d on %d ranks or more; a longer "
        "--time-limit leaves more time for them\n",
        s->trials, BERTH_MIN_TRIALS, BERTH_MIN_TRIAL_RANKS);
  }
}

void calibrate_report_text(FILE *to, const calibrate_summary_t *s)
{
  const berth_calib_findings_t *f = s->findings;
  fprintf(to, "%s: %d experiments in %.0f s with %s, %s inside hosts", s->output, s->experiments,
          s->seconds, s->job->mpi, or_unknown(s->job->inside));
  if (!job_is_one_host(s->job)) fprintf(to, ", %s between them", or_unknown(s->job->between));
  fputc('\n', to);
  if (f->n_links > 0) print_heading(to, "Links", "");
  for (size_t i = 0; i < f->n_links; i++) print_link(to, &f->links[i]);
  if (f->n_switches > 0)
    print_heading(to, "Switches, all ports busy both ways", "  ports allow  max_bandwidth");
  for (size_t i = 0; i < f->n_switches; i++) print_switch(to, &f->switches[i]);
  if (f->n_types > 0)
    fprintf(to, "\n%-*s  %*s  %*s\n", LABEL, "Types for what differs", VALUE, "max_bandwidth",
            VALUE, "the others'");
  for (size_t i = 0; i < f->n_types; i++) print_type(to, &f->types[i]);
  print_list(to, "Measured, but too uncertain to be written", f->unsure, f->n_unsure);
  const job_rank_t *busiest = job_busiest(s->job);
  char busy[LOAD_TEXT];
  if (load_is_high(&busiest->load))
    fprintf(to, "\n%s\n", load_text(&busiest->load, busiest->host, busy));
  print_model_errors(to, s);
}

/* Rounded to so many significant digits. */
static void put_rounded(json_out_t *j, const char *key, double value, int digits)
{
  char text[40];
  if (isfinite(value)) {
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    value = strtod(text, NULL);
  }
  json_put_number(j, key, value);
}

static void put_number(json_out_t *j, const char *key, const berth_calib_number_t *n)
{
  if (n->samples == 0) return;
  json_open(j, key, '{', JSON_ONE_LINE);
  put_rounded(j, "bandwidth", n->value, 5);
  put_rounded(j, "spread", n->spread, 3);
  json_put_u64(j, "samples", (uint64_t)n->samples);
  json_close(j);
}

static void put_link(json_out_t *j, const berth_calib_link_t *l)
{
  json_open(j, NULL, '{', JSON_LINES);
  json_put_string(j, "name", l->name);
  json_put_string(j, "pair", l->pair);
  json_put_string(j, "directions", l->out && l->in ? "both" : l->out ? "out" : "in");
  json_put_bool(j, "own_type", l->element >= 0);
  json_put_u64(j, "points", (uint64_t)l->points);
  json_put_u64(j, "unsure_points", (uint64_t)l->unsure);
  json_put_u64(j, "single_sample_points", (uint64_t)l->once);
  if (l->latency_samples > 0) {
    put_rounded(j, "latency_s", l->latency_s, 5);
    put_rounded(j, "latency_spread", l->latency_spread, 3);
    json_put_u64(j, "latency_samples", (uint64_t)l->latency_samples);
  }
  put_number(j, "pair_at_most", &l->largest);
  put_number(j, "several_out", &l->capacity[0]);
  put_number(j, "several_in", &l->capacity[1]);
  if (l->has_reverse) put_rounded(j, "reverse_traffic", l->reverse_at ? l->reverse : NAN, 3);
  if (l->reverse_at) json_put_string(j, "reverse_traffic_at", l->reverse_at);
  json_close(j);
}

static void put_switch(json_out_t *j, const berth_calib_switch_t *s)
{
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_string(j, "name", s->name);
  put_number(j, "total", &s->total);
  put_rounded(j, "ports_allow", s->ports, 5);
  put_rounded(j, "ports_allow_spread", s->ports_spread, 3);
  json_put_bool(j, "limited", s->limited);
  json_put_bool(j, "unsure", s->unsure);
  json_close(j);
}

static void put_unidentified(json_out_t *j, const berth_calib_port_t *p)
{
  json_open(j, NULL, '{', JSON_LINES);
  json_put_string(j, "port", p->name);
  put_number(j, "seen", &p->seen);
  json_put_string(j, "why", p->why);
  json_close(j);
}

/* Of the host that had the most to do when it began. */
static void put_load(json_out_t *j, const load_t *load)
{
  if (load->cores == 0) return;
  json_open(j, "load", '{', JSON_ONE_LINE);
  put_rounded(j, "processes", load->processes, 3);
  json_put_u64(j, "cores", (uint64_t)load->cores);
  json_put_bool(j, "busy", load_is_high(load));
  json_close(j);
}

static void put_bound(json_out_t *j, const char *key, double value)
{
  json_put_number(j, key, value > 0 ? value : NAN);
}

static void put_type(json_out_t *j, const berth_calib_type_t *t)
{
  json_open(j, NULL, '{', JSON_LINES);
  json_put_string(j, "name", t->name);
  json_put_string(j, "others", t->usual);
  json_put_u64(j, "elements", (uint64_t)t->n_elements);
  json_open(j, "differences", '[', JSON_LINES);
  for (int i = 0; i < t->n_differences; i++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_string(j, "what", t->difference[i].what);
    put_bound(j, "bandwidth", t->difference[i].value);
    put_bound(j, "others", t->difference[i].usual);
    json_close(j);
  }
  json_close(j);
  json_close(j);
}

static void put_list(json_out_t *j, const char *key, const char *const *list, size_t n)
{
  json_open(j, key, '[', JSON_LINES);
  for (size_t i = 0; i < n; i++) json_put_string(j, NULL, list[i]);
  json_close(j);
}

static void put_findings(json_out_t *j, const berth_calib_findings_t *f)
{
  json_open(j, "links", '[', JSON_LINES);
  for (size_t i = 0; i < f->n_links; i++) put_link(j, &f->links[i]);
  json_close(j);
  json_open(j, "switches", '[', JSON_LINES);
  for (size_t i = 0; i < f->n_switches; i++) put_switch(j, &f->switches[i]);
  json_close(j);
  json_open(j, "types", '[', JSON_LINES);
  for (size_t i = 0; i < f->n_types; i++) put_type(j, &f->types[i]);
  json_close(j);
  json_open(j, "unidentified", '[', JSON_LINES);
  for (size_t i = 0; i < f->n_unidentified; i++) put_unidentified(j, &f->unidentified[i]);
  json_close(j);
  put_list(j, "unsure", f->unsure, f->n_unsure);
  put_list(j, "unmeasured", f->unmeasured, f->n_unmeasured);
}

static const char *text_or_null(const char *text) { return *text ? text : NULL; }

int calibrate_report_json(const calibrate_summary_t *s, berth_error_t *err)
{
  json_out_t j;
  if (json_begin(&j, "-", "berth-calibration", err)) return BERTH_MISSING;
  json_put_string(&j, "output", s->output);
  json_put_string(&j, "date", s->date);
  json_put_string(&j, "mpi", s->job->mpi);
  json_put_string(&j, "transport_inside", text_or_null(s->job->inside));
  json_put_string(&j, "transport_between", text_or_null(s->job->between));
  json_put_u64(&j, "experiments", (uint64_t)s->experiments);
  put_rounded(&j, "seconds", s->seconds, 4);
  json_put_string(&j, "stopped", s->stopped);
  json_put_u64(&j, "trials", (uint64_t)s->trials);
  topo_show_model_errors(&j, "model_error", s->fitted);
  topo_show_model_errors(&j, "model_error_left_out", s->before);
  put_load(&j, &job_busiest(s->job)->load);
  put_findings(&j, s->findings);
  json_close(&j);
  return out_commit(j.out, err);
}
