/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/node_view.h"

#include <berth/strided.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/* --- copies --- */

/* Tables of copies between NUMA nodes: more are left out. */
enum { TABLES = 64 };

/* The next larger NUMA node that core 0's node copied from; -1: none. */
static int next_numa(const berth_node_t *n, int after)
{
  int next = -1;
  for (size_t i = 0; i < berth_node_n_curves(n); i++) {
    const berth_node_curve_t *c = berth_node_curve_at(n, i);
    if (c->what == BERTH_NODE_COPY && c->core_numa == 0 && c->memory_numa > after &&
        (next < 0 || c->memory_numa < next))
      next = c->memory_numa;
  }
  return next;
}

/* The fastest kernel at a size, and how many times as fast as memcpy it is. */
static void print_best(FILE *to, const berth_node_t *n, const char *state, int numa, double bytes)
{
  char text[TEXT_NUMBER];
  const berth_node_curve_t *best = NULL;
  const berth_node_curve_t *plain = berth_node_find(n, BERTH_NODE_COPY, "memcpy", state, 0, numa);
  double rate = berth_node_best_copy(n, state, 0, numa, bytes, &best);
  if (!best || !plain)
    fprintf(to, "  %32s", "");
  else
    fprintf(to, "  %10s %-15s %5.2f", text_bandwidth(rate, text), best->name,
            rate / berth_node_at(plain, bytes));
}

static void print_copies_from(FILE *to, const berth_node_t *n, int numa)
{
  static const char *const states[] = {"hot", "cold"};
  const berth_node_curve_t *c = NULL;
  for (int i = 0; i < 2 && !c; i++)
    c = berth_node_find(n, BERTH_NODE_COPY, "memcpy", states[i], 0, numa);
  if (!c) return;
  fprintf(to, "\nCopies by one core, memory of %s: the fastest kernel\n",
          numa == 0 ? "its own NUMA node" : "another NUMA node");
  if (numa > 0) fprintf(to, "  from NUMA node %d to 0\n", numa);
  fprintf(to, "  %9s  %-32s  %s\n", "size", "hot buffers         times memcpy",
          "cold buffers        times memcpy");
  for (size_t i = 0; i < c->n; i++) {
    char size[TEXT_NUMBER];
    fprintf(to, "  %9s", text_bytes(c->x[i], size));
    for (int k = 0; k < 2; k++) print_best(to, n, states[k], numa, c->x[i]);
    fputc('\n', to);
  }
}

/* --- memory --- */

static void print_memory(FILE *to, const berth_node_t *n)
{
  bool first = true;
  for (size_t i = 0; i < berth_node_n_curves(n); i++) {
    const berth_node_curve_t *c = berth_node_curve_at(n, i);
    char one[TEXT_NUMBER], all[TEXT_NUMBER], where[40] = "all cores";
    if (c->what != BERTH_NODE_MEMORY) continue;
    if (first)
      fprintf(to, "\nMemory%-26s  %10s  %10s  %10s\n", "", "one core", "all cores", "times");
    first = false;
    if (c->memory_numa >= 0) snprintf(where, sizeof where, "NUMA node %d", c->memory_numa);
    fprintf(to, "  %-9s  %-12s %-6s  %10s  %10s  %10.2f\n", c->name, where, c->state,
            text_bandwidth(c->y[0], one), text_bandwidth(c->y[c->n - 1], all),
            c->y[c->n - 1] / c->y[0]);
  }
}

/* What is left of a rate beside others, in percent of the same alone. */
static double share(const berth_node_curve_t *beside, const berth_node_curve_t *alone)
{
  double cores = beside->x[beside->n - 1];
  return 100 * beside->y[beside->n - 1] / berth_node_at(alone, cores);
}

static void print_beside(FILE *to, const berth_node_t *n)
{
  bool first = true;
  for (size_t i = 0; i < berth_node_n_curves(n); i++) {
    const berth_node_curve_t *c = berth_node_curve_at(n, i);
    if (c->what != BERTH_NODE_BESIDE) continue;
    const berth_node_curve_t *alone =
        berth_node_find(n, BERTH_NODE_MEMORY, c->name, "close", c->core_numa, c->memory_numa);
    if (!alone) continue;
    if (first)
      fprintf(to, "\nWhile another core sends, computing cores keep of their rate alone\n");
    first = false;
    fprintf(to, "  %-9s  %5.1f%% (%.0f computing)\n", c->name, share(c, alone), c->x[c->n - 1]);
  }
}

/* --- work, timers, noise --- */

static void print_schedule(FILE *to, const berth_node_t *n, const char *state)
{
  static const char *const names[] = {"dynamic", "locked", "lines"};
  const berth_node_curve_t *fixed =
      berth_node_find(n, BERTH_NODE_GRANULES, "static", state, -1, -1);
  if (!fixed) return;
  fprintf(to, "\nWork of %s granules: time of dynamic shares, of static ones\n  %8s", state,
          "granules");
  for (int k = 0; k < 3; k++) fprintf(to, "  %10s", names[k]);
  fprintf(to, "  %14s\n", "mutex alone");
  for (size_t i = 0; i < fixed->n; i++) {
    char lock[TEXT_NUMBER], part[TEXT_NUMBER];
    fprintf(to, "  %8.0f", fixed->x[i]);
    for (int k = 0; k < 3; k++) {
      const berth_node_curve_t *c =
          berth_node_find(n, BERTH_NODE_GRANULES, names[k], state, -1, -1);
      if (c)
        snprintf(part, sizeof part, "%.1f%%", 100 * berth_node_at(c, fixed->x[i]) / fixed->y[i]);
      fprintf(to, "  %10s", c ? part : "-");
    }
    const berth_node_curve_t *c = berth_node_find(n, BERTH_NODE_GRANULES, "locks", state, -1, -1);
    fprintf(to, "  %14s\n", c ? text_seconds(berth_node_at(c, fixed->x[i]), lock) : "");
  }
}

static void print_timers(FILE *to, const berth_node_t *n)
{
  char asked[TEXT_NUMBER], took[TEXT_NUMBER];
  const berth_node_curve_t *clock = berth_node_find(n, BERTH_NODE_TIMER, "clock", "", -1, -1);
  const berth_node_curve_t *sleeps = berth_node_find(n, BERTH_NODE_TIMER, "sleep", "", -1, -1);
  if (!clock || !sleeps) return;
  fprintf(to, "\nTimers\n  reading the clock takes %s\n", text_seconds(clock->y[0], took));
  for (size_t i = 0; i < sleeps->n; i++)
    fprintf(to, "  sleeping for %s takes %s\n", text_seconds(sleeps->x[i], asked),
            text_seconds(sleeps->y[i], took));
}

static void print_noise(FILE *to, const berth_node_t *n)
{
  for (size_t i = 0; i < berth_node_n_noise(n); i++) {
    const berth_node_noise_t *z = berth_node_noise_at(n, i);
    char longest[TEXT_NUMBER], period[TEXT_NUMBER], idle[32] = "-";
    double count = 0;
    for (size_t k = 0; k < z->n; k++) count += z->count[k];
    if (i == 0)
      fprintf(to, "\nNoise: interruptions of fixed work\n  %4s  %7s  %9s  %10s  %10s  %10s\n", "PU",
              "idle PU", "time lost", "a second", "longest", "period");
    if (z->idle >= 0) snprintf(idle, sizeof idle, "%d", z->idle);
    fprintf(to, "  %4d  %7s  %8.3f%%  %10.1f  %10s  %10s\n", z->pu, idle, 100 * z->lost,
            z->seconds > 0 ? count / z->seconds : 0, text_seconds(z->longest_s, longest),
            z->period_s > 0 ? text_seconds(z->period_s, period) : "none");
  }
}

/* --- packing --- */

/* From which block on a message is no slower by a derived datatype. */
static void print_crossover(FILE *to, const berth_node_t *n, const char *mpi, double bytes)
{
  char size[TEXT_NUMBER], block[TEXT_NUMBER];
  fprintf(to, "  %9s", text_bytes(bytes, size));
  for (berth_side_t side = 0; side < BERTH_SIDES; side++) {
    double from = berth_node_crossover(n, mpi, side, bytes);
    fprintf(to, "  %10s", isinf(from) ? "never" : isnan(from) ? "" : text_bytes(from, block));
  }
  fputc('\n', to);
}

/* What messages in blocks of 8 bytes cost more than contiguous ones, for each byte. */
static void print_small_blocks(FILE *to, const berth_node_t *n, const char *mpi, double bytes)
{
  char size[TEXT_NUMBER], text[TEXT_NUMBER];
  fprintf(to, "  %9s", text_bytes(bytes, size));
  for (berth_side_t side = 0; side < BERTH_SIDES; side++)
    for (int far = 0; far < 2; far++) {
      double pieces = bytes / 8, span = bytes + (pieces - 1) * (far ? 4160 : 8);
      double seconds = berth_node_packing_s(n, mpi, side, bytes, pieces, span);
      fprintf(to, " %10s", isnan(seconds) ? "-" : text_seconds(fmax(0, seconds), text));
    }
  fputc('\n', to);
}

static void print_tables(FILE *to, const berth_node_t *n, const berth_strided_t *exchanges)
{
  const char *mpi = exchanges->mpi;
  fprintf(to,
          "\nPacking under %s: blocks from which a datatype is no slower\n"
          "  %9s  %10s  %10s  %10s\n",
          mpi, "message", "send", "receive", "both");
  for (size_t i = 0; i < exchanges->n; i++) print_crossover(to, n, mpi, exchanges->bytes[i]);
  fprintf(to,
          "\nPacking under %s: time for blocks of 8 B, gaps of 8 B and 4,160 B\n"
          "  %9s %21s %21s %21s\n",
          mpi, "message", "send", "receive", "both");
  for (size_t i = 0; i < exchanges->n; i++) print_small_blocks(to, n, mpi, exchanges->bytes[i]);
}

/* Of each MPI: its contiguous exchanges have the sizes. */
static void print_packing(FILE *to, const berth_node_t *n)
{
  const berth_strided_t *t;
  for (size_t k = 0; (t = berth_node_exchanges(n, k)); k++) print_tables(to, n, t);
}

void node_view_text(FILE *to, const berth_node_t *n)
{
  fprintf(to, "Node: %s\n  measured %s%s\n",
          *berth_node_processor(n) ? berth_node_processor(n) : "processor unknown",
          *berth_node_date(n) ? berth_node_date(n) : "at an unknown time",
          berth_node_is_complete(n) ? "" : " (incomplete: berth calibrate node goes on)");
  for (int numa = next_numa(n, -1), k = 0; numa >= 0 && k < TABLES; numa = next_numa(n, numa), k++)
    print_copies_from(to, n, numa);
  print_memory(to, n);
  print_beside(to, n);
  print_schedule(to, n, "equal");
  print_schedule(to, n, "unequal");
  print_timers(to, n);
  print_noise(to, n);
  print_packing(to, n);
}
