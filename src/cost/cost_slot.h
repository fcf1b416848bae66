/* SPDX-License-Identifier: BSD-3-Clause */
/* What a slot costs: limits by its bytes, the step of model port, and the values of a load. */
#ifndef BERTH_COST_COST_SLOT_H
#define BERTH_COST_COST_SLOT_H

#include "cost/cost_internal.h"

/* Limits of what a slot costs that carries so many units of bytes, in model port or bound;
 * c->spread is there. */
double cost_at_least(const berth_cost_t *c, berth_model_t model, size_t k, int class,
                     int64_t bytes);
double cost_at_most(const berth_cost_t *c, berth_model_t model, size_t k, int class, int64_t bytes);

/* The step of the paper's figure 4: what a resource costs after one more rank, which puts `bytes`
 * and `time` on it, where it cost `cost` and carried `carried` bytes before. */
static inline double cost_port_step(double capacity, double cost, double carried, double time,
                                    double bytes)
{
  if (bytes == 0) return time > cost ? time : cost;
  double spare = capacity * cost - carried, available = spare > 0 ? spare : 0;
  double left = bytes - available, queued = left > 0 ? left : 0;
  return cost + queued / bytes * time;
}

/* Bytes of so many units in phase k, and the seconds that the units of a slot's column take. */
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

/* Model bound, of the bytes of all ranks and the longest time of one. */
static inline double cost_slot_bound(const berth_cost_t *c, size_t k, const cost_slot_t *slot,
                                     int64_t bytes, int64_t time)
{
  double slowest = cost_slot_time(c, k, slot, time);
  double full = cost_slot_bytes(c, k, bytes) / c->class[slot->class].capacity;
  return full > slowest ? full : slowest;
}

#endif
