/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/advice_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/options/outputs.h"
#include "topo/topo_levels.h"

static double less(double before, double after) { return 100 * (before - after) / before; }

/* " at main grid.c:88 and elsewhere", if the call site is known. */
static void print_site(const inputs_t *in, const berth_advised_t *g)
{
  const berth_site_t *site = berth_pattern_site(in->pattern, g->site);
  if (site && site->n_frames > 0)
    printf(" at %s%s", site->frames[0], g->more_sites ? " and elsewhere" : "");
}

static void print_choice(const berth_choice_t *c)
{
  char bytes[TEXT_NUMBER];
  fputs(c->algorithm, stdout);
  if (c->degree) printf(" of degree %d", c->degree);
  if (c->segment) printf(" in segments of %s", text_bytes((double)c->segment, bytes));
}

static void print_group(const inputs_t *in, const berth_advised_t *g, const berth_choice_t *best)
{
  char taken[TEXT_NUMBER], other[TEXT_NUMBER];
  printf("    %s", g->text);
  print_site(in, g);
  printf(": %s %s; ", g->algorithm, topo_text_cost(in->topo, g->cost_s, taken));
  print_choice(best);
  printf(" %s (%.0f%% less)\n", topo_text_cost(in->topo, best->cost_s, other),
         less(g->cost_s, best->cost_s));
}

void advice_print(const berth_advice_t *a, const inputs_t *in, size_t max)
{
  size_t n, printed = 0;
  const berth_advised_t *g = berth_advice_groups(a, &n);
  for (size_t i = 0; i < n && i < max; i++) {
    const berth_choice_t *best = berth_advice_best(&g[i]);
    if (!best) continue;
    if (printed++ == 0) puts("  other algorithms for collective calls (--advise FILE sets them):");
    print_group(in, &g[i], best);
  }
}

/* --- JSON --- */

static void put_choices(json_out_t *j, const berth_advised_t *g)
{
  json_open(j, "choices", '[', JSON_LINES);
  for (size_t i = 0; i < g->n; i++) {
    const berth_choice_t *c = &g->choices[i];
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_string(j, "algorithm", c->algorithm);
    json_put_u64(j, "segment_bytes", c->segment);
    json_put_u64(j, "degree", (uint64_t)c->degree);
    json_put_string(j, "setting", c->setting);
    json_put_number(j, "cost_s", c->cost_s);
    json_close(j);
  }
  json_close(j);
}

static void put_group(json_out_t *j, const inputs_t *in, const berth_advised_t *g)
{
  const berth_site_t *site = berth_pattern_site(in->pattern, g->site);
  json_open(j, NULL, '{', JSON_LINES);
  json_put_string(j, "operation", g->op);
  json_put_u64(j, "phase", (uint64_t)g->phase);
  json_put_u64(j, "ranks", (uint64_t)g->ranks);
  json_put_u64(j, "communicators", g->comms);
  json_put_u64(j, "bytes", g->bytes);
  json_put_number(j, "calls", g->calls);
  json_put_strings(j, "frames", site ? site->frames : NULL, site ? site->n_frames : 0);
  json_put_bool(j, "more_sites", g->more_sites);
  json_put_string(j, "algorithm", g->algorithm);
  json_put_number(j, "cost_s", g->cost_s);
  json_put_bool(j, "advised", berth_advice_best(g) != NULL);
  put_choices(j, g);
  json_close(j);
}

void advice_put(json_out_t *j, const berth_advice_t *a, const inputs_t *in, size_t max)
{
  size_t n;
  const berth_advised_t *g = berth_advice_groups(a, &n);
  json_open(j, "collectives", '[', JSON_LINES);
  for (size_t i = 0; i < n && i < max; i++) put_group(j, in, &g[i]);
  json_close(j);
}

/* --- a file --- */

/* Whether a setting is for an operation that reduces. */
static bool reduces(const berth_setting_t *s) { return strstr(s->op, "educe") != NULL; }

static const char *text_of(const berth_topo_t *topo, double cost, char buf[TEXT_NUMBER])
{
  return topo ? topo_text_cost(topo, cost, buf) : text_seconds(cost, buf);
}

static void print_setting(const berth_topo_t *topo, const berth_setting_t *s)
{
  char bytes[TEXT_NUMBER], last[TEXT_NUMBER], before[TEXT_NUMBER], after[TEXT_NUMBER];
  printf("  %s", s->op);
  if (s->ranks) printf(" on %d ranks", s->ranks);
  if (s->last > 0) printf(", %s", text_bytes((double)s->bytes, bytes)); /* else of any size */
  if (s->last > s->bytes) printf(" to %s", text_bytes((double)s->last, last));
  printf(": ");
  print_choice(&s->choice);
  printf(", %s instead of %s (%.0f%% less)\n", text_of(topo, s->choice.cost_s, after),
         text_of(topo, s->before_s, before), less(s->before_s, s->choice.cost_s));
}

void advice_print_written(const berth_advice_t *a, const berth_topo_t *topo, const char *path)
{
  size_t n;
  bool reduction = false;
  const berth_setting_t *s = berth_advice_settings(a, &n);
  char *file = cli_checked(outputs_quoted(path));
  char *command = file ? cli_checked(berth_advice_command(a, file)) : NULL;
  printf("settings of collective operations written to %s, for\n  %s\n", path,
         command ? command : "");
  for (size_t i = 0; i < n; i++) {
    print_setting(topo, &s[i]);
    reduction |= reduces(&s[i]);
  }
  if (n == 0) puts("  no other algorithm gains 3% or more, so it changes nothing");
  if (reduction)
    puts("  Don't use it if your program reduces with operations of its own that aren't "
         "commutative.");
  free(file);
  free(command);
}
