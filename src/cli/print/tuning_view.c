/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/tuning_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const berth_tuned_choice_t *mpi_of(const berth_tuned_cell_t *c)
{
  for (int i = 0; i < c->n_choices; i++)
    if (strcmp(c->choice[i].algorithm, "mpi") == 0) return &c->choice[i];
  return NULL;
}

/* "1.234 ms"; "-": unknown. */
static const char *seconds(double s, char buf[TEXT_NUMBER])
{
  return s >= 0 ? text_seconds(s, buf) : "-";
}

/* "pipeline, 64.00 KiB" */
static void name_choice(const berth_tuned_choice_t *c, char *out, size_t size)
{
  char bytes[TEXT_NUMBER], degree[24] = "", segment[TEXT_NUMBER + 2] = "",
                           overlap[TEXT_NUMBER + 12] = "";
  if (c->degree) snprintf(degree, sizeof degree, " of %d", c->degree);
  if (c->segment) snprintf(segment, sizeof segment, ", %s", text_bytes((double)c->segment, bytes));
  if (c->overlap)
    snprintf(overlap, sizeof overlap, ", overlap %s", text_bytes((double)c->overlap, bytes));
  snprintf(out, size, "%s%s%s%s", c->algorithm, degree, segment, overlap);
}

/* "  95.20 us |.:#@=-.         | 140.1 us": the fastest 99% of the calls, between the limits of the
 * histogram. */
static void print_times(const berth_histogram_t *h)
{
  static const char height[] = ".:-=+*#%@";
  char from[TEXT_NUMBER], to[TEXT_NUMBER], shape[BERTH_TIME_BINS + 1] = "";
  uint32_t most = 1;
  for (int b = 0; b < BERTH_TIME_BINS; b++) most = h->count[b] > most ? h->count[b] : most;
  for (int b = 0; b < BERTH_TIME_BINS; b++)
    shape[b] = h->count[b] ? height[(uint64_t)h->count[b] * (sizeof height - 2) / most] : ' ';
  printf(" %12s |%s| %-12s %7zu", text_seconds(h->least_s, from), shape,
         text_seconds(berth_histogram_from(h, BERTH_TIME_BINS), to), berth_histogram_times(h));
}

static void print_choice(const berth_tuned_choice_t *c)
{
  char name[96], measured[TEXT_NUMBER], predicted[TEXT_NUMBER];
  name_choice(c, name, sizeof name);
  printf("    %-46s %12s %12s", name, seconds(c->measured_s, measured),
         seconds(c->predicted_s, predicted));
  if (c->predicted_s > 0 && c->measured_s > 0)
    printf(" %+8.0f%%", 100 * (c->predicted_s / c->measured_s - 1));
  else if (berth_histogram_times(&c->times))
    printf(" %9s", "");
  if (berth_histogram_times(&c->times)) print_times(&c->times);
  puts("");
}

static void print_cell(const berth_tuned_cell_t *c)
{
  char bytes[TEXT_NUMBER], calls[TEXT_NUMBER] = "-", name[96] = "not measured", best[TEXT_NUMBER],
                           mpi[TEXT_NUMBER], shape[32];
  const berth_tuned_choice_t *theirs = mpi_of(c);
  if (c->calls) text_count((double)c->calls, calls);
  if (c->n_choices) name_choice(&c->choice[0], name, sizeof name);
  snprintf(shape, sizeof shape, c->hosts ? "%d on %d" : "%d", c->ranks, c->hosts);
  printf("%-20s %-12s %10s %10s  %-34s %12s %12s\n", c->operation, shape,
         text_bytes((double)c->bytes, bytes), calls, name,
         c->n_choices ? seconds(c->choice[0].measured_s, best) : "-",
         theirs ? seconds(theirs->measured_s, mpi) : "-");
}

static bool has_times(const berth_tuning_t *t)
{
  for (size_t i = 0; i < t->n; i++)
    for (int k = 0; k < t->cell[i].n_choices; k++)
      if (berth_histogram_times(&t->cell[i].choice[k].times)) return true;
  return false;
}

/* What was chosen for one-sided operations, and why (src/rma/threshold.h). */
static void print_one_sided(const berth_tuning_t *t)
{
  char message[TEXT_NUMBER], byte[TEXT_NUMBER] = "an unknown time", bytes[TEXT_NUMBER],
                             fill[TEXT_NUMBER], size[TEXT_NUMBER], shape[32];
  if (t->bandwidth > 0) text_seconds(1 / t->bandwidth, byte);
  printf("one-sided operations: a small message takes %s of its origin, a byte between hosts %s\n",
         text_seconds(t->message_s, message), byte);
  if (t->n_epochs == 0) {
    puts("    no epoch had 2 KiB for a target on another host: each is one message");
    return;
  }
  printf("    %-12s %9s %12s %14s %12s %12s\n", "ranks, hosts", "targets", "epoch", "byte comes in",
         "message", "last at once");
  for (size_t i = 0; i < t->n_epochs; i++) {
    const berth_tuned_epochs_t *e = &t->epochs[i];
    snprintf(shape, sizeof shape, "%d on %d", e->ranks, e->hosts);
    printf("    %-12s %9" PRIu64 " %12s %14s %12s %11.0f%%\n", shape, e->targets,
           text_bytes(e->bytes, bytes), e->fill_s > 0 ? text_seconds(e->fill_s, fill) : "-",
           text_bytes((double)e->message, size), 100 * e->early);
  }
}

static void print_cells(const berth_tuning_t *t, bool all)
{
  printf("%-20s %-12s %10s %10s  %-34s %12s %12s\n", "operation", "ranks, hosts", "bytes", "calls",
         "choice", "measured", "the MPI's");
  if (all)
    printf("    %-46s %12s %12s %9s%s\n", "choice", "measured", "predicted", "error",
           has_times(t) ? "    calls from                  to         measured" : "");
  for (size_t i = 0; i < t->n; i++) {
    print_cell(&t->cell[i]);
    if (all && t->cell[i].settled) puts("    calls have compared the first two choices");
    for (int k = 0; all && k < t->cell[i].n_choices; k++) print_choice(&t->cell[i].choice[k]);
  }
}

void tuning_print(const berth_tuning_t *t, bool all)
{
  char half[TEXT_NUMBER], took[TEXT_NUMBER];
  printf("%s, %d rank%s, ", *t->mpi ? t->mpi : "unknown MPI", t->ranks, text_plural(t->ranks));
  printf(t->seconds > 0 ? "measured in %s" : "not measured", text_seconds(t->seconds, took));
  if (t->half > 0)
    printf("; links between hosts carry %s while a message begins", text_bytes(t->half, half));
  puts("");
  if (t->n > 0 || t->message_s <= 0) print_cells(t, all);
  if (t->message_s > 0) print_one_sided(t);
}
