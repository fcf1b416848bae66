/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/verdict.h"

#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/print/estimate_text.h"
#include "cost/cost_put.h"
#include "topo/topo_levels.h"

void verdict_print_doubt(FILE *to, const berth_uncertainty_t *u, size_t a, size_t b,
                         const char *name_of_b)
{
  berth_interval_t ratio;
  if (!u || berth_uncertainty_compare(u, a, b, &ratio) != BERTH_VERDICT_NONE) return;
  fprintf(to, "  no verdict against %s: the estimates differ by %.2g%%, with an uncertainty of ",
          name_of_b, 100 * fabs(ratio.value - 1));
  if (isinf(ratio.factor))
    fputs("unknown size\n", to);
  else
    fprintf(to, "%.2g%%\n", 100 * (ratio.factor - 1));
}

/* Numbers that were measured, but whose spread isn't known. */
static void print_unknown(FILE *to, size_t n)
{
  if (n > 0)
    fprintf(
        to,
        "note: %zu measured number%s no spread (one sample, or none given). Costs that depend on "
        "%s are ± unknown.\n",
        n, n == 1 ? " has" : "s have", n == 1 ? "it" : "them");
}

static void print_note(FILE *to, const berth_uncertainty_t *u)
{
  if (!u) return;
  size_t numbers = berth_uncertainty_numbers(u);
  double model = berth_uncertainty_model_error(u);
  print_unknown(to, berth_uncertainty_unknown_numbers(u));
  if (numbers == 0 && model <= 0) return;
  fputs("note: ± covers ", to);
  if (numbers) fprintf(to, "the spread of %zu measured number%s", numbers, numbers == 1 ? "" : "s");
  if (numbers && model > 0) fputs(" and ", to);
  if (model > 0) fprintf(to, "the model's error of %.2g%%", 100 * model);
  fputs(model > 0 ? ".\n" : ". The model's error on this machine is unknown.\n", to);
}

/* What kind of numbers the machine's are. */
static void print_source(FILE *to, const berth_topo_t *t)
{
  if (berth_topo_has_distances(t))
    fputs("note: the topology has distances instead of bandwidths. Costs have no unit and are no "
          "times.\n",
          to);
  if (topo_is_mixed(t))
    fputs("note: some curves of the topology are measured, others are defaults. Which placement is "
          "cheaper is uncertain until berth calibrate has measured the others.\n",
          to);
  else if (topo_is_unmeasured(t))
    fputs("note: the topology has default curves, which nobody measured. Compare these costs with "
          "each other, not with a clock.\n",
          to);
}

static void print_coverage(FILE *to, const berth_pattern_t *p)
{
  char *text = cost_coverage_text(p);
  if (text)
    fprintf(to, "note: %s\n", text);
  else if (berth_cost_leaves_out_operations(p))
    cli_checked(NULL);
  free(text);
}

void verdict_print_notes(FILE *to, const inputs_t *in, const berth_uncertainty_t *u)
{
  print_note(to, u);
  estimate_print_unknown_sharing(to, in);
  print_coverage(to, in->pattern);
  print_source(to, in->topo);
}

void verdict_put_notes(json_out_t *j, const inputs_t *in)
{
  json_put_bool(j, "unmeasured_curves", topo_is_unmeasured(in->topo));
  json_put_bool(j, "mixed_curves", topo_is_mixed(in->topo));
  json_put_string(j, "unit", berth_topo_has_distances(in->topo) ? "distance" : "second");
  json_put_bool(j, "unpriced_operations", berth_cost_leaves_out_operations(in->pattern));
  cost_put_coverage(j, in->pattern);
}
