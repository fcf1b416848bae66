#!/usr/bin/env bash
# Every kind of send and collective in Fortran, in each binding under both MPIs: the trace holds
# exactly what the program says it did, and the program's results are the same.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
for tool in mpifort.openmpi mpifort.mpich; do
  command -v "$tool" > /dev/null || { echo "skipped: $tool is missing"; exit 77; }
done

# what a call site looks like
site='^MPI_[A-Za-z_]+ ([a-z_]+ truth.F90|c_[a-z]+_ mixed.c):[0-9]+ < '
# functions FILE…: the names of MPI's functions that libraries have, in one case each.
functions() {
  nm -D --defined-only "$@" | sed 's/.* //; s/@.*//' | grep -E '^(MPIX?_[A-Z]|mpix?_.*[^_]_$)' | sort -u
}
# fortran_of: the names in Fortran of C's, which come in.
fortran_of() { sed -nE 's/^(MPIX?_[A-Z][a-z].*)/^\L\1(_cptr)?(_f08(ts)?(_large)?)?_$/p'; }
# mpi_s FILE: how long rank 0 was in MPI.
mpi_s() { sed -n 's/.*"kind":"rank","rank":0.*"mpi_s":\([0-9.]*\).*/\1/p' "$1"; }
between() { awk -v x="$1" -v from="$2" -v to="$3" 'BEGIN { exit !(x >= from && x <= to) }'; }

# bindings_of MPI: in short runs the one that every.sh leaves out.
bindings_of() {
  if all_rounds; then echo MPIFH MODULE F08; elif [ "$1" = openmpi ]; then echo MPIFH; else echo F08; fi
}
for mpi in $mpis; do
  for binding in $(bindings_of "$mpi"); do
    name="$mpi, $binding"
    program=./truth.$mpi.$binding
    compile_fortran "$mpi" "$binding" "$program"

    rm -f expected.*
    traced "$mpi" 4 every.acp "$program" expected
    check "$name: the program's results" [ $? -eq 0 ]
    cat expected.* | acp sum > want
    acp lines every.acp > got
    check "$name: every cell" same want got
    check "$name: enough to see" [ "$(wc -l < want)" -gt 150 ]
    acp sites every.acp > sites
    check "$name: sites begin in the program" [ -z "$(grep -vE "$site" sites)" ]
    rm -f expected.*
    traced "$mpi" 5 five.acp --sites 2 "$program" expected
    cat expected.* | acp sum > want
    acp lines five.acp > got
    check "$name, 5 ranks: every cell" same want got
    acp sites five.acp > sites
    check "$name: as many frames as asked for" grep -qE \
      '^MPI_Ssend blocking_sends truth.F90:[0-9]+ < every_kind truth.F90:[0-9]+$' sites

    traced "$mpi" 2 late.acp "$program" expected late
    check "$name: time in calls that wait: $(mpi_s late.acp) s" between "$(mpi_s late.acp)" 0.75 3

    acp spent five.acp > spent
    check "$name: times of calls add up" [ $? -eq 0 ]
    check "$name: long calls have sites" grep -q " MPI_Barrier .* truth.F90:" spent

    traced "$mpi" 2 phases.acp "$program" expected phases
    check "$name: what wasn't recorded" \
      says "after MPI_Pcontrol(0)): messages: 2, collective calls (of all ranks): 0"
    acp phases phases.acp > got
    check "$name: phases" same - got << 'PHASES'
0 p2p 0 0 10 1
0 p2p 1 1 10 1
0 rest x 1
2 MPI_Pcontrol(2) x 3
2 coll MPI_Barrier 0 1
2 p2p 0 0 11 1
2 p2p 1 1 11 1
PHASES

    traced "$mpi" 2 first.acp "$program" expected first
    check "$name: MPI_IN_PLACE in the first call, after C's MPI_Init" \
      [ "$(acp lines first.acp)" = "coll MPI_Allgather 0,1 12 - 1" ]

    traced "$mpi" 2 abort.acp "$program" expected abort
    check "$name: MPI_Abort" says "recovered from the tables of 2 of 2 ranks, after MPI_Abort"
    acp pairs abort.acp > got
    check "$name: what was sent before" same - got <<< $'0 0 1 7\n1 1 1 7'
  done

  # shellcheck disable=SC2046
  functions $(mpi_libraries "$mpi" F08) > theirs
  functions "$lib/$mpi/libberth-trace.so" > ours
  check "$mpi: wrappers are of functions that there are" [ -z "$(comm -23 ours theirs)" ]
  fortran_of < ours > names
  grep -Ef names theirs > wanted
  check "$mpi: what is wrapped in C is in Fortran" [ -z "$(comm -13 ours wanted)" ]
  check "$mpi: enough names" [ "$(wc -l < wanted)" -gt 250 ]
done

for binding in $(bindings_of openmpi); do
  OMPI_MCA_btl=self,vader,tcp traced openmpi 2 spawn.acp "./truth.openmpi.$binding" expected spawn
  check "$binding: spawned processes" \
    says "berth: spawned processes, which have a trace of their own: 2"
  check "$binding: messages to them" \
    says "outside MPI_COMM_WORLD): messages: 1, collective calls (of all ranks): 2"
done

# what compilers make of names: nothing at all, one more underscore in those that have one, capitals
cat > names.f90 << 'FORTRAN'
program names
  include 'mpif.h'
  integer e, r, q
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, e)
  call MPI_Send_init(r, 2, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, q, e)
  call MPI_Request_free(q, e)
  call MPI_Allreduce(r, q, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
  call MPI_Reduce_scatter_block(r, q, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
  call MPI_Finalize(e)
end program
FORTRAN
for mpi in $mpis; do
  for option in -funderscoring -fno-underscoring -fsecond-underscore; do
    "mpifort.$mpi" -w -fallow-argument-mismatch $option -o names names.f90 2> err ||
      { cat err; exit 1; }
    traced "$mpi" 1 names.acp ./names
    check "$mpi, $option" [ "$(acp lines names.acp | tr '\n' ';')" = \
      "coll MPI_Allreduce 0 4 - 1;coll MPI_Reduce_scatter_block 0 4 - 1;" ]
  done
done

# a C program's library may have functions of such names, too
cat > own.c << 'C'
int mpi_send(int x) { return x + 1; }
C
cat > user.c << 'C'
#include <mpi.h>
#include <stdio.h>
int mpi_send(int x);
int main(void)
{
  MPI_Init(0, 0);
  printf("%d\n", mpi_send(41));
  MPI_Finalize();
  return 0;
}
C
gcc -shared -fPIC -o libown.so own.c
for mpi in $mpis; do
  "mpicc.$mpi" -o user user.c -L. -lown -Wl,-rpath,"$work"
  check "$mpi: an application's own mpi_send" [ "$(traced "$mpi" 1 user.acp ./user)" = 42 ]
done

# a library that is loaded with its MPI out of sight, as Python loads its extensions
cat > plugin.F90 << 'FORTRAN'
subroutine plugin()
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  integer, save :: x(64)
  integer e, r
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, e)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, x, 3, MPI_INTEGER, MPI_COMM_WORLD, e)
  call MPI_Bcast(x, 3, MPI_INTEGER, 1, MPI_COMM_WORLD, e)
  call MPI_Finalize(e)
end subroutine
FORTRAN
cat > loader.c << 'C'
#include <dlfcn.h>
int main(void)
{
  void *library = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
  void (*plugin)(void) = (void (*)(void))dlsym(library, "plugin_");
  plugin();
  return 0;
}
C
gcc -w -o loader loader.c
for mpi in $mpis; do
  for binding in MODULE F08; do
    "mpifort.$mpi" -w -shared -fPIC "-D$binding" -o plugin.so plugin.F90 || exit 1
    traced "$mpi" 2 plugin.acp ./loader
    check "$mpi, $binding: a library out of sight" [ "$(acp lines plugin.acp | tr '\n' ';')" = \
      "coll MPI_Allgather 0,1 12 - 1;coll MPI_Bcast 0,1 12 1 1;" ]
  done
done
check "nothing is left in the spool" [ -z "$(find "$TMPDIR" -name 'berth-spool-*')" ]
finish
