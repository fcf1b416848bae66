/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the member "nodes" of the page's data. */
#ifndef BERTH_REPORT_DATA_NODE_H
#define BERTH_REPORT_DATA_NODE_H

#include <berth/strided.h>

#include "report/report_internal.h"

/* Writes the member "host": the parts and PUs of the first host of a type, which has a record, with
 * what was measured of each. It is null if the host is too large for a picture. */
void report_put_node_host(json_out_t *j, const berth_topo_t *t, int type);

/* The contiguous exchanges under an MPI, which has sizes of messages: the first ones from table
 * `from` on. NULL if there are none. */
const berth_strided_t *report_node_contiguous(const berth_node_t *n, size_t from);
/* Whether a table has exchanges of data in blocks, with gaps as large, under an MPI. */
bool report_node_is_exchange(const berth_strided_t *t, const char *mpi, berth_side_t side);

#endif
