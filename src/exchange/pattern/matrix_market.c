/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads Matrix Market files (Boisvert, Pozo and Remington, NIST 1996).
 * The entry in row i and column j is what rank i - 1 sends to rank j - 1, in bytes. A second file
 * has the numbers of messages. Supported: coordinate and array; real, integer and pattern (1 each);
 * general and symmetric, where an entry off the diagonal counts for both directions. */
#include <string.h>
#include <strings.h>

#include "exchange/exchange_internal.h"
#include "exchange/pattern/sparse.h"

typedef struct market {
  sparse_t *matrix;
  bool is_array, is_pattern, is_symmetric;
} market_t;

int matrix_market_recognises(const char *text, size_t n)
{
  static const char head[] = "%%MatrixMarket";
  return n >= sizeof head - 1 && strncasecmp(text, head, sizeof head - 1) == 0;
}

static int read_head(scan_t *s, market_t *m, berth_error_t *err)
{
  bool more;
  int rc = scan_line(s, &more, err);
  if (rc) return rc;
  char *word[5] = {"", "", "", "", ""};
  for (int i = 0; more && i < 5; i++) word[i] = scan_left(s) ? scan_word(s, 0) : word[i];
  m->is_array = strcasecmp(word[2], "array") == 0;
  m->is_pattern = strcasecmp(word[3], "pattern") == 0;
  m->is_symmetric = strcasecmp(word[4], "symmetric") == 0;
  bool good =
      strcasecmp(word[0], "%%MatrixMarket") == 0 && strcasecmp(word[1], "matrix") == 0 &&
      (m->is_array || strcasecmp(word[2], "coordinate") == 0) &&
      (m->is_pattern || strcasecmp(word[3], "real") == 0 || strcasecmp(word[3], "integer") == 0) &&
      (m->is_symmetric || strcasecmp(word[4], "general") == 0);
  if (good) return BERTH_OK;
  return scan_fail(s, err,
                   "found '%.30s %.30s %.30s %.30s %.30s', expected '%%%%MatrixMarket matrix "
                   "coordinate|array real|integer|pattern general|symmetric'",
                   word[0], word[1], word[2], word[3], word[4]);
}

static int add_entry(market_t *m, uint64_t row, uint64_t column, uint64_t value, berth_error_t *err)
{
  int src = (int)row - 1, dst = (int)column - 1;
  int rc = sparse_add(m->matrix, src, dst, value, err);
  return rc || !m->is_symmetric || src == dst ? rc : sparse_add(m->matrix, dst, src, value, err);
}

/* Reads the sizes; *n entries follow. */
static int read_sizes(scan_t *s, market_t *m, uint64_t *n, berth_error_t *err)
{
  bool more;
  uint64_t columns;
  int rc = scan_content(s, '%', &more, err);
  if (!rc && !more) return scan_fail(s, err, "found the end of the file, expected sizes");
  if (!rc) rc = scan_u64(s, 0, "rows", 1, BERTH_MAX_RANKS, &m->matrix->ranks, err);
  if (!rc) rc = scan_u64(s, 0, "columns", m->matrix->ranks, m->matrix->ranks, &columns, err);
  if (!rc && !m->is_array) return scan_u64(s, 0, "entries", 0, UINT64_C(1) << 48, n, err);
  *n = m->is_symmetric ? m->matrix->ranks * (m->matrix->ranks + 1) / 2
                       : m->matrix->ranks * m->matrix->ranks;
  return rc;
}

/* Finds the place of the next entry. Arrays are by columns; symmetric ones begin at the
 * diagonal. */
static int read_place(scan_t *s, const market_t *m, uint64_t *row, uint64_t *column,
                      berth_error_t *err)
{
  if (!m->is_array) {
    int rc = scan_u64(s, 0, "row", 1, m->matrix->ranks, row, err);
    return rc ? rc : scan_u64(s, 0, "column", 1, m->matrix->ranks, column, err);
  }
  if (++*row > m->matrix->ranks) {
    ++*column;
    *row = m->is_symmetric ? *column : 1;
  }
  return BERTH_OK;
}

static int read_entries(scan_t *s, market_t *m, berth_error_t *err)
{
  bool more;
  uint64_t n = 0, row = 0, column = 1, value = 1;
  int rc = read_sizes(s, m, &n, err);
  for (uint64_t i = 0; i < n && !rc; i++) {
    rc = scan_content(s, '%', &more, err);
    if (!rc && !more)
      return scan_fail(s, err, "found %llu entries, expected %llu", (unsigned long long)i,
                       (unsigned long long)n);
    if (!rc) rc = read_place(s, m, &row, &column, err);
    if (!rc && !m->is_pattern) rc = scan_amount(s, 0, "an entry", &value, err);
    if (!rc && scan_left(s))
      rc = scan_fail(s, err, "found '%.40s', expected the line's end", s->at);
    if (!rc) rc = add_entry(m, row, column, value, err);
  }
  if (!rc) rc = scan_content(s, '%', &more, err);
  return rc || !more ? rc : scan_fail(s, err, "found a line more, expected the end of the file");
}

static int read_market(const char *path, sparse_t *into, berth_error_t *err)
{
  scan_t s;
  market_t m = {.matrix = into};
  int rc = scan_open(&s, path, err);
  if (!rc) rc = read_head(&s, &m, err);
  if (!rc) rc = read_entries(&s, &m, err);
  scan_close(&s);
  return rc;
}

/* berth marks matrices of numbers of messages, because as bytes they would be meaningless. */
static const char of_bytes[] = "% bytes from the row's rank";
static const char of_messages[] = "% messages from the row's rank";

static int check_first(const berth_import_t *in, berth_error_t *err)
{
  char text[1024];
  size_t n = 0;
  int rc = exchange_start(in->paths[0], text, sizeof text - 1, &n, err);
  text[n] = '\0';
  if (rc || !strstr(text, of_messages)) return rc;
  return berth_fail(
      err, BERTH_BAD_INPUT,
      "%s: found numbers of messages, expected bytes: a file of messages is the second",
      in->paths[0]);
}

int matrix_market_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  int rc = in->n_paths > 0 ? check_first(in, err) : BERTH_OK;
  return rc ? rc : sparse_import(in, read_market, into, err);
}

static void put_entries(out_file_t *out, int ranks, const flow_total_t *total, size_t n,
                        bool messages)
{
  out_printf(out,
             "%%%%MatrixMarket matrix coordinate integer general\n"
             "%s to the column's; ranks count from 1 here\n%d %d %zu\n",
             messages ? of_messages : of_bytes, ranks, ranks, n);
  for (size_t i = 0; i < n; i++)
    out_printf(out, "%d %d %llu\n", total[i].src + 1, total[i].dst + 1,
               (unsigned long long)(messages ? total[i].messages : total[i].bytes));
}

static void put_bytes(out_file_t *out, int ranks, const flow_total_t *total, size_t n)
{
  put_entries(out, ranks, total, n, false);
}

static void put_messages(out_file_t *out, int ranks, const flow_total_t *total, size_t n)
{
  put_entries(out, ranks, total, n, true);
}

int matrix_market_export(const berth_pattern_t *p, const char *path, berth_error_t *err)
{
  return formats_export_totals(p, path, put_bytes, err);
}

int matrix_market_export_messages(const berth_pattern_t *p, const char *path, berth_error_t *err)
{
  return formats_export_totals(p, path, put_messages, err);
}
