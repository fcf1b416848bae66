/* SPDX-License-Identifier: BSD-3-Clause */
/* The C half of truth.F90: calls of C on handles of Fortran. */
#include <mpi.h>

static int words[64];

void start_in_c_(void) { MPI_Init(0, 0); }

void c_sends_(const MPI_Fint *comm, const MPI_Fint *type, const MPI_Fint *count, const MPI_Fint *to)
{
  MPI_Send(words, *count, MPI_Type_f2c(*type), *to, 5, MPI_Comm_f2c(*comm));
}

void c_starts_(MPI_Fint *request)
{
  MPI_Request r = MPI_Request_f2c(*request);
  MPI_Start(&r);
}

void c_makes_(const MPI_Fint *comm, const MPI_Fint *count, const MPI_Fint *to, MPI_Fint *request)
{
  MPI_Request r;
  MPI_Send_init(words, *count, MPI_BYTE, *to, 5, MPI_Comm_f2c(*comm), &r);
  *request = MPI_Request_c2f(r);
}
