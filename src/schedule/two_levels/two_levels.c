/* SPDX-License-Identifier: BSD-3-Clause */
/* Each operation in two levels, as src/coll carries it out: calls.c, block_calls.c, varied_calls.c,
 * pair_calls.c, reduced_blocks.c, ordered_calls.c. */
#include "schedule/two_levels/two_levels.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "schedule/call_block.h"
#include "schedule/two_levels/choose.h"
#include "schedule/two_levels/levels.h"
#include "schedule/two_levels/two_levels_limits.h"

int levels_speaker_of(const levels_t *l, int host)
{
  const schedule_hosts_t *h = l->hosts;
  if (l->last_speak) return h->rank[h->first[host + 1] - 1];
  return l->root >= 0 && h->of_rank[l->root] == host ? l->root : h->leader[host];
}

/* Blocks in the pieces' memory. */
static const schedule_blocks_t *keep_blocks(levels_t *l, const level_stage_t *s)
{
  schedule_blocks_t *made = schedule_blocks_new(s->op, s->n, s->counts);
  const schedule_blocks_t *kept =
      made ? arena_copy(&l->out->arena, made, schedule_blocks_bytes(s->op, s->n)) : NULL;
  free(made);
  l->lost |= !kept;
  return kept;
}

/* What the speakers do, as measured or else as choose.h says, and its overlap. */
static const schedule_algorithm_t *choose(levels_t *l, schedule_stage_t *stage)
{
  size_t element = (size_t)stage->element;
  const schedule_algorithm_t *a =
      l->chosen ? chosen_schedule(l->chosen, &stage->call, element) : NULL;
  if (a) {
    l->overlap = l->chosen->overlap;
    return a;
  }
  a = choose_schedule(&stage->call, element, l->half);
  l->overlap = a ? choose_overlap(a, &stage->call, element) : 0;
  return a;
}

void levels_add(levels_t *l, int step, const level_stage_t *s)
{
  schedule_stage_t stage = {.element = s->element};
  stage.call = (schedule_call_t){.op = s->op,
                                 .size = s->n,
                                 .root = s->root,
                                 .count = s->count,
                                 .segment = s->segment,
                                 .degree = s->degree,
                                 .commutative = l->commutative};
  if (s->counts && !(stage.call.blocks = keep_blocks(l, s))) return;
  stage.algorithm = s->algorithm ? schedule_find(s->op, s->algorithm) : choose(l, &stage);
  if (!stage.algorithm) {
    l->unserved = true;
    return;
  }
  const schedule_piece_t piece = {step, s->among, stage, s->rank};
  l->lost |= !ARRAY_ADD(&l->out->piece, &l->out->n, &l->out->cap, piece);
  if (step >= l->out->steps) l->out->steps = step + 1;
}

static void between_ranks(levels_t *l, schedule_op_t op, const share_t *s, const int64_t *pairs)
{
  const level_stage_t stage = {.among = SCHEDULE_ALL_RANKS,
                               .rank = l->hosts->all,
                               .n = l->size,
                               .op = op,
                               .algorithm = pairs ? "scattered" : "linear",
                               .element = s->element,
                               .count = s->n,
                               .counts = pairs};
  levels_add(l, l->out->steps, &stage);
}

/* --- operations with one block --- */

static void barrier(levels_t *l)
{
  const share_t none = {1, 0, NULL};
  if (l->hosts->n == 1 && l->size <= TWO_LEVELS_ALL) {
    levels_within(l, WITHIN_MEET, &none);
    return;
  }
  levels_within(l, WITHIN_ARRIVE, &none);
  if (l->hosts->n > 1) levels_between(l, SCHEDULE_BARRIER, 0, 1);
  levels_within(l, WITHIN_RELEASE, &none);
}

/* Bytes of the speakers go to all, behind the speakers' stage; of an overlap all but the last part
 * go beside it (M.-S. Wu, 2005, equation 4.4). */
static void go_down(levels_t *l, int64_t bytes, int64_t part)
{
  share_t s = share_of_bytes(bytes);
  if (part > 0 && part < bytes) {
    levels_within_beside(l, l->out->steps - 1, false, bytes - part, part);
    s.n = part;
  }
  levels_within(l, WITHIN_BCAST, &s);
}

/* Hosts reduce before the speakers' stage, which was added last; of an overlap all but the first
 * part beside it. */
static void go_up(levels_t *l, const share_t *s, int64_t part)
{
  share_t first = *s;
  size_t stage = l->out->n - 1;
  int64_t rest = 0;
  if (l->lost || l->unserved) return;
  l->out->steps = l->out->piece[stage].step;
  if (part > 0 && part < s->n * s->element) {
    first.n = part / s->element;
    rest = (s->n - first.n) * s->element;
  }
  levels_within(l, WITHIN_REDUCE, &first);
  l->out->piece[stage].step = l->out->steps++;
  if (rest > 0) levels_within_beside(l, l->out->steps - 1, true, rest, part);
}

static void bcast(levels_t *l, int64_t bytes)
{
  if (l->hosts->n > 1) levels_between(l, SCHEDULE_BCAST, bytes, 1);
  go_down(l, bytes, l->hosts->n > 1 ? levels_overlap(l) : 0);
}

static void reduce(levels_t *l, const share_t *s)
{
  if (l->hosts->n == 1) {
    levels_within(l, WITHIN_REDUCE, s);
    return;
  }
  levels_between(l, SCHEDULE_REDUCE, s->n, s->element);
  go_up(l, s, levels_overlap(l));
}

static void allreduce(levels_t *l, const share_t *s)
{
  if (l->hosts->n == 1) {
    levels_within(l, WITHIN_REDUCE_EACH, s);
    return;
  }
  levels_between(l, SCHEDULE_ALLREDUCE, s->n, s->element);
  int64_t part = levels_overlap(l);
  go_up(l, s, part);
  go_down(l, s->n * s->element, part);
}

/* Hosts' last ranks have the sums of their hosts. Those before a host are then added to its own. */
static void scan(levels_t *l, const share_t *s)
{
  l->last_speak = true;
  levels_within(l, WITHIN_SCAN, s);
  if (l->hosts->n > 1) {
    levels_between(l, SCHEDULE_EXSCAN, s->n, s->element);
    levels_within(l, WITHIN_BCAST, s);
  }
  l->last_speak = false;
}

/* --- operations with blocks --- */

void levels_gather(levels_t *l, const share_t *s, schedule_op_t equal)
{
  levels_within(l, WITHIN_GATHER, s);
  levels_between_blocks(l, equal, SCHEDULE_GATHERV, s);
}

void levels_scatter(levels_t *l, const share_t *s, schedule_op_t equal)
{
  levels_between_blocks(l, equal, SCHEDULE_SCATTERV, s);
  levels_within(l, WITHIN_SCATTER, s);
}

share_t levels_all(const levels_t *l, const share_t *s)
{
  share_t all = {s->element, 0, NULL};
  for (int r = 0; r < l->size; r++) all.n += share_at(s, r);
  return all;
}

static void allgather(levels_t *l, const share_t *s, schedule_op_t equal)
{
  const share_t all = levels_all(l, s);
  if (l->hosts->n == 1) {
    levels_within(l, WITHIN_ALLGATHER, s);
    return;
  }
  levels_within(l, WITHIN_GATHER, s);
  levels_between_blocks(l, equal, SCHEDULE_ALLGATHERV, s);
  go_down(l, all.n * all.element, levels_overlap(l));
}

static void alltoall(levels_t *l, const share_t *s)
{
  const share_t all = {s->element, s->n * l->size, NULL};
  const chosen_t *c = l->chosen;
  double half = c && !c->direct ? INFINITY : l->half;
  bool together =
      !(c && c->direct) && two_levels_together(l->largest, l->size, s->n * s->element, half);
  if (l->hosts->n == 1 || !together) {
    between_ranks(l, SCHEDULE_ALLTOALL, s, NULL);
    return;
  }
  levels_within(l, WITHIN_GATHER, &all);
  levels_between_pairs(l, s);
  levels_within(l, WITHIN_SCATTER, &all);
}

/* Each rank sends to each other one as much as is that one's share, or as its own one is. NULL:
 * memory is out. */
static int64_t *pairs_of(levels_t *l, const share_t *s, bool own)
{
  size_t n = (size_t)l->size;
  int64_t *pairs = malloc(n * n * sizeof *pairs);
  for (size_t i = 0; pairs && i < n * n; i++) pairs[i] = share_at(s, (int)(own ? i / n : i % n));
  l->lost |= !pairs;
  return pairs;
}

/* Each rank gets what its share is of each other one. */
static void exchange(levels_t *l, const share_t *s)
{
  int64_t *pairs = pairs_of(l, s, false);
  if (pairs) between_ranks(l, SCHEDULE_ALLTOALLV, s, pairs);
  free(pairs);
}

static void reduce_scatter(levels_t *l, const share_t *s)
{
  const share_t all = levels_all(l, s);
  if (l->hosts->n == 1) {
    exchange(l, s);
    return;
  }
  levels_between_blocks(l, SCHEDULE_REDUCE_SCATTER, SCHEDULE_REDUCE_SCATTER, s);
  go_up(l, &all, levels_overlap(l));
  levels_within(l, WITHIN_SCATTER, s);
}

/* --- reductions in the order of ranks --- */

/* Slices of a vector, one for each rank, in elements. NULL: memory is out. */
static int64_t *slices_of(levels_t *l, int64_t n)
{
  int64_t *slice = malloc((size_t)l->size * sizeof *slice);
  for (int r = 0; slice && r < l->size; r++) slice[r] = n * (r + 1) / l->size - n * r / l->size;
  l->lost |= !slice;
  return slice;
}

static void reduce_in_order(levels_t *l, const share_t *s)
{
  bool each = l->root < 0;
  if (two_levels_gathers(l->size, s->n * s->element)) {
    if (each)
      allgather(l, s, SCHEDULE_ALLGATHER);
    else
      levels_gather(l, s, SCHEDULE_GATHER);
    return;
  }
  int64_t *slice = slices_of(l, s->n);
  if (!slice) return;
  const share_t part = {s->element, 0, slice};
  exchange(l, &part);
  if (each)
    allgather(l, &part, SCHEDULE_ALLGATHERV);
  else
    levels_gather(l, &part, SCHEDULE_GATHERV);
  free(slice);
}

/* Each rank gets its slice of all vectors, and gives each rank that slice of its result; rank 0
 * gets none of an exclusive scan. */
static void scan_in_order(levels_t *l, const share_t *s, bool exclusive)
{
  int64_t *slice = slices_of(l, s->n), *back;
  if (!slice) return;
  const share_t part = {s->element, 0, slice};
  exchange(l, &part);
  back = pairs_of(l, &part, true);
  for (int r = 0; back && exclusive && r < l->size; r++) back[(size_t)r * (size_t)l->size] = 0;
  if (back) between_ranks(l, SCHEDULE_ALLTOALLV, &part, back);
  free(back);
  free(slice);
}

/* --- calls --- */

static bool has_root(schedule_op_t op)
{
  return op == SCHEDULE_BCAST || op == SCHEDULE_REDUCE || op == SCHEDULE_GATHER ||
         op == SCHEDULE_SCATTER || op == SCHEDULE_GATHERV || op == SCHEDULE_SCATTERV;
}

/* Whether agents leave a call that doesn't block to the MPI: coll/agents/agent_call.c. */
static bool is_large(const schedule_request_t *q)
{
  const schedule_call_t *c = &q->call;
  schedule_block_kind_t kind = schedule_block_kind(c->op);
  double blocks = kind == SCHEDULE_ONE_BLOCK ? 1 : c->size;
  double all =
      (c->blocks ? (double)c->blocks->total : blocks * (double)c->count) * (double)q->element;
  bool folds = schedule_reduces(c->op) && q->user_operation;
  if (folds) return (kind == SCHEDULE_ONE_BLOCK ? c->size : 1) * all > TWO_LEVELS_FOLDED;
  return all > TWO_LEVELS_BY_AGENTS;
}

bool two_levels_serves(const two_levels_t *library, const schedule_request_t *q)
{
  bool too_large = schedule_reduces(q->call.op) && q->element > TWO_LEVELS_ROOM;
  bool served = q->way == SCHEDULE_BLOCKING || (library->agents && !is_large(q));
  return served && q->call.op != SCHEDULE_ALLTOALLW && !too_large;
}

/* Whether the library reduces in the order of ranks. */
static bool needs_order(const levels_t *l, schedule_op_t op)
{
  if (!schedule_reduces(op) || l->hosts->n == 1 || l->largest > TWO_LEVELS_SLICERS) return false;
  if (op == SCHEDULE_SCAN || op == SCHEDULE_EXSCAN) return !l->in_order;
  bool slices = op == SCHEDULE_REDUCE_SCATTER || op == SCHEDULE_REDUCE_SCATTER_BLOCK;
  return !l->commutative && (slices || !l->in_order);
}

static void in_order(levels_t *l, schedule_op_t op, const share_t *s)
{
  if (op == SCHEDULE_SCAN || op == SCHEDULE_EXSCAN)
    scan_in_order(l, s, op == SCHEDULE_EXSCAN);
  else if (op == SCHEDULE_REDUCE || op == SCHEDULE_ALLREDUCE)
    reduce_in_order(l, s);
  else
    exchange(l, s);
}

/* `element`: bytes of those that the call's blocks have. */
static void pass_pairs(levels_t *l, const schedule_call_t *c, int64_t element)
{
  const share_t s = share_of_bytes(0);
  size_t n = (size_t)l->size;
  int64_t *pairs = malloc(n * n * sizeof *pairs);
  for (size_t i = 0; pairs && i < n * n; i++)
    pairs[i] = pair_size(c, (int)(i / n), (int)(i % n)) * element;
  if (pairs) between_ranks(l, SCHEDULE_ALLTOALLV, &s, pairs);
  l->lost |= !pairs;
  free(pairs);
}

static void by_operation(levels_t *l, const schedule_request_t *q, const share_t *s)
{
  const schedule_call_t *c = &q->call;
  switch (c->op) {
  case SCHEDULE_BARRIER:
    barrier(l);
    break;
  case SCHEDULE_BCAST:
    bcast(l, s->n * s->element);
    break;
  case SCHEDULE_REDUCE:
    reduce(l, s);
    break;
  case SCHEDULE_ALLREDUCE:
    allreduce(l, s);
    break;
  case SCHEDULE_SCAN:
  case SCHEDULE_EXSCAN:
    scan(l, s);
    break;
  case SCHEDULE_GATHER:
  case SCHEDULE_GATHERV:
    levels_gather(l, s, c->op);
    break;
  case SCHEDULE_SCATTER:
  case SCHEDULE_SCATTERV:
    levels_scatter(l, s, c->op);
    break;
  case SCHEDULE_ALLGATHER:
  case SCHEDULE_ALLGATHERV:
    allgather(l, s, c->op);
    break;
  case SCHEDULE_ALLTOALL:
    alltoall(l, s);
    break;
  case SCHEDULE_ALLTOALLV:
    pass_pairs(l, c, q->element);
    break;
  default:
    reduce_scatter(l, s);
    break;
  }
}

/* The blocks of ranks, in elements of so many bytes; those of pairs are looked at elsewhere. NULL:
 * memory is out. */
static int64_t *list_blocks(levels_t *l, const schedule_request_t *q, int64_t element)
{
  const schedule_call_t *c = &q->call;
  int64_t *n = malloc((size_t)c->size * sizeof *n);
  for (int r = 0; n && r < c->size; r++) n[r] = block_size(c, r) * (q->element / element);
  l->lost |= !n;
  return n;
}

ORDER_BY(by_step, schedule_piece_t,
         RISING(step) FALLING(among) RISING(rank[0]) RISING(stage.call.op))

static levels_t levels_of(double half, const schedule_request_t *q, schedule_pieces_t *out)
{
  const schedule_hosts_t *h = q->hosts;
  levels_t l = {.hosts = h,
                .half = half,
                .size = q->call.size,
                .root = has_root(q->call.op) ? q->call.root : LEVELS_ANY,
                .in_order = h->consecutive,
                .equal = true,
                .commutative = q->call.commutative,
                .out = out};
  for (int i = 0; i < h->n; i++) {
    int n = h->first[i + 1] - h->first[i];
    l.in_order &= h->given[i] == i;
    l.equal &= n == h->first[1];
    if (n > l.largest) l.largest = n;
  }
  return l;
}

int two_levels_decide(const two_levels_t *library, const schedule_request_t *q,
                      schedule_pieces_t *out, berth_error_t *err)
{
  const schedule_call_t *c = &q->call;
  schedule_block_kind_t kind = schedule_block_kind(c->op);
  levels_t l = levels_of(library->half, q, out);
  int64_t element = schedule_reduces(c->op) ? q->element : 1; /* what is only copied are bytes */
  share_t s = {element, c->count * (q->element / element), NULL};
  size_t first = out->n;
  int64_t *listed = NULL;
  if (c->size == 1) return BERTH_OK;
  if (c->op != SCHEDULE_BARRIER && (c->blocks ? c->blocks->total : c->count) == 0) return BERTH_OK;
  if (kind == SCHEDULE_RANK_BLOCKS) s.of_rank = listed = list_blocks(&l, q, element);
  const chosen_t *chosen = two_levels_chosen(library, q);
  l.agents = q->way != SCHEDULE_BLOCKING || (chosen && chosen->agents);
  if (l.agents) {
    l.degree = chosen ? chosen->degree : 0;
    if (!l.lost) levels_by_agents(&l, q, &s);
  } else if (!l.lost && needs_order(&l, c->op)) {
    in_order(&l, c->op, &s);
  } else if (!l.lost) {
    l.chosen = chosen;
    by_operation(&l, q, &s);
  }
  free(listed);
  if (l.lost) return no_memory(err);
  if (l.unserved)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "%s: found no algorithm for %s on %d ranks, expected one", SCHEDULE_LIBRARY,
                      schedule_op_name(c->op), c->size);
  if (out->n > first + 1) qsort(out->piece + first, out->n - first, sizeof *out->piece, by_step);
  return BERTH_OK;
}

int two_levels_apart(const two_levels_t *library, const schedule_request_t *q,
                     schedule_stage_t *stage)
{
  const double half = library->half;
  const bool agents = q->way != SCHEDULE_BLOCKING;
  *stage = (schedule_stage_t){.call = q->call, .element = q->element};
  schedule_call_t *c = &stage->call;
  int64_t bytes = c->count * q->element;
  bool direct = c->op == SCHEDULE_ALLTOALL && !two_levels_together(1, c->size, bytes, half);
  if (agents) direct = c->op == SCHEDULE_GATHER || c->op == SCHEDULE_SCATTER;
  if (c->size == 1) return 0;
  if (c->op != SCHEDULE_BARRIER && (c->blocks ? c->blocks->total : c->count) == 0) return 0;
  if (c->op == SCHEDULE_SCAN) c->op = SCHEDULE_EXSCAN;
  if (c->op == SCHEDULE_REDUCE_SCATTER_BLOCK) c->op = SCHEDULE_REDUCE_SCATTER;
  if (c->op == SCHEDULE_REDUCE_SCATTER && !c->commutative) {
    if (c->blocks) c->count = c->blocks->total / c->size;
    c->op = SCHEDULE_ALLTOALL;
    c->blocks = NULL;
    direct = true;
  }
  if (!schedule_reduces(c->op) && c->op != SCHEDULE_ALLTOALLV && !c->blocks) {
    c->count = bytes;
    stage->element = 1;
  }
  stage->algorithm =
      direct ? schedule_find(c->op, "linear") : choose_schedule(c, (size_t)stage->element, half);
  return stage->algorithm ? 1 : -1;
}
