/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions by hosts and by agents, for people and for scripts. */
#ifndef BERTH_CLI_PRINT_AGENTS_VIEW_H
#define BERTH_CLI_PRINT_AGENTS_VIEW_H

#include <berth/agents.h>

/* One number of hosts and one place. */
typedef struct agents_result {
  berth_reduce_tree_t tree;
  double time_s; /* without noise */
  berth_spread_t spread;
  berth_histogram_t times;
} agents_result_t;

typedef struct agents_row {
  int hosts;
  agents_result_t of[BERTH_REDUCE_N_PLACES];
} agents_row_t;

typedef struct agents_view {
  const berth_reduction_t *what; /* but for its hosts */
  const char *file;
  size_t reductions; /* that were played; 0: there is no noise */
  const berth_simulation_t *noise;
  size_t n;
  const agents_row_t *row;
} agents_view_t;

void agents_print(const agents_view_t *v);
/* The object of docs/formats/agents.md. */
int agents_json(const agents_view_t *v, const char *path, berth_error_t *err);

#endif
