/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls of a pattern are worth measuring. */
#include <berth/tuning.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "collectives/coll_class.h"
#include "pattern/phase_find.h"

/* Calls of an operation on one communicator, of sizes with as many digits. */
typedef struct planned {
  schedule_op_t op;
  int comm, ranks, digits;
  uint64_t bytes;
  double calls, weight; /* weight: of all its calls, in bytes and messages */
  double most;          /* the same of those of the size `bytes` */
} planned_t;

/* A message that is sent takes as long as so many bytes, roughly (two_levels/choose.h). */
static const double MESSAGE = 4096;

static bool is_planned(schedule_op_t op)
{
  return op != SCHEDULE_GATHERV && op != SCHEDULE_SCATTERV && op != SCHEDULE_ALLTOALLV &&
         op != SCHEDULE_ALLTOALLW;
}

static planned_t plan_class(const coll_class_t *c, const berth_pattern_t *p)
{
  const schedule_call_t *call = &c->request.call;
  const berth_phase_t *phase = pattern_phase(p, c->phase);
  int64_t count = call->blocks ? call->blocks->total / call->size : call->count;
  uint64_t bytes = (uint64_t)(count * c->request.element);
  double calls = (double)c->calls * (phase ? (double)phase->repeats : 1);
  double weight = calls * ((double)bytes + MESSAGE) * call->size;
  schedule_op_t op = call->op == SCHEDULE_REDUCE_SCATTER_BLOCK ? SCHEDULE_REDUCE_SCATTER : call->op;
  return (planned_t){op,    c->comm, call->size, berth_tuning_digits(bytes),
                     bytes, calls,   weight,     weight};
}

ORDER_BY(by_kind, planned_t, RISING(op) RISING(ranks) RISING(comm) RISING(digits))
ORDER_BY(by_weight, planned_t, FALLING(weight) RISING(op) RISING(comm) RISING(digits))

/* Adds up what has the same cell. */
static size_t merge(planned_t *list, size_t n)
{
  size_t kept = 0;
  qsort(list, n, sizeof *list, by_kind);
  for (size_t i = 0; i < n; i++) {
    planned_t *last = kept ? &list[kept - 1] : NULL;
    if (!last || by_kind(last, &list[i]) != 0) {
      list[kept++] = list[i];
      continue;
    }
    last->calls += list[i].calls;
    last->weight += list[i].weight;
    if (list[i].weight > last->most) {
      last->most = list[i].weight;
      last->bytes = list[i].bytes;
    }
  }
  return kept;
}

/* Of many communicators of as many ranks, which may be on different hosts, some stand for all. */
enum { ALIKE = 4 };

static bool is_one_of_many(const planned_t *list, size_t i)
{
  int before = 0;
  for (size_t k = 0; k < i; k++)
    before += list[k].op == list[i].op && list[k].ranks == list[i].ranks &&
              list[k].digits == list[i].digits;
  return before >= ALIKE;
}

static int fill(const planned_t *from, const berth_pattern_t *p, berth_tuned_cell_t *c,
                berth_error_t *err)
{
  const int *members = coll_comm_ranks(p, from->comm);
  *c = (berth_tuned_cell_t){.ranks = from->ranks, .bytes = from->bytes, .within_s = -1};
  c->calls = from->calls < 0x1p53 ? (uint64_t)from->calls : UINT64_C(1) << 53;
  snprintf(c->operation, sizeof c->operation, "%s", schedule_op_name(from->op));
  if (!members) return BERTH_OK;
  c->members = malloc((size_t)c->ranks * sizeof *c->members);
  if (!c->members) return no_memory(err);
  memcpy(c->members, members, (size_t)c->ranks * sizeof *c->members);
  return BERTH_OK;
}

static int fill_all(planned_t *list, size_t n, const berth_pattern_t *p, berth_tuning_t *out,
                    berth_error_t *err)
{
  int rc = BERTH_OK;
  qsort(list, n, sizeof *list, by_weight);
  out->ranks = berth_pattern_ranks(p);
  if (!(out->cell = calloc(n + 1, sizeof *out->cell))) return no_memory(err);
  for (size_t i = 0; i < n && !rc; i++)
    if (!is_one_of_many(list, i)) rc = fill(&list[i], p, &out->cell[out->n++], err);
  return rc;
}

int berth_tuning_plan(const berth_pattern_t *p, berth_tuning_t *out, berth_error_t *err)
{
  size_t n_classes, n = 0;
  *out = (berth_tuning_t){0};
  coll_class_t *classes = coll_classes(p, &n_classes, err);
  if (!classes) return err->code;
  planned_t *list = malloc((n_classes + 1) * sizeof *list);
  int rc = list ? BERTH_OK : no_memory(err);
  for (size_t i = 0; i < n_classes && !rc; i++) {
    const schedule_request_t *q = &classes[i].request;
    if (q->way == SCHEDULE_BLOCKING && q->call.size > 1 && is_planned(q->call.op))
      list[n++] = plan_class(&classes[i], p);
  }
  if (!rc) rc = fill_all(list, merge(list, n), p, out, err);
  if (rc) berth_tuning_clear(out);
  free(list);
  coll_classes_free(classes, n_classes);
  return rc;
}
