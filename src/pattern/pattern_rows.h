/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks sent to each other in collective calls. */
#ifndef BERTH_PATTERN_PATTERN_ROWS_H
#define BERTH_PATTERN_PATTERN_ROWS_H

#include <berth/pattern.h>

/* The rows of a pattern's calls, by source; *n is their number. */
const berth_row_t *pattern_rows_of(const berth_pattern_t *p, const berth_coll_t *coll, size_t *n);

#endif
