/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines: what is measured of links. */
#ifndef BERTH_CALIB_NETWORK_CALIB_LINES_H
#define BERTH_CALIB_NETWORK_CALIB_LINES_H

#include "calib/calib_internal.h"

line_t *line_add(berth_calib_t *c, line_t l); /* NULL when memory is out */
void line_add_points(berth_calib_t *c, line_t *l, bool coarse);
void line_add_capacities(berth_calib_t *c, line_t *l);
/* Has points measured again that stand out above both of their neighbours. */
void line_check_peaks(berth_calib_t *c, const line_t *l);
/* Several PUs below an element to several outside of it, or back: at most MAX_SEVERAL flows. */
enum { MAX_SEVERAL = 16 };
size_t line_fan(const berth_calib_t *c, int element, int direction, berth_calib_flow_t *flows);
/* What a message may take, by those of the next smaller size. */
double line_guess(const berth_calib_t *c, const line_t *l, size_t size_index);
/* Seconds of a message at a size: in a stream, but no less than the latency. */
calib_stat_t line_time(const berth_calib_t *c, const line_t *l, size_t size_index);
/* What that makes in bytes per second. A wide spread's median is believed up to the larger of both
 * neighbours. */
calib_stat_t line_rate(const berth_calib_t *c, const line_t *l, size_t size_index);
/* The largest of all sizes. */
calib_stat_t line_largest(const berth_calib_t *c, const line_t *l);
bool line_is_usable(const berth_calib_t *c, const line_t *l);
/* NULL when there is none. */
const line_t *line_of_link(const berth_calib_t *c, int element, int direction);
/* What one pair gets of a link in one direction at a size, by what is known so far: its own line,
 * or its kind's. n is 0 when nothing is known. */
calib_stat_t line_link_pair_rate(const berth_calib_t *c, int element, int direction, size_t size);
/* What several pairs get together, if that is more than one gets. */
calib_stat_t line_link_rate(const berth_calib_t *c, int element, int direction);

/* What several pairs get in a direction of a line. */
calib_stat_t line_several(const berth_calib_t *c, const line_t *l, int direction);

#endif
