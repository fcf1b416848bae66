#!/usr/bin/env bash
# `berth check`: one result for one input, regressions of 1% caught with the right culprit, no
# verdict where the baseline is of something else. Two leaves of three hosts of two PUs; a leaf's
# uplink moves 1 MB/s, and no message in less than 10 ms. Ten ranks in order; in each of 100
# occurrences of phase solve 2 MB leave leaf A, which is 2 s, and 1.98 MB come in.
# shellcheck disable=SC2154
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1

cat > inputs.py <<'PY'
"""inputs.py PATTERN TOPOLOGY [EDIT]: writes both, after a Python statement about p and t."""
import json, sys
class Pattern:
    """send[phase id, src, dst, size, site id] = count"""
    def __init__(self):
        self.ranks = 10
        self.phases = {0: ["init", 1], 1: ["solve", 100]}
        self.sites = {1: ["MPI_Isend", ["exchange halo.c:120", "main app.c:44"]],
                      2: ["MPI_Send", ["exchange halo.c:130", "main app.c:44"]],
                      3: ["MPI_Send", ["pack pack.c:7", "main app.c:51"]]}
        self.send = {(0, 0, 1, 1000, 1): 1,
                     (1, 0, 6, 10000, 1): 100, (1, 1, 7, 10000, 2): 100,
                     (1, 6, 0, 10000, 1): 99, (1, 7, 1, 10000, 2): 99,
                     (1, 2, 3, 10000, 1): 100, (1, 4, 5, 10000, 3): 2}
        self.other = []
    def coll(self, op, size, count, **more):
        self.other.append({"kind": "coll", "phase": 1, "op": op, "bytes": size, "count": count,
                           "root": None, **more})
    def put(self, count):
        self.other.append({"kind": "rma", "phase": 1, "src": 0, "op": "MPI_Put", "sync": "fence",
                           "msgs": [[9, 8, count]]})
    def more(self, phase, src, dst, size, site, count):
        key = phase, src, dst, size, site
        self.send[key] = self.send.get(key, 0) + count
        if not self.send[key]: del self.send[key]
    def save(self, path):
        lines = [{"kind": "phase", "id": i, "name": n, "repeats": r} for i, (n, r) in self.phases.items()]
        lines += [{"kind": "site", "id": i, "op": o, "frames": f} for i, (o, f) in self.sites.items()]
        lines += [{"kind": "p2p", "phase": k, "site": s, "src": a, "msgs": [[b, z, n]]}
                  for (k, a, b, z, s), n in self.send.items()]
        lines += self.other
        head = {"format": "berth-pattern", "version": 1, "ranks": self.ranks, "command": ["x"]}
        end = {"kind": "end", "records": len(lines)}
        with open(path, "w") as f:
            for line in [head, *lines, end]: print(json.dumps(line), file=f)
leaf = lambda n: {"type": "leaf", "name": n.upper(), "children": [
    {"type": "host", "name": f"{n}{i}", "host": f"{n}{i}",
     "children": [{"pu": 0, "core": 0}, {"pu": 1, "core": 1}]} for i in range(3)]}
t = {"format": "berth-topology", "version": 1, "name": "two leaves",
     "curves": {"uplink": {"points": [[10000, 1e6]]}, "spare": {"points": [[1, 1]]}},
     "types": {"top": {"down": {"max_bandwidth": 1e8}},
               "leaf": {"up": {"out": "uplink", "in": "uplink", "max_bandwidth": 1e6},
                        "down": {"max_bandwidth": 1e7}},
               "host": {"up": {"max_bandwidth": 1e7}, "down": {"max_bandwidth": 1e9}}},
     "root": {"type": "top", "name": "spine", "children": [leaf("a"), leaf("b")]}}
p = Pattern()
exec(sys.argv[3] if len(sys.argv) > 3 else "")
p.save(sys.argv[1])
json.dump(t, open(sys.argv[2], "w"))
PY
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
python3 inputs.py p.acp t.json
k() { "$berth" check --pattern p.acp --topology t.json --baseline b.acp "$@"; }
line() { head -1 "$@"; }

# a baseline: none, then one that stays as it is
expect 4 "berth check: b.acp: found no such file, expected a baseline (--update writes it)" k
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
up='A: up port, out'
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
other PUs than in the baseline; by that alone its messages cost 202.0 s, was 200.0 s (+1%)" ]
regression "one more call site" 'p.more(1,0,6,10000,3,2)' solve "$up" '0 -> 6' "$pack"
regression "from one port to another" 'p.more(1,1,7,10000,2,-4); p.more(1,8,2,10000,2,4)' \
  solve 'A: up port, in' '8 -> 2' "$halo2"
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
check "sum: port" grep -qF '  b1: down port to PU 0, ' out
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
check "sends wait: it says so" grep -qF 'no pair takes longer on it by itself' out

# random patterns under every model: traffic of one pair from a site of its own comes in, and where
# that is worse, phase, pair and site are named first
cat > random_cases.py <<'PY'
"""random_cases.py BERTH ROUNDS"""
import json, os, random, subprocess, sys
berth, rounds = sys.argv[1], int(sys.argv[2])
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
check "random patterns" python3 random_cases.py "$berth" $((20 * ${BERTH_TEST_ROUNDS:-1}))

# what isn't worse
better() { python3 inputs.py other.acp other.json "$1"; "$berth" check --pattern other.acp --topology other.json --baseline b.acp "${@:2}" > out; }
check "within" better 'p.more(1,1,7,10000,2,1)' --tolerance 0.51
check "not within" [ "$(better 'p.more(1,1,7,10000,2,1)' --tolerance 0.49; echo $?)" = 1 ]
check "cheaper" better 'p.more(1,1,7,10000,2,-2)'
check "cheaper: it says so" grep -qx 'cheaper: 198.0 s, was 200.0 s (-1%), .*; --update makes this the baseline' out
check "a phase alone" better 'p.more(0,0,1,1000,1,9)'
check "a phase alone, each counts" [ "$(better 'p.more(0,0,1,1000,1,9)' --each-phase; echo $?)" = 1 ]
check "a phase alone: it says so" grep -qF 'tolerance 0.5%; phases alone are dearer by more; model' out
check "a phase alone: no other" [ "$(better 'p.more(0,0,1,1000,1,9); p.more(1,0,6,9000,1,1)' --each-phase; grep -c '^phase' out)" = 1 ]
check "a phase alone: named" grep -q '^phase 0 "init": ' out
check "a phase is gone" better 'del p.phases[0]; del p.send[0,0,1,1000,1]'
check "a phase is gone: it says so" grep -qE '^phase 0 "init": .*; it isn.t there any more$' out
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
sed '1s/"cost_s":200[0-9.]*/"cost_s":201/' b.acp > older.acp
check "another berth's prices" [ "$("$berth" check --pattern p.acp --topology t.json \
  --baseline older.acp > out; echo $?)" = 5 ]
check "another berth's prices: why" grep -qE "^no verdict: found that the baseline's messages cost 200[0-9.]* s by berth [0-9.]+, expected 201 s" out
cp b.acp kept.acp
no_verdict "no messages, no update" "a pattern without messages" 'p.send = {}' --update
check "no messages, no update: the baseline stays" cmp -s b.acp kept.acp
python3 inputs.py p.acp machine.json 't["types"]["leaf"]["up"]["max_bandwidth"] = 2e6'
check "update for another machine" "$berth" check --pattern p.acp --topology machine.json --baseline kept.acp --update > out
check "its placement is another machine's" grep -q "^note: the old baseline's placement is of another topology" out
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
check "budgets on another machine: whose placement" grep -q "^note: the baseline's placement is of another topology or number of ranks, so that ranks are in order for budgets; --mapping" out
expect 3 "berth check: --budget phase:typo=1s: found 0 phases of that name, expected one, or its number; there are 0 \"init\", 1 \"solve\"" b --budget phase:typo=1s
python3 inputs.py few.acp few.json 'del t["root"]["children"][0]'
expect 3 "berth check: found 10 ranks and fewer PUs for them, so that linear doesn't fit, expected --mapping" \
  "$berth" check --pattern p.acp --topology few.json --baseline b.acp --budget cost=1s
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
usage() { expect 2 "berth check: $1
Try \`berth check --help' or \`berth check --usage' for more information." "${@:2}"; }
time_limit='expected a number of s, ms, us or ns, as in 2.5s'
usage "--budget: found limit '2.5' in 'cost=2.5', $time_limit" k --budget cost=2.5
usage "--budget: found limit '-1s' in 'phase:a=b=-1s', $time_limit" k --budget phase:a=b=-1s
usage "--budget: found limit '1s' in 'bytes:A=1s', expected a number of B, KiB, MiB, GiB, TiB or PiB, as in 10GiB" k --budget bytes:A=1s
forms='expected a budget: cost=2.5s, phase:NAME=300ms or bytes:NAME=10GiB'
usage "--budget: found 'cost=1s' twice, expected it once" k --budget cost=1s --budget cost=1s
for b in cost cost:x=1s phase:=1s bytes=1B money=3s; do usage "--budget: found '$b', $forms" k --budget $b; done

# wrong usage and bad input
c() { "$berth" check --pattern p.acp --topology t.json "$@"; }
usage "expected --baseline or --budget" c
usage "--update: expected --baseline, too" c --update --budget cost=1s
usage "expected --pattern and --topology" "$berth" check --baseline b.acp
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
expect 3 "berth check: /dev/full: found no regular file, expected a baseline that --update wrote, or no file" \
  c --baseline /dev/full --update
check "a baseline may come through a pipe" eval 'c --baseline <(cat b.acp) > out'
cp b.acp again.acp
check "a baseline may be priced anew" "$berth" check --pattern again.acp --topology machine.json \
  --baseline again.acp --update > out
plain="p.acp: found a pattern that is no baseline, expected one that --update wrote"
expect 3 "berth check: $plain" c --baseline p.acp
cp p.acp before.acp
expect 3 "berth check: $plain, or no file" c --baseline p.acp --update
check "what is no baseline stays" cmp -s p.acp before.acp
damaged() { sed "1s/$2/$3/" b.acp > bad.acp; expect 3 "berth check: $1" c --baseline bad.acp; }
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
    expect 3 "berth check: bad.acp: baseline.placement.pu_of_rank[9]: found PU $pu, expected 0 to 11, those of the topology" \
      c --baseline bad.acp $options
    check "PU $pu $options: it stays" grep -q "8,$pu\]" bad.acp
  done
done
head -4 b.acp > bad.acp
expect 3 "berth check: bad.acp:4: found the end of the file, expected a line of kind \"end\": the file is truncated (--truncated takes what is there)" c --baseline bad.acp
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
differs='^updated c.acp: .*; the old one was of another topology, model or number of ranks$'
cp b.acp c.acp
says "update: another machine" "$differs" "$berth" check --pattern p.acp --topology machine.json --mapping m.json --baseline c.acp --update
says "update: another model" "$differs" "$berth" check --pattern p.acp --topology machine.json --baseline c.acp --model sum --update
python3 inputs.py nine.acp t.json 'p.ranks = 9; p.send = {k: n for k, n in p.send.items() if 9 not in k[1:3]}'
says "update: other ranks" "$differs" "$berth" check --pattern nine.acp --topology machine.json --baseline c.acp --model sum --update

# collective and one-sided operations aren't priced, which is said; where they grew and messages
# don't cost more, there is no verdict: NAME CODE VERDICT WAS NOW LINE
cat > unpriced.py <<'PY'
"""unpriced.py VERDICT LINE: out.json has the verdict, with what it rests on; j.xml has the line."""
import json, re, sys, xml.etree.ElementTree as xml
verdict, line = sys.argv[1:]
assert re.search(line, xml.parse("j.xml").getroot().find(".//system-out").text, re.M)
r = json.load(open("out.json"))
assert r["verdict"] == verdict and r["unpriced_operations"] is True and r["unpriced"]
grew = [u["grew"] for u in r["unpriced"]]
assert grew == sorted(grew, reverse=True) and (any(grew) or verdict != "no verdict"), grew
for u in r["unpriced"]:
    assert (u["ranks"] is None) == (u["sync"] is not None), u
    assert not u["grew"] or u["calls"] > u["was_calls"] or u["bytes"] > u["was_bytes"], u
PY
unpriced() {
  python3 inputs.py was.acp t.json "$4"
  rm -f u.acp
  "$berth" check --pattern was.acp --topology t.json --baseline u.acp --update > out
  python3 inputs.py now.acp t.json "$5"
  "$berth" check --pattern now.acp --topology t.json --baseline u.acp --junit j.xml --github > out
  check "$1: exit code" [ $? = "$2" ]
  check "$1: verdict" grep -qE "^$3: " out
  check "$1: what" grep -qE "$6" out
  "$berth" check --pattern now.acp --topology t.json --baseline u.acp --json > out.json
  check "$1: json and junit" python3 unpriced.py "$3" "$6"
}
bcast='p.coll("MPI_Bcast", 131072, 20)'
all='MPI_Bcast on 10 ranks: 2000 times with 2.441 GiB'
unpriced "as they were" 0 within "$bcast" "$bcast" "^  $all, as in the baseline\$"
check "as they were: nothing to annotate" eval '! grep -q ^:: out'
unpriced "one that is new" 5 "no verdict" '' "$bcast" "^  $all, was 0 times with 0 B\$"
check "one that is new: why" grep -qx "no verdict: found MPI_Bcast on 10 ranks 2000 times with 2.441 GiB, \
expected at most 0 times with 0 B as in the baseline, since such operations aren't priced; messages \
alone cost 200.0 s, was 200.0 s; if it is meant, --update makes a new baseline" out
check "one that is new: a warning" grep -q '^::warning title=berth check%3A no verdict::no verdict: found MPI_Bcast' out
n() { "$berth" check --pattern now.acp --topology t.json --baseline u.acp "$@"; }
check "one that is new: update" eval 'n --update > out && n > out'
put='MPI_Put \(fence\)'
unpriced "messages became one" 5 "no verdict" "$bcast" "$bcast"'; p.coll("MPI_Alltoall", 80, 1)
p.more(1,1,7,10000,2,-50)' '^  MPI_Alltoall on 10 ranks: 100 times with 78.12 KiB, was 0 times with 0 B$'
unpriced "messages cost more, too" 1 worse "$bcast" "$bcast"'; p.coll("MPI_Bcast", 8, 1); p.more(1,1,7,10000,2,2)' \
  "^  MPI_Bcast on 10 ranks: 2100 times with 2.441 GiB, was 2000 times with 2.441 GiB\$"
unpriced "one became messages" 1 worse "$bcast" 'p.more(1,1,7,10000,2,2)' \
  '^  MPI_Bcast on 10 ranks: 0 times with 0 B, was 2000 times with 2.441 GiB$'
unpriced "fewer" 0 within "$bcast"'; p.put(7)' "$bcast" "^  $put: 0 times with 0 B, was 700 times with 5.469 KiB\$"
check "fewer: a notice" grep -q '^::notice title=berth check%3A not priced::note: messages alone are priced; these' out
unpriced "fewer, and cheaper" 0 cheaper "$bcast"'; p.put(7)' "$bcast"'; p.more(1,1,7,10000,2,-2); p.more(1,0,6,10000,1,-2)' \
  "^  $put: 0 times with 0 B, was 700 times"
unpriced "more one-sided" 5 "no verdict" 'p.put(7)' 'p.put(8)' "^  $put: 800 times with 6.250 KiB, was 700 times with 5.469 KiB\$"
unpriced "by less than the tolerance" 0 within 'p.put(1000)' 'p.put(1004)' "^  $put: 100400 times with .*, was 100000 times"
unpriced "larger" 5 "no verdict" "$bcast" 'p.coll("MPI_Bcast", 131072, 10); p.coll("MPI_Bcast", 133000, 10)' \
  '^  MPI_Bcast on 10 ranks: 2000 times with 2.459 GiB, was 2000 times'
four='p.other.append({"kind": "comm", "id": 1, "ranks": [0, 2, 4, 6]}); '
unpriced "among more ranks" 5 "no verdict" "$four"'p.coll("MPI_Allreduce", 8, 5, comm=1)' \
  'p.coll("MPI_Allreduce", 8, 2)' '^  MPI_Allreduce on 10 ranks: 200 times with 15.62 KiB, was 0 times'
unpriced "what each rank gave" 5 "no verdict" "$four"'p.coll("MPI_Alltoallv", 8, 5, comm=1)' \
  "$four"'p.coll("MPI_Alltoallv", 8, 5, comm=1, rank_bytes=[[4000, 3], 4100])' \
  '^  MPI_Alltoallv on 4 ranks: 500 times with 15.72 KiB, was 500 times with 15.62 KiB$'
unpriced "neighbourhoods are messages" 0 within "$bcast" "$bcast"'; p.coll("MPI_Neighbor_alltoall", 8, 5)' "^  $all, as in the baseline"
check "neighbourhoods are messages: not listed" eval '! grep -q Neighbor out'
python3 inputs.py was.acp t.json 'p.send = {}; '"$bcast"
check "nothing else" [ "$("$berth" check --pattern was.acp --topology t.json --budget bytes:spine=1B > out; echo $?)" = 5 ]
check "nothing else: why" grep -qx "no verdict: found collective or one-sided operations alone, which aren't priced, expected messages between ranks" out
check "nothing else: what" grep -qx "  $all" out
python3 inputs.py was.acp t.json "$bcast"
check "budgets alone" "$berth" check --pattern was.acp --topology t.json --budget cost=999s --github > out
check "budgets alone: a note" grep -q '^note: messages alone are priced' out
check "budgets alone: a notice" grep -q '^::notice title=berth check%3A not priced::' out

# thousands of phases, all of whose names moved by a line, are matched as they were
python3 inputs.py many.acp t.json 'p.phases = {i: [f"step {i} s.c:{i}", 1 + i % 3] for i in range(3000)}
p.send = {(i, i % 10, (i + 6) % 10, 10000, 1): 1 + i % 7 for i in range(3000)}'
python3 inputs.py moved.acp t.json 'p.phases = {i: [f"step {i} s.c:{i + 1}", 1 + i % 3] for i in range(3000)}
p.send = {(i, i % 10, (i + 6) % 10, 10000, 1): 1 + i % 7 for i in range(3000)}'
m() { "$berth" check --topology t.json --baseline many-b.acp "$@"; }
m --pattern many.acp --update > out
check "many phases" eval 'm --pattern moved.acp --json > out.json'
check "many phases: each is itself" python3 -c '
import json
phases = json.load(open("out.json"))["phases"]
assert len(phases) == 3000 and all(p["id"] == p["was_id"] for p in phases)'

# names as long as they may be, of two bytes a character, and paths that are no text
python3 inputs.py long.acp long.json 't["root"]["name"] = "é" * 127; t["root"]["children"][0]["name"] = "ü" * 127
for child, name in zip(t["root"]["children"], "éü"):
    child["type"] = name * 120
    t["types"][name * 120] = t["types"]["leaf"]'
bad=$'bad\xff\x01.json'
cp long.json "$bad"
cp long.acp "$bad.acp"
"$berth" check --pattern long.acp --topology long.json --baseline long-b.acp --update > out
python3 inputs.py long.acp t.json 'p.more(1,1,7,10000,2,2)'
cp long.acp "$bad.acp"
"$berth" check --pattern "$bad.acp" --topology "$bad" --baseline long-b.acp --json --junit j.xml \
  --budget "bytes:$(printf 'ü%.0s' {1..127})=1B" > out.json
check "long names" [ $? = 1 ]
check "long names: json and junit" python3 -c '
import json, xml.etree.ElementTree as xml
r = json.loads(open("out.json", "rb").read().decode())
assert r["topology"] == "bad\ufffd\u0001.json", r["topology"]
assert r["phases"][0]["port"]["text"] == "ü" * 127 + ": up port, out"
assert "ü" * 127 + ": up port, out" in xml.parse("j.xml").getroot().find(".//failure").text'
"$berth" cost --pattern long.acp --topology long.json --mapping m.json --json > out.json
check "long names: types" python3 -c '
import json
r = json.loads(open("out.json", "rb").read().decode())["results"][0]
assert "é" * 120 + "+" + "ü" * 120 in [l["types"] for l in r["levels"]]'

# what CI systems read
cat > junit.py <<'PY'
"""junit.py FILE TESTS FAILURES ERRORS: counts, as they say and as they are; prints the text of all."""
import sys, xml.etree.ElementTree as xml
root = xml.parse(sys.argv[1]).getroot()
cases = list(root.iter("testcase"))
counts = [len(cases)] + [sum(c.find(k) is not None for c in cases) for k in ("failure", "error")]
assert counts == [int(n) for n in sys.argv[2:5]], counts
for suite in (root, root[0]):
    assert [int(suite.get(k)) for k in ("tests", "failures", "errors")] == counts
assert len({c.get("name") for c in cases}) == len(cases), "a name twice: GitLab takes the first"
for c in cases:
    for bad in c: print(c.get("name"), "|", bad.get("message"), "|", bad.text)
PY
odd='p.phases[1][0] = p.phases[0][0] = "50%, <a> & \"b\": \uffff"; p.sites[2][1][0] = "f<T>(a&)\n x.c:1%"; '
python3 inputs.py odd.acp t.json "$odd"
"$berth" check --pattern odd.acp --topology t.json --baseline odd-b.acp --update > out
python3 inputs.py odd.acp t.json "$odd"'p.more(1,1,7,10000,2,2)'
o() { "$berth" check --pattern odd.acp --topology t.json --baseline odd-b.acp --junit j.xml --github "$@"; }
check "junit: worse" [ "$(o --budget cost=1s --budget bytes:A=1GiB > out; echo $?)" = 1 ]
check "junit: worse: cases" python3 junit.py j.xml 5 2 0 > text
check "junit: one regression is one failure" eval '! grep -q "^phase .* | " text'
o --each-phase > out
check "junit: each phase" python3 junit.py j.xml 3 2 0 > text
check "junit: each phase: which" grep -q '^phase 1 .* | phase 1 ' text
o --budget cost=1s --budget bytes:A=1GiB > out
python3 junit.py j.xml 5 2 0 > text
check "junit: worse: text" grep -qF 'at MPI_Send  f<T>(a&)? x.c:1% < main app.c:44' text
check "junit: worse: message" grep -qF 'total cost | worse: 202.0 s, was 200.0 s (+1%), tolerance 0.5%; model port, 10 ranks placed by linear on two leaves: phase 1 "50%, <a> & "b": '$'\ufffd''", A: up port, out, 1 -> 7, MPI_Send  f<T>(a&)? x.c:1% < main app.c:44 | ' text
grep '^::' out > annotations
check "github: one a failure" [ "$(cut -d: -f3 annotations | cut -d' ' -f1 | sort | uniq -c | tr -s ' \n' ' ')" = " 2 error " ]
check "github: title" grep -q '^::error title=berth check%3A worse::worse: 202.0 s, was 200.0 s (+1%25), tolerance' annotations
check "github: property" grep -q '^::error title=berth check%3A budget cost=1s::budget cost=1s: broken' annotations
check "github: data" grep -qF '%0Aphase 1 "50%25, <a> & "b": '$'\uffff''": 202.0 s, was' annotations
check "with json: annotations on standard error" cmp -s annotations \
  <(o --budget cost=1s --budget bytes:A=1GiB --json 2>&1 > out)
check "with json: an object" python3 -m json.tool out /dev/null
check "junit and github: no verdict" [ "$(c --baseline b.acp --model sum --junit j.xml --github > out; echo $?)" = 5 ]
check "no verdict: an error" python3 junit.py j.xml 1 0 1 > text
check "no verdict: why" grep -q '^total cost | no verdict: found model sum, ' text
check "no verdict: a warning" grep -q '^::warning title=berth check%3A no verdict::no verdict: found model sum' out
check "junit: all is well" eval 'k --junit j.xml --github > out && python3 junit.py j.xml 3 0 0 && ! grep -q ^:: out'
# where a call site is in the repository, annotations say so; of two files of one name nobody knows
mkdir -p repository/src repository/.hidden
touch repository/src/halo.c repository/.hidden/halo.c repository/app.c
python3 inputs.py worse.acp t.json 'p.more(1,1,7,10000,2,2)'
w() { "$berth" check --pattern worse.acp --topology t.json --baseline b.acp --budget bytes:A=1B --github "$@" | grep '^::error'; }
export GITHUB_WORKSPACE=$work/repository
w > out
check "github: a place" grep -q '^::error file=src/halo.c,line=130,title=berth check%3A worse::' out
check "github: a budget's place" grep -q '^::error file=src/halo.c,line=1[23]0,title=berth check%3A budget' out
touch repository/halo.c
w > out
check "github: the innermost frame whose file is known" grep -q '^::error file=app.c,line=44,title=berth check%3A worse::' out
rm repository/app.c
w > out
check "github: no place" grep -q '^::error title=berth check%3A worse::' out
unset GITHUB_WORKSPACE
check "github: the current folder" eval '(cd repository/src && "$berth" check --pattern ../../worse.acp \
  --topology ../../t.json --baseline ../../b.acp --github) | grep -q "^::error file=halo.c,line=130,"'

# no result: what the run before left would pass for one
k --junit j.xml > out
without() { # CODE REASON OPTION…
  "$berth" check --github --junit j.xml "${@:3}" > out 2> err
  check "$2: exit code" [ $? = "$1" ]
  python3 junit.py j.xml 1 0 1 > text
  check "$2: junit" grep -qF "total cost | $2" text
  check "$2: an annotation" grep -qF "::error title=berth check%3A no result::$2" out
}
without 4 "none.acp: cannot open: No such file or directory" --pattern none.acp --topology t.json --baseline b.acp
without 4 "none.acp: found no such file, expected a baseline" --pattern p.acp --topology t.json --baseline none.acp
without 3 "p.acp: found a pattern that is no baseline" --pattern p.acp --topology t.json --baseline p.acp
without 3 "--budget phase:x=1s: found 0 phases" --pattern p.acp --topology t.json --budget phase:x=1s
"$berth" check --pattern none.acp --topology t.json --baseline b.acp --github --json > out 2> err
check "no result, with json: the annotation is beside it" eval '[ ! -s out ] && grep -q "^::error title=berth check%3A no result::none.acp" err'
finish
