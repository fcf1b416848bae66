/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds paths to the tree of calling contexts, and clears it. */
#include "trace/context.h"

#include <string.h>

/* Nodes are never freed: a cleared tree's nodes are used again. */
enum { NODES = 84, MAX_LOOKED_AT = 16 };
typedef struct context_nodes {
  struct context_nodes *next;
  uint32_t used;
  context_t node[NODES];
} context_nodes_t;

/* Moves the caller with this address to the front; NULL if it isn't among the first ones. */
static context_t *to_front(context_t *node, uintptr_t pc)
{
  context_t **at = &node->callers;
  for (int i = 0; *at && i < MAX_LOOKED_AT; i++, at = &(*at)->next) {
    context_t *found = *at;
    if (found->pc != pc) continue;
    *at = found->next;
    found->next = node->callers;
    return node->callers = found;
  }
  return NULL;
}

static context_t **root_of(const thread_t *t, op_t op, const void *caller)
{
  return &t->contexts[context_hash(op, caller) % CONTEXT_ROOTS];
}

/* Of two paths from one call, the one met last is first. */
static void remember(thread_t *t, const path_t *p)
{
  path_t *set = t->paths[context_hash((op_t)p->op, p->caller) % PATH_SETS];
  set[1] = set[0];
  set[0] = *p;
}

int32_t context_walk(thread_t *t, op_t op, uintptr_t frame, const void *caller)
{
  if (UNLIKELY(!t->contexts)) return NO_SITE_KNOWN;
  uintptr_t pc = (uintptr_t)caller;
  context_t *node = *root_of(t, op, caller);
  while (node && (node->pc != pc || node->op != op)) node = node->next;
  if (UNLIKELY(!node)) return NO_SITE_KNOWN;
  path_t path = {.caller = caller, .op = (uint16_t)op};
  int n = 0;
  walk_t w = walk_begin(frame);
  for (int left = node->levels; --left > 0 && node->frame.kind != FRAME_LAST;) {
    context_t *up = node->callers;
    if (UNLIKELY(!up)) return NO_SITE_KNOWN;
    pc = walk_up(&w, &node->frame);
    if (up->pc != pc) up = to_front(node, pc);
    if (UNLIKELY(!up)) return NO_SITE_KNOWN;
    if (n++ < PATH_STEPS) path.step[path.n++] = (path_step_t){pc, node->frame};
    node = up;
  }
  path.site = node->site;
  if (path.n == n && node->site != NO_SITE_KNOWN) remember(t, &path);
  return node->site;
}

static context_t *new_node(thread_t *t)
{
  context_nodes_t **at = &t->context_nodes;
  while (*at && (*at)->used == NODES) at = &(*at)->next;
  if (!*at) *at = memory_alloc_counted(sizeof **at, false);
  return *at ? &(*at)->node[(*at)->used++] : NULL;
}

/* The node of an address in the list, a new one if needed; NULL if memory is out. */
static context_t *find_or_add(thread_t *t, context_t **list, op_t op, uintptr_t pc)
{
  for (context_t *node = *list; node; node = node->next)
    if (node->pc == pc && node->op == op) return node;
  context_t *node = new_node(t);
  if (!node) return NULL;
  *node = (context_t){
      .pc = pc, .next = *list, .frame = frame_rule(pc), .op = (uint16_t)op, .site = NO_SITE_KNOWN};
  return *list = node;
}

/* Whether the walk agrees with libunwind at this node. If not, the node leads nowhere from now
 * on. */
static bool goes_on(thread_t *t, context_t *node, walk_t *w, const void *to)
{
  bool simple = node->frame.kind != FRAME_OTHER && node->frame.kind != FRAME_LAST;
  if (simple && walk_up(w, &node->frame) == (uintptr_t)to) return true;
  node->frame.kind = FRAME_OTHER;
  node->callers = NULL;
  memset(t->paths, 0, sizeof t->paths);
  return false;
}

void context_add(thread_t *t, op_t op, void *const *pc, int skipped, int n, uint32_t site)
{
  if (!t->contexts) t->contexts = memory_alloc_counted(CONTEXT_ROOTS * sizeof(context_t *), false);
  if (!t->contexts) return;
  walk_t w = walk_begin(t->inside);
  context_t *node = find_or_add(t, root_of(t, op, pc[0]), op, (uintptr_t)pc[0]);
  if (node) node->levels = (uint16_t)(skipped + tracer.depth);
  for (int i = 1; i < skipped + n && node; i++) {
    if (!goes_on(t, node, &w, pc[i])) return;
    node = find_or_add(t, &node->callers, (op_t)0, (uintptr_t)pc[i]);
  }
  bool ends = n == tracer.depth || (node && node->frame.kind == FRAME_LAST);
  if (node && ends) node->site = (int32_t)site;
}

void context_forget(thread_t *t)
{
  if (t->contexts) memset(t->contexts, 0, CONTEXT_ROOTS * sizeof(context_t *));
  for (context_nodes_t *n = t->context_nodes; n; n = n->next) n->used = 0;
  memset(t->paths, 0, sizeof t->paths);
}
