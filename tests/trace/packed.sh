#!/usr/bin/env bash
# Messages whose data aren't contiguous: the trace has the layouts of all that a program sends and
# receives, and of nothing else. `recover` makes the same of the tables.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
command -v mpifort.mpich > /dev/null || { echo "skipped: mpifort.mpich is missing"; exit 77; }

# expect: the lines that the ranks wrote, each with its number.
expect() { cat expected.* | LC_ALL=C sort | uniq -c | awk '{n = $1; $1 = ""; print substr($0, 2), n}'; }
layouts() { acp packed "$1" | LC_ALL=C sort; }
launcher() { [ "$1" = openmpi ] && echo mpirun.openmpi || echo mpiexec.mpich; }

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
  for options in "--phases auto --sites 1" "--phases pcontrol --order --sites 4"; do
    rm -f expected.*
    traced "$mpi" 3 packed.acp $options "./packed.$mpi" expected > out
    check "$mpi, $options: the exit code" [ $? -eq 0 ]
    expect > want; layouts packed.acp > got
    check "$mpi, $options: layouts" same want got
    check "$mpi, $options: enough to see" [ "$(wc -l < want)" -gt 150 ]
    check "$mpi: calls that must fail do: $(cat out)" [ ! -s out ]
    check "$mpi: none is lost" [ "$(grep -c layouts err)" -eq 0 ]
  done
  "$berth" export -f sqlite packed.acp -o packed.sqlite && "$berth" import packed.sqlite -o back.acp 2> err
  check "$mpi, there and back by SQLite" same packed.acp back.acp

  # the job's own trace, and one of its tables: with call sites, both are resolved
  for sites in 0 2; do
    rm -rf spool tables.acp
    traced "$mpi" 3 own.acp --no-times --sites $sites "./packed.$mpi" expected
    BERTH_TRACE_SITES=$sites BERTH_TRACE_TIMES=0 BERTH_TRACE_SPOOL=$work/spool \
      BERTH_TRACE_FILE=/proc/none/x LD_PRELOAD=$idle:$lib/$mpi/libberth-trace.so \
      "$(launcher "$mpi")" -n 3 "./packed.$mpi" expected > out 2> err
    "$berth" recover -o tables.acp spool 2> err
    check "$mpi, $sites frames: recovered, the same bytes" same own.acp tables.acp
    check "$mpi, $sites frames: with layouts" [ "$(grep -c '"kind":"packed"' own.acp)" -gt 5 ]
  done

  traced "$mpi" 2 deep.acp "./packed.$mpi" expected deep
  check "$mpi: a datatype that is too deep is reported" says \
    "not included (no memory left, see BERTH_TRACE_MEMORY): layouts of messages that aren't contiguous, at one end: 4"
  check "$mpi: and has none" [ -z "$(layouts deep.acp)" ]
  traced "$mpi" 1 many.acp --memory 262144 "./packed.$mpi" expected many 400
  kept=$(layouts many.acp | wc -l)
  check "$mpi: a sixteenth of the memory: $kept" [ "$kept" -eq 255 ]
  check "$mpi: the rest is reported" says "aren't contiguous, at one end: $((400 - kept))"
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
