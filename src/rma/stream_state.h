/* SPDX-License-Identifier: BSD-3-Clause */
/* What a stream has, for its own files. The caller of all functions has the lock of rma_progress.h.
 */
#ifndef BERTH_RMA_STREAM_STATE_H
#define BERTH_RMA_STREAM_STATE_H

#include "rma/mail.h"
#include "rma/rma_record.h"
#include "rma/stream.h"
#include "rma/threshold.h"

enum { STREAM_LONG = 8 * 1024 }; /* bytes that lie together and go as long data */

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
  mail_message_t *message;           /* being filled; NULL: none */
  mail_message_t *full, **last_full; /* those before it that aren't sent yet, */
  long_data_t *data, **last_data;    /* and the long data behind them */
  expected_t *opening;               /* of `message`: what is to come back; NULL: nothing */
  size_t returns;                    /* bytes of it */
  expected_t *expected, **last;      /* of messages that were sent */
  uint64_t place;                    /* the end of the last record */
  record_t record;                   /* the last one; count 0: there is none in this message */
  char *length;                      /* where its length is, if it can be made longer */
  int under_way;                     /* long data, and replies; others look without the lock */
  threshold_t threshold;
  double rang;     /* when this rank rang at the target for long data */
  uint32_t sent;   /* messages of fences' epochs */
  bool unanswered; /* there were messages since the last one with a reply */
  int wrong;       /* the first error class of a reply */
};

/* Bytes of the message that is being filled, or that come back for it, whichever are more. */
static inline size_t stream_bytes(const struct stream *s)
{
  size_t bytes = s->message->head.bytes;
  return bytes > s->returns ? bytes : s->returns;
}

/* A target's stream, if there is one: needs no lock. */
static inline struct stream *stream_there(const rma_target_t *t)
{
  return __atomic_load_n(&t->stream, __ATOMIC_ACQUIRE);
}

/* A target's stream; NULL: memory is out. */
struct stream *stream_of(const rma_window_t *w, rma_target_t *t);
/* The code of that. */
int stream_no_memory(void);
/* A part of an operation for which the program has a request is over; NULL: it has none. */
void stream_end_part(asked_t *a);

/* Opens a message, if none is open. False: memory is out. */
bool stream_open(struct stream *s);
/* The message is full, or to be sent, with flags. */
void stream_close(rma_window_t *w, rma_target_t *t, int flags);
/* Sends those that are closed, and the long data behind them. If much is under way, it waits for
 * that, and others may have the lock meanwhile. */
void stream_send(rma_window_t *w, rma_target_t *t);
/* Waits until more long data may be under way, likewise. */
void stream_make_way(rma_window_t *w, const rma_target_t *t);
/* Whether a record with so many bytes of data, and for what it returns, fits into the message. */
bool stream_has_room(const struct stream *s, size_t sent, size_t returned);
/* Bytes at the target that fit, if each has so many that go with it, and that come back. */
size_t stream_room(const struct stream *s, size_t sent, size_t returned);
/* Goes on by so many bytes. False: there are fewer. */
bool stream_skip(layout_walk_t *walk, size_t bytes);
/* Long data of an operation: sent behind the messages that are closed, or received at once. False:
 * memory is out. */
bool stream_long(rma_target_t *t, layout_walk_t *walk, size_t bytes, bool sends, int tag,
                 asked_t *asked);

#endif
