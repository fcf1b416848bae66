/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures this machine as a node (include/berth/node.h), step by step. docs/node.md says what is
 * measured and how. */
#ifndef BERTH_CALIB_NODE_H
#define BERTH_CALIB_NODE_H

#include <berth/node.h>
#include <berth/topo.h>
#include <stdbool.h>

#include "calib/node/node_machine.h"

typedef struct calib_node calib_node_t;

/* Prepares threads, memory and the plan. `before` is a record of this machine whose parts aren't
 * measured again; NULL: there is none. It is copied. `samples` is how many a value
 * gets, 1 to CALIB_NODE_MOST; CALIB_NODE_SAMPLES is usual. NULL with the error filled:
 * BERTH_MISSING if a thread can't be bound or memory is out. */
calib_node_t *calib_node_new(const char *date, int samples, const berth_node_t *before,
                             berth_error_t *err);
enum { CALIB_NODE_SAMPLES = 35, CALIB_NODE_MOST = 10000 };
void calib_node_free(calib_node_t *c);

/* The plan: how many steps there are, how many are done, and what the next one is, for people. */
size_t calib_node_steps(const calib_node_t *c);
size_t calib_node_done(const calib_node_t *c);
const char *calib_node_next(const calib_node_t *c);

/* Does the next step and adds its results to the record. `goes_on` is called every few
 * milliseconds; `false` ends the step, which then leaves no result. */
int calib_node_do(calib_node_t *c, bool (*goes_on)(void), berth_error_t *err);

/* The topology t, whose host number `host` is this machine, with the record on that host's type.
 * If the record is complete, a part of the host whose curves nobody measured gets the curve of
 * copies, and as its limit what its cores copy together. The caller frees it. */
berth_topo_t *calib_node_fit(const calib_node_t *c, const berth_topo_t *t, int host,
                             berth_error_t *err);

/* The record, to add what isn't measured here. */
berth_node_t *calib_node_add_to(calib_node_t *c);
/* The record so far, and the machine; borrowed. */
const berth_node_t *calib_node_record(const calib_node_t *c);
const node_machine_t *calib_node_machine(const calib_node_t *c);

#endif
