/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines: measurements of links. */
#ifndef BERTH_CALIB_NETWORK_CALIB_LINES_H
#define BERTH_CALIB_NETWORK_CALIB_LINES_H

#include "calib/calib_internal.h"

line_t *line_add(berth_calib_t *c, line_t l); /* NULL if memory is out */
void line_add_points(berth_calib_t *c, line_t *l, bool coarse);
void line_add_capacities(berth_calib_t *c, line_t *l);
/* Measures points again that exceed both of their neighbours. */
void line_check_peaks(berth_calib_t *c, const line_t *l);
/* Flows between several PUs below an element and several outside: at most MAX_SEVERAL. */
enum { MAX_SEVERAL = 16 };
size_t line_fan(const berth_calib_t *c, int element, int direction, berth_calib_flow_t *flows);
/* The expected time of a message, from the next smaller size. */
double line_guess(const berth_calib_t *c, const line_t *l, size_t size_index);
/* Seconds per message of a size: from a stream, but at least the latency. */
calib_stat_t line_time(const berth_calib_t *c, const line_t *l, size_t size_index);
/* The same in bytes per second. If the spread is wide, the median counts up to the larger
 * neighbour. */
calib_stat_t line_rate(const berth_calib_t *c, const line_t *l, size_t size_index);
/* The maximum over all sizes. */
calib_stat_t line_largest(const berth_calib_t *c, const line_t *l);
bool line_is_usable(const berth_calib_t *c, const line_t *l);
/* NULL if there is none. */
const line_t *line_of_link(const berth_calib_t *c, int element, int direction);
/* What one pair gets of a link's direction at a size, from its own line or its kind's so far. n
 * is 0 if nothing is known. */
calib_stat_t line_link_pair_rate(const berth_calib_t *c, int element, int direction, size_t size);
/* What several pairs get together, if it is more than one pair gets. */
calib_stat_t line_link_rate(const berth_calib_t *c, int element, int direction);

/* What several pairs get in a direction of a line. */
calib_stat_t line_several(const berth_calib_t *c, const line_t *l, int direction);

#endif
