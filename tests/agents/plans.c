/* SPDX-License-Identifier: BSD-3-Clause */
#include "agents/plans.h"

#include "kernel/kernel.h"

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
  uint64_t x = a ^ b * 0x9e3779b97f4a7c15u ^ c * 0xc2b2ae3d27d4eb4fu;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* The i-th element that a place gives. */
static int64_t value(const plan_t *p, int place, int64_t i)
{
  return (int64_t)(mix(p->salt, (uint64_t)place + 1, (uint64_t)i) >> 40);
}

static int64_t sum(const plan_t *p, int from, int to, int64_t i)
{
  int64_t all = 0;
  for (int place = from; place < to; place++) all += value(p, place, i);
  return all;
}

static bool is_varied(const plan_t *p)
{
  schedule_block_kind_t kind = schedule_block_kind(p->op);
  return kind == SCHEDULE_RANK_BLOCKS || kind == SCHEDULE_PAIR_BLOCKS;
}

static bool gathers_all(const plan_t *p)
{
  return p->op == SCHEDULE_ALLGATHER || p->op == SCHEDULE_ALLGATHERV;
}

static bool gathers(const plan_t *p)
{
  return p->op == SCHEDULE_GATHER || p->op == SCHEDULE_GATHERV;
}

static bool scatters(const plan_t *p)
{
  return p->op == SCHEDULE_SCATTER || p->op == SCHEDULE_SCATTERV;
}

static bool scatters_sums(const plan_t *p)
{
  return p->op == SCHEDULE_REDUCE_SCATTER || p->op == SCHEDULE_REDUCE_SCATTER_BLOCK;
}

static bool exchanges(const plan_t *p)
{
  return p->op == SCHEDULE_ALLTOALL || p->op == SCHEDULE_ALLTOALLV;
}

/* The elements of a rank's block; of exchanges, of that from one rank to another. */
static int64_t block(const plan_t *p, int from, int to)
{
  if (!is_varied(p)) return p->count;
  uint64_t pair = exchanges(p) ? (uint64_t)from + 1 : 0;
  return (int64_t)(mix(p->salt, pair, (uint64_t)to + 1000) % (uint64_t)(p->count + 1));
}

/* Those before a block, of what one rank gives. */
static int64_t before(const plan_t *p, int from, int to)
{
  int64_t n = 0;
  for (int i = 0; i < to; i++) n += block(p, from, i);
  return n;
}

plan_t plan_make(plan_kind_t kind, int all, uint64_t (*random)(uint64_t n))
{
  static const schedule_op_t down[] = {SCHEDULE_BCAST, SCHEDULE_BCAST, SCHEDULE_BCAST,
                                       SCHEDULE_SCATTER, SCHEDULE_SCATTERV},
                             up[] = {SCHEDULE_REDUCE, SCHEDULE_REDUCE, SCHEDULE_REDUCE,
                                     SCHEDULE_GATHER, SCHEDULE_GATHERV},
                             meet[] = {SCHEDULE_BARRIER, SCHEDULE_ALLREDUCE, SCHEDULE_ALLGATHER};
  plan_t p = {.root = kind == PLAN_UP || kind == PLAN_DOWN ? all / 2 : (int)random((uint64_t)all)};
  bool goes_down = kind == PLAN_DOWN || (kind == PLAN_ROOTED && random(2));
  p.op = kind == PLAN_ANY    ? (schedule_op_t)random(SCHEDULE_ALLTOALLW)
         : kind == PLAN_MEET ? meet[random(sizeof meet / sizeof *meet)]
         : goes_down         ? down[random(sizeof down / sizeof *down)]
                             : up[random(sizeof up / sizeof *up)];
  uint64_t size = random(100); /* most calls are small */
  p.count = 1 + (int64_t)random(size < 80 ? 6 : size < 95 ? 200 : 3000);
  p.degree = random(3) ? 0 : 2 + (int)random(3);
  return p;
}

const char *plan_name(const plan_t *p) { return schedule_op_name(p->op); }

static bool has_root(const plan_t *p)
{
  return p->op == SCHEDULE_BCAST || p->op == SCHEDULE_REDUCE || gathers(p) || scatters(p);
}

desk_order_t plan_order(const plan_t *p)
{
  return (desk_order_t){.kind = DESK_CALL,
                        .op = (uint8_t)p->op,
                        .type = KERNEL_I64,
                        .operation = KERNEL_SUM,
                        .root = has_root(p) ? p->root : 0,
                        .element = sizeof(int64_t),
                        .degree = (uint16_t)p->degree,
                        .count = is_varied(p) || p->op == SCHEDULE_BARRIER ? 0 : p->count};
}

static size_t values(const plan_t *p, int place, int64_t from, int64_t n, int64_t *to)
{
  for (int64_t i = 0; i < n; i++) to[i] = value(p, place, from + i);
  return (size_t)n;
}

static size_t sums(const plan_t *p, int first, int end, int64_t from, int64_t n, int64_t *to)
{
  for (int64_t i = 0; i < n; i++) to[i] = sum(p, first, end, from + i);
  return (size_t)n;
}

/* Elements of all blocks that a rank gives, or of its one. */
static int64_t given(const plan_t *p, int all, int place)
{
  if (p->op == SCHEDULE_BARRIER) return 0;
  if (gathers(p) || gathers_all(p)) return block(p, 0, place);
  return scatters(p) || scatters_sums(p) || exchanges(p) ? before(p, place, all) : p->count;
}

size_t plan_input(const plan_t *p, int all, int place, int64_t *to)
{
  size_t n = 0;
  if ((p->op == SCHEDULE_BCAST || scatters(p)) && place != p->root) return 0;
  if (is_varied(p) && gathers(p)) to[n++] = block(p, 0, place);
  for (int i = 0; i < all && is_varied(p) && !gathers(p); i++) to[n++] = block(p, place, i);
  return n + values(p, place, 0, given(p, all, place), to + n);
}

static size_t blocks_of_all(const plan_t *p, int all, int place, int64_t *to)
{
  size_t n = 0;
  for (int from = 0; from < all; from++)
    n += exchanges(p) ? values(p, from, before(p, from, place), block(p, from, place), to + n)
                      : values(p, from, 0, block(p, 0, from), to + n);
  return n;
}

size_t plan_result(const plan_t *p, int all, int place, int64_t *to)
{
  bool is_root = place == p->root;
  if (exchanges(p) || gathers_all(p) || (gathers(p) && is_root))
    return blocks_of_all(p, all, place, to);
  if (scatters_sums(p)) return sums(p, 0, all, before(p, 0, place), block(p, 0, place), to);
  if (scatters(p)) return values(p, p->root, before(p, p->root, place), block(p, 0, place), to);
  switch (p->op) {
  case SCHEDULE_BCAST:
    return is_root ? 0 : values(p, p->root, 0, p->count, to);
  case SCHEDULE_REDUCE:
    return is_root ? sums(p, 0, all, 0, p->count, to) : 0;
  case SCHEDULE_ALLREDUCE:
    return sums(p, 0, all, 0, p->count, to);
  case SCHEDULE_SCAN:
    return sums(p, 0, place + 1, 0, p->count, to);
  case SCHEDULE_EXSCAN:
    return place == 0 ? 0 : sums(p, 0, place, 0, p->count, to);
  default: /* barriers, and gathers elsewhere */
    return 0;
  }
}
