/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of a communicator that share memory, and what they do there.
 *
 * Each member has a ring of places that it alone writes, and all read. Calls are divided into
 * steps, which all members count alike. In a step a member may put something into its place of that
 * step, or get what others have put. A place is written again only when all have done the step
 * before. These are the primitives of M.-S. Wu's dissertation (2005), section 2.3: Sender_put and
 * Receiver_get are host_put and host_get, Pair_sync and Group_sync waiting for puts; in Group_get
 * all get from one member, in Group_seg_get and Group_seg_put each gets and puts a slice. */
#ifndef BERTH_COLL_HOST_H
#define BERTH_COLL_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "coll/coll_wait.h"

enum {
  HOST_PLACES = 4,       /* of each member */
  HOST_SMALL = 48,       /* bytes that fit beside the number of the step, in the same line */
  HOST_ROOM = 32 * 1024, /* bytes of a place for more */
  HOST_ALL = 8           /* so many members may all look at each other */
};

typedef struct host_place {
  _Alignas(64) wait_word_t put; /* the last step that something was put for */
  _Alignas(16) char small[HOST_SMALL];
} host_place_t;

typedef struct host_member {
  host_place_t place[HOST_PLACES];
  _Alignas(64) wait_word_t done; /* the last step that the member has done */
} host_member_t;

typedef struct host {
  int n, me;
  int *rank; /* of each member in MPI_COMM_WORLD; borrowed */
  host_member_t *member;
  char *rooms;      /* of all members */
  size_t mapped;    /* bytes */
  uint32_t step;    /* of the current call */
  uint32_t all_did; /* a step that all have done */
} host_t;

/* Memory for n members as a file without a name; -1 and errno: there is none. */
int host_memory_new(int n);
/* Maps the memory that another process has as that file, or this one's. False: errno says why. */
bool host_map(host_t *h, int process, int file);
void host_unmap(host_t *h);

/* The next step. */
static inline uint32_t host_begin(host_t *h) { return ++h->step; }

/* Ends the steps up to this one. */
static inline void host_end(host_t *h)
{
  wait_word_t *done = &h->member[h->me].done;
  atomic_store_explicit(&done->value, h->step, memory_order_release);
  if (UNLIKELY(atomic_load_explicit(&done->sleepers, memory_order_relaxed))) wait_wake(done);
}

static inline host_place_t *host_place(const host_t *h, int member, uint32_t step)
{
  return &h->member[member].place[step % HOST_PLACES];
}

static inline char *host_room(const host_t *h, int member, uint32_t step)
{
  return h->rooms + ((size_t)member * HOST_PLACES + step % HOST_PLACES) * HOST_ROOM;
}

/* Where so many bytes of a step are. */
static inline char *host_bytes(const host_t *h, int member, uint32_t step, size_t bytes)
{
  return bytes <= HOST_SMALL ? host_place(h, member, step)->small : host_room(h, member, step);
}

void host_free_place_slow(host_t *h, uint32_t step);
/* Waits until nobody needs any more what was in this member's place of a step. */
static inline void host_free_place(host_t *h, uint32_t step)
{
  if (UNLIKELY((int32_t)(h->all_did - (step - HOST_PLACES)) < 0)) host_free_place_slow(h, step);
}

/* What the place holds is there for all. */
static inline void host_told(host_t *h, uint32_t step)
{
  wait_set(&host_place(h, h->me, step)->put, step);
}

/* Waits for what a member puts. */
static inline void host_hear(const host_t *h, int member, uint32_t step)
{
  wait_for(&host_place(h, member, step)->put, step, member);
}

/* Puts up to HOST_ROOM bytes. */
static inline void host_put(host_t *h, uint32_t step, const void *data, size_t bytes)
{
  host_free_place(h, step);
  if (bytes) memcpy(host_bytes(h, h->me, step, bytes), data, bytes);
  host_told(h, step);
}

/* Gets them of a member. */
static inline void host_get(const host_t *h, int member, uint32_t step, void *data, size_t bytes)
{
  host_hear(h, member, step);
  if (bytes) memcpy(data, host_bytes(h, member, step, bytes), bytes);
}

/* Waits for all others. So all have done the steps before. */
void host_hear_all(host_t *h, uint32_t step);

#endif
