/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/two_levels/chosen.h"

#include <stdio.h>
#include <string.h>

static schedule_op_t varied_op(schedule_op_t op)
{
  switch (op) {
  case SCHEDULE_GATHER:
    return SCHEDULE_GATHERV;
  case SCHEDULE_SCATTER:
    return SCHEDULE_SCATTERV;
  case SCHEDULE_ALLGATHER:
    return SCHEDULE_ALLGATHERV;
  case SCHEDULE_ALLTOALL:
    return SCHEDULE_ALLTOALLV;
  default:
    return op;
  }
}

/* Hosts of a scan do what they do for an exclusive one. */
static schedule_op_t op_of_hosts(schedule_op_t op)
{
  return op == SCHEDULE_SCAN ? SCHEDULE_EXSCAN : op;
}

bool chosen_of(schedule_op_t op, const berth_tuned_choice_t *named, chosen_t *out)
{
  const char *algorithm = named->algorithm;
  *out = (chosen_t){.segment = (int64_t)named->segment,
                    .degree = named->degree,
                    .overlap = (int64_t)named->overlap};
  if (strcmp(algorithm, "mpi") == 0) return out->mpi = true;
  if (strcmp(algorithm, "host") == 0) return true;
  if (strcmp(algorithm, "direct") == 0) return out->direct = op == SCHEDULE_ALLTOALL;
  out->equal = schedule_find(op_of_hosts(op), algorithm);
  out->varied = schedule_find(varied_op(op_of_hosts(op)), algorithm);
  return out->equal != NULL;
}

bool chosen_of_cell(const berth_tuned_cell_t *c, int k, schedule_op_t *op, chosen_t *out,
                    char wrong[CHOSEN_WRONG])
{
  const char *algorithm = c->choice[k].algorithm;
  if (!schedule_op_find(c->operation, op)) {
    snprintf(wrong, CHOSEN_WRONG, "operation: found %s, expected one that `berth schedule` lists",
             c->operation);
    return false;
  }
  if (chosen_of(*op, &c->choice[k], out)) return true;
  snprintf(wrong, CHOSEN_WRONG,
           "choices[%d].algorithm: found %s, expected one that `berth schedule %s` lists", k,
           algorithm, c->operation);
  return false;
}

const schedule_algorithm_t *chosen_schedule(const chosen_t *c, schedule_call_t *call,
                                            size_t element)
{
  schedule_call_t own = *call;
  if (!c->equal) return NULL;
  const schedule_algorithm_t *a = c->equal->op == call->op ? c->equal : c->varied;
  if (!a || a->op != call->op) return NULL;
  if (a->needs & SCHEDULE_SEGMENTS && c->segment > 0) {
    own.segment = c->segment / (int64_t)element;
    if (own.segment == 0) own.segment = 1;
  }
  own.degree = c->degree;
  if (a->needs & SCHEDULE_DEGREE && own.degree < 1) return NULL;
  if (!schedule_serves(a, &own)) return NULL;
  *call = own;
  return a;
}

schedule_op_t chosen_op(schedule_op_t op)
{
  return op == SCHEDULE_REDUCE_SCATTER_BLOCK ? SCHEDULE_REDUCE_SCATTER : op;
}
