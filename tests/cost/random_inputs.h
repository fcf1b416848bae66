/* SPDX-License-Identifier: BSD-3-Clause */
/* Random machines and patterns: uneven trees, ports without curves or without anything, switches
 * with capacities, several phases with repeats, binned sizes, messages of no bytes. */
#ifndef BERTH_TESTS_RANDOM_INPUTS_H
#define BERTH_TESTS_RANDOM_INPUTS_H

#include <berth/cost.h>
#include <stdbool.h>

#include "harness.h"

static uint64_t random_state;
static inline uint32_t random_below(uint32_t n)
{
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(((random_state >> 32) * n) >> 32);
}

enum { N_CURVES = 3, N_TYPES = 4 };

static inline int random_curve(berth_topo_t *t, int i)
{
  double size[] = {1, 1000, 1e6}, bandwidth[3];
  char name[16];
  snprintf(name, sizeof name, "curve%d", i);
  for (int k = 0; k < 3; k++) bandwidth[k] = (1 + random_below(50)) * (k + 1.0) * 1e6;
  berth_curve_t curve = {name, "", 3, size, bandwidth};
  return berth_topo_add_curve(t, &curve, NULL);
}

/* One in four ports costs nothing, one has no curve, one more capacity than its curve. */
static inline berth_port_t random_port(int even)
{
  int kind = even ? 2 : (int)random_below(4);
  if (kind == 0) return (berth_port_t){{-1, 0}, {-1, 0}};
  double capacity = (1 + random_below(9)) * 1e8;
  if (kind == 1) return (berth_port_t){{-1, capacity / 100}, {-1, capacity / 100}};
  berth_port_t port = {{(int)random_below(N_CURVES), 0}, {(int)random_below(N_CURVES), 0}};
  if (kind == 3 || even) port.out.capacity = port.in.capacity = capacity + 2e8;
  return port;
}

static inline void grow(berth_topo_t *t, int parent, int levels, int width, int even, int *serial)
{
  int children = even ? width : 1 + (int)random_below((uint32_t)width);
  for (int i = 0; i < children; i++) {
    char name[16];
    snprintf(name, sizeof name, "e%d", ++*serial);
    if (levels == 1 || (!even && random_below(6) == 0)) {
      int host =
          berth_topo_add_switch(t, parent, even ? 1 : (int)random_below(N_TYPES), name, name, NULL);
      int inside = !even && random_below(3) == 0; /* a level inside the host */
      snprintf(name, sizeof name, "e%d", ++*serial);
      if (inside)
        host = berth_topo_add_switch(t, host, (int)random_below(N_TYPES), name, NULL, NULL);
      int pus = even ? width : 1 + (int)random_below((uint32_t)width);
      for (int p = 0; p < pus; p++) berth_topo_add_pu(t, host, p, p, NULL);
    } else {
      int type = even ? levels % N_TYPES : (int)random_below(N_TYPES);
      grow(t, berth_topo_add_switch(t, parent, type, name, NULL, NULL), levels - 1, width, even,
           serial);
    }
  }
}

/* A tree with alike levels (even) or any. */
static inline berth_topo_t *random_machine(int levels, int width, int even)
{
  berth_topo_t *t = berth_topo_new("random", NULL);
  for (int i = 0; i < N_CURVES; i++) random_curve(t, i);
  for (int i = 0; i < N_TYPES; i++) {
    char name[16];
    snprintf(name, sizeof name, "type%d", i);
    berth_type_t type = {name, random_port(even), random_port(even), 0};
    if (random_below(3) == 0) type.capacity = (1 + random_below(20)) * 1e7;
    assert_int_equal(berth_topo_add_type(t, &type, NULL), i);
  }
  int serial = 0,
      root = berth_topo_add_switch(t, -1, (int)random_below(N_TYPES), "root", NULL, NULL);
  grow(t, root, levels, width, even, &serial);
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

static inline berth_pattern_t *random_pattern(int ranks, int degree, int phases)
{
  berth_pattern_t *p = berth_pattern_new(ranks, NULL);
  for (int k = 0; k < phases; k++) {
    berth_phase_t phase = {k, "phase", 1 + random_below(5)};
    assert_int_equal(berth_pattern_add_phase(p, &phase, NULL), BERTH_OK);
    for (int i = 0; i < ranks * degree; i++) {
      uint64_t size = random_below(8) ? UINT64_C(1) << random_below(22) : 0;
      uint64_t count = 1 + random_below(20), bytes = size * count;
      if (size > 100 && random_below(4) == 0) bytes -= random_below(50); /* sizes were binned */
      berth_message_t m = {.phase = k,
                           .src = (int)random_below((uint32_t)ranks),
                           .dst = (int)random_below((uint32_t)ranks),
                           .size = size,
                           .count = count,
                           .bytes = bytes};
      assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
    }
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

/* Ranks on random PUs; no two on one unless they are more or `share` says so. */
static inline int *random_placement(int ranks, int pus, int share)
{
  int *pu_of_rank = malloc((size_t)ranks * sizeof *pu_of_rank);
  int *pool = malloc((size_t)pus * sizeof *pool);
  for (int i = 0; i < pus; i++) pool[i] = i;
  for (int r = 0; r < ranks; r++) {
    if (share || ranks > pus) {
      pu_of_rank[r] = (int)random_below((uint32_t)pus);
      continue;
    }
    int at = r + (int)random_below((uint32_t)(pus - r));
    pu_of_rank[r] = pool[at];
    pool[at] = pool[r];
  }
  free(pool);
  return pu_of_rank;
}

#endif
