! SPDX-License-Identifier: BSD-3-Clause
! session.c in mpi_f08.
program p
  use mpi_f08
  type(MPI_Session) :: s
  type(MPI_Group) :: g
  type(MPI_Comm) :: c
  integer :: r, n, x
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, s)
  call MPI_Group_from_session_pset(s, "mpi://WORLD", g)
  call MPI_Comm_create_from_group(g, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, c)
  call MPI_Group_free(g)
  call MPI_Comm_rank(c, r)
  call MPI_Comm_size(c, n)
  call MPI_Sendrecv(r, 1, MPI_INTEGER, mod(r + 1, n), 0, x, 1, MPI_INTEGER, mod(r + n - 1, n), 0, &
                    c, MPI_STATUS_IGNORE)
  call MPI_Barrier(c)
  print *, r, x
  call MPI_Comm_free(c)
  call MPI_Session_finalize(s)
end program
