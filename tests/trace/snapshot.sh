#!/usr/bin/env bash
# `berth snapshot`: a running job's counts, without a trace of it in the job's own.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows

# start MPI: a job in the background; its tallies are in MPI.tallies, its process is $job. Its folder
# tells it from those of another run of this test.
start() {
  mkdir "$1.tallies"
  TMPDIR=$work/$1.tmp "$berth" trace -o "$1.acp" -- "$(command -v mpirun."$1")" -n 4 \
    "./survive.$1" end 0 0 "$work/$1.tallies" > /dev/null 2> "$1.err" &
  job=$!
  check "$1: the job has started" await counted "$1"
}
counted() {
  [ -s "$1.tallies/3" ] && "./survive.$1" show 4 "$1.tallies" 2> /dev/null |
    awk '/calls/ && $2 > 2 { good = 1 } END { exit !good }'
}
count() { sed -n 's/^messages: \([0-9]*\).*/\1/p' <<< "$1"; }
# seconds FILE: rank 0's wall time
seconds() { python3 -c 'import json,sys
print([r["wall_s"] for r in map(json.loads, open(sys.argv[1])) if r.get("kind") == "rank"][0])' "$1"; }

# snap MPI NUMBER WHICH: a snapshot of what is between two looks at the tallies
snap() {
  local mpi=$1 n=$2 which=$3
  "./survive.$mpi" show 4 "$mpi.tallies" > before
  "$berth" snapshot -o "$mpi$n.acp" "$which" 2> err
  check "$mpi, snapshot $n: the exit code" [ $? -eq 0 ]
  "./survive.$mpi" show 4 "$mpi.tallies" > after
  result=$(acp within "$mpi$n.acp" before after 2>&1)
  check "$mpi, snapshot $n: $result" grep -q '^messages: [1-9]' <<< "$result"
  check "$mpi, snapshot $n: one line" [ "$(wc -l < err)" -eq 1 ]
  check "$mpi, snapshot $n: which" says "berth snapshot: $mpi$n.acp: 4 ranks, "
  check "$mpi, snapshot $n: call sites" grep -qE ', 4 call sites \(4 resolved\); a snapshot of 4 of 4 ranks$' err
}

mkdir openmpi.tmp mpich.tmp
for mpi in $mpis; do
  compile "$mpi" "$here/survive.c" "survive.$mpi" -lrt
  start "$mpi"
  snap "$mpi" 1 "$job"
  first=$(count "$result")
  sleep 0.3
  snap "$mpi" 2 "$(echo "$mpi".tmp/berth-spool-*)"
  check "$mpi: the second has more" [ "$(count "$result")" -gt "$first" ]
  check "$mpi: time goes on" awk "BEGIN { exit !($(seconds "$mpi"2.acp) > $(seconds "$mpi"1.acp)) }"
  check "$mpi: the list" grep -qE "^[0-9]+: 4 of 4 ranks here, since 20[0-9TZ:-]*, ./survive.$mpi end 0 0 $work/$mpi.tallies$" \
    <<< "$("$berth" snapshot --list "$job")"
  declare "job_$mpi=$job"
done

# both run: none is meant
"$berth" snapshot -o none.acp 2> err
check "two jobs: the exit code" [ $? -eq 2 ]
check "two jobs" grep -qE "^berth snapshot: found [0-9]+ jobs, expected one; say which" err
check "two jobs: one" grep -qE "^[0-9]+: .*survive.openmpi end" err
check "two jobs: the other" grep -qE "^[0-9]+: .*survive.mpich end" err
pid=$(sed -n "s|^\([0-9]*\): .*survive.mpich end 0 0 $work/mpich.tallies\$|\1|p" err)
sleep 60 & other=$!
expect 4 "berth snapshot: $other: found no traced job that is running here" "$berth" snapshot "$other"
kill $other
snap mpich 3 "$pid"

for mpi in $mpis; do
  touch "$mpi.tallies/stop"
  name=job_$mpi
  wait "${!name}"
  check "$mpi: the job ends well" [ $? -eq 0 ]
  "./survive.$mpi" show 4 "$mpi.tallies" > final
  result=$(acp within "$mpi.acp" final final 2>&1)
  check "$mpi: its own trace is exact: $result" grep -q '(0 more than finished)' <<< "$result"
  check "$mpi: its own line" [ "$(wc -l < "$mpi.err")" -eq 1 ]
  check "$mpi: nothing is left" [ -z "$(ls "$mpi.tmp")" ]
done
expect 4 "berth snapshot: openmpi.tmp: found no traced job that is running here" "$berth" snapshot openmpi.tmp
finish
