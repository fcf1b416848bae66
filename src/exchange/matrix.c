/* SPDX-License-Identifier: BSD-3-Clause */
/* A square matrix of numbers, a line for each source, as TreeMatch and TopoMatch read it and as
 * spreadsheets and numpy write it (numbers apart by blanks or commas): bytes from the line's rank
 * to the column's. A second file of the same kind has the numbers of messages. */
#include <stdlib.h>
#include <string.h>

#include "exchange/exchange_internal.h"

typedef struct dense {
  uint64_t n;
  uint64_t *value; /* n * n */
} dense_t;

static uint64_t count_words(const char *line, char separator)
{
  char *copy = strdup(line);
  scan_t s = {.at = copy};
  uint64_t n = 0;
  for (; copy && scan_left(&s); n++) scan_word(&s, separator);
  free(copy);
  return n;
}

static int read_rows(scan_t *s, dense_t *m, berth_error_t *err)
{
  bool more;
  int rc = scan_content(s, '#', &more, err);
  if (rc) return rc;
  if (!more) return scan_fail(s, err, "found an empty file, expected a matrix");
  char separator = strchr(s->at, ',') ? ',' : 0;
  m->n = count_words(s->at, separator);
  m->value = calloc(m->n * m->n, sizeof *m->value);
  if (!m->value) return berth_fail(err, BERTH_MISSING, "out of memory");
  for (uint64_t row = 0; !rc && row < m->n; row++) {
    if (!more)
      return scan_fail(s, err, "found %llu lines, expected as many as columns, %llu",
                       (unsigned long long)row, (unsigned long long)m->n);
    for (uint64_t column = 0; !rc && column < m->n; column++)
      rc = scan_amount(s, separator, "an entry", &m->value[row * m->n + column], err);
    if (!rc && scan_left(s))
      rc = scan_fail(s, err, "found more than %llu entries, expected as many as in the first line",
                     (unsigned long long)m->n);
    if (!rc) rc = scan_content(s, '#', &more, err);
  }
  if (!rc && more)
    rc = scan_fail(s, err, "found a line more, expected as many as columns, %llu",
                   (unsigned long long)m->n);
  return rc;
}

static int read_dense(const char *path, dense_t *m, berth_error_t *err)
{
  scan_t s;
  *m = (dense_t){0};
  int rc = scan_open(&s, path, err);
  if (!rc) rc = read_rows(&s, m, err);
  scan_close(&s);
  return rc;
}

static int add_entries(const dense_t *bytes, const dense_t *messages, const berth_import_t *in,
                       traffic_t *out, berth_error_t *err)
{
  int rc = BERTH_OK;
  out->ranks = (int)bytes->n;
  for (uint64_t i = 0; i < bytes->n * bytes->n && !rc; i++) {
    int src = (int)(i / bytes->n), dst = (int)(i % bytes->n);
    if (!messages->value)
      rc = traffic_add_bytes(out, in, src, dst, bytes->value[i], err);
    else if (messages->value[i] == 0 && bytes->value[i] > 0)
      rc = berth_fail(err, BERTH_BAD_INPUT,
                      "%s: rank %d to rank %d: found 0 messages, expected some for %llu bytes",
                      in->paths[1], src, dst, (unsigned long long)bytes->value[i]);
    else
      rc = traffic_add(out, src, dst, messages->value[i], bytes->value[i], err);
  }
  return rc;
}

int matrix_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  dense_t bytes = {0}, messages = {0};
  int rc = in->n_paths > 2 ? berth_fail(err, BERTH_USAGE,
                                        "found %zu files, expected a matrix of bytes and maybe one "
                                        "of messages",
                                        in->n_paths)
                           : read_dense(in->paths[0], &bytes, err);
  if (!rc && in->n_paths > 1) rc = read_dense(in->paths[1], &messages, err);
  if (!rc && messages.value && messages.n != bytes.n)
    rc = berth_fail(err, BERTH_BAD_INPUT, "%s: found %llu ranks, expected %llu as in %s",
                    in->paths[1], (unsigned long long)messages.n, (unsigned long long)bytes.n,
                    in->paths[0]);
  if (!rc && bytes.n > BERTH_MAX_RANKS)
    rc = berth_fail(err, BERTH_BAD_INPUT, "%s: found %llu ranks, expected at most %d", in->paths[0],
                    (unsigned long long)bytes.n, BERTH_MAX_RANKS);
  if (!rc) rc = add_entries(&bytes, &messages, in, into, err);
  free(bytes.value);
  free(messages.value);
  return rc;
}

int matrix_export(const berth_pattern_t *p, const char *path, berth_error_t *err)
{
  size_t n, at = 0;
  flow_total_t *total;
  int rc = traffic_totals(p, &total, &n, err), ranks = berth_pattern_ranks(p);
  out_file_t *out = rc ? NULL : out_open(path, err);
  if (!out) {
    free(total);
    return rc ? rc : BERTH_MISSING;
  }
  for (int src = 0; src < ranks; src++)
    for (int dst = 0; dst < ranks; dst++) {
      bool is_next = at < n && total[at].src == src && total[at].dst == dst;
      out_printf(out, "%s%llu%s", dst ? " " : "",
                 (unsigned long long)(is_next ? total[at].bytes : 0), dst + 1 < ranks ? "" : "\n");
      at += is_next;
    }
  free(total);
  return out_commit(out, err);
}
