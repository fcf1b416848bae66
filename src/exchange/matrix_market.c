/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix Market (Boisvert, Pozo and Remington, NIST 1996): a matrix whose entry in row i and column
 * j is what rank i - 1 sends to rank j - 1, in bytes. A second file has the numbers of messages.
 * coordinate and array; real, integer and pattern (1 each); general and symmetric, of which an
 * entry off the diagonal stands for both directions. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "exchange/exchange_internal.h"

typedef struct entry {
  int src, dst;
  uint64_t value;
} entry_t;

typedef struct sparse {
  uint64_t ranks;
  entry_t *entry; /* sorted, each place once */
  size_t n, cap;
  bool is_array, is_pattern, is_symmetric;
} sparse_t;

int matrix_market_recognises(const char *text, size_t n)
{
  static const char head[] = "%%MatrixMarket";
  return n >= sizeof head - 1 && strncasecmp(text, head, sizeof head - 1) == 0;
}

static int read_head(scan_t *s, sparse_t *m, berth_error_t *err)
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

static int add_one(sparse_t *m, uint64_t row, uint64_t column, uint64_t value, berth_error_t *err)
{
  if (!ARRAY_GROW(&m->entry, m->n, &m->cap)) return berth_fail(err, BERTH_MISSING, "out of memory");
  m->entry[m->n++] = (entry_t){(int)row - 1, (int)column - 1, value};
  return BERTH_OK;
}

static int add_entry(sparse_t *m, uint64_t row, uint64_t column, uint64_t value, berth_error_t *err)
{
  int rc = add_one(m, row, column, value, err);
  return rc || !m->is_symmetric || row == column ? rc : add_one(m, column, row, value, err);
}

/* The sizes; *n is how many entries follow. */
static int read_sizes(scan_t *s, sparse_t *m, uint64_t *n, berth_error_t *err)
{
  bool more;
  uint64_t columns;
  int rc = scan_content(s, '%', &more, err);
  if (!rc && !more) return scan_fail(s, err, "found the end of the file, expected sizes");
  if (!rc) rc = scan_u64(s, 0, "rows", 1, BERTH_MAX_RANKS, &m->ranks, err);
  if (!rc) rc = scan_u64(s, 0, "columns", m->ranks, m->ranks, &columns, err);
  if (!rc && !m->is_array) return scan_u64(s, 0, "entries", 0, UINT64_C(1) << 48, n, err);
  *n = m->is_symmetric ? m->ranks * (m->ranks + 1) / 2 : m->ranks * m->ranks;
  return rc;
}

/* Where the next entry is; an array has them by columns, a symmetric one from the diagonal down. */
static int read_place(scan_t *s, const sparse_t *m, uint64_t *row, uint64_t *column,
                      berth_error_t *err)
{
  if (!m->is_array) {
    int rc = scan_u64(s, 0, "row", 1, m->ranks, row, err);
    return rc ? rc : scan_u64(s, 0, "column", 1, m->ranks, column, err);
  }
  if (++*row > m->ranks) {
    ++*column;
    *row = m->is_symmetric ? *column : 1;
  }
  return BERTH_OK;
}

static int read_entries(scan_t *s, sparse_t *m, berth_error_t *err)
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

static int by_place(const void *a, const void *b)
{
  const entry_t *p = a, *q = b;
  if (p->src != q->src) return p->src < q->src ? -1 : 1;
  return (p->dst > q->dst) - (p->dst < q->dst);
}

static int read_sparse(const char *path, sparse_t *m, berth_error_t *err)
{
  scan_t s;
  int rc = scan_open(&s, path, err);
  if (!rc) rc = read_head(&s, m, err);
  if (!rc) rc = read_entries(&s, m, err);
  scan_close(&s);
  if (rc || m->n == 0) return rc;
  qsort(m->entry, m->n, sizeof *m->entry, by_place);
  for (size_t i = 1; i < m->n; i++)
    if (by_place(&m->entry[i - 1], &m->entry[i]) == 0)
      return berth_fail(err, BERTH_BAD_INPUT, "%s: row %d, column %d: found twice, expected once",
                        path, m->entry[i].src + 1, m->entry[i].dst + 1);
  return BERTH_OK;
}

static int add_entries(const sparse_t *bytes, const sparse_t *messages, const berth_import_t *in,
                       traffic_t *out, berth_error_t *err)
{
  size_t k = 0;
  int rc = BERTH_OK;
  out->ranks = (int)bytes->ranks;
  if (in->n_paths < 2) {
    for (size_t i = 0; i < bytes->n && !rc; i++)
      rc = traffic_add_bytes(out, in, bytes->entry[i].src, bytes->entry[i].dst,
                             bytes->entry[i].value, err);
    return rc;
  }
  for (size_t i = 0; i < messages->n && !rc; i++) { /* messages of no bytes have no entry there */
    const entry_t *m = &messages->entry[i];
    while (k < bytes->n && by_place(&bytes->entry[k], m) < 0 && bytes->entry[k].value == 0) k++;
    bool is_same = k < bytes->n && by_place(&bytes->entry[k], m) == 0;
    if (k < bytes->n &&
        (is_same ? m->value == 0 && bytes->entry[k].value > 0 : by_place(&bytes->entry[k], m) < 0))
      break;
    rc = traffic_add(out, m->src, m->dst, m->value, is_same ? bytes->entry[k].value : 0, err);
    k += is_same;
  }
  while (!rc && k < bytes->n && bytes->entry[k].value == 0) k++;
  if (rc || k == bytes->n) return rc;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s: row %d, column %d: found no messages, expected some for %llu bytes",
                    in->paths[1], bytes->entry[k].src + 1, bytes->entry[k].dst + 1,
                    (unsigned long long)bytes->entry[k].value);
}

int matrix_market_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  sparse_t bytes = {0}, messages = {0};
  int rc = in->n_paths > 2 ? berth_fail(err, BERTH_USAGE,
                                        "found %zu files, expected a matrix of bytes and maybe one "
                                        "of messages",
                                        in->n_paths)
                           : read_sparse(in->paths[0], &bytes, err);
  if (!rc && in->n_paths > 1) rc = read_sparse(in->paths[1], &messages, err);
  if (!rc && in->n_paths > 1 && messages.ranks != bytes.ranks)
    rc = berth_fail(err, BERTH_BAD_INPUT, "%s: found %llu ranks, expected %llu as in %s",
                    in->paths[1], (unsigned long long)messages.ranks,
                    (unsigned long long)bytes.ranks, in->paths[0]);
  if (!rc) rc = add_entries(&bytes, &messages, in, into, err);
  free(bytes.entry);
  free(messages.entry);
  return rc;
}

static int export_as(const berth_pattern_t *p, const char *path, bool messages, berth_error_t *err)
{
  size_t n;
  flow_total_t *total;
  int rc = traffic_totals(p, &total, &n, err), ranks = berth_pattern_ranks(p);
  out_file_t *out = rc ? NULL : out_open(path, err);
  if (out) {
    out_printf(out,
               "%%%%MatrixMarket matrix coordinate integer general\n"
               "%% %s from the row's rank to the column's; ranks count from 1 here\n%d %d %zu\n",
               messages ? "messages" : "bytes", ranks, ranks, n);
    for (size_t i = 0; i < n; i++)
      out_printf(out, "%d %d %llu\n", total[i].src + 1, total[i].dst + 1,
                 (unsigned long long)(messages ? total[i].messages : total[i].bytes));
    rc = out_commit(out, err);
  } else if (!rc) {
    rc = BERTH_MISSING;
  }
  free(total);
  return rc;
}

int matrix_market_export(const berth_pattern_t *p, const char *path, berth_error_t *err)
{
  return export_as(p, path, false, err);
}

int matrix_market_export_messages(const berth_pattern_t *p, const char *path, berth_error_t *err)
{
  return export_as(p, path, true, err);
}
