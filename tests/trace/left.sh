#!/usr/bin/env bash
# Calls of MPI that are left by a jump or an exception: what comes after them is counted.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows

for mpi in $mpis; do
  for kind in "mpicc -std=gnu11 -O1" "mpicc -std=gnu11 -O2 -D_FORTIFY_SOURCE=2" \
    "mpicxx -x c++ -O1 -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX" \
    "mpicxx -x c++ -O1 -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -static-libstdc++ -static-libgcc"; do
    # shellcheck disable=SC2086
    ${kind%% *}."$mpi" ${kind#* } -w -g -o left "$here/left.c" || exit 1
    traced "$mpi" 1 left.acp ./left > said
    check "$mpi, $kind: it ends well" [ $? -eq 0 ]
    acp sum < said > want
    acp lines left.acp | grep -v '^coll' | acp sum > got
    check "$mpi, $kind: all messages" same want got
    check "$mpi, $kind: many" [ "$(wc -l < want)" -ge 10 ]
  done
done
finish
