/* SPDX-License-Identifier: BSD-3-Clause */
/* The field that is transformed, and what is known of its spectrum. */
#ifndef FFT2D_FIELD_H
#define FFT2D_FIELD_H

#include "transform.h"

#include <stdint.h>

enum { FIELD_WAVES = 4, FIELD_POINTS = 2 * FIELD_WAVES };

/* A frequency: u over rows, v over columns. */
typedef struct {
  int u, v;
  double complex value;
} field_point_t;

typedef struct {
  field_point_t point[FIELD_POINTS]; /* the waves' frequencies, and others */
  double energy;                     /* the sum of all squares */
} field_t;

/* All ranks call these functions. */

/* Writes the field into t->in: four plane waves, and random numbers which depend on the point
 * alone. Sums the transform of the random numbers at the points by its definition, so `f` has the
 * exact spectrum there. False: not enough memory. */
bool field_make(field_t *f, const transform_t *t);

/* Writes what is wrong with the spectrum in t->out into `why`, on all ranks. */
bool field_check(const field_t *f, const transform_t *t, char *why, size_t size);

/* A sum over all numbers of t->out of their bits and their places. It depends neither on the number
 * of ranks nor on the order in which the numbers were computed. */
uint64_t field_checksum(const transform_t *t);

#endif
