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

context_t *context_to_front(context_t *node, uintptr_t pc)
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
static bool goes_on(context_t *node, walk_t *w, const void *to)
{
  bool simple = node->frame.kind == FRAME_BY_SP || node->frame.kind == FRAME_BY_BP;
  if (simple && walk_up(w, &node->frame) == (uintptr_t)to) return true;
  node->frame.kind = FRAME_OTHER;
  node->callers = NULL;
  return false;
}

void context_add(thread_t *t, op_t op, void *const *pc, int skipped, int n, uint32_t site)
{
  if (!t->contexts) t->contexts = memory_alloc_counted(CONTEXT_ROOTS * sizeof(context_t *), false);
  if (!t->contexts) return;
  walk_t w = walk_begin(t->inside);
  context_t *node = find_or_add(t, context_root(t, op, (uintptr_t)pc[0]), op, (uintptr_t)pc[0]);
  if (node) node->levels = (uint16_t)(skipped + tracer.depth);
  for (int i = 1; i < skipped + n && node; i++) {
    if (!goes_on(node, &w, pc[i])) return;
    node = find_or_add(t, &node->callers, (op_t)0, (uintptr_t)pc[i]);
  }
  bool ends = n == tracer.depth || (node && node->frame.kind == FRAME_LAST);
  if (node && ends) node->site = (int32_t)site;
}

void context_forget(thread_t *t)
{
  if (t->contexts) memset(t->contexts, 0, CONTEXT_ROOTS * sizeof(context_t *));
  for (context_nodes_t *n = t->context_nodes; n; n = n->next) n->used = 0;
}
