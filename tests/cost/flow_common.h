/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of model flow share. */
#ifndef BERTH_TESTS_FLOW_COMMON_H
#define BERTH_TESTS_FLOW_COMMON_H

#include <berth/cost.h>
#include <stdio.h>

#include "harness.h"

enum { RANKS = 8 };

static inline double cost_of(const berth_pattern_t *p, const berth_topo_t *t, berth_model_t model,
                             const int *pu_of_rank)
{
  berth_cost_t *c = berth_cost_new(p, t, NULL);
  double cost = berth_cost_evaluate(c, model, pu_of_rank);
  berth_cost_free(c);
  return cost;
}

/* Rank r on PU r; those that are more than PUs send nothing and stand anywhere. */
static inline const int *in_order(const berth_topo_t *t)
{
  static int pu_of_rank[RANKS];
  for (int r = 0; r < RANKS; r++) pu_of_rank[r] = r % berth_topo_n_pus(t);
  return pu_of_rank;
}

/* Hosts of one PU each, whose links carry link[i] in both directions, below one switch. PUs' own
 * ports cost nothing. With `half` the hosts stand in two racks of n / 2, whose up ports carry
 * `half`; else it is 0. */
typedef struct machine {
  int n;
  double link[RANKS];
  double half, core;
} machine_t;

static inline void add_host(berth_topo_t *t, int parent, int number, double link)
{
  char name[16];
  snprintf(name, sizeof name, "n%d", number);
  berth_type_t host = {.name = name};
  host.up.out.curve = host.up.in.curve = host.down.out.curve = host.down.in.curve = -1;
  host.up.out.capacity = host.up.in.capacity = link;
  int type = berth_topo_add_type(t, &host, NULL);
  berth_topo_add_pu(t, berth_topo_add_switch(t, parent, type, name, name, NULL), 0, 0, NULL);
}

static inline berth_topo_t *make_machine(const machine_t *m)
{
  berth_topo_t *t = berth_topo_new("m", NULL);
  berth_type_t core = {.name = "core", .capacity = m->core}, rack = {.name = "rack"};
  core.up.out.curve = core.up.in.curve = core.down.out.curve = core.down.in.curve = -1;
  rack.up = rack.down = core.up;
  rack.up.out.capacity = rack.up.in.capacity = m->half;
  int c = berth_topo_add_type(t, &core, NULL), r = berth_topo_add_type(t, &rack, NULL);
  int root = berth_topo_add_switch(t, -1, c, "core", NULL, NULL), parent = root;
  for (int i = 0; i < m->n; i++) {
    if (m->half > 0 && i % (m->n / 2) == 0)
      parent = berth_topo_add_switch(t, root, r, i ? "right" : "left", NULL, NULL);
    add_host(t, parent, i, m->link[i]);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

#endif
