/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth calibrate --agents`: what reductions take on hosts and on agents. */
#ifndef BERTH_CLI_CALIBRATE_AGENTS_H
#define BERTH_CLI_CALIBRATE_AGENTS_H

#include "launch/launch.h"

typedef struct calibrate_agents {
  const char *program;        /* for messages */
  const char *const *command; /* the launcher */
  size_t n;
  const char *output;
  launch_mpi_t mpi; /* of the job */
} calibrate_agents_t;

/* Measures, and writes the file (docs/formats/agents.md). Returns the exit code. */
int calibrate_agents(const calibrate_agents_t *c);

#endif
