/* SPDX-License-Identifier: BSD-3-Clause */
#include "calib/job/strided_job.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/json.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "base/text.h"
#include "node/node_json.h"

enum { PATIENCE_S = 300 }; /* for a line */

/* A value, and the table that it is of. */
typedef struct row {
  berth_packer_t by;
  berth_side_t side;
  bool exchange;
  double gap, block, bytes, seconds, spread;
  int samples;
} row_t;

ORDER_BY(by_table, row_t,
         RISING(by) RISING(side) RISING(exchange) RISING(gap) RISING(bytes) RISING(block))

typedef struct rows {
  row_t *row;
  size_t n, cap;
  int part, parts;
  bool done;
} rows_t;

static int take_row(const json_place_t *at, rows_t *r)
{
  row_t row = {0};
  int rc = node_get_packer(at, &row.by);
  if (!rc) rc = node_get_side(at, &row.side);
  if (!rc) rc = json_get_bool(at, "exchange", JSON_NEEDED, &row.exchange);
  if (!rc) rc = json_get_number(at, "gap", JSON_NEEDED, 0, 0, &row.gap);
  if (!rc) rc = json_get_number(at, "block", JSON_NEEDED, 0, 0, &row.block);
  if (!rc) rc = json_get_number(at, "bytes", JSON_NEEDED, 0, 0, &row.bytes);
  if (!rc) rc = json_get_number(at, "seconds", JSON_NEEDED, 0, 0, &row.seconds);
  if (!rc) rc = json_get_number(at, "spread", JSON_NEEDED, 0, 0, &row.spread);
  if (!rc) rc = json_get_int(at, "samples", JSON_NEEDED, 1, INT_MAX, &row.samples);
  if (row.samples == 1) row.spread = BERTH_UNKNOWN_SPREAD;
  if (rc) return rc;
  return ARRAY_ADD(&r->row, &r->n, &r->cap, row) ? BERTH_OK : no_memory(at->source->err);
}

static int take_line(const cJSON *line, rows_t *r, berth_error_t *err)
{
  const json_source_t source = {"the measuring job", 0, err, NULL};
  json_place_t at = json_root(&source, line);
  int rc = json_get_bool(&at, "done", JSON_OPTIONAL, &r->done);
  if (!rc) rc = json_get_int(&at, "part", JSON_OPTIONAL, 0, INT_MAX, &r->part);
  if (!rc) rc = json_get_int(&at, "parts", JSON_OPTIONAL, 0, INT_MAX, &r->parts);
  if (!rc && cJSON_GetObjectItem(line, "by")) rc = take_row(&at, r);
  return rc;
}

static int read_lines(job_t *job, int samples, rows_t *r, void (*tell)(int, int),
                      berth_error_t *err)
{
  char command[40];
  snprintf(command, sizeof command, "strided %d\n", samples);
  int rc = job_say(job, command, err);
  while (!rc && !r->done) {
    cJSON *line;
    rc = job_line(job, PATIENCE_S, &line, err);
    if (rc) break;
    rc = take_line(line, r, err);
    if (!rc && r->parts) tell(r->part, r->parts);
    cJSON_Delete(line);
  }
  return rc;
}

static bool same_table(const row_t *a, const row_t *b)
{
  return a->by == b->by && a->side == b->side && a->exchange == b->exchange && a->gap == b->gap;
}

/* The rows of one table, which follow one another. */
static int add_table(berth_node_t *to, const char *mpi, const row_t *row, size_t n,
                     berth_error_t *err)
{
  double *values = malloc(4 * n * sizeof *values);
  int *samples = malloc(n * sizeof *samples), rc = BERTH_OK;
  berth_strided_t t = {.mpi = mpi,
                       .by = row->by,
                       .side = row->side,
                       .exchange = row->exchange,
                       .gap = row->gap,
                       .n = n,
                       .block = values,
                       .bytes = values + n,
                       .seconds = values + 2 * n,
                       .spread = values + 3 * n,
                       .samples = samples};
  if (!values || !samples) rc = no_memory(err);
  for (size_t i = 0; i < n && !rc; i++) {
    values[i] = row[i].block;
    values[n + i] = row[i].bytes;
    values[2 * n + i] = row[i].seconds;
    values[3 * n + i] = row[i].spread;
    samples[i] = row[i].samples;
  }
  if (!rc) rc = berth_node_add_strided(to, &t, err);
  free(values);
  free(samples);
  return rc;
}

/* Replaces all tables of the MPI: a record may have some with gaps that aren't measured now. */
static int add_tables(berth_node_t *to, const char *mpi, rows_t *r, berth_error_t *err)
{
  int rc = berth_node_remove_strided(to, mpi, err);
  if (r->n) qsort(r->row, r->n, sizeof *r->row, by_table);
  for (size_t i = 0, end; i < r->n && !rc; i = end) {
    for (end = i; end < r->n && same_table(&r->row[i], &r->row[end]);) end++;
    rc = add_table(to, mpi, &r->row[i], end - i, err);
  }
  return rc;
}

int strided_job_check(const job_t *job, berth_error_t *err)
{
  if (job->n_ranks != 2)
    return berth_fail(err, BERTH_BAD_INPUT, "found %d rank%s, expected 2 on this host",
                      job->n_ranks, text_plural(job->n_ranks));
  if (!job_is_one_host(job))
    return berth_fail(err, BERTH_BAD_INPUT, "found ranks on %s and %s, expected both on this host",
                      job->ranks[0].host, job->ranks[1].host);
  return BERTH_OK;
}

int strided_job_measure(job_t *job, int samples, berth_node_t *to,
                        void (*tell)(int done, int parts), berth_error_t *err)
{
  rows_t r = {0};
  int rc = strided_job_check(job, err);
  if (!rc) rc = read_lines(job, samples, &r, tell, err);
  if (!rc) rc = add_tables(to, job->mpi, &r, err);
  free(r.row);
  return rc;
}
