/* SPDX-License-Identifier: BSD-3-Clause */
/* Random machines and placements for tests of model flow. */
#ifndef BERTH_TESTS_FLOW_MACHINES_H
#define BERTH_TESTS_FLOW_MACHINES_H

#include <math.h>
#include <stdbool.h>

#include "cost/flow_common.h"
#include "map/random_instance.h"

/* A tree of up to three levels below the root, with curves or bare capacities, all of them times
 * `factor`. */
static inline berth_topo_t *random_machine(uint64_t seed, double factor)
{
  dice_t d = {seed};
  berth_topo_t *t = berth_topo_new("random", NULL);
  int type[4], hosts = 0;
  for (int i = 0; i < 2; i++) {
    double size[3] = {1, 100, 1000}, bandwidth[3];
    for (int k = 0; k < 3; k++) bandwidth[k] = factor * (1 + roll(&d, 100));
    char name[8];
    snprintf(name, sizeof name, "c%d", i);
    berth_curve_t c = {.name = name, .source = "", .n = 3, .size = size, .bandwidth = bandwidth};
    berth_topo_add_curve(t, &c, NULL);
  }
  for (int i = 0; i < 4; i++) {
    char name[8];
    snprintf(name, sizeof name, "t%d", i);
    berth_type_t one = {.name = name, .capacity = roll(&d, 2) ? factor * 150 : 0};
    berth_port_dir_t *dir[] = {&one.up.out, &one.up.in, &one.down.out, &one.down.in};
    for (int k = 0; k < 4; k++) {
      dir[k]->curve = roll(&d, 4) - 2;
      if (dir[k]->curve < 0) dir[k]->curve = -1;
      dir[k]->capacity = roll(&d, 5) ? factor * (100 + roll(&d, 200)) : 0;
      if (dir[k]->curve >= 0 && dir[k]->capacity == 0) dir[k]->capacity = factor * 100;
    }
    one.up.reverse = roll(&d, 2) ? 0.1 * roll(&d, 6) : 0;
    one.down.reverse = roll(&d, 2) ? 0.1 * roll(&d, 6) : 0;
    type[i] = berth_topo_add_type(t, &one, NULL);
  }
  int root = berth_topo_add_switch(t, -1, type[0], "root", NULL, NULL);
  for (int i = 1 + roll(&d, 3); i > 0; i--) {
    int rack = roll(&d, 3) ? berth_topo_add_switch(t, root, type[1], "r", NULL, NULL) : root;
    for (int k = 1 + roll(&d, 3); k > 0; k--)
      random_host(t, &d, rack, type[2 + roll(&d, 2)], hosts++);
  }
  berth_error_t err = {0};
  if (berth_topo_finish(t, &err)) fail_msg("%s", err.text);
  return t;
}

/* Rank name[r] on a random PU; some ranks share one. */
static inline void random_placement(uint64_t seed, const berth_topo_t *t, const int *name,
                                    int *pu_of_rank)
{
  dice_t d = {seed + 1};
  for (int r = 0; r < RANKS; r++) pu_of_rank[name[r]] = roll(&d, berth_topo_n_pus(t));
}

/* A relative difference that is more than rounding. */
static inline bool differ(double a, double b) { return fabs(a - b) > 1e-9 * (fabs(a) + fabs(b)); }

static const int own_names[RANKS] = {0, 1, 2, 3, 4, 5, 6, 7};

#endif
