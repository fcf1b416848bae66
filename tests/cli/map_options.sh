#!/usr/bin/env bash
# What may be used and who stays where: the options of `berth map` that change the problem.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
# two hosts of two cores of two threads: PUs 0 to 3 and 4 to 7
cat > t.json <<'JSON'
{"format":"berth-topology","version":1,"name":"smt","curves":{},
 "types":{"top":{},"host":{"up":{"max_bandwidth":100},"down":{"max_bandwidth":1000}}},
 "root":{"type":"top","name":"top","children":[
  {"type":"host","name":"n%d","host":"n%d","repeat":2,"children":[
   {"pu":0,"core":0},{"pu":1,"core":0},{"pu":2,"core":1},{"pu":3,"core":1}]}]}}
JSON
# ring N: rank r sends to r + 1
ring() {
  echo "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":$1}"
  for ((r = 0; r < $1; r++)); do
    echo "{\"kind\":\"p2p\",\"src\":$r,\"msgs\":[[$(((r + 1) % $1)),100,1]]}"
  done
  echo "{\"kind\":\"end\",\"records\":$1}"
}
for n in 4 5 12; do ring $n > p$n.acp; done
m() { "$berth" map --pattern "p$1.acp" --topology t.json "${@:2}"; }
# pus NAME EXPECTED RANKS OPTION…: the PUs that ranks get
pus() {
  local name=$1 expected=$2 found
  found=$(m "${@:3}" --json | python3 -c 'import json,sys; print(*json.load(sys.stdin)["pu_of_rank"])')
  checks=$((checks + 1))
  [ "$found" = "$expected" ] && return
  failures=$((failures + 1)) && echo "FAILED: $name: found '$found', expected '$expected'"
}
pus "a core each" "0 2 4 6" 4 --algorithm linear
pus "threads as good as cores" "0 1 2 3" 4 --algorithm linear --any-thread
pus "more ranks than PUs" "0 0 1 1 2 2 3 3 4 4 5 5" 12 --algorithm linear --ranks-per-pu 2
pus "shared only as far as needed" "0 2 4 6" 4 --algorithm linear --ranks-per-pu 3
pus "the nearest rank stays" "0 4 2 6" 4 --algorithm linear --pin 2=n0:1 --pin 1=4
pus "a core's second rank gets its second thread" "2 3 0 4" 4 --algorithm linear \
  --pin 0=n0:1 --pin 1=n0:1
printf '# the user knows\n\n 3 = n0:0 # here\n0=n1:1\r\n' > bad.pins
printf '# the user knows\n\n 3=n0:0 # here\n0=n1:1\r\n' > pins
for algorithm in linear round-robin random greedy refine best; do
  m 4 --algorithm $algorithm --pin pins --min-gain 0 --json > out.json
  check "$algorithm keeps pins" python3 -c 'import json
p = json.load(open("out.json"))["pu_of_rank"]
assert p[3] == 0 and p[0] == 6 and len(set(p)) == 4, p'
done
expect 3 "berth map: --pin bad.pins:3: found rank '3 ', expected one from 0 to 3, the ranks of the pattern" \
  m 4 --pin bad.pins
printf '0=0\n1=\0001\n' > nul.pins
expect 3 "berth map: --pin nul.pins:2: found a NUL byte, expected text" m 4 --pin nul.pins
expect 4 "berth map: --pin nowhere: cannot open: No such file or directory" m 4 --pin nowhere
expect 2 "berth map: --pin: found rank '4', expected one from 0 to 3, the ranks of the pattern" \
  m 4 --pin 4=0
check "what would write something is named" grep -qx \
  "Nothing was written. Use --mapping FILE, --rankfile FILE or --write FORMAT=FILE." <(m 4)
expect 2 "berth map: --pin: found rank 1 twice, expected it once" m 4 --pin 1=0 --pin 1=2
expect 2 "berth map: --pin: found PU '8', expected HOST:CORE or one from 0 to 7 of topology 'smt'" \
  m 4 --pin 1=8
expect 2 "berth map: --pin: found host 'n2', expected one of topology 'smt'" m 4 --pin 1=n2:0
expect 2 "berth map: --pin: found core '2', expected one of host n1" m 4 --pin 1=n1:2
expect 2 "berth map: --pin: found PU 4 for rank 2, which rank 0 has already, expected at most 1 there (--ranks-per-pu)" \
  m 4 --pin 0=4 --pin 2=4
expect 2 "berth map: --pin: found PU 6 (n1, core 1) for rank 2, expected one that --reserve and --hosts leave to ranks" \
  m 4 --pin 2=n1:1 --hosts n0 --any-thread
expect 3 "berth map: found 12 ranks in the pattern, expected at most 8, the usable PUs of topology 'smt' (8 in all, --reserve 0, --ranks-per-pu 1)" m 12

# what best says
cat > far.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":4}
{"kind":"p2p","src":0,"msgs":[[2,1000,1],[1,995,1]]}
{"kind":"p2p","src":1,"msgs":[[3,1000,1]]}
{"kind":"end","records":2}
ACP
f() { "$berth" map --pattern far.acp --topology t.json "$@"; }
says() { # NAME LINE OPTION…: berth map prints that line
  check "$1" grep -qxF "$2" <(f "${@:3}")
}
check "candidates" grep -qE "^tried: linear 20.00 s, round-robin 9.950 s, .*refine 9.950 s" <(f)
says "linear alone" "tried: linear 20.00 s" --algorithm linear
f --algorithm linear --json > linear.json
check "other algorithms leave nothing" python3 -c 'import json
assert json.load(open("linear.json"))["left_as_it_is"] is None'
f --time-limit 1e-9 --json > hurried.json
check "no search is begun when the time is up" python3 -c 'import json
names = [c["algorithm"] for c in json.load(open("hurried.json"))["candidates"]]
assert "greedy" in names and "refine" not in names, names'
f --quality fast --json > fast.json
check "fast looks at what a partitioner's time allows" python3 -c 'import json
names = [c["algorithm"] for c in json.load(open("fast.json"))["candidates"]]
assert names == ["linear", "round-robin", "multilevel", "geometric"], names'
cat > star.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":4}
{"kind":"p2p","src":0,"msgs":[[1,1000,1],[2,1000,1],[3,1000,1]]}
{"kind":"end","records":1}
ACP
check "where there is no grid, geometric leaves it to others at quality fast" \
  grep -qE "^tried: linear [^,]*, round-robin [^,]*, multilevel [^,]*$" \
  <("$berth" map --pattern star.acp --topology t.json --quality fast)
check "and serves alone" \
  "$berth" map --pattern star.acp --topology t.json --quality fast --algorithm geometric --mapping star.json
says "exact's price is the best bound" \
  "lower bound: 9.950 s. Another placement could save at most 0.0%."
says "a bound from what must leave hosts" \
  "lower bound: 9.950 s. Another placement could save at most 50.3%." --algorithm linear
says "too little to gain" \
  "Keep the current order: round-robin would save 50%, less than the 60% of --min-gain." --min-gain 60
f --min-gain 60 --json > kept.json
f --json > taken.json
check "what was kept and why" python3 -c 'import json
kept, taken = (json.load(open(f)) for f in ("kept.json", "taken.json"))
assert kept["algorithm"] == "linear" and kept["pu_of_rank"] == [0, 2, 4, 6], kept
assert abs(kept["left_as_it_is"]["gain"] - 0.5025) < 1e-9, kept
assert kept["left_as_it_is"]["cheapest"] == taken["algorithm"] != "linear", taken
assert taken["left_as_it_is"] is None and taken["price_s"] == taken["cost_s"], taken
assert abs(taken["price_s"] - 9.95) < 1e-9, taken
assert len(taken["candidates"]) >= 5 and taken["gap"] < 1e-9, taken'
# ran SECONDS HOST…: the same from a run that took so long, rank by rank on these hosts
ran() {
  head -n 1 far.acp
  for r in 0 1 2 3; do
    echo "{\"kind\":\"rank\",\"rank\":$r,\"host\":\"${*:$((r + 2)):1}\",\"pid\":1,\"wall_s\":$1,\"mpi_s\":$(($1 / 2))}"
  done
  sed -n '2,3p' far.acp
  echo '{"kind":"end","records":6}'
}
kept_for() { # NAME LINE SECONDS HOST… -- OPTION…: what is said of the current order
  local name=$1 line=$2
  shift 2
  ran "${@:1:5}" > ran.acp
  check "$name" [ "$("$berth" map --pattern ran.acp --topology t.json "${@:6}" | grep "^Keep")" = "$line" ]
}
little="Keep the current order: round-robin would save 50% of the communication time, 10.05 s. That is less than 1% of the recorded run. --min-gain 0 takes it."
kept_for "a hundredth of the run" "" 1000 n0 n0 n1 n1
kept_for "less of it" "$little" 1010 n0 n0 n1 n1
kept_for "a run elsewhere" "" 1010 n0 n1 n0 n1
kept_for "less of it, as asked for" "" 1010 n0 n0 n1 n1 --min-gain 0
f --quality fast --json > fast.json
check "fast doesn't search" python3 -c 'import json
names = [c["algorithm"] for c in json.load(open("fast.json"))["candidates"]]
assert "linear" in names and "refine" not in names and "exact" not in names, names'
for share in 0 50 100; do
  f --sum-share $share --json > share.json
  check "$share% of sum" python3 -c 'import json, sys
share, r = int(sys.argv[1]) / 100, json.load(open("share.json"))
linear = r["candidates"][0]["price_s"]
assert abs(linear - 20) < 1e-9, r' $share
done
check "half the sum is said to be in prices" \
  grep -q "^tried (costs with the share of sum and moves)" <(f --sum-share 50)
expect 0 "" f --time-limit 5 --iterations 100 --threads 2 --quality strong
for n in 1 3; do f --iterations 50 --threads $n --json > work.$n; done
check "the same work, the same bytes" cmp work.1 work.3
first_line() { "$@" 2>&1 > /dev/null | head -n 1; }
usage() { check "usage: $1" [ "$(first_line "${@:2}")" = "$1" ]; }
usage "berth map: --quality: found 'best', expected fast, eco or strong" f --quality best
usage "berth map: --time-limit: found '-1', expected a number of seconds from 0 to 1e15" f --time-limit -1
usage "berth map: --move-price: found 'x', expected a number of seconds from 0 to 1e15" f --move-price x
usage "berth map: --sum-share: found '101', expected a percentage from 0, at most 100" \
  f --sum-share 101
usage "berth map: --stable: found no --from, expected the mapping that ranks are placed by" f --stable
usage "berth map: --move-price: found no --from, expected the mapping that ranks are placed by" f --move-price 1
usage "berth map: --moves: found no --from, expected the mapping that ranks are placed by" f --moves 1
usage "berth map: --moves: found '-1', expected a whole number from 0 to 2147483647" f --moves -1
usage "berth map: --moves: found 'few', expected a whole number from 0 to 2147483647" f --moves few
expect 2 "berth map: stay: found no mapping, expected one with --from" f --algorithm stay
expect 2 "berth map: exact: found 16 ranks, expected at most 12" "$berth" map --algorithm exact \
  --pattern "$data/cases/random-00.acp" --topology "$data/cases/random-00.topo.json"

# where ranks are now
from() { echo "{\"format\":\"berth-mapping\",\"version\":1,\"pu_of_rank\":$1}" > now.json; }
moves() { # NAME PUS OPTION…: where ranks are after a remapping from now.json
  local found
  found=$(f --from now.json "${@:3}" --json | python3 -c '
import json,sys; print(*json.load(sys.stdin)["pu_of_rank"])')
  checks=$((checks + 1))
  [ "$found" = "$2" ] && return
  failures=$((failures + 1)) && echo "FAILED: $1: found '$found', expected '$2'"
}
from '[0, 2, 4, 6]'
moves "moving is worth it" "0 4 2 6" --move-price 1
moves "moving is too dear" "0 2 4 6" --move-price 6
moves "nobody moves" "0 2 4 6" --stable
moves "those who may stay do" "0 2 4 6" --stable --move-price 6
check "which is said" grep -q "^Keep the current order: .* would save [0-9.]*%, less than the 45% of" \
  <(f --from now.json --move-price 1 --min-gain 45)
moves "a limit of 0 keeps everything" "0 2 4 6" --moves 0
moves "one move alone brings nothing" "0 2 4 6" --moves 1
moves "two do" "0 4 2 6" --moves 2
moves "a price goes with a limit" "0 2 4 6" --moves 2 --move-price 6
moves "also by another algorithm" "0 2 4 6" --moves 0 --algorithm greedy
moves "also when the time is up" "0 2 4 6" --moves 0 --time-limit 1e-9
moves "also with second threads" "0 2 4 6" --moves 0 --any-thread
moves "ranks on PUs that are gone may move" "0 2 1 3" --moves 0 --hosts n0
moves "pinned ranks move" "6 2 4 0" --moves 2 --pin 0=6
must='the ranks that must leave their PU in --from'
expect 2 "berth map: --moves: found 1, expected at least 2, $must" f --from now.json --moves 1 --pin 0=6
expect 2 "berth map: --moves: found 0, expected at least 2, $must" \
  f --from now.json --moves 0 --stable --pin 0=6
expect 2 "berth map: --moves: found 0, expected at least 1, $must" f --from now.json --moves 0 --pin 0=1
moves "a pin on a rank's core takes its place" "5 2 0 6" --stable --pin 0=5
# compare counts the same: a rank that a pin takes the PU from moves, too
for how in --stable "--moves 2" "--moves 3 --move-price 1e-9" "--moves 2 --algorithm greedy" "--algorithm linear"; do
  # shellcheck disable=SC2086 # several words
  f --from now.json $how --pin 0=6 --mapping pinned.json --json > pinned.map
  check "$how: as many moves as compare counts" python3 -c 'import json
now, got = (json.load(open(f))["pu_of_rank"] for f in ("now.json", "pinned.json"))
moved, r = sum(a != b for a, b in zip(now, got)), json.load(open("pinned.map"))
assert r["moved"] == moved, (r["moved"], moved)
assert not r["moves"] or r["moves"][0]["moved"] == 2, r["moves"]'
done
f --from now.json --moves 0 > curve.text
f --from now.json --moves 0 --json > curve.json
check "the curve" diff - <(grep -A2 '^ranks moved' curve.text) <<'TEXT'
ranks moved        cost      gain  gain per moved rank
          0     20.00 s      0.0%  -
          2     9.950 s     50.2%  5.025 s
TEXT
check "the curve in JSON" python3 -c 'import json
r = json.load(open("curve.json"))
points = [(p["at_most"], p["moved"], round(p["cost_s"], 9)) for p in r["moves"]]
assert r["moved"] == 0
assert points == [(0, 0, 20), (1, 0, 20), (2, 2, 9.95)], r["moves"]
gains = [r["moves"][2][k] for k in ("gain", "gain_per_rank_s")]
assert abs(gains[0] - 0.5025) < 1e-9 and abs(gains[1] - 5.025) < 1e-9, gains
assert r["moves"][0]["gain_per_rank_s"] is None, r["moves"]'
check "no curve without a price or a limit" python3 -c 'import json
r = json.load(open("taken.json"))
assert r["moves"] is None and r["moved"] is None, r'
linear=$(f --algorithm linear --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["cost_s"])')
for kept in "--moves 0" "--moves 1" "--stable" "--stable --move-price 6"; do
  # shellcheck disable=SC2086 # several words
  check "$kept: linear is what it is without" [ "$(f --from now.json $kept --json |
    python3 -c 'import json,sys; print(json.load(sys.stdin)["linear_cost_s"])')" = "$linear" ]
done
check "ranks that stay are placed by stay" grep -q "placed by stay" <(f --from now.json --stable)
check "how many move" grep -qx "2 ranks move" <(f --from now.json --moves 3)
from '[4, 1, 6, 0]'
moves "stay on their threads" "4 1 6 2" --stable --pin 3=n0:1
moves "second threads are places, too" "4 3 6 0" --stable --pin 1=3 --any-thread --algorithm stay
from '[0, 4, 2, 6]'
moves "a lost host: its ranks go where there is room" "0 1 2 3" --stable --hosts n0
from '[0, 4, 0, 4]'
moves "those without a place go to whom they talk to" "0 4 2 6" --stable
from '[0, 4, 2, 6]'
moves "a host that came back changes nothing" "0 4 2 6" --stable

# files with shared PUs
m 12 --algorithm linear --ranks-per-pu 2 --mapping m.json --rankfile m.rankfile > /dev/null
check "rankfile of shared PUs" [ "$(sed -n 1,4p m.rankfile | tr '\n' ';')" = \
  "rank 0=n0 slot=0;rank 1=n0 slot=0;rank 2=n0 slot=0;rank 3=n0 slot=0;" ]
expect 0 "" "$berth" cost --pattern p12.acp --topology t.json --mapping m.json --ranks-per-pu 2
"$berth" cost --pattern p12.acp --topology t.json --mapping m.json --ranks-per-pu 2 --json > c.json
check "linear shares PUs in its cost, too" python3 -c 'import json
r = json.load(open("c.json"))["results"][0]
assert r["cost_s"] == r["linear_cost_s"] > 0, r'
# outputs don't overwrite each other or an input, however they are spelled
mkdir -p d
over() { # LINE OPTION…
  m 4 "${@:2}" > out 2>&1
  check "exits 2: ${*:2}" [ $? = 2 ]
  check "says: $1" grep -qF -- "$1" out
}
cp p4.acp d/p.acp
over "found './d/x' for two outputs, expected different files" --mapping d/x --rankfile ./d/x
over "found '-' for two outputs" --mapping /dev/stdout --groups -
over "--json: found another output to standard output" --mapping /dev/stdout --json
"$berth" map --pattern d/p.acp --topology t.json --rankfile "$PWD/d/../d/p.acp" > out 2>&1
check "an input exits 2" [ $? = 2 ]
check "an input is named" grep -q "d/p.acp' for an output and an input, expected different" out
check "and stays" cmp p4.acp d/p.acp
cp pins d/pins
over "found 'd/../d/pins' for an output and an input" --pin d/pins --rankfile d/../d/pins
check "pins stay" cmp pins d/pins
m 4 --mapping /dev/null --rankfile /dev/null > out 2>&1
check "two outputs to a device" [ $? = 0 ]

# what isn't a pin
for wish in x=1 =n0:1 -1=3 ""; do
  expect 2 "berth map: --pin: found '$wish', expected RANK=HOST:CORE, RANK=PU or the name of a file" \
    m 4 "--pin=$wish"
done

# a time limit ends walks of any length, and a signal what METIS does
m 12 --ranks-per-pu 2 --algorithm refine --iterations 1000000000 --time-limit 0.2 > /dev/null &
walk=$!
"$BERTH_SOURCE_DIR/examples/stencil/generate.sh" pattern 16 16 16 > s.acp
"$BERTH_SOURCE_DIR/examples/stencil/generate.sh" topology 16:16:16 > s.json
for n in 1 2; do
  "$berth" map --pattern s.acp --topology s.json --quality strong --threads $n --mapping s.map &
  job=$!
  await worked $job 50
  kill -TERM $job
  wait $job
  code=$?
  check "SIGTERM ends it with $n threads" [ $code = 143 ]
  check "and leaves what it had found" [ "$(ls s.map* .s.map* 2>/dev/null)" = s.map ]
  rm -f s.map
done
wait $walk
check "the walk has ended" [ $? = 0 ]

# --quiet: nothing but the outputs
quiet=("$berth" map p4.acp t.json)
"${quiet[@]}" --json > expected
for words in "-q|" "--quiet -o q.json|" "-q --json|expected" "-q --write seq|seq"; do
  [ "${words#*|}" = seq ] && "${quiet[@]}" --write seq > seq 2> err
  "${quiet[@]}" ${words%|*} > out 2> err
  check "${words%|*}: code" [ $? = 0 ]
  cat err >> out
  expected=${words#*|}
  check "${words%|*}: prints" cmp -s out "${expected:-/dev/null}"
done
check "--quiet: the file is written" [ -s q.json ]
expect 4 "berth map: none.acp: cannot open: No such file or directory" "$berth" map -q none.acp t.json

# inputs: a file that is named twice is no choice, and standard input is one file
for c in map "cost --mapping linear.json" "compare linear.json" "explore linear.json"; do
  name=${c%% *}
  hint="
Try \`berth $name --help' or \`berth $name --usage' for more information."
  expect 2 "berth $name: --pattern: found 'far.acp' and 'p4.acp', expected one file$hint" \
    "$berth" $c --pattern far.acp --topology t.json --pattern p4.acp
  [ $name = compare ] || expect 2 "berth $name: --topology: found 't.json' and 't.json', expected one file$hint" \
    "$berth" $c --topology t.json --pattern far.acp --topology t.json
  [ $name = map ] && continue
  expect 2 "berth $name: found '-' for two inputs, expected one from standard input$hint" \
    "$berth" ${c/linear.json/-} --pattern - --topology t.json
done
# what lower bound: is the same, however ranks are looked for
python3 - "$data/cases" "$work" <<'PY'
import json, random, sys
random.seed(7)
ranks = 128
with open(sys.argv[2] + "/many.acp", "w") as f:
    sends = [{"kind": "p2p", "src": r, "msgs": [[d, 65536, random.randint(1, 9)]
              for d in sorted({(r + 1) % ranks, (r + 11) % ranks, (r * 7 + 3) % ranks} - {r})]}
             for r in range(ranks)]
    header = {"format": "berth-pattern", "version": 1, "ranks": ranks, "command": ["x"]}
    for line in [header, *sends, {"kind": "end", "records": len(sends)}]:
        f.write(json.dumps(line) + "\n")
PY
"$berth" topo import 4:8:4/1:10:100 -o "$work/many.json" > /dev/null
for name in chain5 random-00 two-phases ladder16-linear many; do
  inputs=(--pattern "$data/cases/$name.acp" --topology "$data/cases/$name.topo.json")
  [ $name = many ] && inputs=(--pattern "$work/many.acp" --topology "$work/many.json")
  for model in port sum; do
    bounds=
    for how in "--quality fast" "--quality eco" "--algorithm greedy" "--algorithm linear" "--seed 9"; do
      # shellcheck disable=SC2086
      bounds+=$("$berth" map "${inputs[@]}" --model $model $how --iterations 1000 --json |
        grep -o '"lower_bound_s": [^,]*')$'\n'
    done
    check "$name, $model: one bound: $bounds" [ "$(sort -u <<< "${bounds%$'\n'}" | wc -l)" = 1 ]
  done
done
finish
