/* SPDX-License-Identifier: BSD-3-Clause */
/* "shared_core_slowdown" of a type: how much slower ranks compute on a shared core. */
#ifndef BERTH_TOPO_SLOWDOWN_H
#define BERTH_TOPO_SLOWDOWN_H

#include "base/json.h"
#include "base/json_out.h"
#include "topo/topo_internal.h"

/* Reads the member into values[], to which the type then points. */
int topo_read_slowdown(const json_place_t *type, double values[BERTH_MAX_SLOWDOWNS],
                       berth_type_t *out);
void topo_put_slowdown(json_out_t *j, const berth_type_t *type);

/* 0, or -1 with the error filled. */
int topo_check_slowdown(const berth_type_t *type, berth_error_t *err);
int topo_same_slowdown(const berth_type_t *a, const berth_type_t *b);

#endif
