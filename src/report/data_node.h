/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the member "nodes" of the page's data. */
#ifndef BERTH_REPORT_DATA_NODE_H
#define BERTH_REPORT_DATA_NODE_H

#include "report/report_internal.h"

/* Writes the member "host": the parts and PUs of the first host of a type, which has a record, with
 * what was measured of each. It is null if the host is too large for a picture. */
void report_put_node_host(json_out_t *j, const berth_topo_t *t, int type);

#endif
