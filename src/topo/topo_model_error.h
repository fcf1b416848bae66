/* SPDX-License-Identifier: BSD-3-Clause */
/* "model_error" of a topology file: how far models are from measured times. */
#ifndef BERTH_TOPO_MODEL_ERROR_H
#define BERTH_TOPO_MODEL_ERROR_H

#include "base/json.h"
#include "base/json_out.h"
#include "topo/topo_internal.h"

int topo_read_model_errors(berth_topo_t *t, const json_place_t *root);
void topo_put_model_errors(json_out_t *j, const berth_topo_t *t);

#endif
