#!/usr/bin/env bash
# Blocks of collective calls whose data aren't contiguous: the trace has the layouts of all that a
# program gives and takes, and of nothing else. `recover` makes the same of the tables.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
command -v mpifort.mpich > /dev/null || { echo "skipped: mpifort.mpich is missing"; exit 77; }

# expect: the lines that the ranks wrote, each with its number.
expect() { cat expected.* | LC_ALL=C sort | uniq -c | awk '{n = $1; $1 = ""; print substr($0, 2), n}'; }
layouts() { acp packed "$1" | LC_ALL=C sort; }
launcher() { [ "$1" = openmpi ] && echo mpirun.openmpi || echo mpiexec.mpich; }

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
  for options in "--phases auto --sites 1" "--phases pcontrol --order --sites 4"; do
    rm -f expected.*
    traced "$mpi" 3 blocks.acp $options "./blocks.$mpi" expected > out
    check "$mpi, $options: the exit code" [ $? -eq 0 ]
    expect > want; layouts blocks.acp > got
    check "$mpi, $options: layouts" same want got
    check "$mpi, $options: enough to see" [ "$(wc -l < want)" -gt 1000 ]
    check "$mpi: calls that must fail do: $(cat out)" [ ! -s out ]
    check "$mpi: none is lost" [ "$(grep -c layouts err)" -eq 0 ]
  done

  # the job's own trace, and one of its tables: with call sites, both are resolved
  for sites in 0 2; do
    rm -rf spool tables.acp
    traced "$mpi" 3 own.acp --no-times --sites $sites "./blocks.$mpi" expected
    BERTH_TRACE_SITES=$sites BERTH_TRACE_TIMES=0 BERTH_TRACE_SPOOL=$work/spool \
      BERTH_TRACE_FILE=/proc/none/x LD_PRELOAD=$idle:$lib/$mpi/libberth-trace.so \
      "$(launcher "$mpi")" -n 3 "./blocks.$mpi" expected > out 2> err
    "$berth" recover -o tables.acp spool 2> err
    check "$mpi, $sites frames: recovered, the same bytes" same own.acp tables.acp
    check "$mpi, $sites frames: with layouts" [ "$(grep -c '"kind":"packed"' own.acp)" -gt 5 ]
  done
  rm -f expected.*
  traced "$mpi" 3 aborted.acp --sites 1 "./blocks.$mpi" expected abort > out
  check "$mpi: a job that ends without MPI_Finalize" [ $? -ne 0 ]
  expect > want; layouts aborted.acp > got
  check "$mpi: it has all layouts" same want got

  traced "$mpi" 2 deep.acp "./blocks.$mpi" expected deep
  check "$mpi: a datatype that is too deep is reported" says \
    "not included (no memory left, see BERTH_TRACE_MEMORY): layouts of messages that aren't contiguous, at one end: 12"
  check "$mpi: and has none" [ -z "$(layouts deep.acp)" ]
  traced "$mpi" 1 many.acp --memory 262144 "./blocks.$mpi" expected many 400
  kept=$(layouts many.acp | wc -l)
  check "$mpi: a sixteenth of the memory: $kept" [ "$kept" -eq 255 ]
  check "$mpi: the rest is reported" says "aren't contiguous, at one end: $((400 - kept))"

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
