/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/stream.h"

#include <stdlib.h>
#include <string.h>

#include "rma/apply.h"
#include "rma/progress.h"
#include "rma/record.h"
#include "rma/request.h"
#include "rma/rma_error.h"
#include "rma/wire.h"

enum { LONG = 8 * 1024 }; /* bytes that lie together and go as long data */

/* A request of the program's: complete when nothing of its operation is under way any more. */
typedef struct asked {
  int tag; /* request.h */
  int left;
} asked_t;

/* Where data that come back go: some of an operation's. */
typedef struct landing {
  layout_walk_t walk; /* its layout is kept until the data are here */
  size_t bytes;
  asked_t *asked; /* NULL: no request */
} landing_t;

/* A message to which a reply comes. */
typedef struct expected {
  struct expected *next;
  landing_t *landing;
  size_t n, cap;
} expected_t;

/* Long data of this rank. */
typedef struct long_data {
  struct long_data *next;
  struct stream *stream;
  char *at;           /* the bytes */
  char *room;         /* of data that don't lie together: the same, to be freed */
  layout_walk_t walk; /* where they go; of data that are sent, nothing */
  size_t bytes;
  int tag;
  asked_t *asked;
} long_data_t;

struct stream {
  wire_message_t *message;           /* being filled; NULL: none */
  wire_message_t *full, **last_full; /* those before it that aren't sent yet, */
  long_data_t *data, **last_data;    /* and the long data behind them */
  expected_t *opening;               /* of `message`: what is to come back; NULL: nothing */
  size_t returns;                    /* bytes of it */
  expected_t *expected, **last;      /* of messages that were sent */
  uint64_t place;                    /* the end of the last record */
  record_t record; /* the last one, if it can be made longer: `length` is not NULL */
  char *length;
  int under_way;   /* long data, and replies */
  uint32_t sent;   /* messages of fences' epochs */
  bool unanswered; /* there were messages since the last one with a reply */
  int wrong;       /* the first error class of a reply */
};

static int out_of_memory(void) { return error_code(MPI_ERR_NO_MEM, "memory is out"); }

static struct stream *of_target(rma_target_t *t)
{
  if (LIKELY(t->stream != NULL)) return t->stream;
  struct stream *s = t->stream = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->last = &s->expected;
  s->last_full = &s->full;
  s->last_data = &s->data;
  return s;
}

/* A part of its operation is over. */
static void end_part(asked_t *a)
{
  if (!a || --a->left > 0) return;
  request_complete(a->tag);
  free(a);
}

static void free_expected(expected_t *e)
{
  if (!e) return;
  for (size_t i = 0; i < e->n; i++) layout_release(e->landing[i].walk.l);
  free(e->landing);
  free(e);
}

void stream_free(struct stream *s)
{
  if (!s) return;
  free_expected(s->opening);
  while (s->expected) {
    expected_t *e = s->expected;
    s->expected = e->next;
    free_expected(e);
  }
  wire_free(s->message);
  while (s->full) {
    wire_message_t *m = s->full;
    s->full = m->next;
    wire_free(m);
  }
  free(s);
}

bool stream_begin(void) { return progress_begin(); }

/* --- messages --- */

/* What the message says of its epoch, and of a lock that isn't asked for yet. */
static void address(rma_window_t *w, rma_target_t *t, wire_head_t *h)
{
  struct stream *s = t->stream;
  lock_kind_t lock = t->lock;
  h->kind = WIRE_OPERATIONS;
  h->window = t->window;
  h->from = w->rank;
  if (w->access == ACCESS_LOCKED_ALL) lock = w->access_unchecked ? LOCK_UNCHECKED : LOCK_SHARED;
  if (lock != LOCK_NONE) {
    h->sync = WIRE_LOCKED;
    if (!t->held && lock != LOCK_UNCHECKED) {
      h->flags |= WIRE_LOCK | (lock == LOCK_EXCLUSIVE ? WIRE_EXCLUSIVE : 0);
      t->held = true;
    }
  } else if (w->access == ACCESS_STARTED) {
    h->sync = WIRE_STARTED;
    h->epoch = t->starts;
  } else {
    h->sync = WIRE_FENCE;
    h->epoch = w->fences;
    s->sent++;
  }
}

/* The message is full, or to be sent, with flags. */
static void close_message(rma_window_t *w, rma_target_t *t, int flags)
{
  struct stream *s = t->stream;
  wire_message_t *m = s->message;
  m->head.flags = (uint8_t)(flags | (s->opening ? WIRE_ANSWER : 0));
  address(w, t, &m->head);
  s->unanswered = !(m->head.flags & WIRE_ANSWER);
  if (m->head.flags & WIRE_ANSWER) {
    if (!s->opening) s->opening = calloc(1, sizeof *s->opening);
    if (!s->opening) mpi.Abort(mpi.comm_world, 1); /* the reply would be another one's */
    *s->last = s->opening;
    s->last = &s->opening->next;
    s->opening = NULL;
    s->under_way++;
  }
  *s->last_full = m;
  s->last_full = &m->next;
  s->message = NULL;
  s->length = NULL;
  s->returns = 0;
}

static void end_long(void *context, int rc)
{
  long_data_t *d = context;
  struct stream *s = d->stream;
  if (rc != MPI_SUCCESS) s->wrong = MPI_ERR_OTHER;
  if (d->walk.l && d->room) layout_copy_in(&d->walk, d->room, d->bytes);
  layout_release(d->walk.l);
  end_part(d->asked);
  free(d->room);
  free(d);
  __atomic_fetch_sub(&s->under_way, 1, __ATOMIC_RELEASE);
}

static void send_full(rma_target_t *t)
{
  struct stream *s = t->stream;
  while (s->full) {
    wire_message_t *m = s->full;
    s->full = m->next;
    m->next = NULL;
    wire_send(m, t->world);
  }
  s->last_full = &s->full;
  while (s->data) {
    long_data_t *d = s->data;
    s->data = d->next;
    if (!wire_send_data(d->at, d->bytes, t->world, d->tag, end_long, d))
      end_long(d, MPI_ERR_NO_MEM);
  }
  s->last_data = &s->data;
}

static bool open_message(struct stream *s)
{
  if (s->message) return true;
  s->message = wire_new();
  s->place = 0;
  s->length = NULL;
  return s->message != NULL;
}

/* Room in the message for a record with so many bytes of data, and for what it returns. */
static bool has_room(const struct stream *s, size_t sent, size_t returned)
{
  return s->message->head.bytes + RECORD_MOST + sent <= WIRE_ROOM &&
         s->returns + returned <= WIRE_ROOM;
}

/* Bytes at the target that fit, if each has so many that go with it, and that come back. */
static size_t room_for(const struct stream *s, size_t sent, size_t returned)
{
  size_t room = WIRE_ROOM - s->message->head.bytes, back = WIRE_ROOM - s->returns;
  room = sent == 0 ? SIZE_MAX : room > RECORD_MOST ? (room - RECORD_MOST) / sent : 0;
  return returned > 0 && back < room ? back : room;
}

/* --- long data --- */

/* Goes on by so many bytes. */
static bool skip(layout_walk_t *walk, size_t bytes)
{
  char *unused;
  for (size_t done = 0, n; done < bytes; done += n) {
    n = layout_next(walk, bytes - done, &unused);
    if (n == 0) return false;
  }
  return true;
}

/* The address of bytes that lie together and come next, as they are or as a copy. */
static bool take_long(long_data_t *d, layout_walk_t *walk, bool sends)
{
  layout_walk_t begin = *walk;
  if (layout_next(walk, d->bytes, &d->at) == d->bytes) return true;
  d->room = d->at = malloc(d->bytes);
  if (!d->room) return false;
  *walk = begin;
  if (sends) {
    layout_copy_out(d->room, walk, d->bytes);
    return true;
  }
  d->walk = begin;
  layout_keep(begin.l);
  return skip(walk, d->bytes);
}

/* Long data are sent behind the messages that are full, and received at once. */
static bool start_long(rma_target_t *t, layout_walk_t *walk, size_t bytes, bool sends, int tag,
                       asked_t *asked)
{
  struct stream *s = t->stream;
  long_data_t *d = calloc(1, sizeof *d);
  if (!d) return false;
  *d = (long_data_t){.stream = s, .bytes = bytes, .tag = tag, .asked = asked};
  if (!take_long(d, walk, sends) ||
      (!sends && !wire_receive_data(d->at, bytes, t->world, tag, end_long, d))) {
    layout_release(d->walk.l);
    free(d->room);
    free(d);
    return false;
  }
  if (sends) {
    *s->last_data = d;
    s->last_data = &d->next;
  }
  if (asked) asked->left++;
  s->under_way++;
  return true;
}

/* --- records --- */

/* An operation that is being put into a stream. */
typedef struct adding {
  rma_window_t *w;
  rma_target_t *t;
  const operation_t *o;
  layout_walk_t from, to; /* what is left of the origin's data */
  size_t unit;            /* bytes that have to stay together */
  bool reads;             /* nothing goes to the target, though it is a reduction */
  asked_t *asked;         /* NULL: no request */
} adding_t;

static bool returns_data(const operation_t *o) { return o->to.layout != NULL; }

/* The next bytes that come back go to the next of the result. */
static bool expect_data(adding_t *a, size_t bytes)
{
  struct stream *s = a->t->stream;
  if (!returns_data(a->o)) return true;
  if (!s->opening && !(s->opening = calloc(1, sizeof *s->opening))) return false;
  expected_t *e = s->opening;
  if (e->n == e->cap) {
    size_t cap = e->cap ? 2 * e->cap : 8;
    landing_t *more = realloc(e->landing, cap * sizeof *more);
    if (!more) return false;
    e->landing = more;
    e->cap = cap;
  }
  e->landing[e->n++] = (landing_t){a->to, bytes, a->asked};
  layout_keep(a->to.l);
  s->returns += bytes;
  if (a->asked) a->asked->left++;
  return skip(&a->to, bytes);
}

/* Whether a piece makes the last record longer. */
static bool continues(const struct stream *s, const record_t *r)
{
  const record_t *l = &s->record;
  return s->length && !(r->flags & (RECORD_RUN | RECORD_LONG)) && r->kind != OPERATION_COMPARE &&
         l->kind == r->kind && l->flags == r->flags && l->op == r->op && l->element == r->element &&
         r->place == s->place;
}

/* Adds a record with the next of the origin's data, for which there is room. */
static bool add_record(adding_t *a, const record_t *r)
{
  struct stream *s = a->t->stream;
  wire_message_t *m = s->message;
  char *end = m->data + m->head.bytes;
  size_t bytes = (size_t)record_bytes(r);
  if (continues(s, r)) {
    record_lengthen(s->length, (uint32_t)r->length);
    s->place += r->length;
  } else {
    char *length = NULL;
    end += record_write(r, &s->place, end, &length);
    s->length = length;
    s->record = *r;
  }
  if (r->kind == OPERATION_COMPARE) {
    memcpy(end, a->o->compare, bytes);
    end += bytes;
  }
  if (record_sent(r) > 0) {
    layout_copy_out(end, &a->from, bytes);
    end += bytes;
  }
  m->head.bytes = (uint32_t)(end - m->data);
  return record_returned(r) == 0 || expect_data(a, bytes);
}

/* Closes the message if there is no room for at least so many bytes of the operation. */
static bool make_room(adding_t *a, size_t bytes, size_t sent, size_t returned)
{
  struct stream *s = a->t->stream;
  if (!open_message(s)) return false;
  if (has_room(s, bytes * sent, bytes * returned)) return true;
  close_message(a->w, a->t, 0);
  if (rma_job.settings.strategy != RMA_LAZY) send_full(a->t);
  return open_message(s);
}

static bool add_long(adding_t *a, record_t r)
{
  bool sends = a->o->kind == OPERATION_PUT;
  r.flags = RECORD_LONG;
  r.tag = (uint64_t)wire_tag();
  if (!make_room(a, 0, 0, 0)) return false;
  if (!add_record(a, &r)) return false;
  if (!start_long(a->t, sends ? &a->from : &a->to, r.length, sends, (int)r.tag, a->asked))
    return false;
  if (rma_job.settings.strategy == RMA_LAZY) return true;
  close_message(a->w, a->t, 0);
  send_full(a->t);
  return true;
}

/* Adds one piece, in as many records as it needs. */
static bool add_piece(adding_t *a, record_t r, size_t sent, size_t returned)
{
  r.count = 1;
  r.flags &= ~RECORD_RUN;
  while (r.length > 0) {
    if (!make_room(a, a->unit, sent, returned)) return false;
    size_t room = room_for(a->t->stream, sent, returned) / a->unit * a->unit;
    record_t now = r;
    if (room < now.length) now.length = room;
    if (!add_record(a, &now)) return false;
    r.place += now.length;
    r.length -= now.length;
  }
  return true;
}

/* Adds pieces of one length at equal distances. */
static bool add_run(adding_t *a, record_t r)
{
  bool gets = a->o->kind == OPERATION_GET, puts = a->o->kind == OPERATION_PUT;
  size_t sent = gets || a->reads ? 0 : a->o->kind == OPERATION_COMPARE ? 2 : 1;
  size_t returned = returns_data(a->o);
  while (r.count > 0) {
    record_t now = r;
    now.count = 1;
    if (r.length >= LONG && (gets || puts)) {
      if (!add_long(a, now)) return false;
    } else {
      if (!make_room(a, a->unit, sent, returned)) return false;
      size_t pieces = room_for(a->t->stream, sent, returned) / r.length;
      if (pieces > 1 && r.count > 1) {
        now.count = pieces < r.count ? pieces : r.count;
        if (!add_record(a, &now)) return false;
      } else if (!add_piece(a, now, sent, returned)) {
        return false;
      }
    }
    r.place += now.count * (uint64_t)r.stride;
    r.count -= now.count;
  }
  return true;
}

static bool add_all(adding_t *a)
{
  const operation_t *o = a->o;
  layout_t *l = o->layout;
  record_t r = {.kind = o->kind, .op = o->op, .element = l->element, .count = 1};
  if (a->reads) r.flags = RECORD_READS;
  if (l->dense) {
    r.place = (uint64_t)o->offset;
    r.length = (uint64_t)o->bytes;
    return add_run(a, r);
  }
  for (int64_t i = 0; i < o->count; i++)
    for (size_t k = 0; k < l->n; k++) {
      const layout_run_t *run = &l->run[k];
      r.place = (uint64_t)(o->offset + i * l->extent + run->offset);
      r.length = (uint64_t)run->length;
      r.stride = run->stride;
      r.count = (uint64_t)run->count;
      r.flags = (a->reads ? RECORD_READS : 0) | (run->count > 1 ? RECORD_RUN : 0);
      if (!add_run(a, r)) return false;
    }
  return true;
}

/* Whether what is collected is enough for a message. */
static bool is_enough(const struct stream *s)
{
  switch (rma_job.settings.strategy) {
  case RMA_EAGER:
    return s->message || s->full;
  case RMA_LAZY:
    return false;
  default:
    return s->full || (s->message && (s->message->head.bytes >= (uint32_t)rma_job.settings.bytes ||
                                      s->returns >= (size_t)rma_job.settings.bytes));
  }
}

/* Adds an operation for which the program wants a request. */
static int add_with_request(adding_t *a, MPI_Request *out)
{
  asked_t *asked = a->asked = calloc(1, sizeof *asked);
  if (!asked) return out_of_memory();
  asked->left = 1; /* until all is added */
  int rc;
  while ((rc = request_new(out, &asked->tag)) == MPI_ERR_PENDING) {
    progress_unlock();
    progress_poll();
    progress_lock();
  }
  if (rc != MPI_SUCCESS) {
    free(asked);
    return rc;
  }
  if (a->o->bytes > 0 && !add_all(a)) rc = out_of_memory();
  end_part(asked);
  return rc;
}

int stream_operation(rma_window_t *w, rma_target_t *t, const operation_t *o, MPI_Request *request)
{
  adding_t a = {.w = w, .t = t, .o = o, .unit = 1};
  int rc = MPI_SUCCESS;
  bool reduces = o->kind >= OPERATION_ACCUMULATE;
  if (reduces && o->layout->unit > 0) a.unit = (size_t)o->layout->unit;
  a.reads = reduces && o->kind != OPERATION_COMPARE && apply_only_reads(o->op);
  if (o->from.layout) a.from = layout_walk(o->from.layout, o->from.base, o->from.count);
  if (o->to.layout) a.to = layout_walk(o->to.layout, o->to.base, o->to.count);
  progress_lock();
  struct stream *s = of_target(t);
  if (!s || (!request && o->bytes > 0 && !add_all(&a)))
    rc = out_of_memory();
  else if (request)
    rc = add_with_request(&a, request);
  if (s && (request || is_enough(s))) {
    if (s->message && s->message->head.bytes > 0) close_message(w, t, 0);
    send_full(t);
  }
  progress_unlock();
  return rc;
}

/* --- ends --- */

/* What the last message has to say. 0: none is needed. */
static int flags_of(const rma_window_t *w, const rma_target_t *t, stream_end_t end, bool *needed)
{
  const struct stream *s = t->stream;
  bool some = s && ((s->message && s->message->head.bytes > 0) || s->full);
  bool unchecked = w->access == ACCESS_LOCKED_ALL ? w->access_unchecked : t->lock == LOCK_UNCHECKED;
  switch (end) {
  case STREAM_LOCK:
    *needed = true;
    return WIRE_ANSWER;
  case STREAM_COMPLETE:
    *needed = true;
    return WIRE_COMPLETE;
  case STREAM_ACKNOWLEDGE:
    *needed = some || (s && s->unanswered);
    return WIRE_ANSWER;
  case STREAM_UNLOCK:
    *needed = some || (s && s->unanswered) || (t->held && !unchecked);
    return WIRE_ANSWER | (unchecked ? 0 : WIRE_UNLOCK);
  default:
    *needed = some;
    return 0;
  }
}

int stream_end(rma_window_t *w, int target, stream_end_t end)
{
  rma_target_t *t = &w->target[target];
  bool needed;
  bool always = end == STREAM_COMPLETE || end == STREAM_LOCK;
  if (t->way != WAY_MESSAGE || (!t->stream && !always)) return MPI_SUCCESS;
  progress_lock();
  struct stream *s = of_target(t);
  int rc = s ? MPI_SUCCESS : out_of_memory();
  if (s) {
    int flags = flags_of(w, t, end, &needed);
    bool some = s->message && s->message->head.bytes > 0;
    if (needed && (some || flags)) {
      if (!open_message(s))
        rc = out_of_memory();
      else
        close_message(w, t, flags);
    }
    send_full(t);
    if (end == STREAM_UNLOCK) t->held = false;
  }
  progress_unlock();
  return rc;
}

static bool is_answered(void *stream)
{
  const struct stream *s = stream;
  return __atomic_load_n(&s->under_way, __ATOMIC_ACQUIRE) == 0;
}

int stream_wait(rma_window_t *w, int target, bool local)
{
  rma_target_t *t = &w->target[target];
  struct stream *s = t->stream;
  (void)local;
  if (!s) return MPI_SUCCESS;
  if (!is_answered(s)) {
    if (t->lock != LOCK_NONE || w->access == ACCESS_LOCKED_ALL) progress_ring(t->world);
    progress_until(is_answered, s, t->world);
  }
  if (s->wrong == 0) return MPI_SUCCESS;
  int wrong = s->wrong;
  s->wrong = 0;
  return error_code(wrong,
                    "rank %d could not do an operation: it is outside of the memory that the "
                    "rank has attached, or not defined for its type",
                    target);
}

uint32_t stream_sent(rma_target_t *t)
{
  struct stream *s = t->stream;
  uint32_t sent = s ? s->sent : 0;
  if (s) s->sent = 0;
  return sent;
}

void stream_answered(rma_window_t *w, wire_message_t *m)
{
  struct stream *s =
      m->head.from >= 0 && m->head.from < w->size ? w->target[m->head.from].stream : NULL;
  expected_t *e = s ? s->expected : NULL;
  if (!e) return;
  s->expected = e->next;
  if (!s->expected) s->last = &s->expected;
  const char *at = m->data, *end = m->data + m->head.bytes;
  if (m->head.wrong && s->wrong == 0) s->wrong = m->head.wrong;
  for (size_t i = 0; i < e->n; i++) {
    landing_t *l = &e->landing[i];
    if ((size_t)(end - at) >= l->bytes) layout_copy_in(&l->walk, at, l->bytes);
    at += l->bytes <= (size_t)(end - at) ? l->bytes : (size_t)(end - at);
    end_part(l->asked);
  }
  free_expected(e);
  __atomic_fetch_sub(&s->under_way, 1, __ATOMIC_RELEASE);
}
