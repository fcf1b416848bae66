/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/calibrate_report.h"

#include <stdio.h>

#include "base/json_out.h"
#include "base/text.h"

/* "2.990 MB/s +-0.3% (5 samples)". */
static void print_number(FILE *to, const calib_number_t *n)
{
  char value[TEXT_NUMBER];
  fprintf(to, "%s +-%.2g%% (%d)", text_bandwidth(n->value, value), 100 * n->spread, n->samples);
}

static void print_link(FILE *to, const calib_link_t *l)
{
  char latency[TEXT_NUMBER];
  fprintf(to, "  %s%s, %s:\n", l->name, l->out && l->in ? "" : l->out ? " out" : " in", l->pair);
  if (l->points > 0) {
    fprintf(to, "    a pair   %d sizes, latency %s, at most ", l->points,
            text_seconds(l->latency_s, latency));
    print_number(to, &l->largest);
    fputc('\n', to);
  }
  for (int d = 0; d < 2; d++) {
    if (l->capacity[d].samples == 0) continue;
    fprintf(to, "    several  %-3s ", d ? "in" : "out");
    print_number(to, &l->capacity[d]);
    fputc('\n', to);
  }
}

static void print_switch(FILE *to, const calib_switch_t *s)
{
  char ports[TEXT_NUMBER];
  fprintf(to, "  %s: ", s->name);
  print_number(to, &s->total);
  fprintf(to, " of %s that its ports allow: %s\n", text_bandwidth(s->ports, ports),
          s->limited ? "limited" : "no limit of its own");
}

void calibrate_report_text(FILE *to, const calibrate_summary_t *s)
{
  const calib_findings_t *f = s->findings;
  fprintf(to,
          "measured with %s, %s inside hosts, %s between them; bandwidth, spread and (samples)\n",
          s->job->mpi, *s->job->inside ? s->job->inside : "unknown",
          *s->job->between ? s->job->between : "unknown");
  if (f->n_links > 0) fputs("links\n", to);
  for (size_t i = 0; i < f->n_links; i++) print_link(to, &f->links[i]);
  if (f->n_switches > 0) fputs("switches, all ports busy in both directions\n", to);
  for (size_t i = 0; i < f->n_switches; i++) print_switch(to, &f->switches[i]);
  for (size_t i = 0; i < f->n_links; i++)
    if (f->links[i].element >= 0 && f->links[i].points > 0)
      fprintf(to, "differs from its type: %s\n", f->links[i].name);
  fprintf(to, "%s: written after %d experiments in %.0f s\n", s->output, s->experiments,
          s->seconds);
}

static void put_number(json_out_t *j, const char *key, const calib_number_t *n)
{
  if (n->samples == 0) return;
  json_open(j, key, '{', JSON_ONE_LINE);
  json_put_number(j, "bandwidth", n->value);
  json_put_number(j, "spread", n->spread);
  json_put_u64(j, "samples", (uint64_t)n->samples);
  json_close(j);
}

static void put_link(json_out_t *j, const calib_link_t *l)
{
  json_open(j, NULL, '{', JSON_LINES);
  json_put_string(j, "name", l->name);
  json_put_string(j, "pair", l->pair);
  json_put_string(j, "directions", l->out && l->in ? "both" : l->out ? "out" : "in");
  json_put_bool(j, "own_type", l->element >= 0);
  json_put_u64(j, "points", (uint64_t)l->points);
  if (l->latency_s > 0) json_put_number(j, "latency_s", l->latency_s);
  put_number(j, "pair_at_most", &l->largest);
  put_number(j, "several_out", &l->capacity[0]);
  put_number(j, "several_in", &l->capacity[1]);
  json_close(j);
}

static void put_switch(json_out_t *j, const calib_switch_t *s)
{
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_string(j, "name", s->name);
  put_number(j, "total", &s->total);
  json_put_number(j, "ports_allow", s->ports);
  json_put_bool(j, "limited", s->limited);
  json_close(j);
}

int calibrate_report_json(const calibrate_summary_t *s, berth_error_t *err)
{
  const calib_findings_t *f = s->findings;
  json_out_t j = {.out = out_open("-", err)};
  if (!j.out) return BERTH_MISSING;
  json_open(&j, NULL, '{', JSON_LINES);
  json_put_string(&j, "output", s->output);
  json_put_string(&j, "date", s->date);
  json_put_string(&j, "mpi", s->job->mpi);
  json_put_string(&j, "transport_inside", s->job->inside);
  json_put_string(&j, "transport_between", s->job->between);
  json_put_u64(&j, "experiments", (uint64_t)s->experiments);
  json_put_number(&j, "seconds", s->seconds);
  json_put_string(&j, "stopped", s->stopped);
  json_open(&j, "links", '[', JSON_LINES);
  for (size_t i = 0; i < f->n_links; i++) put_link(&j, &f->links[i]);
  json_close(&j);
  json_open(&j, "switches", '[', JSON_LINES);
  for (size_t i = 0; i < f->n_switches; i++) put_switch(&j, &f->switches[i]);
  json_close(&j);
  json_open(&j, "unmeasured", '[', JSON_LINES);
  for (size_t i = 0; i < f->n_unmeasured; i++) json_put_string(&j, NULL, f->unmeasured[i]);
  json_close(&j);
  json_close(&j);
  return out_commit(j.out, err);
}
