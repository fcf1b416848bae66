#!/usr/bin/env bash
# Programs without MPI_Init, by MPICH's sessions, are traced from their first communicator on.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
compile mpich "$here/session.c" session.c.exe
mpifort.mpich -w -o session.f08.exe "$here/session.f90" || exit 1
# use mpi: handles are integers, and there is an ierror
sed 's/use mpi_f08/use mpi/; s/type(MPI_[A-Za-z]*) ::/integer ::/
     s/^  integer :: r, n, x/  integer :: r, n, x, ierr/; s/^\(  call .*\|  *c, .*\))$/\1, ierr)/' \
  "$here/session.f90" > session_mpi.f90
mpifort.mpich -w -fallow-argument-mismatch -o session.mpi.exe session_mpi.f90 || exit 1
for program in c f08 mpi; do
  traced mpich 3 session.acp "./session.$program.exe" > out
  check "$program: the exit code" [ $? -eq 0 ]
  check "$program: the program's results" [ "$(awk '{ print $1 "<" $NF }' out | sort | tr '\n' ' ')" = "0<2 1<0 2<1 " ]
  check "$program: every cell" [ "$(acp lines session.acp)" = \
    $'coll MPI_Barrier 0,1,2 0 - 1\np2p 0 1 4 1\np2p 1 2 4 1\np2p 2 0 4 1' ]
done
check "nothing is left in the spool" [ -z "$(find "$TMPDIR" -name 'berth-spool-*')" ]
finish
