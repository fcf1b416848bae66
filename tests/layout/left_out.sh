#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A build without the parts that one can leave out. Only what stands in for them is compiled, and the
# program is linked of it and of this build's modules, without the parts' libraries.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
data=$BERTH_SOURCE_DIR/tests/data/exchange
libraries='(open-trace-format2|sqlite3|metis|dw|stdc++|ncursesw|tinfo|fabric)\.(so|a)'
cmake -S "$BERTH_SOURCE_DIR" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DBERTH_TESTS=OFF \
  -DBERTH_MPI=OFF -DBERTH_WITH_{OTF2,SQLITE,METIS,LIBDW,D3,TOML,NCURSES,LIBFABRIC}=OFF > "$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
check "no source or library of them is in it" \
  [ -z "$(grep -E 'otf2\.c|sqlite_rows|metis_cut\.c|symbol_file|report/page\.c\.o|d3\.min|project_toml|view/view\.c\.o|/lib'"$libraries" \
    "$work/build/build.ninja")" ]

cd "$work/build" || exit 1
mapfile -t objects < <(grep -oE '^build [^ ]*(_missing|build_parts)\.c\.o' build.ninja | cut -d ' ' -f 2)
check "stand-ins" [ ${#objects[@]} -eq 8 ]
for object in "${objects[@]}"; do # ninja itself would build all modules before
  mkdir -p "$(dirname "$object")"
  check "$object" eval "$(ninja -t commands "$object" | tail -n 1)"
done
line=$(ninja -C "$BERTH_BUILD_DIR" -t commands src/cli/berth | grep -m 1 -- ' -o src/cli/berth ')
line=${line#*&& } line=${line%%&&*}
line=$(sed -E "s# [^ ]*/lib$libraries##g; s# [^ ]*/build_parts\.c\.o##" <<< "$line")
check "the program links" bash -c "cd '$BERTH_BUILD_DIR' &&
  ${line/ -o src\/cli\/berth / ${objects[*]/#/$work/build/} -o $work/berth }"
berth=$work/berth
cd "$work" || exit 1

"$berth" doctor > found
for part in OTF2 SQLite METIS libdw D3 toml++ ncurses libfabric; do
  option=${part^^}; option=BERTH_WITH_${option%++}
  check "doctor: $part" grep -qF "this berth was built without it ($option); " <(grep -F "missing  $part " found)
done
"$berth" doctor --json > found
check "the same in JSON" [ "$(grep -c '"missing".*BERTH_WITH_' found)" -eq 8 ]

ladder=$BERTH_SOURCE_DIR/examples/ladder/pattern.acp
machine=(--topology "$BERTH_SOURCE_DIR/testbed/topology.json")
built="this berth was built without"
cp "$data/eztrace/eztrace_log.otf2" a.otf2
expect 4 "berth import: a.otf2: $built OTF2 (BERTH_WITH_OTF2)" "$berth" import a.otf2 -o x
expect 4 "berth export: x: $built SQLite (BERTH_WITH_SQLITE)" "$berth" export -f sqlite "$ladder" -o x
"$BERTH_BUILD_DIR/berth" export -f sqlite "$ladder" -o a.db
expect 4 "berth import: a.db: $built SQLite (BERTH_WITH_SQLITE)" "$berth" import a.db -o x
expect 2 "berth map: $built METIS (BERTH_WITH_METIS)" "$berth" map --algorithm metis --pattern "$ladder" "${machine[@]}"
place() { "$berth" map --pattern "$ladder" "${machine[@]}" --mapping a.json "$@" > found; }
place --quality eco
check "best has all other mappers" \
  grep -qE '^tried: linear .* greedy .* multilevel .* geometric .* refine 438.9 ms$' found
for mapper in multilevel refine; do # at `strong` they would cut by METIS, or start from its cuts
  place --algorithm $mapper --quality strong
  check "$mapper" grep -q "^16 ranks placed by $mapper on .*: 438.9 ms" found
done
expect 4 "berth report: x.html: $built D3 (BERTH_WITH_D3)" "$berth" report -o x.html --pattern "$ladder" "${machine[@]}" a.json
check "pictures" "$berth" report --svg pictures --pattern "$ladder" "${machine[@]}" a.json > /dev/null
check "all of them" [ "$(find pictures -name '*.svg' -size +0 | wc -l)" -eq 8 ]

expect 4 "berth view: $built ncurses (BERTH_WITH_NCURSES)" "$berth" view "$ladder"
mkdir project
echo 'model = "flow"' > project/.berth.toml
in_project() { (cd project && "$@"); }
expect 4 "berth map: .berth.toml: $built toml++ (BERTH_WITH_TOML); BERTH_PROJECT=none ignores the file" \
  in_project "$berth" map --pattern "$ladder" "${machine[@]}"
expect 0 "" in_project env BERTH_PROJECT=none "$berth" map --pattern "$ladder" "${machine[@]}" --quality fast

# a call site in a module that is there
cat > raw.acp <<END
{"format":"berth-pattern","version":1,"ranks":2}
{"kind":"phase","id":0,"name":"all","repeats":1}
{"kind":"site","id":1,"op":"MPI_Send","frames":["$work/berth+0x1234"]}
{"kind":"p2p","phase":0,"site":1,"src":0,"msgs":[[1,8,1]]}
{"kind":"end","records":3}
END
"$berth" resolve raw.acp -o x > found 2>&1
check "call sites: code $?" grep -q "berth: $built libdw (BERTH_WITH_LIBDW): its call sites stay as they are" found
finish
