/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's calling contexts as a tree (Ammons, Ball and Larus, 1997). It finds a known call
 * site without libunwind. A node is a return address; its children are the addresses it returned
 * to. The last node of a path knows the site. Each node also knows where its frame ends, so that
 * a walk needs nothing else.
 *
 * Paths that were walked lately are in a table, too, each in one piece of memory. */
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

static inline uint64_t context_hash(op_t op, const void *caller)
{
  return (((uintptr_t)caller ^ (uint64_t)op << 48) * 0x9e3779b97f4a7c15u) >> 32;
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
  uintptr_t end = (frame->kind == FRAME_BY_SP ? w->sp : w->bp) + (uintptr_t)(intptr_t)frame->end;
  if (frame->kind == FRAME_BY_SLOT) {
    end = *(const uintptr_t *)end;
    w->bp = *(const uintptr_t *)w->bp;
  } else if (frame->base) {
    w->bp = *(const uintptr_t *)(end + (uintptr_t)(intptr_t)frame->base);
  }
  w->sp = end;
  return ((const uintptr_t *)end)[-1];
}

static inline bool context_is_path(const path_t *p, op_t op, uintptr_t frame, const void *caller)
{
  if (p->caller != caller || p->op != op) return false;
  walk_t w = walk_begin(frame);
  for (unsigned i = 0; i < p->n; i++)
    if (walk_up(&w, &p->step[i].frame) != p->step[i].pc) return false;
  return true;
}

/* The site of a path that was walked lately; NO_SITE_KNOWN for others. */
static inline __attribute__((always_inline)) int32_t
context_of_path(const thread_t *t, op_t op, uintptr_t frame, const void *caller)
{
  const path_t *set = t->paths[context_hash(op, caller) % PATH_SETS];
  if (LIKELY(context_is_path(&set[0], op, frame, caller))) return set[0].site;
  return context_is_path(&set[1], op, frame, caller) ? set[1].site : NO_SITE_KNOWN;
}

/* The site that called the wrapper with this frame, or NO_SITE_KNOWN. Remembers the path. */
int32_t context_walk(thread_t *t, op_t op, uintptr_t frame, const void *caller);

/* Adds the path of addresses that libunwind found, which leads to this site. The first `skipped`
 * addresses are in libraries before this one; the next n are the site's. Paths that the walk
 * can't follow aren't added. Don't call it under a lock: it asks the dynamic loader. */
void context_add(thread_t *t, op_t op, void *const *pc, int skipped, int n, uint32_t site);

/* Clears the tree, because addresses may have another meaning now. */
void context_forget(thread_t *t);

#endif
