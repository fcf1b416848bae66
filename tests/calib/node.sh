#!/usr/bin/env bash
# `berth calibrate node` measures this machine, writes what it has after each step, and goes on after
# an interruption. tests/node/record.c has the format, bench/node the numbers.
# shellcheck disable=SC2154
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
quick=(calibrate node --samples 1)

check "measures" "$berth" "${quick[@]}" -o node.json > out
check "the file is a topology" "$berth" topo check node.json
check "says what it has measured" grep -q 'node.json: 1[0-9]* of 1[0-9]* steps measured in' out
check "the record is complete" grep -q '"complete": true' node.json
for what in copy memory core granules timer; do
  check "has $what" grep -q "\"what\": \"$what\"" node.json
done
for name in memcpy loop touch two-streams four-streams read write copy transpose static dynamic; do
  check "has $name" grep -q "\"name\": \"$name\"" node.json
done
check "has noise" grep -q '"quantum"' node.json
check "curves that nobody measured are copies now" grep -q 'berth calibrate node, memcpy' node.json
"$berth" topo show node.json > shown
check "topo show prints it" grep -q '^Hosts of type .* Node: ' shown
check "shows noise" grep -q '^Noise: ' shown

# A finished file is measured anew, and replaced at the end. It keeps its tables of messages in blocks.
python3 - node.json <<'PY'
import json, sys
t = json.load(open(sys.argv[1]))
node = [x["node"] for x in t["types"].values() if "node" in x][0]
node["strided"] = [{"mpi": "Open MPI 4.1.4", "by": "type", "side": "send", "gap": 64, "points": [[8, 4096, 1e-6]], "samples": [3], "spread": [0.01]}]
json.dump(t, open(sys.argv[1], "w"))
PY
"$berth" topo show node.json --json | grep -c '"by": "type"' > tables
cp node.json finished.json
timeout -s INT 1 "$berth" "${quick[@]}" -o node.json --verbose > out 2> err; code=$?
if [ $code != 0 ]; then # else it was done before
  check "an interrupted one stays: $(tail -n 1 err)" grep -q 'interrupted; node.json has its earlier measurements' err
  check "as it was" cmp node.json finished.json
fi
check "a finished file is measured anew" "$berth" "${quick[@]}" -o node.json --verbose > out 2> err
check "says so" grep -q 'node.json is finished; measuring anew, and replacing it at the end' err
check "from the first step" grep -q 'copies, hot buffers, from NUMA node 0 to 0' err
is "keeps its tables" "$("$berth" topo show node.json --json | grep -c '"by": "type"')" "$(cat tables)"
check "which are there" [ "$(cat tables)" -gt 0 ]

# interrupt FILE STEPS: starts, and interrupts when that many steps are in the file.
interrupt() {
  "$berth" "${quick[@]}" -o "$1" --verbose > out 2> err & local pid=$!
  for ((i = 0; i < 600; i++)); do
    [ "$(grep -c ' s  ' err)" -ge "$2" ] && break
    sleep 0.05
  done
  kill -INT "$pid"; wait "$pid"; code=$?
}
interrupt half.json 3
if [ "$code" = 130 ]; then # else it was done before
  check "says that the same command goes on" grep -q 'half.json has [0-9]* of 1[0-9]* steps, and the same command goes on' err
  check "what was measured is a topology" "$berth" topo check half.json
  check "an unfinished record" grep -q '"complete": false' half.json
  "$berth" topo show half.json > shown
  check "topo show says so" grep -q 'incomplete: berth calibrate node goes on' shown
  check "goes on" "$berth" "${quick[@]}" -o half.json --verbose > out 2> err
  check "says from where" grep -q 'half.json has [0-9]* of 1[0-9]* steps; going on' err
  check "not from the first step" [ "$(grep -c 'copies, hot' err)" = 0 ]
  check "and is complete" grep -q '"complete": true' half.json
fi

sed 's/"processor": "[^"]*"/"processor": "Other 9000"/; s/"complete": true/"complete": false/; s/"steps": 1[0-9]*/"steps": 3/' node.json > other.json
processor=$(python3 -c 'import json, sys
print([t["node"] for t in json.load(open(sys.argv[1]))["types"].values() if "node" in t][0].get("processor", ""))' node.json)
expect 3 "berth calibrate: other.json: found measurements of \"Other 9000\", expected those of this machine, \"$processor\"; remove the file or name another one" \
  "$berth" "${quick[@]}" -o other.json
"$berth" topo make host:2:one,two core:2 host=100Gbit/s -o two.json -q
echo '{"format":"berth-pattern","version":1,"ranks":2}' > p.acp
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,1]}' > m.json
echo 'buy milk' > notes.txt
expect 3 "berth calibrate: two.json: found no host $(uname -n), expected this machine in it" \
  "$berth" "${quick[@]}" -t two.json -o new.json
check "no file is left" [ ! -e new.json ]
# What isn't this command's stays as it is.
while IFS='|' read -r file what; do
  cp "$file" before
  expect 3 "berth calibrate: $file: found $what, expected a new file, or measurements of this machine; remove the file or name another one" \
    "$berth" "${quick[@]}" -o "$file"
  check "$file stays" cmp "$file" before
done <<'ROWS'
p.acp|a pattern
two.json|a topology without measurements of this machine
m.json|a mapping
notes.txt|another file
ROWS
sed 's/"steps": 1[0-9]*/"steps": -1/' node.json > damaged.json
cp damaged.json before
expect 3 "berth calibrate: damaged.json: types.host.node.steps: found -1, expected a whole number from 0 to 2147483647" \
  "$berth" "${quick[@]}" -o damaged.json
check "a damaged file stays" cmp damaged.json before
# A line of the program's own above argp's.
usage=$'Try `berth calibrate --help\' or `berth calibrate --usage\' for more\ninformation.'
expect 2 "berth calibrate: expected -o
$usage" "$berth" calibrate node
expect 2 "berth calibrate: found --json with node
$usage" "$berth" "${quick[@]}" --json -o x.json
expect 2 "berth calibrate: found --time-limit with node
$usage" "$berth" "${quick[@]}" --time-limit 5 -o x.json
expect 4 "berth calibrate: nowhere/x.json: cannot write: No such file or directory" "$berth" "${quick[@]}" -o nowhere/x.json

# This machine among others: only its type has the record.
"$berth" topo make host:2:"$(uname -n),elsewhere" core:64 host=100Gbit/s -o mine.json -q
cp mine.json same.json
check "the topology may be the file" "$berth" "${quick[@]}" -t same.json -o same.json > out 2> err
check "which then has the record" grep -q '"complete": true' same.json
: > empty.json
check "an empty file may be, too" "$berth" "${quick[@]}" -o empty.json > out 2> err
check "standard output gets the file" "$berth" "${quick[@]}" -t mine.json -o - > stdout.json 2> err
check "which is a topology" "$berth" topo check stdout.json
check "with a record" grep -q '"complete": true' stdout.json
finish
