/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of hosts, as lists of levels and PUs and as text:
 *
 *   level  = kind ["+" kind] "(" member {"," member} ")"
 *   member = (level | os_index ":" core) ["*" count "+" os_step "+" core_step]
 *
 * A count repeats the member; each copy's PUs have higher numbers by the steps. Machines are
 * regular, so that a description of hundreds of PUs takes some dozens of bytes:
 * host(package+l3(core(0:0,64:0)*32+1+1)*2+32+32). */
#ifndef BERTH_TOPO_DISCOVER_TOPO_DESCRIPTION_H
#define BERTH_TOPO_DISCOVER_TOPO_DESCRIPTION_H

#include <berth/topo.h>
#include <stdbool.h>

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

extern const char *const topo_kind_names[N_KINDS];

/* A level or PU. */
typedef struct part {
  int parent; /* its number, -1 at the host */
  int size;   /* parts in its subtree, itself among them */
  bool is_pu;
  bool has_memory;     /* a level with memory of its own below a host that has several */
  kind_t outer, inner; /* a level's, see topo_hwloc.c */
  int os_index, core;  /* a PU's */
} part_t;

/* Parts stand depth first, the host is the first. */
typedef struct parts {
  part_t *part;
  size_t n, cap;
} parts_t;

/* The most that one host may have. */
enum { PARTS_MAX = 1 << 20 };

/* Adds a part below `parent`; sizes are left for parts_finish. Its number, -1 when memory is out or
 * there are PARTS_MAX. */
int parts_add_level(parts_t *p, int parent, kind_t outer, kind_t inner);
int parts_add_pu(parts_t *p, int parent, int os_index, int core);
void parts_finish(parts_t *p);

/* The description's text, which the caller frees; NULL when memory is out. */
char *parts_print(const parts_t *p);

/* Reads a description; free p->part in any case. */
int description_parts_read(parts_t *p, const char *text, berth_error_t *err);

#endif
