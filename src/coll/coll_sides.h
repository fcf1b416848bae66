/* SPDX-License-Identifier: BSD-3-Clause */
/* The two sides of a call with blocks: what a rank gives, and what it gets. Each side has one
 * block, or one for each rank of the communicator, of the same size or of several. */
#ifndef BERTH_COLL_COLL_SIDES_H
#define BERTH_COLL_COLL_SIDES_H

#include "coll/coll.h"

/* Counts or displacements of all ranks, as ints or as MPI 4's large numbers; both NULL: none. */
typedef struct amounts {
  const int *narrow;
  const int64_t *wide;
} amounts_t;

static inline bool amounts_there(amounts_t a) { return a.narrow || a.wide; }
static inline int64_t amounts_of(amounts_t a, int rank)
{
  return a.wide ? a.wide[rank] : a.narrow[rank];
}

/* A side as the program gives it. Blocks of all ranks lie one behind the other if there are no
 * displacements; they all have `count` elements if there are no counts. `data` may be
 * MPI_IN_PLACE. */
typedef struct block_data {
  void *data;
  int64_t count;
  MPI_Datatype type;
  amounts_t counts, displs;
} block_data_t;

/* The same with what the type says. */
typedef struct side {
  block_data_t of;
  size_t bytes;   /* of a block, if all have `count` elements */
  size_t size;    /* of an element's data */
  int64_t extent; /* of an element */
  bool dense;     /* elements have no gaps */
  bool in_place;  /* then nothing else is set */
  bool kept;      /* the type is a copy of the program's (agents/agent_call.h) */
} side_t;

/* A side with one block, or with blocks of the same size. False: the MPI refuses it. */
bool side_look(block_data_t of, side_t *out);
/* One with so many blocks that have counts and displacements. */
bool side_look_all(block_data_t of, int blocks, side_t *out);

/* A rank's block: where it is, its elements, and the bytes of their data. */
static inline int64_t side_count(const side_t *s, int rank)
{
  return amounts_there(s->of.counts) ? amounts_of(s->of.counts, rank) : s->of.count;
}
static inline size_t side_bytes(const side_t *s, int rank)
{
  return (size_t)side_count(s, rank) * s->size;
}
static inline char *side_data(const side_t *s, int rank)
{
  int64_t at = amounts_there(s->of.displs) ? amounts_of(s->of.displs, rank) : rank * s->of.count;
  return (char *)s->of.data + at * s->extent;
}

/* Copies a rank's block to or from `packed`. Return the MPI's code. */
int side_pack(const side_t *s, int rank, char *packed);
int side_unpack(const side_t *s, int rank, char *packed);

/* The same for so many blocks of equal size, one behind the other. */
int side_pack_all(const side_t *s, int blocks, char *packed);
int side_unpack_all(const side_t *s, int blocks, char *packed);

/* MPIs refuse calls without a buffer, and with MPI_IN_PLACE where it isn't allowed. */
static inline bool side_is_buffer(const void *data) { return data && data != MPI_IN_PLACE; }

/* The first of two codes that says that something failed. */
static inline int side_code(int a, int b) { return a == MPI_SUCCESS ? b : a; }

/* Where blocks of different sizes begin if they are sorted by host: that of rank by_host[i] at
 * at[i]. The end of the last one is behind: size + 1 numbers. `n` is by rank, in the same unit. */
void sides_places(const coll_comm_t *c, const size_t *n, size_t *at);
/* Blocks of equal size, from the order of ranks to that of hosts, and back. */
void sides_sort(const coll_comm_t *c, const char *from, char *to, size_t bytes);
void sides_unsort(const coll_comm_t *c, const char *from, char *to, size_t bytes);

#endif
