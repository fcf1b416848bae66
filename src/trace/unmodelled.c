/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts calls by their names alone. */
#include <string.h>

#include "trace/record.h"

static _Atomic(spool_unmodelled_t *) records[N_OPS];

/* Adds a record; NULL if there is no room. */
static spool_unmodelled_t *make(op_t op)
{
  static spool_block_t *block;
  spool_unmodelled_t new = {.calls = 0};
  strncpy(new.name, wrap_op_names[op], sizeof new.name - 1);
  tracer_lock();
  if (!records[op]) records[op] = memory_add(&block, SPOOL_UNMODELLED, &new, sizeof new);
  spool_unmodelled_t *u = records[op];
  tracer_unlock();
  return u;
}

void unmodelled(op_t op)
{
  spool_unmodelled_t *u = atomic_load_explicit(&records[op], memory_order_acquire);
  if (!u) u = make(op);
  add_missed(u ? &u->calls : &missed()->lost_calls, 1);
}
