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
finish
