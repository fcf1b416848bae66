/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts messages whose data aren't contiguous in this rank's memory, by call site and layout. */
#include "trace/packed.h"

static bool is_packed(const packing_t *data)
{
  return data->pieces > 1 && !(watched() & WATCH_STOPPED);
}

uint64_t *packed_find(thread_t *t, uint32_t site, bool receives, const packing_t *data)
{
  if (!is_packed(data)) return NULL;
  const spool_packed_t key = {.site = site,
                              .receives = receives,
                              .size = data->size,
                              .pieces = data->pieces,
                              .span = data->span};
  spool_packed_t *x = data->pieces == PIECES_UNKNOWN ? NULL : tables_packed_find(t, &key);
  return x ? &x->count : &missed()->lost_layouts;
}

posted_t packed_post(thread_t *t, op_t op, uint64_t key, int64_t count, MPI_Datatype type)
{
  const packing_t data = type_layout_packing_slow(t, count, type);
  posted_t p = post_in_phase(t, op, key, data.size);
  p.packed = packed_find(t, spool_key_site(key), false, &data);
  packed_count(p.packed, 1);
  return p;
}

uint64_t *packed_receive(thread_t *t, op_t op, int64_t count, MPI_Datatype type, uint32_t source,
                         void *caller)
{
  if (source == NOBODY) return NULL;
  const packing_t data = type_layout_packing_slow(t, count, type);
  if (!is_packed(&data)) return NULL;
  return packed_find(t, tracer.depth ? site_find(t, op, caller) : 0, true, &data);
}

void packed_send_init(thread_t *t, int64_t count, MPI_Datatype type, started_t *what)
{
  if (type_is_plain(t, type)) {
    what->size = amount(t, count, type);
    return;
  }
  const packing_t data = type_layout_packing_slow(t, count, type);
  what->size = data.size;
  if (what->partitioned) return;
  what->pieces = data.pieces;
  what->span = data.span;
}

bool packed_receive_init(thread_t *t, op_t op, int64_t count, MPI_Datatype type, uint32_t source,
                         void *caller, started_t *what)
{
  if (source == NOBODY) return false;
  const packing_t data = type_layout_packing_slow(t, count, type);
  if (data.pieces < 2) return false;
  *what = (started_t){.key = spool_key(0, 0, tracer.depth ? site_find(t, op, caller) : 0),
                      .size = data.size,
                      .receives = true,
                      .pieces = data.pieces,
                      .span = data.span};
  return true;
}

uint64_t *packed_of_request(thread_t *t, const started_t *what)
{
  const packing_t data = {what->size, what->pieces, what->span};
  return packed_find(t, spool_key_site(what->key), what->receives, &data);
}
