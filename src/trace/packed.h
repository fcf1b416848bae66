/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts messages whose data aren't contiguous in this rank's memory. */
#ifndef BERTH_TRACE_PACKED_H
#define BERTH_TRACE_PACKED_H

#include "trace/request.h"

/* What counts such messages of a site (packed_count). NULL if the data are contiguous, or if
 * nothing is recorded. */
uint64_t *packed_find(thread_t *t, uint32_t site, bool receives, const packing_t *data);
/* The same for a receive of another datatype than type_is_plain's. `source` is whom it is from;
 * NOBODY: nothing comes. */
uint64_t *packed_receive(thread_t *t, op_t op, int64_t count, MPI_Datatype type, uint32_t source,
                         void *caller);

/* What a persistent send's data are: fills the rest of *what. */
void packed_send_init(thread_t *t, int64_t count, MPI_Datatype type, started_t *what);
/* What a persistent receive does when it is started. Returns false if its data are contiguous. */
bool packed_receive_init(thread_t *t, op_t op, int64_t count, MPI_Datatype type, uint32_t source,
                         void *caller, started_t *what);

/* For wrappers of calls that receive: `whom` is whom they receive from, as far as that is looked
 * at, and `incoming` counts the message if the call succeeds. */
#define RECEIVED_FROM(type, from)                                                                  \
  bool plain = type_is_plain(t, type);                                                             \
  uint32_t whom = UNLIKELY(tracer.steps || !plain) ? (from) : NOBODY
#define INCOMING(name, count, type, from)                                                          \
  RECEIVED_FROM(type, from);                                                                       \
  uint64_t *incoming =                                                                             \
      LIKELY(plain) ? NULL : packed_receive(t, OP_##name, count, type, whom, CALLER)
/* The same of persistent receives: if `packed`, *what is what a start does. */
#define INCOMING_LATER(name, count, type, from)                                                    \
  started_t what = {0};                                                                            \
  RECEIVED_FROM(type, from);                                                                       \
  bool packed =                                                                                    \
      UNLIKELY(!plain) && packed_receive_init(t, OP_##name, count, type, whom, CALLER, &what)

#endif
