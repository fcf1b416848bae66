#!/usr/bin/env bash
# What commands say of costs beside the numbers: operations that nobody prices, units, where the
# machine's numbers come from, and what of it scripts can read.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1

# pattern FILE LINE…: two ranks on two hosts that are in MPI for half of the run
pattern() {
  { echo '{"format":"berth-pattern","version":1,"ranks":4,"command":["x"]}'
    for r in 0 1 2 3; do echo "{\"kind\":\"rank\",\"rank\":$r,\"wall_s\":10,\"mpi_s\":5}"; done
    printf '%s\n' "${@:2}"
    echo "{\"kind\":\"end\",\"records\":$((3 + $#))}"; } > "$1"
}
messages='{"kind":"p2p","src":0,"msgs":[[3,1000000,1]]}'
coll='{"kind":"coll","comm":0,"op":"MPI_Allreduce","bytes":8,"count":1,"root":null}'
rma='{"kind":"rma","src":0,"win":0,"sync":"fence","op":"put","epochs":1,"msgs":[[1,8,1]]}'
pattern p2p.acp "$messages"
pattern coll.acp "$messages" "$coll"
pattern rma.acp "$messages" "$rma"
pattern alone.acp "$coll"
pattern neighbours.acp "$messages" "${coll/Allreduce/Neighbor_allgather}" "${coll/Allreduce/Ineighbor_alltoall}"
# rank 0 answers whoever comes first
workers='{"kind":"p2p","src":1,"msgs":[[0,10,2]]}
{"kind":"p2p","src":2,"msgs":[[0,10,2]]}'
tasks='{"kind":"p2p","src":0,"msgs":[[1,20,1],[2,30,1],[3,1000000,1]]}'
first='{"kind":"order","src":0,"sends":[[3,1000000,0],'
# order NAME STEPS: what rank 0 does after its first send
order() { pattern "$1.acp" "$tasks" "$workers" "$first$2]}"; sed -i '$s/7}/8}/' "$1.acp"; }
order master '{"receive":null},[1,20,0],{"receive":null},[2,30,0]'
order reposting '{"posted":null},{"arrived":null},{"posted":null},[1,20,0],{"arrived":null},[2,30,0]'
order probing '{"receive":1,"first":true},[1,20,0],{"receive":2,"first":true},[2,30,0]'
order named '{"receive":1},[1,20,0],{"receive":2},[2,30,0]'
order collects '{"receive":null,"times":2},[1,20,0],[2,30,0]'
order one '{"receive":null},[1,20,0],{"receive":null,"times":3},[2,30,0]'
order meets '{"receive":null},{"meet":0},[1,20,0],{"receive":null},{"meet":0},[2,30,0]'
sed 's/"mpi_s":5/"mpi_s":5,"unsure_s":1/' coll.acp > unsure.acp
sed '/"rank":2/s/"mpi_s":5/"mpi_s":5,"core_wait_s":0.5/; /"rank":[013]/s/"mpi_s":5/&,"core_wait_s":0.125/' p2p.acp > disturbed.acp
sed '1s/}$/,"unmodelled":[{"op":"MPI_File_write_all","calls":12}]}/' p2p.acp > io.acp
sed '/"kind":"rank"/d; s/"records":6/"records":2/' coll.acp > untimed.acp
# machine FILE KEYS SOURCE SOURCE: curves inside and between two hosts of two cores
machine() {
  cat > "$1" <<JSON
{"format":"berth-topology","version":1,"name":"pair",$2
 "curves":{"a":{"source":"$3","points":[[1,1e9]]},"b":{"source":"$4","points":[[1,1e8]]}},
 "types":{"top":{"down":{"out":"b","in":"b"}},"host":{"down":{"out":"a","in":"a"}}},
 "root":{"type":"top","name":"top","children":[
  {"type":"host","host":"a","children":[{"pu":0,"core":0},{"pu":1,"core":1}]},
  {"type":"host","host":"b","children":[{"pu":0,"core":0},{"pu":1,"core":1}]}]}}
JSON
}
default="default, not measured"
machine measured.json '' clock clock
machine default.json '' "$default" "$default"
machine mixed.json '' clock "$default"
machine distances.json '"unit":"distance",' hops hops
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,2,3,1]}' > near.json

# run COMMAND PATTERN TOPOLOGY OPTION…: the four commands, with near.json where they take one
run() {
  local command=$1 inputs=(--pattern "$2.acp" --topology "$3.json") given=(); shift 3
  case $command in
    map) given=(--algorithm refine) ;;
    cost) given=(--mapping near.json) ;;
    compare) given=(near.json) ;;
    explore) given=(near.json --samples 10 --algorithms linear) ;;
  esac
  "$berth" $command "${inputs[@]}" "${given[@]}" "$@"
}
included='note: estimates cover point-to-point messages only; not included:'
collective="$included 80.0% of the calls and less than 0.1% of the bytes (collective or one-sided operations)"
onesided="$included 50.0% of the calls and less than 0.1% of the bytes (collective or one-sided operations)"
files="$included 12 calls of unknown size and time (such as MPI-IO)"
all='note: estimates cover point-to-point messages only, of which this pattern has none; not included: '\
'100.0% of the calls and 100.0% of the bytes (collective or one-sided operations)'
defaults='note: the topology has default curves, which nobody measured. Compare these costs with each other, not with a clock.'
mixture='note: some curves of the topology are measured, others are defaults. Which placement is cheaper is uncertain until the others are measured.'
distances='note: the topology has distances instead of bandwidths. Costs have no unit and are no times.'
network="note: rank 0 answers whichever rank's message comes first. Which rank gets how much depends on the network. Estimates take what was recorded."
ordered='note: phase 0 has the order of 1 of the 3 ranks that send in it. Model flow takes the other ranks to send everything at the start of the phase.'
# the JSON keys: unmeasured_curves, mixed_curves, unit, unpriced_operations, depends_on_network,
# core_wait_share
commands=(map cost compare explore); is_sanitized && commands=(map cost)
while IFS='|' read -r pattern topology keys notes; do
  for command in "${commands[@]}"; do
    name="$command $pattern $topology"
    run $command $pattern $topology > text
    expected=; for note in $notes; do expected+=${!note}$'\n'; done
    check "$name: notes" [ "$(grep '^note' text)" = "${expected%$'\n'}" ]
    found=$(run $command $pattern $topology --json | python3 -c 'import json, sys
d = json.load(sys.stdin)
print(*[d[k] for k in ("unmeasured_curves", "mixed_curves", "unit", "unpriced_operations", "depends_on_network", "core_wait_share")])')
    check "$name: keys: $found" [ "$found" = "$keys" ]
  done
done <<'TABLE'
p2p|measured|False False second False False None|
disturbed|measured|False False second False False 0.021875|
neighbours|measured|False False second False False None|
coll|measured|False False second True False None|collective
rma|measured|False False second True False None|onesided
io|measured|False False second True False None|files
alone|measured|False False second True False None|all
p2p|default|True False second False False None|defaults
p2p|mixed|True True second False False None|mixture
coll|mixed|True True second True False None|collective mixture
p2p|distances|False False distance False False None|distances
master|measured|False False second False True None|network ordered
probing|measured|False False second False True None|network ordered
reposting|measured|False False second False True None|network ordered
named|measured|False False second False False None|ordered
collects|measured|False False second False False None|ordered
one|measured|False False second False False None|ordered
meets|measured|False False second False False None|ordered
TABLE

check "JSON: ranks without an order" [ "$(run cost named measured --json | python3 -c 'import json, sys
print(json.load(sys.stdin)["partly_ordered"])')" = "{'phase': 0, 'senders': 3, 'ordered': 1}" ]
check "JSON: nobody has one" [ "$(run cost p2p measured --json | grep -c partly_ordered)" -eq 0 ]

# gains of the run: PATTERN|TOPOLOGY|line of the gain, without a time|run_gain, its low and its high
# end, run_gain_limit. Of 5 s in MPI, the estimate is 10 ms.
while IFS='|' read -r pattern topology line gains; do
  commands=(map cost compare); [ "$pattern" = alone ] && commands=(cost compare)
  for command in "${commands[@]}"; do
    [ $command = compare ] || check "$command $pattern $topology: gain" grep -qxF "$line" \
      <(run $command $pattern $topology | sed 's/^ *//; s/ ([^)]*s)\././; s/ (0.01)\././')
  done
  for command in "${commands[@]}"; do
    found=$(run $command $pattern $topology --json | python3 -c 'import json, sys
d = json.load(sys.stdin)
r = d.get("results", d.get("placements", [d]))[0]
print(*[k if k is None else round(k, 3) for k in (r["run_gain"], r["run_gain_low"], r["run_gain_high"], r["run_gain_limit"])])')
    check "$command $pattern $topology: $found" [ "$found" = "$gains" ]
  done
done <<'TABLE'
p2p|measured|Communication time: 90.0% less than in the default order. Run time: 0.1 to 45.0% less.|0.45 0.001 0.45 0.45
neighbours|measured|Communication time: 90.0% less than in the default order. Run time: 0.1 to 45.0% less.|0.45 0.001 0.45 0.45
coll|measured|Communication time: 90.0% less than in the default order. Run time: at most 50.0% less (not all communication is included).|None None None 0.5
unsure|measured|Communication time: 90.0% less than in the default order. Run time: at most 60.0% less (not all communication is included).|None None None 0.6
rma|measured|Communication time: 90.0% less than in the default order. Run time: at most 50.0% less (not all communication is included).|None None None 0.5
alone|measured|Communication time: the same as in the default order. Run time: at most 50.0% less (not all communication is included).|None None None 0.5
io|measured|Communication time: 90.0% less than in the default order. Run time: unknown (some calls have no times).|None None None None
untimed|measured|Communication time: 90.0% less than in the default order. Run time: unknown (the pattern has no times).|None None None None
p2p|distances|Communication cost: 90.0% less than in the default order.|None None None None
TABLE
# What the estimate explains of the time in MPI: the hosts of the run's ranks; near.json has them on
# a, b, b, a, and messages of 1 ms there.
while IFS='|' read -r hosts line; do
  set -- $hosts
  sed 's/"mpi_s":5/"mpi_s":0.004/' p2p.acp > here.acp
  for r in 0 1 2 3; do
    [ $# -gt 0 ] && sed -i "s/\"rank\":$r,/\"rank\":$r,\"host\":\"$1\",/" here.acp && shift
  done
  check "a run on ${hosts:-unknown hosts}" grep -qxF "  $line" <(run cost here measured)
  check "a run on ${hosts:-unknown hosts}: JSON" grep -q '"mpi_explained": 0.25,' <(run cost here measured --json)
done <<'TABLE'
a b b a|The run spent 0.0% of its time in MPI. It was on these hosts; the estimate explains 25.0% of that time.
a b a b|The run spent 0.0% of its time in MPI.
|The run spent 0.0% of its time in MPI.
TABLE
check "no times: nothing is explained" grep -q '"mpi_explained": null,' <(run cost untimed measured --json)
check "distances: nothing is explained" grep -q '"mpi_explained": null,' <(run cost p2p distances --json)
check "rank order itself gains nothing, whatever is left out" \
  grep -qE '^Communication time: the same as in the default order .*\. Run time: the same\.$' <(run map alone measured)
# what gets worse
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,1,3,2]}' > far.json
sed 's/\[\[3,/[[1,/' coll.acp > worse.acp
check "a loss" grep -qF -- '900.0% more than in the default order' \
  <("$berth" cost --pattern worse.acp --topology measured.json --mapping near.json)
check "says nothing of the rest" grep -qF 'Run time: at most 50.0% less' \
  <("$berth" cost --pattern worse.acp --topology measured.json --mapping near.json)

# distances: no command prints seconds of them
for command in map cost compare explore; do
  check "$command: no unit" [ "$(run $command p2p distances | grep -cE '[0-9] (n|u|µ|m)?s\b')" = 0 ]
  check "$command: a unit" [ "$(run $command p2p measured | grep -cE '[0-9] (n|u|µ|m)?s\b')" -gt 0 ]
done
unit='[0-9] (n|u|µ|m)?s\b'
for machine in distances measured; do
  expected=$([ $machine = distances ] && echo 0 || echo 1)
  rm -f b.acp
  "$berth" check --pattern p2p.acp --topology $machine.json --mapping near.json --baseline b.acp \
    --update > said
  "$berth" check --pattern p2p.acp --topology $machine.json --baseline b.acp --budget cost=3600s >> said
  check "check on $machine" [ "$(grep -cE "$unit" said | sed 's/^[1-9]/1/')" = $expected ]
  "$berth" report --pattern p2p.acp --topology $machine.json -o page.html --svg pictures near.json \
    > said
  check "pictures on $machine" [ "$(cat pictures/{cost,levels,tree-*}.svg | grep -cE "$unit" |
    sed 's/^[1-9][0-9]*/1/')" = $expected ]
  check "bars' values have room on $machine" python3 - pictures/levels.svg <<'PY'
import re, sys
for x, text in re.findall(r'class="value" x="([0-9.]+)"[^>]*>([^<]*)<', open(sys.argv[1]).read()):
    assert float(x) + 7.5 * len(text) < 480, (x, text)
PY
  check "the page on $machine" \
    [ "$(grep -c 'Costs have no unit and are no times' page.html)" = $((1 - expected)) ]
done
check "the number alone" grep -qF ': 0.001 (model port)' <(run map p2p distances)
"$berth" topo import -f levels 2:2/1:10 -o levels.json 2> /dev/null
check "levels are distances" grep -qxF '  "unit": "distance",' levels.json
printf 'SwitchName=s0 Nodes=n[0-1]\n' > topology.conf
"$berth" topo discover --slurm topology.conf --like levels.json -o joined.json 2> /dev/null
check "hosts of such a machine make another one" grep -qxF '  "unit": "distance",' joined.json
shown() { "$berth" topo show --json "$1" | python3 -c 'import json, sys
d = json.load(sys.stdin); print(d["unit"], d["measured"])'; }
check "shown" [ "$(shown levels.json)" = "distance False" ]
check "and bandwidths" [ "$(shown measured.json)" = "second True" ]
check "topo show says it" grep -q 'stand for distances' <("$berth" topo show levels.json)
sed 's/"unit":"distance"/"unit":"mile"/' distances.json > bad.json
expect 3 "berth topo: bad.json: unit: found \"mile\", expected second or distance" "$berth" topo show bad.json

# a gain that is within what the numbers leave open says so where it stands
machine unsure.json '"model_error":{"port":20},' clock clock
for command in map cost; do
  check "$command: doubt in the gain's line" grep -qE 'time: 90.0% less .*, no verdict' <(run $command p2p unsure)
  check "$command: and why behind it" grep -q '^  no verdict against the default order' \
    <(run $command p2p unsure | grep -A2 'no verdict')
done
finish
