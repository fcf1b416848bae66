/* SPDX-License-Identifier: BSD-3-Clause */
/* Data of swaps, shared by cost_swap.c (which pairs change), cost_ways.c (which slots change) and
 * cost_limits.c (the cost of the most expensive slot). */
#ifndef BERTH_COST_SWAP_COST_SWAP_H
#define BERTH_COST_SWAP_COST_SWAP_H

#include <berth/cost.h>

#include "cost/cost_internal.h"
#include "cost/cost_ranks.h"

/* A pair, seen from one of its ranks. */
typedef struct swap_link {
  int other, phase;
  size_t pair;
  int64_t bytes; /* in units */
  bool sends;    /* the rank is the pair's source */
} swap_link_t;

/* A slot in a phase. */
typedef struct swap_slot {
  int64_t bytes;  /* committed */
  int64_t change; /* of bytes, by the try */
  double cost;    /* exact, or an upper limit */
  double tried;   /* the same with the try's change */
  bool exact, tried_exact;
  bool changes;     /* by the try */
  int next_changed; /* of the phase; -1 at the end */
  int first_change; /* start of a list by rank, if noted by rank; -1: none */
  ranks_t ranks;
} swap_slot_t;

/* What a try adds to a rank's load on a slot, or removes. */
typedef struct swap_change {
  int next; /* of the slot; -1 at the end */
  rank_load_t load;
} swap_change_t;

/* A phase. A tournament holds its slots' costs; place 1 has the most expensive slot. */
typedef struct swap_phase {
  double cost, tried_cost; /* differ only if a try changes the phase */
  int64_t sum, tried_sum;  /* model sum: the same in units of the phase */
  swap_slot_t *slot;
  int *winner;
  int first_changed; /* slot; -1: none */
  bool changes;
} swap_phase_t;

typedef struct swap_dense swap_dense_t; /* swap_dense.h */

struct berth_swap {
  const berth_cost_t *cost;
  berth_model_t model;
  int n_ranks, n_slots; /* slots of one phase */
  bool with_pus;        /* ports of PUs are evaluated, too */
  bool may_share;       /* ranks may move to occupied PUs */
  int *pu_of_rank, *node_of_rank, *ranks_on_pu;
  double total, tried_total;
  swap_phase_t *phase;
  size_t *first_link; /* by rank, and the end */
  swap_link_t *link;

  swap_slot_t *slot; /* of all phases */
  int *winner;
  int n_leaves; /* of a phase's tournament; a power of 2 */
  enum { NOTE_BYTES, NOTE_SLOT, NOTE_ALL } noting;
  int noted_phase, noted_slot; /* which slot's changes are noted by rank (NOTE_SLOT) */
  swap_change_t *change;
  size_t n_changes, cap_changes;
  rank_load_t *edit; /* changes of one slot, by rank */
  size_t cap_edit;
  int *changed_phase, n_changed_phases;

  int a, b, pu_a, pu_b; /* the try: rank a to PU pu_a, b (or -1) to pu_b */
  bool tried, no_memory;
  swap_dense_t *dense; /* by phase; NULL: none is dense */
  int *node_of_slot;   /* if there are dense ones */
};

static inline int swap_node_of_pu(const berth_swap_t *s, int pu)
{
  int node = s->cost->n_switches + pu;
  return s->with_pus ? node : s->cost->node[node].parent;
}

/* Notes that a try changes a phase; that it changes the slots [first, end), of those that are
 * evaluated. */
void swap_note_phase(berth_swap_t *s, int phase);
void swap_note_slots(berth_swap_t *s, int phase, int first, int end);

/* The node at which the search for a lowest common ancestor begins: PUs meet at their switches. */
static inline int swap_meet(const berth_swap_t *s, int a, int b)
{
  const cost_node_t *node = s->cost->node;
  if (s->with_pus) {
    a = node[a].parent;
    b = node[b].parent;
  }
  while (a != b) {
    int da = node[a].depth, db = node[b].depth;
    if (da >= db) a = node[a].parent;
    if (db >= da) b = node[b].parent;
  }
  return a;
}

/* A try is first noted by the bytes of slots, which usually suffices. This notes it by rank: in one
 * slot, or in all (slot -1) for a commit. False when memory is out. */
bool swap_detail(berth_swap_t *s, int phase, int slot);

/* Notes all slots on a pair's way from node a to node b, with sign 1 or -1. */
void swap_whole_way(berth_swap_t *s, int phase, size_t pair, int a, int b, int sign);

/* A rank's move from a node to another. `top` is their lowest common ancestor. A pair keeps its way
 * above `top` unless its other rank is below the same child of `top` as one of the nodes. */
typedef struct swap_move {
  int from, to, top;
  unsigned near[2], n_near[2]; /* switches below these children; none for a PU */
} swap_move_t;

/* Whether a pair's other end, at node `other`, is below the child on the way from m->from (0) or
 * from m->to (1). */
static inline bool swap_is_near(const berth_swap_t *s, const swap_move_t *m, int other, int i)
{
  unsigned at = (unsigned)(s->with_pus ? s->cost->node[other].parent : other);
  return at - m->near[i] < m->n_near[i];
}

static inline bool swap_is_far(const berth_swap_t *s, const swap_move_t *m, int other)
{
  return !((int)swap_is_near(s, m, other, 0) | (int)swap_is_near(s, m, other, 1));
}

/* Notes that so many bytes, sent or received by the rank, change from the way m->from to top to the
 * way m->to to top. */
void swap_far_bytes(berth_swap_t *s, const swap_move_t *m, int phase, bool sent, int64_t bytes);

/* Notes the changes if one end of a pair moves and the other one stays at node `other`. */
void swap_way(berth_swap_t *s, const swap_move_t *m, const swap_link_t *link, int other);

/* Prepares the slots' costs for all pairs of the placement. */
int swap_limits_init(berth_swap_t *s, berth_error_t *err);
void swap_limits_free(berth_swap_t *s);

/* The cost of a phase with the noted changes. */
double swap_limits_cost(berth_swap_t *s, int phase);

/* Makes the noted changes of a phase; false when memory is out. The other one forgets them. */
bool swap_limits_commit(berth_swap_t *s, int phase);
void swap_limits_forget(berth_swap_t *s, int phase);

#endif
