#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# The time in MPI, of which waits are only timed now and then while they are quick. Twenty long times
# of one kind are told apart after the first few, which can be missed: in all a second that waits take
# is in it, one of the program's own isn't, and one in another call is whole.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"

for mpi in $mpis; do
  compile "$mpi" "$here/waits.c" "waits.$mpi"
  # case, and at least and at most so many seconds of rank 1 in MPI
  for row in "computes 0 0.4" "waits 0.6 1.7" "meets 0.9 1.7"; do
    read -r what least most <<< "$row"
    traced "$mpi" 2 waits.acp "./waits.$mpi" "$what"
    read -r seconds with_unsure <<< "$(acp times waits.acp 1)"
    check "$mpi, $what: $seconds s in MPI" python3 -c "exit(not $least <= $seconds <= $most)"
    [ "$what" = waits ] && check "$mpi: the waits that weren't seen are known to be unsure" \
      python3 -c "exit(not 0.9 <= $with_unsure <= 2.5)"
  done
done
finish
