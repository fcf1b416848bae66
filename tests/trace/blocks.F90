! SPDX-License-Identifier: BSD-3-Clause
! Collective calls with derived datatypes, in Fortran: run by 2 ranks. blocks.sh says what the trace
! has.
program blocks
#ifdef F08
  use mpi_f08
#endif
  implicit none
#ifndef F08
  include 'mpif.h'
  integer :: vector, pair, r, world, ring, types(2), plain(2)
  integer :: status(MPI_STATUS_SIZE)
#else
  type(MPI_Datatype) :: vector, pair, types(2), plain(2)
  type(MPI_Request) :: r
  type(MPI_Comm) :: world, ring
  type(MPI_Status) :: status
#endif
  integer :: a(200), b(200), e, rank, i, n(2), six(2), at(2), apart(2)
  a = 1
  b = 0
  call MPI_Init(e)
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, rank, e)
  ! 24 bytes in 3 pieces, and in 2
  call MPI_Type_vector(3, 2, 4, MPI_INTEGER, vector, e)
  call MPI_Type_commit(vector, e)
  call MPI_Type_vector(2, 3, 4, MPI_INTEGER, pair, e)
  call MPI_Type_commit(pair, e)
  n = 1
  six = 6
  at = [0, 1]
  apart = [0, 200]
  types = [vector, pair]
  plain = MPI_INTEGER

  call MPI_Bcast(a, 1, vector, 1, world, e)
  call MPI_Gather(a, 1, vector, b, 1, pair, 1, world, e)
  if (rank == 0) then
    call MPI_Gather(MPI_IN_PLACE, 1, vector, b, 1, vector, 0, world, e)
    call MPI_Scatterv(a, n, at, vector, MPI_IN_PLACE, 1, vector, 0, world, e)
  else
    call MPI_Gather(a, 1, vector, b, 1, vector, 0, world, e)
    call MPI_Scatterv(a, n, at, vector, b, 1, pair, 0, world, e)
  end if
  call MPI_Allgatherv(a, 1, vector, b, n, at, pair, world, e)
  call MPI_Alltoall(a, 1, vector, b, 6, MPI_INTEGER, world, e)
  call MPI_Alltoall(MPI_IN_PLACE, 6, MPI_INTEGER, b, 1, pair, world, e)
  call MPI_Alltoallw(a, n, apart, types, b, six, apart, plain, world, e)
  call MPI_Alltoallw(a, six, apart, plain, b, n, apart, types, world, e)
  call MPI_Ialltoall(a, 6, MPI_INTEGER, b, 1, pair, world, r, e)
  call MPI_Wait(r, status, e)
  call MPI_Cart_create(world, 1, [2], [.false.], .false., ring, e)
  call MPI_Neighbor_alltoallv(a, n, at, vector, b, n, at, pair, ring, e)
#ifdef PERSISTENT
  call MPI_Alltoall_init(a, 1, vector, b, 1, pair, world, MPI_INFO_NULL, r, e)
  do i = 1, 3
    call MPI_Start(r, e)
    call MPI_Wait(r, status, e)
  end do
  call MPI_Request_free(r, e)
#endif

  ! nothing is counted
  call MPI_Allreduce(a, b, 1, MPI_INTEGER, MPI_SUM, world, e)
  call MPI_Alltoall(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, world, e)
  call MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN, e)
  call MPI_Bcast(a, 1, vector, 2, world, e)
  call MPI_Alltoall(a, -1, vector, b, 1, vector, world, e)
  call MPI_Type_free(vector, e)
  call MPI_Type_free(pair, e)
  call MPI_Finalize(e)
end program
