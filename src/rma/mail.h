/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between processes: the MPI's, on a communicator of berth's own. Short ones arrive in the
 * order in which they were sent; long data go from memory to memory. The caller of all functions
 * has the lock of rma_progress.h. */
#ifndef BERTH_RMA_MAIL_H
#define BERTH_RMA_MAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAIL_ROOM = 16 * 1024 - 64 }; /* bytes behind a head */
enum { MAIL_NETWORK = 2 };           /* a tag that isn't the mail's */

typedef enum mail_kind { MAIL_OPERATIONS, MAIL_REPLY, MAIL_COUNTS } mail_kind_t;
/* What epoch operations are of. */
typedef enum mail_sync { MAIL_FENCE, MAIL_STARTED, MAIL_LOCKED } mail_sync_t;
enum {
  MAIL_LOCK = 1,      /* for shared use, */
  MAIL_EXCLUSIVE = 2, /* with this: for this origin alone; before the operations */
  MAIL_UNLOCK = 4,    /* behind them */
  MAIL_COMPLETE = 8,  /* the origin's access epoch is over */
  MAIL_ANSWER = 16,   /* a reply is to come when all is done */
  MAIL_AT_ONCE = 32,  /* for shared use, before others who wait for it alone */
};

typedef struct mail_head {
  uint8_t kind, sync, flags, wrong; /* wrong, of a reply: an error class, or 0 */
  int32_t window;                   /* the receiver's number */
  int32_t from;                     /* the sender's rank in the window */
  uint32_t epoch; /* of operations: the fence, or the access epoch; of counts: the fence */
  uint32_t round; /* of counts */
  uint32_t at;    /* of counts: where they belong */
  uint32_t bytes; /* behind the head */
} mail_head_t;

typedef struct mail_message {
  struct mail_message *next; /* for whoever has it */
  mail_head_t head;
  char data[MAIL_ROOM];
} mail_message_t;

/* NULL: memory is out. */
mail_message_t *mail_new(void);
void mail_free(mail_message_t *m);
/* To a rank of MPI_COMM_WORLD. The message is the mail's from now on. */
void mail_send(mail_message_t *m, int to);

/* What is called when long data are sent, or here; `rc` is the MPI's code. */
typedef void mail_done_t(void *context, int rc);
/* A tag for long data, which the sender tells the receiver. */
int mail_tag(void);
/* False: memory is out, or the MPI failed; `done` isn't called. */
bool mail_send_data(const char *from, size_t bytes, int to, int tag, mail_done_t *done,
                    void *context);
bool mail_receive_data(char *to, size_t bytes, int from, int tag, mail_done_t *done, void *context);

/* Opens the mail, if it isn't open; all ranks that may get messages do so. */
bool mail_open(void);
void mail_close(void);
/* Gives messages that have come to `handle`, whose they are from then on. Whether there was any, or
 * long data came to their end. */
bool mail_poll(void (*handle)(mail_message_t *m));
/* Whether long data, or short messages of this rank, are under way; bytes of long data; how many
 * there are of each. */
bool mail_is_busy(void);
size_t mail_under_way(void);
typedef struct mail_count {
  int messages, data;
} mail_count_t;
mail_count_t mail_count(void);

#endif
