#!/usr/bin/env bash
# `berth check` names the call sites of collective calls that cost more: of longer ones, of more of
# them, and of calls from several sites.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
four_hosts 1e6 > t.json
printf 'int halo;\n' > grid.c
pattern() { # NAME CALL…: lines "SITE BYTES COUNT" of MPI_Alltoall
  local name=$1 lines=(); shift
  while [ $# -gt 0 ]; do
    lines+=("{\"kind\":\"coll\",\"op\":\"MPI_Alltoall\",\"site\":$1,\"bytes\":$2,\"count\":$3}"); shift 3
  done
  { echo '{"format":"berth-pattern","version":1,"ranks":4,"mpi":"Open MPI 4.1.4"}'
    echo '{"kind":"site","id":1,"op":"MPI_Alltoall","frames":["turn grid.c:88","main grid.c:9"]}'
    echo '{"kind":"site","id":2,"op":"MPI_Alltoall","frames":["back grid.c:99","main grid.c:10"]}'
    printf '%s\n' "${lines[@]}"
    echo "{\"kind\":\"end\",\"records\":$((${#lines[@]} + 2))}"; } > "$name.acp"
}
pattern was 1 40000 10
"$berth" check was.acp t.json --baseline base.acp --update > none || exit 1

while IFS='|' read -r name calls line place; do
  # shellcheck disable=SC2086 # words
  pattern now $calls
  "$berth" check now.acp t.json --baseline base.acp --github > out
  is "$name: exit code" $? 1
  check "$name: $(cat out)" grep -qxF "$line" out
  check "$name: the annotation has the place: $(grep ::error out)" grep -q "^::error file=grid.c,line=$place,title=" out
done <<'ROWS'
longer calls|1 80000 10|      19.53 KiB more in 1 message more at MPI_Alltoall  turn grid.c:88 < main grid.c:9|88
more calls|1 40000 14|  called at MPI_Alltoall  turn grid.c:88 < main grid.c:9|88
more calls from elsewhere|1 40000 4 2 40000 12|  called at MPI_Alltoall  back grid.c:99 < main grid.c:10|99
ROWS
pattern now 1 80000 10 2 80000 30
"$berth" check now.acp t.json --baseline base.acp > out
check "two sites share a message: $(cat out)" \
  grep -qE '^      .* in 0\.75 messages more at MPI_Alltoall  back grid.c:99 < main grid.c:10$' out
# Calls that an MPI composes by hosts have pairs without call sites of their own.
by_hosts() { pattern "$@"; sed -i 's/Open MPI 4.1.4/MPICH 4.0.2/; s/MPI_Alltoall/MPI_Bcast/' "$1.acp"; }
"$berth" topo make host:2:one,two core:2 host=1Gbit/s -o two.json -q
by_hosts was 1 40000 10
"$berth" check was.acp two.json --baseline hosts.acp --update > none || exit 1
by_hosts now 1 80000 10
"$berth" check now.acp two.json --baseline hosts.acp > out
check "by hosts: $(cat out)" grep -qxF '  called at MPI_Bcast  turn grid.c:88 < main grid.c:9' out

# Epochs that occur more often.
epochs() { # NAME COUNT
  printf '%s\n' '{"format":"berth-pattern","version":1,"ranks":4,"mpi":"Open MPI 4.1.4"}' \
    '{"kind":"site","id":1,"op":"MPI_Put","frames":["turn grid.c:88","main grid.c:9"]}' \
    "{\"kind\":\"rma\",\"src\":0,\"win\":0,\"sync\":\"fence\",\"op\":\"MPI_Put\",\"epochs\":$2,\"site\":1,\"msgs\":[[2,1000,$2]]}" \
    '{"kind":"end","records":2}' > "$1.acp"
}
epochs was 10
"$berth" check was.acp t.json --baseline epochs.acp --update > none || exit 1
epochs now 15
"$berth" check now.acp t.json --baseline epochs.acp > out
check "epochs: $(cat out)" grep -qxF '  called at MPI_Put  turn grid.c:88 < main grid.c:9' out

# A run that is divided otherwise has no verdict, also if its collective calls are the same.
divided() { # NAME PHASE…
  local name=$1 records=1 phase; shift
  { echo '{"format":"berth-pattern","version":1,"ranks":4,"mpi":"Open MPI 4.1.4"}'
    for phase in "$@"; do
      echo "{\"kind\":\"phase\",\"id\":$phase,\"name\":\"part $phase of $name\"}"
      echo "{\"kind\":\"p2p\",\"phase\":$phase,\"src\":0,\"msgs\":[[2,10000,10]]}"
      records=$((records + 2))
    done
    echo '{"kind":"coll","op":"MPI_Barrier","bytes":0,"count":4}'
    echo "{\"kind\":\"end\",\"records\":$records}"; } > "$name.acp"
}
divided one 7
divided three 8 9 10
"$berth" check one.acp t.json --baseline divided.acp --update > none || exit 1
"$berth" check three.acp t.json --baseline divided.acp > out
is "divided otherwise: exit code" $? 5
check "says so: $(cat out)" grep -q '^no verdict: found 3 phases, expected those of the baseline, which has 1 other: ' out

pattern now 1 40000 14
"$berth" check now.acp t.json --baseline base.acp --json > out.json
is "JSON" "$(python3 -c 'import json
p = json.load(open("out.json"))["phases"][0]
print(p["called_at"], p["port"]["pairs"])')" \
  "{'op': 'MPI_Alltoall', 'frames': ['turn grid.c:88', 'main grid.c:9']} []"
"$berth" check now.acp t.json --budget bytes:root=1KiB > out
check "a budget of bytes names the site: $(cat out)" grep -q 'at MPI_Alltoall  turn grid.c:88 < main grid.c:9$' out
finish
