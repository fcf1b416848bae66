/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of a topology file: its tree before repeats are expanded. The plan is checked and
 * counted first, because a few bytes of text can ask for 10^12 PUs. */
#ifndef BERTH_TOPO_PLAN_H
#define BERTH_TOPO_PLAN_H

#include "base/json.h"
#include "topo/topo_internal.h"

/* A name with at most one %d. */
typedef struct plan_name {
  const char *text; /* borrowed from the document; NULL: no name */
  int percent;      /* offset of the %d, -1 without one */
  int counter;      /* number of the pattern's counter, -1 without a %d */
} plan_name_t;

/* One element of the file. Elements are in depth-first order, as in the file. */
typedef struct plan_element {
  int type;  /* -1 for a PU */
  int n_all; /* elements of the plan in its subtree, itself included */
  union {
    struct {
      int os_index, core;
    } pu;
    struct {
      plan_name_t name, host;
      uint64_t repeat;
      uint64_t first; /* PLAN_NO_FIRST: the counter continues */
    } box;
  } is;
} plan_element_t;

#define PLAN_NO_FIRST UINT64_MAX

typedef struct plan {
  topo_limits_t limits;
  plan_element_t *elements;
  size_t n, cap;
  uint64_t *next; /* by counter: the next number */
  size_t n_counters, cap_counters;
  name_table_t name_counters, host_counters; /* by pattern */
} plan_t;

/* Reads the element at a place and everything below it. */
int plan_read(plan_t *plan, const berth_topo_t *t, const json_place_t *root);
/* Adds the plan's elements to t, with repeats expanded, and finishes t. */
int expand_plan(plan_t *plan, berth_topo_t *t, const json_place_t *root);
void plan_clear(plan_t *plan);

/* Puts the place in front of the builder's error. */
int topo_located(const json_place_t *at, const berth_error_t *error);

#endif
