#!/usr/bin/env bash
# Blocks of collective calls whose data aren't contiguous: the trace has the layouts of all that a
# program gives and takes, and of nothing else. `recover` makes the same of the tables.
. "$BERTH_SOURCE_DIR/tests/trace/layouts.sh"

# RANK SIDE FUNCTION SIZE PIECES SPAN COUNT of blocks.F90.
cat > fortran.want <<'LINES'
0 receives MPI_Allgatherv 24 2 28 2
0 receives MPI_Alltoall 24 2 28 2
0 receives MPI_Alltoallw 24 2 28 1
0 receives MPI_Alltoallw 24 3 40 1
0 receives MPI_Bcast 24 3 40 1
0 receives MPI_Gather 24 3 40 1
0 receives MPI_Ialltoall 24 2 28 2
0 receives MPI_Neighbor_alltoallv 24 2 28 1
0 sends MPI_Allgatherv 24 3 40 1
0 sends MPI_Alltoall 24 2 28 2
0 sends MPI_Alltoall 24 3 40 2
0 sends MPI_Alltoallw 24 2 28 1
0 sends MPI_Alltoallw 24 3 40 1
0 sends MPI_Gather 24 3 40 1
0 sends MPI_Neighbor_alltoallv 24 3 40 1
0 sends MPI_Scatterv 24 3 40 1
1 receives MPI_Allgatherv 24 2 28 2
1 receives MPI_Alltoall 24 2 28 2
1 receives MPI_Alltoallw 24 2 28 1
1 receives MPI_Alltoallw 24 3 40 1
1 receives MPI_Gather 24 2 28 2
1 receives MPI_Ialltoall 24 2 28 2
1 receives MPI_Neighbor_alltoallv 24 2 28 1
1 receives MPI_Scatterv 24 2 28 1
1 sends MPI_Allgatherv 24 3 40 1
1 sends MPI_Alltoall 24 2 28 2
1 sends MPI_Alltoall 24 3 40 2
1 sends MPI_Alltoallw 24 2 28 1
1 sends MPI_Alltoallw 24 3 40 1
1 sends MPI_Bcast 24 3 40 1
1 sends MPI_Gather 24 3 40 2
1 sends MPI_Neighbor_alltoallv 24 3 40 1
LINES
for rank in 0 1; do
  echo "$rank receives MPI_Alltoall_init 24 2 28 6"
  echo "$rank sends MPI_Alltoall_init 24 3 40 6"
done > started.want

for mpi in $mpis; do
  compile "$mpi" "$here/blocks.c" "blocks.$mpi"
  complete "$mpi" "./blocks.$mpi" 1000
  recovered "$mpi" "./blocks.$mpi"
  rm -f expected.*
  traced "$mpi" 3 aborted.acp --sites 1 "./blocks.$mpi" expected abort > out
  check "$mpi: a job that ends without MPI_Finalize" [ $? -ne 0 ]
  expect > want; layouts aborted.acp > got
  check "$mpi: it has all layouts" same want got

  lost "$mpi" "./blocks.$mpi" 12

  for binding in MPIFH F08; do
    cp fortran.want want
    [ $mpi = mpich ] && cat started.want >> want
    LC_ALL=C sort -o want want
    "mpifort.$mpi" -w -fallow-argument-mismatch "-D$binding" \
      "$([ $mpi = mpich ] && echo -DPERSISTENT || echo -DONCE)" -o "blocks.$binding" \
      "$here/blocks.F90" || exit 1
    traced "$mpi" 2 fortran.acp --sites 1 "./blocks.$binding"
    check "$mpi, $binding: the exit code" [ $? -eq 0 ]
    layouts fortran.acp > got
    check "$mpi, $binding" same want got
  done
done
finish
