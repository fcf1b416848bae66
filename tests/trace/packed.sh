#!/usr/bin/env bash
# Messages whose data aren't contiguous: the trace has the layouts of all that a program sends and
# receives, and of nothing else. `recover` makes the same of the tables.
. "$BERTH_SOURCE_DIR/tests/trace/layouts.sh"

# RANK SIDE FUNCTION SIZE PIECES SPAN COUNT of packed.F90.
cat > fortran.want <<'LINES'
0 receives MPI_Irecv 24 3 40 1
0 receives MPI_Mrecv 24 3 40 1
0 receives MPI_Recv 24 3 40 1
0 receives MPI_Recv_init 24 4 44 3
0 receives MPI_Sendrecv 24 3 40 1
0 receives MPI_Sendrecv_replace 24 3 40 1
0 sends MPI_Isend 24 3 40 1
0 sends MPI_Send 24 3 40 1
0 sends MPI_Send_init 24 3 40 3
0 sends MPI_Sendrecv 24 4 44 1
0 sends MPI_Sendrecv_replace 24 3 40 1
0 sends MPI_Ssend 24 4 44 1
LINES

for mpi in $mpis; do
  compile "$mpi" "$here/packed.c" "packed.$mpi"
  complete "$mpi" "./packed.$mpi" 150
  "$berth" export -f sqlite all.acp -o packed.sqlite && "$berth" import packed.sqlite -o back.acp 2> err
  check "$mpi, there and back by SQLite" same all.acp back.acp
  recovered "$mpi" "./packed.$mpi"

  lost "$mpi" "./packed.$mpi" 4
  traced "$mpi" 1 many.acp "./packed.$mpi" expected many 1200
  kept=$(layouts many.acp | wc -l)
  check "$mpi: the table of layouts is full: $kept" [ "$kept" -eq 1024 ]
  check "$mpi: which is reported" says "aren't contiguous, at one end: $((1200 - kept))"

  for binding in MPIFH F08; do
    "mpifort.$mpi" -w -fallow-argument-mismatch "-D$binding" -o "packed.$binding" "$here/packed.F90" || exit 1
    traced "$mpi" 1 fortran.acp --sites 1 "./packed.$binding"
    layouts fortran.acp > got
    check "$mpi, $binding" same fortran.want got
  done
done
finish
