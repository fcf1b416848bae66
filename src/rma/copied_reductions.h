/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions into another process's memory that wait for each other: the system reads all of their
 * places in one call, and writes the results in another one. They are of one operation and one
 * element, and no byte is in two of them. The caller sees to it that one thread is here. */
#ifndef BERTH_RMA_COPIED_REDUCTIONS_H
#define BERTH_RMA_COPIED_REDUCTIONS_H

#include "rma/operation.h"

typedef struct copied_reductions copied_reductions_t;

/* NULL: memory is out. */
copied_reductions_t *copied_reductions_new(void);
void copied_reductions_free(copied_reductions_t *r);

/* Whether an operation may wait at all: an MPI_Accumulate whose data lie together, and are few. */
bool copied_reductions_takes(const operation_t *o);
/* Adds one, at an address of the other process. The origin's data are read when it is done. False:
 * what waits has to be done first. */
bool copied_reductions_add(copied_reductions_t *r, const operation_t *o, char *there);
/* Leaves what waits to the target. False: it's too much. */
bool copied_reductions_leave(copied_reductions_t *r, struct inbox *b);
/* Does what waits. The member is the target's. Returns an MPI code; COPIED_REFUSED: the system
 * refused it, and errno says why. */
enum { COPIED_REFUSED = -1 };
int copied_reductions_do(copied_reductions_t *r, window_member_t *m);

#endif
