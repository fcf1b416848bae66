/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BERTH_AGENTS_AGENTS_INTERNAL_H
#define BERTH_AGENTS_AGENTS_INTERNAL_H

#include <berth/agents.h>
#include <stdbool.h>

#include "base/arena.h"

struct berth_agents {
  arena_t arena;
  const char *name;
  berth_executor_t host, agent;
};

/* Reads a text; `name` is the file's, for errors. */
berth_agents_t *agents_parse(const char *text, size_t n, const char *name, berth_error_t *err);

/* What the parts of a vector take: `part` is its elements. */
typedef struct part_times {
  double latency_s, start_s, receive_s, compute_s;
} part_times_t;

const berth_executor_t *agents_executor(const berth_reduction_t *r, bool agent);
part_times_t agents_times(const berth_reduction_t *r, bool agent, double part);

/* Plays one reduction without noise; -1: memory is out. */
double agents_play(const berth_reduction_t *r, berth_reduce_place_t place,
                   berth_reduce_tree_t tree);

#endif
