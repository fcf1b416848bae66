#!/usr/bin/env bash
# What a trace says of the nature of collective calls: bytes of an element, MPI_IN_PLACE, and the
# reduction's operation.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
command -v mpifort.mpich > /dev/null || { echo "skipped: mpifort.mpich is missing"; exit 77; }

# The operation, bytes, calls and nature of each line.
cat > c.natures <<'LINES'
MPI_Allgatherv 3 1 element=2
MPI_Allreduce 120 10 element=4
MPI_Allreduce 124 1 element=4
MPI_Allreduce 124 1 element=4 built_in=False
MPI_Allreduce 124 1 element=4 commutative=False built_in=False
MPI_Allreduce 128 1 element=4 in_place=True commutative=False built_in=False
MPI_Allreduce 144 1 element=4 commutative=False built_in=False
MPI_Allreduce 48 2 element=12
MPI_Allreduce 80 1 element=4 in_place=True
MPI_Allreduce 84 2 element=4
MPI_Allreduce_init 92 2 element=4 in_place=True
MPI_Alltoall 16 1 element=4 in_place=True
MPI_Alltoallv 16 1 element=4 in_place=True
MPI_Alltoallw 48 1 element=4
MPI_Bcast 0 1
MPI_Bcast 120 1 element=24
MPI_Bcast 16 2 element=4
MPI_Bcast 3 1 element=1
MPI_Bcast 48 1 element=8
MPI_Exscan 140 1 element=4 built_in=False
MPI_Iallreduce 88 1 element=4 in_place=True
MPI_Reduce 132 1 element=4 commutative=False built_in=False
MPI_Reduce_scatter 80 1 element=4 built_in=False
MPI_Reduce_scatter_block 48 1 element=4 commutative=False built_in=False
MPI_Scan 136 1 element=4 commutative=False built_in=False
LINES
cat > fortran.natures <<'LINES'
MPI_Allreduce 80 1 element=4 in_place=True
MPI_Allreduce 84 1 element=4
MPI_Allreduce 88 1 element=4 commutative=False built_in=False
MPI_Alltoall 16 1 element=4 in_place=True
MPI_Bcast 24 1 element=8
MPI_Reduce 92 1 element=4 built_in=False
LINES
natures() { acp natures "$1" | sed 's/^MPIX_/MPI_/' | LC_ALL=C sort > got; same "$2" got; }

for mpi in $mpis; do
  compile "$mpi" "$here/nature.c" "nature.$mpi"
  traced "$mpi" 4 trace.acp --sites 0 "./nature.$mpi"
  check "$mpi, C" natures trace.acp c.natures
  traced "$mpi" 4 phases.acp --sites 1 --phases auto "./nature.$mpi"
  check "$mpi, C, by call sites: natures are told apart" \
    [ "$(acp natures phases.acp | grep -c 'MPI_Bcast 16 1 element=[48]$')" = 2 ]
  "$berth" export -f sqlite trace.acp -o trace.sqlite && "$berth" import -f sqlite trace.sqlite -o back.acp
  check "$mpi, there and back by SQLite" natures back.acp c.natures
  for binding in MPIFH F08; do
    "mpifort.$mpi" -w -fallow-argument-mismatch "-D$binding" -o "nature.$binding" "$here/nature.F90" || exit 1
    traced "$mpi" 4 trace.acp --sites 0 "./nature.$binding"
    check "$mpi, $binding" natures trace.acp fortran.natures
  done
done
finish
