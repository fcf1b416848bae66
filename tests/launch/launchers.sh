#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2034,SC2086,SC2154
# MPI programs started by what `berth write` gives, on this machine: each rank is on its CPU, also
# by the wrapper that binds, and MPI_Comm_split makes the mapping's ranks of the keys.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
landing() { python3 -B "$BERTH_SOURCE_DIR/tests/testbed/landing.py" "$@"; }
"$berth" topo discover -o t.json 2> /dev/null
mapfile -t places < <(landing places t.json)
[ "${#places[@]}" -ge 2 ] || { echo "skipped: it takes two cores"; exit 77; }
first=${places[0]} second=${places[1]}
landing mapping t.json swapped.json "$second" "$first"
landing mapping t.json shared.json "$second" "$first" "$second"
for mpi in $mpis; do compile $mpi "$BERTH_SOURCE_DIR/tests/launch/landed.c" landed.$mpi -Wall -Wextra; done
write() { # MAPPING FORMAT: writes it and prints the first of its commands
  "$berth" write --oversubscribe --mapping "$1.json" --topology t.json "$2=$1.$2.file" |
    sed -n '2s/^  //p'
}
mpirun() { mpirun.openmpi "$@"; }
mpiexec() { mpiexec.mpich -launcher fork "$@"; }

for mapping in swapped shared; do
  for format in rankfile seq hydra; do
    line=$(write $mapping $format)
    [ $format = hydra ] && mpi=mpich || mpi=openmpi
    echo "$mapping: $line"
    check "$mapping: $format" eval "> $mapping.$format ${line/.\/app/./landed.$mpi}"
  done
  pin=$(write $mapping pin)
  ranks=$(wc -l < $mapping.seq.file)
  for mpi in $mpis; do
    line=${pin/.\/app*/./landed.$mpi}
    [ $mpi = openmpi ] && start=(mpirun --bind-to none) || start=(mpiexec)
    # shellcheck disable=SC2086
    check "$mapping: pin under $mpi" eval '"${start[@]}" -n $ranks $line > $mapping.pin.$mpi'
  done
  check "$mapping: where ranks are" landing compare t.json $mapping.json \
    rankfile=$mapping.rankfile seq=$mapping.seq HYDRA=$mapping.hydra \
    PIN-1=$mapping.pin.openmpi PIN-2=$mapping.pin.mpich
done

# Keys: the job is started in plain order, rank p on the p-th of the CPUs.
landing mapping t.json plain.json "$first" "$second"
write swapped split-key > /dev/null
line=$(write plain rankfile)
check "split-key, Open MPI" eval "${line/.\/app/./landed.openmpi swapped.split-key.file} > 1.keys"
line=$(write plain hydra)
check "split-key, MPICH" eval "${line/.\/app/./landed.mpich swapped.split-key.file} > 2.keys"
check "where ranks are by keys" landing compare t.json swapped.json split-1=1.keys SPLIT-2=2.keys

# The wrapper refuses a job that isn't the mapping's.
pinned() { sh swapped.pin.file echo started; }
expect 2 "swapped.pin.file: found no rank in the environment" pinned
OMPI_COMM_WORLD_RANK=2 expect 2 "swapped.pin.file: found rank 2, expected a job of 2 ranks" pinned
sed "s/^$(hostname)/elsewhere/" swapped.pin.file > other.pin.file
other() { PMI_RANK=1 sh other.pin.file echo started; }
expect 2 "other.pin.file: found rank 1 on $(hostname), expected elsewhere" other
finish
