/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth calibrate node`: what this machine's memory, copies, cores and noise allow. */
#ifndef BERTH_CLI_CALIBRATE_NODE_H
#define BERTH_CLI_CALIBRATE_NODE_H

#include <stdbool.h>

#include "cli/measuring_launch.h"

typedef struct calibrate_node {
  const char *program;  /* for messages */
  const char *topology; /* NULL: this machine as hwloc sees it */
  const char *output;
  int samples; /* of a value; 0: as usual */
  bool verbose;
  measuring_launch_t launch; /* measures messages in blocks; command NULL: it isn't done */
} calibrate_node_t;

/* Measures, and writes the topology after each step. Returns the exit code. */
int calibrate_node(const calibrate_node_t *c);

#endif
