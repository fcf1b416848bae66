/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks in segments. */
#include "schedule/block_segment.h"

int64_t segment_count(const schedule_call_t *c, int64_t n)
{
  if (c->segment <= 0 || c->segment >= n) return n > 0;
  return (n + c->segment - 1) / c->segment;
}

int64_t segment_first(const schedule_call_t *c, int64_t i) { return i * c->segment; }

int64_t segment_size(const schedule_call_t *c, int64_t n, int64_t i)
{
  if (i < 0 || i >= segment_count(c, n)) return 0;
  if (c->segment <= 0) return n;
  int64_t rest = n - segment_first(c, i);
  return rest < c->segment ? rest : c->segment;
}
