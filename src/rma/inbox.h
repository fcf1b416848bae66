/* SPDX-License-Identifier: BSD-3-Clause */
/* Small operations that origins of a host leave to their target when an epoch ends. The target
 * carries them out before its own part of the epoch is over. That saves a call of the system for
 * puts and gets, and two for accumulates. */
#ifndef BERTH_RMA_INBOX_H
#define BERTH_RMA_INBOX_H

#include <sys/uio.h>

#include "rma/apply.h"
#include "rma/window_memory.h"

enum { INBOX_ROOM = 1984 }; /* bytes */

/* What it has at one time is of one epoch. All zero is an empty one. */
typedef struct inbox {
  alignas(64) _Atomic uint32_t used; /* bytes of records */
  alignas(8) char record[INBOX_ROOM];
} inbox_t;

/* Of those that a rank has, which is for what. A rank empties that of a fence before it comes to
 * the next one, so that two are enough for all. */
enum { INBOX_COMPLETE = 2, INBOXES };
static inline int inbox_of_fence(uint32_t fence) { return (int)(fence % 2); }
/* A member's; NULL: the window has none. */
static inline inbox_t *inbox_of(const window_memory_t *m, int member, int which)
{
  return m->inbox ? &m->inbox[member * INBOXES + which] : NULL;
}

/* Bytes for pieces at the target, from pieces of this rank. */
typedef struct inbox_pieces {
  const struct iovec *there, *here;
  size_t n_there, n_here, bytes;
} inbox_pieces_t;

/* Leaves them, to be reduced; how NULL: to be put. False: they are too many, or there is no room.
 */
bool inbox_leave(inbox_t *b, const apply_t *how, const inbox_pieces_t *p);
/* Asks for them. NULL: likewise. Otherwise inbox_take with that and the same pieces has the results
 * once the target has emptied the inbox, until the next epoch but one. */
const char *inbox_ask(inbox_t *b, const inbox_pieces_t *p);
void inbox_take(const char *asked, const inbox_pieces_t *p);
/* Carries out all of it. Nobody may leave anything meanwhile. Returns an MPI code. */
int inbox_empty(inbox_t *b, window_member_t *own);
/* Waits until the target has emptied it. */
void inbox_wait(const inbox_t *b);

#endif
