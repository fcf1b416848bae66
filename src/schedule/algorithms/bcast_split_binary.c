/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcast: each side of a binary tree gets one half, in segments; then ranks of one side and the
 * other exchange halves. Nodes of the left side are odd. Open MPI 4.1,
 * ompi_coll_base_bcast_intra_split_bintree. */
#include "schedule/algorithms/algorithms.h"
#include "schedule/algorithms/tree_pipeline.h"
#include "schedule/put_steps.h"

static tree_t tree_of(const schedule_call_t *c) { return pipeline_tree(c, TREE_LEVELS, 2); }

/* The left half, which is the larger one, or the right one. */
static int64_t half_size(const schedule_call_t *c, bool left) { return (c->count + left) / 2; }

static schedule_place_t half_place(const schedule_call_t *c, bool left)
{
  return schedule_out(left ? 0 : half_size(c, true));
}

int64_t bcast_split_binary_rounds(const schedule_call_t *c)
{
  tree_t t = tree_of(c);
  if (c->size == 1) return 1;
  return tree_height(&t, 0) + segment_count(c, half_size(c, true));
}

static void put_segment(const schedule_call_t *c, int peer, bool left, int64_t i, bool send,
                        schedule_steps_t *out)
{
  schedule_place_t at = half_place(c, left);
  int64_t n = segment_size(c, half_size(c, left), i);
  at.first += segment_first(c, i);
  if (n > 0 && send) put_send(out, peer, at, n);
  if (n > 0 && !send) put_recv(out, peer, at, n);
}

static void go_down(const schedule_call_t *c, int node, int64_t round, schedule_steps_t *out)
{
  tree_t t = tree_of(c);
  int64_t segment = round - tree_depth(&t, node);
  for (int i = 0, child; i < 2 && (child = tree_child(&t, node, i)) >= 0; i++)
    put_segment(c, to_rank(c, child), child % 2, segment, true, out);
  if (node > 0)
    put_segment(c, to_rank(c, tree_parent(&t, node)), node % 2, segment + 1, false, out);
}

static void swap_halves(const schedule_call_t *c, int node, schedule_steps_t *out)
{
  int last = c->size - 1;
  bool left = node % 2, lonely = left && node == last; /* its pair is the root */
  int peer = to_rank(c, lonely ? 0 : left ? node + 1 : node - 1);
  if (node == 0) {
    if (last % 2) put_send(out, to_rank(c, last), half_place(c, false), half_size(c, false));
    return;
  }
  if (!lonely) put_send(out, peer, half_place(c, left), half_size(c, left));
  put_recv(out, peer, half_place(c, !left), half_size(c, !left));
}

void bcast_split_binary_steps(const schedule_call_t *c, int rank, int64_t round,
                              schedule_steps_t *out)
{
  if (c->size == 1) return;
  if (round == bcast_split_binary_rounds(c) - 1)
    swap_halves(c, from_root(c, rank), out);
  else
    go_down(c, from_root(c, rank), round, out);
}
