! SPDX-License-Identifier: BSD-3-Clause
! Non-blocking and persistent collectives of Fortran, in the binding that is chosen when it is
! compiled: -DMPIFH (mpif.h), -DMODULE (use mpi) or -DF08 (use mpi_f08, without ierror). Open MPI 4.1
! has persistent collectives under names of its own: -DOPENMPI. Rank 0 prints "right" if all results
! were; else the job ends with a line that says what was wrong.
#ifdef F08
#define REQUEST_T type(MPI_Request)
#define STATUS_T type(MPI_Status)
#define COMM_T type(MPI_Comm)
#define OP_T type(MPI_Op)
#define TYPE_T type(MPI_Datatype)
#define LAST
#define ONLY
#else
#define REQUEST_T integer
#define STATUS_T integer, dimension(MPI_STATUS_SIZE)
#define COMM_T integer
#define OP_T integer
#define TYPE_T integer
#define LAST , ierr
#define ONLY ierr
#endif
#ifdef OPENMPI
#define ALLREDUCE_INIT MPIX_Allreduce_init
#define BCAST_INIT MPIX_Bcast_init
#else
#define ALLREDUCE_INIT MPI_Allreduce_init
#define BCAST_INIT MPI_Bcast_init
#endif
! An operation of Fortran, which isn't commutative, on a type of the program: x -> a x + b.
module own_operations
  implicit none
contains
  subroutine compose(left, right, n, type)
    integer :: n, left(2, n), right(2, n), i
    integer :: type
    do i = 1, n
      right(2, i) = mod(right(2, i) + right(1, i)*left(2, i), 1000)
      right(1, i) = mod(right(1, i)*left(1, i), 1000)
    end do
    if (type == -1) right = 0
  end subroutine

#ifdef F08
  subroutine compose_f08(left, right, n, type)
    use mpi_f08, only: MPI_Datatype
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: left, right
    integer :: n
    type(MPI_Datatype) :: type
    integer, pointer :: a(:, :), b(:, :)
    call c_f_pointer(left, a, [2, n])
    call c_f_pointer(right, b, [2, n])
    call compose(a, b, n, type%MPI_VAL)
  end subroutine
#endif
end module

program fortran_requests
  use own_operations
#ifdef F08
  use mpi_f08
#ifdef OPENMPI
  use mpi_f08_ext
#endif
#endif
#ifdef MODULE
  use mpi
#ifdef OPENMPI
  use mpi_ext
#endif
#endif
  implicit none
#ifdef MPIFH
  include 'mpif.h'
#ifdef OPENMPI
  include 'mpif-ext.h'
#endif
#endif
  integer, parameter :: COUNTS(4) = [0, 1, 100, 50000], ROUNDS = 3
  integer :: rank, ranks, ierr, k
  COMM_T :: row

  call MPI_Init(ONLY)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -my_rank(), row LAST) ! ranks in reverse
  call MPI_Comm_rank(row, rank LAST)
  call MPI_Comm_size(row, ranks LAST)
  do k = 1, size(COUNTS)
    call reductions(COUNTS(k))
    call copies(COUNTS(k))
    call persistent(COUNTS(k))
  end do
  call own_operation(33)
  call MPI_Comm_free(row LAST)
  if (my_rank() == 0) print '(a)', 'right'
  call MPI_Finalize(ONLY)

contains

  integer function my_rank()
    call MPI_Comm_rank(MPI_COMM_WORLD, my_rank LAST)
  end function

  ! What a rank has in a round, and the sum of it over all ranks.
  integer function number(r, round, i)
    integer, intent(in) :: r, round, i
    number = 10000*r + 10*round + i
  end function
  integer function total(round, i)
    integer, intent(in) :: round, i
    total = 10000*(ranks*(ranks - 1)/2) + ranks*(10*round + i)
  end function

  subroutine same(what, i, found, expected)
    character(len=*), intent(in) :: what
    integer, intent(in) :: i, found, expected
    if (found == expected) return
    print '(a, 4(a, i0))', what, ': rank ', rank, ', element ', i, ': found ', found, &
      ', expected ', expected
    flush (6)
    call MPI_Abort(MPI_COMM_WORLD, 1 LAST)
  end subroutine

  ! Several at once, in place and not; guards are around each result.
  subroutine reductions(n)
    integer, intent(in) :: n
    integer, asynchronous :: in(n), out(0:n + 1), place(0:n + 1), at_root(0:n + 1)
    REQUEST_T :: r(4)
    STATUS_T :: s
    logical :: flag
    integer :: i, root
    root = ranks - 1
    in = [(number(rank, 0, i), i=1, n)]
    out = -7
    at_root = -7
    place = -7
    place(1:n) = [(number(rank, 1, i), i=1, n)]
    call MPI_Iallreduce(in, out(1), n, MPI_INTEGER, MPI_SUM, row, r(1) LAST)
    call MPI_Iallreduce(MPI_IN_PLACE, place(1), n, MPI_INTEGER, MPI_SUM, row, r(2) LAST)
    call MPI_Ibarrier(row, r(3) LAST)
    call MPI_Ireduce(in, at_root(1), n, MPI_INTEGER, MPI_MAX, root, row, r(4) LAST)
    call MPI_Wait(r(3), MPI_STATUS_IGNORE LAST)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(r(2), flag, s LAST)
    end do
    call MPI_Waitall(4, r, MPI_STATUSES_IGNORE LAST)
    do i = 1, 4
      if (r(i) /= MPI_REQUEST_NULL) call same('MPI_Waitall: a request', i, 0, 1)
    end do
    do i = 1, n
      call same('MPI_Iallreduce', i, out(i), total(0, i))
      call same('MPI_Iallreduce in place', i, place(i), total(1, i))
      if (rank == root) call same('MPI_Ireduce', i, at_root(i), number(ranks - 1, 0, i))
    end do
    call same('before MPI_Iallreduce', 0, out(0), -7)
    call same('behind MPI_Iallreduce', n + 1, out(n + 1), -7)
    call same('before MPI_Iallreduce in place', 0, place(0), -7)
    call same('behind MPI_Iallreduce in place', n + 1, place(n + 1), -7)
    call same('behind MPI_Ireduce', n + 1, at_root(n + 1), -7)
  end subroutine

  subroutine copies(n)
    integer, intent(in) :: n
    integer, asynchronous :: data(0:n + 1), in(n, ranks), out(n, ranks), all(n, ranks)
    REQUEST_T :: r(3)
    STATUS_T :: s
    integer :: i, j, index, done
    data = -7
    if (rank == 0) data(1:n) = [(number(0, 2, i), i=1, n)]
    do j = 1, ranks
      in(:, j) = [(number(rank, j, i), i=1, n)]
    end do
    out = -7
    all = -7
    all(:, rank + 1) = [(number(rank, 3, i), i=1, n)]
    call MPI_Ibcast(data(1), n, MPI_INTEGER, 0, row, r(1) LAST)
    call MPI_Ialltoall(in, n, MPI_INTEGER, out, n, MPI_INTEGER, row, r(2) LAST)
    call MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INTEGER, row, r(3) LAST)
    do done = 1, 3
      call MPI_Waitany(3, r, index, s LAST)
#ifdef OPENMPI
      if (index < 1 .or. index > 3) call same('MPI_Waitany', done, index, 1)
    end do
    call MPI_Waitany(3, r, index, s LAST)
    call same('MPI_Waitany of no active request', 0, index, MPI_UNDEFINED)
#else
    end do ! MPICH 4.0.2 counts from 0 in mpi_f08, and adds 1 to MPI_UNDEFINED elsewhere
#endif
    do i = 1, n
      call same('MPI_Ibcast', i, data(i), number(0, 2, i))
      do j = 1, ranks
        call same('MPI_Ialltoall', i, out(i, j), number(j - 1, rank + 1, i))
        call same('MPI_Iallgather in place', i, all(i, j), number(j - 1, 3, i))
      end do
    end do
    call same('before MPI_Ibcast', 0, data(0), -7)
    call same('behind MPI_Ibcast', n + 1, data(n + 1), -7)
  end subroutine

  subroutine persistent(n)
    integer, intent(in) :: n
    integer, asynchronous :: in(n), out(0:n + 1), data(0:n + 1)
    REQUEST_T :: r(2)
    integer :: i, round
    call ALLREDUCE_INIT(in, out(1), n, MPI_INTEGER, MPI_SUM, row, MPI_INFO_NULL, r(1) LAST)
    call BCAST_INIT(data(1), n, MPI_INTEGER, ranks - 1, row, MPI_INFO_NULL, r(2) LAST)
    do round = 1, ROUNDS
      in = [(number(rank, round, i), i=1, n)]
      out = -7
      data = -7
      if (rank == ranks - 1) data(1:n) = [(number(rank, round + 50, i), i=1, n)]
      if (round == 1) then
        call MPI_Startall(2, r LAST)
      else
        call MPI_Start(r(1 + mod(rank, 2)) LAST)
        call MPI_Start(r(2 - mod(rank, 2)) LAST)
      end if
      call MPI_Wait(r(2), MPI_STATUS_IGNORE LAST)
      call MPI_Wait(r(1), MPI_STATUS_IGNORE LAST)
      do i = 1, n
        call same('MPI_Allreduce_init', i, out(i), total(round, i))
        call same('MPI_Bcast_init', i, data(i), number(ranks - 1, round + 50, i))
      end do
      call same('behind MPI_Allreduce_init', n + 1, out(n + 1), -7)
      call same('behind MPI_Bcast_init', n + 1, data(n + 1), -7)
    end do
    call MPI_Request_free(r(1) LAST)
    call MPI_Request_free(r(2) LAST)
    if (r(1) /= MPI_REQUEST_NULL) call same('MPI_Request_free', 1, 0, 1)
  end subroutine

  subroutine own_operation(n)
    integer, intent(in) :: n
    integer, asynchronous :: in(2, n), out(2, n)
    integer :: i, j, a, b, one(2)
    OP_T :: op
    TYPE_T :: pair
    REQUEST_T :: r
    call MPI_Type_contiguous(2, MPI_INTEGER, pair LAST)
    call MPI_Type_commit(pair LAST)
#ifdef F08
    call MPI_Op_create(compose_f08, .false., op)
#else
    call MPI_Op_create(compose, .false., op, ierr)
#endif
    do i = 1, n
      in(:, i) = map(rank, i)
    end do
    out = -7
    call MPI_Iscan(in, out, n, pair, op, row, r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    do i = 1, n
      one = map(0, i)
      a = one(1)
      b = one(2)
      do j = 1, rank
        one = map(j, i)
        b = mod(one(2) + one(1)*b, 1000)
        a = mod(one(1)*a, 1000)
      end do
      call same('MPI_Iscan', i, out(1, i), a)
      call same('MPI_Iscan', i, out(2, i), b)
    end do
    call MPI_Op_free(op LAST)
    call MPI_Type_free(pair LAST)
  end subroutine

  function map(r, i)
    integer, intent(in) :: r, i
    integer :: map(2)
    map = [mod(7*r + i, 90) + 2, mod(31*r + 5*i, 900)]
  end function
end program
