/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws of the relations that explain a unit. */
#ifndef BERTH_SCALE_FIT_H
#define BERTH_SCALE_FIT_H

#include "scale/scale_candidates.h"

typedef struct scale_fits {
  scale_series_t messages[SCALE_RELATIONS], bytes[SCALE_RELATIONS];
  scale_series_t sizes[SCALE_RELATIONS]; /* bytes of one message */
  bool each[SCALE_RELATIONS];            /* `bytes` has become that of `sizes` */
} scale_fits_t;

/* What each trace has of each relation of c. Returns the part of all amounts that they explain,
 * on average, and *last that of the last trace.
 * `claims` has room for the pairs of each trace. */
double scale_fits_fill(const scale_candidates_t *c, scale_fits_t *fits, int *claims, double *last);

/* Finds the laws. Steps share one; each other relation has its own. False if there is none. */
bool scale_fits_find(const scale_candidates_t *c, scale_fits_t *fits);

/* Takes the laws of one trace, as the user says how the problem grows. */
void scale_fits_say(const scale_candidates_t *c, scale_fits_t *fits);

#endif
