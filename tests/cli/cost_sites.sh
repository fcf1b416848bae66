#!/usr/bin/env bash
# Which line of the program loads which level: the table of `berth cost`, and its JSON.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cp "$BERTH_SOURCE_DIR/examples/ladder/pattern.acp" p.acp
cp "$BERTH_SOURCE_DIR/testbed/topology.json" t.json
"$berth" map p.acp t.json --mapping best.json > /dev/null
"$berth" map p.acp t.json --algorithm linear --mapping linear.json > /dev/null
"$berth" cost p.acp t.json best.json linear.json > text
"$berth" cost p.acp t.json best.json linear.json --json > cost.json
cat > expected << 'TEXT'
  call sites, by the bytes that cross each level:
       backbone      switch        host          pu
      30.62 MiB   30.62 MiB   43.75 MiB   48.75 MiB  MPI_Isend  exchange ladder.c:67 < run ladder.c:78
           48 B        48 B       112 B       120 B  MPI_Reduce  run ladder.c:80
           14 B        14 B        28 B        44 B  MPI_Isend  exchange ladder.c:67 < run ladder.c:75
            0 B         0 B         0 B         0 B  MPI_Barrier  run ladder.c:76
TEXT
sed -n '/^linear.json (/,$p' text | sed -n '/call sites/,/other algorithms/p' | sed '$d' > found
check "the table of the default order" diff found expected
check "as JSON: sites add up to levels" python3 - cost.json << 'PY'
import json, sys
for result in json.load(open(sys.argv[1]))["results"]:
    for d, level in enumerate(result["levels"]):
        for key in ("messages", "bytes"):
            assert abs(sum(s["levels"][d][key] for s in result["sites"]) - level[key]) < 1e-6, (d, key)
    assert [s["op"] for s in result["sites"]] == ["MPI_Barrier", "MPI_Isend", "MPI_Isend", "MPI_Reduce"]
    assert result["sites"][2]["frames"] == ["exchange ladder.c:67", "run ladder.c:78"], result["sites"]
PY
"$berth" cost p.acp t.json best.json --collectives none > none
check "without collectives" [ "$(sed -n '/call sites/,$p' none | grep -c MPI_)" = 2 ]
"$berth" export p.acp -f csv -o p.csv && "$berth" import p.csv -o plain.acp
"$berth" cost plain.acp t.json best.json > plain 2> err
check "a pattern without call sites: a cost" grep -q 'cost per level' plain
check "a pattern without call sites: no table" [ "$(grep -c 'call sites' plain)" = 0 ]
# five levels and more: those that the most bytes cross have columns, and the others are named
"$berth" topo make rack:2 host:2 socket:2 l3:2 core:2 -o deep.json 2> err
cat > deep.py << 'PY'
import json
print(json.dumps({"format": "berth-pattern", "version": 1, "ranks": 32}))
print(json.dumps({"kind": "site", "id": 1, "op": "MPI_Send", "frames": ["f f.c:1"]}))
for r in range(32):
    near, far = [r ^ 1, 1 << 20, 3], [(r + 16) % 32, FAR, 1]
    print(json.dumps({"kind": "p2p", "src": r, "site": 1, "msgs": [near, [r ^ 2, 1 << 10, 1], [r ^ 4, 1 << 10, 1], [r ^ 8, 8, 1], far]}))
print(json.dumps({"kind": "end", "records": 33}))
PY
while IFS='|' read -r far heading left_out; do
  sed "s/FAR/$far/" deep.py | python3 - > deep.acp
  "$berth" map deep.acp deep.json --algorithm linear -q -o deep.map
  "$berth" cost deep.acp deep.json deep.map > table
  is "columns, $far bytes" "$(sed -n '/call sites/{n;p}' table | xargs)" "$heading"
  is "what has none, $far bytes" "$(grep 'left out' table | xargs)" "$left_out"
done << 'TABLE'
0|host package l3 pu|levels left out: network (0 B), rack (0 B); --json has all
1048576|rack package l3 pu|levels left out: network (32.00 MiB), host (32.00 MiB); --json has all
TABLE
ERR=$work/err python3 "$BERTH_SOURCE_DIR/tests/cli/on_terminal.py" 110 "$berth" cost deep.acp deep.json deep.map > table
is "on a wide terminal" "$(sed -n '/call sites/{n;p}' table | xargs)" "network rack host package l3 pu"
is "nothing is left out there" "$(grep 'left out' table)" ""
finish
