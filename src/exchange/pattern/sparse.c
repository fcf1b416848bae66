/* SPDX-License-Identifier: BSD-3-Clause */
/* Imports matrices that list their entries. */
#include "exchange/pattern/sparse.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "exchange/text/scan.h"

int sparse_add(sparse_t *m, int src, int dst, uint64_t value, berth_error_t *err)
{
  if (!ARRAY_ADD(&m->entry, &m->n, &m->cap, (sparse_entry_t){src, dst, value}))
    return no_memory(err);
  return BERTH_OK;
}

ORDER_BY(by_place, sparse_entry_t, RISING(src) RISING(dst))

static int sort(sparse_t *m, const char *path, berth_error_t *err)
{
  if (m->n) qsort(m->entry, m->n, sizeof *m->entry, by_place);
  for (size_t i = 1; i < m->n; i++)
    if (by_place(&m->entry[i - 1], &m->entry[i]) == 0)
      return berth_fail(err, BERTH_BAD_INPUT, "%s: rank %d to rank %d: found twice, expected once",
                        scan_name(path), m->entry[i].src, m->entry[i].dst);
  return BERTH_OK;
}

static int no_messages(const char *path, const sparse_entry_t *bytes, berth_error_t *err)
{
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s: rank %d to rank %d: found no messages, expected some for %llu bytes",
                    scan_name(path), bytes->src, bytes->dst, (unsigned long long)bytes->value);
}

/* Empty messages may be missing among the bytes. */
static int add_both(const sparse_t *bytes, const sparse_t *messages, const char *path,
                    traffic_t *out, berth_error_t *err)
{
  size_t k = 0;
  int rc = BERTH_OK;
  const sparse_entry_t *b = bytes->entry;
  for (size_t i = 0; i < messages->n && !rc; i++) {
    const sparse_entry_t *m = &messages->entry[i];
    for (; k < bytes->n && by_place(&b[k], m) < 0; k++)
      if (b[k].value) return no_messages(path, &b[k], err);
    bool is_same = k < bytes->n && by_place(&b[k], m) == 0;
    if (is_same && m->value == 0 && b[k].value) return no_messages(path, &b[k], err);
    rc = traffic_add(out, m->src, m->dst, m->value, is_same ? b[k].value : 0, err);
    k += is_same;
  }
  for (; k < bytes->n && !rc; k++)
    if (b[k].value) return no_messages(path, &b[k], err);
  return rc;
}

static int add_bytes(const sparse_t *bytes, const berth_import_t *in, traffic_t *out,
                     berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < bytes->n && !rc; i++)
    rc = traffic_add_bytes(out, in, bytes->entry[i].src, bytes->entry[i].dst, bytes->entry[i].value,
                           err);
  return rc;
}

int sparse_import(const berth_import_t *in,
                  int (*read)(const char *path, sparse_t *m, berth_error_t *err), traffic_t *into,
                  berth_error_t *err)
{
  sparse_t bytes = {0}, messages = {0};
  bool has_messages = in->n_paths > 1;
  if (in->n_paths > 2)
    return berth_fail(err, BERTH_USAGE,
                      "found %zu files, expected a matrix of bytes and maybe one of messages",
                      in->n_paths);
  int rc = read(in->paths[0], &bytes, err);
  if (!rc) rc = sort(&bytes, in->paths[0], err);
  if (!rc && has_messages) rc = read(in->paths[1], &messages, err);
  if (!rc && has_messages) rc = sort(&messages, in->paths[1], err);
  if (!rc && has_messages && messages.ranks != bytes.ranks)
    rc = berth_fail(err, BERTH_BAD_INPUT, "%s: found %llu ranks, expected %llu as in %s",
                    in->paths[1], (unsigned long long)messages.ranks,
                    (unsigned long long)bytes.ranks, in->paths[0]);
  if (!rc) {
    if ((int)bytes.ranks > into->ranks) into->ranks = (int)bytes.ranks;
    rc = has_messages ? add_both(&bytes, &messages, in->paths[1], into, err)
                      : add_bytes(&bytes, in, into, err);
  }
  free(bytes.entry);
  free(messages.entry);
  return rc;
}
