/* SPDX-License-Identifier: BSD-3-Clause */
/* A standard pattern while it is made. */
#ifndef BERTH_STANDARD_INTERNAL_H
#define BERTH_STANDARD_INTERNAL_H

#include <berth/standard.h>
#include <stdbool.h>

#include "base/grid.h"

typedef struct standard_job {
  berth_pattern_t *pattern; /* without messages */
  int ranks;
  grid_t grid;
  unsigned periodic; /* dimensions whose edges are neighbours, as in grid_neighbour */
  uint64_t block[BERTH_STANDARD_DIMS]; /* points */
  uint64_t element, message;           /* bytes */
  bool corners;
  int sites; /* that were added */
} standard_job_t;

/* Adds the pattern's sites, messages and calls. */
typedef int standard_make_t(standard_job_t *job, berth_error_t *err);
standard_make_t standard_ring, standard_hypercube, standard_farm; /* standard_partners.c */
standard_make_t standard_stencil, standard_cg;                    /* standard_stencil.c */
standard_make_t standard_sweep;                                   /* standard_sweep.c */
standard_make_t standard_fft2d, standard_fft3d;                   /* standard_calls.c */
standard_make_t standard_alltoall, standard_allreduce;

/* How many messages a rank sends, besides those of collective calls. */
typedef enum standard_partners {
  STANDARD_NONE,
  STANDARD_TWO,  /* at most two, on average */
  STANDARD_BITS, /* one for each bit of a rank's number */
  STANDARD_GRID  /* one for each neighbour in the grid */
} standard_partners_t;

/* What berth_standards doesn't show of a pattern. */
typedef struct standard_maker {
  standard_make_t *make;
  standard_partners_t partners;
} standard_maker_t;
const standard_maker_t *standard_maker(const berth_standard_t *standard);

/* --- additions (standard.c) --- */

/* Adds a call site with one frame, and returns its identity; 0 with the error filled. */
int standard_site(standard_job_t *job, const char *op, const char *frame, berth_error_t *err);

/* Adds a message, unless a rank would send it to itself or it has no bytes. */
int standard_send(standard_job_t *job, int site, int src, int dst, uint64_t size,
                  berth_error_t *err);

/* Adds one call of a collective operation. */
int standard_call(standard_job_t *job, const char *op, const char *frame, int comm, uint64_t bytes,
                  berth_error_t *err);

#endif
