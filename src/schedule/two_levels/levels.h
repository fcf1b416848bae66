/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of a call in two levels, while they are put together. */
#ifndef BERTH_SCHEDULE_LEVELS_H
#define BERTH_SCHEDULE_LEVELS_H

#include "schedule/schedule_rules.h"
#include "schedule/two_levels/chosen.h"

enum { LEVELS_ANY = -1 }; /* in place of a root: each rank gets the result */

typedef struct levels {
  const schedule_hosts_t *hosts;
  double half;
  const chosen_t *chosen; /* NULL: nothing was measured */
  int64_t overlap;        /* of the speakers' stage that was added last: see levels_overlap */
  int size, largest;      /* ranks; those of the largest host */
  int root;               /* it speaks for its host; LEVELS_ANY: leaders speak for all hosts */
  bool last_speak;        /* the last rank of each host speaks instead */
  bool in_order;          /* ranks are in the order of hosts */
  bool equal;             /* hosts have as many ranks */
  bool commutative;       /* the operation is */
  bool agents;            /* carry the call out */
  int degree;             /* then: of their trees; 0: as choose.h says */
  bool lost, unserved;    /* memory was out; no schedule served a stage */
  schedule_pieces_t *out;
} levels_t;

/* Elements of the block of each rank. */
typedef struct share {
  int64_t element;        /* bytes */
  int64_t n;              /* if all have as many */
  const int64_t *of_rank; /* otherwise; borrowed */
} share_t;

static inline share_t share_of_bytes(int64_t bytes) { return (share_t){1, bytes, NULL}; }

static inline int64_t share_at(const share_t *s, int rank)
{
  return s->of_rank ? s->of_rank[rank] : s->n;
}

/* A stage of some ranks. */
typedef struct level_stage {
  schedule_among_t among;
  const int *rank; /* lives as long as the pieces; NULL: all */
  int n, root;
  schedule_op_t op;
  const char *algorithm; /* NULL: as choose.h says */
  int degree;
  int64_t element, count, segment;
  const int64_t *counts; /* instead of `count`; borrowed for the call */
} level_stage_t;

/* Adds a stage as a part of a step, or behind all others if `step` is that of none yet. */
void levels_add(levels_t *l, int step, const level_stage_t *s);

/* The blocks of all ranks, as one. */
share_t levels_all(const levels_t *l, const share_t *s);
/* A host's blocks go to its speaker, then hosts' to the root; and the other way. `equal`: the
 * operation if all have as many. */
void levels_gather(levels_t *l, const share_t *s, schedule_op_t equal);
void levels_scatter(levels_t *l, const share_t *s, schedule_op_t equal);

/* The rank that speaks for a host. */
int levels_speaker_of(const levels_t *l, int host);

/* --- level_within.c: ranks of each host, by memory that they share. --- */

typedef enum within {
  WITHIN_ARRIVE,      /* the speaker knows that all are there */
  WITHIN_RELEASE,     /* all know that the speaker is */
  WITHIN_MEET,        /* each knows that all are there */
  WITHIN_BCAST,       /* n elements of the speaker, to all */
  WITHIN_GATHER,      /* blocks of all, to the speaker */
  WITHIN_SCATTER,     /* blocks of the speaker, one to each */
  WITHIN_ALLGATHER,   /* blocks of all, to all */
  WITHIN_REDUCE,      /* n elements of each, to the speaker */
  WITHIN_REDUCE_EACH, /* the same, to all */
  WITHIN_SCAN         /* n elements of each, those of all ranks before, to each */
} within_t;

/* Adds one step, or two, in which all hosts with several ranks do that. */
void levels_within(levels_t *l, within_t what, const share_t *s);
/* Adds to a step what is done in it part by part, one in each round: all take n bytes of the
 * speaker, or it gets theirs (`up`). */
void levels_within_beside(levels_t *l, int step, bool up, int64_t n, int64_t part);

/* --- level_between.c: the speakers of hosts, by messages. --- */

/* An operation with one block, of n elements. With one host, this and those below add nothing. */
void levels_between(levels_t *l, schedule_op_t op, int64_t n, int64_t element);
/* One with a block for each host, which is those of all its ranks: `equal` if hosts have as many
 * ranks of as large blocks, `unequal` otherwise. */
void levels_between_blocks(levels_t *l, schedule_op_t equal, schedule_op_t unequal,
                           const share_t *s);
/* In which parts hosts' ranks take bytes, or reduce them, while the speakers' stage that was added
 * last is under way, as if they didn't share cores; 0: before or after it. */
int64_t levels_overlap(const levels_t *l);
/* One with a block for each pair of hosts, of n elements for each pair of their ranks. */
void levels_between_pairs(levels_t *l, const share_t *s);
/* One with blocks for pairs of hosts, by their numbers: counts[from * hosts + to]. */
void levels_between_sums(levels_t *l, const int64_t *counts, int64_t element);

/* --- by_agents.c --- */

void levels_by_agents(levels_t *l, const schedule_request_t *q, const share_t *s);

#endif
