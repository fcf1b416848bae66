/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds this node back: settings of the system, and what else runs on its cores. */
#ifndef BERTH_CALIB_NODE_FAULTS_H
#define BERTH_CALIB_NODE_FAULTS_H

#include <stddef.h>

typedef enum node_verdict {
  NODE_FINE,
  NODE_SLOW,   /* holds the node back */
  NODE_UNKNOWN /* the system doesn't say */
} node_verdict_t;

typedef struct node_finding {
  node_verdict_t verdict;
  const char *what; /* a constant */
  char text[512];   /* what was found; if it is slow, what it changes and what helps */
} node_finding_t;

/* Looks at everything, which takes a second, and fills at most NODE_FINDINGS. Returns how many. */
enum { NODE_FINDINGS = 8 };
size_t node_faults_find(node_finding_t out[NODE_FINDINGS]);

#endif
