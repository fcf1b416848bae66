/* SPDX-License-Identifier: BSD-3-Clause */
/* The new topology in the making, shared by the files that make it. */
#ifndef BERTH_CALIB_FIT_H
#define BERTH_CALIB_FIT_H

#include "calib/calib_internal.h"

typedef struct fit {
  berth_calib_t *c;
  const berth_calib_origins_t *origins;
  berth_topo_t *out;
  int *curve_of_line; /* index in `out`; -1: none yet */
  int *old_curve;     /* by the given topology's curves: index in `out` */
  int *type_of;       /* per element: index in `out` */
  berth_error_t *err;
  bool failed;
} fit_t;

/* Rounds x to that many significant digits. */
double fit_rounded(double x, int digits);
/* The relative spread of samples, as topologies have it. */
double fit_spread(calib_stat_t s);

/* A port of elements of `type`: of their link upwards or, with `down`, of their children's
 * links. `element` is one of them. Sets f->failed if memory is out. */
berth_port_t fit_port(fit_t *f, int type, int element, bool down);
/* Copies a direction of the given topology. */
berth_port_dir_t fit_kept(fit_t *f, berth_port_dir_t dir);

/* Adds the new types of all elements of an old type. */
void types_fit(fit_t *f, int type);

#endif
