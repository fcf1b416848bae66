! SPDX-License-Identifier: BSD-3-Clause
! Sends and receives data that aren't contiguous, in Fortran. packed.sh says what the trace has.
program packed
#ifdef F08
  use mpi_f08
#endif
  implicit none
#ifndef F08
  include 'mpif.h'
  integer :: vector, pair, real_type, r(2), message, world
#define STATUS status(:, 1)
#define STATUSES status
  integer :: status(MPI_STATUS_SIZE, 2)
#else
  type(MPI_Datatype) :: vector, pair, real_type
  type(MPI_Request) :: r(2)
  type(MPI_Message) :: message
  type(MPI_Comm) :: world
#define STATUS status(1)
#define STATUSES status
  type(MPI_Status) :: status(2)
#endif
  integer :: a(100), b(100), e, rank, i
  integer(MPI_ADDRESS_KIND) :: places(2)
  a = 1
  b = 0
  call MPI_Init(e)
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, rank, e)
  call MPI_Type_vector(3, 2, 4, MPI_INTEGER, vector, e)
  call MPI_Type_commit(vector, e)
  call MPI_Type_create_f90_real(12, 100, real_type, e)
  places = [0_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND]
  call MPI_Type_create_struct(2, [1, 1], places, [real_type, MPI_INTEGER], pair, e)
  call MPI_Type_commit(pair, e)

  call MPI_Irecv(b, 6, MPI_INTEGER, rank, 1, world, r(1), e)
  call MPI_Send(a, 1, vector, rank, 1, world, e)
  call MPI_Wait(r(1), STATUS, e)
  call MPI_Irecv(b, 6, MPI_INTEGER, rank, 1, world, r(1), e)
  call MPI_Ssend(a, 2, pair, rank, 1, world, e)
  call MPI_Wait(r(1), STATUS, e)
  call MPI_Isend(a, 1, vector, rank, 1, world, r(1), e)
  call MPI_Recv(b, 1, vector, rank, 1, world, STATUS, e)
  call MPI_Wait(r(1), STATUS, e)
  call MPI_Isend(a, 6, MPI_INTEGER, rank, 1, world, r(1), e)
  call MPI_Irecv(b, 1, vector, rank, 1, world, r(2), e)
  call MPI_Waitall(2, r, STATUSES, e)
  call MPI_Isend(a, 6, MPI_INTEGER, rank, 1, world, r(1), e)
  call MPI_Mprobe(rank, 1, world, message, STATUS, e)
  call MPI_Mrecv(b, 1, vector, message, STATUS, e)
  call MPI_Wait(r(1), STATUS, e)
  call MPI_Sendrecv(a, 2, pair, rank, 1, b, 1, vector, rank, 1, world, STATUS, e)
  call MPI_Sendrecv_replace(b, 1, vector, rank, 1, rank, 1, world, STATUS, e)

  call MPI_Send_init(a, 1, vector, rank, 1, world, r(1), e)
  call MPI_Recv_init(b, 2, pair, rank, 1, world, r(2), e)
  do i = 1, 3
    if (i < 3) then
      call MPI_Start(r(1), e)
      call MPI_Start(r(2), e)
    else
      call MPI_Startall(2, r, e)
    end if
    call MPI_Waitall(2, r, STATUSES, e)
  end do
  call MPI_Request_free(r(1), e)
  call MPI_Request_free(r(2), e)

  ! nothing is counted
  call MPI_Send(a, 1, vector, MPI_PROC_NULL, 1, world, e)
  call MPI_Recv(b, 1, vector, MPI_PROC_NULL, 1, world, STATUS, e)
  call MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN, e)
  call MPI_Send(a, 1, vector, rank, -77, world, e)
  call MPI_Recv(b, 1, vector, rank, -77, world, STATUS, e)
#ifdef F08
  call MPI_Recv(b, 1, vector, rank, -77, world, STATUS)
#endif
  call MPI_Type_free(vector, e)
  call MPI_Type_free(pair, e)
  call MPI_Finalize(e)
end program
