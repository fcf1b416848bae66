/* SPDX-License-Identifier: BSD-3-Clause */
/* Call sites. */
#ifndef BERTH_TRACE_SITE_H
#define BERTH_TRACE_SITE_H

#include "trace/op.h"
#include "trace/tracer.h"

/* The identity of the function's call site; 0 if sites are off or used up. `caller` is the
 * wrapper's return address. */
uint32_t site_find(thread_t *t, op_t op, void *caller);
void site_setup(int depth);
extern _Atomic unsigned site_epoch; /* counts unloaded libraries */

#endif
