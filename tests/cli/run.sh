#!/usr/bin/env bash
# `berth run` with real jobs: traced the first time, placed the second, and the line that it prints
# is what it starts.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun=$(command -v mpirun.openmpi || command -v mpirun)
mpiexec=$(command -v mpiexec.mpich || command -v mpiexec.hydra)
[ "$(nproc)" -ge 2 ] || { echo "skipped: placing two ranks needs two cores"; exit 77; }
mpicc=$(command -v mpicc.openmpi || command -v mpicc)
"$mpicc" -O1 -o "$work/ladder" "$BERTH_SOURCE_DIR/examples/ladder/ladder.c" || exit 1
cd "$work" || exit 1
run() { "$berth" run --cache "$work/cache" "$@" > out 2> err < /dev/null; }
says() { grep -qF -- "$1" err || { cat err; return 1; }; }
job=("$mpirun" -np 2 --mca btl self,vader ./ladder 1000 3)

run -- "${job[@]}"
check "the first run ends well" [ $? -eq 0 ]
check "the first run is traced" says "berth run: this run is traced, as the first one of its job: "
check "the program ran" grep -q "seconds per iteration" out
kept=$(sed -n 's/^berth run: the trace is kept as //p' err)
check "the trace is where the run says" [ -s "$kept" ]
check "the trace is kept" [ "$(find cache -name 'ladder-2-*.acp.zst' | wc -l)" -eq 1 ]

run -- "$mpirun" --report-bindings "${job[@]:1}"
check "the second run ends well" [ $? -eq 0 ]
check "the second run is placed" says "berth run: 2 ranks placed by "
check "with a prediction" says " of communication estimated, "
rankfile=$(find "$work/cache" -name '*.rankfile')
check "the line is a command with the rankfile" \
  says ": $mpirun --rankfile $rankfile --report-bindings -np 2 --mca btl self,vader ./ladder 1000 3"
for rank in 0 1; do
  core=$(sed -n "s/^rank $rank=.* slot=//p" "$rankfile")
  check "rank $rank is bound to core $core" grep -qE "rank $rank bound to socket .*core $core\[" err
done

run --dry-run -- "${job[@]}"
check "a dry run would ask the hosts" says "would discover the job's hosts and place its 2 ranks: "
check "a dry run starts nothing" [ ! -s out ]
"$berth" topo discover -o here.json 2> /dev/null
files=$(find cache | sort)
run --dry-run --topology here.json -- "${job[@]}"
check "with a topology it says the same as a run" says "2 ranks placed by "
check "a dry run writes nothing" [ "$files" = "$(find cache | sort)" ]
check "what the hosts answered isn't kept" [ -z "$(find cache -name '*.topology.json')" ]
OMPI_MCA_hwloc_base_binding_policy=none run --dry-run --topology here.json -- "${job[@]}"
check "placement by a variable is kept" says "of its own (OMPI_MCA_hwloc_base_binding_policy=none)"
run --dry-run --topology here.json -- "$mpirun" --mca rmaps_base_mapping_policy node "${job[@]:1}"
check "placement by an MCA parameter is kept" says "of its own (rmaps_base_mapping_policy)"
sed 's/"host": "[^"]*"/"host": "elsewhere"/' here.json > other.json
run --dry-run --topology other.json -- "${job[@]}"
check "other hosts have a rankfile of their own" [ -z "$(grep -F "$rankfile" err)" ]
run -- "$mpirun" --map-by core "${job[@]:1}"
check "a placement of one's own is kept" says "because it has a placement of its own (--map-by)"
check "and named in what is started" says ": $mpirun --map-by core -np 2 "
run --dry-run -- "${job[@]}" 7
check "other arguments are another job" says "is traced"
run --dry-run -- "$mpirun" -np 4 --oversubscribe "${job[@]:3}"
check "another number of ranks is another job" says "is traced"
run --dry-run -- "$mpirun" "${job[@]:3}"
check "the number of ranks must be told" says "because the command doesn't say how many ranks"
run --dry-run --retrace -- "${job[@]}"
check "a new trace can be asked for" says "is traced"

pattern=$(find cache -name 'ladder-2-*.acp.zst')
cp "$pattern" kept && head -c 60 kept > "$pattern"
run --dry-run --topology here.json -- "${job[@]}"
check "a damaged trace is made anew" says "this run is traced, because its trace is damaged: "
cp kept "$pattern"
mkdir elsewhere
(cd elsewhere && "$berth" run --cache ../cache --dry-run -- "$mpirun" -np 2 --mca btl self,vader \
  "$work/ladder" 1000 3) 2> err
check "another working folder is another job" says "is traced, as the first one of its job"
cp ladder ladder.kept && echo >> ladder
run --dry-run -- "${job[@]}"
check "another program in its place is another job" says "is traced, as the first one of its job"
cp -p ladder.kept ladder

too_many=$(($(nproc) + 2))
many=("$mpirun" -np "$too_many" --oversubscribe --mca btl self,vader ./ladder 1000 3)
run -- "${many[@]}"
run -- "${many[@]}"
check "more ranks than PUs run as they are" [ $? -eq 0 ]
check "and are said to" says "berth run: started as given, because it cannot be placed (found "

run -- "$mpirun" -np 2 --mca btl self,vader ./ladder not-a-number
code=$?
check "the program's exit code is passed on" [ $code -ne 0 ]
run --dry-run -- "$mpirun" -np 2 --mca btl self,vader ./ladder not-a-number
check "the trace of a failed run isn't kept" says "is traced"
check "nothing half done stays" [ -z "$(find cache -name '*.acp.zst' -newer out)" ]
mkdir one two
printf '#!/bin/sh\nexit 0\n' | tee one/s > two/s
chmod +x one/s two/s
(cd one && run_one=$("$berth" run --cache ../cache --dry-run -- "$mpirun" -np 2 env ./s 2>&1) &&
  echo "$run_one" | sed 's/.*-o \([^ ]*\)\.[0-9a-f]*\.acp.*/\1/' > ../one.name)
(cd two && run_two=$("$berth" run --cache ../cache --dry-run -- "$mpirun" -np 2 env ./s 2>&1) &&
  echo "$run_two" | sed 's/.*-o \([^ ]*\)\.[0-9a-f]*\.acp.*/\1/' > ../two.name)
check "a program behind a wrapper is told apart" [ "$(cat one.name)" != "$(cat two.name)" ]
# --reserve auto
cat > steps.c << 'C'
#include <mpi.h>
int main(void)
{
  double mine = 1, all;
  MPI_Init(NULL, NULL);
  for (int i = 0; i < 200; i++) {
    for (double end = MPI_Wtime() + 1e-4; MPI_Wtime() < end;) continue;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
C
"$mpicc" -O1 -o steps steps.c || exit 1
noisy_hosts > noisy.json
steps=(--oversubscribe --mca btl self,vader ./steps)
run -- "$mpirun" -np 6 "${steps[@]}"
# With much computing, so that it doesn't matter how busy this machine is.
pattern=$(find cache -name 'steps-6-*.acp.zst')
zstd -dcq "$pattern" | sed -E 's/"wall_s":[^,}]*/"wall_s":100/' > computing.acp
zstd -qf computing.acp -o "$pattern"
run --dry-run --reserve auto --topology noisy.json -- "$mpirun" -np 6 "${steps[@]}"
check "--reserve auto leaves a core free" says "note: one core of each host is left free"
check "and the job is placed" says "berth run: 6 ranks placed by "
run -- "$mpirun" -np 2 "${steps[@]}"
run --dry-run --reserve auto --topology here.json -- "$mpirun" -np 2 "${steps[@]}"
check "where it can't tell, no core is left free" says "note: --reserve auto leaves no core free: host "
check "and the job is placed all the same" says "berth run: 2 ranks placed by "
run --dry-run --reserve some --topology here.json -- "${job[@]}"
check "another word is refused" says "berth run: --reserve: found 'some', expected a whole number from 0 to 1048576, or auto"

run --topology no.json -- "${job[@]}"
check "a topology that isn't there exits 4" [ $? -eq 4 ]
check "and is named" says "berth run: --topology no.json: cannot open"
if [ -n "$mpiexec" ]; then
  run --dry-run -- "$mpiexec" -n 2 ./ladder
  check "MPICH's jobs are started as given" says "because only Open MPI's mpirun takes a rankfile"
fi
finish
