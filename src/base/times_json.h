/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BERTH_BASE_TIMES_JSON_H
#define BERTH_BASE_TIMES_JSON_H

#include <berth/times.h>

#include "base/json.h"
#include "base/json_out.h"

/* A histogram as an object: from_s, factor, counts, above, most_s. Reading one that isn't there
 * leaves *out without times. */
void times_put(json_out_t *j, const char *key, const berth_histogram_t *h);
int times_get(const json_place_t *object, const char *key, berth_histogram_t *out);

#endif
