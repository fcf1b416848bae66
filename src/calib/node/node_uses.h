/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses of memory that races measure: each is a turn over the next piece of a core's own area. */
#ifndef BERTH_CALIB_NODE_USES_H
#define BERTH_CALIB_NODE_USES_H

#include <stdint.h>

#include "calib/node/node_team.h"

/* A core's memory. Turns go through it piece by piece, so that it comes from memory and not from a
 * cache, if it is larger than the caches. */
typedef struct node_area {
  char *from, *to;
  size_t bytes, at; /* of each; where the next piece begins */
  char *segment;    /* where messages are copied to */
  uint64_t *sink;   /* where sums go, so that compilers keep them */
} node_area_t;

enum { NODE_PIECE = 256 << 10, NODE_SEGMENT = 1 << 20 };

typedef struct node_use {
  const char *name;
  node_turn_t *turn; /* of a node_area_t */
} node_use_t;

enum { NODE_USES = 4 };
extern const node_use_t node_uses[NODE_USES]; /* read, write, copy, transpose */

/* The sending of messages through shared memory: copies into a segment. */
extern const node_use_t node_sending;

#endif
