/* SPDX-License-Identifier: BSD-3-Clause */
/* Random trees and patterns for property tests; the same for the same seed. */
#ifndef BERTH_TESTS_RANDOM_INSTANCE_H
#define BERTH_TESTS_RANDOM_INSTANCE_H

#include <berth/map.h>
#include <stdbool.h>

#include "harness.h"

typedef struct dice {
  uint64_t state;
} dice_t;

static inline int roll(dice_t *d, int n)
{
  d->state = d->state * 6364136223846793005u + 1442695040888963407u;
  return (int)((d->state >> 33) % (unsigned)n);
}

/* A host with one to three sockets of one to four PUs, or PUs of its own; sometimes two PUs share
 * a core. */
static inline void random_host(berth_topo_t *t, dice_t *d, int parent, int type, int number)
{
  char name[32];
  snprintf(name, sizeof name, "n%d", number);
  int host = berth_topo_add_switch(t, parent, type, name, name, NULL);
  int sockets = roll(d, 4), pu = 0, threads = 1 + roll(d, 2);
  for (int s = 0; s < (sockets ? sockets : 1); s++) {
    int below = sockets ? berth_topo_add_switch(t, host, type, "socket", NULL, NULL) : host;
    for (int i = 1 + roll(d, 4); i > 0; i--, pu++)
      berth_topo_add_pu(t, below, pu, pu / threads, NULL);
  }
}

/* A direction of a port: a capacity alone, or above the bandwidths of one of the two curves. */
static inline berth_port_dir_t random_direction(dice_t *d)
{
  int curve = roll(d, 4) - 2;
  if (curve < 0) return (berth_port_dir_t){-1, 10.0 * (1 + roll(d, 50))};
  return (berth_port_dir_t){curve, roll(d, 2) ? 0 : 10.0 * (16 + roll(d, 50))};
}

/* On cores with two busy PUs ranks compute `slowdown` times as long; 0: nobody knows. */
static inline berth_topo_t *random_topology_with(dice_t *d, double slowdown)
{
  berth_topo_t *t = berth_topo_new("random", NULL);
  int types[3], host_types[3], hosts = 0;
  const double sizes[] = {1, 100}, slow[] = {1, 50}, fast[] = {20, 160};
  berth_topo_add_curve(t, &(berth_curve_t){"slow", "", 2, sizes, slow}, NULL);
  berth_topo_add_curve(t, &(berth_curve_t){"fast", "", 2, sizes, fast}, NULL);
  for (int i = 0; i < 3; i++) {
    char name[8];
    snprintf(name, sizeof name, "t%d", i);
    berth_port_dir_t up = random_direction(d), down = random_direction(d);
    berth_type_t type = {name, {up, up}, {down, down}, roll(d, 2) ? 100 : 0};
    host_types[i] = types[i] = berth_topo_add_type(t, &type, NULL);
    if (slowdown <= 0) continue;
    name[0] = 'h';
    type.slowdown = &slowdown;
    type.n_slowdowns = 1;
    host_types[i] = berth_topo_add_type(t, &type, NULL);
  }
  int root = berth_topo_add_switch(t, -1, types[0], "root", NULL, NULL);
  for (int i = 1 + roll(d, 4); i > 0; i--) {
    if (roll(d, 3) == 0) { /* a host right below the root */
      random_host(t, d, root, host_types[roll(d, 3)], hosts++);
      continue;
    }
    int rack = berth_topo_add_switch(t, root, types[roll(d, 3)], "rack", NULL, NULL);
    for (int k = 1 + roll(d, 4); k > 0; k--)
      random_host(t, d, rack, host_types[roll(d, 3)], hosts++);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

static inline berth_topo_t *random_topology(dice_t *d) { return random_topology_with(d, 0); }

/* A machine of at most so many PUs, and at least two. */
static inline berth_topo_t *small_topology(dice_t *d, int most)
{
  for (;;) {
    berth_topo_t *t = random_topology(d);
    if (berth_topo_n_pus(t) >= 2 && berth_topo_n_pus(t) <= most) return t;
    berth_topo_free(t);
  }
}

/* A PU for about every third rank, -1 for the others; at most so many ranks on one. */
static inline int *random_pins(dice_t *d, int ranks, int pus, int ranks_per_pu)
{
  int *pinned = malloc((size_t)ranks * sizeof *pinned), *taken = calloc((size_t)pus, sizeof *taken);
  for (int r = 0; r < ranks; r++) {
    int pu = roll(d, pus);
    bool pin = roll(d, 3) == 0 && taken[pu] < ranks_per_pu;
    pinned[r] = pin ? pu : -1;
    taken[pu] += pin;
  }
  free(taken);
  return pinned;
}

/* A PU of its own for each rank; of so many ranks one is nowhere (-1). */
static inline void random_from(dice_t *d, int *from, int ranks, int pus, int of)
{
  int *at = malloc((size_t)pus * sizeof *at);
  for (int p = 0; p < pus; p++) at[p] = p;
  for (int p = pus - 1; p > 0; p--) {
    int other = roll(d, p + 1), kept = at[p];
    at[p] = at[other];
    at[other] = kept;
  }
  for (int r = 0; r < ranks; r++) from[r] = roll(d, of) ? at[r] : -1;
  free(at);
}

/* Sometimes with messages as large as they may be, none of them like another, since equal ones are
 * added up; and exact, or binned as the tracer does. */
static inline berth_pattern_t *random_pattern(dice_t *d, int ranks)
{
  berth_pattern_t *p = berth_pattern_new(ranks, NULL);
  uint64_t scale = roll(d, 8) ? 1 : (uint64_t)1 << 43;
  int binned = roll(d, 4) == 0;
  for (int i = roll(d, 4 * ranks); i > 0; i--) {
    berth_message_t m = {.phase = roll(d, 2),
                         .src = roll(d, ranks),
                         .dst = roll(d, ranks),
                         .size =
                             scale * (uint64_t)roll(d, 1000) + (scale > 1 ? (uint64_t)i << 33 : 0),
                         .count = scale > 1 ? 1 : 1 + (uint64_t)roll(d, 9)};
    m.bytes = m.size * m.count;
    if (binned)
      m.bytes += m.bytes / 64 * (uint64_t)roll(d, 2) - m.bytes / 64 * (uint64_t)roll(d, 2);
    assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

#endif
