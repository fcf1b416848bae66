/* SPDX-License-Identifier: BSD-3-Clause */
/* A topology from the description of a host:
 *
 *   level  = kind ["+" kind] "(" member {"," member} ")"
 *   member = level | os_index ":" core */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "topo/topo_defaults.h"
#include "topo/topo_internal.h"

/* Kinds of levels, from the outside in. */
typedef enum kind {
  KIND_HOST,
  KIND_PACKAGE,
  KIND_NUMA,
  KIND_DIE,
  KIND_GROUP,
  KIND_L4,
  KIND_L3,
  KIND_L2,
  KIND_L1,
  KIND_CORE,
  N_KINDS
} kind_t;

static const char *const kind_names[N_KINDS] = {"host", "package", "numa", "die", "group",
                                                "l4",   "l3",      "l2",   "l1",  "core"};

/* One level or PU; they stand depth first. */
typedef struct node {
  int parent; /* number of the node, -1 at the host */
  int is_pu;
  kind_t outer, inner; /* of a level */
  int os_index, core;  /* of a PU */
  int below_memory;    /* members of a level that have memory of their own */
} node_t;

typedef struct reader {
  const char *text, *at;
  node_t *nodes;
  size_t n, cap;
  berth_error_t *err;
} reader_t;

static int unexpected(const reader_t *r, const char *expected)
{
  return berth_fail(r->err, BERTH_BAD_INPUT,
                    "host description: found \"%.20s\" at byte %td, expected %s", r->at,
                    r->at - r->text, expected);
}

static int read_kind(reader_t *r, kind_t *kind)
{
  size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyz0123456789");
  for (int k = 0; k < N_KINDS; k++)
    if (strlen(kind_names[k]) == n && strncmp(kind_names[k], r->at, n) == 0) {
      *kind = (kind_t)k;
      r->at += n;
      return BERTH_OK;
    }
  return unexpected(r, "a level such as package or l3");
}

static int read_number(reader_t *r, int *out)
{
  char *end;
  unsigned long v = *r->at >= '0' && *r->at <= '9' ? strtoul(r->at, &end, 10) : BERTH_MAX_PUS;
  if (v >= BERTH_MAX_PUS) return unexpected(r, "the number of a PU or core");
  r->at = end;
  *out = (int)v;
  return BERTH_OK;
}

static int read_char(reader_t *r, char c)
{
  char expected[] = {'\'', c, '\'', '\0'};
  if (*r->at != c) return unexpected(r, expected);
  r->at++;
  return BERTH_OK;
}

static int read_pu(reader_t *r, node_t *node)
{
  node->is_pu = 1;
  int rc = read_number(r, &node->os_index);
  if (!rc) rc = read_char(r, ':');
  return rc ? rc : read_number(r, &node->core);
}

static int read_level(reader_t *r, node_t *node)
{
  int rc = read_kind(r, &node->outer);
  node->inner = node->outer;
  if (!rc && *r->at == '+') {
    r->at++;
    rc = read_kind(r, &node->inner);
  }
  if (!rc) rc = read_char(r, '(');
  if (!rc && (node->outer == KIND_HOST) != (node->parent < 0))
    rc = unexpected(r, "one host around all levels");
  return rc;
}

/* Reads one node and remembers what its parent has to know. */
static int read_node(reader_t *r, int parent)
{
  node_t node = {.parent = parent};
  int is_pu = *r->at >= '0' && *r->at <= '9' && parent >= 0;
  int rc = is_pu ? read_pu(r, &node) : read_level(r, &node);
  if (rc) return rc;
  if (!ARRAY_GROW(&r->nodes, r->n, &r->cap))
    return berth_fail(r->err, BERTH_MISSING, "out of memory");
  r->nodes[r->n++] = node;
  if (!is_pu && (node.outer == KIND_PACKAGE || node.outer == KIND_NUMA) && parent >= 0)
    r->nodes[parent].below_memory++;
  return BERTH_OK;
}

/* Reads the whole description without recursion: `level` is the one whose bracket is open. */
static int read_nodes(reader_t *r)
{
  int level = -1, rc;
  for (;;) {
    if ((rc = read_node(r, level))) return rc;
    if (!r->nodes[r->n - 1].is_pu) {
      level = (int)r->n - 1;
      continue;
    }
    while (*r->at == ')' && level >= 0) {
      r->at++;
      level = r->nodes[level].parent;
    }
    if (level < 0) return *r->at ? unexpected(r, "nothing more") : BERTH_OK;
    if ((rc = read_char(r, ','))) return rc;
  }
}

/* How the members of a level reach each other. */
static topo_link_t link_within(const node_t *level)
{
  switch (level->inner) {
  case KIND_L4:
  case KIND_L3:
    return LINK_L3;
  case KIND_L2:
  case KIND_L1:
    return LINK_L2;
  case KIND_CORE:
    return LINK_CORE;
  default:
    return level->below_memory ? LINK_INTERCONNECT : LINK_MEMORY;
  }
}

static int add_level(berth_topo_t *t, const node_t *nodes, const node_t *node, int parent,
                     const char *host, int number, berth_error_t *err)
{
  char name[32];
  snprintf(name, sizeof name, "%s %d", kind_names[node->outer], number);
  topo_link_t up = node->parent < 0 ? LINK_NETWORK : link_within(&nodes[node->parent]);
  int type = topo_default_type(t, kind_names[node->outer], up, link_within(node), err);
  if (type < 0) return -1;
  return node->parent < 0 ? berth_topo_add_switch(t, parent, type, host, host, err)
                          : berth_topo_add_switch(t, parent, type, name, NULL, err);
}

/* Nodes and elements have the same numbers: both stand depth first. */
static int build(berth_topo_t *t, const reader_t *r, const char *host, berth_error_t *err)
{
  int count[N_KINDS] = {0};
  for (size_t i = 0; i < r->n; i++) {
    const node_t *node = &r->nodes[i];
    int number = node->is_pu ? 0 : count[node->outer]++;
    int e = node->is_pu ? berth_topo_add_pu(t, node->parent, node->os_index, node->core, err)
                        : add_level(t, r->nodes, node, node->parent, host, number, err);
    if (e < 0) return BERTH_BAD_INPUT;
  }
  return berth_topo_finish(t, err);
}

berth_topo_t *berth_topo_from_description(const char *host, const char *description,
                                          berth_error_t *err)
{
  reader_t r = {.text = description, .at = description, .err = err};
  berth_topo_t *t = read_nodes(&r) ? NULL : berth_topo_new(host, err);
  if (t && build(t, &r, host, err)) {
    berth_topo_free(t);
    t = NULL;
  }
  free(r.nodes);
  return t;
}
