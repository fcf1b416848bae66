/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between processes: the MPI's, on a communicator of berth's own. Short ones arrive in the
 * order in which they were sent; long data go from memory to memory. The caller of all functions
 * has the lock of progress.h. */
#ifndef BERTH_RMA_WIRE_H
#define BERTH_RMA_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_ROOM = 16 * 1024 - 64 }; /* bytes behind a head */

typedef enum wire_kind { WIRE_OPERATIONS, WIRE_REPLY, WIRE_COUNTS } wire_kind_t;
/* What epoch operations are of. */
typedef enum wire_sync { WIRE_FENCE, WIRE_STARTED, WIRE_LOCKED } wire_sync_t;
enum {
  WIRE_LOCK = 1,      /* for shared use, */
  WIRE_EXCLUSIVE = 2, /* with this: for this origin alone; before the operations */
  WIRE_UNLOCK = 4,    /* behind them */
  WIRE_COMPLETE = 8,  /* the origin's access epoch is over */
  WIRE_ANSWER = 16,   /* a reply is to come when all is done */
};

typedef struct wire_head {
  uint8_t kind, sync, flags, wrong; /* wrong, of a reply: an error class, or 0 */
  int32_t window;                   /* the receiver's number */
  int32_t from;                     /* the sender's rank in the window */
  uint32_t epoch; /* of operations: the fence, or the access epoch; of counts: the fence */
  uint32_t round; /* of counts */
  uint32_t at;    /* of counts: where they belong */
  uint32_t bytes; /* behind the head */
} wire_head_t;

typedef struct wire_message {
  struct wire_message *next; /* for whoever has it */
  wire_head_t head;
  char data[WIRE_ROOM];
} wire_message_t;

/* NULL: memory is out. */
wire_message_t *wire_new(void);
void wire_free(wire_message_t *m);
/* To a rank of MPI_COMM_WORLD. The message is the wire's from now on. */
void wire_send(wire_message_t *m, int to);

/* What is called when long data are sent, or here; `rc` is the MPI's code. */
typedef void wire_done_t(void *context, int rc);
/* A tag for long data, which the sender tells the receiver. */
int wire_tag(void);
/* False: memory is out, or the MPI failed; `done` isn't called. */
bool wire_send_data(const char *from, size_t bytes, int to, int tag, wire_done_t *done,
                    void *context);
bool wire_receive_data(char *to, size_t bytes, int from, int tag, wire_done_t *done, void *context);

/* Opens the wire, if it isn't open; all ranks that may get messages do so. */
bool wire_open(void);
void wire_close(void);
/* Gives messages that have come to `handle`, whose they are from then on. Whether there was any, or
 * long data came to their end. */
bool wire_poll(void (*handle)(wire_message_t *m));
/* Whether long data, or short messages of this rank, are under way. */
bool wire_is_busy(void);

#endif
