! SPDX-License-Identifier: BSD-3-Clause
! Makes two Cartesian communicators with each binding. For 4 ranks.
program grids
  call with_mpif
  call with_f08
contains
  subroutine with_mpif
    include 'mpif.h'
    integer :: grid, error
    call MPI_INIT(error)
    call MPI_CART_CREATE(MPI_COMM_WORLD, 2, (/4, 1/), (/.true., .false./), .false., grid, error)
  end subroutine
  subroutine with_f08
    use mpi_f08
    type(MPI_Comm) :: grid
    call MPI_Cart_create(MPI_COMM_WORLD, 2, [2, 2], [.false., .true.], .false., grid)
    call MPI_Finalize()
  end subroutine
end program
