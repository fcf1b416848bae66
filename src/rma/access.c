/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/access.h"

#include <stdint.h>
#include <string.h>

#include "rma/apply.h"

enum { ROOM = 16 * 1024 }; /* bytes of the origin's data that don't lie together */

static void put(char *there, const operation_t *o)
{
  const operation_side_t *own = &o->from;
  if (LIKELY(own->layout->dense && o->layout->dense)) {
    access_copy(there, own->base, (size_t)o->bytes);
    return;
  }
  layout_walk_t to = layout_walk(o->layout, there, o->count);
  layout_walk_t from = layout_walk(own->layout, own->base, own->count);
  layout_copy(&to, &from, (size_t)o->bytes);
}

static void get(char *there, const operation_t *o)
{
  const operation_side_t *own = &o->to;
  if (LIKELY(own->layout->dense && o->layout->dense)) {
    access_copy(own->base, there, (size_t)o->bytes);
    return;
  }
  layout_walk_t from = layout_walk(o->layout, there, o->count);
  layout_walk_t to = layout_walk(own->layout, own->base, own->count);
  layout_copy(&to, &from, (size_t)o->bytes);
}

/* Pieces of the target's data one after another; the origin's by way of memory of its own, because
 * they may be divided otherwise, and may be the same memory as the result. */
static int reduce(char *there, const operation_t *o)
{
  _Alignas(64) char data[ROOM], old[ROOM];
  const apply_t a = {o->op, o->layout->element, (size_t)o->layout->unit};
  layout_walk_t at = layout_walk(o->layout, there, o->count), from = {0}, to = {0};
  if (o->from.layout) from = layout_walk(o->from.layout, o->from.base, o->from.count);
  if (o->to.layout) to = layout_walk(o->to.layout, o->to.base, o->to.count);
  int rc = MPI_SUCCESS;
  char *piece;
  size_t n, most = ROOM / a.unit * a.unit;
  while (rc == MPI_SUCCESS && (n = layout_next(&at, most, &piece)) > 0) {
    layout_copy_out(data, &from, n);
    rc = apply_to(&a, piece, data, o->to.layout ? old : NULL, n / a.unit);
    if (o->to.layout) layout_copy_in(&to, old, n);
  }
  return rc;
}

static void compare(char *there, const operation_t *o)
{
  _Alignas(64) char old[64];
  size_t unit = (size_t)o->layout->unit;
  apply_swap(unit, there, o->compare, o->from.base, old);
  memcpy(o->to.base, old, unit);
}

int access_do(char *base, window_member_t *m, const operation_t *o)
{
  int rc = MPI_SUCCESS;
  char *there = base + o->offset;
  if (o->kind == OPERATION_PUT) {
    put(there, o);
  } else if (o->kind == OPERATION_GET) {
    get(there, o);
  } else {
    window_reduce_begin(m);
    if (o->kind == OPERATION_COMPARE)
      compare(there, o);
    else
      rc = reduce(there, o);
    window_reduce_end(m);
  }
  return rc;
}
