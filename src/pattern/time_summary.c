/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums up times of MPI calls.
 * A line has the most that one rank spent in its calls, but not what the others did. So for a call
 * site whose calls are on several communicators, the most is known only if it was the same rank's
 * on all of them. */
#include "pattern/time_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/phase_find.h"

#define TIMED 5e-4 /* a share of the time that the first decimal of a percentage shows */

/* --- sums --- */

/* What has equal keys is one sum. Within it, lines of the same rank are neighbours. */
typedef int order_t(const void *a, const void *b);

ORDER_BY(same_site, berth_time_t, RISING_TEXT(op) RISING(site))
ORDER_BY(same_comm, berth_time_t, RISING(comm))
ORDER_BY(same_comm_function, berth_time_t, RISING(comm) RISING_TEXT(op))
ORDER_BY(by_site, berth_time_t, BY(same_site) RISING(max_rank) RISING(comm))
ORDER_BY(by_comm, berth_time_t, BY(same_comm) RISING(max_rank) RISING_TEXT(op) RISING(site))
ORDER_BY(by_comm_function, berth_time_t, BY(same_comm_function) RISING(max_rank) RISING(site))

ORDER_BY(longest, time_sum_t, FALLING(total_s) RISING_TEXT(op) RISING(site))
ORDER_BY(longest_comm, time_sum_t, FALLING(total_s) RISING(comm))
ORDER_BY(longest_on_comm, time_sum_t, RISING(comm) FALLING(total_s) RISING_TEXT(op))

/* Sums up n lines of one key. Some rank spent at least the average. */
static time_sum_t sum_of(const berth_time_t *t, size_t n, int ranks)
{
  time_sum_t sum = {t->op, t->site, t->comm, 0, 0, t->max_rank, false};
  for (size_t i = 0, next; i < n; i = next) {
    double at_rank = 0;
    for (next = i; next < n && t[next].max_rank == t[i].max_rank; next++) {
      sum.total_s += t[next].total_s;
      at_rank += t[next].max_s;
    }
    sum.max_is_bound |= at_rank > 0 && sum.max_s > 0;
    if (at_rank > sum.max_s) {
      sum.max_s = at_rank;
      sum.max_rank = t[i].max_rank;
    }
  }
  if (sum.max_is_bound && sum.max_s < sum.total_s / ranks) {
    sum.max_s = sum.total_s / ranks;
    sum.max_rank = -1;
  }
  return sum;
}

/* Sums up lines by a key. The caller frees the items. */
static int sum_by(order_t *order, order_t *same, berth_time_t *lines, size_t n, int ranks,
                  time_list_t *out, berth_error_t *err)
{
  out->items = malloc((n + 1) * sizeof *out->items);
  if (!out->items) return no_memory(err);
  if (n) qsort(lines, n, sizeof *lines, order);
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && same(&lines[i], &lines[end]) == 0;) end++;
    out->items[out->n++] = sum_of(&lines[i], end - i, ranks);
  }
  return BERTH_OK;
}

static void sort_sums(time_list_t *list, order_t *order)
{
  if (list->n) qsort(list->items, list->n, sizeof *list->items, order);
}

/* What a line is of, besides its function. */
static bool is_whole(const berth_time_t *t) { return !t->site && t->comm < 0; }
static bool is_of_site(const berth_time_t *t) { return t->site > 0; }
static bool is_of_comm(const berth_time_t *t) { return t->comm >= 0; }

/* Copies such lines. Returns their number. */
static size_t pick(const time_summary_t *s, bool (*is_such)(const berth_time_t *),
                   berth_time_t *lines)
{
  size_t n, kept = 0;
  const berth_time_t *t = berth_pattern_times(s->pattern, &n);
  for (size_t i = 0; i < n; i++)
    if (is_such(&t[i])) lines[kept++] = t[i];
  return kept;
}

/* `lines` has room for all. */
static int sum_lines(time_summary_t *s, berth_time_t *lines, berth_error_t *err)
{
  int ranks = berth_pattern_ranks(s->pattern);
  size_t n = pick(s, is_whole, lines); /* one for each function */
  int rc = sum_by(by_site, same_site, lines, n, ranks, &s->functions, err);
  n = pick(s, is_of_site, lines);
  if (!rc) rc = sum_by(by_site, same_site, lines, n, ranks, &s->sites, err);
  n = pick(s, is_of_comm, lines);
  if (!rc) rc = sum_by(by_comm, same_comm, lines, n, ranks, &s->comms, err);
  if (!rc)
    rc = sum_by(by_comm_function, same_comm_function, lines, n, ranks, &s->comm_functions, err);
  return rc;
}

/* Adds up the ranks' time in MPI. -1: unknown. */
static double ranks_time(const berth_pattern_t *p)
{
  double sum = 0;
  if (berth_pattern_mpi_share(p) < 0) return -1;
  for (int r = 0; r < berth_pattern_ranks(p); r++) sum += berth_pattern_rank(p, r)->mpi_s;
  return sum;
}

int time_summary_init(time_summary_t *s, const berth_pattern_t *p, berth_error_t *err)
{
  size_t n;
  berth_pattern_times(p, &n);
  *s = (time_summary_t){.pattern = p};
  berth_time_t *lines = malloc((n + 1) * sizeof *lines);
  int rc = lines ? BERTH_OK : no_memory(err);
  if (!rc) rc = sum_lines(s, lines, err);
  if (!rc) {
    sort_sums(&s->functions, longest);
    sort_sums(&s->sites, longest);
    sort_sums(&s->comms, longest_comm);
    sort_sums(&s->comm_functions, longest_on_comm);
  }
  free(lines);
  double timed = 0;
  for (size_t i = 0; !rc && i < s->functions.n; i++) timed += s->functions.items[i].total_s;
  s->all_s = fmax(timed, ranks_time(p));
  s->other_s = s->all_s - timed;
  return rc;
}

void time_summary_clear(time_summary_t *s)
{
  free(s->functions.items);
  free(s->sites.items);
  free(s->comms.items);
  free(s->comm_functions.items);
}

/* --- what readers ask of them --- */

size_t time_comm_size(const berth_pattern_t *p, int comm)
{
  const berth_comm_t *known = pattern_comm(p, comm);
  return known ? known->n_ranks : comm ? 0 : (size_t)berth_pattern_ranks(p);
}

const time_sum_t *time_comm_functions(const time_summary_t *s, int comm, size_t *n)
{
  const time_sum_t *sums = s->comm_functions.items;
  LOWER_BOUND(first, 0, s->comm_functions.n, sums[middle].comm < comm)
  LOWER_BOUND(end, first, s->comm_functions.n, sums[middle].comm <= comm)
  *n = end - first;
  return sums + first;
}

double time_imbalance(const time_sum_t *sum, double n)
{
  return sum->total_s > 0 ? fmax(1, sum->max_s * n / sum->total_s) : 1;
}

bool time_has_other(const time_summary_t *s) { return s->other_s >= TIMED * s->all_s; }

/* --- JSON --- */

static void put_sum(json_out_t *j, const time_summary_t *s, const time_sum_t *sum)
{
  double ranks = berth_pattern_ranks(s->pattern);
  json_put_number(j, "total_s", sum->total_s);
  json_put_number(j, "share", s->all_s > 0 ? sum->total_s / s->all_s : 0);
  json_put_number(j, "mean_s", sum->total_s / ranks);
  json_put_number(j, "max_s", sum->max_s);
  json_put_number(j, "max_rank", sum->max_rank < 0 ? NAN : sum->max_rank);
  json_put_number(j, "imbalance", time_imbalance(sum, ranks));
}

static void put_functions(json_out_t *j, const time_summary_t *s)
{
  json_open(j, "functions", '[', JSON_LINES);
  for (size_t i = 0; i < s->functions.n; i++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_string(j, "op", s->functions.items[i].op);
    put_sum(j, s, &s->functions.items[i]);
    json_close(j);
  }
  json_close(j);
}

static void put_sites(json_out_t *j, const time_summary_t *s)
{
  json_open(j, "sites", '[', JSON_LINES);
  for (size_t i = 0; i < s->sites.n; i++) {
    const time_sum_t *sum = &s->sites.items[i];
    const berth_site_t *known = sum->site ? berth_pattern_site(s->pattern, sum->site) : NULL;
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "id", (uint64_t)sum->site);
    json_put_string(j, "op", sum->op);
    put_sum(j, s, sum);
    json_put_bool(j, "max_is_bound", sum->max_is_bound);
    json_put_strings(j, "frames", known ? known->frames : NULL, known ? known->n_frames : 0);
    json_close(j);
  }
  json_close(j);
}

static void put_comm_functions(json_out_t *j, const time_summary_t *s, int comm)
{
  size_t n;
  const time_sum_t *sums = time_comm_functions(s, comm, &n);
  json_open(j, "functions", '[', JSON_ONE_LINE);
  for (size_t i = 0; i < n; i++) {
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_string(j, "op", sums[i].op);
    json_put_number(j, "total_s", sums[i].total_s);
    json_close(j);
  }
  json_close(j);
}

static void put_comms(json_out_t *j, const time_summary_t *s)
{
  json_open(j, "communicators", '[', JSON_LINES);
  for (size_t i = 0; i < s->comms.n; i++) {
    const time_sum_t *sum = &s->comms.items[i];
    double size = (double)time_comm_size(s->pattern, sum->comm);
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "id", (uint64_t)sum->comm);
    json_put_number(j, "ranks", size > 0 ? size : NAN);
    json_put_number(j, "total_s", sum->total_s);
    json_put_number(j, "share", s->all_s > 0 ? sum->total_s / s->all_s : 0);
    json_put_number(j, "mean_s", size > 0 ? sum->total_s / size : NAN);
    put_comm_functions(j, s, sum->comm);
    json_close(j);
  }
  json_close(j);
}

void time_summary_put(json_out_t *j, const time_summary_t *s)
{
  if (!s->functions.n) {
    json_put_string(j, "mpi_time", NULL);
    return;
  }
  json_open(j, "mpi_time", '{', JSON_LINES);
  json_put_number(j, "all_s", s->all_s);
  json_put_number(j, "other_s", s->other_s);
  put_functions(j, s);
  put_sites(j, s);
  put_comms(j, s);
  json_close(j);
}
