#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# The testbed's topology: the file is what its script prints, berth reads it, and the ladder on it
# costs what the port model gives by hand: six rungs and a rail cross the trunk, against two ranks'
# two rails on a host's port.
. "$BERTH_SOURCE_DIR/tests/testbed/lib.sh"
topology=$BERTH_SOURCE_DIR/testbed
"$topology/topology.sh" >"$work/25.json"
check "topology.json is what topology.sh prints" cmp "$topology/topology.json" "$work/25.json"
"$topology/topology.sh" 100 >"$work/100.json"

cost_of() { # TOPOLOGY ALGORITHM
  "$berth" map --pattern "$BERTH_SOURCE_DIR/examples/ladder/pattern.acp" --topology "$1" \
    --algorithm "$2" --mapping "$work/m.json" >/dev/null && sed -n 's/.*"cost_s": \(.*\),/\1/p' "$work/m.json"
}
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a > b * (1 - t) && a < b * (1 + t)) }'; }

seconds=$(awk 'BEGIN { print 10 * 6.125 * 262144 / (25e6 / 8 * 1448 / 1514) }')
check "linear" near "$(cost_of "$work/25.json" linear)" "$seconds" 0.005
check "best" near "$(cost_of "$work/25.json" best)" "$(awk -v s="$seconds" 'BEGIN { print s / 12.25 }')" 0.005
check "linear at four times the rate" \
  near "$(cost_of "$work/100.json" linear)" "$(awk -v s="$seconds" 'BEGIN { print s / 4 }')" 0.005

usage="usage: topology.sh [MBIT], a whole number of Mbit/s from 1 to 100 (default 25)"
for wrong in 0 101 x 2.5 ""; do
  expect 2 "$usage" "$topology/topology.sh" "$wrong"
done
finish
