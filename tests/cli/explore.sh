#!/usr/bin/env bash
# `berth explore`: where placements stand among random ones.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
pattern=$BERTH_SOURCE_DIR/examples/ladder/pattern.acp topology=$BERTH_SOURCE_DIR/testbed/topology.json
k() { "$berth" explore --pattern "$pattern" --topology "$topology" "$@"; }

"$berth" map --pattern "$pattern" --topology "$topology" --algorithm greedy --mapping greedy.json > /dev/null
k greedy.json --samples 1000 --json > one.json
k greedy.json --samples 1000 --csv > one.csv
cat > judge.py <<'PY'
"""judge.py EXPLORE.json EXPLORE.csv: the distribution is that of the samples."""
import csv, json, math, sys
found, rows = json.load(open(sys.argv[1])), list(csv.DictReader(open(sys.argv[2])))
samples = [float(r["cost_s"]) for r in rows if r["kind"] == "sample"]
ordered, n, wrong = sorted(samples), len(samples), 0
def expect(what, a, b):
    global wrong
    if not (a == b or isinstance(a, float) and abs(a - b) <= 1e-12 * abs(b)):
        print(what, "found", a, "expected", b)
        wrong += 1
expect("samples", found["samples"], n)
for q in found["quantiles"]:
    expect(f"quantile {q['share']}", q["cost_s"], ordered[max(0, math.ceil(q["share"] * n) - 1)])
expect("mean", found["mean_s"], sum(samples) / n)
expect("histogram", sum(found["histogram"]), n)
width = (ordered[-1] - ordered[0]) / len(found["histogram"])
middle = sum(s < ordered[0] + width * 10 for s in samples)
expect("its lower half", sum(found["histogram"][:10]), middle)
placements = found["placements"]
expect("cheapest first", [p["cost_s"] for p in placements], sorted(p["cost_s"] for p in placements))
for p in placements:
    expect(p["name"] + " dearer", p["dearer"], sum(s > p["cost_s"] for s in samples) / n)
    expect(p["name"] + " equal", p["equal"], sum(s == p["cost_s"] for s in samples) / n)
    expect(p["name"] + " csv", [float(r["cost_s"]) for r in rows
                                if r["kind"] == "placement" and r["name"] == p["name"]], [p["cost_s"]])
expect("names", sorted(p["name"] for p in placements),
       ["best", "greedy", "greedy.json", "linear", "round-robin"])
best = next(p for p in placements if p["name"] == "best")
expect("best isn't dearer than any sample", best["dearer"] + best["equal"], 1.0)
sys.exit(wrong > 0 or not found["lower_bound_s"] <= placements[0]["cost_s"])
PY
check "the distribution is that of its samples" python3 judge.py one.json one.csv
for threads in 2 8; do
  check "the same with $threads threads" cmp -s one.json <(k greedy.json --samples 1000 --json --threads $threads)
done
# parts of the sequence: the first samples don't depend on how many follow
check "fewer samples are the first of more" cmp -s <(grep '^sample' one.csv | head -37) \
  <(k --samples 37 --algorithms none --csv | grep '^sample')
check "another seed gives other samples" [ "$(k --samples 37 --seed 2 --algorithms none --csv |
  grep '^sample' | sort | comm -12 - <(grep '^sample' one.csv | sort) | wc -l)" -lt 12 ]

# 3 ranks on 4 PUs: a sample is dear where 0 and 1 are on different hosts, which 2 of 3 placements are
cat > small.json <<'JSON'
{"format":"berth-topology","version":1,"name":"small","types":{"top":{"down":{"max_bandwidth":1}},
 "host":{"down":{"max_bandwidth":1000}}},
 "root":{"type":"top","name":"top","children":[
  {"type":"host","host":"a","children":[{"pu":0,"core":0},{"pu":1,"core":1}]},
  {"type":"host","host":"b","children":[{"pu":0,"core":0},{"pu":1,"core":1}]}]}}
JSON
cat > small.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":3,"command":["x"]}
{"kind":"p2p","src":0,"msgs":[[1,100,1]]}
{"kind":"end","records":1}
ACP
share=$("$berth" explore --pattern small.acp --topology small.json --samples 20000 --algorithms linear \
  --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["placements"][0]["dearer"])')
check "two thirds of the placements are dear: $share" python3 -c "exit(abs($share - 2/3) > 0.02)"
share=$("$berth" explore --pattern small.acp --topology small.json --samples 500 --algorithms linear \
  --pin 0=0 --pin 1=1 --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["placements"][0]["equal"])')
check "pinned ranks stay: $share" [ "$share" = 1 ]
check "all mappers" [ "$(k --algorithms all --samples 10 --json |
  grep -c '"name"')" = "$("$berth" map --help | sed -n '/^Algorithms/,$p' | grep -cE '^  (linear|round|greedy|metis|multi|geo|refine|best)')" ]
# mappers that don't serve the problem: named ones fail, of `all` those are told of
expect 2 "berth explore: exact: found 16 ranks, expected at most 12" k --algorithms linear,exact --samples 10
k --algorithms all --samples 10 > out
check "text: what all leaves out" grep -qxF 'left out: exact: found 16 ranks, expected at most 12' out
check "JSON: what all leaves out" [ "$(k --algorithms all --samples 10 --json | python3 -c 'import json, sys
print(*[x["algorithm"] for x in json.load(sys.stdin)["left_out"]])')" = "$(sed -n 's/^left out: \([a-z-]*\):.*/\1/p' out | tr '\n' ' ' | sed 's/ $//')" ]
# a placement that is there twice
cp greedy.json again.json
k greedy.json again.json --algorithms greedy --samples 10 > out
check "text: the same placement" [ "$(grep -c ', the same as greedy.json$' out)" = 2 ]
check "JSON: the same placement" [ "$(k greedy.json again.json --algorithms linear --samples 10 --json | python3 -c 'import json, sys
print(*[x["same_as"] for x in json.load(sys.stdin)["placements"]])')" = "None greedy.json None" ]
# more threads than there are samples for aren't given an evaluator each
python3 - <<'PY'
import json
n = 1024
with open("many.acp", "w") as f:
    f.write(json.dumps({"format": "berth-pattern", "version": 1, "ranks": n}) + "\n")
    for r in range(n):
        msgs = [[(r + k) % n, 1000, 1] for k in range(1, 257)]
        f.write(json.dumps({"kind": "p2p", "src": r, "msgs": msgs}) + "\n")
    f.write(json.dumps({"kind": "end", "records": n}) + "\n")
PY
"$berth" topo import -f levels 16:64/1:10 -o many.json 2> /dev/null
memory() { # THREADS: the most KiB that it had
  python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$berth" explore --pattern many.acp \
    --topology many.json --algorithms none --samples 4 --threads "$1"
}
one=$(memory 1) many=$(memory 32)
check "32 threads for 4 samples: $many KiB, one: $one" [ "$many" -lt $((one * 3 / 2)) ]

k --samples 100 > out
check "text: no line ends in a blank" eval '! grep -n " $" out'
check "text: linear is in it" grep -q '<- .*linear' out
check "text: no sample beats the best" grep -q '^No sample is as cheap as' out

expect 2 "berth explore: --samples: found '0', expected a whole number from 1 to 100000000
Try \`berth explore --help' or \`berth explore --usage' for more information." k --samples 0
expect 2 "berth explore: --algorithms: found 'fastest', expected linear, round-robin, random, greedy, metis, multilevel, geometric, stay, refine, exact or best
Try \`berth explore --help' or \`berth explore --usage' for more information." k --algorithms linear,fastest
expect 4 "berth explore: none.json: cannot open: No such file or directory" k none.json
finish
