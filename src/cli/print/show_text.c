/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/print/screen.h"
#include "cli/print/show.h"
#include "pattern/pattern_answers.h"
#include "pattern/pattern_core_wait.h"

enum { BAR = 40, BESIDE_BAR = 64 }; /* characters of the longest, and of the rest of its line */
#define UNSURE 0.03                 /* a share of the time that is worth a word */

static double share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

void show_print_rest(size_t n, size_t top, const char *noun, const char *of)
{
  size_t left = n - show_listed(n, top);
  if (left > 0)
    printf("  ... and %zu more %s%s%s (--top)\n", left, noun, text_plural((double)left), of);
}

/* --- the run --- */

static int by_name(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* 0 where a rank's host is unknown. */
static int count_hosts(const berth_pattern_t *p)
{
  int hosts = 0, ranks = berth_pattern_ranks(p), known = 0;
  const char **name = cli_checked(malloc((size_t)ranks * sizeof *name));
  for (; name && known < ranks; known++) {
    const berth_rank_info_t *info = berth_pattern_rank(p, known);
    if (!info || !*info->host) break;
    name[known] = info->host;
  }
  if (name && known == ranks) {
    qsort(name, (size_t)ranks, sizeof *name, by_name);
    for (int r = 0; r < ranks; r++) hosts += r == 0 || strcmp(name[r - 1], name[r]) != 0;
  }
  free(name);
  return hosts;
}

static void print_times(const berth_pattern_t *p)
{
  char wall[TEXT_NUMBER];
  double share_in_mpi = berth_pattern_mpi_share(p), max = 0;
  if (share_in_mpi < 0) {
    puts("times: unknown");
    return;
  }
  for (int r = 0; r < berth_pattern_ranks(p); r++)
    max = fmax(max, berth_pattern_rank(p, r)->wall_s);
  double unsure = berth_pattern_unsure_share(p);
  printf("time: %s, %.1f", text_seconds(max, wall), 100 * share_in_mpi);
  if (unsure > UNSURE) printf(" to %.1f", 100 * (share_in_mpi + unsure));
  puts("% of it in MPI");
}

static void print_command(const berth_pattern_t *p)
{
  size_t n;
  const char *const *command = berth_pattern_command(p, &n);
  const char **ended = n ? cli_checked(calloc(n + 1, sizeof *ended)) : NULL; /* by a NULL */
  if (!ended) return;
  memcpy(ended, command, n * sizeof *ended);
  cli_print_command(stdout, ended);
  putchar('\n');
  free(ended);
}

/* What the job had set for its MPI. */
static void print_parameters(const berth_pattern_t *p)
{
  size_t n;
  const berth_parameter_t *all = berth_pattern_parameters(p, &n);
  for (size_t i = 0; i < n; i++) printf("%s=%s\n", all[i].name, all[i].value);
}

/* The grids that the program made of its ranks: "grid of ranks: 4x2, periodic in dimension 1". */
static void print_grids(const berth_pattern_t *p)
{
  size_t n;
  const berth_grid_t *all = berth_pattern_grids(p, &n);
  for (size_t i = 0; i < n; i++) {
    int around = 0;
    fputs("grid of ranks: ", stdout);
    for (int d = 0; d < all[i].n_dims; d++) printf(d ? "x%d" : "%d", all[i].dims[d]);
    for (int d = 0; d < all[i].n_dims; d++)
      if (all[i].periodic[d]) printf("%s %d", around++ ? "," : ", periodic in dimension", d + 1);
    putchar('\n');
  }
}

static void print_run(const berth_pattern_t *p)
{
  print_parameters(p);
  print_command(p);
  int ranks = berth_pattern_ranks(p), hosts = count_hosts(p);
  printf("%d rank%s", ranks, text_plural(ranks));
  if (hosts) printf(" on %d host%s", hosts, text_plural(hosts));
  if (*berth_pattern_mpi(p)) printf(", %s", berth_pattern_mpi(p));
  if (*berth_pattern_created(p)) printf(", %s", berth_pattern_created(p));
  putchar('\n');
  print_grids(p);
  print_times(p);
}

/* --- messages --- */

static void print_senders(const summary_t *s)
{
  char max[TEXT_NUMBER], min[TEXT_NUMBER], mean[TEXT_NUMBER];
  int ranks = berth_pattern_ranks(s->pattern), high = 0, low = 0;
  for (int r = 0; r < ranks; r++) {
    if (s->sent[r] > s->sent[high]) high = r;
    if (s->sent[r] < s->sent[low]) low = r;
  }
  if (s->sent[high] == s->sent[low]) {
    printf("  each rank sends %s\n", text_bytes(s->sent[high], max));
    return;
  }
  printf("  a rank sends %s on average; rank %d the most, %s, rank %d the least, %s\n",
         text_bytes(s->all.bytes / ranks, mean), high, text_bytes(s->sent[high], max), low,
         text_bytes(s->sent[low], min));
}

static void print_messages(const summary_t *s)
{
  char bytes[TEXT_NUMBER];
  double ranks = berth_pattern_ranks(s->pattern);
  printf("\n%.0f message%s, %s\n", s->all.messages, text_plural(s->all.messages),
         text_bytes(s->all.bytes, bytes));
  if (s->n_pairs == 0) return;
  printf("  %zu of %.0f pairs of ranks; a rank sends to %d", s->n_pairs, ranks * ranks,
         s->partners_min);
  if (s->partners_min < s->partners_max)
    printf(" to %d others, %.1f on average\n", s->partners_max, (double)s->n_pairs / ranks);
  else
    printf(" other%s\n", text_plural(s->partners_max));
  print_senders(s);
  putchar('\n');
  show_print_matrix(s, 0);
}

static void print_pairs(const summary_t *s, size_t top)
{
  char bytes[TEXT_NUMBER];
  if (s->n_pairs == 0) return;
  puts("\nbusiest pairs:");
  for (size_t i = 0; i < show_listed(s->n_pairs, top); i++) {
    const summary_pair_t *p = &s->pairs[i];
    printf("  %6d -> %-6d %12.0f message%-1s %12s %5.1f%%\n", p->src, p->dst, p->sum.messages,
           text_plural(p->sum.messages), text_bytes(p->sum.bytes, bytes),
           share(p->sum.bytes, s->all.bytes));
  }
  show_print_rest(s->n_pairs, top, "pair", "");
}

static void print_sites(const summary_t *s, size_t top)
{
  char bytes[TEXT_NUMBER];
  if (s->n_sites == 0 || (s->n_sites == 1 && !s->sites[0].known)) return;
  puts("\ncall sites that send, innermost frame first:");
  for (size_t i = 0; i < show_listed(s->n_sites, top); i++) {
    const summary_site_t *site = &s->sites[i];
    printf("  %12.0f message%-1s %12s %5.1f%%  %s", site->sum.messages,
           text_plural(site->sum.messages), text_bytes(site->sum.bytes, bytes),
           share(site->sum.bytes, s->all.bytes), site->known ? site->known->op : "unknown");
    for (size_t k = 0; site->known && k < site->known->n_frames; k++) {
      printf("%s", k ? " < " : "  ");
      cli_print_frame(stdout, site->known->frames[k]);
    }
    putchar('\n');
  }
  show_print_rest(s->n_sites, top, "call site", "");
}

/* Sizes are powers of two, which stand exactly. */
static const char *size_text(uint64_t size, char buf[TEXT_NUMBER])
{
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  int unit = 0;
  while (size >= 10240 && unit < 5) size >>= 10, unit++;
  snprintf(buf, TEXT_NUMBER, "%llu %s", (unsigned long long)size, units[unit]);
  return buf;
}

static void print_sizes(const summary_t *s)
{
  char min[TEXT_NUMBER], max[TEXT_NUMBER], bytes[TEXT_NUMBER], range[2 * TEXT_NUMBER + 16];
  double largest = 0;
  for (int i = 0; i < SUMMARY_SIZES; i++) largest = fmax(largest, s->sizes[i].sum.messages);
  if (largest == 0) return;
  const int longest = screen_bar(BESIDE_BAR, BAR);
  puts("\nsizes of messages:");
  for (int i = 0; i < SUMMARY_SIZES; i++) {
    const summary_size_t *z = &s->sizes[i];
    if (z->sum.messages == 0) continue;
    if (z->min == z->max)
      snprintf(range, sizeof range, "%s", size_text(z->min, min));
    else
      snprintf(range, sizeof range, "%s to below %s", size_text(z->min, min),
               size_text(z->max + 1, max));
    printf("  %24s %12.0f message%-1s %12s  ", range, z->sum.messages, text_plural(z->sum.messages),
           text_bytes(z->sum.bytes, bytes));
    for (int bar = (int)ceil(longest * z->sum.messages / largest); bar > 0; bar--) putchar('#');
    putchar('\n');
  }
}

/* --- phases and the rest --- */

static void print_phases(const summary_t *s, size_t top)
{
  char bytes[TEXT_NUMBER], all[TEXT_NUMBER];
  if (s->n_phases < 2 && s->phases[0].phase->repeats == 1) return;
  puts("\nphases:");
  for (size_t k = 0; k < show_listed(s->n_phases, top); k++) {
    const summary_phase_t *p = &s->phases[k];
    printf("  %d \"%s\": %llu x (%.0f message%s, %s) = %s, %.1f%%\n", p->phase->id, p->phase->name,
           (unsigned long long)p->phase->repeats, p->once.messages, text_plural(p->once.messages),
           text_bytes(p->once.bytes, bytes),
           text_bytes(p->once.bytes * (double)p->phase->repeats, all),
           share(p->once.bytes * (double)p->phase->repeats, s->all.bytes));
  }
  show_print_rest(s->n_phases, top, "phase", "");
}

static void print_rmas(const summary_t *s, size_t top)
{
  char bytes[TEXT_NUMBER], each[TEXT_NUMBER];
  if (s->n_rmas) puts("\none-sided operations, by window and synchronisation:");
  for (size_t i = 0; i < show_listed(s->n_rmas, top); i++) {
    const summary_rma_t *r = &s->rmas[i];
    printf("  window %d, %-8s  %-20s %12.0f operation%s, %s, in %.0f epoch%s", r->win,
           *r->sync ? r->sync : "unknown", r->op, r->operations, text_plural(r->operations),
           text_bytes(r->bytes, bytes), r->epochs, text_plural(r->epochs));
    if (r->epochs > 0) printf(": %s in each", text_number(r->operations / r->epochs, 4, each));
    putchar('\n');
  }
  show_print_rest(s->n_rmas, top, "kind", " of one-sided operations");
}

static void print_unmodelled(const berth_pattern_t *p)
{
  size_t n;
  const berth_unmodelled_t *u = berth_pattern_unmodelled(p, &n);
  if (n) puts("\ncalls recorded by name only, of all ranks in the whole run:");
  for (size_t i = 0; i < n; i++)
    printf("  %-30s %8llu call%s\n", u[i].op, (unsigned long long)u[i].calls,
           text_plural((double)u[i].calls));
}

static void print_parts(const summary_coll_t *c)
{
  char max[TEXT_NUMBER], min[TEXT_NUMBER];
  printf("  %26s rank %d gave the most, %s in all, rank %d the least, %s\n", "", c->max_rank,
         text_bytes(c->max_bytes, max), c->min_rank, text_bytes(c->min_bytes, min));
  if (c->rows)
    printf("  %26s per-destination amounts are known in %zu case%s\n", "", c->rows,
           text_plural((double)c->rows));
}

/* Frees the text; NULL: there is nothing to say. */
static void print_note(char *text)
{
  if (text) printf("note: %s\n", text);
  free(text);
}

static void print_others(const summary_t *s, size_t top)
{
  char bytes[TEXT_NUMBER];
  size_t orders;
  if (s->n_colls) puts("\ncollective calls, bytes at one rank:");
  for (size_t i = 0; i < s->n_colls; i++) {
    const summary_coll_t *c = &s->colls[i];
    printf("  %-26s %12.0f call%s of %s on average\n", c->op, c->calls, text_plural(c->calls),
           text_bytes(c->calls > 0 ? c->bytes / c->calls : 0, bytes));
    if (c->has_parts) print_parts(c);
  }
  print_rmas(s, top);
  print_unmodelled(s->pattern);
  berth_pattern_orders(s->pattern, &orders);
  if (orders)
    printf("\nthe order of sends is known in %zu case%s (a rank in a phase)\n", orders,
           text_plural((double)orders));
  print_note(pattern_answers_text(s->pattern));
  print_note(pattern_core_wait_text(s->pattern));
}

void show_print(const summary_t *s, const time_summary_t *times, size_t top)
{
  print_run(s->pattern);
  show_print_times(times, top);
  print_messages(s);
  print_pairs(s, top);
  print_sites(s, top);
  print_sizes(s);
  print_phases(s, top);
  print_others(s, top);
}
