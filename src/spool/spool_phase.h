/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of the tracer's tables about phases, ranks' programs in them, and segments. */
#ifndef BERTH_SPOOL_PHASE_H
#define BERTH_SPOOL_PHASE_H

#include "spool/spool_format.h"

/* The state of a rank's program in a phase's first occurrence. */
typedef enum spool_order {
  SPOOL_ORDER_NONE,    /* not requested */
  SPOOL_ORDER_KEPT,    /* complete in SPOOL_STEPS */
  SPOOL_ORDER_LONG,    /* longer than SPOOL_MAX_STEPS */
  SPOOL_ORDER_NO_ROOM, /* no room for the programs of all phases, or for all requests */
  SPOOL_ORDER_THREADS  /* several threads took steps: there is no order */
} spool_order_t;

/* A phase of the rank. Phase 0 may have messages and calls without such a record. */
typedef struct spool_phase {
  uint32_t id;
  uint32_t order;   /* spool_order_t */
  uint64_t begun;   /* occurrences; 1 for phase 0 */
  uint64_t pending; /* if the program ends with a loop: how many single steps of one more iteration
                       were taken */
  uint64_t unused;
} spool_phase_t;

/* What a rank does, as in berth_step_kind_t. */
typedef enum spool_step_kind {
  SPOOL_STEP_SEND,
  SPOOL_STEP_SENT,
  SPOOL_STEP_RECEIVE,
  SPOOL_STEP_POSTED,
  SPOOL_STEP_ARRIVED,
  SPOOL_STEP_MEET,
  SPOOL_STEP_FROM_ROOT,
  SPOOL_STEP_TO_ROOT,
  SPOOL_STEP_LOOP,
  SPOOL_STEP_KINDS /* their number */
} spool_step_kind_t;

#define SPOOL_ANY_RANK 0xffffffffu

/* The mode of a send is the sum of these, as in berth_step_t. */
enum {
  SPOOL_SEND_BLOCKS = 1,        /* the call returned after its message had gone */
  SPOOL_SEND_NEEDS_RECEIVE = 2, /* the message goes after its receive was posted */
  SPOOL_SEND_MODES = 4          /* their number */
};

/* The mode of a receive. */
enum {
  SPOOL_RECEIVE_FIRST = 1 /* a probe for messages of any rank had found its message: the first to
                             come */
};

/* The mode of a collective call: its spool_coll_t.op, and if it is a part of a non-blocking one: */
enum {
  SPOOL_CALL_BEGINS = 0x4000, /* the rank has come */
  SPOOL_CALL_ENDS = 0x8000,   /* it waited */
  SPOOL_CALL_OP = 0x3fff
};

/* Consecutive equal steps of a rank in a phase's first occurrence, or a loop. A phase's records are
 * in the order of the steps, in one block; the records of a loop's body follow the loop's. What a
 * kind doesn't use is 0. */
typedef struct spool_step {
  uint32_t phase;
  uint16_t kind; /* spool_step_kind_t */
  uint16_t mode; /* of a send: SPOOL_SEND_…; of a receive: 0 or SPOOL_RECEIVE_FIRST; of a collective
                    call: see above */
  uint32_t peer; /* world rank or SPOOL_ANY_RANK; for collective calls, identity of a spool_comm
                    or 0 */
  uint32_t root; /* world rank */
  uint64_t size; /* bytes of a message; of a collective call, as in spool_coll_t; for a loop,
                    records of its body */
  uint64_t times;
} spool_step_t;

/* A run in the sequence of the rank's segment classes. If `back` is 0, `times` segments are of
 * class `number`. Otherwise each segment has the class of the one `back` segments before. Class
 * 0 means that there was no room for a class. If there is no room for more records, the last
 * segments are missing. */
typedef struct spool_segments {
  uint32_t back, number;
  uint64_t times;
} spool_segments_t;

/* A class of a rank's segments. */
typedef struct spool_class {
  uint32_t number, unused;
  uint64_t times; /* number of segments */
  uint64_t sum;   /* of hashes of the segments' numbers: if two ranks' classes agree in `times` and
                     `sum`, they have the same segments */
} spool_class_t;

/* The state of the automatic phases that were requested. */
typedef enum spool_auto_state {
  SPOOL_AUTO_KEPT,
  SPOOL_AUTO_PCONTROL, /* the program tells phases apart itself */
  SPOOL_AUTO_THREADS,  /* several threads made collective calls of all ranks */
  SPOOL_AUTO_NO_ROOM   /* for later segments */
} spool_auto_state_t;

typedef struct spool_auto {
  uint32_t state;    /* spool_auto_state_t */
  uint32_t counting; /* class that is getting a segment, which the sequence lacks yet; or 0 */
} spool_auto_t;

_Static_assert(sizeof(spool_phase_t) == 32 && sizeof(spool_step_t) == 32, "two to a cache line");

#endif
