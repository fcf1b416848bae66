/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of a communicator that share memory, and what they do there.
 *
 * Each member has a ring of places that it alone writes, and all read. Calls are divided into
 * steps, which all members count alike. In a step a member may put something into its place of that
 * step, or get what others have put. More than a line goes into rooms, of which there are fewer.
 * Places and rooms are written again only when all have done the step before that used them. These
 * are the primitives of M.-S. Wu's dissertation (2005), section 2.3: Sender_put and Receiver_get
 * are host_put and host_get, Pair_sync and Group_sync waiting for puts; in Group_get all get from
 * one member, in Group_seg_get and Group_seg_put each gets and puts a slice. */
#ifndef BERTH_COLL_HOST_H
#define BERTH_COLL_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/shared_file.h"
#include "coll/space.h"
#include "job/job_wait.h"
#include "schedule/two_levels/two_levels_limits.h"

enum {
  HOST_PLACES = 64,            /* of each member */
  HOST_ROOMS = 4,              /* likewise */
  HOST_SMALL = 48,             /* bytes that fit beside the number of the step, in the same line */
  HOST_ROOM = TWO_LEVELS_ROOM, /* bytes of a room */
  HOST_ALL = TWO_LEVELS_ALL,   /* so many members may all look at each other */
  HOST_AHEAD = 4               /* places */
};

typedef struct host_place {
  _Alignas(64) wait_word_t put; /* the last step that something was put for */
  _Alignas(16) char small[HOST_SMALL];
} host_place_t;

typedef struct host_member {
  host_place_t place[HOST_PLACES];
  _Alignas(64) wait_word_t done; /* the last step that the member has done */
  int process;
} host_member_t;

typedef struct host {
  int n, me;
  int *rank;    /* of each member in MPI_COMM_WORLD; borrowed */
  void *memory; /* what is shared, with a head before the members */
  host_member_t *member;
  char *rooms;      /* of all members */
  bool one_copy;    /* members may read each other's memory */
  space_t blocks;   /* what members exchange (host_exchange.h) */
  space_t work;     /* for one call */
  size_t mapped;    /* bytes */
  uint32_t step;    /* of the current call */
  uint32_t all_did; /* a step that all have done */
} host_t;

/* Makes memory for n members. False: errno says why. */
bool host_memory_new(int n, shared_file_t *out);
/* Maps what another member, or this one, has made. False: errno says why. */
bool host_map(host_t *h, const shared_file_t *from);
void host_unmap(host_t *h);
/* Reads a member's memory. False: errno says why. */
bool host_read(const host_t *h, int member, const void *from, void *to, size_t bytes);

/* The next step. */
static inline uint32_t host_begin(host_t *h) { return ++h->step; }

/* Ends the steps up to this one. */
static inline void host_end(host_t *h)
{
  wait_word_t *done = &h->member[h->me].done;
  atomic_store_explicit(&done->value, h->step, memory_order_release);
  if (UNLIKELY(atomic_load_explicit(&done->sleepers, memory_order_relaxed))) wait_word_wake(done);
}

static inline host_place_t *host_place(const host_t *h, int member, uint32_t step)
{
  return &h->member[member].place[step % HOST_PLACES];
}

static inline char *host_room(const host_t *h, int member, uint32_t step)
{
  return h->rooms + ((size_t)member * HOST_ROOMS + step % HOST_ROOMS) * HOST_ROOM;
}

/* Where so many bytes of a step are. */
static inline char *host_bytes(const host_t *h, int member, uint32_t step, size_t bytes)
{
  return bytes <= HOST_SMALL ? host_place(h, member, step)->small : host_room(h, member, step);
}

/* Waits until all others have done a step. */
void host_all_done(host_t *h, uint32_t step);
/* The step that all must have done before this member's bytes of a step are written. */
static inline uint32_t host_step_before(uint32_t step, size_t bytes)
{
  return step - (bytes <= HOST_SMALL ? HOST_PLACES : HOST_ROOMS);
}

/* Waits until nobody needs any more what was where this member's bytes of a step are. */
static inline void host_free_bytes(host_t *h, uint32_t step, size_t bytes)
{
  uint32_t before = host_step_before(step, bytes);
  if (UNLIKELY((int32_t)(h->all_did - before) < 0)) host_all_done(h, before);
}

/* Whether that is so already. */
bool host_is_free(host_t *h, uint32_t step, size_t bytes);

/* What the place holds is there for all. Others have read the member's next places long ago: their
 * lines are fetched for writing before they are needed. */
static inline void host_told(host_t *h, uint32_t step)
{
  wait_set(&host_place(h, h->me, step)->put, step);
#ifdef __x86_64__
  __asm__ volatile("prefetchw %0" : : "m"(*host_place(h, h->me, step + HOST_AHEAD)));
#endif
}

/* Waits for what a member puts. */
static inline void host_hear(const host_t *h, int member, uint32_t step)
{
  wait_for(&host_place(h, member, step)->put, step, member);
}

/* Puts up to HOST_ROOM bytes. */
static inline void host_put(host_t *h, uint32_t step, const void *data, size_t bytes)
{
  host_free_bytes(h, step, bytes);
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
