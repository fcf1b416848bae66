/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense phases: their messages are too many for a list, but follow a rule. Estimates count them.
 * The list of a dense phase has stand-ins instead: a few messages with the bytes of all, so that
 * searches see which ranks belong together. */
#ifndef BERTH_PATTERN_DENSE_H
#define BERTH_PATTERN_DENSE_H

#include <berth/pattern.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum dense_shape {
  DENSE_AT_ONCE, /* each member sends to each other one, all at once */
  DENSE_IN_TURN, /* the same in `rounds` rounds: about as many messages in each of them */
  DENSE_AHEAD,   /* member i sends to member i + distance */
  DENSE_XOR,     /* member i sends to member ((i + shift) xor distance) - shift */
  DENSE_LISTED   /* many rounds of few messages, which are listed round by round */
} dense_shape_t;

/* A message of a round, from rank to rank of MPI_COMM_WORLD. */
typedef struct dense_message {
  int src, dst;
  uint64_t bytes;
} dense_message_t;

typedef struct dense_list {
  size_t n_rounds;
  const size_t *first;            /* by round: its first message; and the end */
  const uint64_t *times;          /* by round: how often it occurs */
  const dense_message_t *message; /* of each round, sorted by source and destination */
} dense_list_t;

/* Members are numbers from 0 to before `size`, of each communicator; sums are taken modulo size. No
 * rank is a member of two. DENSE_LISTED has only its phase and the list. */
typedef struct dense_phase {
  int phase; /* its identity */
  dense_shape_t shape;
  int size, distance, shift;
  int64_t rounds; /* 1 unless the shape is DENSE_IN_TURN */
  uint64_t bytes; /* of a message */
  size_t n_comms;
  const int *const *ranks; /* by communicator and member; a communicator's is NULL if they are equal
                              to the members */
  dense_list_t list;
} dense_phase_t;

/* Makes a phase dense that is added, too. The communicators' lists are borrowed, all else
 * is copied. */
int pattern_add_dense(berth_pattern_t *p, const dense_phase_t *dense, berth_error_t *err);

/* A dense phase, given by its index in berth_pattern_phases; NULL: its messages are listed. */
const dense_phase_t *pattern_dense(const berth_pattern_t *p, size_t phase);

/* How many phases are dense, and how many of them have the shape. */
size_t pattern_n_dense(const berth_pattern_t *p);
size_t pattern_n_shaped(const berth_pattern_t *p, dense_shape_t shape);

/* Whether each member sends to each other one. */
static inline bool dense_is_whole(const dense_phase_t *d)
{
  return d->shape == DENSE_AT_ONCE || d->shape == DENSE_IN_TURN;
}

static inline int dense_rank(const int *ranks, int member)
{
  return ranks ? ranks[member] : member;
}

/* To whom a member sends, if it isn't all. */
static inline int dense_target(const dense_phase_t *d, int member)
{
  int64_t n = d->size;
  if (d->shape == DENSE_AHEAD) return (int)(((int64_t)member + d->distance) % n);
  int64_t turned = ((int64_t)member + d->shift) % n ^ d->distance;
  return (int)((turned - d->shift + n) % n);
}

#endif
