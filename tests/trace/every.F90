! SPDX-License-Identifier: BSD-3-Clause
! every.c in Fortran, in the binding that is chosen when it is compiled: -DMPIFH (mpif.h), -DMODULE
! (use mpi) or -DF08 (use mpi_f08, without ierror). -DLARGE: the MPI is of version 4; -DEXTENSIONS:
! it has functions of MPI 4 as MPIX_.
!
!   every FILE    a file for MPI-IO
#ifdef F08
#define HANDLE(t) type(t)
#define LAST
#define ONLY
#else
#define HANDLE(t) integer
#define LAST , ierr
#define ONLY ierr
#endif

program every
#ifdef F08
  use mpi_f08
#ifdef EXTENSIONS
  use mpi_f08_ext
#endif
#endif
#ifdef MODULE
  use mpi
#ifdef EXTENSIONS
  use mpi_ext
#endif
#endif
  use, intrinsic :: iso_c_binding, only: c_ptr
  implicit none
#ifdef MPIFH
  include 'mpif.h'
#endif
  integer, parameter :: ROOM = 16384, TAG = 5, RANKS = 4
  integer, asynchronous, save :: out(ROOM), in(ROOM), memory(64)
  integer :: rank, next, before, peer, parity, root, own, size, n, mine, leader, fd, i, k, ierr
  integer :: two(2) = 2, one(1) = 1
  integer :: ends(4) = [2, 4, 6, 8], edges(8) = [1, 3, 0, 2, 1, 3, 0, 2]
  integer :: own_list(1), next_list(1), before_list(1) ! on a ring of the ranks in reverse
  logical :: high, closed(2) = .false., remain(2) = [.true., .false.]
  integer(MPI_ADDRESS_KIND) :: places(4) = [0, 64, 128, 192], address, there
  HANDLE(MPI_Datatype) :: types(4)
  HANDLE(MPI_Comm) :: backwards, part, inter, row, grid, star, ring, made, parents
  HANDLE(MPI_Group) :: everyone, swapped, to, from, group, half, other
  HANDLE(MPI_Request) :: q, r, qs(1)
  HANDLE(MPI_Win) :: win, fenced, made_win
  HANDLE(MPI_File) :: file
  HANDLE(MPI_Info) :: infos(2)
#ifdef LARGE
  HANDLE(MPI_Session) :: session
#endif
  type(c_ptr) :: base
  character(len=512) :: path, paths(2), name
  character(len=MPI_MAX_PORT_NAME) :: port

  call get_command_argument(0, path)
  call get_command_argument(1, name)
  paths = path
  call MPI_Init(ONLY)
  infos = MPI_INFO_NULL
  types = MPI_INTEGER
  call MPI_Comm_rank(MPI_COMM_WORLD, rank LAST)
  call MPI_Comm_get_parent(parents LAST)
  if (parents == MPI_COMM_NULL) then
    call parent()
  else
    call child()
  end if
  call MPI_Finalize(ONLY)

contains

  subroutine numbers()
    next = mod(rank + 1, RANKS)
    before = mod(rank + RANKS - 1, RANKS)
    peer = mod(rank, 2)
    parity = peer
    own_list = 3 - rank
    next_list = mod(4 - rank, RANKS)
    before_list = mod(6 - rank, RANKS)
    root = 1
    if (rank == 0) root = MPI_PROC_NULL
    if (rank == 1) root = MPI_ROOT
  end subroutine

  subroutine communicators()
    integer :: heard(4), told(4), across
    across = mod(rank + 2, RANKS)
    heard = [before, across, before, rank]
    told = [next, across, next, rank]
    call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, backwards LAST)
    call MPI_Comm_split(MPI_COMM_WORLD, rank/2, rank, part LAST)
    call MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, merge(2, 0, rank < 2), 7, inter LAST)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [RANKS], closed, .false., row LAST)
    call MPI_Cart_create(backwards, 2, two, closed, .false., grid LAST)
    call MPI_Graph_create(backwards, RANKS, [3, 4, 5, 6], [1, 2, 3, 0, 0, 0], .false., star LAST)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 4, heard, MPI_UNWEIGHTED, 4, told, &
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring LAST)
    call MPI_Comm_group(MPI_COMM_WORLD, everyone LAST)
    call MPI_Group_incl(everyone, 4, [2, 3, 0, 1], swapped LAST)
    call MPI_Group_incl(everyone, 1, [next], to LAST)
    call MPI_Group_incl(everyone, 1, [before], from LAST)
  end subroutine

  subroutine connect_two()
    integer :: at
    if (rank == 0) call pair_listen(at)
    call MPI_Bcast(at, 1, MPI_INTEGER, 0, MPI_COMM_WORLD LAST)
    if (rank == 1) call pair_connect(at, fd)
    if (rank == 0) call pair_accept(fd)
  end subroutine

  ! Those whom the cases spawn: the first of the parents sends to the first of them.
  subroutine child()
    if (rank == 0) call MPI_Recv(in, 5, MPI_INTEGER, 0, TAG, parents, MPI_STATUS_IGNORE LAST)
    call MPI_Barrier(parents LAST)
    call MPI_Comm_disconnect(parents LAST)
  end subroutine

  subroutine parent()
    integer, save :: buffer(16384)
    integer(MPI_ADDRESS_KIND) :: bytes
    bytes = 256
    call numbers()
    call communicators()
    call connect_two()
    call MPI_Buffer_attach(buffer, 65536 LAST)
    call MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win LAST)
    call MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, fenced LAST)
    call MPI_File_open(MPI_COMM_WORLD, name, &
                       MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                       MPI_INFO_NULL, file LAST)
    call MPI_File_set_size(file, int(65536, MPI_OFFSET_KIND) LAST) ! see every.c
    call case_all()
    call MPI_File_close(file LAST)
    call MPI_Win_free(win LAST)
    call MPI_Win_free(fenced LAST)
  end subroutine

#include "every_cases.h"
end program
