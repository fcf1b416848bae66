/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run_gain.h"

#include <math.h>

static run_gain_kind_t find_kind(const inputs_t *in, const total_t *before, const total_t *after)
{
  if (before->cost_s < 0 || after->cost_s < 0) return RUN_GAIN_NO_LINEAR;
  if (berth_topo_has_distances(in->topo)) return RUN_GAIN_NO_UNIT;
  if (berth_pattern_mpi_share(in->pattern) < 0) return RUN_GAIN_NO_TIMES;
  if (!berth_cost_leaves_out_operations(in->pattern)) return RUN_GAIN_KNOWN;
  return berth_cost_coverage(in->pattern).unknown_calls > 0 ? RUN_GAIN_NO_CALLS : RUN_GAIN_LIMIT;
}

static double longest(const berth_pattern_t *p)
{
  double wall = 0;
  for (int r = 0; r < berth_pattern_ranks(p); r++)
    wall = fmax(wall, berth_pattern_rank(p, r)->wall_s);
  return wall;
}

run_gain_t run_gain_find(const inputs_t *in, const total_t *before, const total_t *after, bool same)
{
  double share = berth_pattern_mpi_share(in->pattern);
  run_gain_t g = {find_kind(in, before, after), 0};
  if (same && (g.kind == RUN_GAIN_LIMIT || g.kind == RUN_GAIN_NO_CALLS)) g.kind = RUN_GAIN_KNOWN;
  if (same || (g.kind != RUN_GAIN_KNOWN && g.kind != RUN_GAIN_LIMIT)) return g;
  if (g.kind == RUN_GAIN_LIMIT)
    g.gain = fmin(1, share + berth_pattern_unsure_share(in->pattern));
  else
    g.gain = share * inputs_relative_gain(before->cost_s - before->sharing_s,
                                          after->cost_s - after->sharing_s);
  g.gain += (before->sharing_s - after->sharing_s) / longest(in->pattern);
  return g;
}

void run_gain_print(FILE *to, const run_gain_t *g)
{
  switch (g->kind) {
  case RUN_GAIN_KNOWN:
    fprintf(to, ", %+.1f%% of the run", 100 * g->gain);
    break;
  case RUN_GAIN_LIMIT:
    fprintf(to, "; of the run: unknown, at most %+.1f%%", 100 * g->gain);
    break;
  case RUN_GAIN_NO_CALLS:
    fputs("; of the run: unknown (some calls have no times)", to);
    break;
  case RUN_GAIN_NO_TIMES:
    fputs("; of the run: unknown (the pattern has no times)", to);
    break;
  case RUN_GAIN_NO_UNIT: /* a share of the run isn't even asked for */
    break;
  case RUN_GAIN_NO_LINEAR:
    fputs("; of the run: unknown", to);
    break;
  }
}

const char *run_gain_subject(const inputs_t *in, const total_t *before, const total_t *after)
{
  if (before->sharing_s > 0 || after->sharing_s > 0) return "these costs";
  return berth_cost_leaves_out_operations(in->pattern) ? "what messages cost" : "communication";
}

void run_gain_put(json_out_t *j, const run_gain_t *g)
{
  bool limited = g->kind == RUN_GAIN_KNOWN || g->kind == RUN_GAIN_LIMIT;
  json_put_number(j, "run_gain", g->kind == RUN_GAIN_KNOWN ? g->gain : NAN);
  json_put_number(j, "run_gain_limit", limited ? g->gain : NAN);
}
