/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard patterns: what well-known kinds of programs send, for machines and sizes that nobody has
 * traced. A pattern has one phase, which occurs once per step of the program. */
#ifndef BERTH_STANDARD_H
#define BERTH_STANDARD_H

#include <berth/pattern.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BERTH_STANDARD_DIMS = 4 }; /* the most dimensions of a grid */

/* What a standard pattern may be told: the sum of these. */
enum {
  BERTH_STANDARD_BLOCK = 1,    /* `block` and `element` */
  BERTH_STANDARD_MESSAGE = 2,  /* `message` */
  BERTH_STANDARD_PERIODIC = 4, /* `periodic` */
  BERTH_STANDARD_CORNERS = 8   /* `corners` */
};

typedef struct berth_standard {
  const char *name;    /* such as "stencil3d" */
  const char *summary; /* one line, no full stop */
  int n_dims;          /* of its grid of ranks; 0: it has no grid */
  int block_dims;      /* of the block of points that each rank has */
  unsigned takes;      /* BERTH_STANDARD_… */
  /* Defaults: points of a block in each dimension, bytes of a point, bytes of a message. */
  uint64_t block, element, message;
} berth_standard_t;

/* All of them; *n is their number. Constants. */
BERTH_API const berth_standard_t *berth_standards(size_t *n);
BERTH_API const berth_standard_t *berth_standard_find(const char *name); /* NULL: none */

/* Zeros mean the defaults. What the pattern doesn't take must be 0. */
typedef struct berth_standard_options {
  size_t size;                   /* sizeof this struct, as the caller was compiled */
  int ranks;                     /* 0: those of the grid */
  int n_grid;                    /* 0: as even as possible, the largest first */
  int grid[BERTH_STANDARD_DIMS]; /* ranks in each dimension; the last one's are consecutive */
  int n_block;
  uint64_t block[BERTH_STANDARD_DIMS]; /* points that each rank has, in each dimension */
  uint64_t element;                    /* bytes of a point */
  uint64_t message;                    /* bytes of a message */
  uint64_t steps;                      /* of the program: how often the phase occurs; 0: once */
  int periodic;                        /* 1: the grid's opposite edges are neighbours */
  int corners; /* 1: ranks that share an edge or a corner of a block exchange, too */
} berth_standard_options_t;

/* A finished pattern, which the caller frees. NULL with the error filled: BERTH_USAGE if an option
 * is missing, or one that the pattern doesn't take; BERTH_BAD_INPUT if a value can't be;
 * BERTH_MISSING when memory is out, or if the messages exceed berth_set_memory's limit. */
BERTH_API berth_pattern_t *berth_standard_pattern(const berth_standard_t *standard,
                                                  const berth_standard_options_t *options,
                                                  berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
