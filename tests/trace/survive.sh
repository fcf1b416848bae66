#!/usr/bin/env bash
# Jobs that die at a random moment: every message that a rank had sent is in the trace, and none
# that it had not begun. Two deaths of each kind under each MPI, or BERTH_TEST_ROUNDS times as many.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
rounds=$(rounds_of 2)

for mpi in $mpis; do
  compile "$mpi" "$here/survive.c" "survive.$mpi" -lrt
  for how in abort exit term kill; do
    for round in $(seq "$rounds"); do
      rm -rf tallies survive.acp && mkdir tallies
      ms=$((RANDOM % 400 + 5)) victim=$((RANDOM % 4))
      traced "$mpi" 4 survive.acp "./survive.$mpi" $how $ms $victim tallies > /dev/null
      "./survive.$mpi" show 4 tallies > shown
      result=$(acp within survive.acp shown shown 2>&1)
      check "$mpi, $how, round $round (rank $victim after $ms ms): $result" \
        grep -q '^messages: [1-9]' <<< "$result"
    done
    echo "$mpi, $how: $rounds rounds; the last: $result"
  done
done
finish
