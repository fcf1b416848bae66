#!/usr/bin/env bash
# Every function of MPI that is modelled, in every binding of both MPIs: the trace holds all that it
# did and nothing else, and the documentation's table says so.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
for tool in mpifort.openmpi mpifort.mpich; do
  command -v "$tool" > /dev/null || { echo "skipped: $tool is missing"; exit 77; }
done
# A program that uses mpi calls the functions that mpif.h has. In short runs each of an MPI's Fortran
# bindings is tried here or in fortran.sh.
for mpi in $mpis; do
  bindings="C MPIFH"
  [ "$mpi" = mpich ] || bindings="C F08"
  all_rounds && bindings="C MPIFH MODULE F08"
  for binding in $bindings; do
    name="$mpi, $binding"
    every "$mpi" "$binding"
    check "$name: every function, and nothing else" [ $? -eq 0 ] || cat wrong err
    acp column "$BERTH_SOURCE_DIR/docs/trace-coverage.md" "$name" > table
    check "$name: the documentation's table" same table found
  done
done
finish
