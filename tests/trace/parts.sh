#!/usr/bin/env bash
# Collective calls of which each rank has a part of its own: the trace has what each gave and what
# it sent to each, whatever phases there are; where rows find no room, or aren't divided, parts stay
# exact.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"

# expect: what the ranks wrote.
expect() { cat expected.* | acp sum > want; }
for mpi in $mpis; do
  compile "$mpi" "$here/parts.c" "parts.$mpi"
  for options in "--phases auto" "--phases off --sites 0"; do
    rm -f expected.*
    traced "$mpi" 5 parts.acp $options "./parts.$mpi" expected steps
    check "$mpi, $options: the exit code" [ $? -eq 0 ]
    expect; acp parts parts.acp > got
    check "$mpi, $options: what each rank gave" same want got
    check "$mpi, $options: enough to see" [ "$(grep -c ^row want)" -gt 50 ]
    [ "$options" = "--phases auto" ] && check "$mpi: rows are of phases" \
      [ "$(grep '"kind":"row"' parts.acp | grep -c '"phase":[1-9]')" -ge 5 ]
  done

  rm -f expected.*
  traced "$mpi" 3 halves.acp "./parts.$mpi" expected halves
  expect; acp parts halves.acp > got
  grep ^part want > parts.want; grep ^part got > parts.got
  check "$mpi: parts of phases that one rank knows" same parts.want parts.got
  check "$mpi: rows that can't be divided are reported" says \
    "not included (can't be divided among automatic phases, see BERTH_TRACE_PHASES): rows of per-destination amounts in collective calls: 4"
  check "$mpi: nothing is reported as without room" [ "$(grep -c "known in full" err)" -eq 0 ]

  rm -f expected.*
  traced "$mpi" 4 few.acp "./parts.$mpi" expected phases 20
  expect; acp parts few.acp > got
  check "$mpi: in phases of the program" same want got
  check "$mpi: each has its rows" [ "$(grep -c '"kind":"row".*_Alltoallv"' few.acp)" -ge 80 ]

  rm -f expected.*
  traced "$mpi" 4 many.acp --memory 1048576 "./parts.$mpi" expected phases 700
  expect; acp parts many.acp > got
  grep ^part want > parts.want; grep ^part got > parts.got
  check "$mpi: parts without room for rows" same parts.want parts.got
  check "$mpi: lost rows are reported" says "rows of per-destination amounts in collective calls: "
  check "$mpi: some rows are there, others not" \
    [ "$(grep -c '"kind":"row"' many.acp)" -gt 1000 -a "$(grep -c '"kind":"row"' many.acp)" -lt 5600 ]
done
finish
