# shellcheck shell=bash
# Sourced by the tests of data that aren't contiguous. Their programs write the layouts that the trace
# must have into the files expected.RANK.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
command -v mpifort.mpich > /dev/null || { echo "skipped: mpifort.mpich is missing"; exit 77; }

# expect: the lines that the ranks wrote, each with its number.
expect() { cat expected.* | LC_ALL=C sort | uniq -c | awk '{n = $1; $1 = ""; print substr($0, 2), n}'; }
layouts() { acp packed "$1" | LC_ALL=C sort; }

# complete MPI PROGRAM LINES: the trace, all.acp, has the layouts of all that three ranks of the program
# have, which are more lines than that, and of nothing else.
complete() {
  local mpi=$1 program=$2 lines=$3 options
  for options in "--phases auto --sites 1" "--phases pcontrol --order --sites 4"; do
    rm -f expected.*
    traced "$mpi" 3 all.acp $options "$program" expected > out
    check "$mpi, $options: the exit code" [ $? -eq 0 ]
    expect > want; layouts all.acp > got
    check "$mpi, $options: layouts" same want got
    check "$mpi, $options: enough to see" [ "$(wc -l < want)" -gt "$lines" ]
    check "$mpi: calls that must fail do: $(cat out)" [ ! -s out ]
    check "$mpi: none is lost" [ "$(grep -c layouts err)" -eq 0 ]
  done
}

# recovered MPI PROGRAM: the job's own trace, and one of its tables: with call sites, both are resolved.
recovered() {
  local mpi=$1 program=$2 launcher=mpirun.openmpi sites
  [ "$mpi" = mpich ] && launcher=mpiexec.mpich
  for sites in 0 2; do
    rm -rf spool tables.acp
    traced "$mpi" 3 own.acp --no-times --sites $sites "$program" expected
    BERTH_TRACE_SITES=$sites BERTH_TRACE_TIMES=0 BERTH_TRACE_SPOOL=$work/spool \
      BERTH_TRACE_FILE=/proc/none/x LD_PRELOAD=$idle:$lib/$mpi/libberth-trace.so \
      "$launcher" -n 3 "$program" expected > out 2> err
    "$berth" recover -o tables.acp spool 2> err
    check "$mpi, $sites frames: recovered, the same bytes" same own.acp tables.acp
    check "$mpi, $sites frames: with layouts" [ "$(grep -c '"kind":"packed"' own.acp)" -gt 5 ]
  done
}

# lost MPI PROGRAM TOO_DEEP: how many layouts of a datatype that is too deep are lost; and that others
# take a sixteenth of the memory.
lost() {
  local mpi=$1 program=$2 too_deep=$3 kept
  traced "$mpi" 2 deep.acp "$program" expected deep
  check "$mpi: a datatype that is too deep is reported" says \
    "not included (no memory left, see BERTH_TRACE_MEMORY): layouts of messages that aren't contiguous, at one end: $too_deep"
  check "$mpi: and has none" [ -z "$(layouts deep.acp)" ]
  traced "$mpi" 1 many.acp --memory 262144 "$program" expected many 400
  kept=$(layouts many.acp | wc -l)
  check "$mpi: a sixteenth of the memory: $kept" [ "$kept" -eq 255 ]
  check "$mpi: the rest is reported" says "aren't contiguous, at one end: $((400 - kept))"
}
