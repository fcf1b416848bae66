#!/usr/bin/env bash
# The library's errors name fields, the program's options: the same errors as the library says them are
# in the tables of tests/map/mappers.c, tests/check/check.c, tests/mapping and tests/pattern/load.c.
# Names that files and users give stay as they are, although they look like fields.
# shellcheck disable=SC2154,SC2016
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1

machine() { # FILE NAME HOST [BANDWIDTH]: of two hosts with two cores of one PU each
  cat > "$1" <<JSON
{"format":"berth-topology","version":1,"name":"$2","curves":{},
 "types":{"top":{},"host":{"up":{"max_bandwidth":100},"down":{"max_bandwidth":${4:-1000}}}},
 "root":{"type":"top","name":"top","children":[
  {"type":"host","name":"$3%d","host":"$3%d","repeat":2,"children":[
   {"pu":0,"core":0},{"pu":1,"core":1}]}]}}
JSON
}
ring() { # RANKS PHASE [LINE…]: rank r sends to r + 1; further lines
  printf '{"format":"berth-pattern","version":1,"ranks":%d}\n' "$1"
  printf '{"kind":"phase","id":0,"name":"%s"}\n' "$2"
  for ((r = 0; r < $1; r++)); do
    printf '{"kind":"p2p","phase":0,"src":%d,"msgs":[[%d,100,1]]}\n' $r $(((r + 1) % $1))
  done
  [ $# = 2 ] || printf '%s\n' "${@:3}"
  printf '{"kind":"end","records":%d}\n' $(($# + $1 - 1))
}
placed() { echo "{\"format\":\"berth-mapping\",\"version\":1,\"algorithm\":\"\",\"pu_of_rank\":$1}"; }
machine t.json t n
machine u.json u v
ring 4 solve > p.acp
ring 4 other '{"kind":"phase","id":1,"name":"more"}' '{"kind":"p2p","phase":1,"src":0,"msgs":[[1,9,1]]}' > other.acp
ring 4 solve '{"kind":"coll","phase":0,"op":"MPI_Bcast","bytes":8,"count":1,"root":null}' > coll.acp
ring 3 solve > three.acp
ring 5 solve > five.acp
sed '$d' p.acp > lines.acp
head -c 200 p.acp > cut.acp
placed '[0,2,1,3]' > m.json
placed '[0,2,0,3]' > twice.json
printf '4\n0 0\n1 2\n2 0\n3 3\n' > scotch
"$berth" check --pattern p.acp --topology t.json --baseline b.acp --update > out || exit 1
"$berth" map --pattern p.acp --topology u.json --quality fast --mapping u.map.json > out || exit 1
python3 - <<'PY'
with open("large.acp", "w") as f:
    f.write('{"format":"berth-pattern","version":1,"ranks":1,"command":["%s"]}\n' % ("x" * (3 << 20)))
    f.write('{"kind":"end","records":0}\n')
PY
# the same with names that look like fields
machine odd.json '`from`' '`pinned`' 2000
cp p.acp '`BERTH_PATTERN_TRUNCATED`.acp' && cp cut.acp '`shared`.acp'
ring 4 '`pinned`' > odd.acp
"$berth" check --pattern p.acp --topology odd.json --baseline odd-b.acp --update > out || exit 1

while IFS='|' read -r code words text; do # CODE|COMMAND|TEXT; T is --topology t.json
  # shellcheck disable=SC2086
  expect "$code" "berth ${words%% *}: $text" "$berth" ${words// T/ --topology t.json}
done <<'TABLE'
3|map --pattern five.acp T|found 5 ranks in the pattern, expected at most 4, the usable PUs of topology 't' (4 in all, --reserve 0, --ranks-per-pu 1)
3|map --pattern p.acp T --hosts n1|found 4 ranks in the pattern, expected at most 2, the usable PUs of topology 't' (4 in all, --reserve 0, --ranks-per-pu 1, --hosts n1)
2|map --pattern p.acp T --hosts n0,x|--hosts: found 'x', expected a host of topology 't'
2|map --pattern p.acp T --hosts n[0|--hosts: found "[0", expected a ']' behind it
2|map --pattern p.acp T --pin 0=1 --pin 3=1|--pin: found PU 1 for rank 3, which rank 0 has already, expected at most 1 there (--ranks-per-pu)
2|map --pattern three.acp T --hosts n0 --ranks-per-pu 2 --pin 0=3|--pin: found PU 3 (n1, core 1) for rank 0, expected one that --reserve and --hosts leave to ranks
2|map --pattern p.acp T --from m.json --moves 0 --pin 0=1|--moves: found 0, expected at least 2, the ranks that must leave their PU in --from
2|map --pattern p.acp T --algorithm stay|stay: found no mapping, expected one with --from
3|map --pattern cut.acp T|--pattern cut.acp:5: found the end of the file in this line: the file is truncated (--truncated takes what is there)
3|map --pattern lines.acp T|--pattern lines.acp:6: found the end of the file, expected a line of kind "end": the file is truncated (--truncated takes what is there)
4|map --pattern large.acp T --memory 1M|--pattern large.acp: found data for at least 2.000 MiB of memory, expected at most 1.000 MiB (--memory allows more)
3|cost --pattern p.acp T --mapping twice.json|--mapping twice.json: pu_of_rank[2]: found PU 0, which rank 0 has already, expected a free one (sharing a PU is taken only with --oversubscribe)
3|cost --pattern p.acp T --mapping scotch|--mapping scotch: rank 2: found PU 0, which rank 0 has already, expected a free one (sharing a PU is taken only with --oversubscribe)
3|cost --pattern p.acp T --mapping u.map.json|--mapping u.map.json: machine: found a mapping for 'u' (hosts v[0-1]), expected one for 't' (hosts n[0-1]): map again, or translate it with berth write --onto
3|check --pattern p.acp T --baseline p.acp|--baseline p.acp: found a pattern that is no baseline, expected one that --update wrote
3|check --pattern p.acp T --budget phase:x=1s|--budget phase:x=1s: found 0 phases of that name, expected one, or its number; there are 0 "solve"
3|check --pattern p.acp T --budget bytes:x=1B|--budget bytes:x=1B: found no element and no type of that name, expected one of top, host, top, n0, n1
2|map --pattern p.acp --topology odd.json --hosts `hosts`|--hosts: found '`hosts`', expected a host of topology '`from`'
3|map --pattern `shared`.acp T|--pattern `shared`.acp:5: found the end of the file in this line: the file is truncated (--truncated takes what is there)
3|map --pattern five.acp --topology odd.json --hosts `pinned`1|found 5 ranks in the pattern, expected at most 2, the usable PUs of topology '`from`' (4 in all, --reserve 0, --ranks-per-pu 1, --hosts `pinned`1)
3|cost --pattern p.acp --topology odd.json --mapping u.map.json|--mapping u.map.json: machine: found a mapping for 'u' (hosts v[0-1]), expected one for '`from`' (hosts `pinned`[0-1]): map again, or translate it with berth write --onto
3|check --pattern odd.acp T --budget phase:`from`=1s|--budget phase:`from`=1s: found 0 phases of that name, expected one, or its number; there are 0 "`pinned`"
3|check --pattern p.acp --topology odd.json --budget bytes:`from`=1B|--budget bytes:`from`=1B: found no element and no type of that name, expected one of top, host, top, `pinned`0, `pinned`1
3|check --pattern p.acp T --baseline `BERTH_PATTERN_TRUNCATED`.acp|--baseline `BERTH_PATTERN_TRUNCATED`.acp: found a pattern that is no baseline, expected one that --update wrote
TABLE

# no verdict: the reason as text, as JSON, as JUnit, as an annotation
reason() { # TEXT PATTERN TOPOLOGY BASELINE [OPTION…]
  local text=$1 given=(--pattern "$2" --topology "$3" --baseline "$4" "${@:5}")
  "$berth" check "${given[@]}" --junit j.xml --github > said
  check "$text: exit code $?" [ $? = 5 ]
  check "$text: text" grep -qF "$text" said
  check "$text: annotation" grep -qF "$text" <(grep ^:: said)
  check "$text: JUnit" python3 -c 'import sys, xml.etree.ElementTree as tree
assert any(sys.argv[1] in (e.get("message") or "") for e in tree.parse("j.xml").iter()), sys.argv' "$text"
  "$berth" check "${given[@]}" --json > said.json
  check "$text: JSON" python3 -c 'import json, sys
assert sys.argv[1] in json.load(open("said.json"))["reason"], sys.argv' "$text"
}
again="--update makes a new baseline"
reason "expected 4 as in the baseline; --update makes a new one" three.acp t.json b.acp
reason "found model sum, expected the baseline's, port; $again" p.acp t.json b.acp --model sum
reason "can't be compared; if the change is intended, $again" other.acp t.json b.acp
reason "if the change is intended, $again" coll.acp t.json b.acp
reason "\"t\"; if the machine has changed, $again" p.acp odd.json b.acp
reason "\"\`from\`\"; if the machine has changed, $again" p.acp t.json odd-b.acp

# lists
while IFS='|' read -r words text; do # COMMAND|TEXT
  # shellcheck disable=SC2086
  check "$words: $text" grep -qF -- "$text" <("$berth" $words 2>&1)
done <<'TABLE'
map --help|any placement with equal chance, by --seed
map --help|ranks stay where --from has them
map --help|the cheapest of those that fit --quality
search --help|the cheapest of those that fit --quality
TABLE
for command in $("$berth" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
  check "$command: no field is named" [ -z "$("$berth" "$command" --help | grep -oE '`[a-z_]+`')" ]
done
finish
