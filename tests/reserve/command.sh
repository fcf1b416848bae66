#!/usr/bin/env bash
# `berth map --reserve auto`: its notes, its JSON, the cores that are left free, and what it needs.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
# A run of RANKS ranks that compute for a second between CALLS calls.
run_of() {
  echo "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":$1}"
  echo '{"kind":"phase","id":0,"name":"all","repeats":1}'
  for ((r = 0; r < $1; r++)); do
    echo "{\"kind\":\"rank\",\"rank\":$r,\"host\":\"a\",\"pu\":$r,\"wall_s\":1.01,\"mpi_s\":0.01}"
  done
  echo "{\"kind\":\"coll\",\"phase\":0,\"site\":0,\"comm\":0,\"op\":\"MPI_Allreduce\",\"bytes\":8,\"count\":$2,\"root\":null}"
  echo "{\"kind\":\"end\",\"records\":$(($1 + 2))}"
}
run_of 6 1000 > six.acp
run_of 8 100 > eight.acp
noisy_hosts > noisy.json
"$berth" topo make host:2 core:4 host=10Gbit/s -o quiet.json -q

map=("$berth" map --quality fast --collectives none --reserve auto)
check "six ranks" "${map[@]}" six.acp noisy.json --json > six.json 2> err
check "the run with all cores" grep -q '^note: all cores: 1\.[0-9]* s (.* with 6 ranks, of which noise takes [0-9.]* ms$' err
check "the run with a core left free" grep -q '^note: one core of each host free: 959\.5 ms (.* with 6 ranks, of which noise takes 0 s$' err
check "what is done" grep -qx 'note: one core of each host is left free' err
is "PUs" "$(python3 -c 'import json; print(sorted(json.load(open("six.json"))["pu_of_rank"]))')" "[0, 1, 2, 4, 5, 6]"
is "JSON" "$(python3 -c 'import json; r = json.load(open("six.json"))["reserve_auto"]
print(r["verdict"], r["fits"], r["collective_calls"], r["spared"]["ranks"])')" "spare True 1000 6"

check "nothing is said of a run that nobody disturbed" [ "$(grep -c 'waited for a core' err)" = 0 ]
sed '/"rank":3/s/"mpi_s":0.01/&,"core_wait_s":0.1/' six.acp > disturbed.acp
check "a disturbed run" "${map[@]}" disturbed.acp noisy.json > out 2> err
check "says so" grep -qx 'note: in the recorded run rank 3 waited for a core for 9.9% of the time, because other processes or ranks had it. An undisturbed run takes less time.' err

check "eight ranks" "${map[@]}" eight.acp noisy.json > out 2> err
check "need all cores" grep -qx 'note: no core is left free' err
check "fewer ranks are no faster" grep -q '^note: one core of each host free: 1\.2[0-9]* s (.* with 6 ranks' err

expect 5 "berth map: --reserve auto: host host0: found no noise with and without an idle core, expected a record of berth calibrate node" \
  "${map[@]}" six.acp quiet.json
sed 's/,"wall_s":1.01,"mpi_s":0.01//' six.acp > timeless.acp
expect 5 "berth map: --reserve auto: rank 0: found no run time, expected a pattern with the times of its run" \
  "${map[@]}" timeless.acp noisy.json
check "a number still is one" "$berth" map --quality fast --reserve 1 six.acp quiet.json > out
usage=$'Try `berth map --help\' or `berth map --usage\' for more information.'
expect 2 "berth map: --reserve: found 'some', expected a whole number from 0 to 1048576, or auto
$usage" "$berth" map --reserve some six.acp noisy.json
finish
