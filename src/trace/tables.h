/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of a thread's tables. */
#ifndef BERTH_TRACE_TABLES_H
#define BERTH_TRACE_TABLES_H

#include "trace/op.h"
#include "trace/tracer.h"

/* The record for messages of a size under a key. If there is no room for it, the record for the
 * destination's rest. NULL if there is no room for that either. */
spool_message_t *tables_message_find_slow(thread_t *t, uint64_t key, uint64_t size);
/* The record for operations; NULL if there is no room. */
spool_message_t *tables_operation_find_slow(thread_t *t, uint64_t key, uint64_t size);
/* The record for operations like these; NULL if there is none. The index is the thread's, or the
 * shared one, which needs the lock. */
spool_rma_t *tables_rma_find(const index_t *x, const spool_rma_t *key);
/* The same if the calling thread knows none: finds a record of any thread or adds one. NULL if
 * there is no room. */
spool_rma_t *tables_rma_find_slow(thread_t *t, const spool_rma_t *key);
/* Adds a message record with count 0; NULL if there is no room. */
spool_message_t *tables_message_add(index_t *x, uint64_t key, uint64_t size, uint64_t excess);
/* The record of such calls, a new one with count 0 if needed; NULL if there is no room. */
spool_coll_t *tables_coll_find(index_t *x, const spool_coll_t *key);
/* Keeps of the nature of calls what is true of more calls, too. */
void tables_coll_keep_common(spool_coll_t *c, const spool_coll_t *more);
/* Counts a collective call. Returns its record; NULL if there is no room. */
spool_coll_t *tables_coll_count(thread_t *t, const spool_coll_t *key);
/* Adds ticks to the thread's time in such calls; `key` has the site, the communicator and the
 * function. Without room for the key they count for the function alone, or not at all. */
void tables_spend(thread_t *t, const spool_spent_t *key, uint64_t ticks);
/* What calls of a record send to an index of the communicator's list, by this thread or in a
 * class of segments. NULL if there is no room; the row's sum then shows that it is incomplete. */
spool_message_t *tables_row_find(thread_t *t, spool_coll_t *of, uint32_t place);
spool_message_t *tables_row_of_class(index_t *x, const spool_message_t *row, uint32_t number);
/* Makes room for n numbers in t->row. Returns false if memory is out. */
bool tables_row_room(thread_t *t, uint32_t n);
/* The record of messages that aren't contiguous, a new one with count 0 if needed; NULL if there is
 * no room. */
spool_packed_t *tables_packed_find(thread_t *t, const spool_packed_t *key);

/* Counts a call by its name alone. */
void unmodelled(op_t op);

#endif
