#!/usr/bin/env bash
# Costs with --collectives are those of a pattern whose phases are the rounds that `berth schedule`
# prints; under model flow they overlap. Mappers see them, too.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1

cat > t.json <<'JSON'
{"format": "berth-topology", "version": 1, "name": "two switches",
 "types": {"host": {"up": {"max_bandwidth": 1e8}, "down": {"max_bandwidth": 1e8}},
           "switch": {"up": {"max_bandwidth": 5e7}, "down": {"max_bandwidth": 4e7}}, "root": {}},
 "root": {"type": "root", "name": "r", "children": [
   {"type": "switch", "name": "s%d", "repeat": 2, "children": [
     {"type": "host", "name": "h%d", "host": "h%d", "repeat": 2,
      "children": [{"pu": 0, "core": 0}, {"pu": 1, "core": 1}]}]}]}}
JSON
cat > rules.json <<'JSON'
{"format": "berth-collectives", "version": 1, "name": "own",
 "rules": {"bcast": [{"algorithm": "linear"}]}}
JSON

cat > rows.py <<'PY'
"""Each row: a name, communicators, collective calls, and what is left of their calls (a share)."""
import json, os, subprocess, sys
berth, rules = sys.argv[1], "openmpi-4.1"
RANKS = 8
WORLD = list(range(RANKS))
ROWS = {1: [0, 1, 2, 3], 2: [4, 5, 6, 7]}
SHARED = {1: [0, 1, 2, 3], 2: [3, 4, 5, 6]}
BACK = {1: [7, 2, 5]}

def coll(op, size, count=1, comm=0, root=None, phase=0):
    return dict(kind="coll", op="MPI_" + op, bytes=size, count=count, comm=comm, root=root, phase=phase)

def of_nature(call, element, *words):
    """The call with elements of this size, and what `berth schedule` says of its kind."""
    said = {"--in-place": ("in_place", True), "--in-order": ("commutative", False), "--user-operation": ("built_in", False)}
    return dict(call, element=element, words=words, **dict(said[w] for w in words))

def vcoll(op, size, given, counts, element, *more, **others):
    """A call whose blocks differ: what each rank gave in all calls, and the elements that one call has."""
    return dict(coll(op, size, *more, **others), rank_bytes=given, counts=counts, element=element)

def row(src, sent, comm=0, phase=0):
    return dict(kind="row", op="MPI_Alltoallv", src=src, rank_bytes=sent, comm=comm, phase=phase)

# What each link of t.json carries, by how far above the PU it is.
LINKS = [("pu", 1, 1e8), ("host", 2, 4e7), ("switch", 4, 5e7)]

def path(a, b):
    """Links that a message from PU a to PU b crosses."""
    for level, width, bandwidth in LINKS:
        if level != "pu" and a // width == b // width: return
        yield (level, a // width, "out", bandwidth)
        yield (level, b // width, "in", bandwidth)

def rates(paths):
    """Max-min fair rates of flows."""
    rate, left = {}, {link: link[3] for p in paths.values() for link in p}
    while len(rate) < len(paths):
        share = {}
        for link in left:
            n = sum(link in p for f, p in paths.items() if f not in rate)
            if n: share[link] = left[link] / n
        full = min(share, key=share.get)
        for f in [f for f, p in paths.items() if f not in rate and full in p]:
            rate[f] = share[full]
            for link in paths[f]: left[link] -= rate[f]
    return rate

def play(messages, pus):
    """The time of (round, source, destination, bytes) if each rank ends a round before its next one."""
    left, time = {m[:3]: m[3] for m in messages if m[3]}, 0
    while left:
        first = {} # the round that each rank is in
        for number, s, d in left:
            for r in (s, d): first[r] = min(number, first.get(r, number))
        ready = [m for m in left if m[0] == first[m[1]]]
        rate = rates({m: list(path(pus[m[1]], pus[m[2]])) for m in ready})
        step = min(left[m] / rate[m] for m in ready)
        time += step
        for m in ready:
            left[m] -= rate[m] * step
            if left[m] < 1e-6: del left[m]
    return time

def expand(comms, colls, phases, pus):
    """Lines of phases and messages for groups of calls that run beside each other, and what they cost
    if rounds overlap."""
    lines, fresh, cost = [], 100, 0
    for group in colls:
        played, number = [], 0
        first = group[0]
        ranks = [comms.get(c["comm"], WORLD) for c in group]
        n, op = len(ranks[0]), first["op"][4:].lower()
        block = first["bytes"] // n if op in ("alltoall", "alltoallv", "reduce_scatter_block", "reduce_scatter") else first["bytes"]
        element = first.get("element") or next(e for e in (8, 4, 2, 1) if block % e == 0)
        size = ["--bytes", str(block)]
        if "counts" in first:
            size, element = ["--counts", ",".join(map(str, first["counts"]))], first["element"]
        words = [berth, "schedule", op, "--ranks", str(n), *size, "--element", str(element),
                 "--root", str(first["root"] or 0), "--collectives", rules, "--json", *first.get("words", ())]
        for stage in json.loads(subprocess.check_output(words))["stages"]:
            for r in stage["rounds"]:
                if not r["messages"]: continue
                fresh += 1
                repeats = r["times"] * first["count"] * phases.get(first["phase"], 1)
                lines.append(dict(kind="phase", id=fresh, repeats=repeats))
                for members in ranks:
                    for s, d, size in r["messages"]:
                        lines.append(dict(kind="p2p", phase=fresh, src=members[s], msgs=[[members[d], size, 1]]))
                        played += [(number + k, members[s], members[d], size) for k in range(r["times"])]
                number += r["times"]
        cost += first["count"] * phases.get(first["phase"], 1) * play(played, pus)
    return lines, cost

def write(name, lines):
    with open(name, "w") as f:
        print(json.dumps(dict(format="berth-pattern", version=1, ranks=RANKS)), file=f)
        for line in lines: print(json.dumps(line), file=f)
        print(json.dumps(dict(kind="end", records=len(lines))), file=f)

def cost(pattern, model, *more):
    words = [berth, "cost", "--pattern", pattern, "--topology", "t.json", "--mapping", "m.json",
             "--model", model, "--json", "--no-intervals", *more]
    return json.loads(subprocess.check_output(words, stderr=subprocess.DEVNULL))

P2P = [dict(kind="p2p", src=r, msgs=[[(r + 3) % RANKS, 4096, 5]]) for r in WORLD]
ONE = [coll("Bcast", 1 << 16)]
rows = [ # name, communicators, groups of calls, other lines, repeats of phases, share left out
  ("nothing but point to point", {}, [], P2P, {}, 0),
  ("a broadcast", {}, [ONE], [], {}, 0),
  ("its count", {}, [[coll("Bcast", 1 << 16, 7)]], P2P, {}, 0),
  ("its phase's repeats", {}, [[coll("Bcast", 1 << 16, 7, phase=1)]], P2P, {1: 9}, 0),
  ("a root", {}, [[coll("Bcast", 4000, root=5)]], [], {}, 0),
  ("rows run beside each other", ROWS, [[coll("Allreduce", 1 << 15, 3, c) for c in (1, 2)]], [], {}, 0),
  ("with other counts, as many as both make", ROWS,
   [[coll("Allreduce", 1 << 15, 3, c) for c in (1, 2)], [coll("Allreduce", 1 << 15, 4, 2)]], P2P, {}, 0),
  ("other sizes don't", ROWS, [[coll("Allreduce", 1 << 15, 3, 1)], [coll("Allreduce", 1 << 14, 3, 2)]], [], {}, 0),
  ("nor do those with a rank in common", SHARED, [[coll("Alltoall", 1 << 14, 2, c)] for c in (1, 2)], [], {}, 0),
  ("members in any order", BACK, [[coll("Scan", 800, 2, 1)]], P2P, {}, 0),
  ("no bytes", {}, [[coll("Barrier", 0, 3)], [coll("Bcast", 0)]], [], {}, 0),
  ("blocks of an alltoall", {}, [[coll("Alltoall", 8 * 1001)]], [], {}, 0),
  ("blocks of a reduce_scatter_block", {}, [[coll("Reduce_scatter_block", 8 * 24)]], [], {}, 0),
  ("rounds that are alike", {}, [[coll("Allgather", 1 << 20)]], [], {}, 0),
  ("two operations and messages", ROWS, [[coll("Gather", 96, 2, root=1)], [coll("Scatter", 96, 2, root=6)]], P2P, {}, 0),
  ("the others", {}, [[coll("Reduce", 4096)], [coll("Exscan", 12)]], [], {}, 0),
  # 3 calls with blocks of 8, 16, ... 64 bytes
  ("elements that a segment can't divide", {}, [[of_nature(coll("Bcast", 3 << 16), 3 << 14)]], [], {}, 0),
  ("fewer elements than ranks", {}, [[of_nature(coll("Allreduce", 3 << 16), 1 << 16)]], [], {}, 0),
  ("an operation that isn't commutative", {}, [[of_nature(coll("Reduce", 1 << 15, 2), 8, "--in-order", "--user-operation")]], [], {}, 0),
  ("a nonblocking one in place", {}, [[of_nature(coll("Iallreduce", 1 << 17), 8, "--in-place")]], [], {}, 0),
  ("in place, one in one row", ROWS,
   [[of_nature(coll("Iallreduce", 1 << 17, 1, 1), 8, "--in-place")], [of_nature(coll("Iallreduce", 1 << 17, 1, 2), 8)]], [], {}, 0),
  ("an alltoall in place", {}, [[of_nature(coll("Alltoall", 8000), 8, "--in-place")]], [], {}, 0),
  ("an allgatherv", {}, [[vcoll("Allgatherv", 36, [24, 48, 72, 96, 120, 144, 168, 192], [1, 2, 3, 4, 5, 6, 7, 8], 8, 3)]],
   P2P, {}, 0),
  # 2 calls in each of 9 occurrences: 18 times 4, 0, 12 and 40 bytes
  ("a gatherv with a root", {}, [[vcoll("Gatherv", 14, [[72, 2], 0, 216, [0, 3], 720], [1, 1, 0, 3, 0, 0, 0, 10], 4, 2,
                                        root=5, phase=1)]], [], {1: 9}, 0),
  ("a scatterv", {}, [[vcoll("Scatterv", 500, [[0, 7], 8000], [0, 0, 0, 0, 0, 0, 0, 500], 8, 2)]], [], {}, 0),
  ("a reduce_scatter", {}, [[vcoll("Reduce_scatter", 36, [8, 0, 4, [0, 4], 24], [2, 0, 1, 0, 0, 0, 0, 6], 4)]], [], {}, 0),
  ("blocks of equal size", {}, [[coll("Allgatherv", 4096, 2)], [coll("Reduce_scatter", 8 * 24)], [coll("Gatherv", 100)],
                                [coll("Scatterv", 10, root=3)]], [], {}, 0),
  ("amounts that are equal", {}, [[dict(coll("Allgatherv", 4096, 2), rank_bytes=[[8192, 8]])]], [], {}, 0),
  # 2 calls of 5, 2.5, 0 and 3.5 bytes: 5, 7.5, 7.5 and 11 together, so 5, 8, 8 and 11
  ("calls that aren't alike", ROWS, [[vcoll("Allgatherv", 3, [10, 5, 0, 7], [5, 3, 0, 3], 1, 2, 1)]], P2P, {}, 0),
  # 4 calls of 3, 1 and 4 elements of 8 bytes, where the communicator has ranks 7, 2 and 5
  ("an alltoallv by its rows", BACK,
   [[vcoll("Alltoallv", 85, [96, 384, 544], [0, 3, 0, 1, 2, 9, 16, 0, 1], 8, 4, 1)]],
   [row(5, [512, 0, 32], 1), row(2, [32, 64, 288], 1), row(7, [0, 96, 0], 1)], {}, 0),
  # rank 2 has no row: 385 bytes are 129, 128 and 128
  ("an alltoallv that lacks a row", BACK,
   [[vcoll("Alltoallv", 85, [96, 385, 544], [0, 96, 0, 129, 128, 128, 512, 0, 32], 1, 1, 1)]],
   [row(5, [512, 0, 32], 1), row(7, [0, 96, 0], 1)], {}, 0),
  ("an alltoallv without rows", {}, [[coll("Alltoallv", 8 * 1000, 2)]], P2P, {}, 0),
  ("equal blocks run beside each other", ROWS,
   [[vcoll("Allgatherv", 20, [16, 0, 24, 40], [2, 0, 3, 5], 8, 1, c) for c in (1, 2)]], [], {}, 0),
  ("other blocks don't", ROWS, [[vcoll("Allgatherv", 20, [16, 0, 24, 40], [2, 0, 3, 5], 8, 1, 1)],
                                [vcoll("Allgatherv", 20, [40, 24, 0, 16], [5, 3, 0, 2], 8, 1, 2)]], [], {}, 0),
]
MODELS = ("port", "bound", "sum", "flow")
if float(os.environ.get("BERTH_TEST_ROUNDS") or 1) < 1: MODELS = ("flow",)
wrong, pus = 0, json.load(open("m.json"))["pu_of_rank"]
for name, comms, groups, p2p, phases, left in rows:
    lines = [dict(kind="comm", id=i, ranks=r) for i, r in comms.items()] + p2p
    lines += [dict(kind="phase", id=i, repeats=n) for i, n in phases.items()]
    calls = [{k: c[k] for k in c if k not in ("counts", "words") and (k != "element" or "words" in c)}
             for group in groups for c in group]
    calls = [dict(c, site=0) for c in calls]
    if len(calls) == 1 and calls[0]["count"] == 7: # from two call sites
        calls = [dict(calls[0], count=3, site=1), dict(calls[0], count=4, site=2)]
    write("with.acp", lines + calls)
    write("p2p.acp", lines)
    fresh, overlapping = expand(comms, groups, phases, pus)
    write("by_hand.acp", lines + fresh)
    for model in MODELS:
        own, expected = cost("with.acp", model, "--collectives", rules), cost("by_hand.acp", model)
        a, b = own["results"][0]["cost_s"], expected["results"][0]["cost_s"]
        if model == "flow": b = overlapping + cost("p2p.acp", model)["results"][0]["cost_s"]
        if abs(a - b) > 1e-9 * b or (groups and name != "no bytes" and b == 0):
            print(f"{name}, {model}: found {a}, expected {b}"); wrong += 1
        if own["not_included"]["calls"]:
            print(f"{name}: left out {own['not_included']}"); wrong += 1
        of = {p["of_phase"] for p in own["results"][0]["phases"] if "of_phase" in p}
        if of - {c.get("phase", 0) for c in calls} or (b > 0 and calls and not of):
            print(f"{name}: rounds of phases {of}"); wrong += 1
    if groups and cost("with.acp", "port")["not_included"]["calls_share"] == 0:
        print(f"{name}: without --collectives nothing is left out"); wrong += 1

write("forms.acp", [coll("Bcast", 64), coll("Alltoallw", 64), coll("Ibcast", 64), coll("Bcast_init", 64)])
left = cost("forms.acp", "port", "--collectives", "openmpi-4.1")["not_included"]["calls"]
if left: print(f"all forms: {left} calls left out"); wrong += 1
write("others.acp", [coll("Bcast", 64), coll("Gossip", 64), coll("Igossip", 64)])
for said, calls in ((["openmpi-4.1"], 16), (["rules.json"], 16)):
    left = cost("others.acp", "port", "--collectives", *said)["not_included"]["calls"]
    if left != calls: print(f"{said}: {left} calls left out, expected {calls}"); wrong += 1
write("unruled.acp", [coll("Bcast", 64), coll("Allreduce", 64)])
left = cost("unruled.acp", "port", "--collectives", "rules.json")["not_included"]["calls"]
if left != 8: print(f"an operation without a rule: {left} calls left out, expected 8"); wrong += 1

# What no schedule can be made for stays left out, whatever a file says.
for name, calls, comms, left in (
        ("a communicator that isn't there", [coll("Bcast", 64, comm=5)], [], 8),
        ("a root outside of its communicator", [coll("Bcast", 64, comm=1, root=6)], [dict(kind="comm", id=1, ranks=[1, 3])], 2),
        ("a communicator without ranks", [coll("Alltoall", 64, comm=1)], [dict(kind="comm", id=1, ranks=[])], 0),
        ("more bytes than ranks may have", [coll("Allgather", 1 << 52)], [], 8),
        ("more bytes than all may give", [dict(coll("Allgatherv", 8), rank_bytes=[[1 << 52, 8]])], [], 8),
        ("calls that are too many", [dict(coll("Allgatherv", 8, 1 << 52, phase=1), rank_bytes=[[8, 8]])],
         [dict(kind="phase", id=1, repeats=4)], 1 << 57)):
    write("odd.acp", comms + calls)
    found = cost("odd.acp", "port", "--collectives", rules)
    if found["not_included"]["calls"] != left or found["results"][0]["cost_s"] != 0:
        print(f"{name}: {found['not_included']}"); wrong += 1

# A mapper puts the rows of a communicator on one switch.
write("apart.acp", [dict(kind="comm", id=1, ranks=[0, 2, 4, 6]), dict(kind="comm", id=2, ranks=[1, 3, 5, 7]),
                    coll("Alltoall", 1 << 20, 10, 1), coll("Alltoall", 1 << 20, 10, 2)])
found = json.loads(subprocess.check_output([berth, "map", "--pattern", "apart.acp", "--topology", "t.json",
                                            "--collectives", rules, "--json", "--mapping", "best.json"]))
pus = json.load(open("best.json"))["pu_of_rank"]
switches = [{pus[r] // 4 for r in range(k, RANKS, 2)} for k in (0, 1)]
if sorted(map(len, switches)) != [1, 1]: print("map: found", pus); wrong += 1
if not found["cost_s"] < found["linear_cost_s"]: print("map: found", found["cost_s"]); wrong += 1
print(len(rows), "rows,", wrong, "wrong")
sys.exit(wrong > 0)
PY
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[3,1,4,0,5,2,6,7]}' > m.json
check "rows" python3 rows.py "$berth"

expect 4 "berth cost: --collectives none.json: cannot open: No such file or directory" \
  "$berth" cost --pattern with.acp --topology t.json --mapping m.json --collectives none.json
sed 's/linear/linaer/' rules.json > bad.json
expect 3 'berth cost: --collectives bad.json: rules.bcast[0].algorithm: found the algorithm "linaer", expected one that berth knows for bcast' \
  "$berth" cost --pattern with.acp --topology t.json --mapping m.json --collectives bad.json
# `cost` has a line for the rounds of a call.
cat > halo.acp <<'JSON'
{"format":"berth-pattern","version":1,"ranks":8}
{"kind":"phase","id":3,"name":"halo","repeats":4}
{"kind":"p2p","phase":3,"src":0,"msgs":[[2,4096,1]]}
{"kind":"coll","phase":3,"op":"MPI_Allreduce","bytes":65536,"count":2,"comm":0,"root":null}
{"kind":"coll","phase":3,"op":"MPI_Alltoall","bytes":65536,"count":2,"comm":0,"root":null}
{"kind":"end","records":4}
JSON
"$berth" cost --pattern halo.acp --topology t.json --mapping m.json --collectives openmpi-4.1 > text
for line in '    3 "halo": .* x 4 = .*' \
  '    4-9 "MPI_Allreduce of 64.00 KiB, 8 ranks: rabenseifner": 48 rounds, .*' \
  '    10 "MPI_Alltoall of 8.000 KiB, 8 ranks: linear_sync": 8 rounds, .*'; do
  check "a line: $line" [ "$(grep -cx -- "$line" text)" = 1 ]
done
check "no phase of a call is placed alone" [ "$(grep -c "alone:" text)" = 1 ]
command=$("$berth" cost --pattern halo.acp --topology t.json --mapping m.json --collectives openmpi-4.1 |
  sed -n 's/^to write the best placement for one phase: berth //p')
check "the printed command works: $command" bash -c "'$berth' $command > /dev/null"

for mpi in "Open MPI 4.1.4" "MPICH 4.0.2" "Open MPI 5.0.1" "Intel MPI 2021.9"; do
  sed "1s/\"ranks\"/\"mpi\":\"$mpi\",&/" with.acp > "${mpi// /-}.acp"
done
cost() { # MPI [RULES]: without the command that JSON holds
  "$berth" cost --pattern "${1// /-}.acp" --topology t.json --mapping m.json --json \
    ${2:+--collectives "$2"} | sed 's/ --collectives [a-z0-9.-]*//'
}
for row in "Open MPI 4.1.4,openmpi-4.1" "MPICH 4.0.2,mpich-4.0"; do
  for asked in auto ""; do
    check "'$asked' for ${row%,*}" cmp <(cost "${row%,*}" $asked) <(cost "${row%,*}" "${row#*,}")
  done
done
check "MPIs differ" [ "$(cost "MPICH 4.0.2" mpich-4.0 | grep '"cost_s"')" != \
  "$(cost "MPICH 4.0.2" openmpi-4.1 | grep '"cost_s"')" ]
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,1,2,3,4,5,6,7]}' > m.json
check "what is left out is said" grep -q \
  "^note: not included in estimates: 66.7% of the calls and 66.7% of the bytes (collective or one-sided operations)$" \
  <("$berth" cost --pattern others.acp --topology t.json --mapping m.json --collectives openmpi-4.1)
expect 0 "note: berth has no rules of Open MPI 5.0.1, so those of openmpi-4.1 choose the algorithms of collective operations" \
  "$berth" cost --pattern Open-MPI-5.0.1.acp --topology t.json --mapping m.json --collectives auto
for name in Intel-MPI-2021.9 with; do
  expect 3 "berth cost: --collectives auto: found a pattern of $([ $name = with ] && echo an unknown MPI || echo Intel MPI 2021.9), expected one of Open MPI or MPICH" \
    "$berth" cost --pattern $name.acp --topology t.json --mapping m.json --collectives auto
done
cat > last.acp <<'JSON'
{"format":"berth-pattern","version":1,"ranks":8}
{"kind":"phase","id":2147483647,"name":"last"}
{"kind":"coll","phase":2147483647,"op":"MPI_Barrier","bytes":0,"count":1,"comm":0,"root":null}
{"kind":"end","records":2}
JSON
expect 3 "berth cost: collective operations: found phase 2147483647, expected numbers above the phases for their rounds" \
  "$berth" cost --pattern last.acp --topology t.json --mapping m.json --collectives openmpi-4.1
cat > often.acp <<'JSON'
{"format":"berth-pattern","version":1,"ranks":8}
{"kind":"coll","site":1,"op":"MPI_Barrier","bytes":0,"count":9007199254740992,"comm":0,"root":null}
{"kind":"coll","site":2,"op":"MPI_Barrier","bytes":0,"count":9007199254740992,"comm":0,"root":null}
{"kind":"end","records":2}
JSON
expect 3 "berth cost: found repeats 18014398509481984, expected 0 to 9007199254740992" \
  "$berth" cost --pattern often.acp --topology t.json --mapping m.json --collectives openmpi-4.1
# Calls with too many messages for a list are counted: half of the ranks are below each switch.
cat > many.acp <<'JSON'
{"format":"berth-pattern","version":1,"ranks":3000}
{"kind":"coll","op":"MPI_Alltoall","bytes":196608000,"count":7,"comm":0,"root":null}
{"kind":"coll","op":"MPI_Barrier","bytes":0,"count":1,"comm":0,"root":null}
{"kind":"end","records":2}
JSON
sed 's/"host": "h%d", "repeat": 2/"host": "h%d", "repeat": 750/' t.json > large.json
python3 -c 'import json; print(json.dumps({"format": "berth-mapping", "version": 1, "pu_of_rank": list(range(3000))}))' > large.map
for model in port bound flow; do
  "$berth" cost --pattern many.acp --topology large.json --mapping large.map --collectives openmpi-4.1 \
    --model $model --json --no-intervals > many.json 2> err
  check "an all-to-all of 3,000 ranks, model $model" python3 - <<'PY'
import json
cost = json.load(open("many.json"))
assert cost["counted"]["phases"] == 1 and cost["not_included"]["calls"] == 0, cost
expected = 7 * 1500 * 1500 * 65536 / 5e7
assert abs(cost["results"][0]["cost_s"] / expected - 1) < 1e-9, cost["results"][0]["cost_s"]
levels = {level["types"]: level for level in cost["results"][0]["levels"]}
assert levels["switch"]["bytes"] == 7 * 2 * 1500 * 1500 * 65536, levels
PY
done
check "a note says that they are counted" grep -q \
  "^note: 1 phase of collective operations has too many messages for a list. Estimates count them by port" \
  <("$berth" cost --pattern many.acp --topology large.json --mapping large.map --collectives openmpi-4.1)
# Blocks that differ can't be counted; the other calls are included.
cat > uneven.acp <<'JSON'
{"format":"berth-pattern","version":1,"ranks":2100}
{"kind":"coll","op":"MPI_Alltoallv","bytes":2150400,"count":7,"comm":0,"root":null,"rank_bytes":[[15052800,2099],30105600]}
{"kind":"coll","op":"MPI_Barrier","bytes":0,"count":1,"comm":0,"root":null}
{"kind":"end","records":2}
JSON
python3 -c 'import json; print(json.dumps({"format": "berth-mapping", "version": 1, "pu_of_rank": list(range(2100))}))' > uneven.map
expect 0 "note: 7 collective calls are not included: estimates take at most 4194304 messages for the rounds of all calls" \
  "$berth" cost --pattern uneven.acp --topology large.json --mapping uneven.map --collectives openmpi-4.1
check "only those" python3 - <(sed -n 's/.*"not_included": *//p' <("$berth" cost --pattern uneven.acp --topology large.json \
  --mapping uneven.map --collectives openmpi-4.1 --json --no-intervals 2> /dev/null)) <<'PY'
import re, sys
text = open(sys.argv[1]).read()
calls, share = (float(re.search(rf'"{name}": *([0-9.e+]+)', text)[1]) for name in ("calls", "calls_share"))
assert calls == 14700 and abs(share - 0.875) < 1e-6, text
PY
expect 0 "" "$berth" cost --pattern with.acp --topology t.json --mapping m.json --collectives none
cat > pairs.acp <<'JSON'
{"format":"berth-pattern","version":1,"ranks":8000}
{"kind":"coll","op":"MPI_Alltoallv","bytes":524288000,"count":1,"comm":0,"root":null}
{"kind":"end","records":1}
JSON
sed 's/"host": "h%d", "repeat": 2/"host": "h%d", "repeat": 2000/' t.json > large.json
expect 4 "berth map: collective operations: found more than 33554432 blocks of different sizes, expected at most as many" \
  "$berth" map --pattern pairs.acp --topology large.json --collectives openmpi-4.1
cat > between.acp <<'JSON'
{"format":"berth-pattern","version":1,"ranks":8}
{"kind":"phase","id":1,"name":"x","repeats":3}
{"kind":"comm","id":1,"ranks":[0,1,2,3],"border":1}
{"kind":"coll","op":"MPI_Allreduce","bytes":512,"count":2,"comm":0,"root":null}
{"kind":"coll","phase":1,"op":"MPI_Allreduce","bytes":512,"count":2,"comm":1,"root":null}
{"kind":"end","records":4}
JSON
between="note: 6 collective calls between the groups of an intercommunicator are not included"
expect 0 "$between" "$berth" cost --pattern between.acp --topology t.json --mapping m.json --collectives openmpi-4.1
check "the others are" python3 -c 'import json, sys; assert json.load(sys.stdin)["not_included"]["calls_share"] == 0.6' \
  < <("$berth" cost --pattern between.acp --topology t.json --mapping m.json --collectives openmpi-4.1 --json 2> err)
cat > blocks.acp <<'JSON'
{"format":"berth-pattern","version":1,"ranks":8}
{"kind":"coll","op":"MPI_Allgatherv","bytes":512,"count":2,"comm":0,"root":null,"rank_bytes":[[1024,7],2048]}
{"kind":"end","records":1}
JSON
check "a line says that bytes are of all blocks" grep -q \
  '"MPI_Allgatherv of 4.500 KiB in all blocks, 8 ranks: linear": ' \
  <("$berth" cost --pattern blocks.acp --topology t.json --mapping m.json --collectives openmpi-4.1)
finish
