/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of hosts, as lists of levels and PUs and as text:
 *
 *   level  = kind ["+" kind] "(" member {"," member} ")"
 *   member = (level | os_index ":" core) ["*" count "+" os_step "+" core_step]
 *
 * A count repeats the member; the steps are added to the numbers of each copy's PUs. Machines are
 * regular, so a few dozen bytes describe hundreds of PUs:
 * host(package+l3(core(0:0,64:0)*32+1+1)*2+32+32). */
#ifndef BERTH_TOPO_DISCOVER_TOPO_DESCRIPTION_H
#define BERTH_TOPO_DISCOVER_TOPO_DESCRIPTION_H

#include <berth/topo.h>
#include <stdbool.h>

#include "topo/discover/topo_defaults.h"

/* Kinds of levels, outermost first. */
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

/* A level or a PU. */
typedef struct part {
  int parent; /* its number, -1 at the host */
  int size;   /* parts in its subtree, itself included */
  bool is_pu;
  bool has_memory;     /* a level with memory of its own, below a host with several such levels */
  kind_t outer, inner; /* of a level; see topo_hwloc.c */
  int os_index, core;  /* of a PU */
} part_t;

/* Parts in depth-first order; the host is the first. */
typedef struct parts {
  part_t *part;
  size_t n, cap;
} parts_t;

/* The maximum for one host. */
enum { PARTS_MAX = 1 << 20 };

/* Adds a part below `parent` and returns its number. parts_finish sets the sizes. -1 if memory is
 * out or there are PARTS_MAX parts. */
int parts_add_level(parts_t *p, int parent, kind_t outer, kind_t inner);
int parts_add_pu(parts_t *p, int parent, int os_index, int core);
void parts_finish(parts_t *p);

/* The description's text, which the caller frees. NULL when memory is out. */
char *parts_print(const parts_t *p);

/* Reads a description. The caller frees p->part, also after a failure. */
int description_parts_read(parts_t *p, const char *text, berth_error_t *err);

/* As berth_topo_from_description, with links of these figures. */
berth_topo_t *description_topo(const char *host, const char *description,
                               const topo_figures_t *figures, berth_error_t *err);

#endif
