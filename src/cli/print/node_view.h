/* SPDX-License-Identifier: BSD-3-Clause */
/* A node's record for people: `berth calibrate node` and `berth topo show`. */
#ifndef BERTH_CLI_PRINT_NODE_VIEW_H
#define BERTH_CLI_PRINT_NODE_VIEW_H

#include <berth/node.h>
#include <stdio.h>

void node_view_text(FILE *to, const berth_node_t *n);
/* The main curves as pictures, to standard output. */
void node_view_charts(const berth_node_t *n);

#endif
