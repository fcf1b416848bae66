/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran's MPI_Send and MPI_Finalize, of a profiler that is linked in: NAME and PMPI are the names
 * of a binding. */
#include <stdio.h>
void PMPI(void *, void *, void *, void *, void *, void *, void *);
void NAME(void *buf, void *count, void *type, void *dest, void *tag, void *comm, void *error)
{
  PMPI(buf, count, type, dest, tag, comm, error);
}
void FINAL_PMPI(void *);
void FINAL_NAME(void *error) { FINAL_PMPI(error); }
