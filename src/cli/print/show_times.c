/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints where the time in MPI calls goes: by function, call site and communicator. */
#include <stdio.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/print/show.h"
#include "pattern/phase_find.h"

enum { FEW = 3, FEW_RANKS = 4 }; /* functions and ranks that are listed of a communicator */

static double share(const time_summary_t *s, double part)
{
  return s->all_s > 0 ? 100 * part / s->all_s : 0;
}

/* The columns that functions and call sites have in common. */
static void print_columns(const time_summary_t *s, const time_sum_t *sum)
{
  char mean[TEXT_NUMBER], max[TEXT_NUMBER], rank[16] = "unknown";
  double ranks = berth_pattern_ranks(s->pattern);
  const char *bound = sum->max_is_bound ? ">=" : "";
  if (sum->max_rank >= 0) snprintf(rank, sizeof rank, "%d", sum->max_rank);
  printf(" %5.1f%% %11s %2s %9s %8s %2s %7.2f", share(s, sum->total_s),
         text_seconds(sum->total_s / ranks, mean), bound, text_seconds(sum->max_s, max), rank,
         bound, time_imbalance(sum, ranks));
}

static bool has_bound(const time_list_t *list, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (list->items[i].max_is_bound) return true;
  return false;
}

static const char columns[] = "  share     average      maximum  at rank   max/avg.";

static void print_functions(const time_summary_t *s)
{
  char mean[TEXT_NUMBER];
  printf("  %-26s%s\n", "function", columns);
  for (size_t i = 0; i < s->functions.n; i++) {
    printf("  %-26s", s->functions.items[i].op);
    print_columns(s, &s->functions.items[i]);
    putchar('\n');
  }
  if (time_has_other(s))
    printf("  %-26s %5.1f%% %11s\n", "(other)", share(s, s->other_s),
           text_seconds(s->other_s / berth_pattern_ranks(s->pattern), mean));
}

static void print_site(const time_summary_t *s, const time_sum_t *sum)
{
  const berth_site_t *known = sum->site ? berth_pattern_site(s->pattern, sum->site) : NULL;
  print_columns(s, sum);
  printf("  %s", sum->op);
  if (!known) fputs("  unknown", stdout);
  for (size_t k = 0; known && k < known->n_frames; k++) {
    fputs(k ? " < " : "  ", stdout);
    cli_print_frame(stdout, known->frames[k]);
  }
  putchar('\n');
}

static void print_sites(const time_summary_t *s, size_t top)
{
  if (!s->sites.n) return;
  puts("\ncall sites by MPI time, innermost frame first:");
  printf("%s\n", columns);
  for (size_t i = 0; i < show_listed(s->sites.n, top); i++) print_site(s, &s->sites.items[i]);
  show_print_rest(s->sites.n, top, "call site", "");
  if (has_bound(&s->sites, show_listed(s->sites.n, top)))
    puts("  >=: at least. Different ranks spent the most time on different communicators.");
}

/* The functions of a communicator, each with its share of all MPI time. */
static void print_comm_functions(const time_summary_t *s, int comm)
{
  size_t n;
  const time_sum_t *sums = time_comm_functions(s, comm, &n);
  for (size_t i = 0; i < n && i < FEW; i++)
    printf("%s%s %.1f%%", i ? ", " : "  ", sums[i].op, share(s, sums[i].total_s));
  if (n > FEW) printf(", %zu more", n - FEW);
}

/* Which ranks a communicator of a program has, the first of them. */
static void print_members(const berth_pattern_t *p, int id)
{
  const berth_comm_t *comm = pattern_comm(p, id);
  if (!comm || comm->n_ranks == 0) return;
  printf("  (rank%s", text_plural((double)comm->n_ranks));
  for (size_t i = 0; i < comm->n_ranks && i < FEW_RANKS; i++)
    printf("%s%d", i ? ", " : " ", comm->ranks[i]);
  fputs(comm->n_ranks > FEW_RANKS ? ", …)" : ")", stdout);
}

static void print_comms(const time_summary_t *s, size_t top)
{
  char mean[TEXT_NUMBER], name[40] = "MPI_COMM_WORLD";
  if (!s->comms.n) return;
  puts("\nMPI time in collective calls, by communicator:");
  printf("  %-16s %8s   share     average  functions\n", "communicator", "ranks");
  for (size_t i = 0; i < show_listed(s->comms.n, top); i++) {
    const time_sum_t *sum = &s->comms.items[i];
    size_t ranks = time_comm_size(s->pattern, sum->comm);
    char size[24] = "unknown";
    if (ranks) snprintf(size, sizeof size, "%zu", ranks);
    if (sum->comm)
      snprintf(name, sizeof name, "%d", sum->comm);
    else
      snprintf(name, sizeof name, "MPI_COMM_WORLD");
    printf("  %-16s %8s  %5.1f%% %11s", name, size, share(s, sum->total_s),
           ranks ? text_seconds(sum->total_s / (double)ranks, mean) : "unknown");
    print_comm_functions(s, sum->comm);
    print_members(s->pattern, sum->comm);
    putchar('\n');
  }
  show_print_rest(s->comms.n, top, "communicator", "");
}

/* The ranks with the most and the least time in MPI: the latter is whom the others wait for. */
static void print_extremes(const berth_pattern_t *p)
{
  char most[TEXT_NUMBER], least[TEXT_NUMBER];
  int high = 0, low = 0;
  for (int r = 1; r < berth_pattern_ranks(p); r++) {
    double mpi_s = berth_pattern_rank(p, r)->mpi_s;
    if (mpi_s > berth_pattern_rank(p, high)->mpi_s) high = r;
    if (mpi_s < berth_pattern_rank(p, low)->mpi_s) low = r;
  }
  if (high != low)
    printf("; rank %d the most, %s, rank %d the least, %s", high,
           text_seconds(berth_pattern_rank(p, high)->mpi_s, most), low,
           text_seconds(berth_pattern_rank(p, low)->mpi_s, least));
}

void show_print_times(const time_summary_t *s, size_t top)
{
  char mean[TEXT_NUMBER];
  double of_run = berth_pattern_mpi_share(s->pattern);
  if (!s->functions.n) return;
  fputs("\nMPI time: ", stdout);
  if (of_run >= 0) printf("%.1f%% of the run, ", 100 * of_run);
  printf("%s a rank on average", text_seconds(s->all_s / berth_pattern_ranks(s->pattern), mean));
  if (of_run >= 0) print_extremes(s->pattern);
  putchar('\n');
  print_functions(s);
  print_sites(s, top);
  print_comms(s, top);
}
