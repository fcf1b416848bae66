/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/verdict.h"

#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/print/estimate_text.h"
#include "cost/cost_put.h"
#include "pattern/pattern_answers.h"
#include "pattern/pattern_ordered.h"
#include "topo/topo_levels.h"

void verdict_print_doubt(FILE *to, const berth_uncertainty_t *u, size_t a, size_t b,
                         const char *name_of_b)
{
  char differ[TEXT_NUMBER], doubt[TEXT_NUMBER];
  berth_interval_t ratio;
  if (!u || berth_uncertainty_compare(u, a, b, &ratio) != BERTH_VERDICT_NONE) return;
  fprintf(to, "  no verdict against %s: the estimates differ by %s%%, with an uncertainty of ",
          name_of_b, text_number(100 * fabs(ratio.value - 1), 2, differ));
  if (isinf(ratio.factor))
    fputs("unknown size\n", to);
  else
    fprintf(to, "%s%%\n", text_number(100 * (ratio.factor - 1), 2, doubt));
}

static void print_note(void *to, const char *sentence) { fprintf(to, "note: %s\n", sentence); }

void verdict_print_notes(FILE *to, const inputs_t *in, const berth_uncertainty_t *u)
{
  if (cost_notes(in->topo, in->pattern, u, print_note, to, NULL)) cli_checked(NULL);
}

static void put_orders(json_out_t *j, const berth_pattern_t *p)
{
  pattern_ordered_t o;
  if (!pattern_partly_ordered(p, &o)) return;
  json_open(j, "partly_ordered", '{', JSON_ONE_LINE);
  json_put_u64(j, "phase", (uint64_t)o.phase);
  json_put_u64(j, "senders", (uint64_t)o.senders);
  json_put_u64(j, "ordered", (uint64_t)o.ordered);
  json_close(j);
}

void verdict_put_notes(json_out_t *j, const inputs_t *in)
{
  int first;
  bool others;
  json_put_bool(j, "unmeasured_curves", topo_is_unmeasured(in->topo));
  json_put_bool(j, "mixed_curves", topo_is_mixed(in->topo));
  json_put_string(j, "unit", berth_topo_has_distances(in->topo) ? "distance" : "second");
  json_put_bool(j, "unpriced_operations", berth_cost_leaves_out_operations(in->pattern));
  cost_put_coverage(j, in->pattern);
  json_put_bool(j, "depends_on_network", pattern_answers(in->pattern, &first, &others));
  put_orders(j, in->pattern);
  double core_wait = berth_pattern_core_wait_share(in->pattern);
  json_put_number(j, "core_wait_share", core_wait < 0 ? NAN : core_wait);
}
