/* SPDX-License-Identifier: BSD-3-Clause */
/* What a generalisation is for its user. */
#ifndef BERTH_SCALE_REPORT_H
#define BERTH_SCALE_REPORT_H

#include "scale/scale_internal.h"

struct berth_scaled {
  arena_t arena;
  berth_pattern_t *pattern;
  size_t n_parts, n_grids, n_others, n_notes, cap_notes;
  berth_scale_part_t *parts;
  berth_scale_grid_t *grids, *others;
  const char **notes;
  const char *rule;
  bool recorded; /* the grid is the program's own */
  double kept, kept_messages, unsure;
};

/* Fills in all but the pattern. BERTH_BAD_INPUT if nothing was kept. */
int scale_report(scale_job_t *job, const scale_families_t *families, const scale_found_t *found,
                 const scale_repeats_t *repeats, berth_scaled_t *s, berth_error_t *err);

#endif
