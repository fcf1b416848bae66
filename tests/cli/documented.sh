#!/usr/bin/env bash
# The documentation's examples of files are ones that berth takes.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
docs=$BERTH_SOURCE_DIR/docs/formats
example() { # FILE LANGUAGE: the file's first block in that language
  awk -v start='```'"$2" 'inside && $0 == "```" { exit } inside
    $0 == start { inside = 1 }' "$docs/$1"
}
example pattern.md "" > app.acp
example topology.md json > two-subnets.json
example mapping.md json > mapping.json
example collectives.md json > our-cluster.json
for f in app.acp two-subnets.json mapping.json our-cluster.json; do check "there is an example $f" [ -s $f ]; done

for model in port bound sum flow; do
  expect 0 "" "$berth" cost --pattern app.acp --topology two-subnets.json --mapping mapping.json \
    --model $model
done
expect 0 "" "$berth" topo check two-subnets.json
for op in bcast allreduce; do
  expect 0 "" "$berth" schedule $op --ranks 128 --bytes 1MiB --element 8 --collectives our-cluster.json
done
finish
