/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads mpiP's report: run times, times in MPI and hosts of ranks.
 * mpiP doesn't record who sends to whom; a matrix must come from another file. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "exchange/exchange_internal.h"

int mpip_recognises(const char *text, size_t n) { return n > 6 && memcmp(text, "@ mpiP", 6) == 0; }

/* A table of mpiP: a line of dashes, "@--- TITLE ---…", a line of dashes, a line of names. */
static const char times_title[] = "@--- MPI Time (seconds)";
static const char host_line[] = "@ MPI Task Assignment";

typedef struct report {
  scan_t *scan;
  rank_times_t *rank;
  size_t n, cap;
} report_t;

static rank_times_t *know(report_t *r, int rank, berth_error_t *err)
{
  for (size_t i = 0; i < r->n; i++)
    if (r->rank[i].rank == rank) return &r->rank[i];
  if (!ARRAY_GROW(&r->rank, r->n, &r->cap)) return no_memory_null(err);
  r->rank[r->n] = (rank_times_t){.rank = rank, .wall_s = -1};
  return &r->rank[r->n++];
}

/* Reads a line such as "@ MPI Task Assignment      : 0 node17". */
static int read_host(report_t *r, berth_error_t *err)
{
  uint64_t rank;
  scan_word(r->scan, ':');
  int rc = scan_u64(r->scan, 0, "task", 0, BERTH_MAX_RANKS - 1, &rank, err);
  rank_times_t *known = rc ? NULL : know(r, (int)rank, err);
  if (!known) return err->code;
  const char *host = scan_word(r->scan, 0);
  if (!*host || strlen(host) >= sizeof known->host || text_has_control(host))
    return scan_fail(r->scan, err, "found '%.60s', expected the name of a host", host);
  strcpy(known->host, host);
  return BERTH_OK;
}

static int read_seconds(report_t *r, const char *what, double *out, berth_error_t *err)
{
  char *end, *word = scan_word(r->scan, 0);
  *out = strtod(word, &end);
  if (end != word && !*end && *out >= 0 && *out < 1e18) return BERTH_OK;
  return scan_fail(r->scan, err, "%s: found '%.60s', expected seconds", what, word);
}

/* Compares a rank's times with the percentage in its line; both are rounded to three digits. */
static int check_share(const report_t *r, rank_times_t *times, berth_error_t *err)
{
  if (times->mpi_s > 1.01 * times->wall_s)
    return scan_fail(r->scan, err, "MPITime: found %g, expected at most the AppTime, %g",
                     times->mpi_s, times->wall_s);
  if (times->mpi_s > times->wall_s) times->mpi_s = times->wall_s;
  return BERTH_OK;
}

/* Reads the ranks' lines; the line of "*" has sums and ends the table. */
static int read_times(report_t *r, berth_error_t *err)
{
  bool more = true;
  int rc = scan_line(r->scan, &more, err);
  if (!rc && more) rc = scan_line(r->scan, &more, err);
  while (!rc && more && !(rc = scan_line(r->scan, &more, err)) && more) {
    uint64_t rank;
    rank_times_t *known;
    if (!scan_left(r->scan) || *r->scan->at == '*' || *r->scan->at == '-') return BERTH_OK;
    rc = scan_u64(r->scan, 0, "task", 0, BERTH_MAX_RANKS - 1, &rank, err);
    known = rc ? NULL : know(r, (int)rank, err);
    if (!known) return err->code;
    rc = read_seconds(r, "AppTime", &known->wall_s, err);
    if (!rc) rc = read_seconds(r, "MPITime", &known->mpi_s, err);
    if (!rc) rc = check_share(r, known, err);
  }
  return rc;
}

static int read_report(report_t *r, berth_error_t *err)
{
  bool more = true;
  int rc = BERTH_OK;
  while (!rc && !(rc = scan_line(r->scan, &more, err)) && more) {
    if (text_starts(r->scan->at, host_line)) rc = read_host(r, err);
    if (!rc && text_starts(r->scan->at, times_title)) rc = read_times(r, err);
  }
  for (size_t i = 0; i < r->n && !rc; i++)
    if (r->rank[i].wall_s < 0)
      rc = berth_fail(err, BERTH_BAD_INPUT,
                      "%s: task %d: found no line in its table of times, expected one",
                      r->scan->path, r->rank[i].rank);
  if (!rc && r->n == 0)
    rc = berth_fail(err, BERTH_BAD_INPUT, "%s: found no table '%s', expected one", r->scan->path,
                    times_title);
  return rc;
}

static int read_ranks(scan_t *s, const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  (void)in;
  report_t r = {.scan = s};
  int rc = read_report(&r, err);
  for (size_t i = 0; i < r.n && !rc; i++) rc = traffic_times(into, &r.rank[i], err);
  free(r.rank);
  return rc;
}

int mpip_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  return formats_import_one(in, read_ranks, into, err);
}
