/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses by Hockney's model (R. Hockney, 1994): a message of m bytes takes a + m/b. What matters
 * is a * b, the bytes that a link could carry while a message begins, n_1/2. Times are in bytes
 * here.
 */
#include "schedule/two_levels/choose.h"

#include <math.h>

#include "schedule/put_steps.h"

#define LEAST_HALF 256.0
#define MOST_HALF  65536.0

double choose_half(double small, double large)
{
  if (!(small > 0 && large > small)) return CHOOSE_USUAL_HALF;
  double half = small * (CHOOSE_LARGE - CHOOSE_SMALL) / (large - small);
  return fmin(fmax(exp2(round(log2(half))), LEAST_HALF), MOST_HALF);
}

/* Of a pipeline of n ranks. */
static double best_segment(int n, double bytes, double half)
{
  double best = n > 2 ? sqrt(bytes * half / (n - 2)) : bytes;
  return fmin(fmin(fmax(best, CHOOSE_LEAST_SEGMENT), CHOOSE_LONGEST_SEGMENT), fmax(bytes, 1));
}

static double pipeline_time(int n, double bytes, double half)
{
  double segment = best_segment(n, bytes, half);
  return (ceil(bytes / segment) + n - 2) * (half + segment);
}

static double tree_time(int n, double bytes, double half) { return ceil_log(n) * (half + bytes); }

/* `decides` is by which half the algorithm is chosen; the segment is by the network's. */
static const schedule_algorithm_t *tree_or_pipeline(schedule_call_t *call, size_t element,
                                                    double decides, double half)
{
  double bytes = (double)call->count * (double)element;
  if (pipeline_time(call->size, bytes, decides) >= tree_time(call->size, bytes, decides))
    return schedule_find(call->op, "binomial");
  call->segment = (int64_t)(best_segment(call->size, bytes, half) / (double)element);
  if (call->segment == 0) call->segment = 1;
  return schedule_find(call->op, "pipeline");
}

static const schedule_algorithm_t *allreduce(const schedule_call_t *call, size_t element)
{
  double bytes = (double)call->count * (double)element, half = CHOOSE_USUAL_HALF;
  int n = call->size;
  double doubling = (ceil_log(n) + 2 * ((n & (n - 1)) != 0)) * (half + bytes);
  double ring = 2.0 * (n - 1) * (half + bytes / n);
  bool divided = call->commutative && call->count >= n && ring < doubling;
  return schedule_find(call->op, divided ? "ring" : "recursive_doubling");
}

/* A ring takes as long as the largest block in each round. A balanced one has more rounds, if
 * blocks differ. */
static const char *ring(const schedule_call_t *call, size_t element, double half)
{
  const schedule_blocks_t *b = call->blocks;
  bool serves = !schedule_reduces(call->op) || call->commutative;
  if (!b || b->least == 0 || b->least == b->most || !serves) return "ring";
  double whole = (call->size - 1) * (half + (double)b->most * (double)element);
  double rounds = ceil((double)(b->total - b->least) / (double)b->least);
  return rounds * (half + (double)b->least * (double)element) < whole ? "balanced_ring" : "ring";
}

/* A ring has every link busy with one block at a time; else what takes fewer messages. */
static const schedule_algorithm_t *allgather(const schedule_call_t *call, size_t element,
                                             double half)
{
  int64_t block = call->blocks ? call->blocks->total / call->size : call->count;
  bool is_long = (double)block * (double)element >= half;
  return schedule_find(call->op, is_long ? ring(call, element, half) : "bruck");
}

/* Messages that are under way together share their latency, but each takes a host's time, for which
 * a quarter of it stands. Bruck's have several blocks. */
static const char *alltoall(const schedule_call_t *call, size_t element, double half)
{
  double bytes = (double)call->count * (double)element;
  int n = call->size;
  double linear = half + (n - 1) * (half / 4 + bytes);
  double bruck = ceil_log(n) * (half + bytes * n / 2);
  return bruck < linear ? "bruck" : "linear";
}

/* Shorter vectors are passed on at the end, and longer ones in parts of this size at least: to tell
 * members of each part takes its time. */
enum { LEAST_OVERLAPPED = 64 * 1024, LEAST_OVERLAP = 32 * 1024 };

int64_t choose_overlap(const schedule_algorithm_t *a, const schedule_call_t *call, size_t element)
{
  int64_t all = call->blocks ? call->blocks->total : call->count, size = (int64_t)element;
  switch (call->op) {
  case SCHEDULE_ALLGATHER:
    all *= call->size;
    break;
  case SCHEDULE_BCAST:
  case SCHEDULE_REDUCE:
  case SCHEDULE_ALLREDUCE:
  case SCHEDULE_ALLGATHERV:
  case SCHEDULE_REDUCE_SCATTER:
    break;
  default:
    return 0;
  }
  if (a->rounds(call) < 2 || all * size < LEAST_OVERLAPPED) return 0;
  bool divided = call->segment > 0 && a->needs & SCHEDULE_SEGMENTS;
  int64_t part = (divided ? call->segment : (all + call->size - 1) / call->size) * size;
  return part > LEAST_OVERLAP ? part : LEAST_OVERLAP;
}

const schedule_algorithm_t *choose_schedule(schedule_call_t *call, size_t element, double half)
{
  const schedule_algorithm_t *a = NULL;
  switch (call->op) {
  case SCHEDULE_BARRIER:
    a = schedule_find(call->op, "dissemination");
    break;
  case SCHEDULE_BCAST:
    a = tree_or_pipeline(call, element, half, half);
    break;
  case SCHEDULE_REDUCE:
    a = call->commutative ? tree_or_pipeline(call, element, CHOOSE_USUAL_HALF, half)
                          : schedule_find(call->op, "binomial_in_order");
    break;
  case SCHEDULE_ALLREDUCE:
    a = allreduce(call, element);
    break;
  case SCHEDULE_GATHER:
  case SCHEDULE_SCATTER:
    a = schedule_find(call->op,
                      (double)call->count * (double)element < half ? "binomial" : "linear");
    break;
  case SCHEDULE_GATHERV:
  case SCHEDULE_SCATTERV:
    a = schedule_find(call->op, "linear");
    break;
  case SCHEDULE_REDUCE_SCATTER:
    a = schedule_find(call->op, ring(call, element, CHOOSE_USUAL_HALF));
    break;
  case SCHEDULE_ALLGATHER:
  case SCHEDULE_ALLGATHERV:
    a = allgather(call, element, half);
    break;
  case SCHEDULE_EXSCAN:
    a = schedule_find(call->op, "recursive_doubling");
    break;
  case SCHEDULE_ALLTOALL:
    a = schedule_find(call->op, alltoall(call, element, half));
    break;
  case SCHEDULE_ALLTOALLV:
    a = schedule_find(call->op, "linear");
    break;
  default:
    break;
  }
  return a && schedule_serves(a, call) ? a : NULL;
}
