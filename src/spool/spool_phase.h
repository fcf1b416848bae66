/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of the tracer's tables about phases, orders of sends and segments. */
#ifndef BERTH_SPOOL_PHASE_H
#define BERTH_SPOOL_PHASE_H

#include "spool/spool_format.h"

/* The state of the order in which a rank's sends were issued in a phase's first occurrence. */
typedef enum spool_order {
  SPOOL_ORDER_NONE,    /* not requested */
  SPOOL_ORDER_KEPT,    /* complete in SPOOL_SENDS */
  SPOOL_ORDER_LONG,    /* longer than SPOOL_MAX_SENDS */
  SPOOL_ORDER_NO_ROOM, /* no room for the orders of all phases */
  SPOOL_ORDER_THREADS  /* several threads sent: there is no order */
} spool_order_t;

/* A phase of the rank. Phase 0 may have messages and calls without such a record. */
typedef struct spool_phase {
  uint32_t id;
  uint32_t order; /* spool_order_t */
  uint64_t begun; /* occurrences; 1 for phase 0 */
  uint64_t unused[2];
} spool_phase_t;

/* Consecutive equal sends in a phase's first occurrence. A phase's records are in the order of
 * issue; records of other phases may be in between. */
typedef struct spool_send {
  uint32_t dst, phase;
  uint64_t size;
  uint64_t times;
  uint32_t blocking; /* 1: the call returned after its message had gone */
  uint32_t unused;
} spool_send_t;

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

_Static_assert(sizeof(spool_phase_t) == 32 && sizeof(spool_send_t) == 32, "two to a cache line");

#endif
