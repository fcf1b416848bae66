#!/usr/bin/env bash
# `berth doctor --performance` finds what was planted: settings of the system in a mount namespace of
# their own, a filter of system calls, busy programs, and jobs of both MPIs with more ranks than cores.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
unshare -m true 2> /dev/null || { echo "skipped: mount namespaces need root"; exit 77; }

# looked NAME STATE TEXT FILE: the finding NAME has that state, and its text has TEXT.
looked() {
  local found
  found=$(python3 -c 'import json, sys
f = {i["what"]: i for i in json.load(open(sys.argv[1]))["findings"]}[sys.argv[2]]
print(f["state"] + ": " + f["text"])' "$4" "$1")
  check "$1: found '$found', expected $2 with '$3'" [ -z "${found##"$2": *"$3"*}" ]
}
doctor() { "$berth" doctor --performance --json > found.json; }
# planted COMMANDS: looks in a mount namespace after these commands.
planted() {
  unshare -m bash -c "set -e; $1; exec '$berth' doctor --performance --json" > found.json
}
over() { echo "mount --bind $PWD/$1 $2"; }

# 1. The governor. 2. NUMA balancing, which matters with several nodes. 3. Huge pages. 7. Memory of
# some nodes. All settings together, in three states.
cpus=$(getconf _NPROCESSORS_CONF)
last=$((cpus - 1))
for state in slow fast; do
  mkdir $state
  for file in online possible present; do cat /sys/devices/system/cpu/$file > $state/$file; done
  for ((i = 0; i < cpus; i++)); do
    mkdir -p $state/cpu$i/cpufreq && echo performance > $state/cpu$i/cpufreq/scaling_governor
  done
done
echo powersave > slow/cpu$last/cpufreq/scaling_governor
echo 0 > zero; echo 1 > one; echo 0-9 > ten
echo "always madvise [never]" > never; echo "[always] madvise never" > always
echo "[always] defer defer+madvise madvise never" > defrag
echo "always defer defer+madvise [madvise] never" > calm
system=/sys/devices/system balancing=/proc/sys/kernel/numa_balancing huge=/sys/kernel/mm/transparent_hugepage
for file in $system/node/has_memory $balancing $huge/enabled; do
  [ -e $file ] || { echo "skipped: this kernel has no $file"; exit 77; }
done

planted "$(over slow $system/cpu); $(over ten $system/node/has_memory); $(over one $balancing)
  $(over never $huge/enabled)"
is "the exit code" $? 1
looked "frequency governor" slow "powersave on 1 of $cpus PUs, PU $last first" found.json
looked "NUMA balancing" slow "on, with 10 NUMA nodes" found.json
looked "huge pages" slow "pages of 4 KiB" found.json
looked memory slow "of 10 NUMA nodes (" found.json

planted "$(over fast $system/cpu); $(over ten $system/node/has_memory); $(over zero $balancing)
  $(over always $huge/enabled); $(over defrag $huge/defrag)"
looked "frequency governor" ok "performance on all $cpus PUs" found.json
looked "NUMA balancing" ok "off" found.json
looked "huge pages" slow "always, with defrag always" found.json

planted "$(over zero $system/node/has_memory); $(over one $balancing); $(over always $huge/enabled)
  $(over calm $huge/defrag)"
looked "NUMA balancing" ok "one NUMA node" found.json
looked "huge pages" ok "always, defrag madvise" found.json
looked memory ok "the machine's only NUMA node" found.json

# 4. Copies between processes.
call=$(printf '#include <sys/syscall.h>\nSYS_process_vm_readv\n' | gcc -E - | tail -1)
if "$berth" doctor --performance --json | grep -q 'processes may copy'; then
  python3 "$BERTH_SOURCE_DIR/tests/calib/filter.py" "$call" "$berth" doctor --performance --json > found.json
  looked "copies between processes" slow "Operation not permitted" found.json
fi

# 5. More threads than cores; a quota. 8. A program that takes a part of a core.
pids=()
for ((i = 0; i < 3 * cpus; i++)); do
  bash -c 'while :; do :; done' & pids+=($!)
done
doctor
kill "${pids[@]}"; wait "${pids[@]}" 2> /dev/null
looked "busy cores" slow "threads for" found.json
mkdir group; echo "50000 100000" > group/cpu.max
planted "$(over group /sys/fs/cgroup)"
looked "busy cores" slow "a cgroup allows 0.5 cores" found.json
cat > backupd << 'END'
#!/usr/bin/python3
import time
while True:
    end = time.monotonic() + 0.03
    while time.monotonic() < end:
        pass
    time.sleep(0.03)
END
chmod +x backupd; ./backupd & daemon=$!
sleep 0.5; doctor
looked "other programs" slow "backupd (pid $daemon) takes" found.json
kill $daemon; wait $daemon 2> /dev/null

# 6. MPI jobs with more ranks than cores: one that polls, one that yields.
ranks=$((2 * $(nproc)))
unset OMPI_MCA_mpi_yield_when_idle
for mpi in $mpis; do
  [ "$mpi" = openmpi ] && start="mpirun.openmpi -H localhost:$ranks" || start=mpiexec.mpich
  compiler=mpicc.$mpi
  $compiler "$BERTH_SOURCE_DIR/tests/calib/spinning.c" -o spinning-$mpi
  mkfifo hold-$mpi
  $start -np $ranks ./spinning-$mpi < hold-$mpi & job=$!
  exec 7> hold-$mpi
  await pgrep -f "spinning-$mpi" > /dev/null; sleep 1
  doctor
  looked "polling ranks" slow "a job with $ranks ranks runs on" found.json
  exec 7>&-; wait $job
done
if [[ " $mpis " = *" openmpi "* ]]; then
  mkfifo hold
  mpirun.openmpi -H localhost:$ranks --mca mpi_yield_when_idle 1 -np $ranks ./spinning-openmpi < hold & job=$!
  exec 7> hold
  await pgrep -f spinning-openmpi > /dev/null; sleep 1
  doctor
  looked "polling ranks" ok "no job has more ranks than cores" found.json
  exec 7>&-; wait $job
fi

# As text, with a heading for each.
"$berth" doctor --performance > out
is "lines" "$(grep -cE '^(ok|slow|unknown) ' out)" 8
finish
