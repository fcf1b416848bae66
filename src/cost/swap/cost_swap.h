/* SPDX-License-Identifier: BSD-3-Clause */
/* Swaps as cost_swap.c (which pairs change), cost_ways.c (which slots change with them) and
 * cost_limits.c (what the dearest slot costs then) share them. */
#ifndef BERTH_COST_SWAP_COST_SWAP_H
#define BERTH_COST_SWAP_COST_SWAP_H

#include <berth/cost.h>

#include "cost/cost_internal.h"
#include "cost/cost_ranks.h"

/* A pair of a rank's, found from either end. */
typedef struct swap_link {
  int other, phase;
  size_t pair;
  int64_t bytes; /* units */
  bool sends;    /* the rank is the pair's source */
} swap_link_t;

/* A slot in a phase. */
typedef struct swap_slot {
  int64_t bytes;  /* committed */
  int64_t change; /* of bytes, by the try */
  double cost;    /* exact, or at least as much as the slot costs */
  double tried;   /* the same with the try's change */
  bool exact, tried_exact;
  bool changes;     /* with the try */
  int next_changed; /* of the phase, -1 at the end */
  int first_change; /* by rank, where they were noted; -1 for none; they are linked */
  ranks_t ranks;
} swap_slot_t;

/* What a try adds to a rank's load on a slot, or takes away. */
typedef struct swap_change {
  int next; /* of the slot, -1 at the end */
  rank_load_t load;
} swap_change_t;

/* A phase; its slots' costs are in a tournament: place 1 has the number of the dearest slot. */
typedef struct swap_phase {
  double cost, tried_cost; /* equal but where a try changes the phase */
  int64_t sum, tried_sum;  /* model sum: the same in units of the phase */
  swap_slot_t *slot;
  int *winner;
  int first_changed; /* slot, -1 for none */
  bool changes;
} swap_phase_t;

struct berth_swap {
  const berth_cost_t *cost;
  berth_model_t model;
  int n_ranks, n_slots; /* slots of one phase */
  bool with_pus;        /* the ports of PUs are looked at */
  bool may_share;       /* moves may go to taken PUs */
  int *pu_of_rank, *node_of_rank, *ranks_on_pu;
  double total, tried_total;
  swap_phase_t *phase;
  size_t *first_link; /* of each rank, and the end */
  swap_link_t *link;

  swap_slot_t *slot; /* of all phases */
  int *winner;
  int n_leaves; /* of a phase's tournament, a power of 2 */
  enum { NOTE_BYTES, NOTE_SLOT, NOTE_ALL } noting;
  int noted_phase, noted_slot; /* with NOTE_SLOT */
  swap_change_t *change;
  size_t n_changes, cap_changes;
  rank_load_t *edit; /* the changes of one slot by rank */
  size_t cap_edit;
  int *changed_phase, n_changed_phases;

  int a, b, pu_a, pu_b; /* the try: rank a to PU pu_a, b (or -1) to pu_b */
  bool tried, no_memory;
};

/* Where a node's way up begins to count for lowest common ancestors: PUs meet at their switches. */
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

/* A try is noted first by the bytes of slots, which mostly tells all; then by rank in one slot that
 * must be gone through, or in all (slot -1) for a commit. Notes the try so; false when memory is
 * out. */
bool swap_detail(berth_swap_t *s, int phase, int slot);

/* Notes all slots of a pair's way from node a to node b, with sign 1 or -1. */
void swap_whole_way(berth_swap_t *s, int phase, size_t pair, int a, int b, int sign);

/* Where a rank goes: from a node to another, whose lowest common ancestor is `top`. Pairs with
 * ranks that aren't below the same child of `top` as one of them keep their ways from `top`
 * upwards. */
typedef struct swap_move {
  int from, to, top;
  unsigned near[2], n_near[2]; /* these children: the switches below each; none for a PU */
} swap_move_t;

/* Whether a pair's other end, at that node, is below the child on the way from m->from (0) or from
 * m->to (1). */
static inline bool swap_is_near(const berth_swap_t *s, const swap_move_t *m, int other, int i)
{
  unsigned at = (unsigned)(s->with_pus ? s->cost->node[other].parent : other);
  return at - m->near[i] < m->n_near[i];
}

static inline bool swap_is_far(const berth_swap_t *s, const swap_move_t *m, int other)
{
  return !((int)swap_is_near(s, m, other, 0) | (int)swap_is_near(s, m, other, 1));
}

/* Notes that so many bytes, sent by the rank or sent to it, leave the way from m->from to the top
 * for the one from m->to. */
void swap_far_bytes(berth_swap_t *s, const swap_move_t *m, int phase, bool sent, int64_t bytes);

/* Notes what changes when one end of a pair moves while the other stays at node `other`. */
void swap_way(berth_swap_t *s, const swap_move_t *m, const swap_link_t *link, int other);

/* Prepares the slots' costs for all pairs of the placement. */
int swap_limits_init(berth_swap_t *s, berth_error_t *err);
void swap_limits_free(berth_swap_t *s);

/* What a phase costs with the noted changes. */
double swap_limits_cost(berth_swap_t *s, int phase);

/* Makes the noted changes of a phase; false when memory is out. Or forgets them. */
bool swap_limits_commit(berth_swap_t *s, int phase);
void swap_limits_forget(berth_swap_t *s, int phase);

#endif
