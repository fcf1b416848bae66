/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages whose data aren't contiguous: how they are added, checked and merged. */
#include "pattern/pattern_packed.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "pattern/pattern_check.h"
#include "pattern/pattern_internal.h"

static int check_layout(const berth_packed_t *x, berth_error_t *err)
{
  int rc = pattern_check(x->size, BERTH_MAX_AMOUNT, "message size", err);
  if (!rc) rc = pattern_check(x->pieces, BERTH_MAX_AMOUNT, "pieces", err);
  if (!rc) rc = pattern_check(x->span, BERTH_MAX_AMOUNT, "span", err);
  if (rc) return rc;
  if (x->pieces < 2)
    return berth_fail(err, BERTH_BAD_INPUT, "pieces: found %llu, expected at least 2",
                      (unsigned long long)x->pieces);
  if (x->span >= x->size) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT, "span: found %llu, expected at least the size, %llu",
                    (unsigned long long)x->span, (unsigned long long)x->size);
}

static int check_count(uint64_t count, berth_error_t *err)
{
  return pattern_check(count, BERTH_MAX_AMOUNT, "message count", err);
}

int berth_pattern_add_packed(berth_pattern_t *p, const berth_packed_t *x, berth_error_t *err)
{
  int rc = pattern_check((uint64_t)x->rank, (uint64_t)p->ranks - 1, "rank", err);
  if (!rc) rc = pattern_check((uint64_t)x->site, INT32_MAX, "site", err);
  if (!rc) rc = pattern_check((uint64_t)x->receives, 1, "receives", err);
  if (!rc) rc = check_layout(x, err);
  if (!rc) rc = check_count(x->count, err);
  if (rc || x->count == 0) return rc;
  p->finished = false;
  return ARRAY_ADD(&p->packed.items, &p->packed.n, &p->packed.cap, *x) ? BERTH_OK : no_memory(err);
}

ORDER_BY(packed_order, berth_packed_t,
         RISING(rank) RISING(site) RISING(receives) RISING(size) RISING(pieces) RISING(span))

int pattern_finish_packed(berth_pattern_t *p, berth_error_t *err)
{
  berth_packed_t *x = p->packed.items;
  size_t kept = 0;
  if (p->packed.n > 1) qsort(x, p->packed.n, sizeof *x, packed_order);
  for (size_t i = 0; i < p->packed.n; i++) {
    if (kept && packed_order(&x[kept - 1], &x[i]) == 0)
      x[kept - 1].count += x[i].count;
    else
      x[kept++] = x[i];
    int rc = check_count(x[kept - 1].count, err);
    if (rc) return rc;
  }
  p->packed.n = kept;
  return BERTH_OK;
}

const berth_packed_t *berth_pattern_packed(const berth_pattern_t *p, size_t *n)
{
  *n = p->packed.n;
  return p->packed.items;
}

/* An item of "msgs": [size, pieces, span, count]. */
static int read_item(const json_place_t *at, berth_packed_t *x)
{
  uint64_t *const value[] = {&x->size, &x->pieces, &x->span, &x->count};
  json_place_t part = json_first(at);
  for (; cJSON_IsArray(at->node) && part.node && part.index < 4; json_step(&part)) {
    int rc = json_as_u64(&part, 0, JSON_MAX_INT, value[part.index]);
    if (rc) return rc;
  }
  if (part.index == 4 && !part.node) return BERTH_OK;
  return json_fail(at, "found %s, expected [size, pieces, span, count]",
                   !cJSON_IsArray(at->node) ? "no array"
                   : part.index < 4         ? "less"
                                            : "more");
}

int pattern_read_packed(const json_place_t *line, berth_pattern_t *p)
{
  berth_packed_t x = {0};
  berth_error_t why = {0};
  json_place_t list = {0};
  bool receives = false;
  int rc = json_get_int(line, "rank", JSON_NEEDED, 0, p->ranks - 1, &x.rank);
  if (!rc) rc = json_get_int(line, "site", JSON_OPTIONAL, 0, INT32_MAX, &x.site);
  if (!rc) rc = json_get_bool(line, "receives", JSON_OPTIONAL, &receives);
  if (!rc) rc = json_get_array(line, "msgs", JSON_NEEDED, &list);
  x.receives = receives;
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) {
    rc = read_item(&at, &x);
    if (!rc) rc = berth_pattern_add_packed(p, &x, &why);
    if (rc == BERTH_MISSING) return no_memory(line->source->err);
    if (rc && *why.text) return json_fail(&at, "%s", why.text);
  }
  return rc;
}

size_t pattern_packed_line(const berth_packed_t *x, size_t n)
{
  size_t end = 0;
  while (end < n && x[end].rank == x->rank && x[end].site == x->site &&
         x[end].receives == x->receives)
    end++;
  return end;
}

void pattern_put_packed(json_out_t *j, const berth_packed_t *x, size_t n)
{
  json_put_u64(j, "rank", (uint64_t)x->rank);
  if (x->site) json_put_u64(j, "site", (uint64_t)x->site);
  if (x->receives) json_put_bool(j, "receives", true);
  json_open(j, "msgs", '[', JSON_COMPACT);
  for (size_t i = 0; i < n; i++) {
    json_open(j, NULL, '[', JSON_COMPACT);
    json_put_u64(j, NULL, x[i].size);
    json_put_u64(j, NULL, x[i].pieces);
    json_put_u64(j, NULL, x[i].span);
    json_put_u64(j, NULL, x[i].count);
    json_close(j);
  }
  json_close(j);
}
