#!/usr/bin/env bash
# `berth compare`: its numbers are those of `berth cost`, its order is that of costs.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cp "$BERTH_SOURCE_DIR/testbed/topology.json" t.json
cat > p.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":4,"command":["x"]}
{"kind":"rank","rank":0,"wall_s":10,"mpi_s":5}
{"kind":"rank","rank":1,"wall_s":10,"mpi_s":5}
{"kind":"rank","rank":2,"wall_s":10,"mpi_s":5}
{"kind":"rank","rank":3,"wall_s":10,"mpi_s":5}
{"kind":"phase","id":0,"name":"start \"up\"","repeats":1}
{"kind":"phase","id":1,"name":"solve","repeats":10}
{"kind":"p2p","phase":0,"src":0,"msgs":[[3,100000,1]]}
{"kind":"p2p","phase":1,"src":0,"msgs":[[2,1000,7]]}
{"kind":"p2p","phase":1,"src":1,"msgs":[[3,2000,9],[2,500,1]]}
{"kind":"end","records":9}
ACP
mapping() { echo "{\"format\":\"berth-mapping\",\"version\":1,\"algorithm\":\"$3\",\"pu_of_rank\":$2}" > "$1"; }
mapping near.json '[0, 2, 1, 3]' hand   # linear is 0 1 2 3 with two PUs a host
mapping far.json '[0, 4, 8, 12]' ''
mapping "odd, \"name\".json" '[1, 0, 2, 3]' x
k() { "$berth" compare --pattern p.acp --topology t.json "$@"; }

cat > judge.py <<'PY'
"""judge.py BERTH COMPARE.json: everything in it is what `berth cost` says."""
import json, subprocess, sys
berth, found = sys.argv[1], json.load(open(sys.argv[2]))
wrong = 0
def expect(what, a, b):
    global wrong
    if a != b:
        print(what, "found", a, "expected", b)
        wrong += 1
expect("format", (found["format"], found["ranks"]), ("berth-compare", 4))
costs = [p["cost_s"][found["model"]] for p in found["placements"]]
expect("order", costs, sorted(costs))
linear = [0, 1, 2, 3]
host = lambda pu: pu // 2
reference = found["reference"]
placement = lambda name: linear if name == "linear" else json.load(open(name))["pu_of_rank"]
for p in found["placements"]:
    name, pus = p["mapping"], placement(p["mapping"])
    json.dump({"format": "berth-mapping", "version": 1, "pu_of_rank": pus}, open("again.json", "w"))
    for model, cost in p["cost_s"].items():
        out = subprocess.run([berth, "cost", "--pattern", "p.acp", "--topology", "t.json",
                              "--mapping", "again.json", "--model", model, "--json", "--alone", "0"],
                             capture_output=True, text=True, check=True)
        priced = json.loads(out.stdout)["results"][0]
        expect(f"{name} {model}", cost, priced["cost_s"])
        if model != found["model"]: continue
        for key in ("levels", "phases", "bottleneck"): expect(f"{name} {key}", p[key], priced[key])
        if reference == "linear":
            expect(f"{name} gain", p["cost_gain"], priced["cost_gain"])
            expect(f"{name} gain of the run", p["run_gain"], priced["run_gain"])
    base = placement(reference)
    expect(f"{name} moved", p["moved"], sum(a != b for a, b in zip(pus, base)))
    expect(f"{name} to other hosts", p["to_other_hosts"],
           sum(host(a) != host(b) for a, b in zip(pus, base)))
sys.exit(wrong > 0 or len(found["placements"]) != int(sys.argv[3]))
PY
judged() { k --json "${@:2}" > c.json && python3 judge.py "$berth" c.json "$1"; }
for model in port bound sum flow; do
  check "by $model" judged 4 near.json far.json 'odd, "name".json' --model $model
done
check "against a file that is one of them" judged 3 near.json far.json --against far.json
check "against a file that is none of them" judged 3 near.json --against far.json
check "two models" [ "$(k near.json --models sum,port --json |
  python3 -c 'import json,sys; print(*sorted(json.load(sys.stdin)["placements"][0]["cost_s"]))')" = "port sum" ]

cat > values.py <<'PY'
"""values.py COMPARE.json < CSV: both have the same values."""
import csv, json, sys
rows, found = list(csv.DictReader(sys.stdin)), json.load(open(sys.argv[1]))
same = len(rows) == len(found["placements"])
for row, p in zip(rows, found["placements"]):
    values = {"mapping": p["mapping"], "algorithm": p["algorithm"], "moved": str(p["moved"]),
              "to_other_hosts": str(p["to_other_hosts"]), "bottleneck": p["bottleneck"]["text"],
              "bottleneck_phase": str(p["bottleneck"]["phase"])}
    numbers = {f"{m}_s": c for m, c in p["cost_s"].items()}
    numbers |= {f"level_{l['depth']}_s": l["cost_s"] for l in p["levels"]}
    numbers |= {f"level_{l['depth']}_bytes": l["bytes"] for l in p["levels"]}
    numbers |= {f"phase_{x['id']}_s": x["repeats"] * x["cost_s"] for x in p["phases"]}
    numbers |= {"cost_gain": p["cost_gain"], "bottleneck_bytes": p["bottleneck"]["bytes"]}
    same &= all(row[k] == v for k, v in values.items())
    same &= all(float(row[k]) == v for k, v in numbers.items())
    same &= set(row) == set(values) | set(numbers)
sys.exit(not same)
PY
k near.json far.json 'odd, "name".json' --json > c.json
check "csv" python3 values.py c.json < <(k near.json far.json 'odd, "name".json' --csv)

k near.json far.json > out
check "text: the conclusion" [ "$(head -1 out | cut -d, -f1)" = \
  "near.json is the cheapest: 71% less communication time than in the default order" ]
check "text: what was compared" [ "$(sed -n 2p out)" = \
  "4 ranks on testbed, 25 Mbit/s: 3 placements, the cheapest first (model port); reference: linear" ]
check "text: what moved" grep -qE ' 2  near.json \(hand\), 2 to other hosts$' out
check "text: phases" grep -q '^  1 "solve" x 10 ' out
check "text: a bottleneck for each" [ "$(sed -n '/^bottlenecks/,/^$/p' out | grep -c 'in phase')" = 3 ]

# a placement that is there twice: twin.json is linear's
mapping twin.json '[0, 1, 2, 3]' x
check "text: the same placement" [ "$(k near.json twin.json | grep -c ', the same as twin.json$')" = 1 ]
check "JSON: the same placement" [ "$(k near.json twin.json --json |
  python3 -c 'import json,sys; print(*[p["same_as"] for p in json.load(sys.stdin)["placements"]])')" = "None None twin.json" ]
expect 2 "berth compare: expected at least one mapping
Try \`berth compare --help' or \`berth compare --usage' for more information." k
expect 2 "berth compare: --models: found 'fast', expected port, bound, sum or flow
Try \`berth compare --help' or \`berth compare --usage' for more information." k near.json --models port,fast
expect 2 "berth compare: expected --json or --csv, not both
Try \`berth compare --help' or \`berth compare --usage' for more information." k near.json --json --csv
expect 4 "berth compare: none.json: cannot open: No such file or directory" k near.json none.json
mapping twice.json '[0, 0, 1, 2]' x
check "two ranks on a PU are refused" [ "$(k twice.json 2>&1 >/dev/null | wc -l)" = 1 ]
check "unless they may be" k near.json twice.json --oversubscribe > out

# a machine too small for linear: the first mapping is the reference
cat > small.json <<'JSON'
{"format":"berth-topology","version":1,"name":"small","types":{"host":{"down":{"max_bandwidth":100}}},
 "root":{"type":"host","host":"h","children":[{"pu":0,"core":0},{"pu":1,"core":1}]}}
JSON
mapping both.json '[0, 0, 1, 1]' x
check "without linear" [ "$("$berth" compare --pattern p.acp --topology small.json both.json \
  --oversubscribe --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["reference"])')" = both.json ]
expect 3 "berth compare: --against linear: found 4 ranks and fewer PUs for them, expected a mapping" \
  "$berth" compare --pattern p.acp --topology small.json both.json --oversubscribe --against linear
finish
