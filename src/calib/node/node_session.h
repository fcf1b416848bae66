/* SPDX-License-Identifier: BSD-3-Clause */
/* What the experiments of a node share. */
#ifndef BERTH_CALIB_NODE_SESSION_H
#define BERTH_CALIB_NODE_SESSION_H

#include "base/arena.h"
#include "calib/node/calib_node.h"
#include "calib/node/node_team.h"

typedef struct node_step node_step_t;

struct calib_node {
  node_machine_t machine;
  node_team_t *team;
  berth_node_t *record;
  node_step_t *steps;
  size_t n_steps, cap_steps;
  arena_t arena;           /* texts of steps */
  struct node_area *areas; /* of the cores, for contention; NULL: not made yet */
  bool (*goes_on)(void);
  int laps, rounds; /* of the plan; samples of a lap */
  int lap;          /* of the step at hand */
};

/* One step of the plan. Its fields say which curves it makes. What other jobs on the machine could
 * slow is measured in several laps, so that its samples are up to a minute apart. */
enum { NODE_LAPS = 5 };
struct node_step {
  int (*run)(calib_node_t *c, const node_step_t *s, berth_error_t *err);
  const char *text; /* for people, in the arena */
  int lap;
  const char *name; /* of a use of memory; NULL: of no one use */
  const char *state;
  int core_numa, memory_numa;
  int idle; /* of noise: a PU that is left idle; -1: none */
};

/* The steps' functions: memory copies; cores together, alone, beside one that sends; granules of
 * work; the clock and sleeping; noise. */
int node_copies(calib_node_t *c, const node_step_t *s, berth_error_t *err);
int node_together(calib_node_t *c, const node_step_t *s, berth_error_t *err);
int node_alone(calib_node_t *c, const node_step_t *s, berth_error_t *err);
int node_beside(calib_node_t *c, const node_step_t *s, berth_error_t *err);
int node_granules(calib_node_t *c, const node_step_t *s, berth_error_t *err);
int node_timers(calib_node_t *c, const node_step_t *s, berth_error_t *err);
int node_noise(calib_node_t *c, const node_step_t *s, berth_error_t *err);

/* Fails if the user has stopped the measurement. */
int node_stopped(const calib_node_t *c, berth_error_t *err);

/* Frees c->areas. */
void node_areas_free(calib_node_t *c);

/* Bytes of a core's area of which there are `areas`: more than the caches have, if there is
 * memory. */
size_t node_area_bytes(const calib_node_t *c, int areas);

/* Samples of a curve that is being measured: n points with at most so many samples as
 * a lap has rounds. */
typedef struct node_samples {
  size_t n;
  double *x;
  double *value; /* room for `rounds` of each point */
  int rounds;
  int *count;
} node_samples_t;
/* false if memory is out. Clear it in any case. */
bool node_samples_make(const calib_node_t *c, node_samples_t *s, size_t n);
void node_samples_clear(node_samples_t *s);
void node_samples_add(node_samples_t *s, size_t i, double value);
/* Which lap's median a point keeps: whatever else uses the machine only slows experiments. */
typedef enum {
  NODE_HIGH,
  NODE_LOW,
  NODE_LAST
} node_keep_t; /* rates; seconds; what varies anyway */
/* Adds the curve to the record: the medians of the samples of this lap, or of an earlier one.
 * Points without samples are left out. */
int node_samples_keep(calib_node_t *c, const node_step_t *step, berth_node_what_t what,
                      const char *name, node_keep_t which, node_samples_t *s, berth_error_t *err);

#endif
