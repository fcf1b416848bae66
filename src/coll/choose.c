/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses by Hockney's model (R. Hockney, 1994): a message of m bytes takes a + m/b. What matters
 * is a * b, the bytes that the links could carry while a message begins; times are in these bytes
 * here. */
#include "coll/choose.h"

#include <math.h>

/* Between Ethernet's (100 us at 12 MB/s: 1,200) and fast networks' (1.5 us at 12 GB/s: 18,000). */
static const double start = 8192;
enum { LEAST_SEGMENT = 4096, LONGEST_SEGMENT = 1 << 20 };

static int levels(int n)
{
  int k = 0;
  while (1 << k < n) k++;
  return k;
}

/* A pipeline of n ranks: the best segment, and the time. */
static double pipeline_time(int n, double bytes, double *segment)
{
  double best = n > 2 ? sqrt(bytes * start / (n - 2)) : bytes;
  best = fmax(best, LEAST_SEGMENT);
  *segment = fmin(fmin(best, LONGEST_SEGMENT), fmax(bytes, 1));
  return (ceil(bytes / *segment) + n - 2) * (start + *segment);
}

static const schedule_algorithm_t *tree_or_pipeline(schedule_call_t *call, size_t element)
{
  double segment, bytes = (double)call->count * (double)element;
  if (pipeline_time(call->size, bytes, &segment) >= levels(call->size) * (start + bytes))
    return schedule_find(call->op, "binomial");
  call->segment = (int64_t)(segment / (double)element);
  if (call->segment == 0) call->segment = 1;
  return schedule_find(call->op, "pipeline");
}

static const schedule_algorithm_t *allreduce(const schedule_call_t *call, size_t element)
{
  double bytes = (double)call->count * (double)element;
  int n = call->size;
  double doubling = (levels(n) + 2 * ((n & (n - 1)) != 0)) * (start + bytes);
  double ring = 2.0 * (n - 1) * (start + bytes / n);
  bool divided = call->commutative && call->count >= n && ring < doubling;
  return schedule_find(call->op, divided ? "ring" : "recursive_doubling");
}

const schedule_algorithm_t *choose_schedule(schedule_call_t *call, size_t element)
{
  const schedule_algorithm_t *a = NULL;
  switch (call->op) {
  case SCHEDULE_BARRIER:
    a = schedule_find(call->op, "dissemination");
    break;
  case SCHEDULE_BCAST:
    a = tree_or_pipeline(call, element);
    break;
  case SCHEDULE_REDUCE:
    a = call->commutative ? tree_or_pipeline(call, element)
                          : schedule_find(call->op, "binomial_in_order");
    break;
  case SCHEDULE_ALLREDUCE:
    a = allreduce(call, element);
    break;
  default:
    break;
  }
  return a && schedule_serves(a, call) ? a : NULL;
}
