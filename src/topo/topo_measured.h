/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of topology files about measured numbers: capacities, measurement errors, how much slower
 * ranks compute on a shared core ("shared_core_slowdown"), how far models are from measured times
 * ("model_error"). */
#ifndef BERTH_TOPO_MEASURED_H
#define BERTH_TOPO_MEASURED_H

#include "base/json.h"
#include "base/json_out.h"
#include "topo/topo_internal.h"

/* Reads "measured" of a curve whose n is set. spreads and counts have room for n values. The
 * curve's members point to them if the file has the values. */
int topo_read_measured(const json_place_t *curve, berth_curve_t *out, double *spreads, int *counts);
/* Reads "max_bandwidth" and "max_bandwidth_measured" of a type, and of a port. */
int topo_read_capacity(const json_place_t *type, berth_type_t *out);
int topo_read_capacities(const json_place_t *port, berth_port_t *out);

void topo_put_measured(json_out_t *j, const berth_curve_t *curve);
void topo_put_samples(json_out_t *j, const char *key, double spread, int samples,
                      const berth_origin_t *origin);
void topo_put_capacities(json_out_t *j, const berth_topo_t *t, const berth_port_t *port);

/* Reads the member into values[], to which the type then points. */
int topo_read_slowdown(const json_place_t *type, double values[BERTH_MAX_SLOWDOWNS],
                       berth_type_t *out);
void topo_put_slowdown(json_out_t *j, const berth_type_t *type);

/* 0, or -1 with the error filled. */
int topo_check_slowdown(const berth_type_t *type, berth_error_t *err);
int topo_same_slowdown(const berth_type_t *a, const berth_type_t *b);

int topo_read_model_errors(berth_topo_t *t, const json_place_t *root);
void topo_put_model_errors(json_out_t *j, const berth_topo_t *t);

#endif
