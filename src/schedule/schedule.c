/* SPDX-License-Identifier: BSD-3-Clause */
/* Says which calls algorithms serve. */
#include "schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "schedule/put_steps.h"

static const char *const names[] = {"barrier",   "bcast",    "reduce",
                                    "allreduce", "gather",   "scatter",
                                    "allgather", "alltoall", "reduce_scatter_block",
                                    "scan",      "exscan"};

const char *schedule_op_name(schedule_op_t op) { return names[op]; }

bool schedule_op_find(const char *name, schedule_op_t *op)
{
  for (int i = 0; i < SCHEDULE_OPS; i++) {
    if (strcmp(names[i], name) != 0) continue;
    *op = (schedule_op_t)i;
    return true;
  }
  return false;
}

const schedule_algorithm_t *schedule_find(schedule_op_t op, const char *name)
{
  size_t n;
  const schedule_algorithm_t *list = schedule_algorithms(&n);
  for (size_t i = 0; i < n; i++)
    if (list[i].op == op && strcmp(list[i].name, name) == 0) return &list[i];
  return NULL;
}

static bool has_elements(unsigned needs, const schedule_call_t *c)
{
  return (!(needs & SCHEDULE_ELEMENT_A_RANK) || c->count >= c->size) &&
         (!(needs & SCHEDULE_ELEMENT_A_PART) || c->count >= floor_power(c->size)) &&
         (!(needs & SCHEDULE_TWO_ELEMENTS) || (c->count > 1 && c->segment <= c->count / 2));
}

bool schedule_serves(const schedule_algorithm_t *a, const schedule_call_t *c)
{
  unsigned needs = a->needs;
  bool power = (c->size & (c->size - 1)) == 0;
  return a->op == c->op && (!(needs & SCHEDULE_COMMUTATIVE) || c->commutative) &&
         (!(needs & SCHEDULE_POWER_OF_TWO) || power) &&
         (!(needs & SCHEDULE_EVEN) || c->size % 2 == 0) &&
         (!(needs & SCHEDULE_TWO_RANKS) || c->size == 2) &&
         (!(needs & SCHEDULE_RADIX) || c->degree > 1) && has_elements(needs, c);
}

int64_t schedule_scratch(const schedule_algorithm_t *a, const schedule_call_t *c, int rank)
{
  return a->scratch ? a->scratch(c, rank) : 0;
}

int64_t schedule_alike(const schedule_algorithm_t *a, const schedule_call_t *c, int64_t round)
{
  return a->alike ? a->alike(c, round) : 1;
}

void schedule_steps_clear(schedule_steps_t *s)
{
  free(s->step);
  *s = (schedule_steps_t){0};
}
