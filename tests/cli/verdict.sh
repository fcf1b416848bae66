#!/usr/bin/env bash
# How sure costs are, through the command line. Two hosts of two cores on links of 100 B/s, measured
# with a spread, and a bus of 1000 B/s inside that nobody measured. Ranks 0 and 1 exchange 100 B, 0
# and 2 send 98: a link takes 1 s with 0 and 1 on different hosts, 0.98 s with 0 and 2.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
topology() { # FILE SPREAD OF A, SPREAD OF B, MODEL ERROR: of two hosts; 0 is not measured
  measured() { [ "$1" = 0 ] || echo ",\"max_bandwidth_measured\":{\"samples\":$2,\"spread\":$1}"; }
  cat > "$1" <<JSON
{"format":"berth-topology","version":1,"name":"pair","model_error":$4,
 "types":{"top":{},
  "a":{"up":{"max_bandwidth":100$(measured "$2" 5)},"down":{"max_bandwidth":1000}},
  "c":{"up":{"max_bandwidth":100$(measured "$3" 6)},"down":{"max_bandwidth":1000}}},
 "root":{"type":"top","name":"top","children":[
  {"type":"a","host":"a","children":[{"pu":0,"core":0},{"pu":1,"core":1}]},
  {"type":"a","host":"b","children":[{"pu":0,"core":0},{"pu":1,"core":1}]},
  {"type":"c","host":"c","children":[{"pu":0,"core":0},{"pu":1,"core":1}]},
  {"type":"c","host":"d","children":[{"pu":0,"core":0},{"pu":1,"core":1}]}]}}
JSON
}
cat > p.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":3,"command":["x"]}
{"kind":"p2p","src":0,"msgs":[[1,100,1],[2,98,1]]}
{"kind":"end","records":1}
ACP
mapping() { echo "{\"format\":\"berth-mapping\",\"version\":1,\"pu_of_rank\":$2}" > "$1"; }
mapping first.json '[0, 2, 1]'   # 100 B from a to b: 1 s
mapping second.json '[0, 1, 2]'  # 98 B from a to b: 0.98 s; linear, too
mapping other.json '[4, 5, 6]'   # 98 B from c to d: 0.98 s
mapping dear.json '[4, 6, 5]'    # 100 B from c to d: 1 s
k() { "$berth" cost --pattern p.acp --topology "$@"; }

cat > expect.py <<'PY'
"""expect.py NAME=VALUE… < JSON: the value at each path, numbers to 1e-9; "none" for no such key."""
import json, sys
document, wrong = json.load(sys.stdin), 0
for item in sys.argv[1:]:
    path, value = item.split("=", 1)
    found = document
    for step in path.split("."):
        found = found[int(step)] if isinstance(found, list) else found.get(step, "none")
    value = eval(value, {"sqrt": __import__("math").sqrt, "ln": __import__("math").log,
                         "exp": __import__("math").exp, "null": None})
    number = isinstance(value, float)
    if not (abs(found - value) <= 1e-9 if number else found == value):
        print(f"{path}: found {found}, expected {value}")
        wrong += 1
sys.exit(wrong > 0)
PY
expected() { python3 expect.py "$@"; } # reads standard input

# nothing measured: nothing is said
topology none.json 0 0 null
check "nothing measured" expected 'uncertainty="none"' 'comparisons="none"' \
  'results.0.interval_low_s="none"' 'results.0.verdict="none"' \
  < <(k none.json --mapping first.json --json)
check "nothing measured: text" [ "$(k none.json --mapping first.json --mapping other.json |
  grep -cE '±|verdict|note:')" = 0 ]

# 5% on the links of a and b: 2% between two placements on them is a difference all the same
topology one.json 0.05 0 null
k one.json --mapping first.json --mapping second.json --mapping other.json --json > one.out
check "intervals" expected uncertainty.measured_numbers=1 uncertainty.model_error=null \
  results.0.interval_low_s=1/1.05 results.0.interval_high_s=1.05 \
  results.0.linear_interval_low_s=0.98/1.05 results.0.linear_interval_high_s=0.98*1.05 \
  results.2.interval_low_s=0.98 results.2.interval_high_s=0.98 \
  'results.0.verdict="dearer"' 'results.1.verdict="equal"' < one.out
check "pairs" expected 'comparisons.0.mapping="first.json"' 'comparisons.0.against="second.json"' \
  comparisons.0.ratio=1/0.98 comparisons.0.ratio_low=1/0.98 comparisons.0.ratio_high=1/0.98 \
  'comparisons.0.verdict="dearer"' 'comparisons.1.against="other.json"' \
  comparisons.1.ratio_low=1/0.98/1.05 comparisons.1.ratio_high=1/0.98*1.05 \
  'comparisons.1.verdict="no verdict"' < one.out
k one.json --mapping first.json --mapping other.json > text
check "the margin" grep -qF 'first.json: 1.000 s ± 5% (model port)' text
check "linear's" grep -qF '(980.0 ms ± 5%)' text
check "equal costs by different ports" [ "$(grep -c 'no verdict against the default order: the estimates differ by 0%' text)" = 1 ]
check "a clear difference" [ "$(grep -c 'no verdict against the default order' text)" = 1 ]
check "no verdict" grep -qx \
  '  no verdict against other.json: the estimates differ by 2%, with an uncertainty of 5%' text
check "the note" grep -qF "note: ± covers the spread of 1 measured number. The model's error on this machine is unknown." text
check "left out" [ "$(k one.json --no-intervals --mapping first.json --mapping other.json |
  grep -cE '±|verdict')" = 0 ]

# both kinds of links: 2% is nothing, with 0.5% each it is
topology both.json 0.05 0.05 null
check "both unsure" expected uncertainty.measured_numbers=2 'comparisons.0.verdict="no verdict"' \
  'comparisons.0.ratio_high=1/0.98*exp(sqrt(2)*ln(1.05))' \
  < <(k both.json --mapping first.json --mapping other.json --json)
topology fine.json 0.005 0.005 null
check "both fine" expected 'comparisons.0.verdict="dearer"' \
  < <(k fine.json --mapping first.json --mapping other.json --json)

# measured once: there is no spread, and what depends on it is unknown rather than certain
topology once.json 0 0 null
sed -i 's/"a":{"up":{"max_bandwidth":100}/"a":{"up":{"max_bandwidth":100,"max_bandwidth_measured":{"samples":1,"spread":0}}/' once.json
check "measured once" expected uncertainty.measured_numbers=0 uncertainty.without_spread=1 \
  results.0.interval_low_s=0 results.0.interval_high_s=null results.1.interval_high_s=0.98 \
  'comparisons.0.verdict="no verdict"' comparisons.0.ratio_high=null \
  < <(k once.json --mapping first.json --mapping other.json --json)
k once.json --mapping first.json --mapping other.json > text
check "its margin" grep -qF 'first.json: 1.000 s ± unknown (model port)' text
check "its verdict" grep -qx \
  '  no verdict against other.json: the estimates differ by 2%, with an uncertainty of unknown size' text
check "its note" grep -qx \
  'note: 1 measured number has no spread (one sample, or none given). Costs that depend on it are ± unknown.' text
check "and no other" [ "$(grep -c note: text)" = 1 ]

# the model's error: sqrt 2 times for a difference; another model's doesn't count
topology model.json 0.005 0.005 '{"port":0.02}'
k model.json --mapping first.json --mapping other.json --json > model.out
check "with the model's error" expected uncertainty.model_error=0.02 \
  'results.0.interval_high_s=exp(sqrt(ln(1.005)**2+ln(1.02)**2))' \
  'comparisons.0.ratio_high=1/0.98*exp(sqrt(2*ln(1.005)**2+2*ln(1.02)**2))' \
  'comparisons.0.verdict="no verdict"' < model.out
check "the note names it" grep -qF "note: ± covers the spread of 2 measured numbers and the model's error of 2%." \
  <(k model.json --mapping first.json)
check "another model" expected 'comparisons.0.verdict="dearer"' uncertainty.model_error=null \
  < <(k model.json --model bound --mapping first.json --mapping other.json --json)
topology only.json 0 0 '{"port":0.02}'
check "the note names nothing else" grep -qx "note: ± covers the model's error of 2%." \
  <(k only.json --mapping first.json)
check "the model's error alone" expected results.0.interval_high_s=1.02 \
  uncertainty.measured_numbers=0 < <(k only.json --mapping first.json --json)

# nothing stays nothing
cat > self.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":3}
{"kind":"p2p","src":0,"msgs":[[0,100,1]]}
{"kind":"end","records":1}
ACP
check "a cost of 0 has no margin" grep -qxF 'first.json: 0 s (model port)' \
  <("$berth" cost --pattern self.acp --topology model.json --mapping first.json)

# berth map: is the gain over linear one?
cat > gain.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":4,"command":["x"]}
{"kind":"p2p","src":0,"msgs":[[2,100,1],[1,97,1]]}
{"kind":"p2p","src":3,"msgs":[[1,100,1],[2,97,1]]}
{"kind":"end","records":2}
ACP
topology sure.json 0.1 0 null
topology unsure.json 0.1 0 '{"port":0.2}'
m() { "$berth" map --pattern gain.acp --topology "$1" --algorithm greedy "${@:2}"; }
m sure.json --hosts a,b --json > map.out
check "map: a gain of 3%" expected cost_s=0.97 linear_cost_s=1.0 ratio=0.97 ratio_low=0.97 \
  'verdict="cheaper"' interval_high_s=0.97*1.1 linear_interval_high_s=1.1 < map.out
check "map: no doubt" [ "$(m sure.json --hosts a,b | grep -c verdict)" = 0 ]
check "map: in doubt" grep -qx \
  '  no verdict against the default order: the estimates differ by 3%, with an uncertainty of 29%' \
  <(m unsure.json --hosts a,b)
check "map: margins" grep -qzE ': 970.0 ms ± 10% \(model port\).*default order \(1.000 s ± 10%\)' \
  <(m sure.json --hosts a,b)
check "map: left out" [ "$(m unsure.json --hosts a,b --no-intervals | grep -cE '±|verdict')" = 0 ]
check "map: nothing measured" expected 'verdict="none"' 'interval_low_s="none"' \
  < <(m none.json --json)

# what is refused
topology bad.json 0 0 '{"port":-0.02}'
expect 3 "berth cost: --topology bad.json: model_error.port: found -0.02, expected a number of at least 0" \
  k bad.json --mapping first.json
topology bad.json 0 0 0.02
expect 3 "berth cost: --topology bad.json: model_error: found 0.02, expected an object" \
  k bad.json --mapping first.json
finish
