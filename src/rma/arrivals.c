/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/arrivals.h"

#include <stdlib.h>
#include <string.h>

#include "rma/access.h"
#include "rma/apply.h"
#include "rma/arrivals_counts.h"
#include "rma/rma_progress.h"
#include "rma/rma_record.h"
#include "rma/stream.h"

/* What an origin's messages have brought about. */
typedef struct arrival {
  mail_message_t *held, **last; /* messages that wait; the first one may be half done */
  bool begun;                   /* its operations are done, its end isn't */
  bool waits;                   /* the first one waits for the lock, as its waiters count */
  bool exclusive, locked;       /* the origin has the lock, in which way */
  mail_message_t *reply;        /* of the first one; NULL: none is to come */
  int under_way;                /* long data */
  _Atomic uint32_t completed;   /* access epochs */
} arrival_t;

struct arrivals {
  arrival_t *from;         /* of each rank */
  uint32_t came, expected; /* messages of fences' epochs */
  int under_way;           /* long data, of all origins */
  struct counts *counts;
};

/* Long data that come or go. */
typedef struct service {
  rma_window_t *w;
  int origin;
} service_t;

static int waiting_for_locks,
    locked; /* origins, of all windows: that wait for locks, that have one */

bool arrivals_new(rma_window_t *w)
{
  if (w->arrivals) return true;
  struct arrivals *a = calloc(1, sizeof *a);
  if (!a) return false;
  a->from = calloc((size_t)w->size, sizeof *a->from);
  a->counts = counts_new(w);
  if (!a->from || !a->counts) {
    arrivals_free(a);
    return false;
  }
  for (int i = 0; i < w->size; i++) a->from[i].last = &a->from[i].held;
  progress_lock(); /* the window is in the list already */
  w->arrivals = a;
  progress_unlock();
  return true;
}

void arrivals_free(struct arrivals *a)
{
  if (!a) return;
  counts_free(a->counts);
  free(a->from);
  free(a);
}

void arrivals_lock(const rma_window_t *w)
{
  if (w->messages) progress_lock();
}

void arrivals_unlock(const rma_window_t *w)
{
  if (w->messages) progress_unlock();
}

/* --- whether a message may be served --- */

static window_lock_t *own_lock(const rma_window_t *w)
{
  return &w->memory.member[w->memory.me].lock;
}

/* The lock is free, or its release is told by a ring. */
static bool take_lock(rma_window_t *w, arrival_t *a, window_lock_use_t use)
{
  window_lock_t *l = own_lock(w);
  if (!a->waits) {
    if (window_lock_try(l, use)) return true;
    a->waits = true;
    waiting_for_locks++;
    atomic_fetch_add(&l->waiters, 1);
    atomic_fetch_add(&l->away, 1);
    if (use == WINDOW_ALONE) atomic_fetch_add(&l->writers, 1);
  }
  if (!window_lock_try(l, use)) return false;
  a->waits = false;
  waiting_for_locks--;
  if (use == WINDOW_ALONE) atomic_fetch_sub(&l->writers, 1);
  atomic_fetch_sub(&l->away, 1);
  atomic_fetch_sub(&l->waiters, 1);
  return true;
}

static bool may_begin(rma_window_t *w, arrival_t *a, const mail_head_t *h)
{
  switch (h->sync) {
  case MAIL_FENCE:
    return (int32_t)(w->fences - h->epoch) >= 0;
  case MAIL_STARTED:
    return (int32_t)(w->posts[h->from] - h->epoch) >= 0;
  default:
    if (!(h->flags & MAIL_LOCK) || a->locked) return true;
    a->exclusive = h->flags & MAIL_EXCLUSIVE;
    a->locked = take_lock(w, a, window_lock_use(a->exclusive, h->flags & MAIL_AT_ONCE));
    locked += a->locked;
    return a->locked;
  }
}

/* --- operations --- */

static void end_service(void *context, int rc)
{
  service_t *s = context;
  arrival_t *a = &s->w->arrivals->from[s->origin];
  if (rc != MPI_SUCCESS && a->reply) a->reply->head.wrong = MPI_ERR_OTHER;
  a->under_way--;
  s->w->arrivals->under_way--;
  free(s);
}

static bool serve_long(rma_window_t *w, int origin, char *at, const record_t *r)
{
  service_t *s = malloc(sizeof *s);
  if (!s) return false;
  *s = (service_t){.w = w, .origin = origin};
  int world = w->target[origin].world;
  bool started = r->kind == OPERATION_GET
                     ? mail_send_data(at, (size_t)r->length, world, (int)r->tag, end_service, s)
                     : mail_receive_data(at, (size_t)r->length, world, (int)r->tag, end_service, s);
  if (!started) {
    free(s);
    return false;
  }
  w->arrivals->from[origin].under_way++;
  w->arrivals->under_way++;
  return true;
}

/* Whether the window has all bytes of a record. */
static bool is_inside(const rma_window_t *w, const record_t *r)
{
  const rma_target_t *own = &w->target[w->rank];
  int64_t all = (int64_t)(r->count - 1) * r->stride;
  uint64_t begin = r->place + (uint64_t)(all < 0 ? all : 0);
  uint64_t bytes = (uint64_t)(all < 0 ? -all : all) + r->length;
  if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
    return window_memory_attached(&w->memory, w->memory.me, begin, bytes);
  return begin <= own->size && bytes <= own->size - begin;
}

/* One piece. `data` has what came for it, `old` room for what goes back. Returns an error class. */
static int serve_piece(const record_t *r, char *at, const char *data, char *old)
{
  size_t bytes = (size_t)r->length;
  apply_t a = {r->op, r->element, 1};
  switch (r->kind) {
  case OPERATION_PUT:
    memcpy(at, data, bytes);
    return 0;
  case OPERATION_GET:
    memcpy(old, at, bytes);
    return 0;
  case OPERATION_COMPARE:
    apply_swap(bytes, at, data, data + bytes, old);
    return 0;
  default:
    if (!apply_only_reads(r->op) && !apply_is_defined(r->op, r->element)) return MPI_ERR_OP;
    if (r->element >= 0) a.unit = layout_unit(r->element);
    if (a.unit == 0 || bytes % a.unit != 0) return MPI_ERR_TYPE;
    return apply_to(&a, at, data, old, bytes / a.unit) == MPI_SUCCESS ? 0 : MPI_ERR_OP;
  }
}

/* One record's operation. Returns an error class. */
static int serve_record(rma_window_t *w, int origin, const record_t *r, const char *data,
                        mail_message_t *reply)
{
  char *base = w->target[w->rank].memory, *old = NULL;
  size_t returned = record_returned(r);
  if (returned > 0) {
    if (!reply || reply->head.bytes + returned > MAIL_ROOM) return MPI_ERR_INTERN;
    old = reply->data + reply->head.bytes;
    reply->head.bytes += (uint32_t)returned;
  }
  if (!is_inside(w, r)) {
    if (old) memset(old, 0, returned);
    if (r->flags & RECORD_LONG) mpi.Abort(mpi.comm_world, 1); /* the origin has begun */
    return MPI_ERR_RMA_RANGE;
  }
  if (r->flags & RECORD_LONG) return serve_long(w, origin, base + r->place, r) ? 0 : MPI_ERR_NO_MEM;
  size_t each = record_sent(r) / (size_t)r->count;
  int wrong = 0;
  bool reduces = r->kind >= OPERATION_ACCUMULATE;
  window_member_t *own = &w->memory.member[w->memory.me];
  if (reduces) window_reduce_begin(own);
  for (uint64_t i = 0; i < r->count && !wrong; i++) {
    char *at = base + r->place + (int64_t)i * r->stride;
    wrong = serve_piece(r, at, data + i * each, old ? old + i * r->length : NULL);
  }
  if (reduces) window_reduce_end(own);
  return wrong;
}

/* Returns an error class. */
static int serve_operations(rma_window_t *w, const mail_message_t *m, mail_message_t *reply)
{
  const char *at = m->data, *end = m->data + m->head.bytes;
  uint64_t place = 0;
  int wrong = 0;
  record_t r = {.count = 0};
  while (at < end) {
    size_t n = record_read(&r, &place, at, (size_t)(end - at));
    if (n == 0 || r.length == 0 || r.length > UINT64_MAX / (r.count ? r.count : 1) ||
        ((r.flags & RECORD_LONG) == 0 && record_bytes(&r) > MAIL_ROOM) ||
        record_sent(&r) > (size_t)(end - at) - n)
      return MPI_ERR_INTERN;
    int found = serve_record(w, m->head.from, &r, at + n, reply);
    if (!wrong) wrong = found;
    at += n + record_sent(&r);
  }
  return wrong;
}

/* --- a message --- */

static void begin(rma_window_t *w, arrival_t *a, const mail_message_t *m)
{
  if (m->head.flags & MAIL_ANSWER) {
    a->reply = mail_new();
    if (!a->reply) mpi.Abort(mpi.comm_world, 1); /* the origin would wait for ever */
    a->reply->head = (mail_head_t){
        .kind = MAIL_REPLY, .window = w->target[m->head.from].window, .from = w->rank};
  }
  int wrong = serve_operations(w, m, a->reply);
  if (wrong && a->reply) a->reply->head.wrong = (uint8_t)wrong;
  a->begun = true;
}

static void end(rma_window_t *w, arrival_t *a, const mail_message_t *m)
{
  if (m->head.sync == MAIL_FENCE) w->arrivals->came++;
  if (m->head.flags & MAIL_UNLOCK && a->locked) {
    window_lock_release(own_lock(w), a->exclusive);
    a->locked = false;
    locked--;
  }
  if (a->reply) mail_send(a->reply, w->target[m->head.from].world);
  a->reply = NULL;
  a->begun = false;
  if (m->head.flags & MAIL_COMPLETE) atomic_store(&a->completed, m->head.epoch);
}

/* Whether a message's end has to wait for long data. */
static bool has_end(const mail_message_t *m)
{
  return m->head.flags & (MAIL_UNLOCK | MAIL_ANSWER | MAIL_COMPLETE);
}

/* Does what can be done of what an origin has sent. */
static void serve(rma_window_t *w, int origin)
{
  arrival_t *a = &w->arrivals->from[origin];
  while (a->held) {
    mail_message_t *m = a->held;
    if (!a->begun) {
      if (!may_begin(w, a, &m->head)) return;
      begin(w, a, m);
    }
    if (a->under_way > 0 && has_end(m)) return;
    end(w, a, m);
    a->held = m->next;
    if (!a->held) a->last = &a->held;
    mail_free(m);
  }
}

void arrivals_opened(rma_window_t *w)
{
  progress_lock();
  for (int i = 0; i < w->size; i++) serve(w, i);
  progress_unlock();
}

static void serve_all(rma_window_t *w)
{
  for (int i = 0; w->arrivals && i < w->size; i++) serve(w, i);
}

bool arrivals_retry(void)
{
  windows_each(serve_all);
  return waiting_for_locks > 0;
}

bool arrivals_expect_more(void) { return locked > 0; }

void arrivals_handle(mail_message_t *m)
{
  rma_window_t *w = window_numbered(m->head.window);
  if (!w || !w->arrivals || m->head.from < 0 || m->head.from >= w->size ||
      m->head.bytes > MAIL_ROOM) {
    mail_free(m);
    return;
  }
  if (m->head.kind == MAIL_OPERATIONS) {
    arrival_t *a = &w->arrivals->from[m->head.from];
    m->next = NULL;
    *a->last = m;
    a->last = &m->next;
    serve(w, m->head.from);
    return;
  }
  if (m->head.kind == MAIL_REPLY)
    stream_answered(w, m);
  else
    counts_came(w->arrivals->counts, m);
  mail_free(m);
}

bool arrivals_completed(rma_window_t *w, int origin, uint32_t times)
{
  return (int32_t)(atomic_load(&w->arrivals->from[origin].completed) - times) >= 0;
}

void arrivals_expect(rma_window_t *w, uint32_t messages)
{
  progress_lock();
  w->arrivals->expected += messages;
  progress_unlock();
}

bool arrivals_all_came(rma_window_t *w)
{
  progress_lock();
  const struct arrivals *a = w->arrivals;
  bool came = a->came == a->expected && a->under_way == 0;
  progress_unlock();
  return came;
}

int arrivals_exchange(rma_window_t *w, uint32_t fence, uint32_t *counts)
{
  return counts_exchange(w->arrivals->counts, w, fence, counts);
}
