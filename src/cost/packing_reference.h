/* SPDX-License-Identifier: BSD-3-Clause */
/* What contiguous messages inside a host take by the topology, beside what they took where packing
 * was measured. Both are measured in processes of their own, and differ by up to a tenth: copies of
 * memory whose pages are scattered take longer, which is chance (bench/node). */
#ifndef BERTH_COST_PACKING_REFERENCE_H
#define BERTH_COST_PACKING_REFERENCE_H

#include <berth/strided.h>
#include <berth/topo.h>

typedef struct packing_reference {
  size_t n;
  const uint64_t *size; /* of messages, in bytes; borrowed */
  double *longer_s;     /* by size; NULL: all are 0 */
} packing_reference_t;

/* Of a type of hosts whose record has tables of `mpi`, for messages of n sizes, which rise. Times
 * are equal unless links inside such a host were measured under the same MPI. The caller keeps the
 * sizes while it uses *out, and clears *out. It fails if memory is out, or a time overflows a
 * double. */
int packing_reference_find(const berth_topo_t *t, int type, const char *mpi, const uint64_t *size,
                           size_t n, packing_reference_t *out, berth_error_t *err);
void packing_reference_clear(packing_reference_t *r);

/* Seconds by which a contiguous message of one of these sizes took longer where packing was
 * measured. */
double packing_reference_longer_s(const packing_reference_t *r, uint64_t size);

#endif
