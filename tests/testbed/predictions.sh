#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# Predictions hold when measured: placements of patterns on a testbed whose ports and switches
# differ, priced by `berth cost` on its true topology and played by Open MPI on it, judged by size
# and by order. And mutants of the topology do not: with the same measurements each is found wrong,
# for just the placements that it misjudges. predictions.py beside it has the cases and the limits.
. "$BERTH_SOURCE_DIR/tests/testbed/lib.sh"
play=$BERTH_BUILD_DIR/testbed/play
judge=$BERTH_SOURCE_DIR/tests/testbed/predictions.py
[ -x "$play" ] || skip "built without MPI"
up_or_skip

"$BERTH_SOURCE_DIR/testbed/topology.sh" 25 --port h2:in=10 --port A:in=15 --aggregate A=40 \
  >"$work/topology.json"
check "h2 receives slowly" "$testbed" limit h2 up in 10
check "A's trunk is slow one way" "$testbed" limit A up in 15
check "A has a limit of its own" "$testbed" limit A all 40

mapfile -t cases < <(python3 "$judge" make "$work")
check "cases" [ "${#cases[@]}" -gt 0 ]
play_all() { # CASE…: adds five repetitions to each one's measurements
  local case code
  for case in "$@"; do
    "$testbed" run "$work/$case.rankfile" "$play" --iterations 1 --repetitions 5 "$work/$case.acp" \
      >>"$work/$case.seconds" 2>"$work/errors" && code=0 || code=$?
    check "$case is played: $(tail -n 1 "$work/errors")" [ "$code" -eq 0 ]
  done
}
play_all "${cases[@]}"
# Other work on this machine only adds to a time: cases that took too long are played again.
for ((again = 0; again < 12; again++)); do
  mapfile -t slow < <(python3 "$judge" slow "$work" "$berth" "$work/topology.json" port flow)
  [ "${#slow[@]}" -gt 0 ] || break
  play_all "${slow[@]}"
done
# Each of these placements has one bottleneck, so that both models must be right.
check "predictions hold, and those of mutants do not" \
  python3 "$judge" judge "$work" "$berth" "$work/topology.json" port flow
finish
