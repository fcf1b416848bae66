#!/usr/bin/env bash
# `mpirun berth-search`, by either MPI's launcher: what `berth map` prints and writes, to the byte,
# by any number of processes; and one line from all of them when something is wrong.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
search=$BERTH_BUILD_DIR/berth-search
cp "$data"/cases/{random-00,two-phases}.{acp,topo.json} .
# 3 switches of 2 hosts of 8 cores, and rings with chords of more and fewer ranks
pus=$(for i in {0..7}; do echo "{\"pu\":$i,\"core\":$i}"; done | paste -sd ,)
cat > t.json <<JSON
{"format":"berth-topology","version":1,"name":"tree","curves":{},
 "types":{"top":{},"switch":{"up":{"max_bandwidth":50},"down":{"max_bandwidth":100}},
          "host":{"up":{"max_bandwidth":100},"down":{"max_bandwidth":1000}}},
 "root":{"type":"top","name":"top","children":[
  {"type":"switch","name":"s%d","repeat":3,"children":[
   {"type":"host","name":"n%d","host":"n%d","repeat":2,"children":[$pus]}]}]}}
JSON
ring() { # RANKS
  echo "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":$1}"
  for ((r = 0; r < $1; r++)); do
    echo "{\"kind\":\"p2p\",\"src\":$r,\"msgs\":[[$(((r + 1) % $1)),$((100 + r)),1],[$(((r * 7 + 3) % $1)),50,2]]}"
  done
  echo "{\"kind\":\"end\",\"records\":$1}"
}
ring 40 > many.acp
ring 34 > sum.acp
ring 49 > too-many.acp
few="--pattern random-00.acp --topology random-00.topo.json"
many="--pattern many.acp --topology t.json"
phases="--pattern two-phases.acp --topology two-phases.topo.json"

# run MPI N OPTION…: the job's exit code; its output in job.json and m.job, its errors in err
run() {
  local mpi=$1 n=$2; shift 2
  launch "$mpi" "$n" timeout 60 "$search" "$@" > job.json 2> "$work/err" < /dev/null
}

# next_mpis: both MPIs; in short runs they take turns.
turn=0
next_mpis() {
  turn=$((1 - turn)) these=$mpis
  all_rounds && return
  these=${mpis% *}
  [ $turn = 1 ] || these=${mpis#* }
}

# same_as_map NAME PROCESSES OPTION…
same_as_map() {
  local name=$1 counts=$2 mpi n; shift 2
  "$berth" map "$@" --json --mapping m.map > map.json || { check "$name: berth map" false; return; }
  next_mpis
  for mpi in $these; do
    for n in $counts; do
      rm -f m.job
      run "$mpi" "$n" "$@" --json --mapping m.job
      check "$name: $n processes of $mpi print the same" cmp map.json job.json
      check "$name: $n processes of $mpi write the same" cmp m.map m.job
    done
  done
}
"$berth" map --pattern many.acp --topology t.json --algorithm random --mapping m.from > /dev/null
# shellcheck disable=SC2086 # the variables hold several options
{
  same_as_map "few ranks" "1 2 4" $few --iterations 500
  same_as_map "few ranks, other seed, threads" "4" $few --iterations 500 --seed 7 --threads 2
  same_as_map "flow" "2" $few --model flow --iterations 50
  same_as_map "annealing under port" "1 2 4" $many --iterations 20000
  same_as_map "a share of the sum" "2" $many --iterations 20000 --sum-share 30
  same_as_map "pinned ranks" "4" $many --iterations 5000 --pin 3=n0:1 --pin 0=47
  same_as_map "phases" "2" $phases --iterations 500
  same_as_map "one phase" "4" $phases --iterations 500 --phase 1
  same_as_map "remapping" "2" $many --iterations 5000 --from m.from --move-price 0.1
  same_as_map "a mapper that shares nothing" "2" $many --algorithm metis
  # the fewest ranks and tries with which there are four restarts; they know nothing of the MPI
  mpis=${mpis%% *} same_as_map "sum alone" "2" --pattern sum.acp --topology t.json --model sum --quality strong \
    --algorithm refine --iterations 6800000
  "$search" $few --iterations 500 --json > job.json
  check "without a launcher it works alone" cmp <("$berth" map $few --iterations 500 --json) job.json
}

# What is found in a limited time isn't known, but all go on alike and end.
for mpi in $mpis; do
  run "$mpi" 3 --pattern many.acp --topology t.json --time-limit 0.3 --mapping m.job
  check "$mpi: a time limit" [ $? -eq 0 ]
  expect 0 "" "$berth" cost --pattern many.acp --topology t.json --mapping m.job
done

# One process alone gets the signal, the last one; all end, and the first writes what there is. With
# more processes than cores, those that search keep the last one from beginning for seconds.
processes=2
all_rounds && processes=3
last=$((processes - 1))
for mpi in $mpis; do
  rm -f m.job
  # minutes of work; the shell that starts it tells its process number
  launch "$mpi" $processes timeout 60 bash -c 'echo $$ > "pid.$(( ${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}} ))"
    exec "$@"' sh "$search" --pattern many.acp --topology t.json --quality strong --min-gain 0 \
    --mapping m.job --json > job.json 2> "$work/err" < /dev/null &
  job=$!
  check "$mpi: the last process has begun" await test -s pid.$last
  await worked "$(cat pid.$last)" 30
  kill -INT "$(cat pid.$last)"
  wait $job
  check "$mpi: a stopped job says so" [ $? -eq 130 ]
  check "$mpi: what it found is unfinished" grep -q '"unfinished": true' m.job
  check "$mpi: and so says JSON" grep -q '"unfinished": true' job.json
  rm -f pid.*
done

# lines_of_berth: what is in err but for the launcher's own remarks
lines_of_berth() { grep -a "^berth" "$work/err"; }
# fails NAME CODE LINE OPTION…
fails() {
  local name=$1 code=$2 line=$3 mpi got; shift 3
  next_mpis
  for mpi in $these; do
    run "$mpi" 3 "$@"
    got=$?
    check "$name: $mpi's exit code $got" [ $got -eq "$code" ]
    check "$name: one line by $mpi: $(lines_of_berth)" [ "$(lines_of_berth)" = "$line" ]
    check "$name: nothing printed by $mpi" [ ! -s job.json ]
  done
}
many_files=(--pattern many.acp --topology t.json)
fails "a missing file" 4 "berth search: --pattern none.acp: cannot open: No such file or directory" \
  --pattern none.acp --topology t.json
fails "a bad value" 2 "berth search: --quality: found 'best', expected fast, eco or strong" \
  "${many_files[@]}" --quality best
fails "an unknown option" 2 "berth search: found option '--frobnicate', expected one that \`berth search --help\` lists" --frobnicate
fails "too many ranks" 3 "berth search: found 49 ranks in the pattern, expected at most 48, the \
usable PUs of topology 'tree' (48 in all, --reserve 0, --ranks-per-pu 1)" --pattern too-many.acp --topology t.json
fails "a mapper for few ranks" 2 "berth search: exact: found 40 ranks, expected at most 12" \
  "${many_files[@]}" --algorithm exact
fails "standard input" 2 \
  "berth search: found '-', expected files that all processes of the job can read" \
  --pattern - --topology t.json
fails "an output that can't be written" 4 \
  "berth search: none/m.json: cannot write: No such file or directory" \
  "${many_files[@]}" --algorithm linear --mapping none/m.json
run mpich 3 --help
check "help is printed once" [ "$(grep -c '^Usage: berth search' job.json)" -eq 1 ]

# One process that isn't like the others
differs() { # NAME LINE OPTION…
  local name=$1 line=$2 mpi; shift 2
  for mpi in $mpis; do
    launch "$mpi" 2 timeout 60 "$search" "${many_files[@]}" --iterations 500 : \
      -n 1 timeout 60 "$search" "$@" > job.json 2> "$work/err" < /dev/null
    check "$name: $mpi's job fails" [ $? -ne 0 ]
    check "$name: one line by $mpi: $(lines_of_berth)" [ "$(lines_of_berth)" = "$line" ]
  done
}
differs "another file" "berth search: process 2: --pattern none.acp: cannot open: No such file or directory" \
  --pattern none.acp --topology t.json
differs "another seed" "berth search: found different inputs or options in the processes of a job, \
expected the same in all" "${many_files[@]}" --iterations 500 --seed 2
differs "another end" "berth search: process 2: ended before the others" --help

# A launcher's variables of another MPI than the one that started the processes
launch mpich 1 env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 timeout 60 "$search" \
  "${many_files[@]}" > job.json 2> "$work/err" < /dev/null
check "another MPI's variables" [ "$(lines_of_berth)" = \
  "berth search: found a job of size 1 by openmpi, expected 2 (OMPI_COMM_WORLD_SIZE)" ]
finish
