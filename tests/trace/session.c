/* SPDX-License-Identifier: BSD-3-Clause */
/* A program without MPI_Init: a message around a ring, and a barrier. */
#include <mpi.h>
#include <stdio.h>
int main(void)
{
  MPI_Session s;
  MPI_Group g;
  MPI_Comm c;
  int r, n, x = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
  MPI_Group_from_session_pset(s, "mpi://WORLD", &g);
  MPI_Comm_create_from_group(g, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c);
  MPI_Group_free(&g);
  MPI_Comm_rank(c, &r);
  MPI_Comm_size(c, &n);
  MPI_Sendrecv(&r, 1, MPI_INT, (r + 1) % n, 0, &x, 1, MPI_INT, (r + n - 1) % n, 0, c,
               MPI_STATUS_IGNORE);
  MPI_Barrier(c);
  printf("%d of %d: %d\n", r, n, x);
  MPI_Comm_free(&c);
  MPI_Session_finalize(&s);
  return 0;
}
