/* SPDX-License-Identifier: BSD-3-Clause */
/* PUs with ranks in the tree, and names for people. */
#ifndef BERTH_CALIB_NETWORK_CALIB_PUS_H
#define BERTH_CALIB_NETWORK_CALIB_PUS_H

#include "calib/calib_internal.h"

/* The PUs with ranks below an element: all, or one per host. Writes at most `max` and returns
 * their number. */
size_t pus_below(const berth_calib_t *c, int element, bool one_a_host, int *out, size_t max);
/* The PUs with ranks outside an element but below `top`, near ones first. */
size_t pus_outside(const berth_calib_t *c, int element, int top, bool one_a_host, int *out,
                   size_t max);
/* The last PU with a rank on the same host. It receives messages between hosts. So sender and
 * receiver have different cores if hosts share them, and answers, which start at first PUs, use
 * another connection and don't wait behind the measured flow. */
int pu_last(const berth_calib_t *c, int pu);
bool pus_is_above_hosts(const berth_calib_t *c, int element);
/* Names for people, in the arena. An element: its name or its PU's. A pair: "h0 pu 0 to h1 pu
 * 0". A kind of link: its types, as in "switch-host". A line: its kind, and the element and
 * direction if it is about these alone, as in "switch-host (h3) in". */
const char *pus_element_label(berth_calib_t *c, arena_t *arena, int element);
const char *pus_pair_label(berth_calib_t *c, arena_t *arena, berth_calib_flow_t pair);
const char *pus_kind_label(berth_calib_t *c, arena_t *arena, int kind);
const char *pus_port_label(berth_calib_t *c, arena_t *arena, const port_t *p);
const char *pus_line_label(berth_calib_t *c, arena_t *arena, const line_t *l);
/* A copy of the text; "" if memory is out (c->failed). */
const char *pus_label_copy(berth_calib_t *c, arena_t *arena, const char *text);

#endif
