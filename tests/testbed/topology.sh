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

# With limits: messages of 1 MiB, one between each pair of ranks given, priced by the slowest
# resource that they share.
limited=("$topology/topology.sh" 25 --port h2:in=10 --port h3:both=7 --port A:out=5 --aggregate A=20
  --aggregate C=1000)
"${limited[@]}" >"$work/limited.json"
pattern() { # FROM TO FROM TO…
  echo '{"format":"berth-pattern","version":1,"ranks":16,"command":["x"],"mpi":"x","created":"2026-01-01T00:00:00Z"}'
  local records=$(($# / 2))
  while [ $# -gt 0 ]; do
    echo "{\"kind\":\"p2p\",\"src\":$1,\"msgs\":[[$2,1048576,1]]}"
    shift 2
  done
  echo "{\"kind\":\"end\",\"records\":$records}"
}
priced() { # MBIT MESSAGES-OF-1-MIB FRAME-BYTES FROM TO…
  local mbit=$1 messages=$2 frame=$3 seconds; shift 3
  pattern "$@" >"$work/p.acp"
  seconds=$(awk -v m="$mbit" -v k="$messages" -v f="$frame" \
    'BEGIN { print k * 1048576 / (m * 1e6 / 8 * 1448 / f) }')
  "$berth" map --pattern "$work/p.acp" --topology "$work/limited.json" --algorithm linear \
    --mapping "$work/m.json" >/dev/null
  check "$*: $seconds s" \
    near "$(sed -n 's/.*"cost_s": \(.*\),/\1/p' "$work/m.json")" "$seconds" 0.001
}
priced 10 1 1514 0 4
priced 25 1 1514 10 12
priced 7 1 1514 0 6
priced 7 1 1514 6 0
priced 5 1 1514 0 10
priced 20 1 1547 10 8
priced 20 2 1547 0 2 2 0
priced 20 1 1547 4 0

help="; see topology.sh --help"
for wrong in 0 101 x 2.5 ""; do
  expect 2 "topology.sh: rate '$wrong', expected a whole number of Mbit/s from 1 to 100$help" \
    "$topology/topology.sh" "$wrong"
done
for wrong in h8:in=5 C:in=5 h2:in h2:up=5 h2:in=x h2=5; do
  expect 2 "topology.sh: --port '$wrong', expected such as h2:in=10 or A:both=5$help" \
    "$topology/topology.sh" --port "$wrong"
done
expect 2 "topology.sh: --port 'h2:in=0', expected at least 1 Mbit/s$help" \
  "$topology/topology.sh" --port h2:in=0
expect 2 "topology.sh: a port limited to 26 Mbit/s, expected at most 25 as all ports$help" \
  "$topology/topology.sh" --port h2:in=26
for wrong in A=0 A=1001 h2=5 A=x A; do
  expect 2 "topology.sh: --aggregate '$wrong', expected such as A=40, 1 to 1000$help" \
    "$topology/topology.sh" --aggregate "$wrong"
done
expect 2 "topology.sh: --port needs a value$help" "$topology/topology.sh" --port
expect 2 "topology.sh: unknown argument '30'$help" "$topology/topology.sh" 25 30
finish
