#!/usr/bin/env bash
# Bad input through the command line: the line and the exit code of each. (What each reader refuses
# in detail is in the tables of tests/pattern, tests/topo and tests/map.)
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
c=$data/cases/chain5
cp "$c.acp" p.acp && cp "$c.topo.json" t.json && cp "$c.mapping.json" m.json
m() { "$berth" map --pattern "${1:-p.acp}" --topology "${2:-t.json}" "${@:3}"; }
k() { "$berth" cost --pattern "${1:-p.acp}" --topology "${2:-t.json}" --mapping "${3:-m.json}" "${@:4}"; }
topology() { # a machine of one host, its root given
  cat > "$1" <<JSON
{"format":"berth-topology","version":1,"name":"x","curves":${3:-{\}},
 "types":{"t":${4:-{\}}},"root":$2}
JSON
}
host='{"type":"t","name":"h","host":"h","children":[{"pu":0,"core":0}]}'

# files that are not there, not whole, or of another kind
expect 4 "berth map: --pattern no.acp: cannot open: No such file or directory" m no.acp
expect 4 "berth map: --topology no.json: cannot open: No such file or directory" m p.acp no.json
echo 'SwitchName=s Nodes=a,b' > slurm.conf
while IFS='|' read -r words found; do # COMMAND WITH FILES|WHAT IS SAID OF THEM
  # shellcheck disable=SC2086
  expect 3 "berth ${words%% *}: $found" "$berth" $words
done <<'TABLE'
map --pattern t.json --topology t.json|--pattern t.json: found a topology, expected a pattern (from berth trace or berth import)
map --pattern m.json --topology t.json|--pattern m.json: found a mapping, expected a pattern (from berth trace or berth import)
map --pattern p.acp --topology p.acp|--topology p.acp: found a pattern, expected a topology (from berth topo)
map --pattern p.acp --topology m.json|--topology m.json: found a mapping, expected a topology (from berth topo)
map --pattern p.acp --topology t.json --from t.json|--from t.json: found a topology, expected a mapping (from berth map, Scotch or METIS)
cost --pattern p.acp --topology t.json --mapping p.acp|--mapping p.acp: found a pattern, expected a mapping (from berth map, Scotch or METIS)
compare --pattern p.acp --topology t.json --against t.json m.json|t.json: found a topology, expected a mapping (from berth map, Scotch or METIS)
check --pattern p.acp --topology t.json --baseline t.json|--baseline t.json: found a topology, expected a pattern (from berth trace or berth import)
report --pattern t.json --topology t.json -o r.html m.json|--pattern t.json: found a topology, expected a pattern (from berth trace or berth import)
explore --pattern p.acp --topology m.json m.json|--topology m.json: found a mapping, expected a topology (from berth topo)
write --mapping t.json --topology t.json rankfile=r|--mapping t.json: found a topology, expected a mapping (from berth map, Scotch or METIS)
show t.json|t.json: found a topology, expected a pattern (from berth trace or berth import)
topo show p.acp|p.acp: found a pattern, expected a topology (from berth topo)
topo discover --slurm slurm.conf --like m.json -o o.json|--like m.json: found a mapping, expected a topology (from berth topo)
calibrate --topology p.acp -o o.json -- true|--topology p.acp: found a pattern, expected a topology (from berth topo)
TABLE
echo "{" > open.json
expect 3 "berth map: --topology open.json:2:1: not valid JSON: found the end of the text" m p.acp open.json
head -c 200 p.acp > cut.acp
expect 3 "berth map: --pattern cut.acp:3: found the end of the file in this line: the file is truncated (--truncated takes what is there)" m cut.acp
head -n 5 p.acp > lines.acp
expect 3 "berth map: --pattern lines.acp:5: found the end of the file, expected a line of kind \"end\": the file is truncated (--truncated takes what is there)" m lines.acp
expect 0 "note: the pattern is truncated after line 5, with what 0 of 5 ranks sent (lines.acp:5: found the end of the file, expected a line of kind \"end\": the file is truncated)" \
  m lines.acp t.json --truncated
# a cut that leaves half of a zstd frame: of one block nothing is there, of several the first ones
python3 - <<'PY'
with open("long.acp", "w") as f:
    f.write('{"format":"berth-pattern","version":1,"ranks":9999}\n')
    for r in range(9999):
        f.write('{"kind":"p2p","src":%d,"msgs":[%s]}\n' % (r, ",".join(
            "[%d,%d,1]" % ((r * k * 7919) % 9999, 100 + r * k % 977) for k in range(1, 4))))
    f.write('{"kind":"end","records":9999}\n')
PY
for name in p long; do zstd -q $name.acp && head -c $(($(stat -c %s $name.acp.zst) / 2)) $name.acp.zst > $name-cut.acp.zst; done
expect 3 "berth map: --pattern p-cut.acp.zst: found the end of the file in a zstd frame: the file is truncated, and nothing of it can be taken: its header is incomplete" m p-cut.acp.zst
check "half a frame is told of --truncated" grep -qE '^berth show: long-cut.acp.zst:[1-9][0-9]*: found the end of the file in a zstd frame: the file is truncated \(--truncated takes what is there\)$' \
  <("$berth" show long-cut.acp.zst 2>&1)
check "which takes it" grep -qx '9999 ranks' <("$berth" show --truncated long-cut.acp.zst)
: > empty.acp
expect 3 "berth map: --pattern empty.acp: found an empty file, expected a header line" m empty.acp
sed 's/"version":1/"version":7/' p.acp > v7.acp
expect 3 "berth map: --pattern v7.acp:1: version: found 7, expected version 1, the one this berth reads" m v7.acp
sed 's/"version": 1/"version": 7/' t.json > v7.json
expect 3 "berth map: --topology v7.json: version: found 7, expected version 1, the one this berth reads" \
  m p.acp v7.json

# ranks and PUs
sed 's/\[1,100000,50\]/[5,100000,50]/' p.acp > rank.acp
expect 3 "berth map: --pattern rank.acp:8: msgs[0][0]: found 5, expected a whole number from 0 to 4" m rank.acp
topology one.json "$host"
expect 3 "berth map: found 5 ranks in the pattern, expected at most 1, the usable PUs of topology 'x' (1 in all, --reserve 0, --ranks-per-pu 1)" m p.acp one.json
sed 's/\[0/[99/' m.json > far.json
expect 3 "berth cost: --mapping far.json: pu_of_rank[0]: found 99, expected a whole number from 0 to 15" \
  k p.acp t.json far.json
sed 's/"pu_of_rank": \[[0-9]*, [0-9]*/"pu_of_rank": [3, 3/' m.json > two.json
expect 3 "berth cost: --mapping two.json: pu_of_rank[1]: found PU 3, which rank 0 has already, expected a free one (sharing a PU is taken only with --oversubscribe)" k p.acp t.json two.json
expect 0 "" k p.acp t.json two.json --oversubscribe
m p.acp t.json --mapping here.json > out || exit 1
sed 's/"machine": ".*"/"machine": "12"/' here.json > short.json
expect 3 "berth cost: --mapping short.json: machine: found \"12\", expected 16 digits from 0 to 9 and a to f" \
  k p.acp t.json short.json
sed 's/"reserve": 0/"reserve": -1/' here.json > scope.json
expect 3 "berth cost: --mapping scope.json: scope.reserve: found -1, expected a whole number from 0 to 2147483647" \
  k p.acp t.json scope.json
expect 2 "berth map: --hosts: found 'nowhere', expected a host of topology 'xserve 5+3'" \
  m p.acp t.json --hosts h0,nowhere

expect 2 "berth cost: --hosts: found 'nowhere', expected a host of topology 'xserve 5+3'" \
  k p.acp t.json m.json --hosts nowhere
left="expected a core that"
expect 3 "berth cost: m.json: rank 2: found PU 2 of host h1, core 0, $left --hosts h0 leaves" \
  k p.acp t.json m.json --hosts h0
expect 3 "berth cost: m.json: rank 1: found PU 1 of host h0, core 1, $left --reserve 1 leaves" \
  k p.acp t.json m.json --reserve 1
expect 3 "berth cost: m.json: rank 1: found PU 1 of host h0, core 1, $left --hosts h[0-4] with --reserve 1 leaves" \
  k p.acp t.json m.json --hosts 'h[0-4]' --reserve 1
expect 3 "berth cost: m.json: rank 0: found PU 0 of host h0, core 0, $left --reserve 9 leaves" \
  k p.acp t.json m.json --reserve 9
expect 0 "" k p.acp t.json m.json --hosts 'h[0-2]'
k p.acp one.json <(echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,0,0,0,0]}') \
  --oversubscribe > out 2>&1
check "that linear doesn't fit" \
  grep -qF "  The default order doesn't fit: 5 ranks, fewer PUs for them. --ranks-per-pu lets it share PUs." out
first_line() { "$@" 2>&1 > /dev/null | head -n 1; }
usage() { # LINE COMMAND…: wrong usage: the line, a hint behind it, and code 2
  local line=$1; shift
  check "usage: $line" [ "$(first_line "$@")" = "$line" ]
  "$@" > /dev/null 2>&1
  check "usage exits 2: $line" [ $? -eq 2 ]
}
usage "berth map: --algorithm: found 'fast', expected linear, round-robin, random, greedy, metis, multilevel, geometric, stay, refine, exact or best" \
  m p.acp t.json --algorithm fast
usage "berth map: found 'x' for two outputs, expected different files" \
  m p.acp t.json --mapping x --rankfile x
usage "berth map: found '-' for two inputs, expected one from standard input" m - -
usage "berth cost: --model: found 'fast', expected port, bound, sum or flow" k p.acp t.json m.json --model fast
usage "berth cost: --pairs: found '-3', expected a whole number from 0 to 1000000" \
  k p.acp t.json m.json --pairs -3
usage "berth cost: expected a pattern and a topology" "$berth" cost --mapping m.json
usage "berth cost: expected at least one mapping" \
  "$berth" cost --pattern p.acp --topology t.json
sed 's/"pu_of_rank"/"pu_of_rank": [0], "pu_of_rank"/' m.json > twice.json
expect 3 'berth cost: --mapping twice.json: found key "pu_of_rank" twice in an object, expected it once' \
  k p.acp t.json twice.json
sed 's/"xserve 5+3"/"x\\u0000y"/' t.json > nul.json
expect 3 'berth cost: --topology nul.json:4:12: found \u0000, expected strings without it' k p.acp nul.json
sed 's/"xserve 5+3"/"x\\u001by"/' t.json > escape.json
expect 3 'berth cost: --topology escape.json: name: found "x?y", expected a string without control characters' \
  k p.acp escape.json

# machines that cannot be
h() { echo "{\"type\":\"t\",\"name\":\"$1\",\"host\":\"$1\",\"children\":[{\"pu\":0,\"core\":0}]}"; }
bad() { topology bad.json "$2" "${3:-}" "${4:-}"; expect 3 "berth map: --topology bad.json:$1" m p.acp bad.json; }
curve() { echo "{\"c\":{\"points\":$1}}"; }
port='{"up":{"out":"c","max_bandwidth":50}}'
bad " curves.c.points[1]: found size 8 after size 8, expected sizes to increase" \
  "$host" "$(curve '[[8,100],[8,200]]')"
bad " curves.c.points[0]: found size -1, expected a number above 0" "$host" "$(curve '[[-1,100]]')"
bad " curves.c.points[0]: found bandwidth inf, expected at most 1e18" \
  "$host" "$(curve '[[1,1e999]]')"
bad " curves.c: found a curve without points, expected at least one" "$host" "$(curve '[]')"
bad ' types.t.up.max_bandwidth: found 50, expected at least 100, the largest bandwidth of curve "c"' \
  "$host" "$(curve '[[1,100]]')" "$port"
many=$(h n%d)
for _ in 1 2 3; do
  many="{\"type\":\"t\",\"name\":\"s\",\"repeat\":10000,\"children\":[$many]}"
done
topology bad.json "{\"type\":\"t\",\"name\":\"r\",\"children\":[$many]}"
m p.acp bad.json > out 2>&1
check "10^12 PUs exit 3" [ $? -eq 3 ]
check "10^12 PUs are counted" grep -q "100000000 PUs with all repeats, expected at most 16777216" out
check "10^12 PUs get one line" [ "$(wc -l < out)" -eq 1 ]
deep=$(printf '{"children":[%.0s' $(seq 5000))
bad "2:6525: found JSON nested deeper than 1000 levels" "$deep"

# nothing is written when something is wrong
m far.acp t.json --mapping out.json > /dev/null 2>&1
check "no output of a failed run" [ ! -e out.json ]
expect 4 "berth map: no/where.json: cannot write: No such file or directory" \
  m p.acp t.json --mapping no/where.json
mkdir outputs && echo old > outputs/old.json
none() { # MISSING OPTION…: one of several outputs can't be written: all stay as they were
  expect 4 "berth map: $1: cannot write: No such file or directory" m p.acp t.json "${@:2}"
  check "only what was there: ${*:2}" [ "$(ls -A outputs)$(cat outputs/old.json)" = old.jsonold ]
}
none no/x --rankfile no/x --mapping outputs/m.json
none no/g --mapping outputs/old.json --groups no/g --rankfile outputs/r
m p.acp t.json --rankfile no/x --mapping - > printed 2> err
check "nothing is printed either" [ ! -s printed ]
expect 0 "" m p.acp t.json --mapping outputs/old.json --rankfile outputs/r
check "all of them" [ "$(echo outputs/*)" = "outputs/old.json outputs/r" ]

# bandwidths that no time follows from
cat > two.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":2}
{"kind":"p2p","src":0,"msgs":[[1,1000,5]]}
{"kind":"end","records":1}
ACP
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,1]}' > two.map
pus='{"type":"t","name":"h","host":"h","children":[{"pu":0,"core":0},{"pu":1,"core":1}]}'
too_long="phase 0: found messages that take more than 1.8e+308 s on the topology's ports, expected less"
topology slow.json "$pus" '{"c":{"points":[[1,1e-307]]}}' '{"down":{"out":"c","in":"c"}}'
topology none.json "$pus" "{}" '{"down":{"max_bandwidth":1e-310}}'
for model in port bound sum flow; do
  expect 3 "berth cost: $too_long" k two.acp slow.json two.map --model $model
  expect 3 "berth cost: $too_long" k two.acp none.json two.map --model $model
done
expect 3 "berth map: $too_long" m two.acp slow.json
topology fast.json "$pus" '{"c":{"points":[[1,1e18]]}}' '{"down":{"out":"c","in":"c"}}'
for model in port bound sum flow; do expect 0 "" k two.acp fast.json two.map --model $model; done
topology unsure.json "$pus" \
  '{"c":{"points":[[1,1]],"measured":{"samples":[2],"spread":[1000]}}}' '{"down":{"out":"c","in":"c"}}'
expect 0 "" k two.acp unsure.json two.map
finish
