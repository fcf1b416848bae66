#!/usr/bin/env bash
# Estimates include one-sided operations: costs are those on paper, mappers and reports see them, and
# commands say what stays left out. tests/one_sided has the messages of each operation.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1

# Each host's link carries 1,000 bytes a second, so a round costs what its busiest link carries.
four_hosts 1000 > t.json
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,1,2,3]}' > m.json
pattern() { # NAME MPI LINE…
  local name=$1 mpi=$2; shift 2
  { echo "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,\"mpi\":\"$mpi\"}"
    printf '%s\n' "$@"
    echo "{\"kind\":\"end\",\"records\":$#}"; } > "$name.acp"
}
rma() { # SRC SYNC OP EPOCHS ITEMS [MEMBERS]
  echo "{\"kind\":\"rma\",\"src\":$1,\"sync\":\"$2\",\"op\":\"MPI_$3\",\"epochs\":$4,\"msgs\":[$5]${6:+,$6}}"
}
cost() { # PATTERN MODEL [OPTION…]
  "$berth" cost --pattern "$1.acp" --topology t.json --mapping m.json --model "$2" --no-intervals \
    --json "${@:3}" 2> err | python3 -c 'import json, sys
r = json.load(sys.stdin)
print("%.9g %g" % (r["results"][0]["cost_s"], r["not_included"]["calls"]))'
}

# a put of 100 bytes: 152 in Open MPI's fragment
pattern put "Open MPI 4.1.4" "$(rma 0 none Put 1 '[1,100,1]')"
# 10 epochs with a lock: 16, 16, 16 + 136 + 24, 16 bytes; MPICH: 32, 32, 100, 32, 32
pattern lock "MPICH 4.0.2" "$(rma 0 lock Put 10 '[1,100,10]')"
# 4 epochs: posts of 2 bytes to rank 0 from three; 3 fragments of 16 + 32 + 8 from it; 3 times 300 back
pattern pscw "Open MPI 4.1.4" '{"kind":"phase","id":0,"name":"","repeats":2}' \
  "$(rma 0 pscw Get 4 '[1,300,4],[2,300,4],[3,300,4]')"
# what one rank is asked for by all others arrives together
pattern all "MPICH 4.0.2" "$(rma 1 none Get 1 '[0,500,1]')" "$(rma 2 none Get 1 '[0,500,1]')" \
  "$(rma 3 none Get 1 '[0,500,1]')"
# a fence of two ranks, in MPICH a message without bytes each way
pattern fence "MPICH 4.0.2" '{"kind":"comm","id":1,"ranks":[2,0]}' "$(rma 0 fence Put 3 '[2,700,3]' '"comm":1')"
while read -r name rules expected; do
  for model in port bound flow; do
    check "$name by $rules, $model" [ "$(cost "$name" $model --one-sided "$rules")" = "$expected 0" ]
  done
  check "$name is left out if asked" [ "$(cost "$name" port --one-sided none | cut -d' ' -f1)" = 0 ]
done <<'ROWS'
put openmpi-4.1 0.152
put mpich-4.0 0.1
lock openmpi-4.1 2.24
lock mpich-4.0 2.28
pscw openmpi-4.1 8.592
all mpich-4.0 1.5
fence mpich-4.0 2.1
put berth 0.136
lock berth 1.64
fence berth 2.22
ROWS
# operations have their own call sites, and what synchronises them has none
pattern sites "MPICH 4.0.2" '{"kind":"site","id":7,"op":"MPI_Put","frames":["turn grid.c:88"]}' \
  "$(rma 0 fence Put 3 '[2,700,3]' '"site":7')"
"$berth" cost sites.acp t.json m.json > text
check "cost names a put's call site: $(cat text)" grep -qE '^ +2\.051 KiB +2\.051 KiB +2\.051 KiB  MPI_Put  turn grid.c:88$' text
for name in put pscw; do
  check "auto for $name" [ "$(cost $name port)" = "$(cost $name port --one-sided openmpi-4.1)" ]
done
check "auto for lock" [ "$(cost lock port)" = "$(cost lock port --one-sided mpich-4.0)" ]
check "nothing is said of rules that are known" [ ! -s err ]

for row in "Open MPI 5.0.1|berth has no rules of Open MPI 5.0.1|openmpi-4.1" \
  "Intel(R) MPI Library 2021.9|berth has no rules of Intel(R) MPI Library 2021.9|mpich-4.0" \
  "|the pattern names no MPI|openmpi-4.1"; do
  IFS='|' read -r mpi why rules <<< "$row"
  pattern other "$mpi" "$(rma 0 none Put 1 '[1,100,1]')"
  found=$(cost other port)
  check "nearest rules for '$mpi' are named" \
    grep -qxF "note: $why, so one-sided operations are estimated as $rules does them" err
  check "nearest rules for '$mpi'" [ "$found" = "$(cost put port --one-sided "$rules")" ]
done
pattern none "" '{"kind":"p2p","src":0,"msgs":[[1,100,1]]}'
cost none port > out
check "nothing is said without such operations" [ ! -s err ]

# what isn't included is counted
pattern own "Open MPI 4.1.4" "$(rma 0 none Put 1 '[1,100,3]')" "$(rma 0 none Own 1 '[1,100,1]')"
check "operations without rules" [ "$(cost own port | cut -d' ' -f2)" = 1 ]
check "their share" grep -qx "note: not included in estimates: 25.0% of the calls and 25.0% of the bytes (collective or one-sided operations)" \
  <("$berth" cost --pattern own.acp --topology t.json --mapping m.json)
pattern large "Open MPI 4.1.4" "$(rma 0 lock Put 1 '[1,4503599627370496,2]')"
check "too many bytes" [ "$(cost large port)" = "0 2" ]
check "too many bytes are named" grep -qxF "note: 2 one-sided operations are not included: estimates take at most 4194304 messages for the rounds of all epochs" err
pattern last "Open MPI 4.1.4" '{"kind":"phase","id":2147483647,"name":"last"}' "$(rma 0 none Put 1 '[1,8,1]' '"phase":2147483647')"
check "no numbers are left for phases" [ "$(cost last port)" = "0 1" ]
pattern odd "Open MPI 4.1.4" "$(rma 0 none Put 1 '[1,8,1]' '"comm":-1')"
expect 3 'berth cost: --pattern odd.acp:2: comm: found -1, expected a whole number from 0 to 2147483647' \
  "$berth" cost --pattern odd.acp --topology t.json --mapping m.json
check "unknown rules" grep -qF "found 'mpich', expected auto, none, openmpi-4.1, mpich-4.0, berth" \
  <("$berth" cost --pattern put.acp --topology t.json --mapping m.json --one-sided mpich 2>&1)

# texts
"$berth" cost --pattern lock.acp --topology t.json --mapping m.json > text
check "a line for an epoch" grep -qxF '    1-5 "MPI_Put, window 0, lock": 50 rounds, 2.280 s  (has the most expensive one)' text
"$berth" cost --pattern fence.acp --topology t.json --mapping m.json > text
check "a line for what ends it" grep -qF '"MPI_Put, window 0, fence: barrier of 0 B, 2 ranks: dissemination": 3 rounds' text
pattern two "Open MPI 4.1.4" '{"kind":"phase","id":3,"name":"halo"}' \
  '{"kind":"p2p","phase":3,"src":0,"msgs":[[2,4096,1]]}' "$(rma 0 none Put 1 '[1,100,1]' '"phase":3')"
command=$("$berth" cost --pattern two.acp --topology t.json --mapping m.json --one-sided mpich-4.0 |
  sed -n 's/^to write the best placement for one phase: berth //p')
check "a printed command has the option: $command" \
  bash -c "[[ -z '$command' || '$command' == *'--one-sided mpich-4.0'* ]]"

# a mapper puts ranks together that put and get; the report has the rounds
sed 's/"repeat": 4/"repeat": 2/; s/{"pu": 0, "core": 0}/&, {"pu": 1, "core": 1}/' t.json > pairs.json
pattern pairs "Open MPI 4.1.4" "$(rma 0 fence Put 5 '[2,100000,5]')" "$(rma 3 fence Get 5 '[1,100000,5]')"
"$berth" map --pattern pairs.acp --topology pairs.json --mapping best.json > /dev/null
check "a mapper sees them" python3 - <<'PY'
import json
pus = json.load(open("best.json"))["pu_of_rank"]
assert pus[0] // 2 == pus[2] // 2 and pus[1] // 2 == pus[3] // 2, pus
PY
"$berth" report --pattern pairs.acp --topology pairs.json -o page.html best.json > /dev/null
check "the report names rounds" grep -qF 'MPI_Get and MPI_Put, window 0, fence, round 1: operations' page.html
finish
