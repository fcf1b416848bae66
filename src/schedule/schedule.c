/* SPDX-License-Identifier: BSD-3-Clause */
/* Says which calls algorithms serve. */
#include "schedule/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/call_block.h"
#include "schedule/put_steps.h"

static const struct {
  const char *name;
  schedule_block_kind_t blocks;
} operations[] = {{"barrier", SCHEDULE_ONE_BLOCK},
                  {"bcast", SCHEDULE_ONE_BLOCK},
                  {"reduce", SCHEDULE_ONE_BLOCK},
                  {"allreduce", SCHEDULE_ONE_BLOCK},
                  {"gather", SCHEDULE_EQUAL_BLOCKS},
                  {"scatter", SCHEDULE_EQUAL_BLOCKS},
                  {"allgather", SCHEDULE_EQUAL_BLOCKS},
                  {"alltoall", SCHEDULE_EQUAL_BLOCKS},
                  {"reduce_scatter_block", SCHEDULE_EQUAL_BLOCKS},
                  {"scan", SCHEDULE_ONE_BLOCK},
                  {"exscan", SCHEDULE_ONE_BLOCK},
                  {"alltoallv", SCHEDULE_PAIR_BLOCKS},
                  {"allgatherv", SCHEDULE_RANK_BLOCKS},
                  {"gatherv", SCHEDULE_RANK_BLOCKS},
                  {"scatterv", SCHEDULE_RANK_BLOCKS},
                  {"reduce_scatter", SCHEDULE_RANK_BLOCKS},
                  {"alltoallw", SCHEDULE_PAIR_BLOCKS}};

schedule_block_kind_t schedule_block_kind(schedule_op_t op) { return operations[op].blocks; }

bool schedule_reduces(schedule_op_t op)
{
  return op == SCHEDULE_REDUCE || op == SCHEDULE_ALLREDUCE || op == SCHEDULE_SCAN ||
         op == SCHEDULE_EXSCAN || op == SCHEDULE_REDUCE_SCATTER ||
         op == SCHEDULE_REDUCE_SCATTER_BLOCK;
}

const char *schedule_op_name(schedule_op_t op) { return operations[op].name; }

bool schedule_op_find(const char *name, schedule_op_t *op)
{
  for (int i = 0; i < SCHEDULE_OPS; i++) {
    if (strcmp(operations[i].name, name) != 0) continue;
    *op = (schedule_op_t)i;
    return true;
  }
  return false;
}

bool schedule_op_find_call(const char *name, schedule_op_t *op, schedule_way_t *way)
{
  char own[32];
  static const char end[] = "_init";
  size_t n = strlen(name), n_end = sizeof end - 1;
  *way = SCHEDULE_BLOCKING;
  if (schedule_op_find(name, op)) return true;
  *way = *name == 'i' ? SCHEDULE_NONBLOCKING : SCHEDULE_PERSISTENT;
  if (*way == SCHEDULE_NONBLOCKING) return schedule_op_find(name + 1, op);
  if (n < n_end || n >= sizeof own || strcmp(name + n - n_end, end) != 0) return false;
  snprintf(own, sizeof own, "%.*s", (int)(n - n_end), name);
  return schedule_op_find(own, op);
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
         (!(needs & SCHEDULE_FULL_BLOCKS) || (c->blocks ? c->blocks->least : c->count) > 0) &&
         (!(needs & SCHEDULE_TWO_ELEMENTS) || (c->count > 1 && c->segment <= c->count / 2));
}

bool schedule_serves(const schedule_algorithm_t *a, const schedule_call_t *c)
{
  unsigned needs = a->needs;
  return a->op == c->op && (!(needs & SCHEDULE_COMMUTATIVE) || c->commutative) &&
         (!(needs & SCHEDULE_POWER_OF_TWO) || floor_power(c->size) == c->size) &&
         (!(needs & SCHEDULE_EVEN) || c->size % 2 == 0) &&
         (!(needs & SCHEDULE_TWO_RANKS) || c->size == 2) &&
         (!(needs & SCHEDULE_RADIX) || c->degree > 1) &&
         (!(needs & SCHEDULE_LIKE_BLOCKS) || blocks_are_equal(c)) && has_elements(needs, c);
}

static bool is_empty_message(const schedule_step_t *s)
{
  return s->n == 0 && (s->kind == STEP_SEND || s->kind == STEP_RECV);
}

void schedule_steps(const schedule_algorithm_t *a, const schedule_call_t *c, int rank,
                    int64_t round, schedule_steps_t *out)
{
  size_t kept = out->n;
  a->steps(c, rank, round, out);
  if (!(a->needs & SCHEDULE_SKIPS_EMPTY)) return;
  for (size_t i = kept; i < out->n; i++)
    if (!is_empty_message(&out->step[i])) out->step[kept++] = out->step[i];
  out->n = kept;
}

int64_t schedule_scratch(const schedule_algorithm_t *a, const schedule_call_t *c, int rank)
{
  return a->scratch ? a->scratch(c, rank) : 0;
}

int64_t schedule_alike(const schedule_algorithm_t *a, const schedule_call_t *c, int64_t round)
{
  return a->alike ? a->alike(c, round) : 1;
}

int64_t schedule_next(const schedule_algorithm_t *a, const schedule_call_t *c, int rank,
                      int64_t round)
{
  return a->next ? a->next(c, rank, round) : round;
}

void schedule_steps_clear(schedule_steps_t *s)
{
  free(s->step);
  *s = (schedule_steps_t){0};
}
