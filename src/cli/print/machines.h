/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines side by side, for people and for scripts. */
#ifndef BERTH_CLI_PRINT_MACHINES_H
#define BERTH_CLI_PRINT_MACHINES_H

#include <stdbool.h>

#include "cli/options/inputs.h"

/* The links and switches of one depth: their types, and what the most expensive one costs. */
typedef struct machine_level {
  char types[64];
  double cost_s;
} machine_level_t;

/* A machine, and the best placement that was found on it. */
typedef struct machine {
  char *name;         /* of the topology's file, or the value of the sweep */
  const char *path;   /* borrowed */
  const char *change; /* of the sweep, or NULL */
  double value;       /* of the sweep: a rate, a latency or a factor */
  int hosts, pus;
  bool distances;          /* costs have no unit */
  double default_s;        /* of the default order; negative: it doesn't fit */
  double best_s;           /* with the cost of shared cores */
  double bound_s;          /* no placement has a lower cost; negative: unknown */
  char algorithm[48];      /* that found the best placement */
  char bottleneck[256];    /* "" if no message crosses a port that costs anything */
  machine_level_t *levels; /* of the best placement, from the root */
  size_t n_levels;
  size_t top, next; /* the most expensive levels; n_levels: there is none */
} machine_t;

typedef struct machines_view {
  const inputs_t *asked; /* what all machines share: not loaded */
  const inputs_t *in;    /* of one of the machines, loaded */
  const char *sweep;     /* up to its '='; NULL: none */
  int sweep_length;
  machine_t *machine;
  size_t n;
} machines_view_t;

void machines_print(const machines_view_t *v);

/* docs/formats/compare.md, Machines. */
int machines_json(const machines_view_t *v, const char *path, berth_error_t *err);
int machines_csv(const machines_view_t *v, const char *path, berth_error_t *err);

#endif
