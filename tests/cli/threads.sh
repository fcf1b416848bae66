#!/usr/bin/env bash
# The same inputs give the same bytes with any number of threads, and again.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
# The sanitizers see in the first tries what they would see in all.
tries=(); all_rounds || tries=(--iterations 5000); is_sanitized && tries=(--iterations 1000)
for name in random-00 random-03 halo16-roundrobin two-phases; do
  inputs=(--pattern "$data/cases/$name.acp" --topology "$data/cases/$name.topo.json")
  for model in port bound sum; do
    for n in 1 2 8; do
      out=$work/$n
      "$berth" map "${inputs[@]}" --model "$model" --threads "$n" "${tries[@]}" --json \
        --mapping "$work/mapping.json" > "$out.map"
      mv "$work/mapping.json" "$out.mapping"
      cp "$out.mapping" "$work/priced.json"
      (cd "$work" && "$berth" cost "${inputs[@]}" --model "$model" --mapping priced.json --json) > "$out.cost"
      check "$name $model: something is written" test -s "$out.map" -a -s "$out.mapping" -a -s "$out.cost"
      for what in map mapping cost; do
        check "$name $model $n threads: $what" cmp "$work/1.$what" "$out.$what"
      done
    done
  done
done
finish
