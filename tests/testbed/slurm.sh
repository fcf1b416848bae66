#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# Slurm's daemons run on the testbed's hosts, one slurmd on each, and srun starts jobs by what
# `berth write` gives it: on their hosts by SLURM_HOSTFILE, on their CPUs by map_cpu or the wrapper.
. "$BERTH_SOURCE_DIR/tests/testbed/landing.sh"
for tool in slurmctld slurmd srun salloc sinfo squeue; do
  command -v $tool > /dev/null || skip "$tool is missing"
done
up_or_skip
mkdir state spool
cat > slurm.conf <<END
ClusterName=testbed
SlurmctldHost=h0
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
JobAcctGatherType=jobacct_gather/none
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/builtin
NodeName=h[0-7] $(slurmd -C | grep -o 'CPUs=.*' | sed 's/ RealMemory=.*//') State=UNKNOWN
PartitionName=all Nodes=h[0-7] Default=YES MaxTime=INFINITE State=UP
END
on() { # HOST COMMAND…
  local host=$1; shift
  "$testbed" exec "$host" env SLURM_CONF="$work/slurm.conf" "$@"
}
# They end with the testbed, whose processes all are.
on h0 slurmctld -D -c > slurmctld.log 2>&1 &
for h in 0 1 2 3 4 5 6 7; do on h$h slurmd -D > "slurmd.$h.log" 2>&1 & done
idle() { [ "$(on h0 sinfo -h -t idle -o %D 2> /dev/null)" = 8 ]; }
if ! await idle; then
  tail -n 3 slurm*.log
  echo "FAILED: the nodes don't come up"
  exit 1
fi

# An allocation of whole nodes, as map_cpu wants it.
on h0 salloc -Q --exclusive -N 8 --no-shell > salloc.log 2>&1
job=$(on h0 squeue -h -o %A)
check "whole nodes are allocated" [ -n "$job" ]
srun() { on h0 timeout 60 srun --jobid "$job" "$@"; }

# ranks MAPPING FORMAT: turns the numbers of processes of a plain start into the ranks that the file
# gives them.
ranks() {
  case $2 in
    cray) grep -v '^#' "$1.$2.file" | tr , '\n' ;;
    split-key) cat "$1.$2.file" ;;
    permutation) awk '{ rank[$1] = NR - 1 } END { for (p = 0; p < NR; p++) print rank[p] }' \
      "$1.$2.file" ;;
  esac > keys
  awk 'NR == FNR { key[NR - 1] = $1; next } /^seen/ { $2 = key[$2]; print }' keys "$1.$2" > ranks
  mv ranks "$1.$2"
}

for mapping in good even uneven; do
  check "$mapping: slurm" start slurm $mapping
  for format in cray permutation split-key; do
    [ $mapping != good ] || [ $format = split-key ] || continue # all three by jobs of six
    if [ $mapping = uneven ]; then
      check "$mapping: $format is refused" eval "! start $format $mapping"
    else
      check "$mapping: $format" start $format $mapping
      ranks $mapping $format
    fi
  done
  mapfile -t columns < <(columns $mapping SLURM CRAY PERMUTATION SPLIT-KEY)
  check "$mapping: where ranks are" landing compare topology.json $mapping.json "${columns[@]}"
done
check "srun binds by one list" grep -q 'map_cpu:0,1 ./app$' good.slurm.line
check "the wrapper binds" grep -q 'cpu-bind=none sh uneven.slurm.file.pin ./app' uneven.slurm.line
finish
