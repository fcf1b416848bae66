#!/usr/bin/env bash
# Files without options: berth recognises patterns, topologies and mappings in any order. And what the
# environment says of them.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cp "$data/cases/halo16-linear.acp" p.acp
cp "$data/cases/halo16-linear.topo.json" t.json
cp "$data/cases/halo16-linear.mapping.json" m.json
zstd -q p.acp -o p.zst && zstd -q t.json -o t.zst && zstd -q m.json -o m.zst
input=/dev/null # what commands read
same() { # NAME COMMAND…: the same output as the command with options has, which is in `expected`
  local name=$1; shift
  "$berth" "$@" > found 2> err < "$input"
  check "$name: exit code" [ $? = 0 ]
  sed -i -E 's/[pmt]\.zst/./g; s/[pmt]\.(acp|json)/./g; s/"-"/"."/g' found
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
  for file in p.acp p.zst t.json t.zst m.json m.zst; do # - is standard input, at any place
    [[ ${words[0]}$file == mapm.* ]] && continue
    others=(t.json p.acp "${mapping[@]}")
    input=$file same "$command: - is $file" "${words[@]}" - "${others[@]/#${file%%.*}.*/--no-intervals}"
    input=$file same "$command: - is $file, last" "${words[@]}" "${others[@]/#${file%%.*}.*/--no-intervals}" -
  done
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
# which input is missing, and what there is: COMMAND FILES|WHAT IS SAID
while IFS='|' read -r words line; do
  # shellcheck disable=SC2086
  expect 2 "berth ${words%% *}: $line$(hint "${words%% *}")" "$berth" $words
done <<'TABLE'
map p.acp|found no topology, expected one beside p.acp (--topology, BERTH_TOPOLOGY or .berth.toml)
map -p p.acp|found no topology, expected one beside p.acp (--topology, BERTH_TOPOLOGY or .berth.toml)
map p.acp t.json linear|found 'linear', expected a pattern and a topology only (--algorithm takes it)
map t.json|found no pattern, expected one beside t.json (--pattern, from berth trace)
map|expected a pattern and a topology
map - t.json|found '-', expected a pattern or a topology on standard input
map - -|found '-' for two inputs, expected one from standard input
cost p.acp m.json|found no topology, expected one beside p.acp (--topology, BERTH_TOPOLOGY or .berth.toml)
cost t.json m.json|found no pattern, expected one beside t.json (--pattern, from berth trace)
compare m.json|found 'm.json' alone, expected a pattern and a topology beside it
check t.json m.json --budget cost=1s|found no pattern, expected one beside t.json (--pattern, from berth trace)
check p.acp p.zst t.json --budget cost=1s|pattern: found 'p.acp' and 'p.zst', expected one file (--baseline takes the other one)
check p.acp t.json m.json m.zst --budget cost=1s|mapping: found 'm.json' and 'm.zst', expected one file
TABLE
# a file that nobody can tell, where one is missing
: > empty.acp
head -c 20 p.zst > cut.zst
while IFS='|' read -r words what expected beside; do
  # shellcheck disable=SC2086
  expect 3 "berth ${words%% *}: $what: found nothing that begins as a pattern, a topology or a mapping does, expected $expected beside $beside" \
    "$berth" $words
done <<'TABLE'
cost empty.acp t.json m.json|empty.acp|a pattern|t.json
compare cut.zst t.json|cut.zst|a pattern|t.json
explore p.acp empty.acp|empty.acp|a topology|p.acp
TABLE
# more than the beginning of standard input, plain and compressed
"$berth" make pattern stencil3d --ranks 4096 --output big.acp > out
"$berth" topo make host:64 core:64 -o big.json > out
check "a large pattern" [ "$(stat -c %s big.acp)" -gt 300000 ]
"$berth" map big.json big.acp --algorithm linear --json > expected
for compress in cat "zstd -q"; do
  $compress < big.acp | "$berth" map - big.json --algorithm linear --json > found
  check "a large pattern from a pipe, $compress" cmp -s expected found
done
# check takes files in any order, too
"$berth" check --pattern p.acp --topology t.json --mapping m.json --budget cost=1000s > expected
check "check with options" [ $? = 0 ]
same "check: files in any order" check m.json t.json p.acp --budget cost=1000s
same "check: letters" check -t t.json -p p.acp m.json --budget cost=1000s
input=p.zst same "check: -" check t.json - m.json --budget cost=1000s
BERTH_TOPOLOGY=t.json same "check: the environment's topology" check p.acp m.json --budget cost=1000s
expect 2 "berth cost: BERTH_MODEL: found 'fast', expected port, bound, sum or flow$(hint cost)" \
  env BERTH_MODEL=fast "$berth" cost p.acp t.json m.json
expect 4 "berth map: BERTH_TOPOLOGY none.json: cannot open: No such file or directory" \
  env BERTH_TOPOLOGY=none.json "$berth" map p.acp
expect 4 "berth cost: none.json: cannot open: No such file or directory" "$berth" cost p.acp t.json none.json
expect 4 "berth cost: --mapping none.json: cannot open: No such file or directory" "$berth" cost p.acp t.json --mapping none.json
for command in cost compare explore report; do # an algorithm is no file
  for name in linear round-robin; do
    expect 2 "berth $command: found '$name', expected a file with a mapping; \`berth map --algorithm $name -o FILE\` writes one$(hint $command)" \
      "$berth" $command p.acp t.json $name
  done
done
cp m.json linear
check "unless there is such a file" "$berth" cost p.acp t.json linear > out
finish
