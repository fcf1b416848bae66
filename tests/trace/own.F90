! SPDX-License-Identifier: BSD-3-Clause
! What own.c does, in Fortran; own_names.c has the functions that the program has of its own.
program own
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  real(8) :: value(1), total(1)
  integer :: rank, i, error
  value = 1
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  do i = 1, 100
    if (rank == 0) then
      call MPI_Send(value, 1, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, error)
    else if (rank == 1) then
      call MPI_Recv(value, 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end if
  end do
  do i = 1, 3
    call MPI_Allreduce(value, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  call MPI_Finalize(error)
end program
