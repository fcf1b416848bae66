#!/usr/bin/env bash
# Real applications: messages and bytes of every pair of ranks are those that Open MPI's own
# monitoring counts, and what the application computes is unchanged.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
command -v lmp > /dev/null || { echo "skipped: lmp (LAMMPS) is missing"; exit 77; }
command -v NPopenmpi > /dev/null || { echo "skipped: NPopenmpi (NetPIPE) is missing"; exit 77; }

# monitored N FOLDER COMMAND…
monitored() {
  local n=$1 dir=$2; shift 2
  mkdir "$dir"
  mpirun.openmpi -np "$n" --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 \
    --mca pml_monitoring_filename "$dir/m" "$@"
}

lmp=(lmp -in "$here/melt.in" -log none)
# what a run prints, without times
thermo() { grep -E '^ *[0-9]+ +[-0-9.]+ +[-0-9.]+ |^Nlocal|^Nghost|^Neighs|neighbors|builds' "$1"; }
launch openmpi 16 "${lmp[@]}" > plain.out
monitored 16 lammps "${lmp[@]}" > /dev/null
traced openmpi 16 lammps.acp.zst "${lmp[@]}" > traced.out
check "LAMMPS ends well" [ $? -eq 0 ]
thermo plain.out > want; thermo traced.out > got
check "LAMMPS prints enough to compare" [ "$(wc -l < want)" -ge 10 ]
check "LAMMPS computes the same" same want got
acp monitoring lammps/*.prof > want
acp pairs lammps.acp.zst > got
check "LAMMPS: pairs" [ "$(wc -l < want)" -eq 64 ]
check "LAMMPS: messages and bytes of each" same want got
echo "LAMMPS: $(tail -1 err)"

# -n sets the repeats, which would otherwise depend on time
pipe=(NPopenmpi -n 3 -u 4096 -o np.out)
monitored 2 netpipe "${pipe[@]}" > /dev/null 2>&1
traced openmpi 2 netpipe.acp "${pipe[@]}" > /dev/null
check "NetPIPE ends well" [ $? -eq 0 ]
acp monitoring netpipe/*.prof > want
acp pairs netpipe.acp > got
check "NetPIPE: both directions" [ "$(wc -l < want)" -eq 2 ]
check "NetPIPE: messages and bytes of each" same want got
echo "NetPIPE: $(tail -1 err)"
finish
