#!/usr/bin/env bash
# --collectives berth: estimates of calls that berth's own collective library makes. They cost what the
# messages of `berth schedule` cost as a pattern of their own, with hosts in the order of the tree.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1

cat > t.json <<'JSON'
{"format": "berth-topology", "version": 1, "name": "two switches",
 "curves": {"wire": {"points": [[1, 20000], [32768, 32768000]]}},
 "types": {"host": {"up": {"out": "wire", "in": "wire", "max_bandwidth": 4e7}, "down": {"max_bandwidth": 1e9}},
           "switch": {"up": {"max_bandwidth": 5e7}, "down": {"max_bandwidth": 4e7}}, "root": {}},
 "root": {"type": "root", "name": "r", "children": [
   {"type": "switch", "name": "s%d", "repeat": 2, "children": [
     {"type": "host", "name": "h%d", "host": "h%d", "repeat": 2,
      "children": [{"pu": 0, "core": 0}, {"pu": 1, "core": 1}]}]}]}}
JSON
cat > rows.py <<'PY'
import itertools, json, subprocess, sys
berth, wrong = sys.argv[1], 0
RANKS, BLOCK_A_RANK = 8, ("alltoall", "reduce_scatter_block", "alltoallv", "reduce_scatter")

def write(name, lines):
    with open(name, "w") as f:
        for line in [{"format": "berth-pattern", "version": 1, "ranks": RANKS, "mpi": "Open MPI 4.1.4"}, *lines,
                     {"kind": "end", "records": len(lines)}]:
            print(json.dumps(line), file=f)

def cost(pattern, pus, rules, model="port"):
    with open("m.json", "w") as f:
        json.dump({"format": "berth-mapping", "version": 1, "pu_of_rank": pus}, f)
    out = subprocess.run([berth, "cost", "--pattern", pattern, "--topology", "t.json", "--mapping", "m.json", "--json",
                          "--model", model, "--collectives", rules], check=True, text=True, stdout=subprocess.PIPE).stdout
    return json.loads(out)["results"][0]["cost_s"]

def call(op, size, **more):
    return dict(kind="coll", op="MPI_" + op[0].upper() + op[1:], bytes=size * (RANKS if op in BLOCK_A_RANK else 1),
                count=1, element=4 if size else 1, root=more.pop("root", None), **more)

def rounds(words, rules="berth"):
    """The messages of each round. Stages that run at the same time have their rounds together."""
    out = subprocess.run([berth, "schedule", *words, "--collectives", rules, "--json"], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    steps = []
    for stage in json.loads(out)["stages"]:
        own = [r["messages"] for r in stage["rounds"] for _ in range(r["times"])]
        if stage.get("at_the_same_time"):
            steps[-1] = [a + b for a, b in itertools.zip_longest(steps[-1], own, fillvalue=[])]
        else:
            steps.append(own)
    return [r for step in steps for r in step]

def messages(found, rank_of):
    """A phase for each round; the schedule's rank r is rank_of[r]."""
    lines = []
    for k, one in enumerate(found):
        lines.append(dict(kind="phase", id=k, repeats=1))
        lines += [dict(kind="p2p", phase=k, src=rank_of[s], msgs=[[rank_of[d], n, 1]]) for s, d, n in one]
    return lines

def expect(name, found, wanted, same=True):
    global wrong
    if (abs(found - wanted) <= 1e-9 * wanted) != same:
        wrong += 1
        print(f"{name}: found {found}, expected {'' if same else 'another cost than '}{wanted}")

# What one message of 8 B and one of 32 KiB take from h0 to h1: 50 us and 1 ms, so half is 1,725 rounded.
HALF = "2048"
PAIRS, CYCLIC = list(range(8)), [0, 2, 4, 6, 1, 3, 5, 7]  # ranks 0 and 4 on the first host, …
SWAPPED = [0, 1, 4, 5, 2, 3, 6, 7]  # ranks 2 and 3 on the third host: every second host is below the other switch
for op, root in (("barrier", None), ("bcast", 0), ("bcast", 5), ("reduce", 3), ("allreduce", None), ("gather", 2),
                 ("scatter", 7), ("allgather", None), ("alltoall", None), ("reduce_scatter_block", None),
                 ("scan", None), ("exscan", None)):
    for size in (0,) if op == "barrier" else (8, 4096, 262144):
        words = [op, "--ranks", "8", "--bytes", str(size), "--element", "4" if size else "1", "--root", str(root or 0),
                 "--hosts", "2,2,2,2", "--half", HALF]
        write("call.acp", [call(op, size, root=root)])
        for name, pus, more in ("pairs", PAIRS, ()), ("cyclic", CYCLIC, ("--cyclic",)):
            write("rounds.acp", messages(rounds(words + list(more)), PAIRS))
            for model in "port", "bound", "sum":
                expect(f"{op} of {size}, {name}, {model}", cost("call.acp", pus, "berth", model),
                       cost("rounds.acp", pus, "none", model))

        # Agents carry out calls that don't block.
        if (op, root) == ("bcast", 5): continue
        for name, pus, more in ("pairs", PAIRS, ()), ("cyclic", CYCLIC, ("--cyclic",)):
            write("rounds.acp", messages(rounds(["i" + words[0]] + words[1:] + list(more), "berth-agents"), PAIRS))
            write("call.acp", [dict(call(op, size, root=root), op="MPI_I" + op)])
            expect(f"i{op} of {size}, agents, {name}", cost("call.acp", pus, "berth-agents"), cost("rounds.acp", pus, "none"))
        write("call.acp", [call(op, size, root=root)])
        expect(f"{op} of {size}, beside agents", cost("call.acp", PAIRS, "berth-agents"), cost("call.acp", PAIRS, "berth"))

# As it was tuned: algorithms, segments, overlaps, and calls that the MPI serves.
def tuned(op, size, **choice):
    with open("tuned.json", "w") as f:
        json.dump({"format": "berth-tuning", "version": 1, "ranks": RANKS, "half_bytes": int(HALF), "cells": [
            {"operation": op, "ranks": RANKS, "hosts": 4, "bytes": size, "choices": [choice]}]}, f)

for op, choice in (("bcast", dict(algorithm="knomial", degree=3)), ("bcast", dict(algorithm="binary", segment_bytes=5000)),
                   ("bcast", dict(algorithm="pipeline", segment_bytes=16384, overlap_bytes=8192)),
                   ("reduce", dict(algorithm="binomial", overlap_bytes=65536)), ("allreduce", dict(algorithm="rabenseifner")),
                   ("allgather", dict(algorithm="bruck")), ("scan", dict(algorithm="linear")),
                   ("alltoall", dict(algorithm="pairwise")), ("alltoall", dict(algorithm="direct"))):
    size = 1024 if op == "alltoall" else 262144
    words = [op, "--ranks", "8", "--bytes", str(size), "--element", "4", "--hosts", "2,2,2,2"]
    write("call.acp", [call(op, size, root=0 if op in ("bcast", "reduce") else None)])
    tuned(op, size, **choice)
    write("rounds.acp", messages(rounds(words, "tuned.json"), PAIRS))
    expect(f"tuned {op}, {choice}", cost("call.acp", PAIRS, "tuned.json"), cost("rounds.acp", PAIRS, "none"))
    if op != "alltoall":
        expect(f"tuned {op}, {choice}, by itself", cost("call.acp", PAIRS, "tuned.json"), cost("call.acp", PAIRS, "berth"), same=False)
    tuned(op, size, algorithm="mpi")
    expect(f"{op} of the MPI", cost("call.acp", PAIRS, "tuned.json"), cost("call.acp", PAIRS, "openmpi-4.1"))
    tuned(op, 2 * size, **choice)
    expect(f"{op} of another size", cost("call.acp", PAIRS, "tuned.json"), cost("call.acp", PAIRS, "berth"))

# Blocking calls, too, where agents were the fastest.
for op, size, choice in (("allreduce", 8, dict(algorithm="agents", degree=3)), ("bcast", 4096, dict(algorithm="agents")),
                         ("alltoall", 64, dict(algorithm="agents"))):
    words = [op, "--ranks", "8", "--bytes", str(size), "--element", "4", "--hosts", "2,2,2,2"]
    write("call.acp", [call(op, size, root=0 if op == "bcast" else None)])
    tuned(op, size, **choice)
    expect(f"{op} by agents, without them", cost("call.acp", PAIRS, "tuned.json"), cost("call.acp", PAIRS, "berth"))
    with open("tuned.json") as f: file = json.load(f)
    with open("tuned.json", "w") as f: json.dump(dict(file, agents=True), f)
    write("rounds.acp", messages(rounds(words, "tuned.json"), PAIRS))
    expect(f"{op} by agents", cost("call.acp", PAIRS, "tuned.json"), cost("rounds.acp", PAIRS, "none"))
    if "degree" in choice:
        expect(f"{op} by agents' trees", cost("call.acp", PAIRS, "tuned.json"), cost("call.acp", PAIRS, "berth"), same=False)

# Blocks of different sizes.
for op, counts, more in (("allgatherv", (1, 700, 0, 3, 3, 3000, 5, 8), {}), ("gatherv", (5, 0, 9, 4000, 1, 2, 3, 4), {"root": 6}),
                   ("scatterv", (5, 0, 9, 4000, 1, 2, 3, 4), {"root": 1}), ("reduce_scatter", (9, 0, 1, 2, 800, 5, 6, 7), {})):
    line = dict(call(op, 0, **more), element=4, bytes=4 * (sum(counts) if op == "reduce_scatter" else counts[0]),
                rank_bytes=[4 * n for n in counts])
    write("call.acp", [line])
    write("rounds.acp", messages(rounds([op, "--ranks", "8", "--counts", ",".join(map(str, counts)), "--element", "4", "--root",
                                         str(more.get("root", 0)), "--hosts", "2,2,2,2", "--half", HALF]), PAIRS))
    expect(op, cost("call.acp", PAIRS, "berth"), cost("rounds.acp", PAIRS, "none"))

# Rings and pipelines follow the tree, whatever the ranks of the hosts are: each link is crossed once each way.
for op, size, root in ("allgather", 262144, None), ("bcast", 262144, 0), ("allreduce", 262144, None):
    write("call.acp", [call(op, size, root=root)])
    expect(f"{op}, hosts swapped", cost("call.acp", SWAPPED, "berth"), cost("call.acp", PAIRS, "berth"))
    if op != "bcast":
        expect(f"{op}, hosts swapped, Open MPI", cost("call.acp", SWAPPED, "openmpi-4.1"),
               cost("call.acp", PAIRS, "openmpi-4.1"), False)

# Calls that the library doesn't serve have the rules of the pattern's MPI, without which they stay out.
write("call.acp", [call("ibcast", 4096, root=0), call("alltoallw", 64)])
expect("nonblocking", cost("call.acp", PAIRS, "berth"), cost("call.acp", PAIRS, "openmpi-4.1"))
sys.exit(wrong > 0)
PY
check "costs are those of the messages" python3 rows.py "$berth"
sed 's/Open MPI 4.1.4/Intel MPI 2021.9/' call.acp > unknown.acp
"$berth" cost --pattern unknown.acp --topology t.json --mapping m.json --collectives berth > text
check "calls of an unknown MPI are left out" grep -q \
  "not included: 100.0% of the calls and 100.0% of the bytes (collective or one-sided operations)$" text
cat > often.acp <<'JSON'
{"format":"berth-pattern","version":1,"ranks":8}
{"kind":"coll","op":"MPI_Bcast","bytes":1048576,"count":20,"comm":0,"root":0}
{"kind":"end","records":1}
JSON
"$berth" map --pattern often.acp --topology t.json --collectives berth --json > map.json
check "map: a placement by these rules" python3 - <<'PY'
import json
found = json.load(open("map.json"))
assert found["cost_s"] <= found["linear_cost_s"], found
PY
"$berth" cost --pattern often.acp --topology t.json --mapping m.json --collectives berth > text
echo '{"format": "berth-tuning", "version": 1, "ranks": 5, "cells": []}' > five.json
expect 3 "berth cost: --collectives five.json: ranks: found 5, expected 8, the job's ranks" \
  "$berth" cost --pattern often.acp --topology t.json --mapping m.json --collectives five.json
check "a line for the call" grep -q '"MPI_Bcast of 1.000 MiB, 8 ranks: by hosts"' text
finish
