/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "cli/cli.h"
#include "cli/print/estimate_text.h"
#include "cli/print/progress.h"
#include "cost/cost_put.h"
#include "topo/topo_levels.h"

int verdict_find(const inputs_t *in, size_t n, const int *const *pu_of_rank, const int *linear,
                 berth_uncertainty_t **out, berth_error_t *err)
{
  *out = NULL;
  if (in->no_intervals || !berth_uncertainty_known(in->topo, in->map.objective)) return BERTH_OK;
  const int **all = malloc((n + 1) * sizeof *all);
  if (!all) return no_memory(err);
  for (size_t i = 0; i < n; i++) all[i] = pu_of_rank[i];
  all[n] = linear;
  progress("pricing with measured numbers off by their spread", NULL);
  *out = berth_uncertainty_new(in->pattern, in->topo, in->map.objective, n + (linear != NULL), all,
                               err);
  progress(NULL, NULL);
  free(all);
  return *out ? BERTH_OK : err->code;
}

const char *verdict_of_gain(const berth_uncertainty_t *u, size_t a, size_t b)
{
  bool doubt = u && berth_uncertainty_compare(u, a, b, NULL) == BERTH_VERDICT_NONE;
  return doubt ? "no verdict, " : "";
}

void verdict_print_doubt(FILE *to, const berth_uncertainty_t *u, size_t a, size_t b,
                         const char *name_of_b)
{
  berth_interval_t ratio;
  if (!u || berth_uncertainty_compare(u, a, b, &ratio) != BERTH_VERDICT_NONE) return;
  fprintf(to, "  no verdict against %s: they differ by %.2g%%, and the difference is uncertain by ",
          name_of_b, 100 * fabs(ratio.value - 1));
  if (isinf(ratio.factor))
    fputs("an unknown amount\n", to);
  else
    fprintf(to, "%.2g%%\n", 100 * (ratio.factor - 1));
}

/* Numbers that were measured, but whose spread isn't known. */
static void print_unknown(FILE *to, size_t n)
{
  if (n > 0)
    fprintf(to,
            "note: %zu measured number%s no spread (one sample, or none given): what depends on %s "
            "is ± unknown\n",
            n, n == 1 ? " has" : "s have", n == 1 ? "it" : "them");
}

static void print_note(FILE *to, const berth_uncertainty_t *u)
{
  if (!u) return;
  size_t numbers = berth_uncertainty_numbers(u);
  double model = berth_uncertainty_model_error(u);
  print_unknown(to, berth_uncertainty_unknown_numbers(u));
  if (numbers == 0 && model <= 0) return;
  fputs("note: ± is what ", to);
  if (numbers) fprintf(to, "the spread of %zu measured number%s", numbers, numbers == 1 ? "" : "s");
  if (numbers && model > 0) fputs(" and ", to);
  if (model > 0) fprintf(to, "the model's error of %.2g%%", 100 * model);
  fprintf(to, " leave%s open%s\n", numbers && model > 0 ? "" : "s",
          model > 0 ? "" : "; the model's own error is not known for this machine");
}

/* What kind of numbers the machine's are. */
static void print_source(FILE *to, const berth_topo_t *t)
{
  if (berth_topo_has_distances(t))
    fputs("note: the topology has distances instead of bandwidths: costs have no unit and are no "
          "times\n",
          to);
  if (topo_is_mixed(t))
    fputs("note: some curves of the topology are defaults that nobody measured, others aren't: how "
          "these compare is unknown, and with it which placement is cheaper (berth calibrate)\n",
          to);
  else if (topo_is_unmeasured(t))
    fputs("note: the topology has default curves that nobody measured: compare these costs with "
          "each other, not with a clock\n",
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
