/* SPDX-License-Identifier: BSD-3-Clause */
/* The header member "baseline", which makes a pattern a baseline: docs/formats/check.md. */
#ifndef BERTH_PATTERN_BASELINE_H
#define BERTH_PATTERN_BASELINE_H

#include "base/json.h"
#include "base/json_out.h"
#include "pattern/pattern_internal.h"

/* Reads the member from the header at that place, if there is one. */
int pattern_read_baseline(const json_place_t *header, berth_pattern_t *p);

/* Writes the member into the open header if p is a baseline. */
void pattern_put_baseline(json_out_t *j, const berth_pattern_t *p);

#endif
