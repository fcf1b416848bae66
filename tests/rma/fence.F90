! SPDX-License-Identifier: BSD-3-Clause
! Two ranks put into each other's window, and ask for its attributes: prints "right". With F08 by
! mpi_f08, else by mpi.
program fence
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
#ifdef F08
  type(MPI_Win) :: win
#else
  integer :: win
#endif
  integer :: rank, i, ierror, window(10), values(10)
  integer(kind=MPI_ADDRESS_KIND) :: bytes, place, found
  logical :: flag, right
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  window = 0
  values = [(100 * rank + i, i = 1, 10)]
  bytes = 40
  place = 0
  call MPI_Win_create(window, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
  call MPI_Win_fence(0, win, ierror)
  call MPI_Put(values, 10, MPI_INTEGER, 1 - rank, place, 10, MPI_INTEGER, win, ierror)
  call MPI_Win_fence(0, win, ierror)
  right = all(window == [(100 * (1 - rank) + i, i = 1, 10)])
  call MPI_Win_get_attr(win, MPI_WIN_SIZE, found, flag, ierror)
  right = right .and. flag .and. found == 40
  call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, found, flag, ierror)
  right = right .and. flag .and. found == 4
  call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, found, flag, ierror)
  right = right .and. flag .and. found == MPI_WIN_FLAVOR_CREATE
  call MPI_Win_free(win, ierror)
  call MPI_Allreduce(MPI_IN_PLACE, right, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a)', merge('right', 'wrong', right)
  call MPI_Finalize(ierror)
end program fence
