/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/estimate_text.h"

#include <math.h>

#include "base/text.h"
#include "topo/topo_levels.h"

void estimate_print_run_gain(FILE *to, const berth_estimate_t *e)
{
  switch (e->run_gain_kind) {
  case BERTH_RUN_GAIN_KNOWN:
    fprintf(to, ", %+.1f%% of the run", 100 * e->run_gain);
    break;
  case BERTH_RUN_GAIN_LIMIT:
    fprintf(to, "; of the run: unknown, at most %+.1f%%", 100 * e->run_gain);
    break;
  case BERTH_RUN_GAIN_NO_CALLS:
    fputs("; of the run: unknown (some calls have no times)", to);
    break;
  case BERTH_RUN_GAIN_NO_TIMES:
    fputs("; of the run: unknown (the pattern has no times)", to);
    break;
  case BERTH_RUN_GAIN_NO_UNIT: /* a share of the run isn't even asked for */
    break;
  case BERTH_RUN_GAIN_NO_REFERENCE:
    fputs("; of the run: unknown", to);
    break;
  }
}

const char *estimate_subject(const inputs_t *in, const berth_estimate_t *before,
                             const berth_estimate_t *after)
{
  if (before->sharing_s > 0 || after->sharing_s > 0) return "these costs";
  return berth_cost_leaves_out_operations(in->pattern) ? "what messages cost" : "communication";
}

void estimate_put_run_gain(json_out_t *j, const berth_estimate_t *e)
{
  bool limited =
      e->run_gain_kind == BERTH_RUN_GAIN_KNOWN || e->run_gain_kind == BERTH_RUN_GAIN_LIMIT;
  json_put_number(j, "run_gain", e->run_gain_kind == BERTH_RUN_GAIN_KNOWN ? e->run_gain : NAN);
  json_put_number(j, "run_gain_limit", limited ? e->run_gain : NAN);
}

void estimate_print_sharing(FILE *to, const inputs_t *in, const char *indent,
                            const estimates_t *estimates)
{
  char own[TEXT_NUMBER], linear[TEXT_NUMBER];
  double of_linear = estimates->linear.cost_s < 0 ? 0 : estimates->linear.sharing_s;
  if (!berth_sharing_known(in->pattern, in->topo, in->map.objective)) return;
  if (estimates->own.sharing_s <= 0 && of_linear <= 0) return;
  fprintf(to, "%sof this for computing on shared cores: %s", indent,
          topo_text_cost(in->topo, estimates->own.sharing_s, own));
  if (estimates->linear.cost_s >= 0)
    fprintf(to, ", linear %s", topo_text_cost(in->topo, of_linear, linear));
  fputc('\n', to);
}

void estimate_print_unknown_sharing(FILE *to, const inputs_t *in)
{
  if (berth_sharing_carried(in->topo) && berth_pattern_mpi_share(in->pattern) < 0)
    fputs("note: the topology says how much slower shared cores compute, but the pattern doesn't "
          "have the times of all ranks: that isn't in the costs\n",
          to);
}

void estimate_put_sharing(json_out_t *j, const inputs_t *in, const char *key,
                          const berth_estimate_t *e)
{
  bool known = e->cost_s >= 0 && berth_sharing_known(in->pattern, in->topo, in->map.objective);
  json_put_number(j, key, known ? e->sharing_s : NAN);
}
