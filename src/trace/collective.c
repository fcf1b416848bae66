/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts collective calls. */
#include "trace/collective.h"

static void count_row(thread_t *t, spool_coll_t *coll, const call_t *call)
{
  for (uint32_t i = 0; call->row && i < call->comm->n_dest; i++) {
    spool_message_t *m = call->row[i] ? tables_row_find(t, coll, call->comm->dest_at + i) : NULL;
    if (!m) continue;
    if (UNLIKELY(!(m->excess & SPOOL_TOUCHED))) segment_touch_row(m);
    m->count++;
    m->excess += call->row[i];
  }
}

spool_coll_t *collective_count(thread_t *t, const call_t *call)
{
  if (!call->comm) return NULL;
  if (UNLIKELY(call->outside)) add_missed(&missed()->outside, call->outside);
  if (call->comm->outside) {
    add_missed(&missed()->outside_calls, 1);
    unmodelled(call->op);
    return NULL;
  }
  if (UNLIKELY(watched() & WATCH_STOPPED)) {
    add_missed(&missed()->stopped_calls, 1);
    return NULL;
  }
  const spool_coll_t key = {.comm = call->comm->id,
                            .root = listed_root(call->comm, call->root),
                            .site = call->site,
                            .phase = spool_key_phase(phase_key()),
                            .bytes = call->bytes,
                            .element = call->element,
                            .op = (uint16_t)call->op,
                            .flags = call->flags};
  spool_coll_t *coll = tables_coll_count(t, &key);
  if (!coll) return NULL;
  coll->given += call->given;
  count_row(t, coll, call);
  return coll;
}

void collective_uncount(thread_t *t, spool_coll_t *coll, const call_t *call)
{
  coll->count--;
  coll->given -= call->given;
  for (uint32_t i = 0; call->row && i < call->comm->n_dest; i++) {
    spool_message_t *m = call->row[i] ? tables_row_find(t, coll, call->comm->dest_at + i) : NULL;
    if (!m) continue;
    m->count--;
    m->excess -= call->row[i];
  }
}

void collective_end(thread_t *t, const call_t *call, spool_coll_t *counted, bool refused)
{
  if (UNLIKELY(refused)) {
    if (counted) collective_uncount(t, counted, call);
    return;
  }
  if (UNLIKELY(watched()) && counted) meet(t, call);
  if (call->comm && call->comm->everyone) segment_end(t, counted);
}
