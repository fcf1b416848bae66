! The steps that bindings of Fortran make; program.sh says which. Two ranks.
program steps
#ifdef F08
  use mpi_f08
  implicit none
  type(MPI_Request) :: r(3)
#else
  use mpi
  implicit none
  integer :: r(3)
#endif
  integer :: rank, other, i, at, done, places(3), error
  integer, parameter :: large = 100000
  logical :: flag
  character :: out(large), in(large, 3)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  other = 1 - rank
  do i = 1, 5
    call MPI_Irecv(in(1, 1), large, MPI_CHARACTER, other, 1, MPI_COMM_WORLD, r(1), error)
    call MPI_Irecv(in(1, 2), large, MPI_CHARACTER, other, 2, MPI_COMM_WORLD, r(2), error)
    call MPI_Isend(out, large, MPI_CHARACTER, other, 1, MPI_COMM_WORLD, r(3), error)
    call MPI_Send(out, 8, MPI_CHARACTER, other, 2, MPI_COMM_WORLD, error)
    call MPI_Waitall(3, r, MPI_STATUSES_IGNORE, error)
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end do
  call MPI_Send(out, 8, MPI_CHARACTER, other, 0, MPI_COMM_WORLD, error)
  call MPI_Recv(in, large, MPI_CHARACTER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Send(out, 8, MPI_CHARACTER, other, 3, MPI_COMM_WORLD, error)
  flag = .false.
  do while (.not. flag)
    call MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, error)
  end do
  call MPI_Recv(in, large, MPI_CHARACTER, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Sendrecv(out, large, MPI_CHARACTER, other, 0, in, large, MPI_CHARACTER, other, 0, &
    MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Bcast(out, 1, MPI_CHARACTER, 1, MPI_COMM_WORLD, error)
  do i = 1, 2
    call MPI_Irecv(in(1, i), large, MPI_CHARACTER, other, i, MPI_COMM_WORLD, r(i), error)
    call MPI_Send(out, 8, MPI_CHARACTER, other, i, MPI_COMM_WORLD, error)
  end do
#ifdef WRONG_INDEX
  call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, error)
#else
  call MPI_Waitany(2, r, at, MPI_STATUS_IGNORE, error)
  call MPI_Waitsome(2, r, done, places, MPI_STATUSES_IGNORE, error)
#endif
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Recv_init(in, large, MPI_CHARACTER, other, 0, MPI_COMM_WORLD, r(1), error)
  call MPI_Send_init(out, 9, MPI_CHARACTER, other, 0, MPI_COMM_WORLD, r(2), error)
  call MPI_Startall(2, r, error)
  flag = .false.
  do while (.not. flag)
    call MPI_Testall(2, r, flag, MPI_STATUSES_IGNORE, error)
  end do
  call MPI_Request_free(r(1), error)
  call MPI_Request_free(r(2), error)
  call MPI_Irecv(in, large, MPI_CHARACTER, other, 7, MPI_COMM_WORLD, r(1), error)
  call MPI_Cancel(r(1), error)
  call MPI_Wait(r(1), MPI_STATUS_IGNORE, error)
  call MPI_Finalize(error)
end program
