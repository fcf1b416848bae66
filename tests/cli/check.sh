#!/usr/bin/env bash
# `berth check`: one result for one input, regressions of 1% caught with the right culprit, no
# verdict where the baseline is of something else, budgets. check_lib.sh says what the inputs are.
# shellcheck disable=SC2154
. "$BERTH_SOURCE_DIR/tests/cli/check_lib.sh"

cat > judge.py <<'PY'
"""judge.py PHASE PORT PAIR SITE < JSON: what grew most is that, by 0.9 to 1.1% of all."""
import json, sys
r = json.load(sys.stdin)
phase, port, pair, site = sys.argv[1:5]
assert r["format"] == "berth-check" and r["verdict"] == "worse" and r["exit_code"] == 1, r["verdict"]
assert 0.009 < r["cost_s"] / r["was_cost_s"] - 1 < 0.011, (r["cost_s"], r["was_cost_s"])
first = r["phases"][0]
assert first["name"] == phase and first["worse"], first
assert first["port"]["text"] == port, first["port"]
pairs = first["port"]["pairs"]
assert first["port"]["pairs_total"] == len(pairs) == (pair != ""), pairs
if pair:
    assert f'{pairs[0]["src"]} -> {pairs[0]["dst"]}' == pair, pairs
    assert pairs[0]["time_s"] > pairs[0]["was_time_s"]
    s = pairs[0]["sites"][0]
    assert " ".join([s["op"], *s["frames"]]).startswith(site), s
PY
line() { head -1 "$@"; }

# a baseline: none, then one that stays as it is
expect 4 "berth check: --baseline b.acp: found no such file, expected a baseline (--update writes it)" k
check "update" k --update > out
check "it says so" grep -qx \
  "updated b.acp: 200.0 s; model port, 10 ranks placed by linear on two leaves" out
cp b.acp b0.acp
check "update again" k --update > out
check "the same bytes" cmp -s b.acp b0.acp
check "it says what was" grep -qF "updated b.acp: 200.0 s, was 200.0 s (+0%);" out
echo '{"format":"berth-mapping","version":1,"algorithm":"","pu_of_rank":[0,1,2,3,4,5,6,7,8,9]}' > m.json
"$berth" cost --pattern b.acp --topology t.json --mapping m.json --json > cost.json
check "a baseline is a pattern, and says what it costs" python3 -c '
import json
priced = json.load(open("cost.json"))["results"][0]
b = json.loads(open("b.acp").readline())["baseline"]
assert b["cost_s"] == priced["cost_s"] and b["ranks"] == 10 and b["model"] == "port"
assert [f["cost_s"] for f in b["phases"]] == [f["cost_s"] for f in priced["phases"]]
assert b["placement"] == {"algorithm": "linear", "pu_of_rank": list(range(10))}'
sed '1s/"command"/"created":"2026-11-22T00:00:00Z","command"/; 2i{"kind":"rank","rank":0,"host":"n","wall_s":2,"mpi_s":1}' p.acp |
  sed 's/"records": 12/"records": 13/' > recorded.acp
check "times of a recording aren't in it" \
  "$berth" check --pattern recorded.acp --topology t.json --baseline again.acp --update > out
check "so that it is the same" cmp -s again.acp b.acp
check "compressed" "$berth" check --pattern p.acp --topology t.json --baseline b.acp.zst --update > out
check "compressed: read" "$berth" check --pattern p.acp --topology t.json --baseline b.acp.zst > out

# 1,000 runs, one result; under sanitizers, which look for something else, fewer
rounds=1000
ldd "$(readlink -f "$berth")" | grep -q libasan && rounds=20
once() { k --github --json --junit j.xml --budget cost=201s > one 2>&1; code=$?; cat one j.xml; return $code; }
once > first
: > all
failed=0
for ((i = 0; i < rounds; i++)); do once >> all || failed=$((failed + 1)); done
check "$rounds runs: exit code 0" [ $failed = 0 ]
check "$rounds runs: one output" python3 -c '
import sys
first = open("first", "rb").read()
assert len(first) > 500 and open("all", "rb").read() == int(sys.argv[1]) * first' $rounds
check "unchanged: text" [ "$(k)" = "within: 200.0 s, was 200.0 s (+0%), tolerance 0.5%; model port, 10 ranks placed by linear on two leaves" ]

# regressions of 1%: name, edit, phase, port, pair, call site
regression() {
  local name=$1 edit=$2 phase=$3 port=$4 pair=$5 site=$6 code; shift 6
  python3 inputs.py worse.acp worse.json "$edit"
  "$berth" check --pattern worse.acp --topology worse.json --baseline b.acp "$@" > out
  code=$?
  check "$name: exit code" [ $code = 1 ]
  check "$name: phase" grep -qE "^phase [0-9]+ \"$phase\": .* s, was .*" out
  check "$name: port" grep -qF "  $port: " out
  [ -z "$pair" ] || check "$name: pair" grep -qE "^    $pair: " out
  [ -z "$site" ] || check "$name: call site" grep -qE "^      .* at $site" out
  "$berth" check --pattern worse.acp --topology worse.json --baseline b.acp "$@" --json > out.json
  check "$name: json" python3 judge.py "$phase" "$port" "$pair" "${site//  / }" < out.json
}
up='uplink of A, own end'
halo='MPI_Isend  exchange halo.c:120'
halo2='MPI_Send  exchange halo.c:130'
pack='MPI_Send  pack pack.c:7'
regression "larger messages" 'del p.send[1,0,6,10000,1]; p.more(1,0,6,10200,1,100)' solve "$up" '0 -> 6' "$halo"
regression "more messages" 'p.more(1,1,7,10000,2,2)' solve "$up" '1 -> 7' "$halo2"
check "more messages: how many" grep -qF "19.53 KiB more in 2 messages more at $halo2 < main app.c:44" out
regression "a new pair" 'p.more(1,1,8,10000,3,2)' solve "$up" '1 -> 8' "$pack"
check "a new pair: it says so" grep -q "^    1 -> 8: new there, 20.00 ms for 19.53 KiB in 2 messages" out
regression "another destination" 'p.more(1,2,3,10000,1,-2); p.more(1,2,9,10000,1,2)' solve "$up" '2 -> 9' "$halo"
regression "more often" 'p.phases[1][1] = 101' solve "$up" '' ''
check "more often: it says so" grep -qF '; 101 times, was 100' out
regression "a new phase" 'p.phases[2] = ["output", 1]; p.more(2,0,6,10000,3,200)' output "$up" '0 -> 6' "$pack"
check "a new phase: it says so" grep -qE '^phase 2 "output": .*; it is new$' out
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,1,2,3,4,10,6,7,8,9]}' > moved.json
regression "another placement" '' solve "$up" '4 -> 5' "$pack" --mapping moved.json
check "another placement: it says so first" [ "$(sed -n 2p out)" = "placement: 1 of 10 ranks are on \
other PUs than in the baseline. With this placement the baseline's messages cost 202.0 s, was 200.0 s (+1%)" ]
regression "one more call site" 'p.more(1,0,6,10000,3,2)' solve "$up" '0 -> 6' "$pack"
regression "from one port to another" 'p.more(1,1,7,10000,2,-4); p.more(1,8,2,10000,2,4)' \
  solve 'downlink of A, own end' '8 -> 2' "$halo2"
regression "sites and phases by other numbers" 'p.more(1,1,7,10000,2,2)
s = p.sites; p.sites = {7: s[1], 5: s[2], 3: s[3]}
p.phases = {0: ["setup", 1], 4: ["init", 1], 9: ["solve", 100]}
p.send = {({0: 4, 1: 9}[k], a, b, z, {1: 7, 2: 5, 3: 3}[i]): n for (k, a, b, z, i), n in p.send.items()}' \
  solve "$up" '1 -> 7' "$halo2"
# lines that move with a change of the program are the same places
python3 inputs.py lines.acp t.json 'p.phases[1][0] = "solve halo.c:80"'
"$berth" check --pattern lines.acp --topology t.json --baseline b.acp --update > out
regression "moved lines" 'p.phases[1][0] = "solve halo.c:88"; p.phases[0][0] = "init"
p.sites[1][1][0] = "exchange halo.c:125"; p.sites[2][1][0] = "exchange halo.c:135"
p.sites[4] = ["MPI_Send", ["exchange halo.c:140", "main app.c:44"]]
p.more(1,1,7,10000,4,2)' 'solve halo.c:88' "$up" '1 -> 7' 'MPI_Send  exchange halo.c:140'
check "moved lines: nothing is new but the site" grep -qF \
  '    1 -> 7: 20.00 ms longer, 19.53 KiB more in 2 messages more' out
check "moved lines: the one site" [ "$(grep -c ' at ' out)" = 1 ]
cp b0.acp b.acp
# a rank that is alone on a port takes what its messages take on the curve
alone='p.more(1,1,7,10000,2,-100); p.more(1,7,1,10000,2,-99); p.more(1,0,6,10000,1,100); '
python3 inputs.py alone.acp t.json "$alone"
"$berth" check --pattern alone.acp --topology t.json --baseline b.acp --update > out
regression "below a curve's knee" "$alone"'p.more(1,0,6,10000,1,-2); p.more(1,0,6,5000,1,4)' solve "$up" '0 -> 6' "$halo"
check "below a curve's knee: more messages" grep -qF ' as many bytes in 2 messages more at MPI_Isend' out
cp b0.acp b.acp
# under sum every port counts, so the one that grew is named and not the dearest
"$berth" check --pattern p.acp --topology t.json --baseline sum.acp --model sum --update > out
python3 inputs.py worse.acp worse.json 'p.more(1,8,9,10000,3,30000)'
"$berth" check --pattern worse.acp --topology t.json --baseline sum.acp > out
check "sum: exit code" [ $? = 1 ]
check "sum: the model is the baseline's" grep -q '; model sum, ' out
check "sum: port" grep -qF 'link of PU 0, at b1' out
python3 inputs.py worse.acp worse.json 'p.more(1,1,7,10000,2,2)'
"$berth" check --pattern p.acp --topology t.json --baseline flow.acp --model flow --update > out
"$berth" check --pattern worse.acp --topology t.json --baseline flow.acp > out
check "flow: exit code" [ $? = 1 ]
check "flow: pair" grep -q "^    1 -> 7: " out

# sends that wait for each other: no pair sends more
order() { # FILE BLOCKING: in each of 100 rounds rank 0 sends to 6 and to 1
  python3 inputs.py "$1" t.json 'p.send = {(1, 0, 6, 10000, 1): 100, (1, 0, 1, 10000000, 1): 100}'
  sed -i 's/"records": \([0-9]*\)/"records": 8/; s/^{"kind": "end"/{"kind": "order", "phase": 1, "src": 0, "rounds": 100, "sends": [[6,10000,'"$2"'],[1,10000000,'"$2"']]}\n&/' "$1"
}
order free.acp 0
order waits.acp 1
"$berth" check --pattern free.acp --topology t.json --baseline order.acp --model flow --update > out
"$berth" check --pattern waits.acp --topology t.json --baseline order.acp > out
check "sends wait: exit code" [ $? = 1 ]
check "sends wait: it says so" grep -qF 'No single pair takes longer on it.' out

# random patterns under every model: traffic of one pair from a site of its own comes in, and where
# that is worse, phase, pair and site are named first
cat > random_cases.py <<'PY'
"""random_cases.py BERTH ROUNDS"""
import json, os, random, subprocess, sys
berth, rounds = sys.argv[1], int(sys.argv[2])
rounds = max(4, int(rounds * float(os.environ.get("BERTH_TEST_ROUNDS", 1))))
sys.argv = ["inputs.py", "r.acp", "r.json"]
exec(open("inputs.py").read())
def check(pattern, *options):
    return subprocess.run([berth, "check", "--pattern", pattern, "--topology", "r.json",
                           "--baseline", "rb.acp", "--json", *options], capture_output=True, text=True)
worse = wrong = 0
for seed in range(rounds):
    r, p = random.Random(seed), Pattern()
    p.sites[9], p.send = ["MPI_Put", ["new n.c:1"]], {}
    for _ in range(r.randint(3, 40)):
        a, b = r.sample(range(10), 2)
        p.more(r.randint(0, 1), a, b, r.choice([10, 1000, 20000]), r.randint(1, 3), r.randint(1, 50))
    p.save("r.acp")
    if os.path.exists("rb.acp"): os.remove("rb.acp")
    check("r.acp", "--update", "--model", r.choice(["port", "bound", "sum", "flow"]))
    k, (a, b) = r.choice(sorted({key[0] for key in p.send})), r.sample(range(10), 2)
    p.more(k, a, b, 10000, 9, r.randint(5, 2000))
    p.save("r.acp")
    found = check("r.acp")
    if found.returncode == 0: continue
    worse += 1
    first = json.loads(found.stdout)["phases"][0]
    pairs = first["port"]["pairs"]
    if not (first["id"] == k and pairs and (pairs[0]["src"], pairs[0]["dst"]) == (a, b) and
            pairs[0]["sites"][0]["op"] == "MPI_Put"):
        print("seed", seed, "phase", k, "pair", a, b, "found", first)
        wrong += 1
sys.exit(wrong > 0 or worse < rounds / 4)
PY
check "random patterns" python3 random_cases.py "$berth" 20

# what isn't worse
better() { python3 inputs.py other.acp other.json "$1"; "$berth" check --pattern other.acp --topology other.json --baseline b.acp "${@:2}" > out; }
check "within" better 'p.more(1,1,7,10000,2,1)' --tolerance 0.51
check "not within" [ "$(better 'p.more(1,1,7,10000,2,1)' --tolerance 0.49; echo $?)" = 1 ]
check "cheaper" better 'p.more(1,1,7,10000,2,-2)'
check "cheaper: it says so" grep -qx 'cheaper: 198.0 s, was 200.0 s (-1%), .*; --update makes this the baseline' out
check "a phase alone" better 'p.more(0,0,1,1000,1,9)'
check "a phase alone, each counts" [ "$(better 'p.more(0,0,1,1000,1,9)' --each-phase; echo $?)" = 1 ]
check "a phase alone: it says so" grep -qF 'tolerance 0.5%; single phases exceed it; model' out
check "a phase alone: no other" [ "$(better 'p.more(0,0,1,1000,1,9); p.more(1,0,6,9000,1,1)' --each-phase; grep -c '^phase' out)" = 1 ]
check "a phase alone: named" grep -q '^phase 0 "init": ' out
check "a phase is gone" better 'del p.phases[0]; del p.send[0,0,1,1000,1]'
check "a phase is gone: it says so" grep -qE '^phase 0 "init": .*; it no longer exists$' out
check "other names, another order of types" better 't["name"] = "x"; t["root"]["name"] = "y"
t["types"] = dict(reversed(t["types"].items())); t["curves"]["spare"]["points"] = [[2, 2]]
t["curves"]["uplink"]["source"] = "a guess"'

# no verdict
no_verdict() { # NAME WHAT EDIT [OPTION…]
  better "$3" "${@:4}"
  check "$1: exit code" [ $? = 5 ]
  check "$1: why" grep -qE "^no verdict: found $2" out
}
hash='topology [0-9a-f]{16} "two leaves", expected the baseline.s, [0-9a-f]{16} '
no_verdict "a capacity" "$hash" 't["types"]["host"]["up"]["max_bandwidth"] = 1e7 + 1'
no_verdict "a switch's limit" "$hash" 't["types"]["top"]["max_bandwidth"] = 1e12'
no_verdict "a point of a curve" "$hash" 't["curves"]["uplink"]["points"] = [[10001, 1e6]]'
no_verdict "one more PU" "$hash" 't["root"]["children"][0]["children"][0]["children"].append({"pu": 2, "core": 2})'
no_verdict "one more host" "$hash" 't["root"]["children"][1]["children"].append({"type": "host", "name": "b3", "host": "b3", "children": [{"pu": 0, "core": 0}]})'
no_verdict "another numbering" "$hash" 't["root"]["children"][0]["children"][0]["children"].reverse()'
no_verdict "reverse traffic" "$hash" 't["types"]["leaf"]["up"]["reverse_traffic"] = 0.01'
no_verdict "a slow-down" "$hash" 't["types"]["host"]["shared_core_slowdown"] = [1.5]'
no_verdict "another model" "model bound, expected the baseline's, port" '' --model bound
no_verdict "other ranks" "a pattern of 9 ranks, expected 10" \
  'p.ranks = 9; p.send = {k: n for k, n in p.send.items() if 9 not in k[1:3]}'
no_verdict "no messages" "a pattern without messages" 'p.send = {(1, 3, 3, 8, 1): 5}'
# the run divided into other phases, as by a tracer without phases, isn't cheaper for that
divided='p.phases = {i: ["p" + str(i), 1] for i in ids}
p.send = {(ids[k[0] % len(ids)], *k[1:]): n * times * (100 if k[0] else 1) for k, n in p.send.items()}'
no_verdict "one phase" "1 phase, expected those of the baseline, which has 2 others: costs of runs that are divided differently" \
  "ids = [5]; times = 1; $divided"
no_verdict "three phases" "3 phases, expected those of the baseline, which has 2 others" \
  "ids = [5, 6, 7]; times = 2; $divided; p.more(7, 0, 6, 10000, 1, 100)"
better "ids = [5]; times = 2; $divided"
check "one phase that costs more is worse" [ $? = 1 ]
better "ids = [5, 6]; times = 1; $divided"
check "phases of other names and numbers have a verdict" [ $? = 0 ]
sed '1s/"cost_s":200[0-9.]*/"cost_s":201/' b.acp > older.acp
check "another berth's prices" [ "$("$berth" check --pattern p.acp --topology t.json \
  --baseline older.acp > out; echo $?)" = 5 ]
check "another berth's prices: why" grep -qE "^no verdict: found a cost of 200[0-9.]* s for the baseline's messages with berth [0-9.]+, expected 201 s" out
cp b.acp kept.acp
no_verdict "no messages, no update" "a pattern without messages" 'p.send = {}' --update
check "no messages, no update: the baseline stays" cmp -s b.acp kept.acp
python3 inputs.py p.acp machine.json 't["types"]["leaf"]["up"]["max_bandwidth"] = 2e6'
check "update for another machine" "$berth" check --pattern p.acp --topology machine.json --baseline kept.acp --update > out
check "its placement is another machine's" grep -q "^note: the old baseline's placement has another topology" out
check "and then it fits" "$berth" check --pattern p.acp --topology machine.json --baseline kept.acp > out
check "update keeps model and placement" eval \
  'k --mapping moved.json --model bound --update > out && k --update > out && grep -q "model bound" out && cmp -s <(grep -o "pu_of_rank.*" b.acp) <(k --update --mapping moved.json > /dev/null; grep -o "pu_of_rank.*" b.acp)'
cp b0.acp b.acp

# budgets
budget() { # CODE BUDGET PATTERN-OF-A-LINE
  k --budget "$2" > out; code=$?
  check "--budget $2: exit code" [ $code = "$1" ]
  check "--budget $2: $3" grep -qE "$3" out
}
budget 0 cost=201s '^budget cost=201s: kept: 200.0 s, at most 201.0 s$'
budget 1 cost=199.5s '^  phase 1 "solve": 200.0 s$'
budget 1 cost=1ms '^    0 -> 6: 1.000 s on it for 976.6 KiB in 100 messages$'
budget 0 phase:solve=200.5s '^budget phase:solve=200.5s: kept: '
budget 1 phase:1=199s '^      976.6 KiB in 100 messages at MPI_Isend  exchange halo.c:120 < main app.c:44$'
budget 0 bytes:spine=380MiB '^budget bytes:spine=380MiB: kept: 379.6 MiB, at most'
budget 1 bytes:top=379MiB '^    0 -> 6: 95.37 MiB in 10000 messages$'
budget 1 bytes:A=379MiB '^budget bytes:A=379MiB: broken: 379.6 MiB, at most 379.0 MiB \(\+0.148%\)$'
budget 1 bytes:host=1B '^    ... and 2 more pairs$'
budget 1 bytes:a2=1B '^      1.907 MiB in 200 messages at MPI_Send  pack pack.c:7 < main app.c:51$'
check "budgets alone" "$berth" check --pattern p.acp --topology t.json --budget cost=201s > out
check "budgets alone: no baseline" grep -q '^no baseline: 200.0 s; ' out
check "a broken budget with no verdict" [ "$("$berth" check --pattern p.acp --topology machine.json \
  --baseline b.acp --mapping m.json --budget cost=1s > out; echo $?)" = 1 ]
b() { "$berth" check --pattern p.acp --topology machine.json --baseline b.acp "$@"; } # another machine's
check "budgets on another machine: broken" [ "$(b --budget cost=1ns --junit j.xml --github --json > out.json 2> out; echo $?)" = 1 ]
check "budgets on another machine: by linear" python3 -c '
import json, xml.etree.ElementTree as xml
r = json.load(open("out.json"))
assert r["verdict"] == "no verdict" and r["placement"]["algorithm"] == "linear"
assert [(b["broken"], b["value"] > 0) for b in r["budgets"]] == [(True, True)]
cases = {c.get("name"): [e.tag for e in c] for c in xml.parse("j.xml").getroot().iter("testcase")}
assert cases == {"total cost": ["error"], "budget cost=1ns": ["failure"]}, cases'
check "budgets on another machine: annotations" [ "$(grep -c '^::error title=berth check%3A budget cost=1ns::' out)" = 1 ]
check "budgets on another machine: kept" [ "$(b --budget cost=1000s > out; echo $?)" = 5 ]
check "budgets on another machine: whose placement" grep -q "^note: the baseline's placement has another topology or number of ranks. Ranks are in the default order for budgets; --mapping" out
expect 3 "berth check: --budget phase:typo=1s: found 0 phases of that name, expected one, or its number; there are 0 \"init\", 1 \"solve\"" b --budget phase:typo=1s
# but not where the program runs otherwise, or linear doesn't fit: then nobody knows
python3 inputs.py few.acp few.json 'del t["root"]["children"][0]'
sed '1s/"algorithm":"linear"/"algorithm":"best"/' b.acp > best.acp
for files in "machine.json best.acp" "few.json b.acp" "few.json best.acp"; do
  read -r topology baseline <<< "$files"
  f() { "$berth" check --pattern p.acp --topology "$topology" --baseline "$baseline" "$@"; }
  check "$files: no verdict" [ "$(f --budget cost=1ns --budget bytes:spine=1B --junit j.xml --github --json > out.json 2> out; echo $?)" = 5 ]
  check "$files: everywhere" python3 -c '
import json, xml.etree.ElementTree as xml
r = json.load(open("out.json"))
assert [(b["broken"], b["value"]) for b in r["budgets"]] == [(None, None)] * 2, r["budgets"]
cases = {c.get("name"): [e.tag for e in c] for c in xml.parse("j.xml").getroot().iter("testcase")}
assert cases == {n: ["error"] for n in ("total cost", "budget cost=1ns", "budget bytes:spine=1B")}, cases'
  check "$files: annotations" [ "$(grep -c '^::warning title=berth check%3A budget .*: no verdict: found no placement' out)" = 2 ]
  f --budget cost=1ns > out
  check "$files: text" grep -qx 'budget cost=1ns: no verdict: found no placement for these inputs, expected one from the baseline or --mapping' out
  expect 3 "berth check: --budget phase:typo=1s: found 0 phases of that name, expected one, or its number; there are 0 \"init\", 1 \"solve\"" f --budget phase:typo=1s
  expect 3 "berth check: --budget bytes:z=1B: found no element and no type of that name, expected one of \
top, leaf, host, spine, $([ "$topology" = few.json ] || echo 'A, a0, a1, a2, ')B, b0, b1, b2" f --budget bytes:z=1B
done
check "without budgets nothing needs a placement" [ "$("$berth" check --pattern p.acp \
  --topology few.json --baseline b.acp > out; echo $?)" = 5 ]
python3 inputs.py quiet.acp t.json 'p.send = {}'
check "budgets of a pattern without messages" [ "$("$berth" check --pattern quiet.acp \
  --topology t.json --budget cost=1s > out; echo $?)" = 5 ]
check "budgets of a pattern without messages: why" grep -q '^no verdict: found a pattern without messages' out
# pairs that do the same are one line
python3 inputs.py same.acp t.json 'p.send = {(1, a, a + 6, 10000, 1): 100 for a in range(4)}'
check "equal pairs" [ "$("$berth" check --pattern same.acp --topology t.json --budget bytes:top=1B > out; echo $?)" = 1 ]
check "equal pairs: one line" grep -qx '    0 -> 6, 1 -> 7, 2 -> 8, 3 -> 9: 95.37 MiB in 10000 messages each' out
check "equal pairs: one call site" [ "$(grep -c ' at MPI_Isend' out)" = 1 ]
expect 3 "berth check: --budget phase:x=1s: found 0 phases of that name, expected one, or its number; there are 0 \"init\", 1 \"solve\"" k --budget phase:x=1s
expect 3 "berth check: --budget bytes:z=1B: found no element and no type of that name, expected one of top, leaf, host, spine, A, a0, a1, a2, B, b0, b1, b2" k --budget bytes:z=1B
time_limit='expected a number of s, ms, us or ns, as in 2.5s'
usage "--budget: found limit '2.5' in 'cost=2.5', $time_limit" k --budget cost=2.5
usage "--budget: found limit '-1s' in 'phase:a=b=-1s', $time_limit" k --budget phase:a=b=-1s
usage "--budget: found limit '1s' in 'bytes:A=1s', expected a number of B, KiB, MiB, GiB, TiB or PiB, as in 10GiB" k --budget bytes:A=1s
forms='expected a budget: cost=2.5s, phase:NAME=300ms or bytes:NAME=10GiB'
usage "--budget: found 'cost=1s' twice, expected it once" k --budget cost=1s --budget cost=1s
for b in cost cost:x=1s phase:=1s bytes=1B money=3s; do usage "--budget: found '$b', $forms" k --budget $b; done

# wrong usage and bad input
usage "expected --baseline or --budget" c
usage "--update: expected --baseline, too" c --update --budget cost=1s
usage "expected a pattern and a topology" "$berth" check --baseline b.acp
usage "--tolerance: found '-1', expected a percentage from 0, at most 100" k --tolerance -1
usage "found '-' for --baseline or --junit, expected a file" c --baseline -
for pair in "- t.json --mapping -" "- -" "p.acp - --mapping -"; do
  read -r pattern topology rest <<< "$pair"
  # shellcheck disable=SC2086
  usage "found '-' for two inputs, expected one from standard input" \
    "$berth" check --pattern "$pattern" --topology "$topology" --baseline b.acp $rest
done
# no output is an input, by whatever name
ln -s p.acp link.acp
for file in p.acp t.json b.acp m.json ./b.acp link.acp; do
  cp "$file" before
  for update in "" --update; do
    # shellcheck disable=SC2086
    usage "found '$file' for an output and an input, expected different files" \
      k --mapping m.json --junit "$file" $update
    check "$file stays $update" cmp -s "$file" before
  done
done
usage "found 'new.acp' for an output and an input, expected different files" \
  c --baseline new.acp --update --junit new.acp
usage "found '/dev/stdout' for --baseline or --junit, expected a file" k --junit /dev/stdout
expect 3 "berth check: --baseline /dev/full: found no regular file, expected a baseline that --update wrote, or no file" \
  c --baseline /dev/full --update
check "a baseline may come through a pipe" eval 'c --baseline <(cat b.acp) > out'
cp b.acp again.acp
check "a baseline may be priced anew" "$berth" check --pattern again.acp --topology machine.json \
  --baseline again.acp --update > out
plain="p.acp: found a pattern that is no baseline, expected one that --update wrote"
expect 3 "berth check: --baseline $plain" c --baseline p.acp
cp p.acp before.acp
expect 3 "berth check: --baseline $plain, or no file" c --baseline p.acp --update
check "what is no baseline stays" cmp -s p.acp before.acp
damaged() { sed "1s/$2/$3/" b.acp > bad.acp; expect 3 "berth check: --baseline $1" c --baseline bad.acp; }
damaged 'bad.acp:1: baseline.version: found 2, expected a whole number from 1 to 1' '"baseline":{"version":1' '"baseline":{"version":2'
damaged 'bad.acp:1: baseline: found 3, expected an object' '"baseline":.*' '"baseline":3}'
damaged 'bad.acp:1: baseline.topology_hash: found "0", expected 16 digits from 0 to 9 and a to f' '"topology_hash":"[0-9a-f]*"' '"topology_hash":"0"'
damaged 'bad.acp:1: baseline.cost_s: found null, expected a number of at least 0' '"cost_s":200[0-9.]*' '"cost_s":null'
damaged 'bad.acp:1: baseline.placement.pu_of_rank: found 9 ranks, expected 10, the number of the pattern' '8,9\]' '8]'
damaged 'bad.acp: baseline.model: found "fast", expected port, bound, sum or flow' '"model":"port"' '"model":"fast"'
damaged 'bad.acp: baseline.placement.pu_of_rank[9]: found PU 12, expected 0 to 11, those of the topology' '8,9\]' '8,12]'
# PUs that the topology doesn't have, whatever is asked for
for pu in 12 99999999; do
  sed "1s/8,9\]/8,$pu]/" b.acp > bad.acp
  for options in "" "--model bound" "--update" "--model sum --update" "--model bound --budget bytes:A=1GiB"; do
    # shellcheck disable=SC2086
    expect 3 "berth check: --baseline bad.acp: baseline.placement.pu_of_rank[9]: found PU $pu, expected 0 to 11, those of the topology" \
      c --baseline bad.acp $options
    check "PU $pu $options: it stays" grep -q "8,$pu\]" bad.acp
  done
done
head -4 b.acp > bad.acp
expect 3 "berth check: --baseline bad.acp:4: found the end of the file, expected a line of kind \"end\": the file is truncated (--truncated takes what is there)" c --baseline bad.acp
expect 4 "berth check: no/j.xml: cannot write: No such file or directory" k --junit no/j.xml
check "nothing is updated when another output fails" [ "$(cp b.acp keep.acp; k --update --model sum --junit no/j.xml 2> /dev/null; cmp b.acp keep.acp && echo same)" = same ]

cp b.acp keep.acp
for form in "" --json; do
  # shellcheck disable=SC2086
  check "nothing is updated when nobody can be told $form" \
    [ "$(k --update --model sum $form > /dev/full 2> err; echo $?)" = 4 ]
  check "the baseline stays $form" cmp -s b.acp keep.acp
done
# what an update says of the one before: no percentage where they aren't comparable
says() { "${@:3}" > out; check "$1" grep -qE "$2" out; check "$1: no percentage" eval '! grep -q % out'; }
differs='^updated c.acp: .*; the old baseline had another topology, model, number of ranks or rules for operations$'
cp b.acp c.acp
says "update: another machine" "$differs" "$berth" check --pattern p.acp --topology machine.json --mapping m.json --baseline c.acp --update
says "update: another model" "$differs" "$berth" check --pattern p.acp --topology machine.json --baseline c.acp --model sum --update
python3 inputs.py nine.acp t.json 'p.ranks = 9; p.send = {k: n for k, n in p.send.items() if 9 not in k[1:3]}'
says "update: other ranks" "$differs" "$berth" check --pattern nine.acp --topology machine.json --baseline c.acp --model sum --update

finish
