! SPDX-License-Identifier: BSD-3-Clause
! Collective calls of every nature, in Fortran.
program nature
#ifdef F08
  use mpi_f08
#endif
  implicit none
#ifndef F08
  include 'mpif.h'
  integer :: own
#else
  type(MPI_Op) :: own
#endif
  external :: keep
  integer :: a(64), b(64), e
  a = 0
  call MPI_Init(e)
  call MPI_Allreduce(MPI_IN_PLACE, b, 20, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
  call MPI_Allreduce(a, b, 21, MPI_INTEGER, MPI_BAND, MPI_COMM_WORLD, e)
  call MPI_Op_create(keep, .false., own, e)
  call MPI_Allreduce(a, b, 22, MPI_INTEGER, own, MPI_COMM_WORLD, e)
  call MPI_Op_free(own, e)
  call MPI_Op_create(keep, .true., own, e)
  call MPI_Reduce(a, b, 23, MPI_INTEGER, own, 0, MPI_COMM_WORLD, e)
  call MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INTEGER, b, 1, MPI_INTEGER, MPI_COMM_WORLD, e)
  call MPI_Bcast(a, 3, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, e)
  call MPI_Finalize(e)
end program

subroutine keep(left, right, n, kind)
  integer :: left(*), right(*), n, kind
  if (n < 0) right(1) = left(1) + kind
end subroutine
