#!/usr/bin/env bash
# Files without options: berth recognises patterns, topologies and mappings in any order. And what the
# environment says of them.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cp "$data/cases/halo16-linear.acp" p.acp
cp "$data/cases/halo16-linear.topo.json" t.json
cp "$data/cases/halo16-linear.mapping.json" m.json
zstd -q p.acp -o p.zst && zstd -q t.json -o t.zst && zstd -q m.json -o m.zst
same() { # NAME COMMAND…: the same output as the command with options has, which is in `expected`
  local name=$1; shift
  "$berth" "$@" > found 2> err < /dev/null
  check "$name: exit code" [ $? = 0 ]
  sed -i -E 's/[pmt]\.zst/./g; s/[pmt]\.(acp|json)/./g' found
  check "$name: the same output" cmp -s expected found
}
for command in "map --json" "cost --json" "compare --json" "explore --json --samples 20"; do
  read -ra words <<< "$command"
  mapping=(m.json); [ "${words[0]}" = map ] && mapping=()
  option=("${mapping[@]}"); [ "${words[0]}" = cost ] && option=(--mapping m.json)
  "$berth" "${words[@]}" --pattern p.acp --topology t.json "${option[@]}" > expected 2> err
  check "$command with options" [ $? = 0 ]
  sed -i -E 's/[pmt]\.(acp|json)/./g' expected
  same "$command: pattern first" "${words[@]}" p.acp t.json "${mapping[@]}"
  same "$command: pattern last" "${words[@]}" "${mapping[@]}" t.json p.acp
  same "$command: letters" "${words[@]}" -p p.acp -t t.json "${mapping[@]}"
  same "$command: compressed" "${words[@]}" "${mapping[@]/%json/zst}" p.zst t.zst
  same "$command: one option" "${words[@]}" --topology t.json "${mapping[@]}" p.acp
  BERTH_TOPOLOGY=t.json same "$command: the environment's topology" "${words[@]}" p.acp "${mapping[@]}"
  BERTH_TOPOLOGY=none.json same "$command: the command line counts" "${words[@]}" p.acp t.json "${mapping[@]}"
  BERTH_MODEL=sum same "$command: the option counts" "${words[@]}" --model port p.acp t.json "${mapping[@]}"
  "$berth" "${words[@]}" --pattern p.acp --topology t.json "${option[@]}" --model sum > expected 2> err
  sed -i -E 's/[pmt]\.(acp|json)/./g' expected
  BERTH_MODEL=sum same "$command: the environment's model" "${words[@]}" p.acp t.json "${mapping[@]}"
done
"$berth" report m.json t.json p.acp -o r.html > out
check "a report" grep -qx 'page written to r.html' out
"$berth" map t.json p.acp -o best.json > out
check "map -o writes the mapping" grep -qx 'mapping written to best.json' out

hint() { printf "\nTry \`berth %s --help' or \`berth %s --usage' for more information." "$1" "$1"; }
expect 2 "berth map: pattern: found 'p.acp' and 'p.zst', expected one file$(hint map)" "$berth" map p.acp p.zst t.json
expect 2 "berth map: topology: found 't.json' and 't.zst', expected one file$(hint map)" "$berth" map p.acp t.json t.zst
expect 2 "berth map: --topology: found 't.json' and 't.zst', expected one file$(hint map)" "$berth" map p.acp -t t.json -t t.zst
expect 2 "berth map: found the mapping 'm.json', expected a pattern and a topology only (--from takes a mapping)$(hint map)" \
  "$berth" map p.acp t.json m.json
expect 2 "berth map: found 'r.html', which is neither a pattern nor a topology$(hint map)" "$berth" map p.acp r.html
expect 4 "berth map: none.acp: cannot open: No such file or directory" "$berth" map none.acp t.json
expect 2 "berth cost: expected a pattern and a topology$(hint cost)" "$berth" cost p.acp m.json
expect 2 "berth cost: BERTH_MODEL: found 'fast', expected port, bound, sum or flow$(hint cost)" \
  env BERTH_MODEL=fast "$berth" cost p.acp t.json m.json
expect 4 "berth map: BERTH_TOPOLOGY none.json: cannot open: No such file or directory" \
  env BERTH_TOPOLOGY=none.json "$berth" map p.acp
expect 4 "berth cost: --mapping none.json: cannot open: No such file or directory" "$berth" cost p.acp t.json none.json
finish
