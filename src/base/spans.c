/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"

/* The first span that ends at a number or behind it. */
static size_t find(const spans_t *s, int64_t number)
{
  LOWER_BOUND(low, 0, s->n, s->span[middle].end < number);
  return low;
}

bool spans_add(spans_t *s, span_t added)
{
  if (added.first >= added.end) return true;
  if (!ARRAY_GROW(&s->span, s->n, &s->cap)) return false;
  size_t first = find(s, added.first), end = first;
  for (; end < s->n && s->span[end].first <= added.end; end++) {
    if (s->span[end].first < added.first) added.first = s->span[end].first;
    if (s->span[end].end > added.end) added.end = s->span[end].end;
  }
  memmove(s->span + first + 1, s->span + end, (s->n - end) * sizeof *s->span);
  s->span[first] = added;
  s->n += 1 + first - end;
  return true;
}

bool spans_missing(const spans_t *s, span_t of, span_t *out)
{
  size_t i = find(s, of.first + 1);
  if (i < s->n && s->span[i].first <= of.first) of.first = s->span[i++].end;
  if (i < s->n && s->span[i].first < of.end) of.end = s->span[i].first;
  *out = of;
  return of.first < of.end;
}

bool spans_take(spans_t *s, int64_t most, span_t *out)
{
  if (s->n == 0 || most <= 0) return false;
  *out = s->span[0];
  if (out->end - out->first > most) {
    out->end = out->first + most;
    s->span[0].first = out->end;
    return true;
  }
  s->n--;
  memmove(s->span, s->span + 1, s->n * sizeof *s->span);
  return true;
}

int64_t spans_count(const spans_t *s)
{
  int64_t sum = 0;
  for (size_t i = 0; i < s->n; i++) sum += s->span[i].end - s->span[i].first;
  return sum;
}

void spans_clear(spans_t *s)
{
  free(s->span);
  *s = (spans_t){0};
}
