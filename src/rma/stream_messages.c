/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of a stream, and the long data behind them. */
#include <stdlib.h>

#include "base/clock.h"
#include "rma/rma_progress.h"
#include "rma/rma_record.h"
#include "rma/rma_request.h"
#include "rma/stream_state.h"

/* What the message says of its epoch, and of a lock that isn't asked for yet. */
static void address(rma_window_t *w, rma_target_t *t, mail_head_t *h)
{
  struct stream *s = t->stream;
  lock_kind_t lock = t->lock;
  h->kind = MAIL_OPERATIONS;
  h->window = t->window;
  h->from = w->rank;
  if (w->access == ACCESS_LOCKED_ALL) lock = w->access_unchecked ? LOCK_UNCHECKED : LOCK_SHARED;
  if (lock != LOCK_NONE) {
    h->sync = MAIL_LOCKED;
    if (!t->held && lock != LOCK_UNCHECKED) {
      int own = w->access == ACCESS_LOCKED_ALL ? 0 : 1;
      bool others = __atomic_load_n(&window_locks, __ATOMIC_RELAXED) > own;
      h->flags |=
          MAIL_LOCK | (lock == LOCK_EXCLUSIVE ? MAIL_EXCLUSIVE : 0) | (others ? MAIL_AT_ONCE : 0);
      t->held = true;
    }
  } else if (w->access == ACCESS_STARTED) {
    h->sync = MAIL_STARTED;
    h->epoch = t->starts;
  } else {
    h->sync = MAIL_FENCE;
    h->epoch = w->fences;
    s->sent++;
  }
}

void stream_close(rma_window_t *w, rma_target_t *t, int flags)
{
  struct stream *s = t->stream;
  mail_message_t *m = s->message;
  threshold_gone(&s->threshold, stream_bytes(s));
  m->head.flags = (uint8_t)(flags | (s->opening ? MAIL_ANSWER : 0));
  address(w, t, &m->head);
  s->unanswered = !(m->head.flags & MAIL_ANSWER);
  if (m->head.flags & MAIL_ANSWER) {
    if (!s->opening) s->opening = calloc(1, sizeof *s->opening);
    if (!s->opening) mpi.Abort(mpi.comm_world, 1); /* the reply would be another one's */
    *s->last = s->opening;
    s->last = &s->opening->next;
    s->opening = NULL;
    __atomic_fetch_add(&s->under_way, 1, __ATOMIC_RELAXED);
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
  stream_end_part(d->asked);
  free(d->room);
  free(d);
  __atomic_fetch_sub(&s->under_way, 1, __ATOMIC_RELEASE);
}

/* Sends a message, and now and then looks how long that takes. */
static void send(mail_message_t *m, int world)
{
  enum { TURNS = 8, SMALL = 2048 };
  static int turn;
  bool looks = m->head.bytes <= SMALL && ++turn % TURNS == 0;
  double begin = looks ? clock_s() : 0;
  mail_send(m, world);
  if (looks) threshold_learn(clock_s() - begin);
}

/* --- how much may be under way --- */

/* Short messages, and long data, of this process. With more, the MPI takes long to look through
 * them. Open MPI numbers its messages with 16 bits, and loses some of more. */
enum { MOST_UNDER_WAY = 512 };

static bool has_way(void *for_data)
{
  progress_lock();
  mail_count_t n = mail_count();
  progress_unlock();
  return (for_data ? n.data : n.messages) <= MOST_UNDER_WAY / 2;
}

/* Targets receive short messages whatever epochs they are in. */
static void make_way(const rma_target_t *t, bool for_data)
{
  progress_unlock();
  progress_ring(t->world);
  progress_until(has_way, for_data ? &for_data : NULL, t->world);
  progress_lock();
}

static void send_messages(rma_target_t *t, bool waits)
{
  struct stream *s = t->stream;
  while (s->full) {
    if (UNLIKELY(waits && mail_count().messages >= MOST_UNDER_WAY)) make_way(t, false);
    mail_message_t *m = s->full;
    if (!m) return; /* another thread has sent it */
    s->full = m->next;
    if (!s->full) s->last_full = &s->full;
    m->next = NULL;
    send(m, t->world);
  }
}

static void send_collected(rma_window_t *w, bool waits)
{
  for (int i = 0; i < w->size; i++) {
    rma_target_t *t = &w->target[i];
    if (!t->stream) continue;
    if (t->stream->message && t->stream->message->head.bytes > 0) stream_close(w, t, 0);
    send_messages(t, waits);
  }
}

/* Another thread may free another window while this one waits. */
static void send_at_once(rma_window_t *w) { send_collected(w, false); }

void stream_make_way(rma_window_t *w, const rma_target_t *t)
{
  if (LIKELY(mail_count().data < MOST_UNDER_WAY)) return;
  send_collected(w, true); /* what is under way may wait for messages that haven't been sent */
  windows_each(send_at_once);
  make_way(t, true);
}

void stream_send(rma_window_t *w, rma_target_t *t)
{
  struct stream *s = t->stream;
  send_messages(t, true);
  while (s->data) {
    stream_make_way(w, t);
    long_data_t *d = s->data;
    if (!d) return; /* another thread has sent them */
    s->data = d->next;
    if (!s->data) s->last_data = &s->data;
    if (!mail_send_data(d->at, d->bytes, t->world, d->tag, end_long, d))
      end_long(d, MPI_ERR_NO_MEM);
  }
}

bool stream_open(struct stream *s)
{
  if (s->message) return true;
  s->message = mail_new();
  s->place = 0;
  s->length = NULL;
  s->record.count = 0;
  threshold_opened(&s->threshold);
  return s->message != NULL;
}

bool stream_has_room(const struct stream *s, size_t sent, size_t returned)
{
  return s->message->head.bytes + RECORD_MOST + sent <= MAIL_ROOM &&
         s->returns + returned <= MAIL_ROOM;
}

size_t stream_room(const struct stream *s, size_t sent, size_t returned)
{
  size_t room = MAIL_ROOM - s->message->head.bytes, back = MAIL_ROOM - s->returns;
  room = sent == 0 ? SIZE_MAX : room > RECORD_MOST ? (room - RECORD_MOST) / sent : 0;
  return returned > 0 && back < room ? back : room;
}

/* --- long data --- */

bool stream_skip(layout_walk_t *walk, size_t bytes)
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
  return stream_skip(walk, d->bytes);
}

bool stream_long(rma_target_t *t, layout_walk_t *walk, size_t bytes, bool sends, int tag,
                 asked_t *asked)
{
  struct stream *s = t->stream;
  long_data_t *d = calloc(1, sizeof *d);
  if (!d) return false;
  *d = (long_data_t){.stream = s, .bytes = bytes, .tag = tag, .asked = asked};
  if (!take_long(d, walk, sends) ||
      (!sends && !mail_receive_data(d->at, bytes, t->world, tag, end_long, d))) {
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
  __atomic_fetch_add(&s->under_way, 1, __ATOMIC_RELAXED);
  return true;
}
