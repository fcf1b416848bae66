/* SPDX-License-Identifier: BSD-3-Clause */
/* Says what people need to judge costs. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/text.h"
#include <berth/sharing.h>

#include "cost/cost_put.h"
#include "pattern/dense.h"
#include "pattern/pattern_answers.h"
#include "pattern/pattern_ordered.h"
#include "topo/topo_levels.h"

typedef struct taker {
  cost_note_t *note;
  void *to;
} taker_t;

/* What ± covers. */
static void note_margins(const taker_t *t, const berth_uncertainty_t *u)
{
  char text[200], spread[80] = "", model[60] = "", percent[TEXT_NUMBER];
  size_t numbers = berth_uncertainty_numbers(u), n = berth_uncertainty_unknown_numbers(u);
  double error = berth_uncertainty_model_error(u);
  snprintf(text, sizeof text,
           "%zu measured number%s no spread (one sample, or none given). Costs that depend on %s "
           "are ± unknown.",
           n, n == 1 ? " has" : "s have", n == 1 ? "it" : "them");
  if (n > 0) t->note(t->to, text);
  if (numbers == 0 && error <= 0) return;
  if (numbers)
    snprintf(spread, sizeof spread, "the spread of %zu measured number%s", numbers,
             numbers == 1 ? "" : "s");
  if (error > 0)
    snprintf(model, sizeof model, "the model's error of %.32s%%",
             text_number(100 * error, 2, percent));
  snprintf(text, sizeof text, "± covers %s%s%s.%s", spread, *spread && *model ? " and " : "", model,
           *model ? "" : " The model's error on this machine is unknown.");
  t->note(t->to, text);
}

/* "12.5%", "less than 0.1%" */
static const char *percent(double part, double whole, char buf[TEXT_NUMBER])
{
  double value = whole > 0 ? 100 * part / whole : 0;
  if (value > 0 && value < 0.1)
    snprintf(buf, TEXT_NUMBER, "less than 0.1%%");
  else
    snprintf(buf, TEXT_NUMBER, "%.1f%%", value < 100 ? value > 99.9 ? 99.9 : value : 100);
  return buf;
}

/* One sentence on operations that estimates don't include. The caller frees it. NULL if there are
 * none, or memory is out. */
static char *coverage_text(const berth_pattern_t *p)
{
  const char *head = "estimates cover point-to-point messages only; not included: ";
  char calls[TEXT_NUMBER], bytes[TEXT_NUMBER], number[TEXT_NUMBER];
  char left_out[2 * TEXT_NUMBER + 100] = "", unknown[2 * TEXT_NUMBER + 100] = "";
  berth_coverage_t c = berth_cost_coverage(p);
  if (c.left_out_calls > 0)
    snprintf(left_out, sizeof left_out,
             "%s of the calls and %s of the bytes (collective or one-sided operations)",
             percent(c.left_out_calls, c.calls, calls), percent(c.left_out_bytes, c.bytes, bytes));
  if (c.unknown_calls > 0)
    snprintf(unknown, sizeof unknown, "%s call%s of unknown size and time (such as MPI-IO)",
             text_count(c.unknown_calls, number), text_plural(c.unknown_calls));
  if (!*left_out && !*unknown) return NULL;
  if (c.included_calls > 0)
    head = "not included in estimates: ";
  else if (c.left_out_calls + c.unknown_calls == c.calls)
    head = "estimates cover point-to-point messages only, of which this pattern has none; not "
           "included: ";
  return text_printf("%s%s%s%s", head, left_out, *left_out && *unknown ? ", and " : "", unknown);
}

static int note_coverage(const taker_t *t, const berth_pattern_t *p, berth_error_t *err)
{
  char *text = coverage_text(p);
  if (!text) return berth_cost_leaves_out_operations(p) ? no_memory(err) : BERTH_OK;
  t->note(t->to, text);
  free(text);
  return BERTH_OK;
}

/* How phases of too many messages are estimated. */
static void note_dense(const taker_t *t, const berth_pattern_t *p)
{
  char text[300];
  size_t n = pattern_n_dense(p), evenly = pattern_n_shaped(p, DENSE_IN_TURN);
  if (n == 0) return;
  snprintf(
      text, sizeof text,
      "%zu phase%s of collective operations ha%s too many messages for a list. Estimates count "
      "them by port%s. Model flow takes the estimates of model port for such calls.",
      n, n == 1 ? "" : "s", n == 1 ? "s" : "ve",
      evenly ? ", and all-to-alls in rounds as if each round spread evenly" : "");
  t->note(t->to, text);
}

static int note_answers(const taker_t *t, const berth_pattern_t *p, berth_error_t *err)
{
  int first;
  bool others;
  if (!pattern_answers(p, &first, &others)) return BERTH_OK;
  char *text = pattern_answers_text(p);
  if (!text) return no_memory(err);
  t->note(t->to, text);
  free(text);
  return BERTH_OK;
}

/* Programs of which the recorder kept a part. */
static void note_orders(const taker_t *t, const berth_pattern_t *p)
{
  char text[240];
  pattern_ordered_t o;
  if (!pattern_partly_ordered(p, &o)) return;
  snprintf(
      text, sizeof text,
      "phase %d has the order of %d of the %d ranks that send in it. Model flow takes the other "
      "ranks to send everything at the start of the phase.",
      o.phase, o.ordered, o.senders);
  t->note(t->to, text);
}

int cost_notes(const berth_topo_t *topo, const berth_pattern_t *p, const berth_uncertainty_t *u,
               cost_note_t *note, void *to, berth_error_t *err)
{
  const taker_t t = {note, to};
  if (u) note_margins(&t, u);
  if (berth_sharing_carried(topo) && berth_pattern_mpi_share(p) < 0)
    note(to, "the topology says how much slower shared cores compute, but the pattern lacks the "
             "times of ranks. Costs don't include that loss.");
  int rc = note_coverage(&t, p, err);
  if (!rc) rc = note_answers(&t, p, err);
  if (!rc) note_dense(&t, p);
  if (!rc) note_orders(&t, p);
  if (berth_topo_has_distances(topo))
    note(to, "the topology has distances instead of bandwidths. Costs have no unit and are no "
             "times.");
  if (topo_is_mixed(topo))
    note(to, "some curves of the topology are measured, others are defaults. Which placement is "
             "cheaper is uncertain until the others are measured.");
  else if (topo_is_unmeasured(topo))
    note(to, "the topology has default curves, which nobody measured. Compare these costs with "
             "each other, not with a clock.");
  return rc;
}
