/* SPDX-License-Identifier: BSD-3-Clause */
#include "cost/dense/dense_table.h"

#include <stdlib.h>

#include "cost/cost_slot.h"

/* Longer tables end here. What more messages cost beyond is bytes / capacity each: the cost then
 * misses at most the time of one message, of 65,536 or more. */
enum { MOST = 1 << 16 };

dense_table_t dense_table_new(double time, double bytes, double capacity, size_t senders)
{
  dense_table_t t = {.time = time, .bytes = bytes, .capacity = capacity};
  t.n = senders < MOST ? senders + 1 : MOST + 1;
  t.cost = malloc(t.n * sizeof *t.cost);
  if (!t.cost) return t;
  t.cost[0] = 0;
  for (size_t m = 1; m < t.n; m++)
    t.cost[m] = cost_port_step(capacity, t.cost[m - 1], (double)(m - 1) * bytes, time, bytes);
  return t;
}

double dense_table_cost(const dense_table_t *t, double messages)
{
  if (messages <= 0) return 0;
  if (messages <= 1) return t->time;
  double last = (double)(t->n - 1);
  if (messages >= last) return t->cost[t->n - 1] + (messages - last) * t->bytes / t->capacity;
  size_t whole = (size_t)messages;
  return t->cost[whole] + (messages - (double)whole) * (t->cost[whole + 1] - t->cost[whole]);
}
