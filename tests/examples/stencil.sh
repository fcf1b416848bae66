#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# The stencil example: its pattern is that of a 7-point stencil, berth maps and prices it on its
# topology, and wrong arguments are refused.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
generate=$BERTH_SOURCE_DIR/examples/stencil/generate.sh
cd "$work" || exit 1

# Every rank's neighbours, worked out from its coordinates apart from the script.
cat >expected.py <<'PYTHON'
import json, sys

nx, ny, nz = map(int, sys.argv[2:5])
lines = [json.loads(line) for line in open(sys.argv[1])]
assert lines[0]["ranks"] == nx * ny * nz, lines[0]
assert lines[-1] == {"kind": "end", "records": len(lines) - 2}, lines[-1]
sent = {(line["src"], d): (size, n) for line in lines[1:-1] for d, size, n in line["msgs"]}
at = {r: (r % nx, r // nx % ny, r // nx // ny) for r in range(nx * ny * nz)}
rank = {place: r for r, place in at.items()}
expected = set()
for r, (x, y, z) in at.items():
    for place in (x-1,y,z), (x+1,y,z), (x,y-1,z), (x,y+1,z), (x,y,z-1), (x,y,z+1):
        if place in rank:
            expected.add((r, rank[place]))
assert set(sent) == expected, set(sent) ^ expected
assert set(sent.values()) <= {(512, 7)}, set(sent.values())
PYTHON
for size in "1 1 1" "2 1 1" "1 3 2" "5 4 3"; do
  # shellcheck disable=SC2086
  "$generate" pattern $size 512 7 >p.acp
  # shellcheck disable=SC2086
  check "the pattern of $size" python3 expected.py p.acp $size
done

# The size that the README names: every rank is mapped, to a PU of its own.
"$generate" pattern 32 32 32 >p.acp
"$generate" topology 32:32:32 >t.json
check "map" "$berth" map --pattern p.acp --topology t.json --algorithm greedy --mapping m.json >/dev/null
check "32768 ranks on as many PUs" python3 -c '
import json
assert sorted(json.load(open("m.json"))["pu_of_rank"]) == list(range(32768))'
check "cost" "$berth" cost --pattern p.acp --topology t.json --mapping m.json >cost.txt
check "cost says what" grep -q "^m.json (greedy): .* m\?s (model port)" cost.txt

# Unequal numbers: 2 switches of 3 hosts of 4 cores.
"$generate" pattern 4 3 2 >p.acp
"$generate" topology 2:3:4 >t.json
check "map a small one" "$berth" map --pattern p.acp --topology t.json --rankfile r >/dev/null
check "its hosts" [ "$(sed 's/.*=\(.*\) .*/\1/' r | sort | uniq -c | tr -s ' \n' ' ')" = \
  " 4 node0 4 node1 4 node2 4 node3 4 node4 4 node5 " ]

first_line() { "$@" 2>err; local code=$?; head -n 1 err >&2; return $code; }
wrong() { expect 2 "generate.sh: $1" first_line "$generate" "${@:2}"; }
wrong "'', expected pattern or topology"
wrong "pattern needs NX NY NZ [BYTES [COUNT]]" pattern 2 2
wrong "NX '0', expected a whole number of at least 1" pattern 0 1 1
wrong "NZ '3x', expected a whole number of at least 1" pattern 1 2 3x
wrong "BYTES '-8', expected a whole number of at least 1" pattern 1 2 3 -8
wrong "NX '9999999999', expected at most 2^30" pattern 9999999999 1 1
wrong "999 * 999 * 999 ranks, expected at most 2^24" pattern 999 999 999
wrong "'2:2', expected three numbers" topology 2:2
wrong "'2:2:2:2', expected three numbers" topology 2:2:2:2
wrong "HOSTS '', expected a whole number of at least 1" topology 2::2
finish
