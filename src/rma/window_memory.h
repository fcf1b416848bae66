/* SPDX-License-Identifier: BSD-3-Clause */
/* What the ranks of a window that are on one host share: their locks, counters of their epochs, and
 * the memory of windows that the MPI would allocate. */
#ifndef BERTH_RMA_WINDOW_MEMORY_H
#define BERTH_RMA_WINDOW_MEMORY_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shared_file.h"
#include "base/wait_word.h"

/* A lock of one rank's part of the window. `state` is the number of those that share it, or
 * WINDOW_LOCKED. */
typedef struct window_lock {
  _Atomic uint32_t state;
  _Atomic uint32_t waiters; /* for a release */
  _Atomic uint32_t writers; /* of these: who want it for themselves */
  _Atomic int32_t away;     /* of these: hosts' whose messages wait at the rank */
  wait_word_t released;     /* rises if there are waiters */
} window_lock_t;

enum { WINDOW_LOCKED = 1u << 31, WINDOW_REGIONS = 1024 };

/* How a lock is asked for. Who shares it lets those go first who wait for it alone, or they might
 * never get it; but not who has other locks already: others may wait for these. */
typedef enum window_lock_use {
  WINDOW_ALONE,
  WINDOW_SHARED,
  WINDOW_SHARED_AT_ONCE
} window_lock_use_t;

/* Memory that a dynamic window has. */
typedef struct window_region {
  uint64_t begin, bytes;
} window_region_t;

/* What each rank of the host has. */
typedef struct window_member {
  alignas(128) window_lock_t lock;
  alignas(64) _Atomic uint32_t reducing; /* 1: somebody reduces into its memory */
  alignas(64) wait_word_t opened;        /* fences that it has left */
  _Atomic uint32_t changes;              /* of regions: odd while they change */
  _Atomic uint32_t n_regions;
  int process; /* its number in the system */
} window_member_t;

typedef struct window_head {
  shared_file_t unused;                 /* the file begins with its mark */
  alignas(64) _Atomic uint32_t arrived; /* ranks of this host in fences, all fences together */
  alignas(64) wait_word_t all_here;     /* fences in which they all are */
  wait_word_t ended;                    /* fences that ranks may leave, as far as others know */
} window_head_t;

typedef struct window_memory {
  int n, me;  /* ranks of this host, and this one's place */
  int *rank;  /* of each: its rank in the window, */
  int *world; /* and in MPI_COMM_WORLD */
  void *mapped;
  size_t bytes;
  window_head_t *head;
  window_member_t *member;
  wait_word_t *post;       /* [target * n + origin]: how often it was named by MPI_Win_post */
  wait_word_t *complete;   /* [target * n + origin]: how often it has completed */
  window_region_t *region; /* [member * WINDOW_REGIONS + i], of dynamic windows; else NULL */
  _Atomic uint32_t *sent;  /* [(fence % 2) * ranks + rank]: messages for it in the fence's epoch
                            */
  uint32_t *expected;      /* [(fence % 2) * n + member]: messages that come, of all hosts */
  struct inbox *inbox;     /* [member * INBOXES + which]; NULL: nothing is left to targets */
  char *data;              /* of all ranks' parts; NULL: there are none */
} window_memory_t;

/* What decides how large it is. */
typedef struct window_plan {
  int n, ranks; /* of this host, of the window */
  bool dynamic, inboxes;
  const size_t *part; /* bytes of data of each member */
  bool together;      /* parts follow one another without gaps */
} window_plan_t;

/* Bytes of the whole, and where a member's data begin, from `data` on. */
size_t window_memory_bytes(const window_plan_t *p, size_t *data);
size_t window_memory_part(const window_plan_t *p, int member);

/* Maps it. False: errno says why. */
bool window_memory_map(window_memory_t *m, const window_plan_t *p, const shared_file_t *file);
void window_memory_unmap(window_memory_t *m);

static inline window_lock_use_t window_lock_use(bool alone, bool has_others)
{
  return alone ? WINDOW_ALONE : has_others ? WINDOW_SHARED_AT_ONCE : WINDOW_SHARED;
}

/* Takes and gives back a lock; `member` is for the line that says who is waited for. */
void window_lock_take(window_lock_t *l, window_lock_use_t use, int member);
bool window_lock_try(window_lock_t *l, window_lock_use_t use);
/* Whether ranks of other hosts wait for it, whose messages the rank has. */
bool window_lock_release(window_lock_t *l, bool exclusive);

/* Only one process at a time reduces into a rank's memory. */
void window_reduce_begin(window_member_t *m);
static inline void window_reduce_end(window_member_t *m)
{
  atomic_store_explicit(&m->reducing, 0, memory_order_release);
}

/* Whether a dynamic window's rank has attached all of these bytes. */
bool window_memory_attached(const window_memory_t *m, int member, uint64_t begin, uint64_t bytes);

#endif
