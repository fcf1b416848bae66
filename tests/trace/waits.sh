#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# The time in MPI, of which waits are only timed now and then while they are quick. Twenty long times
# of one kind are told apart after the first few, which can be missed: of what waits take in all, most is
# in it, of the program's own time little, and another call's time is whole. The program says how long
# that was, and the quick waits between.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"

for mpi in $mpis; do
  compile "$mpi" "$here/waits.c" "waits.$mpi"
  # case, and the least and most share of the long times that is in MPI
  for row in "computes 0 0.3" "waits 0.6 1.2" "meets 0.9 1.2"; do
    read -r what least most <<< "$row"
    traced "$mpi" 2 waits.acp "./waits.$mpi" "$what" > took
    read -r slow quick < took
    read -r seconds with_unsure <<< "$(acp times waits.acp 1)"
    core_wait=$(acp core_wait waits.acp 1)
    check "$mpi, $what: $seconds s in MPI, of $slow s and $quick s of quick ones; core wait: $core_wait s" \
      python3 -c "exit(not $least * $slow <= $seconds <= $most * $slow + 1.2 * $quick)"
    [ "$what" = waits ] && check "$mpi: the waits that weren't seen are known to be unsure: $with_unsure s; core wait: $core_wait s" \
      python3 -c "exit(not 0.9 * $slow <= $with_unsure <= 1.5 * $slow + 1.5 * $quick)"
  done
done
finish
