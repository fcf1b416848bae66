/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's calling contexts as a tree (Ammons, Ball and Larus, 1997). It finds a known call
 * site without libunwind. A node is a return address; its children are the addresses it returned
 * to. The last node of a path knows the site. Each node also knows where its frame ends, so that
 * a walk needs nothing else. */
#ifndef BERTH_TRACE_CONTEXT_H
#define BERTH_TRACE_CONTEXT_H

#include "trace/frame.h"
#include "trace/op.h"
#include "trace/tracer.h"

enum { CONTEXT_ROOTS = 512, NO_SITE_KNOWN = -1 };

typedef struct context {
  uintptr_t pc;
  struct context *callers; /* the one met last is first */
  struct context *next;
  frame_rule_t frame;
  uint16_t op, levels; /* of roots; the maximum length of a path from here */
  int32_t site;        /* NO_SITE_KNOWN if no path ends here */
} context_t;

static inline context_t **context_root(const thread_t *t, op_t op, uintptr_t pc)
{
  uint64_t h = (pc ^ (uint64_t)op << 48) * 0x9e3779b97f4a7c15u;
  return &t->contexts[h >> 32 & (CONTEXT_ROOTS - 1)];
}

/* Moves the caller with this address to the front; NULL if it isn't among the first ones. */
context_t *context_to_front(context_t *node, uintptr_t pc);
/* For walks that try only the caller met last. */
static inline context_t *context_none(context_t *node, uintptr_t pc)
{
  (void)node, (void)pc;
  return NULL;
}

/* Position of a walk: the end of the current frame, where its return address is. */
typedef struct walk {
  uintptr_t sp, bp;
} walk_t;

/* Starts at the wrapper's frame, which begins with the caller's base pointer. */
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

/* The site that called the wrapper with this frame, or NO_SITE_KNOWN. `other` finds a node's
 * caller if it isn't the one met last. */
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

/* Adds the path of addresses that libunwind found, which leads to this site. The first `skipped`
 * addresses are in libraries before this one; the next n are the site's. Paths that the walk
 * can't follow aren't added. Don't call it under a lock: it asks the dynamic loader. */
void context_add(thread_t *t, op_t op, void *const *pc, int skipped, int n, uint32_t site);

/* Clears the tree, because addresses may have another meaning now. */
void context_forget(thread_t *t);

#endif
