/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/stream.h"

#include <stdlib.h>

#include "rma/rma_error.h"
#include "rma/rma_progress.h"
#include "rma/rma_request.h"
#include "rma/rma_tuning.h"
#include "rma/stream_state.h"

int stream_no_memory(void) { return error_code(MPI_ERR_NO_MEM, "memory is out"); }

struct stream *stream_of(const rma_window_t *w, rma_target_t *t)
{
  if (LIKELY(t->stream != NULL)) return t->stream;
  struct stream *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  rma_tuning_begin(&s->threshold, w->size, w->n_hosts);
  s->last = &s->expected;
  s->last_full = &s->full;
  s->last_data = &s->data;
  __atomic_store_n(&t->stream, s, __ATOMIC_RELEASE);
  return s;
}

void stream_end_part(asked_t *a)
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

void stream_free(const rma_window_t *w, struct stream *s)
{
  if (!s) return;
  rma_tuning_add(&s->threshold, w->size, w->n_hosts);
  free_expected(s->opening);
  while (s->expected) {
    expected_t *e = s->expected;
    s->expected = e->next;
    free_expected(e);
  }
  mail_free(s->message);
  while (s->full) {
    mail_message_t *m = s->full;
    s->full = m->next;
    mail_free(m);
  }
  free(s);
}

bool stream_begin(void) { return progress_begin(); }

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
    return MAIL_ANSWER;
  case STREAM_COMPLETE:
    *needed = true;
    return MAIL_COMPLETE;
  case STREAM_ACKNOWLEDGE:
    *needed = some || (s && s->unanswered);
    return MAIL_ANSWER;
  case STREAM_UNLOCK:
    *needed = some || (s && s->unanswered) || (t->held && !unchecked);
    return MAIL_ANSWER | (unchecked ? 0 : MAIL_UNLOCK);
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
  if (t->way != WAY_MESSAGE || (!stream_there(t) && !always)) return MPI_SUCCESS;
  progress_lock();
  struct stream *s = stream_of(w, t);
  int rc = s ? MPI_SUCCESS : stream_no_memory();
  if (s) {
    int flags = flags_of(w, t, end, &needed);
    bool some = s->message && s->message->head.bytes > 0;
    if (needed && (some || flags)) {
      if (!stream_open(s))
        rc = stream_no_memory();
      else
        stream_close(w, t, flags);
    }
    stream_send(w, t);
    threshold_end(&s->threshold);
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
  struct stream *s = stream_there(t);
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
  struct stream *s = stream_there(t);
  uint32_t sent = s ? s->sent : 0;
  if (s) s->sent = 0;
  return sent;
}

void stream_answered(rma_window_t *w, mail_message_t *m)
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
    stream_end_part(l->asked);
  }
  free_expected(e);
  __atomic_fetch_sub(&s->under_way, 1, __ATOMIC_RELEASE);
}
