/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes a square matrix of bytes: a line for each sender, a column for each receiver.
 *
 * TreeMatch, TopoMatch, spreadsheets, numpy and other tools have such matrices. A second file of
 * the same kind has the numbers of messages.
 *
 * The first line may name the columns' ranks ("PE 0"), the first column those of the lines. They
 * may then be in any order, missing lines and columns are 0, and lines and columns of sums are
 * ignored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "exchange/exchange_internal.h"
#include "exchange/pattern/sparse.h"
#include "exchange/text/cells.h"

/* The cells of a line. */
typedef struct row {
  const char **cell;
  size_t n, cap;
  long line;
} row_t;

typedef struct dense {
  cells_t cells;
  sparse_t *into;
  arena_t arena;
  bool is_begun;   /* the separator is known */
  bool has_names;  /* the first line names columns */
  bool has_corner; /* and its first cell isn't a column's name */
  bool names_rows; /* each line begins with its rank */
  double unit;     /* from the brackets in the corner */
  int *column;     /* by column: its rank, SUM for sums */
  int n_columns, n_sums, n_rows;
  bool *seen; /* by rank, BERTH_MAX_RANKS entries: it has a column, or a line */
} dense_t;

enum { SUM = -1 };
#define MAX_BYTES 0x1p40

static bool is_sum(const char *name)
{
  char plain[CELLS_NAME];
  cells_name(name, plain);
  return strcmp(plain, "total") == 0 || strcmp(plain, "sum") == 0;
}

static int read_row(dense_t *d, row_t *row, bool *more, berth_error_t *err)
{
  int rc = cells_line(&d->cells, more, err);
  row->n = 0;
  row->line = d->cells.scan.line;
  if (rc || !*more) return rc;
  if (!d->is_begun) d->cells.separator = cells_separator(d->cells.scan.at);
  d->is_begun = true;
  for (const char *cell; (cell = cells_next(&d->cells)); row->n++) {
    if (!ARRAY_GROW(&row->cell, row->n, &row->cap)) return no_memory(err);
    row->cell[row->n] = cell;
  }
  return BERTH_OK;
}

/* A place for errors. */
static const cells_t *at(dense_t *d, const row_t *row, size_t cell)
{
  d->cells.scan.line = row->line;
  d->cells.column = (int)cell + 1;
  return &d->cells;
}

/* Whether a cell can't be meant as a number. */
static bool is_text(const char *cell)
{
  char *end;
  strtod(cell, &end);
  return strcspn(cell, "0123456789") == strlen(cell) && (*end || !*cell);
}

/* Finds what the first line is, by comparing it with the second one. */
static int understand(dense_t *d, row_t *head, const row_t *second, berth_error_t *err)
{
  bool is_open = head->n > 1 && !*head->cell[head->n - 1]; /* "1,2," */
  size_t next = second->n - is_open;
  head->n -= is_open;
  const char *first = head->cell[0];
  d->has_corner = is_text(first);
  d->has_names = d->has_corner || next == head->n + 1;
  for (size_t i = 1; i < head->n; i++)
    d->has_names |= cells_is_named_rank(head->cell[i]) || is_sum(head->cell[i]);
  d->names_rows = d->has_names ? d->has_corner || next == head->n + 1 : cells_is_named_rank(first);
  d->n_columns = (int)head->n - (d->has_names ? d->has_corner : d->names_rows);
  d->unit = d->has_corner ? cells_unit(first) : 1;
  if (d->unit > 0) return BERTH_OK;
  return cells_fail(
      at(d, head, 0), "", err,
      "found '%.60s', expected bytes, KB, KiB, MB, MiB, GB, GiB, TB or TiB in the brackets", first);
}

/* Marks that a rank has a column or line; fails if it has two. */
static int see(dense_t *d, const row_t *row, size_t cell, int rank, berth_error_t *err)
{
  if ((uint64_t)rank >= d->into->ranks) d->into->ranks = (uint64_t)rank + 1;
  if (d->seen[rank])
    return cells_fail(at(d, row, cell), "", err, "found rank %d a second time", rank);
  d->seen[rank] = true;
  return BERTH_OK;
}

/* Finds the ranks of the columns: by name, or in order. */
static int read_columns(dense_t *d, const row_t *head, berth_error_t *err)
{
  int rc = BERTH_OK;
  d->column = calloc((size_t)d->n_columns + 1, sizeof *d->column);
  d->seen = calloc(BERTH_MAX_RANKS, sizeof *d->seen);
  if (!d->column || !d->seen) return no_memory(err);
  for (int i = 0; i < d->n_columns && !rc; i++) {
    size_t cell = (size_t)i + d->has_corner;
    if (i >= BERTH_MAX_RANKS && !d->has_names)
      return cells_fail(at(d, head, cell), "", err,
                        "found more than %d columns, expected at most that", BERTH_MAX_RANKS);
    d->column[i] = i;
    if (d->has_names && is_sum(head->cell[cell])) {
      d->column[i] = SUM;
      d->n_sums++;
      continue;
    }
    if (d->has_names) rc = cells_rank(at(d, head, cell), "", head->cell[cell], &d->column[i], err);
    if (!rc) rc = see(d, head, cell, d->column[i], err);
  }
  for (int i = 0; i < d->n_columns; i++)
    if (d->column[i] != SUM) d->seen[d->column[i]] = false; /* free for the lines */
  return rc;
}

static int read_entry(dense_t *d, const row_t *row, int i, uint64_t *value, berth_error_t *err)
{
  char name[32] = "";
  size_t cell = (size_t)i + d->names_rows;
  const char *text = cell < row->n ? row->cell[cell] : NULL;
  *value = 0;
  if (d->column[i] == SUM || (d->has_names && text && !*text)) return BERTH_OK;
  if (d->has_names) snprintf(name, sizeof name, "rank %d", d->column[i]);
  return cells_amount(at(d, row, text ? cell : row->n - 1), name, text, d->unit, value, err);
}

static int add_row(dense_t *d, row_t *row, berth_error_t *err)
{
  int rc = BERTH_OK, src = d->n_rows++;
  size_t expected = (size_t)d->n_columns + d->names_rows;
  if (d->names_rows && is_sum(row->cell[0])) return BERTH_OK;
  if (row->n == expected + 1 && !*row->cell[expected]) row->n--;
  if (row->n > expected)
    return cells_fail(at(d, row, expected), "", err,
                      "found '%.60s', expected the end of the line behind %d entries",
                      row->cell[expected], d->n_columns);
  if (d->names_rows) rc = cells_rank(at(d, row, 0), "", row->cell[0], &src, err);
  if (!d->names_rows && src >= d->n_columns - d->n_sums)
    return scan_fail(&d->cells.scan, err, "found a line more, expected as many as columns, %d",
                     d->n_columns - d->n_sums);
  if (!rc) rc = see(d, row, 0, src, err);
  for (int i = 0; i < d->n_columns && !rc; i++) {
    uint64_t value;
    rc = read_entry(d, row, i, &value, err);
    if (!rc && value) rc = sparse_add(d->into, src, d->column[i], value, err);
  }
  return rc;
}

static int copy_row(dense_t *d, const row_t *row, row_t *to, berth_error_t *err)
{
  to->n = row->n;
  to->line = row->line;
  to->cell = arena_strings(&d->arena, row->n, row->cell);
  return to->cell ? BERTH_OK : no_memory(err);
}

static int read_rows(dense_t *d, row_t *row, berth_error_t *err)
{
  bool more;
  row_t head = {0};
  int rc = read_row(d, row, &more, err);
  if (rc) return rc;
  if (!more) return scan_fail(&d->cells.scan, err, "found an empty file, expected a matrix");
  rc = copy_row(d, row, &head, err);
  if (!rc) rc = read_row(d, row, &more, err);
  if (!rc) rc = understand(d, &head, more ? row : &head, err);
  if (!rc) rc = read_columns(d, &head, err);
  if (!rc && !d->has_names) rc = add_row(d, &head, err);
  while (!rc && more) {
    rc = add_row(d, row, err);
    if (!rc) rc = read_row(d, row, &more, err);
  }
  int lines = d->n_columns - d->n_sums;
  if (rc || d->names_rows || d->n_rows == lines) return rc;
  return scan_fail(&d->cells.scan, err, "found %d lines, expected as many as columns, %d",
                   d->n_rows, lines);
}

static int read_dense(const char *path, sparse_t *m, berth_error_t *err)
{
  row_t row = {0};
  dense_t d = {.into = m};
  int rc = scan_open(&d.cells.scan, path, err);
  if (!rc) rc = read_rows(&d, &row, err);
  scan_close(&d.cells.scan);
  arena_free(&d.arena);
  free(row.cell);
  free(d.column);
  free(d.seen);
  return rc;
}

int matrix_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  return sparse_import(in, read_dense, into, err);
}

static void put_matrix(out_file_t *out, int ranks, const flow_total_t *total, size_t n)
{
  size_t at = 0;
  for (int src = 0; src < ranks && !out_failed(out); src++)
    for (int dst = 0; dst < ranks; dst++) {
      bool is_next = at < n && total[at].src == src && total[at].dst == dst;
      out_printf(out, "%s%llu%s", dst ? " " : "",
                 (unsigned long long)(is_next ? total[at].bytes : 0), dst + 1 < ranks ? "" : "\n");
      at += is_next;
    }
}

int matrix_export(const berth_pattern_t *p, const char *path, berth_error_t *err)
{
  char found[TEXT_NUMBER], max[TEXT_NUMBER];
  double ranks = berth_pattern_ranks(p), min = 2 * ranks * ranks;
  if (min > MAX_BYTES)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "found %d ranks, whose matrix takes at least %s, expected at most %s "
                      "(matrix-market has a line for each pair that communicates)",
                      berth_pattern_ranks(p), text_bytes(min, found), text_bytes(MAX_BYTES, max));
  return formats_export_totals(p, path, put_matrix, err);
}
