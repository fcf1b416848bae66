/* SPDX-License-Identifier: BSD-3-Clause */
/* Which PUs with ranks are where in the tree, and names of things in it. */
#ifndef BERTH_CALIB_NETWORK_CALIB_PUS_H
#define BERTH_CALIB_NETWORK_CALIB_PUS_H

#include "calib/calib_internal.h"

/* PUs with ranks below an element: all of them, or one a host. Writes at most `max`. */
size_t pus_below(const berth_calib_t *c, int element, bool one_a_host, int *out, size_t max);
/* PUs with ranks outside an element but below `top`, near ones first. */
size_t pus_outside(const berth_calib_t *c, int element, int top, bool one_a_host, int *out,
                   size_t max);
/* The same host's last PU with a rank. Messages between hosts are received there: where hosts share
 * cores it has another than the sender's, and what goes back, from first PUs again, has another
 * connection, so that what it waits for isn't behind what is measured. */
int pu_last(const berth_calib_t *c, int pu);
bool pus_is_above_hosts(const berth_calib_t *c, int element);
/* The arena's. Of an element its name for people, or its PU's; of a pair of PUs "h0 pu 0 to h1 pu
 * 0"; of a kind of links its types' names, as in "switch-host"; of a line that of its kind, with
 * the element and the direction where it is about those alone, as in "switch-host (h3) in". */
const char *pus_element_label(berth_calib_t *c, arena_t *arena, int element);
const char *pus_pair_label(berth_calib_t *c, arena_t *arena, berth_calib_flow_t pair);
const char *pus_kind_label(berth_calib_t *c, arena_t *arena, int kind);
const char *pus_port_label(berth_calib_t *c, arena_t *arena, const port_t *p);
const char *pus_line_label(berth_calib_t *c, arena_t *arena, const line_t *l);
/* A copy of text, "" when memory is out (c->failed). */
const char *pus_label_copy(berth_calib_t *c, arena_t *arena, const char *text);

#endif
