/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations as bytes of a message: records, one behind the other.
 *
 *   head byte: the kind of the operation, and flags
 *   RECORD_SAME: only the place of its first byte; all else is as in the record before
 *   of reductions: the operation's number, the element's number + 1
 *   the place of its first byte, from the end of the record before: a signed number
 *   RECORD_RUN: bytes of a piece, from a piece to the next one (signed), pieces: numbers
 *   otherwise: bytes of its only piece, in four bytes, so that it can be made longer
 *   RECORD_LONG: the tag of long data, a number; otherwise the data that go to the target, if any
 *
 * Numbers are in groups of seven bits, the lowest first; signed ones have their sign in bit 0. */
#ifndef BERTH_RMA_RMA_RECORD_H
#define BERTH_RMA_RMA_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rma/operation.h"

enum {
  RECORD_KIND = 7, /* bits of the operation's kind */
  RECORD_RUN = 8,
  RECORD_LONG = 16,
  RECORD_READS = 32, /* nothing goes to the target: MPI_NO_OP */
  RECORD_SAME = 64,
  RECORD_MOST = 64 /* bytes of a record before its data, at most */
};

typedef struct record {
  operation_kind_t kind;
  int flags;
  int op, element;
  uint64_t place; /* in the target's window */
  uint64_t length, count;
  int64_t stride;
  uint64_t tag; /* of long data */
} record_t;

/* Bytes at the target. */
static inline uint64_t record_bytes(const record_t *r) { return r->length * r->count; }
/* Bytes that go to the target behind the record, and those that come back. */
size_t record_sent(const record_t *r);
size_t record_returned(const record_t *r);

/* Writes it. *place is the end of the record before, and becomes that of this one; *length is where
 * a piece's length is. Returns the bytes written. */
size_t record_write(const record_t *r, uint64_t *place, char *to, char **length);
/* Makes the length of a record with one piece longer. */
void record_lengthen(char *length, uint32_t bytes);
/* Whether a record may be the same as the one before, of the same message, but for its place. */
bool record_is_same(const record_t *r, const record_t *before);
/* Reads one. *r has the one before, in the same message, and is all zero before the first one.
 * Returns its bytes; 0: the bytes, `most` of them, aren't one. */
size_t record_read(record_t *r, uint64_t *place, const char *from, size_t most);

#endif
