/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's calling contexts as a tree (Ammons, Ball and Larus, 1997), by which a call site is
 * found without asking libunwind: a node is a return address, below it are those that it was found
 * to return to, and the last node of a path knows the site. Each node knows where its frame ends,
 * so that a walk needs nothing else, and one that was made before goes from node to node.
 *
 * A path is added only where libunwind, too, finds these addresses, and a node whose frame isn't
 * simple leads nowhere. Then, and wherever a path isn't known, libunwind serves. */
#ifndef BERTH_TRACE_CONTEXT_H
#define BERTH_TRACE_CONTEXT_H

#include "trace/frame.h"
#include "trace/tracer.h"

enum { CONTEXT_ROOTS = 512, NO_SITE_KNOWN = -1 };

typedef struct context {
  uintptr_t pc;
  struct context *callers; /* the one that was met last is first */
  struct context *next;
  frame_rule_t frame;
  uint16_t op, levels; /* of roots; how many nodes a path from here has at most */
  int32_t site;        /* NO_SITE_KNOWN where no path ends */
} context_t;

static inline context_t **context_root(const thread_t *t, op_t op, uintptr_t pc)
{
  uint64_t h = (pc ^ (uint64_t)op << 48) * 0x9e3779b97f4a7c15u;
  return &t->contexts[h >> 32 & (CONTEXT_ROOTS - 1)];
}

/* Moves the caller of this address to the front; NULL where it isn't near there. */
context_t *context_to_front(context_t *node, uintptr_t pc);
/* No other one. */
static inline context_t *context_none(context_t *node, uintptr_t pc)
{
  (void)node, (void)pc;
  return NULL;
}

/* Where a frame's caller goes on: at the return address that is found at the end of the frame. */
typedef struct walk {
  uintptr_t sp, bp;
} walk_t;

/* The wrapper's caller: the wrapper's frame begins with the caller's base pointer. */
static inline walk_t walk_begin(uintptr_t frame)
{
  return (walk_t){frame + 2 * sizeof(uintptr_t), *(const uintptr_t *)frame};
}

static inline uintptr_t walk_up(walk_t *w, const frame_rule_t *frame)
{
  uintptr_t end = (frame->kind == FRAME_BY_BP ? w->bp : w->sp) + (uintptr_t)(intptr_t)frame->end;
  if (frame->base) w->bp = *(const uintptr_t *)(end + (uintptr_t)(intptr_t)frame->base);
  w->sp = end;
  return ((const uintptr_t *)end)[-1];
}

/* The site of the call that a wrapper of this frame was called by, or NO_SITE_KNOWN. `other` finds
 * the caller of a node that isn't the one that was met last. */
static inline __attribute__((always_inline)) int32_t
context_walk(const thread_t *t, op_t op, uintptr_t frame, const void *caller,
             context_t *(*other)(context_t *node, uintptr_t pc))
{
  if (UNLIKELY(!t->contexts)) return NO_SITE_KNOWN;
  uintptr_t pc = (uintptr_t)caller;
  context_t *node = *context_root(t, op, pc);
  while (node && (node->pc != pc || node->op != op)) node = node->next;
  if (UNLIKELY(!node)) return NO_SITE_KNOWN;
  walk_t w = walk_begin(frame);
  for (int left = node->levels; --left > 0 && node->frame.kind != FRAME_LAST;) {
    context_t *up = node->callers;
    if (UNLIKELY(!up)) return NO_SITE_KNOWN;
    pc = walk_up(&w, &node->frame);
    if (UNLIKELY(up->pc != pc)) up = other(node, pc);
    if (UNLIKELY(!up)) return NO_SITE_KNOWN;
    node = up;
  }
  return node->site;
}

/* The path of addresses that libunwind found leads to this site, of which the first `skipped` are
 * in libraries before this one and the n behind them are the site's. Asks the dynamic loader: not
 * to be called under a lock. */
void context_add(thread_t *t, op_t op, void *const *pc, int skipped, int n, uint32_t site);

/* Forgets all: addresses may have come to mean something else. */
void context_forget(thread_t *t);

#endif
