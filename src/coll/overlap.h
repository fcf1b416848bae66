/* SPDX-License-Identifier: BSD-3-Clause */
/* Both levels of a call at once: while speakers exchange parts of their vectors, the members of
 * each host take what is there, or reduce what is needed next. M.-S. Wu (2005), section 3.3.3,
 * figures 3.4 and 3.11. */
#ifndef BERTH_COLL_OVERLAP_H
#define BERTH_COLL_OVERLAP_H

#include "coll/coll.h"

/* Blocks of all ranks, in the order of ranks and in that of hosts (sides_places). */
typedef struct overlap_blocks {
  const size_t *first, *sorted; /* size + 1 numbers: elements before each */
} overlap_blocks_t;

/* What members do besides the run. As soon as run->overlap bytes of the result are there, the
 * members take them, at most so many in a round. Of what is reduced, they reduce as many ahead. */
typedef struct overlap {
  const void *in;        /* what they reduce, to the run's `in` of the speaker; NULL: nothing */
  const reduction_t *of; /* the reduction */
  const overlap_blocks_t *blocks; /* the run's `in` is in the order of hosts; NULL: as `in` */
  void *out;                      /* what they get of the speaker: the run's `out`; NULL: nothing */
  int64_t total;                  /* elements of `in` or `out`, which are as many */
  bool in_place;                  /* `out` may be `in`, on the speaker, too */
} overlap_t;

/* Whether a planned run is to be carried out this way. All members of a host find the same. */
static inline bool overlap_wanted(const coll_comm_t *c, const run_call_t *run)
{
  return run->overlap > 0 && c->n_hosts > 1 && c->memory.n > 1;
}

/* All members of the host call it. Returns the MPI's code. */
int overlap_run(coll_comm_t *c, const run_call_t *run, const overlap_t *o);
/* The same if it is wanted; else first the run, then a broadcast in the host. Of all calls whose
 * members get the run's `out`, of so many elements. */
int overlap_or_bcast(coll_comm_t *c, const run_call_t *run, void *out, size_t n);

#endif
