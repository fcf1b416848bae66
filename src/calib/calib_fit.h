/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files that make the new topology share. */
#ifndef BERTH_CALIB_FIT_H
#define BERTH_CALIB_FIT_H

#include "calib/calib_internal.h"

typedef struct fit {
  berth_calib_t *c;
  const berth_calib_origins_t *origins;
  berth_topo_t *out;
  int *curve_of_line; /* in `out`, -1 for none yet */
  int *old_curve;     /* of the given topology's curves, in `out` */
  int *type_of;       /* per element, in `out` */
  berth_error_t *err;
  bool failed;
} fit_t;

/* With so many significant digits. */
double fit_rounded(double x, int digits);
/* Of samples, as topologies have it. */
double fit_spread(calib_stat_t s);

/* A port of elements of `type`: of their link upwards, or, with `down`, of those of their children.
 * `element` is one of them. Sets f->failed. */
berth_port_t fit_port(fit_t *f, int type, int element, bool down);
/* A direction of the given topology as it was. */
berth_port_dir_t fit_kept(fit_t *f, berth_port_dir_t dir);

/* Adds the new types of all elements of an old type. */
void types_fit(fit_t *f, int type);

#endif
