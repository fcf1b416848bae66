/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of a slot: limits by its bytes, one step of model port, model bound. */
#ifndef BERTH_COST_COST_SLOT_H
#define BERTH_COST_COST_SLOT_H

#include "cost/cost_internal.h"

/* Lower and upper limit of the cost of a slot with so many units of bytes, in model port or bound.
 * c->spread must exist. */
double cost_at_least(const berth_cost_t *c, berth_model_t model, size_t k, int class,
                     int64_t bytes);
double cost_at_most(const berth_cost_t *c, berth_model_t model, size_t k, int class, int64_t bytes);

/* One step of the paper's figure 4: the cost of a resource after one more rank, which adds `bytes`
 * and `time`. Before, it was `cost`, with `carried` bytes. */
static inline double cost_port_step(double capacity, double cost, double carried, double time,
                                    double bytes)
{
  if (bytes == 0) return time > cost ? time : cost;
  double spare = capacity * cost - carried, available = spare > 0 ? spare : 0;
  double left = bytes - available, queued = left > 0 ? left : 0;
  return cost + queued / bytes * time;
}

/* Bytes of so many units in phase k; seconds of so many units of the slot's column. */
static inline double cost_slot_bytes(const berth_cost_t *c, size_t k, int64_t bytes)
{
  return (double)bytes * c->unit[k * (size_t)c->n_columns];
}

static inline double cost_slot_time(const berth_cost_t *c, size_t k, const cost_slot_t *slot,
                                    int64_t time)
{
  double unit = c->unit[k * (size_t)c->n_columns + (size_t)slot->column];
  return (double)time * unit * c->class[slot->class].seconds;
}

/* Model bound, from the bytes of all ranks and the longest time of one. */
static inline double cost_slot_bound(const berth_cost_t *c, size_t k, const cost_slot_t *slot,
                                     int64_t bytes, int64_t time)
{
  double slowest = cost_slot_time(c, k, slot, time);
  double full = cost_slot_bytes(c, k, bytes) / c->class[slot->class].capacity;
  return full > slowest ? full : slowest;
}

#endif
