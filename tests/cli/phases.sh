#!/usr/bin/env bash
# Patterns of several phases: what each costs, and what would suit each alone.
#
# Two hosts of two cores: 100 B/s between hosts, 1000 B/s inside. In phase "rows" ranks 0-1 and 2-3
# exchange 100 B (10 times), in phase "columns" 0-2 and 1-3 (5 times). In rank order, rows take
# 0.1 s and columns 2 s; with 0, 2 and 1, 3 together it is the other way round.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cat > t.json <<'JSON'
{"format":"berth-topology","version":1,"name":"pair",
 "types":{"host":{"up":{"max_bandwidth":100},"down":{"max_bandwidth":1000}},"top":{}},
 "root":{"type":"top","name":"top","children":[
  {"type":"host","host":"a","children":[{"pu":0,"core":0},{"pu":1,"core":1}]},
  {"type":"host","host":"b","children":[{"pu":0,"core":0},{"pu":1,"core":1}]}]}}
JSON
exchange() { # PHASE A B: 100 bytes each way
  printf '{"kind":"p2p","phase":%s,"src":%s,"msgs":[[%s,100,1]]}\n' "$1" "$2" "$3" "$1" "$3" "$2"
}
pattern() { # LINE…: a pattern of four ranks
  echo '{"format":"berth-pattern","version":1,"ranks":4,"command":["x"]}'
  printf '%s\n' "$@"
  printf '{"kind":"end","records":%d}\n' "$(printf '%s\n' "$@" | wc -l)"
}
rows=$(exchange 3 0 1; exchange 3 2 3) columns=$(exchange 7 0 2; exchange 7 1 3)
pattern '{"kind":"phase","id":3,"name":"rows","repeats":10}' \
  '{"kind":"phase","id":7,"name":"columns","repeats":5}' "$rows" "$columns" > p.acp
m() { "$berth" map --pattern p.acp --topology t.json "$@"; }
k() { "$berth" cost --pattern p.acp --topology t.json "$@"; }
check "linear" m --algorithm linear --mapping linear.json > /dev/null

cat > expect.py <<'PY'
"""expect.py NAME=VALUE… < JSON: the value at each path, numbers to 1e-12."""
import json, sys
document, wrong = json.load(sys.stdin), 0
for item in sys.argv[1:]:
    path, value = item.split("=", 1)
    found, value = document, json.loads(value)
    for step in path.split("."):
        found = found[int(step)] if isinstance(found, list) else found[step]
    number = isinstance(value, float) and isinstance(found, (int, float))
    if not (abs(found - value) <= 1e-12 * max(1, abs(value)) if number else found == value):
        print(f"{path}: found {found}, expected {value}")
        wrong += 1
sys.exit(wrong > 0)
PY
expected() { python3 expect.py "$@"; } # reads standard input

# what the given mapping costs in each phase, and what would suit each alone
k --mapping linear.json --json > cost.json
check "cost" expected results.0.cost_s=11.0 \
  results.0.bottleneck.phase=7 \
  'results.0.phases.0.name="rows"' results.0.phases.0.cost_s=0.1 \
  'results.0.phases.0.alone.algorithm="linear"' results.0.phases.0.alone.cost_s=1.0 \
  results.0.phases.0.alone.here_s=1.0 results.0.phases.0.alone.difference_s=0.0 \
  results.0.phases.0.alone.pattern_cost_s=11.0 \
  'results.0.phases.1.name="columns"' results.0.phases.1.cost_s=2.0 \
  results.0.phases.1.alone.cost_s=0.5 results.0.phases.1.alone.here_s=10.0 \
  results.0.phases.1.alone.difference_s=9.5 results.0.phases.1.alone.pattern_cost_s=20.5 \
  'results.0.phases.1.alone.command="berth map --pattern p.acp --topology t.json --phase 7 --mapping phase-7.json"' \
  < cost.json
k --mapping linear.json > text
check "rows have what suits them" grep -qF \
  'alone: 1.000 s by linear, as much as here; the whole pattern then costs 11.00 s' text
check "columns don't" grep -qE \
  'alone: 500.0 ms by [a-z-]+, 9.500 s \(95.0%\) less; the whole pattern then costs 20.50 s' text
check "the dearest is named" grep -qF '7 "columns": 2.000 s x 5 = 10.00 s  (most expensive)' text

# the command that is named writes a mapping which costs what was said
command=$(sed -n 's/^to write the best placement for one phase: berth //p' text)
read -ra words <<< "$command"
check "the named command" "$berth" "${words[@]}" > map.text
pattern '{"kind":"phase","id":3,"name":"rows"}' '{"kind":"phase","id":7,"name":"again"}' \
  "$(exchange 3 0 1)" "$(exchange 7 0 1)" > alike.acp
"$berth" cost --pattern alike.acp --topology t.json --mapping linear.json > text
check "nothing would be gained" [ "$(grep -c 'alone: .*, as much as here' text)" = 2 ]
check "then no command is named" [ "$(grep -c 'to write the best' text)" = 0 ]
check "it names the phase" grep -qE \
  '^4 ranks placed by [a-z-]+ on pair for phase 7 "columns" alone: 500.0 ms, default order 10.00 s$' map.text
check "it prices the whole" grep -qx 'the whole pattern: 20.50 s (model port)' map.text
k --mapping linear.json --mapping phase-7.json --json > both.json
check "its cost" expected results.1.cost_s=20.5 results.1.phases.1.alone.difference_s=0.0 \
  results.1.phases.0.alone.difference_s=19.0 < both.json
check "the file's cost is the pattern's" expected cost_s=20.5 < phase-7.json
check "by name" m --phase columns --mapping name.json > /dev/null
check "the same by name" cmp -s phase-7.json name.json
m --phase rows --json > rows.json
check "map --json" expected phase.id=3 'phase.name="rows"' phase.cost_s=1.0 \
  phase.linear_cost_s=1.0 phase.cost_gain=0.0 cost_s=11.0 linear_cost_s=11.0 < rows.json
check "map --json without a phase" expected phase=null < <(m --json)

# what suits a phase alone is looked at for the whole pattern, too
check "candidates for phases" grep -qxE \
  'found for one phase alone: 7 "columns" (20.50|11.00) s by [a-z]+, 3 "rows" 11.00 s by [a-z]+' \
  <(m --quality fast)
m --quality fast --json > fast.json
check "candidates for phases in JSON" python3 -c 'import json
c = json.load(open("fast.json"))["candidates"]
found = {(x["algorithm"], x["phase"]["name"]): x["price_s"] for x in c if "phase" in x}
assert found[("multilevel", "columns")] == 20.5 and found[("multilevel", "rows")] == 11, c
assert {x["phase"]["id"] for x in c if "phase" in x} == {3, 7} and "phase" not in c[0], c'
check "a phase alone has none" [ "$(m --quality fast --phase 3 | grep -c 'built for one phase')" = 0 ]

# how much is asked for
check "none" [ "$(k --mapping linear.json --alone 0 | grep -c alone)" = 0 ]
check "only the dearest" [ "$(k --mapping linear.json --alone 1 | grep -c ' alone: [0-9]')" = 1 ]
check "one is left out" grep -qF '(for the 1 most expensive of 2 phases' <(k --mapping linear.json --alone 1)
check "another mapper" expected 'results.0.phases.1.alone.algorithm="linear"' \
  results.0.phases.1.alone.cost_s=10.0 < <(k --mapping linear.json --algorithm linear --json)
check "another mapper is in the command" grep -qF -- '--model bound --algorithm greedy --phase 7' \
  <(k --mapping linear.json --algorithm greedy --model bound)
sed 's/\[0, 1, 2, 3\]/[0, 0, 1, 1]/' linear.json > shared.json
check "more ranks than PUs" expected results.0.phases.0.alone=null \
  < <(k --mapping shared.json --oversubscribe --hosts a --json)

# one phase: nothing to tell apart; names that could be numbers; phases that are not there
pattern "$(exchange 0 0 1)" > one.acp
check "one phase" [ "$("$berth" cost --pattern one.acp --topology t.json --mapping linear.json |
  grep -c alone)" = 0 ]
pattern '{"kind":"phase","id":1,"name":"2"}' '{"kind":"phase","id":2,"name":"1"}' \
  '{"kind":"phase","id":4,"name":"x"}' '{"kind":"phase","id":5,"name":"x"}' \
  '{"kind":"phase","id":6,"name":"idle","repeats":0}' "$(exchange 1 0 1)" > names.acp
n() { "$berth" map --pattern names.acp --topology t.json "$@"; }
check "numbers go before names" expected phase.id=2 < <(n --phase 2 --json)
check "a phase that never occurs" expected phase.id=6 phase.cost_s=0.0 < <(n --phase idle --json)
expect 2 "berth map: --phase x: found 2 phases of that name, expected one, or its number; there are 1 \"2\", 2 \"1\", 4 \"x\", 5 \"x\", 6 \"idle\"" n --phase x
expect 2 "berth map: --phase 9: found 0 phases of that name, expected one, or its number; there are 1 \"2\", 2 \"1\", 4 \"x\", 5 \"x\", 6 \"idle\"" n --phase 9
expect 2 "berth map: --phase '': found 0 phases of that name, expected one, or its number; there are 1 \"2\", 2 \"1\", 4 \"x\", 5 \"x\", 6 \"idle\"" n --phase ''
check "--alone" grep -qF "berth cost: --alone: found 'x', expected a whole number from 0" \
  <(k --mapping linear.json --alone x 2>&1)
check "--algorithm" grep -qF "berth cost: --algorithm: found 'x', expected linear," \
  <(k --mapping linear.json --algorithm x 2>&1)
finish
