#!/usr/bin/env bash
# Every kind of send and collective, under both MPIs: the trace holds exactly what the program says
# it did, with and without call sites, and is the same every time.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"

# strip FILE: without what differs from run to run.
strip() { grep -vE '^\{"(format"|kind":"rank")' "$1"; }

for mpi in $mpis; do
  compile_truth "$mpi" "truth.$mpi"
  for depth in 4 $([ "$mpi" = openmpi ] && echo 0); do
    rm -f expected.*
    traced "$mpi" 4 "$depth.acp" --no-times --sites $depth "./truth.$mpi" expected
    check "$mpi, depth $depth: the exit code" [ $? -eq 0 ]
    cat expected.* | acp sum > want
    acp lines "$depth.acp" > got
    check "$mpi, depth $depth: every cell" same want got
    check "$mpi, depth $depth: enough to see" [ "$(wc -l < want)" -gt 100 ]
  done
  check "$mpi: intercommunicators of other groups, and where the second one begins" \
    [ "$(sed -n 's/.*"kind":"comm".*"ranks":\[0,1,2,3\],"border":\([0-9]*\).*/\1/p' 4.acp | sort | paste -sd' ')" = "2 3" ]
  traced "$mpi" 4 again.acp --no-times "./truth.$mpi" expected
  strip 4.acp > first; strip again.acp > second
  check "$mpi: the same bytes twice" same first second

  rm -f expected.*
  traced "$mpi" 4 sizes.acp "./truth.$mpi" expected sizes
  cat expected.* | acp sum > want
  check "$mpi: many sizes are binned" [ "$(acp bins sizes.acp want)" = "196 bins agree" ]
  check "$mpi: bins keep entries few" [ "$(acp lines sizes.acp | wc -l)" -lt 900 ]
  traced "$mpi" 5 five.acp --sites 16 "./truth.$mpi" expected
  cat expected.* | acp sum > want
  acp lines five.acp > got
  check "$mpi, 5 ranks, depth 16: every cell" same want got
done
# MPICH holds a lock inside its calls, so only Open MPI's may be left like that
rm -f expected.*
traced openmpi 4 jump.acp ./truth.openmpi expected jump
cat expected.* | acp sum > want
acp lines jump.acp | grep p2p > got
check "a call that was left by a jump" same want got
check "nothing is left in the spool" [ -z "$(find "$TMPDIR" -name 'berth-spool-*')" ]
finish
