/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on memory that is mapped here. They are done when these return. */
#ifndef BERTH_RMA_ACCESS_H
#define BERTH_RMA_ACCESS_H

#include <string.h>

#include "job/large_copy.h"
#include "rma/operation.h"

/* Bytes that lie together, on both sides. */
static inline void access_copy(char *to, const char *from, size_t bytes)
{
  if (bytes == sizeof(uint64_t))
    memcpy(to, from, sizeof(uint64_t)); /* in one step */
  else
    job_copy(to, from, bytes);
}

/* `base`: where the target's window begins here; its member's lock is taken for reductions. Returns
 * the MPI's code. */
int access_do(char *base, window_member_t *m, const operation_t *o);

#endif
