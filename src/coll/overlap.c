/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/overlap.h"

#include "coll/coll_levels.h"
#include "coll/coll_sides.h"
#include "coll/host/host_orders.h"

/* The speaker, during a call. */
typedef struct speaker {
  const coll_comm_t *c;
  const overlap_t *what;
  host_orders_t orders;
  char *reduced; /* the run's `in` */
  int64_t part;  /* elements that are passed on, or reduced, at once */
  spans_t made;  /* what of `reduced` is there */
  spans_t kept;  /* what of `out` stays, and wasn't passed on yet */
} speaker_t;

/* Reduces a part that is in one piece in the members' vectors, too. */
static int reduce_piece(speaker_t *s, span_t piece, int64_t made_at)
{
  return host_order_reduction(&s->orders, piece, s->reduced + (size_t)made_at * s->orders.element);
}

/* Blocks are in the order of hosts: a part may have pieces of several. */
static int reduce_blocks(speaker_t *s, span_t part)
{
  const overlap_blocks_t *b = s->what->blocks;
  int rc = MPI_SUCCESS;
  for (int i = 0; i < s->c->size && rc == MPI_SUCCESS; i++) {
    int64_t begin = (int64_t)b->sorted[i], end = (int64_t)b->sorted[i + 1];
    if (begin < part.first) begin = part.first;
    if (end > part.end) end = part.end;
    if (begin >= end) continue;
    int64_t moved = (int64_t)b->first[s->c->by_host[i]] - (int64_t)b->sorted[i];
    rc = reduce_piece(s, (span_t){begin + moved, end + moved}, begin);
  }
  return rc;
}

static int make(void *with, span_t part)
{
  speaker_t *s = with;
  span_t piece;
  int rc = MPI_SUCCESS;
  if (part.end < part.first + s->part) part.end = part.first + s->part;
  if (part.end > s->what->total) part.end = s->what->total;
  while (rc == MPI_SUCCESS && spans_missing(&s->made, part, &piece)) {
    rc = s->what->blocks ? reduce_blocks(s, piece) : reduce_piece(s, piece, piece.first);
    if (!spans_add(&s->made, piece)) rc = side_code(rc, MPI_ERR_NO_MEM);
  }
  return rc;
}

static int keep(void *with, span_t part)
{
  speaker_t *s = with;
  return spans_add(&s->kept, part) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* Up to so many elements; if members are late, they stay for the next time. */
static int pass_some(speaker_t *s, int64_t most, bool waits)
{
  span_t part;
  while (spans_take(&s->kept, most, &part)) {
    int64_t passed = host_order_copy(&s->orders, part, waits);
    most -= passed;
    part.first += passed;
    if (!spans_add(&s->kept, part)) return MPI_ERR_NO_MEM;
    if (passed == 0) break;
  }
  return MPI_SUCCESS;
}

static int pass_on(void *with)
{
  speaker_t *s = with;
  return spans_count(&s->kept) >= s->part ? pass_some(s, s->part, false) : MPI_SUCCESS;
}

static int speak(coll_comm_t *c, const run_call_t *run, const overlap_t *o)
{
  int64_t part = (int64_t)(run->overlap / run->element);
  speaker_t s = {.c = c,
                 .what = o,
                 .orders = {&c->memory, run->element, o->in, o->out, o->of},
                 .reduced = (char *)(uintptr_t)run->in,
                 .part = part > 0 ? part : 1};
  const run_beside_t beside = {
      &s, o->in_place, o->total, o->in ? make : NULL, o->out ? keep : NULL, pass_on};
  run_call_t own = *run;
  own.beside = &beside;
  int rc = run_schedule(&c->run, &own);
  rc = side_code(rc, pass_some(&s, INT64_MAX, true));
  host_order_end(&s.orders);
  spans_clear(&s.made);
  spans_clear(&s.kept);
  return rc;
}

int overlap_or_bcast(coll_comm_t *c, const run_call_t *run, void *out, size_t n)
{
  if (overlap_wanted(c, run))
    return overlap_run(c, run, &(overlap_t){.out = out, .total = (int64_t)n});
  int rc = levels_run(c, run);
  return side_code(rc, host_bcast(&c->memory, levels_speaker(c), out, n * run->element));
}

int overlap_run(coll_comm_t *c, const run_call_t *run, const overlap_t *o)
{
  if (levels_speaks(c)) return speak(c, run, o);
  return host_follow(&c->memory, levels_speaker(c), o->in, o->out, run->element, o->of);
}
