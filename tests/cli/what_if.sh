#!/usr/bin/env bash
# What if? `--set` changes a machine in every command that estimates, and `berth compare` puts machines,
# or the values of a sweep, side by side.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cp "$data/cases/halo16-linear.acp" p.acp
"$berth" topo make leaf:4 host:4 core:1 leaf=2:1 host=10GbE -q -o t.json
"$berth" topo make leaf:2 host:8 core:1 leaf=2:1 host=25GbE -q -o u.json
cp t.json before.json
"$berth" map --pattern p.acp --topology t.json --algorithm random --seed 3 --mapping random.json > /dev/null 2>&1
# field FILE EXPRESSION: a Python expression over the file as t
field() { python3 -c 'import json, sys; t = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }
cost() { "$berth" cost --pattern p.acp --topology t.json --mapping random.json --json "$@" > cost.json; }

# --set: the number that limits the placement counts, others don't
cost --set 'leaf.up*=0.2'; plain=$(field cost.json 't["results"][0]["cost_s"]')
while read -r changes ratio; do
  args=(); for change in ${changes//+/ }; do args+=(--set "$change"); done
  cost "${args[@]}"
  is "$changes: $ratio times the cost" "$(field cost.json "round(t['results'][0]['cost_s'] / $plain, 2)")" "$ratio"
done <<'ROWS'
leaf.up*=0.1 2.0
leaf.up*=0.05 4.0
leaf.up*=0.05+leaf.up*=4 1.0
leaf.up*=0.2+host.rate*=4 1.0
leaf.up*=0.2+network.all=1000GB/s 1.0
ROWS
is "the changes" "$(field cost.json 't["changes"]')" "['leaf.up*=0.2', 'network.all=1000GB/s']"
check "the file stays as it was" cmp -s t.json before.json
for command in "map" "cost --mapping random.json" "compare random.json" "explore --samples 10" "report -o r.html random.json"; do
  read -ra words <<< "$command"
  expect 3 "berth ${words[0]}: --set rack.up*=2: found no type \"rack\", expected network, leaf or host" \
    "$berth" "${words[@]}" --pattern p.acp --topology t.json --set 'rack.up*=2'
done
"$berth" report --pattern p.acp --topology t.json random.json --set 'leaf.up*=2' -o r.html > /dev/null 2>&1
check "the report names the change" grep -q 'cluster with leaf.up\*=2' r.html

# types have the names by which `topo make` takes them, too
"$berth" topo make host:2 socket:2 core:4 -q -o sockets.json
"$berth" make pattern ring -n 16 -q -o ring.acp
cost_with() { "$berth" map ring.acp sockets.json --set "$1.all=2GB/s" --json 2> /dev/null | grep cost_s; }
is "a socket is a package" "$(cost_with socket)" "$(cost_with package)"

# a sweep: each value is what `map --set` finds
compare() { "$berth" compare --pattern p.acp "$@" 2> /dev/null; }
compare --topology t.json --sweep leaf.rate=1GbE,10GbE,25GbE,100GbE --json > sweep.json
is "values" "$(field sweep.json '[m["name"] for m in t["machines"]]')" "['1GbE', '10GbE', '25GbE', '100GbE']"
is "the change of each" "$(field sweep.json 't["machines"][2]["change"]')" leaf.rate=25GbE
is "what limits" "$(field sweep.json '[m["bottleneck_level"] for m in t["machines"]]')" "['leaf', 'leaf', 'host', 'host']"
for i in 0 1 2 3; do
  "$berth" map --pattern p.acp --topology t.json --set "$(field sweep.json "t['machines'][$i]['change']")" \
    --mapping best.json > /dev/null 2>&1
  is "value $i is the cost of map --set" "$(field sweep.json "round(t['machines'][$i]['best_s'], 9)")" \
    "$(field best.json 'round(t["cost_s"], 9)')"
done
compare --topology t.json --sweep leaf.rate=1GbE,10GbE,25GbE,100GbE > sweep.txt
is "the verdict" "$(head -n 2 sweep.txt)" "Up to leaf.rate=10GbE, leaf links limit the best placement.
From leaf.rate=25GbE on, host links limit the best placement."
check "80 columns are enough" [ "$(awk 'length > 80' sweep.txt | grep -vc '^note')" = 0 ]
is "a bar for each value" "$(grep -c '|#' sweep.txt)" 4
is "one stretch" "$(compare --topology t.json --sweep 'leaf.up*=0.2,0.5' | head -n 1)" \
  "At each value, leaf links limit the best placement."

# several machines
compare --topology t.json --topology u.json > machines.txt
check "the cheapest one first" grep -qE '^Least communication time: u, [0-9.]+ ms. The other one takes [0-9.]+ times as long.$' machines.txt
compare --topology t.json --topology u.json --csv > machines.csv
is "CSV" "$(cut -d, -f1-5 machines.csv | paste -sd' ')" \
  'name,topology,change,hosts,pus "t","t.json","",16,16 "u","u.json","",16,16'
compare --topology t.json --topology u.json --sweep 'host.up*=1,2' --json > both.json
is "machines and values" "$(field both.json '[m["name"] for m in t["machines"]]')" "['t 1', 't 2', 'u 1', 'u 2']"
compare --topology t.json --topology t.json > same.txt
check "equal machines" grep -q '^All machines take the same communication time: ' same.txt

# equal ones are all named: MACHINES|THE VERDICT, with N for numbers
for i in 1 2 3 4 5; do cp u.json u$i.json; cp t.json t$i.json; done
while IFS='|' read -r machines verdict; do
  is "cheapest of $machines" "$(compare $(printf -- '-t %s.json ' $machines) | head -n 1 |
    sed -E 's/[0-9]+\.[0-9]+/N/g')" "$verdict"
done << 'TABLE'
t u1 u2|Least communication time: u1 and u2, N ms each. The other one takes N times as long.
u1 t u2 u3|Least communication time: u1, u2 and u3, N ms each. The other one takes N times as long.
t1 u t2|Least communication time: u, N ms. The others take N times as long.
u u1 u2 u3 u4 t|Least communication time: u, u1, u2 and 2 more, N ms each. The other one takes N times as long.
TABLE
is "values in any order" "$(compare --topology t.json --sweep leaf.rate=25GbE,1GbE | head -n 1 | cut -d, -f1)" \
  "Least communication time: 25GbE"
is "machines and values: the cheapest one first" \
  "$(compare --topology t.json --topology u.json --sweep host.rate=1GbE,10GbE | head -n 1 | cut -d, -f1)" \
  "Least communication time: t 10GbE and u 10GbE"
cp t.json a-cluster-with-a-long-name-1.json; cp u.json a-cluster-with-a-long-name-2.json
check "long names are whole" [ "$(compare --topology a-cluster-with-a-long-name-1.json \
  --topology a-cluster-with-a-long-name-2.json | grep -c '^a-cluster-with-a-long-name-[12] ')" = 6 ]
"$berth" topo make host:2 core:2 -q -o small.json
expect 3 "berth compare: small.json: found 16 ranks in the pattern, expected at most 4, the usable PUs of topology 'cluster' (4 in all, --reserve 0, --ranks-per-pu 1)" \
  "$berth" compare --pattern p.acp --topology t.json --topology small.json
for i in 1 2 3 4 5; do "$berth" map p.acp t.json -o piped.json 2> /dev/null | head -n 1 > /dev/null; done
check "a reader that ends early loses no file" [ -s piped.json ]
"$berth" map p.acp t.json --from piped.json > kept
is "a placement that nothing beats" "$(head -n 1 kept | cut -d: -f1)" "Keep the current placement"
is "an algorithm that was asked for" "$("$berth" map p.acp t.json --algorithm linear | head -n 1)" \
  "Keep the default order: this placement takes as much communication time as in the default order."

# errors
usage="
Try \`berth compare --help' or \`berth compare --usage' for more information."
expect 2 "berth compare: expected at least one mapping$usage" "$berth" compare --pattern p.acp --topology t.json
expect 2 "berth compare: found mappings, --against or --models with several machines, expected that berth places the ranks on each$usage" \
  "$berth" compare --pattern p.acp --topology t.json --topology u.json random.json
expect 2 "berth compare: --sweep: found 'leaf', expected TYPE.FIELD=VALUE,VALUE... or TYPE.FIELD*=FACTOR,...$usage" \
  "$berth" compare --pattern p.acp --topology t.json --sweep leaf
expect 2 "berth compare: found --quality or --threads with mappings, expected several machines$usage" \
  "$berth" compare --pattern p.acp --topology t.json random.json --quality fast
expect 3 "berth compare: t.json: --sweep leaf.rate=x: found \"x\", expected a rate, such as 100Gbit/s or 2x12.5GB/s" \
  "$berth" compare --pattern p.acp --topology t.json --sweep leaf.rate=1GbE,x
expect 2 "berth map: --topology: found 't.json' and 'u.json', expected one file
Try \`berth map --help' or \`berth map --usage' for more information." \
  "$berth" map --pattern p.acp --topology t.json --topology u.json
"$berth" topo import 4:4/1:10 -o d.json 2> /dev/null
expect 3 "berth compare: found distances in one of t.json and d.json, and bandwidths in the other; expected the same in all" \
  "$berth" compare --pattern p.acp --topology t.json --topology d.json
finish
