! SPDX-License-Identifier: BSD-3-Clause
! truth.c in Fortran: a program whose traffic is known, in the binding that is chosen when it is
! compiled: -DMPIFH (mpif.h), -DMODULE (use mpi) or -DF08 (use mpi_f08, without ierror). -DLARGE:
! mpi_f08 has large counts and the MPI the sends of MPI 4.
!
!   truth PREFIX           every kind; what a trace has to hold goes to the file PREFIX.RANK
!   truth PREFIX late      rank 0 waits for rank 1 in eight kinds of calls, 0.1 s in each
!   truth PREFIX phases    two phases, and what isn't recorded
!   truth PREFIX abort     sends a message and calls MPI_Abort
!   truth PREFIX spawn     spawns two processes like itself
!   truth PREFIX first     C has started MPI, and the first call of Fortran is one with MPI_IN_PLACE
!
! What comes back from calls is looked at, too: LAST and ONLY are the ierror of those that have one.
#ifdef F08
#define COMM_T type(MPI_Comm)
#define DATATYPE_T type(MPI_Datatype)
#define REQUEST_T type(MPI_Request)
#define MESSAGE_T type(MPI_Message)
#define WIN_T type(MPI_Win)
#define FILE_T type(MPI_File)
#define STATUS_T type(MPI_Status)
#define HANDLE(x) x%MPI_VAL
#define LAST
#define ONLY
#else
#define COMM_T integer
#define DATATYPE_T integer
#define REQUEST_T integer
#define MESSAGE_T integer
#define WIN_T integer
#define FILE_T integer
#define STATUS_T integer, dimension(MPI_STATUS_SIZE)
#define HANDLE(x) x
#define LAST , ierr
#define ONLY ierr
#endif

program truth
#ifdef F08
  use mpi_f08
#endif
#ifdef MODULE
  use mpi
#endif
  use, intrinsic :: iso_c_binding, only: c_ptr
  implicit none
#ifdef MPIFH
  include 'mpif.h'
#endif
  integer, parameter :: ROOM = 16384, TAG = 5
  integer :: rank, ranks, next, before, provided, ierr, wrong = 0, barriers = 0
  integer :: sent(ROOM), got(ROOM)
  character(len=512) :: prefix, mode

  call get_command_argument(1, prefix)
  call get_command_argument(2, mode)
  if (mode == 'first') then
    call start_in_c()
    call in_place_first()
  else if (mode == '') then
    call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided LAST)
  else
    call MPI_Init(ONLY)
  end if
  call MPI_Comm_rank(MPI_COMM_WORLD, rank LAST)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks LAST)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  open (unit=9, file=trim(prefix)//'.'//achar(iachar('0') + rank))
  select case (mode)
  case ('late')
    call late()
  case ('phases')
    call phases()
  case ('abort')
    call send_to(rank, 7, MPI_COMM_WORLD)
    call MPI_Barrier(MPI_COMM_WORLD LAST)
    call MPI_Abort(MPI_COMM_WORLD, 3 LAST)
  case ('spawn')
    call spawn()
  case ('first')
  case default
    call every_kind()
  end select
  close (9)
  call MPI_Finalize(ONLY)
  if (wrong > 0) stop 1

contains

  subroutine expect(dst, bytes, times)
    integer, intent(in) :: dst, bytes, times
    write (9, '("p2p",4(1x,i0))') rank, dst, bytes, times
  end subroutine

  ! A call of all ranks, in the order of MPI_COMM_WORLD or in reverse.
  subroutine expect_coll(op, reversed, bytes, root, times)
    character(len=*), intent(in) :: op
    logical, intent(in) :: reversed
    integer, intent(in) :: bytes, root, times
    character(len=200) :: list
    character(len=8) :: text
    integer :: i
    if (rank /= 0) return
    list = ''
    do i = 0, ranks - 1
      write (text, '(i0)') merge(ranks - 1 - i, i, reversed)
      list = trim(list)//trim(text)//merge(',', ' ', i < ranks - 1)
    end do
    text = '-'
    if (root >= 0) write (text, '(i0)') root
    write (9, '(a,1x,a,1x,a,1x,i0,1x,a,1x,i0)') 'coll', op, trim(list), bytes, trim(text), times
  end subroutine

  subroutine must(line, right)
    integer, intent(in) :: line
    logical, intent(in) :: right
    if (right) return
    write (0, '(a,i0,a,i0)') 'truth: a wrong result in line ', line, ' at rank ', rank
    wrong = wrong + 1
  end subroutine

  ! Receives are posted first, so that a ready send may be sent and none blocks.
  subroutine post_receive(from, request)
    integer, intent(in) :: from
    REQUEST_T, intent(out) :: request
    call MPI_Irecv(got, 4*ROOM, MPI_BYTE, from, TAG, MPI_COMM_WORLD, request LAST)
    call MPI_Barrier(MPI_COMM_WORLD LAST)
    barriers = barriers + 1
  end subroutine

  subroutine send_to(dst, bytes, comm)
    integer, intent(in) :: dst, bytes
    COMM_T, intent(in) :: comm
    REQUEST_T :: r
    call MPI_Isend(sent, bytes, MPI_BYTE, dst, TAG, comm, r LAST)
    call MPI_Recv(got, 4*ROOM, MPI_BYTE, dst, TAG, comm, MPI_STATUS_IGNORE LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
  end subroutine

  subroutine blocking_sends()
    REQUEST_T :: r
    integer :: i
    do i = 1, 3
      call post_receive(before, r)
      call MPI_Send(sent, 100, MPI_BYTE, next, TAG, MPI_COMM_WORLD LAST)
      call MPI_Send(sent, 3, MPI_INTEGER, MPI_PROC_NULL, TAG, MPI_COMM_WORLD LAST)
      call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
      call post_receive(before, r)
      call MPI_Bsend(sent, 101, MPI_BYTE, next, TAG, MPI_COMM_WORLD LAST)
      call MPI_Bsend(sent, 3, MPI_INTEGER, MPI_PROC_NULL, TAG, MPI_COMM_WORLD LAST)
      call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
      call post_receive(before, r)
      call MPI_Ssend(sent, 102, MPI_BYTE, next, TAG, MPI_COMM_WORLD LAST)
      call MPI_Ssend(sent, 3, MPI_INTEGER, MPI_PROC_NULL, TAG, MPI_COMM_WORLD LAST)
      call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
      call post_receive(before, r)
      call MPI_Rsend(sent, 103, MPI_BYTE, next, TAG, MPI_COMM_WORLD LAST)
      call MPI_Rsend(sent, 3, MPI_INTEGER, MPI_PROC_NULL, TAG, MPI_COMM_WORLD LAST)
      call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    end do
    do i = 100, 103
      call expect(next, i, 3)
    end do
  end subroutine

  subroutine nonblocking_sends()
    REQUEST_T :: r(3)
    integer :: k
    do k = 1, 4
      call post_receive(before, r(1))
      select case (k)
      case (1)
        call MPI_Isend(sent, 25, MPI_DOUBLE_PRECISION, next, TAG, MPI_COMM_WORLD, r(2) LAST)
      case (2)
        call MPI_Ibsend(sent, 25, MPI_DOUBLE_PRECISION, next, TAG, MPI_COMM_WORLD, r(2) LAST)
      case (3)
        call MPI_Issend(sent, 25, MPI_DOUBLE_PRECISION, next, TAG, MPI_COMM_WORLD, r(2) LAST)
      case (4)
        call MPI_Irsend(sent, 25, MPI_DOUBLE_PRECISION, next, TAG, MPI_COMM_WORLD, r(2) LAST)
      end select
      call MPI_Isend(sent, 25, MPI_REAL, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, r(3) LAST)
      call MPI_Waitall(3, r, MPI_STATUSES_IGNORE LAST)
    end do
    call expect(next, 200, 4)
  end subroutine

  ! A send that MPI_Cancel comes after is a message; see truth.c.
  subroutine cancelled_sends()
    REQUEST_T :: s, r
    STATUS_T :: status
    logical :: mine, theirs
    integer :: k, bytes
    do k = 1, 2
      bytes = merge(22, 60002, k == 1)
      call MPI_Issend(sent, bytes, MPI_BYTE, next, TAG, MPI_COMM_WORLD, s LAST)
      call MPI_Cancel(s LAST)
      call MPI_Barrier(MPI_COMM_WORLD LAST)
      barriers = barriers + 1
      call MPI_Irecv(got, 4*ROOM, MPI_BYTE, before, TAG, MPI_COMM_WORLD, r LAST)
      call MPI_Wait(s, status LAST)
      call MPI_Test_cancelled(status, mine LAST)
      call MPI_Sendrecv(mine, 1, MPI_LOGICAL, next, TAG + 1, theirs, 1, MPI_LOGICAL, before, TAG + 1, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE LAST)
      if (theirs) call MPI_Cancel(r LAST)
      call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
      call expect(next, bytes, 1)
    end do
    call expect(next, 4, 2)
  end subroutine

  subroutine persistent_sends()
    REQUEST_T :: s(5), r
    integer :: i, k
    call MPI_Send_init(sent, 300, MPI_BYTE, next, TAG, MPI_COMM_WORLD, s(1) LAST)
    call MPI_Bsend_init(sent, 301, MPI_BYTE, next, TAG, MPI_COMM_WORLD, s(2) LAST)
    call MPI_Ssend_init(sent, 302, MPI_BYTE, next, TAG, MPI_COMM_WORLD, s(3) LAST)
    call MPI_Rsend_init(sent, 303, MPI_BYTE, next, TAG, MPI_COMM_WORLD, s(4) LAST)
    call MPI_Send_init(sent, 1, MPI_INTEGER, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, s(5) LAST)
    do k = 1, 5
      do i = 1, k
        if (k < 5) call post_receive(before, r)
        call MPI_Start(s(k) LAST)
        call MPI_Wait(s(k), MPI_STATUS_IGNORE LAST)
        if (k < 5) call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
      end do
      if (k < 5) call expect(next, 299 + k, k)
    end do
    do k = 1, 5
      call MPI_Request_free(s(k) LAST)
    end do
  end subroutine

  ! Sends and receives started together; a request that was made and never started.
  subroutine started_together()
    REQUEST_T :: r(4), never
    integer :: i
    call MPI_Send_init(sent, 7, MPI_BYTE, next, TAG, MPI_COMM_WORLD, r(1) LAST)
    call MPI_Recv_init(got, ROOM, MPI_BYTE, before, TAG, MPI_COMM_WORLD, r(2) LAST)
    call MPI_Ssend_init(sent, 9, MPI_BYTE, next, TAG, MPI_COMM_WORLD, r(3) LAST)
    call MPI_Recv_init(got, ROOM, MPI_BYTE, before, TAG, MPI_COMM_WORLD, r(4) LAST)
    call MPI_Send_init(sent, 8, MPI_BYTE, next, TAG, MPI_COMM_WORLD, never LAST)
    do i = 1, 6
      call MPI_Startall(4, r LAST)
      call MPI_Waitall(4, r, MPI_STATUSES_IGNORE LAST)
    end do
    do i = 1, 4
      call MPI_Request_free(r(i) LAST)
    end do
    call MPI_Request_free(never LAST)
    call expect(next, 7, 6)
    call expect(next, 9, 6)
  end subroutine

  ! The handle of a freed send request comes back for a receive, which is nothing to count.
  subroutine handles_used_again()
    REQUEST_T :: s, r
    integer :: i
    do i = 0, 19
      call MPI_Send_init(sent, 11 + mod(i, 2), MPI_BYTE, next, TAG, MPI_COMM_WORLD, s LAST)
      call MPI_Start(s LAST)
      call MPI_Wait(s, MPI_STATUS_IGNORE LAST)
      call MPI_Request_free(s LAST)
      call MPI_Recv_init(got, ROOM, MPI_BYTE, before, TAG, MPI_COMM_WORLD, r LAST)
      call MPI_Start(r LAST)
      call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
      call MPI_Request_free(r LAST)
    end do
    call expect(next, 11, 10)
    call expect(next, 12, 10)
  end subroutine

  subroutine combined_sends()
    integer :: i
    do i = 1, 4
      sent(1) = rank
      call MPI_Sendrecv(sent, 40, MPI_INTEGER, next, TAG, got, 40, MPI_INTEGER, before, TAG, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE LAST)
      call must(__LINE__, got(1) == before)
      call MPI_Sendrecv_replace(sent, 50, MPI_INTEGER, before, TAG, next, TAG, MPI_COMM_WORLD, &
                                MPI_STATUS_IGNORE LAST)
      call must(__LINE__, sent(1) == next)
      call MPI_Sendrecv(sent, 40, MPI_INTEGER, MPI_PROC_NULL, TAG, got, 40, MPI_INTEGER, &
                        MPI_PROC_NULL, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE LAST)
    end do
    call expect(next, 160, 4)
    call expect(before, 200, 4)
  end subroutine

#ifdef LARGE
  subroutine newer_sends()
    REQUEST_T :: r(2)
    integer :: bytes
#ifdef F08
    integer(MPI_COUNT_KIND) :: n, m
    integer(MPI_COUNT_KIND) :: counts(0:ranks - 1)
    integer(MPI_ADDRESS_KIND) :: displs(0:ranks - 1)
#endif
    call MPI_Isendrecv(sent, 60, MPI_BYTE, next, TAG, got, 60, MPI_BYTE, before, TAG, &
                       MPI_COMM_WORLD, r(1) LAST)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE LAST)
    call MPI_Isendrecv_replace(sent, 61, MPI_BYTE, next, TAG, before, TAG, MPI_COMM_WORLD, &
                               r(1) LAST)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE LAST)
    do bytes = 60, 61
      call expect(next, bytes, 1)
    end do
#ifdef F08
    n = 62
    m = ROOM
    call MPI_Irecv(got, m, MPI_BYTE, before, TAG, MPI_COMM_WORLD, r(1))
    call MPI_Send(sent, n, MPI_BYTE, next, TAG, MPI_COMM_WORLD)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE)
    n = 63
    call MPI_Send_init(sent, n, MPI_BYTE, next, TAG, MPI_COMM_WORLD, r(2))
    call MPI_Irecv(got, m, MPI_BYTE, before, TAG, MPI_COMM_WORLD, r(1))
    call MPI_Start(r(2))
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE)
    call MPI_Request_free(r(2))
    n = 64
    call MPI_Sendrecv(sent, n, MPI_BYTE, next, TAG, got, n, MPI_BYTE, before, TAG, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    do bytes = 62, 64
      call expect(next, bytes, 1)
    end do
    call MPI_Bcast(sent, n, MPI_BYTE, 2, MPI_COMM_WORLD)
    call expect_coll('MPI_Bcast_c', .false., 64, 2, 1)
    counts = 3
    displs = 0
    call MPI_Allgatherv(MPI_IN_PLACE, n, MPI_BYTE, got, counts, displs, MPI_INTEGER, &
                        MPI_COMM_WORLD)
    call expect_coll('MPI_Allgatherv_c', .false., 12, -1, 1)
#endif
  end subroutine
#else
  subroutine newer_sends()
  end subroutine
#endif

  subroutine empty_and_own()
    REQUEST_T :: r
    call post_receive(before, r)
    call MPI_Send(sent, 0, MPI_BYTE, next, TAG, MPI_COMM_WORLD LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call expect(next, 0, 1)
    call send_to(rank, 13, MPI_COMM_WORLD)
    call expect(rank, 13, 1)
  end subroutine

  ! A type's handle is used again for a type of another size; Fortran's own types; a buffer that is
  ! an address inside a type, and one that isn't contiguous.
  subroutine types()
    DATATYPE_T :: t, list(1)
    REQUEST_T :: r
    integer :: i, lengths(1)
    integer(MPI_ADDRESS_KIND) :: places(1)
    do i = 0, 9
      call MPI_Type_vector(2 + mod(i, 2), 3, 5, MPI_DOUBLE_PRECISION, t LAST)
      call MPI_Type_commit(t LAST)
      call post_receive(before, r)
      call MPI_Send(sent, 2, t, next, TAG, MPI_COMM_WORLD LAST)
      call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
      call MPI_Type_free(t LAST)
    end do
    call expect(next, 96, 5)
    call expect(next, 144, 5)
    call post_receive(before, r)
    call MPI_Send(sent, 3, MPI_DOUBLE_COMPLEX, next, TAG, MPI_COMM_WORLD LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call expect(next, 48, 1)
    call MPI_Get_address(sent(5), places(1) LAST)
    lengths(1) = 17
    list(1) = MPI_INTEGER
    call MPI_Type_create_struct(1, lengths, places, list, t LAST)
    call MPI_Type_commit(t LAST)
    sent(5) = 1000 + rank
    call post_receive(before, r)
    call MPI_Send(MPI_BOTTOM, 1, t, next, TAG, MPI_COMM_WORLD LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call must(__LINE__, got(1) == 1000 + before)
    call MPI_Type_free(t LAST)
    call expect(next, 68, 1)
    sent(1:40:2) = rank
    sent(2:40:2) = -1
    call post_receive(before, r)
    call MPI_Send(sent(1:40:2), 18, MPI_INTEGER, next, TAG, MPI_COMM_WORLD LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call must(__LINE__, all(got(1:18) == before))
    call expect(next, 72, 1)
  end subroutine

  ! Rank 0 of a communicator sends to its last one.
  subroutine send_within(comm, bytes, last_in_world)
    COMM_T, intent(in) :: comm
    integer, intent(in) :: bytes, last_in_world
    integer :: own, n
    call MPI_Comm_rank(comm, own LAST)
    call MPI_Comm_size(comm, n LAST)
    if (n == 1) return
    if (own == 0) call MPI_Send(sent, bytes, MPI_BYTE, n - 1, TAG, comm LAST)
    if (own == n - 1) call MPI_Recv(got, ROOM, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE LAST)
    if (own == 0) call expect(last_in_world, bytes, 1)
  end subroutine

  subroutine communicators()
    COMM_T :: dup, half, dup_of_half, cart, part
    integer :: i, first, end
    integer :: dims(1)
    logical :: periodic(1), low
    call MPI_Comm_dup(MPI_COMM_WORLD, dup LAST)
    call send_within(dup, 20, ranks - 1)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half LAST)
    call send_within(half, 21, mod(rank, 2))
    call MPI_Comm_dup(half, dup_of_half LAST)
    call MPI_Comm_free(half LAST)
    call send_within(dup_of_half, 22, mod(rank, 2))
    call MPI_Comm_free(dup_of_half LAST)
    call MPI_Comm_free(dup LAST)
    dims(1) = ranks
    periodic(1) = .true.
    call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, .false., cart LAST)
    call send_within(cart, 23, ranks - 1)
    call MPI_Comm_free(cart LAST)
    ! the handle comes back for other members
    low = rank < ranks/2
    first = merge(0, ranks/2, low)
    end = merge(ranks/2, ranks, low)
    do i = 0, 29
      call MPI_Comm_split(MPI_COMM_WORLD, merge(1, 0, low), merge(rank, -rank, mod(i, 2) == 1), &
                          part LAST)
      call send_within(part, 24, merge(end - 1, first, mod(i, 2) == 1))
      call MPI_Comm_free(part LAST)
    end do
  end subroutine

  ! Rank 0 here sends to rank 1 there; a broadcast from the lower group.
  subroutine intercommunicator()
    COMM_T :: part, inter
    integer :: own, root
    logical :: low
    low = rank < ranks/2
    call MPI_Comm_split(MPI_COMM_WORLD, merge(1, 0, low), rank, part LAST)
    call MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, merge(ranks/2, 0, low), 77, inter LAST)
    call MPI_Comm_rank(part, own LAST)
    if (own == 0) call MPI_Send(sent, 31, MPI_BYTE, 1, TAG, inter LAST)
    if (own == 0) call expect(merge(ranks/2 + 1, 1, low), 31, 1)
    if (own == 1) call MPI_Recv(got, ROOM, MPI_BYTE, 0, TAG, inter, MPI_STATUS_IGNORE LAST)
    root = merge(merge(MPI_ROOT, MPI_PROC_NULL, own == 1), 1, low)
    call MPI_Bcast(sent, 45, MPI_BYTE, root, inter LAST)
    call expect_coll('MPI_Bcast', .false., 45, 1, 1)
    call MPI_Comm_free(inter LAST)
    call MPI_Comm_free(part LAST)
  end subroutine

  ! What MPI refuses was not sent, whether or not somebody asks for ierror.
  subroutine refused()
    COMM_T :: dup
    REQUEST_T :: r
    call MPI_Comm_dup(MPI_COMM_WORLD, dup LAST)
    call MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN LAST)
    call MPI_Send(sent, 1, MPI_BYTE, ranks, TAG, dup, ierr)
    call must(__LINE__, ierr /= MPI_SUCCESS)
    call MPI_Send(sent, -1, MPI_BYTE, next, TAG, dup, ierr)
    call must(__LINE__, ierr /= MPI_SUCCESS)
    call MPI_Isend(sent, 1, MPI_BYTE, next, -99, dup, r, ierr)
    call must(__LINE__, ierr /= MPI_SUCCESS)
    call MPI_Bcast(sent, 1, MPI_INTEGER, 99, dup, ierr)
    call must(__LINE__, ierr /= MPI_SUCCESS)
    call MPI_Send(sent, 1, MPI_BYTE, next, -99, dup LAST)
    call MPI_Ibcast(sent, 1, MPI_INTEGER, 99, dup, r LAST)
    call MPI_Comm_free(dup LAST)
  end subroutine

  subroutine rooted(comm, own)
    COMM_T, intent(in) :: comm
    integer, intent(in) :: own
    integer :: counts(0:ranks - 1), displs(0:ranks - 1), i
    REQUEST_T :: r
    counts = [(i + 1, i=0, ranks - 1)]
    displs = [(i*16, i=0, ranks - 1)]
    sent = own
    sent(5) = -5
    call MPI_Bcast(sent, 5, MPI_INTEGER, 1, comm LAST)
    call must(__LINE__, sent(1) == 1)
    call expect_coll('MPI_Bcast', .true., 20, 1, 1)
    ! two call sites each
    sent = own
    got = -1
    got(1 + 2*own) = own
    if (own == 1) then
      call MPI_Gather(MPI_IN_PLACE, 0, MPI_BYTE, got, 2, MPI_INTEGER, 1, comm LAST)
      call must(__LINE__, got(2*ranks - 1) == ranks - 1 .and. got(3) == 1)
    else
      call MPI_Gather(sent, 2, MPI_INTEGER, got, 0, MPI_BYTE, 1, comm LAST)
    end if
    call expect_coll('MPI_Gather', .true., 8, 1, 2)
    if (own == 1) then
      call MPI_Gatherv(MPI_IN_PLACE, 0, MPI_BYTE, got, counts, displs, MPI_INTEGER, 1, comm LAST)
      call must(__LINE__, got(1 + 16*(ranks - 1)) == ranks - 1)
      call must(__LINE__, got(16*(ranks - 1) + ranks) == ranks - 1)
    else
      call MPI_Gatherv(sent, own + 1, MPI_INTEGER, got, counts, displs, MPI_INTEGER, 1, comm LAST)
    end if
    ! of the place where 1 was alone, and the mean of the others
    call expect_coll('MPI_Gatherv', .true., 8, 1, 1)
    call expect_coll('MPI_Gatherv', .true., nint((2.0*ranks*(ranks + 1) - 8)/(ranks - 1)), 1, 1)
    call MPI_Gatherv(sent, own + 1, MPI_INTEGER, got, counts, displs, MPI_INTEGER, 0, comm LAST)
    call expect_coll('MPI_Gatherv', .true., 2*(ranks + 1), 0, 1)
    sent(1 + 16*own) = 70
    if (own == 1) then
      call MPI_Scatter(sent, 16, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_BYTE, 1, comm LAST)
    else
      call MPI_Scatter(sent, 0, MPI_BYTE, got, 16, MPI_INTEGER, 1, comm LAST)
      call must(__LINE__, got(2) == 1)
    end if
    call expect_coll('MPI_Scatter', .true., 64, 1, 2)
    call MPI_Scatterv(sent, counts, displs, MPI_INTEGER, got, own + 1, MPI_INTEGER, 0, comm LAST)
    ! 1, 2, ... integers
    call expect_coll('MPI_Scatterv', .true., 2*(ranks + 1), 0, 1)
    sent = own
    if (own == 0) then
      call MPI_Reduce(MPI_IN_PLACE, sent, 8, MPI_INTEGER, MPI_SUM, 0, comm LAST)
      call must(__LINE__, sent(8) == ranks*(ranks - 1)/2)
    else
      call MPI_Reduce(sent, got, 8, MPI_INTEGER, MPI_SUM, 0, comm LAST)
    end if
    call expect_coll('MPI_Reduce', .true., 32, 0, 2)
    call MPI_Igather(sent, 3, MPI_INTEGER, got, 3, MPI_INTEGER, 1, comm, r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call expect_coll('MPI_Igather', .true., 12, 1, 1)
    call MPI_Igatherv(sent, own + 1, MPI_INTEGER, got, counts, displs, MPI_INTEGER, 0, comm, r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call expect_coll('MPI_Igatherv', .true., 2*(ranks + 1), 0, 1)
    call MPI_Iscatter(sent, 4, MPI_INTEGER, got, 4, MPI_INTEGER, 1, comm, r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call expect_coll('MPI_Iscatter', .true., 16, 1, 1)
    call MPI_Iscatterv(sent, counts, displs, MPI_INTEGER, got, own + 1, MPI_INTEGER, 0, comm, &
                       r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call expect_coll('MPI_Iscatterv', .true., 2*(ranks + 1), 0, 1)
    call MPI_Ireduce(sent, got, 5, MPI_INTEGER, MPI_SUM, 0, comm, r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call expect_coll('MPI_Ireduce', .true., 20, 0, 1)
    call MPI_Ibcast(sent, 5, MPI_INTEGER, 1, comm, r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call expect_coll('MPI_Ibcast', .true., 20, 1, 1)
  end subroutine

  subroutine rootless(comm, own)
    COMM_T, intent(in) :: comm
    integer, intent(in) :: own
    integer :: counts(0:ranks - 1), displs(0:ranks - 1), i, total
    DATATYPE_T :: list(0:ranks - 1)
    total = ranks*(ranks + 1)/2
    do i = 0, ranks - 1
      list(i) = MPI_INTEGER
      displs(i) = i*16
      counts(i) = i + 1
    end do
    sent = own
    call MPI_Barrier(comm LAST)
    call expect_coll('MPI_Barrier', .true., 0, -1, 1)
    call MPI_Allgather(sent, 3, MPI_INTEGER, got, 3, MPI_INTEGER, comm LAST)
    call must(__LINE__, got(3*ranks) == ranks - 1)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, got, 3, MPI_INTEGER, comm LAST)
    call expect_coll('MPI_Allgather', .true., 12, -1, 2)
    call MPI_Allgatherv(sent, own + 1, MPI_INTEGER, got, counts, displs, MPI_INTEGER, comm LAST)
    call must(__LINE__, got(1 + displs(ranks - 1)) == ranks - 1)
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, got, counts, displs, MPI_INTEGER, comm LAST)
    call expect_coll('MPI_Allgatherv', .true., 2*(ranks + 1), -1, 2)
    call MPI_Alltoall(sent, 2, MPI_INTEGER, got, 2, MPI_INTEGER, comm LAST)
    call must(__LINE__, got(2*ranks) == ranks - 1)
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_BYTE, got, 2, MPI_INTEGER, comm LAST)
    call expect_coll('MPI_Alltoall', .true., 8*ranks, -1, 2)
    counts = 9
    call MPI_Alltoallv(sent, counts, displs, MPI_INTEGER, got, counts, displs, MPI_INTEGER, &
                       comm LAST)
    call must(__LINE__, got(9 + 16*(ranks - 1)) == ranks - 1)
    call MPI_Alltoallv(MPI_IN_PLACE, counts, displs, MPI_BYTE, got, counts, displs, MPI_INTEGER, &
                       comm LAST)
    call expect_coll('MPI_Alltoallv', .true., 36*ranks, -1, 2)
    displs = 4*displs
    call MPI_Alltoallw(sent, counts, displs, list, got, counts, displs, list, comm LAST)
    call must(__LINE__, got(9 + 16*(ranks - 1)) == ranks - 1)
    call MPI_Alltoallw(MPI_IN_PLACE, counts, displs, list, got, counts, displs, list, comm LAST)
    call expect_coll('MPI_Alltoallw', .true., 36*ranks, -1, 2)
    do i = 1, 3
      got = own
      call MPI_Allreduce(MPI_IN_PLACE, got, 4, MPI_INTEGER, MPI_SUM, comm LAST)
      call must(__LINE__, got(4) == ranks*(ranks - 1)/2 .and. got(5) == own)
    end do
    call expect_coll('MPI_Allreduce', .true., 16, -1, 3)
    call MPI_Scan(sent, got, 5, MPI_INTEGER, MPI_SUM, comm LAST)
    call must(__LINE__, got(5) == own*(own + 1)/2)
    call expect_coll('MPI_Scan', .true., 20, -1, 1)
    call MPI_Exscan(sent, got, 6, MPI_INTEGER, MPI_SUM, comm LAST)
    if (own > 0) call must(__LINE__, got(6) == own*(own - 1)/2)
    call expect_coll('MPI_Exscan', .true., 24, -1, 1)
    counts = [(i + 1, i=0, ranks - 1)]
    call MPI_Reduce_scatter(sent, got, counts, MPI_INTEGER, MPI_SUM, comm LAST)
    call must(__LINE__, got(own + 1) == ranks*(ranks - 1)/2)
    call expect_coll('MPI_Reduce_scatter', .true., 4*total, -1, 1)
    call MPI_Reduce_scatter_block(sent, got, 2, MPI_INTEGER, MPI_SUM, comm LAST)
    call expect_coll('MPI_Reduce_scatter_block', .true., 8*ranks, -1, 1)
  end subroutine

  subroutine rootless_nonblocking(comm, own)
    COMM_T, intent(in) :: comm
    integer, intent(in) :: own
    integer :: counts(0:ranks - 1), displs(0:ranks - 1), i
    DATATYPE_T :: list(0:ranks - 1)
    REQUEST_T :: r(11)
    do i = 0, ranks - 1
      list(i) = MPI_BYTE
      displs(i) = i*16
      counts(i) = i + 1
    end do
    call MPI_Ibarrier(comm, r(1) LAST)
    call MPI_Iallgather(sent, 3, MPI_INTEGER, got, 3, MPI_INTEGER, comm, r(2) LAST)
    call MPI_Iallgatherv(sent, own + 1, MPI_INTEGER, got(1000), counts, displs, MPI_INTEGER, comm, &
                         r(3) LAST)
    call MPI_Ialltoall(sent, 2, MPI_INTEGER, got(2000), 2, MPI_INTEGER, comm, r(4) LAST)
    call MPI_Waitall(4, r, MPI_STATUSES_IGNORE LAST)
    counts = 9
    call MPI_Ialltoallv(sent, counts, displs, MPI_BYTE, got, counts, displs, MPI_BYTE, comm, &
                        r(1) LAST)
    call MPI_Ialltoallw(sent, counts, displs, list, got(1000), counts, displs, list, comm, &
                        r(2) LAST)
    call MPI_Iallreduce(MPI_IN_PLACE, got(2000), 4, MPI_INTEGER, MPI_SUM, comm, r(3) LAST)
    call MPI_Iscan(sent, got(3000), 5, MPI_INTEGER, MPI_SUM, comm, r(4) LAST)
    call MPI_Iexscan(sent, got(4000), 6, MPI_INTEGER, MPI_SUM, comm, r(5) LAST)
    call MPI_Waitall(5, r, MPI_STATUSES_IGNORE LAST)
    counts = 2
    call MPI_Ireduce_scatter(sent, got, counts, MPI_INTEGER, MPI_SUM, comm, r(1) LAST)
    call MPI_Ireduce_scatter_block(sent, got(1000), 3, MPI_INTEGER, MPI_SUM, comm, r(2) LAST)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE LAST)
    call expect_coll('MPI_Ibarrier', .true., 0, -1, 1)
    call expect_coll('MPI_Iallgather', .true., 12, -1, 1)
    call expect_coll('MPI_Iallgatherv', .true., 2*(ranks + 1), -1, 1)
    call expect_coll('MPI_Ialltoall', .true., 8*ranks, -1, 1)
    call expect_coll('MPI_Ialltoallv', .true., 9*ranks, -1, 1)
    call expect_coll('MPI_Ialltoallw', .true., 9*ranks, -1, 1)
    call expect_coll('MPI_Iallreduce', .true., 16, -1, 1)
    call expect_coll('MPI_Iscan', .true., 20, -1, 1)
    call expect_coll('MPI_Iexscan', .true., 24, -1, 1)
    call expect_coll('MPI_Ireduce_scatter', .true., 8*ranks, -1, 1)
    call expect_coll('MPI_Ireduce_scatter_block', .true., 12*ranks, -1, 1)
  end subroutine

  ! On all ranks in reverse order.
  subroutine collectives()
    COMM_T :: backwards
    integer :: own
    call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, backwards LAST)
    call MPI_Comm_rank(backwards, own LAST)
    call rooted(backwards, own)
    call rootless(backwards, own)
    call rootless_nonblocking(backwards, own)
    call MPI_Comm_free(backwards LAST)
  end subroutine

  ! bytes of all ranks together, of which the trace has the mean
  subroutine expect_mean(op, bytes)
    character(len=*), intent(in) :: op
    integer, intent(in) :: bytes
    call expect_coll(op, .false., (bytes + ranks/2)/ranks, -1, 1)
  end subroutine

  ! A call's message to each end of a row that there is, and along the ring below.
  subroutine expect_row(down, up)
    integer, intent(in) :: down, up
    if (rank > 0) call expect(rank - 1, down, 1)
    if (rank < ranks - 1) call expect(rank + 1, up, 1)
  end subroutine

  subroutine expect_ring(near, far)
    integer, intent(in) :: near, far
    call expect(next, near, 1)
    call expect(mod(rank + 2, ranks), far, 1)
  end subroutine

  ! On a row, whose ends have one neighbour, and on a ring where each sends to the next two.
  subroutine neighbourhoods()
    COMM_T :: row, ring
    REQUEST_T :: r
    DATATYPE_T :: list(2)
    integer :: pairs, from(2), to(2), two(2), one(2), back(2), displs(2), dims(1)
    integer(MPI_ADDRESS_KIND) :: places(2)
    logical :: periodic(1)
    pairs = 2*(ranks - 1)
    from = [before, mod(rank + ranks - 2, ranks)]
    to = [next, mod(rank + 2, ranks)]
    two = [1, 1]
    one = [1, 2]
    back = [2, 1]
    displs = [0, 64]
    places = [0, 64]
    list(1) = MPI_BYTE
    list(2) = MPI_INTEGER
    dims(1) = ranks
    periodic(1) = .false.
    call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, .false., row LAST)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, MPI_UNWEIGHTED, 2, to, &
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring LAST)
    call MPI_Neighbor_allgather(sent, 3, MPI_INTEGER, got, 3, MPI_INTEGER, row LAST)
    call expect_mean('MPI_Neighbor_allgather', 12*pairs)
    call expect_row(12, 12)
    call MPI_Neighbor_allgatherv(sent, 1, MPI_INTEGER, got, two, displs, MPI_INTEGER, row LAST)
    call expect_mean('MPI_Neighbor_allgatherv', 4*pairs)
    call expect_row(4, 4)
    call MPI_Neighbor_alltoall(sent, 5, MPI_BYTE, got, 5, MPI_BYTE, ring LAST)
    call expect_mean('MPI_Neighbor_alltoall', 10*ranks)
    call expect_ring(5, 5)
    call MPI_Neighbor_alltoallv(sent, one, displs, MPI_INTEGER, got, back, displs, MPI_INTEGER, &
                                row LAST)
    call expect_mean('MPI_Neighbor_alltoallv', 12*(ranks - 1))
    call expect_row(4, 8)
    call MPI_Neighbor_alltoallw(sent, one, places, list, got, one, places, list, ring LAST)
    call expect_mean('MPI_Neighbor_alltoallw', 9*ranks)
    call expect_ring(1, 8)
    call MPI_Ineighbor_allgather(sent, 3, MPI_INTEGER, got, 3, MPI_INTEGER, row, r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call expect_mean('MPI_Ineighbor_allgather', 12*pairs)
    call expect_row(12, 12)
    call MPI_Ineighbor_allgatherv(sent, 1, MPI_INTEGER, got, two, displs, MPI_INTEGER, row, r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call expect_mean('MPI_Ineighbor_allgatherv', 4*pairs)
    call expect_row(4, 4)
    call MPI_Ineighbor_alltoall(sent, 6, MPI_BYTE, got, 6, MPI_BYTE, ring, r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call expect_mean('MPI_Ineighbor_alltoall', 12*ranks)
    call expect_ring(6, 6)
    call MPI_Ineighbor_alltoallv(sent, one, displs, MPI_INTEGER, got, back, displs, MPI_INTEGER, &
                                 row, r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call expect_mean('MPI_Ineighbor_alltoallv', 12*(ranks - 1))
    call expect_row(4, 8)
    call MPI_Ineighbor_alltoallw(sent, one, places, list, got, one, places, list, ring, r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call expect_mean('MPI_Ineighbor_alltoallw', 9*ranks)
    call expect_ring(1, 8)
    call MPI_Comm_free(row LAST)
    call MPI_Comm_free(ring LAST)
  end subroutine

#ifdef LARGE
  ! Each is a call, and messages to neighbours, whenever it is started; a partition of a send is a
  ! message when it is ready.
  subroutine persistent_collectives()
    REQUEST_T :: r(3), s(2)
    COMM_T :: row
    integer(MPI_COUNT_KIND) :: n
    integer :: i, dims(1), counts(2), displs(2)
    logical :: periodic(1)
    n = 10
    dims(1) = ranks
    periodic(1) = .false.
    counts = 3
    displs = [0, 64]
    call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, .false., row LAST)
    call MPI_Bcast_init(sent, 70, MPI_BYTE, 1, MPI_COMM_WORLD, MPI_INFO_NULL, r(1) LAST)
    call MPI_Allreduce_init(sent, got(1000), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, &
                            MPI_INFO_NULL, r(2) LAST)
    call MPI_Neighbor_alltoallv_init(sent, counts, displs, MPI_INTEGER, got, counts, displs, &
                                     MPI_INTEGER, row, MPI_INFO_NULL, r(3) LAST)
    do i = 1, 2
      call MPI_Start(r(1) LAST)
      call MPI_Wait(r(1), MPI_STATUS_IGNORE LAST)
      call MPI_Startall(2, r(2:3) LAST)
      call MPI_Waitall(2, r(2:3), MPI_STATUSES_IGNORE LAST)
      call expect_row(12, 12)
    end do
    do i = 1, 3
      call MPI_Request_free(r(i) LAST)
    end do
    call expect_coll('MPI_Bcast_init', .false., 70, 1, 2)
    call expect_coll('MPI_Allreduce_init', .false., 12, -1, 2)
    call expect_coll('MPI_Neighbor_alltoallv_init', .false., (24*(ranks - 1) + ranks/2)/ranks, -1, 2)
    call MPI_Comm_free(row LAST)
    call MPI_Psend_init(sent, 6, n, MPI_INTEGER, next, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &
                        s(1) LAST)
    call MPI_Precv_init(got, 6, n, MPI_INTEGER, before, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &
                        s(2) LAST)
    call MPI_Startall(2, s LAST)
    call MPI_Pready(5, s(1) LAST)
    call MPI_Pready_range(1, 3, s(1) LAST)
    call MPI_Pready_list(2, [4, 0], s(1) LAST)
    call MPI_Waitall(2, s, MPI_STATUSES_IGNORE LAST)
    call MPI_Request_free(s(1) LAST)
    call MPI_Request_free(s(2) LAST)
    call expect(next, 40, 6)
  end subroutine
#else
  subroutine persistent_collectives()
  end subroutine
#endif

  ! Calls of C on handles of Fortran and the other way round (mixed.c).
  subroutine both_languages()
    COMM_T :: dup
    REQUEST_T :: r, s
    integer :: i
    call MPI_Comm_dup(MPI_COMM_WORLD, dup LAST)
    call post_receive(before, r)
    call c_sends(HANDLE(dup), HANDLE(MPI_INTEGER), 19, next)
    call MPI_Send(sent, 21, MPI_INTEGER, next, TAG, MPI_COMM_WORLD LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call MPI_Recv(got, ROOM, MPI_BYTE, before, TAG, dup, MPI_STATUS_IGNORE LAST)
    call expect(next, 76, 1)
    call expect(next, 84, 1)
    call MPI_Send_init(sent, 22, MPI_INTEGER, next, TAG, dup, s LAST)
    do i = 1, 3
      call c_starts(HANDLE(s))
      call MPI_Recv(got, ROOM, MPI_BYTE, before, TAG, dup, MPI_STATUS_IGNORE LAST)
      call MPI_Wait(s, MPI_STATUS_IGNORE LAST)
    end do
    call MPI_Request_free(s LAST)
    call expect(next, 88, 3)
    call c_makes(HANDLE(dup), 23, next, HANDLE(s))
    do i = 1, 2
      call MPI_Start(s LAST)
      call MPI_Recv(got, ROOM, MPI_BYTE, before, TAG, dup, MPI_STATUS_IGNORE LAST)
      call MPI_Wait(s, MPI_STATUS_IGNORE LAST)
    end do
    call MPI_Request_free(s LAST)
    call expect(next, 23, 2)
    call MPI_Comm_free(dup LAST)
  end subroutine

  ! Each thread sends sizes of its own, some of which others send too, to this same rank.
  subroutine threads()
    integer, parameter :: N = 4, ROUNDS = 100
    integer :: k, i
    if (provided /= MPI_THREAD_MULTIPLE) return
    !$omp parallel do num_threads(N) schedule(static, 1)
    do k = 0, N - 1
      call thread_main(k, ROUNDS)
    end do
    !$omp end parallel do
    do i = 80, 87
      call expect(rank, i, count([(mod(k, 8) == i - 80, k=0, ROUNDS - 1)])*N)
    end do
    do k = 0, N - 1
      call expect(rank, 400 + k, ROUNDS/10)
    end do
  end subroutine

  subroutine thread_main(k, rounds)
    integer, intent(in) :: k, rounds
    integer :: i, from(128), to(128), error
    REQUEST_T :: s, r
    call MPI_Send_init(to, 400 + k, MPI_BYTE, rank, 100 + k, MPI_COMM_WORLD, s, error)
    do i = 0, rounds - 1
      call MPI_Irecv(from, 512, MPI_BYTE, rank, 100 + k, MPI_COMM_WORLD, r, error)
      call MPI_Send(to, 80 + mod(i, 8), MPI_BYTE, rank, 100 + k, MPI_COMM_WORLD, error)
      call MPI_Wait(r, MPI_STATUS_IGNORE, error)
      if (mod(i, 10) > 0) cycle
      call MPI_Irecv(from, 512, MPI_BYTE, rank, 100 + k, MPI_COMM_WORLD, r, error)
      call MPI_Start(s, error)
      call MPI_Wait(s, MPI_STATUS_IGNORE, error)
      call MPI_Wait(r, MPI_STATUS_IGNORE, error)
    end do
    call MPI_Request_free(s, error)
  end subroutine

  ! Waits, tests and probes, which are timed only: that they come back with what they should.
  subroutine waits_and_tests()
    REQUEST_T :: r(2)
    MESSAGE_T :: message
    integer :: index, n, indices(2)
    logical :: flag
    call MPI_Irecv(got, 2, MPI_INTEGER, rank, TAG, MPI_COMM_WORLD, r(1) LAST)
    r(2) = MPI_REQUEST_NULL
    call MPI_Test(r(1), flag, MPI_STATUS_IGNORE LAST)
    call must(__LINE__, .not. flag)
    call MPI_Testall(2, r, flag, MPI_STATUSES_IGNORE LAST)
    call must(__LINE__, .not. flag)
    call MPI_Testany(2, r, index, flag, MPI_STATUS_IGNORE LAST)
    call must(__LINE__, .not. flag)
    call MPI_Testsome(2, r, n, indices, MPI_STATUSES_IGNORE LAST)
    call must(__LINE__, n == 0)
    call MPI_Iprobe(rank, 99, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE LAST)
    call must(__LINE__, .not. flag)
    sent(1) = 4711
    call MPI_Send(sent, 1, MPI_INTEGER, rank, TAG, MPI_COMM_WORLD LAST)
    call MPI_Waitany(2, r, index, MPI_STATUS_IGNORE LAST)
    call must(__LINE__, got(1) == 4711) ! MPICH's mpi_f08 counts indices from 0
    got(1) = 0
    call MPI_Isend(sent, 1, MPI_INTEGER, rank, TAG, MPI_COMM_WORLD, r(1) LAST)
    call MPI_Probe(rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE LAST)
    call MPI_Mprobe(rank, TAG, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE LAST)
    call MPI_Mrecv(got, 1, MPI_INTEGER, message, MPI_STATUS_IGNORE LAST)
    call must(__LINE__, got(1) == 4711)
    call MPI_Waitsome(2, r, n, indices, MPI_STATUSES_IGNORE LAST)
    call must(__LINE__, n == 1)
    got(1) = 0
    call MPI_Isend(sent, 1, MPI_INTEGER, rank, TAG, MPI_COMM_WORLD, r(1) LAST)
    flag = .false.
    do while (.not. flag)
      call MPI_Improbe(rank, TAG, MPI_COMM_WORLD, flag, message, MPI_STATUS_IGNORE LAST)
    end do
    call MPI_Imrecv(got, 1, MPI_INTEGER, message, r(2) LAST)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE LAST)
    call must(__LINE__, got(1) == 4711)
    call expect(rank, 4, 3)
  end subroutine

  ! Operations on a window by this rank, all to one target; and the epochs in which there were any.
  subroutine expect_rma(win, sync, op, target, bytes, times, epochs)
    integer, intent(in) :: win, target, bytes, times, epochs
    character(len=*), intent(in) :: sync, op
    character(len=64) :: what
    write (what, '(i0,1x,i0,1x,a,1x,a)') rank, win, sync, 'MPI_'//op
    write (9, '(a,1x,a,3(1x,i0))') 'rma', trim(what), target, bytes, times
    write (9, '(a,1x,a,1x,i0)') 'epochs', trim(what), epochs
  end subroutine

  ! Fences: three epochs with operations, one without, one with what MPI refuses.
  subroutine fences(win)
    WIN_T, intent(in) :: win
    integer, asynchronous, save :: x, y
    integer(MPI_ADDRESS_KIND) :: at
    at = 2
    x = 5
    call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN LAST)
    call MPI_Win_fence(0, win LAST)
    call MPI_Put(x, 1, MPI_INTEGER, next, at, 1, MPI_INTEGER, win LAST)
    call MPI_Put(x, 1, MPI_INTEGER, MPI_PROC_NULL, at, 1, MPI_INTEGER, win LAST)
    call MPI_Win_fence(0, win LAST)
    call MPI_Accumulate(x, 1, MPI_INTEGER, next, at, 1, MPI_INTEGER, MPI_SUM, win LAST)
    call MPI_Win_fence(0, win LAST)
    call MPI_Win_fence(0, win LAST)
    call MPI_Get(y, 1, MPI_INTEGER, next, at, 1, MPI_INTEGER, win LAST)
    call MPI_Win_fence(0, win LAST)
    call must(__LINE__, y == 10)
    call MPI_Put(x, -1, MPI_INTEGER, next, at, -1, MPI_INTEGER, win, ierr)
    call must(__LINE__, ierr /= MPI_SUCCESS)
    call MPI_Accumulate(x, -1, MPI_INTEGER, next, at, -1, MPI_INTEGER, MPI_SUM, win LAST)
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, win LAST)
    call expect_rma(0, 'fence', 'Put', next, 4, 1, 1)
    call expect_rma(0, 'fence', 'Accumulate', next, 4, 1, 1)
    call expect_rma(0, 'fence', 'Get', next, 4, 1, 1)
  end subroutine

  subroutine starts_and_posts(win)
    WIN_T, intent(in) :: win
#ifdef F08
    type(MPI_Group) :: all, to, from
#else
    integer :: all, to, from
#endif
    integer(MPI_ADDRESS_KIND) :: at
    integer :: i
    at = 4
    call MPI_Comm_group(MPI_COMM_WORLD, all LAST)
    call MPI_Group_incl(all, 1, [next], to LAST)
    call MPI_Group_incl(all, 1, [before], from LAST)
    do i = 1, 6
      if (mod(i, 3) == 1) call MPI_Win_post(from, 0, win LAST)
      if (mod(i, 3) == 1) call MPI_Win_start(to, 0, win LAST)
      call MPI_Put(sent, 8, MPI_BYTE, next, at, 2, MPI_INTEGER, win LAST)
      if (mod(i, 3) == 0) call MPI_Win_complete(win LAST)
      if (mod(i, 3) == 0) call MPI_Win_wait(win LAST)
    end do
    call MPI_Group_free(to LAST)
    call MPI_Group_free(from LAST)
    call MPI_Group_free(all LAST)
    call expect_rma(0, 'pscw', 'Put', next, 8, 6, 2)
  end subroutine

  ! Both neighbours are locked, and each has epochs of its own.
  subroutine locks(win)
    WIN_T, intent(in) :: win
    REQUEST_T :: r
    integer, asynchronous, save :: y
    integer(MPI_ADDRESS_KIND) :: at
    integer :: i
    at = 2
    do i = 1, 4
      call MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win LAST)
      call MPI_Win_lock(MPI_LOCK_SHARED, before, 0, win LAST)
      call MPI_Rget(y, 1, MPI_INTEGER, merge(next, before, i < 4), at, 1, MPI_INTEGER, win, r LAST)
      call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
      call must(__LINE__, y == 10)
      call MPI_Win_unlock(next, win LAST)
      call MPI_Win_unlock(before, win LAST)
    end do
    call expect_rma(0, 'lock', 'Rget', next, 4, 3, 3)
    call expect_rma(0, 'lock', 'Rget', before, 4, 1, 1)
  end subroutine

  subroutine all_locked(win)
    WIN_T, intent(in) :: win
    REQUEST_T :: r
    integer, asynchronous, save :: x, y, z
    integer(MPI_ADDRESS_KIND) :: at
    at = 4
    x = 5
    call MPI_Win_fence(0, win LAST)
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, win LAST)
    call MPI_Win_lock_all(0, win LAST)
    call MPI_Fetch_and_op(x, y, MPI_INTEGER, next, at, MPI_SUM, win LAST)
    call MPI_Win_flush(next, win LAST)
    call MPI_Compare_and_swap(x, x, y, MPI_INTEGER, next, at, win LAST)
    call MPI_Get_accumulate(x, 1, MPI_INTEGER, z, 1, MPI_INTEGER, next, at, 1, MPI_INTEGER, &
                            MPI_SUM, win LAST)
    call MPI_Win_flush(next, win LAST)
    call MPI_Rput(x, 1, MPI_INTEGER, next, at, 1, MPI_INTEGER, win, r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call MPI_Raccumulate(x, 1, MPI_INTEGER, next, at, 1, MPI_INTEGER, MPI_SUM, win, r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call MPI_Rget_accumulate(x, 1, MPI_INTEGER, z, 1, MPI_INTEGER, next, at, 1, MPI_INTEGER, &
                             MPI_SUM, win, r LAST)
    call MPI_Wait(r, MPI_STATUS_IGNORE LAST)
    call MPI_Win_unlock_all(win LAST)
    call must(__LINE__, z == 10)
    call expect_rma(0, 'lock_all', 'Fetch_and_op', next, 4, 1, 1)
    call expect_rma(0, 'lock_all', 'Compare_and_swap', next, 4, 1, 1)
    call expect_rma(0, 'lock_all', 'Get_accumulate', next, 4, 1, 1)
    call expect_rma(0, 'lock_all', 'Rput', next, 4, 1, 1)
    call expect_rma(0, 'lock_all', 'Raccumulate', next, 4, 1, 1)
    call expect_rma(0, 'lock_all', 'Rget_accumulate', next, 4, 1, 1)
  end subroutine

  ! On windows that were made in all ways.
  subroutine one_sided()
    WIN_T :: win
    integer(MPI_ADDRESS_KIND) :: bytes, at
    integer, save, target :: memory(8)
    integer :: i
    type(c_ptr) :: base
    bytes = 32
    at = 0
    memory = rank
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win LAST)
    call fences(win)
    call must(__LINE__, memory(3) == 10)
    call starts_and_posts(win)
    call locks(win)
    call all_locked(win)
    call MPI_Win_free(win LAST)
    do i = 1, 2
      if (i == 1) call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win LAST)
      if (i == 2) &
        call MPI_Win_allocate_shared(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win LAST)
      call MPI_Win_fence(0, win LAST)
      call MPI_Put(sent, 3, MPI_INTEGER, before, at, 3, MPI_INTEGER, win LAST)
      call MPI_Win_fence(0, win LAST)
      call MPI_Win_free(win LAST)
      call expect_rma(i, 'fence', 'Put', before, 12, 1, 1)
    end do
    call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win LAST)
    call MPI_Win_free(win LAST)
  end subroutine

  ! MPI-IO, of which the trace has names and numbers of calls.
  subroutine files()
    FILE_T :: file
    integer(MPI_OFFSET_KIND) :: at
    integer :: i
    at = 64*rank
    sent = rank
    call MPI_File_open(MPI_COMM_WORLD, trim(prefix)//'-io', &
                       MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                       MPI_INFO_NULL, file LAST)
    do i = 1, 3
      call MPI_File_write_at_all(file, at, sent, 16, MPI_INTEGER, MPI_STATUS_IGNORE LAST)
    end do
    got = -1
    call MPI_File_read_at(file, at, got, 16, MPI_INTEGER, MPI_STATUS_IGNORE LAST)
    call must(__LINE__, all(got(1:16) == rank) .and. got(17) == -1)
    call MPI_File_close(file LAST)
    write (9, '(a)') 'unmodelled MPI_File_write_at_all 3', 'unmodelled MPI_File_read_at 1'
  end subroutine

  subroutine every_kind()
    integer, save :: buffer(100000)
    integer :: n
#ifdef F08
    type(c_ptr) :: detached
#else
    integer(MPI_ADDRESS_KIND) :: detached
#endif
    call MPI_Buffer_attach(buffer, 400000 LAST)
    call blocking_sends()
    call nonblocking_sends()
    call cancelled_sends()
    call persistent_sends()
    call started_together()
    call handles_used_again()
    call combined_sends()
    call newer_sends()
    call empty_and_own()
    call types()
    call communicators()
    call intercommunicator()
    call refused()
    call collectives()
    call neighbourhoods()
    call persistent_collectives()
    call both_languages()
    call threads()
    call waits_and_tests()
    call one_sided()
    call files()
    call expect_coll('MPI_Barrier', .false., 0, -1, barriers)
    call MPI_Buffer_detach(detached, n LAST)
    call must(__LINE__, n == 400000)
  end subroutine

  ! Rank 0 waits for rank 1 in calls of several kinds.
  subroutine late()
    WIN_T :: win
    REQUEST_T :: r(1)
    COMM_T :: dup
    integer :: k, index, n, indices(1)
    integer(MPI_ADDRESS_KIND) :: bytes
    double precision :: begin
    bytes = 32
    call MPI_Win_create(sent, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win LAST)
    do k = 1, 8
      begin = MPI_Wtime()
      do while (rank > 0 .and. MPI_Wtime() - begin < 0.1d0)
      end do
      if (rank == 1 .and. k < 6) call MPI_Send(sent, 1, MPI_BYTE, 0, TAG, MPI_COMM_WORLD LAST)
      if (rank == 0 .and. k > 1 .and. k < 6) &
        call MPI_Irecv(got, 1, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, r(1) LAST)
      if (rank == 0 .and. k == 1) &
        call MPI_Recv(got, 1, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE LAST)
      if (rank == 0 .and. k == 2) call MPI_Wait(r(1), MPI_STATUS_IGNORE LAST)
      if (rank == 0 .and. k == 3) call MPI_Waitall(1, r, MPI_STATUSES_IGNORE LAST)
      if (rank == 0 .and. k == 4) call MPI_Waitany(1, r, index, MPI_STATUS_IGNORE LAST)
      if (rank == 0 .and. k == 5) call MPI_Waitsome(1, r, n, indices, MPI_STATUSES_IGNORE LAST)
      if (k == 6) call MPI_Barrier(MPI_COMM_WORLD LAST)
      if (k == 7) call MPI_Comm_dup(MPI_COMM_WORLD, dup LAST)
      if (k == 8) call MPI_Win_fence(0, win LAST)
    end do
    call MPI_Win_free(win LAST)
    call MPI_Comm_free(dup LAST)
  end subroutine

  subroutine phases()
    integer :: i
    call send_to(rank, 10, MPI_COMM_WORLD)
    do i = 1, 3
      call MPI_Pcontrol(2)
      call send_to(rank, 11, MPI_COMM_WORLD)
      call MPI_Barrier(MPI_COMM_WORLD LAST)
      call MPI_Pcontrol(1)
    end do
    call MPI_Pcontrol(0)
    call send_to(rank, 12, MPI_COMM_WORLD)
    call MPI_Pcontrol(1)
  end subroutine

  subroutine spawn()
    COMM_T :: other
    character(len=512) :: name
    character(len=8) :: arguments(3)
    call get_command_argument(0, name)
    call MPI_Comm_get_parent(other LAST)
    if (HANDLE(other) == HANDLE(MPI_COMM_NULL)) then
      arguments = ['child   ', 'spawn   ', '        ']
      call MPI_Comm_spawn(name, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, other, &
                          MPI_ERRCODES_IGNORE LAST)
      if (rank == 0) call MPI_Send(sent, 1, MPI_INTEGER, 1, TAG, other LAST)
    else if (rank == 1) then
      call MPI_Recv(got, 1, MPI_INTEGER, 0, TAG, other, MPI_STATUS_IGNORE LAST)
    end if
    call MPI_Barrier(other LAST)
    call MPI_Comm_disconnect(other LAST)
  end subroutine

  subroutine in_place_first()
    integer, save :: all(64)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, all, 3, MPI_INTEGER, MPI_COMM_WORLD LAST)
  end subroutine
end program
