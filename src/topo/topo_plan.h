/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of a topology file as it is written, each element once, checked and counted before the
 * repeats are expanded: a few bytes of text can ask for 10^12 PUs. */
#ifndef BERTH_TOPO_PLAN_H
#define BERTH_TOPO_PLAN_H

#include "base/json.h"
#include "topo/topo_internal.h"

/* A name with at most one %d in it. */
typedef struct plan_name {
  const char *text; /* borrowed from the document; NULL when there is none */
  int percent;      /* offset of the %d, -1 when there is none */
  int counter;      /* number of the pattern's counter, -1 when there is no %d */
} plan_name_t;

/* One element of the file. Elements stand depth first, as in the file. */
typedef struct plan_element {
  int type;  /* -1 for a PU */
  int n_all; /* elements of the plan in its subtree, itself among them */
  union {
    struct {
      int os_index, core;
    } pu;
    struct {
      plan_name_t name, host;
      uint64_t repeat;
      uint64_t first; /* PLAN_NO_FIRST when the count goes on */
    } box;
  } is;
} plan_element_t;

#define PLAN_NO_FIRST UINT64_MAX

typedef struct plan {
  topo_limits_t limits;
  plan_element_t *elements;
  size_t n, cap;
  uint64_t *next; /* per counter, the number that comes next */
  size_t n_counters, cap_counters;
  name_table_t name_counters, host_counters; /* by pattern */
} plan_t;

/* Reads the element at a place and all below it. */
int plan_read(plan_t *plan, const berth_topo_t *t, const json_place_t *root);
/* Adds the elements of the plan to t, repeats expanded; t is finished after it. */
int expand_plan(plan_t *plan, berth_topo_t *t, const json_place_t *root);
void plan_clear(plan_t *plan);

/* Puts the place in front of the builder's error. */
int topo_located(const json_place_t *at, const berth_error_t *error);

#endif
