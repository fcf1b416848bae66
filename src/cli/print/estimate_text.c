/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/estimate_text.h"

#include <math.h>
#include <stdbool.h>

#include "base/text.h"
#include "cost/cost_put.h"
#include "topo/topo_levels.h"

static const char *direction_of(double gain) { return gain < 0 ? "more" : "less"; }

static void print_difference(FILE *to, double gain)
{
  if (gain == 0)
    fputs("the same", to);
  else
    fprintf(to, "%.1f%% %s", 100 * fabs(gain), direction_of(gain));
}

/* From the worst to the best: "7.0 to 15.5% less". */
static void print_range(FILE *to, double low, double high)
{
  double from = round(1e3 * low) / 10, until = round(1e3 * high) / 10;
  if (isinf(low))
    fprintf(to, "at most %.1f%% %s", fabs(until), direction_of(until));
  else if (from == until)
    print_difference(to, high);
  else if (from < 0 && until > 0)
    fprintf(to, "%.1f%% more to %.1f%% less", -from, until);
  else
    fprintf(to, "%.1f to %.1f%% %s", fabs(from), fabs(until), direction_of(from));
}

static void print_run_gain(FILE *to, const berth_estimate_t *e)
{
  if (e->run_gain_kind == BERTH_RUN_GAIN_NO_UNIT) return; /* distances say nothing about the run */
  fputs(" Run time: ", to);
  switch (e->run_gain_kind) {
  case BERTH_RUN_GAIN_KNOWN:
    print_range(to, e->run_gain_low, e->run_gain_high);
    break;
  case BERTH_RUN_GAIN_LIMIT:
    fprintf(to, "at most %.1f%% less (not all communication is included)", 100 * e->run_gain);
    break;
  case BERTH_RUN_GAIN_NO_CALLS:
    fputs("unknown (some calls have no times)", to);
    break;
  case BERTH_RUN_GAIN_NO_TIMES:
    fputs("unknown (the pattern has no times)", to);
    break;
  default:
    fputs("unknown", to);
  }
  fputc('.', to);
}

void estimate_print_gain(FILE *to, const inputs_t *in, const char *indent,
                         const berth_assessment_t *a, size_t i, size_t linear)
{
  char cost[TEXT_NUMBER], margin[COST_MARGIN];
  const berth_estimate_t *e = berth_assessment_estimate(a, i);
  const berth_estimate_t *before = berth_assessment_estimate(a, linear);
  const berth_uncertainty_t *u = berth_assessment_uncertainty(a);
  bool unit = e->run_gain_kind != BERTH_RUN_GAIN_NO_UNIT;
  bool doubt = u && berth_uncertainty_compare(u, i, linear, NULL) == BERTH_VERDICT_NONE;
  fprintf(to, "%sCommunication%s%s: ", indent, unit ? " time" : " cost",
          e->sharing_s > 0 || before->sharing_s > 0 ? " with shared cores" : "");
  print_difference(to, e->gain);
  fprintf(to, " %s in the default order (%s%s)%s.", e->gain == 0 ? "as" : "than",
          topo_text_cost(in->topo, before->cost_s, cost), cost_margin_text(u, linear, margin),
          doubt ? ", no verdict" : "");
  print_run_gain(to, e);
  fputc('\n', to);
}

void estimate_put_run_gain(json_out_t *j, const berth_estimate_t *e)
{
  bool limited =
      e->run_gain_kind == BERTH_RUN_GAIN_KNOWN || e->run_gain_kind == BERTH_RUN_GAIN_LIMIT;
  bool known = e->run_gain_kind == BERTH_RUN_GAIN_KNOWN;
  json_put_number(j, "run_gain", known ? e->run_gain : NAN);
  json_put_number(j, "run_gain_low", known && isfinite(e->run_gain_low) ? e->run_gain_low : NAN);
  json_put_number(j, "run_gain_high", known ? e->run_gain_high : NAN);
  json_put_number(j, "run_gain_limit", limited ? e->run_gain : NAN);
}

void estimate_print_packing(FILE *to, const inputs_t *in, const char *indent,
                            const berth_estimate_t *own)
{
  char text[TEXT_NUMBER];
  if (own->packing_s > 0)
    fprintf(to, "%sIncluded for packing derived datatypes: %s\n", indent,
            topo_text_cost(in->topo, own->packing_s, text));
}

void estimate_put_packing(json_out_t *j, const char *key, const berth_estimate_t *e)
{
  json_put_number(j, key, e->cost_s >= 0 ? e->packing_s : NAN);
}

void estimate_print_sharing(FILE *to, const inputs_t *in, const char *indent,
                            const berth_estimate_t *own, const berth_estimate_t *linear)
{
  char text[TEXT_NUMBER];
  if (!berth_sharing_known(in->pattern, in->topo, in->map.objective)) return;
  if (own->sharing_s <= 0 && linear->sharing_s <= 0) return;
  fprintf(to, "%sIncluded for computing on shared cores: %s", indent,
          topo_text_cost(in->topo, own->sharing_s, text));
  if (linear->cost_s >= 0)
    fprintf(to, ", in the default order %s", topo_text_cost(in->topo, linear->sharing_s, text));
  fputc('\n', to);
}

void estimate_put_sharing(json_out_t *j, const inputs_t *in, const char *key,
                          const berth_estimate_t *e)
{
  bool known = e->cost_s >= 0 && berth_sharing_known(in->pattern, in->topo, in->map.objective);
  json_put_number(j, key, known ? e->sharing_s : NAN);
}
