/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts operations into a stream, as records. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "rma/apply.h"
#include "rma/rma_progress.h"
#include "rma/rma_record.h"
#include "rma/rma_request.h"
#include "rma/stream_state.h"

#define RING_AGAIN 100e-6 /* seconds from a ring to the next one */

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
  return stream_skip(&a->to, bytes);
}

/* Whether a piece makes the last record longer. */
static bool continues(const struct stream *s, const record_t *r)
{
  const record_t *l = &s->record;
  return s->length && !(r->flags & (RECORD_RUN | RECORD_LONG)) && r->kind != OPERATION_COMPARE &&
         l->kind == r->kind && l->flags == r->flags && l->op == r->op && l->element == r->element &&
         r->place == s->place;
}

static void lengthen(struct stream *s, const record_t *r)
{
  record_lengthen(s->length, (uint32_t)r->length);
  s->record.length += r->length;
  s->place += r->length;
}

/* Writes a record. One that only says where it is can't be made longer, so one that begins where
 * the last one ends is whole. */
static size_t write_record(struct stream *s, const record_t *r, char *to)
{
  char *length = NULL;
  record_t written = *r;
  if (r->place != s->place && record_is_same(r, &s->record)) written.flags |= RECORD_SAME;
  size_t n = record_write(&written, &s->place, to, &length);
  s->length = length;
  s->record = *r;
  return n;
}

/* Adds a record with the next of the origin's data, for which there is room. */
static bool add_record(adding_t *a, const record_t *r)
{
  struct stream *s = a->t->stream;
  mail_message_t *m = s->message;
  char *end = m->data + m->head.bytes;
  size_t bytes = (size_t)record_bytes(r);
  if (continues(s, r)) {
    lengthen(s, r);
  } else {
    end += write_record(s, r, end);
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
  if (!stream_open(s)) return false;
  if (stream_has_room(s, bytes * sent, bytes * returned)) return true;
  stream_close(a->w, a->t, 0);
  if (rma_job.settings.strategy != RMA_LAZY) stream_send(a->w, a->t);
  return stream_open(s);
}

/* Long data travel when the target has asked for them: its thread should do so at once. It stays
 * awake while data come. */
static void ring(rma_target_t *t)
{
  struct stream *s = t->stream;
  double now = clock_s();
  if (now - s->rang < RING_AGAIN) return;
  s->rang = now;
  progress_ring(t->world);
}

static bool add_long(adding_t *a, record_t r)
{
  bool sends = a->o->kind == OPERATION_PUT;
  stream_make_way(a->w, a->t);
  r.flags = RECORD_LONG;
  r.tag = (uint64_t)mail_tag();
  if (!make_room(a, 0, 0, 0)) return false;
  if (!add_record(a, &r)) return false;
  if (!stream_long(a->t, sends ? &a->from : &a->to, r.length, sends, (int)r.tag, a->asked))
    return false;
  if (rma_job.settings.strategy == RMA_LAZY) return true;
  stream_close(a->w, a->t, 0);
  stream_send(a->w, a->t);
  ring(a->t);
  return true;
}

/* Adds one piece, in as many records as it needs. */
static bool add_piece(adding_t *a, record_t r, size_t sent, size_t returned)
{
  r.count = 1;
  r.flags &= ~RECORD_RUN;
  while (r.length > 0) {
    if (!make_room(a, a->unit, sent, returned)) return false;
    size_t room = stream_room(a->t->stream, sent, returned) / a->unit * a->unit;
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
    if (r.length >= STREAM_LONG && (gets || puts)) {
      if (!add_long(a, now)) return false;
    } else {
      if (!make_room(a, a->unit, sent, returned)) return false;
      size_t pieces = stream_room(a->t->stream, sent, returned) / r.length;
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
static bool is_enough(struct stream *s)
{
  switch (rma_job.settings.strategy) {
  case RMA_EAGER:
    return s->message || s->full;
  case RMA_LAZY:
    return false;
  default:
    return s->full || (s->message && threshold_is_enough(&s->threshold, stream_bytes(s)));
  }
}

/* Adds an operation for which the program wants a request. */
static int add_with_request(adding_t *a, MPI_Request *out)
{
  asked_t *asked = a->asked = calloc(1, sizeof *asked);
  if (!asked) return stream_no_memory();
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
  if (a->o->bytes > 0 && !add_all(a)) rc = stream_no_memory();
  stream_end_part(asked);
  return rc;
}

bool stream_put_on(rma_window_t *w, rma_target_t *t, const char *from, uint64_t place, size_t bytes)
{
  struct stream *s = stream_there(t);
  bool done = false;
  if (!s || bytes >= STREAM_LONG || rma_job.settings.strategy == RMA_EAGER) return false;
  progress_lock();
  record_t r = {.kind = OPERATION_PUT,
                .op = s->record.op,
                .element = s->record.element,
                .place = place,
                .length = bytes,
                .count = 1};
  bool goes_on = s->message && continues(s, &r);
  if (goes_on || (s->message && record_is_same(&r, &s->record))) {
    mail_message_t *m = s->message;
    if ((done = stream_has_room(s, bytes, 0))) {
      char *end = m->data + m->head.bytes;
      if (goes_on)
        lengthen(s, &r);
      else
        end += write_record(s, &r, end);
      memcpy(end, from, bytes);
      m->head.bytes = (uint32_t)(end + bytes - m->data);
      threshold_add(&s->threshold, bytes);
      rma_count(RMA_SENT);
    }
    if (done && is_enough(s)) {
      stream_close(w, t, 0);
      stream_send(w, t);
    }
  }
  progress_unlock();
  return done;
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
  struct stream *s = stream_of(w, t);
  if (s && o->bytes < STREAM_LONG) threshold_add(&s->threshold, (size_t)o->bytes);
  if (!s || (!request && o->bytes > 0 && !add_all(&a)))
    rc = stream_no_memory();
  else if (request)
    rc = add_with_request(&a, request);
  if (s && (request || is_enough(s))) {
    if (s->message && s->message->head.bytes > 0) stream_close(w, t, 0);
    stream_send(w, t);
  }
  progress_unlock();
  return rc;
}
