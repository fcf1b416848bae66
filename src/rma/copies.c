/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/copies.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "job/process_memory.h"
#include "rma/apply.h"
#include "rma/copied_reductions.h"
#include "rma/inbox.h"
#include "rma/rma_error.h"

enum { PIECES = 1024, ENOUGH = 256 * 1024, CHUNK = 64 * 1024 }; /* pieces of a call; bytes */

/* Pieces here and there, of as many bytes together. */
typedef struct pair_list {
  struct iovec here[PIECES], there[PIECES];
  size_t n_here, n_there, bytes;
} pair_list_t;

struct copies {
  pthread_mutex_t lock;
  copied_reductions_t *reductions; /* NULL: there were never any */
  pair_list_t puts, gets;
  const char *asked; /* the target was asked for `gets`, which come there; NULL: it wasn't */
};

static void empty(pair_list_t *l) { l->n_here = l->n_there = l->bytes = 0; }

static inbox_pieces_t pieces_of(const pair_list_t *l)
{
  return (inbox_pieces_t){l->there, l->here, l->n_there, l->n_here, l->bytes};
}

static struct copies *of_target(rma_target_t *t)
{
  static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
  if (LIKELY(t->copies != NULL)) return t->copies;
  pthread_mutex_lock(&making);
  if (!t->copies && (t->copies = malloc(sizeof *t->copies)) != NULL) {
    pthread_mutex_init(&t->copies->lock, NULL);
    t->copies->reductions = NULL;
    t->copies->asked = NULL;
    empty(&t->copies->puts);
    empty(&t->copies->gets);
  }
  pthread_mutex_unlock(&making);
  return t->copies;
}

/* Without MPI_THREAD_MULTIPLE one thread at a time comes here. */
static void take(struct copies *c)
{
  if (rma_job.threads) pthread_mutex_lock(&c->lock);
}

static void give_back(struct copies *c)
{
  if (rma_job.threads) pthread_mutex_unlock(&c->lock);
}

void copies_free(struct copies *c)
{
  if (c) pthread_mutex_destroy(&c->lock);
  if (c) copied_reductions_free(c->reductions);
  free(c);
}

static int process_of(const rma_window_t *w, const rma_target_t *t)
{
  return w->memory.member[t->member].process;
}

static int refused(const rma_target_t *t)
{
  return error_code(MPI_ERR_RMA_RANGE,
                    "the memory of rank %d of MPI_COMM_WORLD can't be accessed: %s", t->world,
                    strerror(errno));
}

static int do_list(const rma_window_t *w, const rma_target_t *t, pair_list_t *l, bool put)
{
  bool done = l->bytes == 0 || (put ? process_memory_scatter : process_memory_gather)(
                                   process_of(w, t), l->here, l->n_here, l->there, l->n_there);
  empty(l);
  return done ? MPI_SUCCESS : refused(t);
}

/* Adds a piece of both sides; copies before that if the list is full. */
static int add(const rma_window_t *w, const rma_target_t *t, pair_list_t *l, bool put, char *here,
               char *there, size_t bytes)
{
  int rc = MPI_SUCCESS;
  if (l->n_here == PIECES || l->n_there == PIECES) rc = do_list(w, t, l, put);
  process_memory_add(l->here, &l->n_here, PIECES, here, bytes);
  process_memory_add(l->there, &l->n_there, PIECES, there, bytes);
  l->bytes += bytes;
  return rc;
}

/* Copies what is enough for a call. */
static int copy_enough(const rma_window_t *w, const rma_target_t *t, pair_list_t *l, bool put)
{
  bool enough = l->bytes >= ENOUGH || rma_job.settings.strategy == RMA_EAGER;
  return enough ? do_list(w, t, l, put) : MPI_SUCCESS;
}

static char *place(const rma_target_t *t, const operation_t *o)
{
  return (char *)(uintptr_t)(t->address + (uint64_t)o->offset);
}

/* Adds the pieces of both sides. */
static int queue(const rma_window_t *w, const rma_target_t *t, pair_list_t *l, bool put,
                 const operation_t *o)
{
  const operation_side_t *own = put ? &o->from : &o->to;
  layout_walk_t here = layout_walk(own->layout, own->base, own->count);
  layout_walk_t there = layout_walk(o->layout, place(t, o), o->count);
  int rc = MPI_SUCCESS;
  for (int64_t left = o->bytes; left > 0 && rc == MPI_SUCCESS;) {
    char *a, *b;
    layout_walk_t before = here;
    size_t n = layout_next(&here, (size_t)left, &a), m = layout_next(&there, n, &b);
    if (m < n) {
      here = before;
      layout_next(&here, m, &a);
    }
    rc = add(w, t, l, put, a, b, m);
    left -= (int64_t)m;
  }
  return rc == MPI_SUCCESS ? copy_enough(w, t, l, put) : rc;
}

int copies_plain(rma_window_t *w, rma_target_t *t, bool put, char *own, int64_t offset,
                 size_t bytes)
{
  struct copies *c = of_target(t);
  if (!c) return error_code(MPI_ERR_NO_MEM, "memory is out");
  char *there = (char *)(uintptr_t)(t->address + (uint64_t)offset);
  pair_list_t *l = put ? &c->puts : &c->gets;
  take(c);
  int rc = add(w, t, l, put, own, there, bytes);
  if (rc == MPI_SUCCESS) rc = copy_enough(w, t, l, put);
  give_back(c);
  return rc;
}

static int queue_locked(rma_window_t *w, rma_target_t *t, bool put, const operation_t *o)
{
  struct copies *c = of_target(t);
  if (!c) return error_code(MPI_ERR_NO_MEM, "memory is out");
  take(c);
  int rc = queue(w, t, put ? &c->puts : &c->gets, put, o);
  give_back(c);
  return rc;
}

int copies_put(rma_window_t *w, rma_target_t *t, const operation_t *o)
{
  return queue_locked(w, t, true, o);
}

int copies_get(rma_window_t *w, rma_target_t *t, const operation_t *o)
{
  return queue_locked(w, t, false, o);
}

static int do_reductions(const rma_window_t *w, const rma_target_t *t, struct copies *c)
{
  if (!c->reductions) return MPI_SUCCESS;
  int rc = copied_reductions_do(c->reductions, &w->memory.member[t->member]);
  return rc == COPIED_REFUSED ? refused(t) : rc;
}

/* Leaves what is small to the target. Nobody waits for it at MPI_Win_complete. */
static void leave(struct copies *c, struct inbox *b, bool waits)
{
  const inbox_pieces_t puts = pieces_of(&c->puts), gets = pieces_of(&c->gets);
  if (puts.bytes > 0 && inbox_leave(b, NULL, &puts)) empty(&c->puts);
  if (c->reductions) copied_reductions_leave(c->reductions, b);
  if (gets.bytes > 0 && waits) c->asked = inbox_ask(b, &gets);
}

int copies_end(rma_window_t *w, rma_target_t *t, int which)
{
  struct copies *c = t->copies;
  if (!c) return MPI_SUCCESS;
  inbox_t *inbox = inbox_of(&w->memory, t->member, which);
  if (inbox) {
    take(c);
    leave(c, inbox, which != INBOX_COMPLETE);
    give_back(c);
  }
  return copies_flush(w, t);
}

void copies_fetch(rma_window_t *w, rma_target_t *t, int which)
{
  struct copies *c = t->copies;
  if (!c || !c->asked) return;
  const inbox_pieces_t gets = pieces_of(&c->gets);
  inbox_wait(inbox_of(&w->memory, t->member, which));
  inbox_take(c->asked, &gets);
  empty(&c->gets);
  c->asked = NULL;
}

int copies_flush(rma_window_t *w, rma_target_t *t)
{
  struct copies *c = t->copies;
  if (!c) return MPI_SUCCESS;
  take(c);
  int rc = do_list(w, t, &c->puts, true);
  int also = c->asked ? MPI_SUCCESS : do_list(w, t, &c->gets, false);
  int reduced = do_reductions(w, t, c);
  give_back(c);
  return rc != MPI_SUCCESS ? rc : also != MPI_SUCCESS ? also : reduced;
}

/* Up to CHUNK bytes of the target's pieces. Returns their bytes. */
static size_t next_chunk(layout_walk_t *there, size_t unit, struct iovec *list, size_t *n)
{
  size_t bytes = 0, most = CHUNK / unit * unit;
  char *at;
  *n = 0;
  while (bytes < most && *n < PIECES - 1) {
    size_t got = layout_next(there, most - bytes, &at);
    if (got == 0) break;
    process_memory_add(list, n, PIECES, at, got);
    bytes += got;
  }
  return bytes;
}

/* Reads a chunk, reduces into it, and writes it back. */
static int reduce(const rma_window_t *w, const rma_target_t *t, const operation_t *o, char *room)
{
  char *data = room, *now = room + CHUNK, *old = room + 2 * CHUNK;
  const apply_t a = {o->op, o->layout->element, (size_t)o->layout->unit};
  layout_walk_t there = layout_walk(o->layout, place(t, o), o->count), from = {0}, to = {0};
  if (o->from.layout) from = layout_walk(o->from.layout, o->from.base, o->from.count);
  if (o->to.layout) to = layout_walk(o->to.layout, o->to.base, o->to.count);
  struct iovec list[PIECES];
  size_t n, bytes;
  int rc = MPI_SUCCESS, process = process_of(w, t);
  while (rc == MPI_SUCCESS && (bytes = next_chunk(&there, a.unit, list, &n)) > 0) {
    const struct iovec here = {now, bytes};
    if (!process_memory_gather(process, &here, 1, list, n)) return refused(t);
    layout_copy_out(data, &from, bytes);
    if (o->kind == OPERATION_COMPARE)
      apply_swap(a.unit, now, o->compare, data, old);
    else
      rc = apply_to(&a, now, data, old, bytes / a.unit);
    if (rc == MPI_SUCCESS && !(o->kind != OPERATION_COMPARE && apply_only_reads(o->op)) &&
        !process_memory_scatter(process, &here, 1, list, n))
      return refused(t);
    layout_copy_in(&to, old, o->to.layout ? bytes : 0);
  }
  return rc;
}

/* Lets a reduction wait. False: it can't. */
static bool add_reduction(const rma_window_t *w, const rma_target_t *t, struct copies *c,
                          const operation_t *o, int *rc)
{
  if (!copied_reductions_takes(o) || rma_job.settings.strategy == RMA_EAGER) return false;
  if (!c->reductions && !(c->reductions = copied_reductions_new())) return false;
  if (copied_reductions_add(c->reductions, o, place(t, o))) return true;
  *rc = do_reductions(w, t, c);
  return copied_reductions_add(c->reductions, o, place(t, o));
}

/* In order: what waits comes first. */
static bool let_wait(rma_window_t *w, rma_target_t *t, const operation_t *o, int *rc)
{
  struct copies *c = of_target(t);
  if (!c) return false;
  take(c);
  bool waits = add_reduction(w, t, c, o, rc);
  if (!waits && *rc == MPI_SUCCESS) *rc = do_reductions(w, t, c);
  give_back(c);
  return waits;
}

int copies_reduce(rma_window_t *w, rma_target_t *t, const operation_t *o)
{
  int done = MPI_SUCCESS;
  if (let_wait(w, t, o, &done) || done != MPI_SUCCESS) return done;
  char *room = malloc((size_t)3 * CHUNK);
  if (!room) return error_code(MPI_ERR_NO_MEM, "memory is out");
  window_member_t *m = &w->memory.member[t->member];
  window_reduce_begin(m);
  int rc = reduce(w, t, o, room);
  window_reduce_end(m);
  free(room);
  return rc;
}
