/* SPDX-License-Identifier: BSD-3-Clause */
/* A vector's parts, one of each rank. They differ by one element at most; larger ones come first.
 */
#ifndef BERTH_SCHEDULE_EVEN_PARTS_H
#define BERTH_SCHEDULE_EVEN_PARTS_H

#include "schedule/schedule.h"

static inline int64_t even_first(const schedule_call_t *c, int64_t part)
{
  int64_t larger = c->count % c->size;
  return part * (c->count / c->size) + (part < larger ? part : larger);
}

static inline int64_t even_size(const schedule_call_t *c, int64_t part)
{
  return c->count / c->size + (part < c->count % c->size);
}

#endif
