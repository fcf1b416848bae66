#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bench/trace_size.sh [RANKS…]: how large the traces are that jobs write themselves, and what
# MPI_Finalize takes to write them. Without numbers: LAMMPS (tests/mpi/melt.in) at 16 ranks, three
# runs, with bytes by distinct (pair, size, phase, site). With numbers: a ring (finalize.c) of so
# many processes of each MPI in MPIS (default openmpi and mpich), with the seconds of MPI_Finalize
# with and without the tracer, and the most memory of a process. BERTH_BUILD names another build folder.
set -u
cd "$(dirname "$0")/.." || exit 4
root=$PWD lib=${BERTH_BUILD:-$PWD/build}/lib/berth
[ -f "$lib/openmpi/libberth-trace.so" ] || { echo "trace_size.sh: build first" >&2; exit 4; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 4
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 BERTH_TRACE_SPOOL=$work/spool
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_osc=^rdma

# size FILE: bytes, entries, frames
size() {
  python3 - "$1" << 'PYTHON'
import json, subprocess, sys
path = sys.argv[1]
text = subprocess.run(["zstd", "-dcq", path], check=True, stdout=subprocess.PIPE).stdout.decode()
frames = subprocess.run(["zstd", "-lv", path], stdout=subprocess.PIPE,
                        stderr=subprocess.DEVNULL).stdout.decode()
entries = sum(len(r["msgs"]) for r in map(json.loads, text.splitlines()) if r.get("kind") == "p2p")
size = len(open(path, "rb").read())
frames = [l.split(":")[1].strip() for l in frames.splitlines() if "Frames" in l][0]
print(f"{size} bytes, {frames} frames, {entries} entries, {size / entries:.2f} bytes an entry")
PYTHON
}

lammps() {
  command -v lmp > /dev/null || { echo "LAMMPS is missing (./install-packages.sh bench)"; return; }
  for i in 1 2 3; do
    mpirun.openmpi -np 16 env LD_PRELOAD="$lib/openmpi/libberth-trace.so" BERTH_TRACE_TIMES=0 \
      BERTH_TRACE_FILE="$work/lammps$i.acp.zst" lmp -in "$root/tests/mpi/melt.in" -log none > /dev/null
    echo "LAMMPS, 16 ranks: $(size "lammps$i.acp.zst")"
  done
  cmp lammps1.acp.zst lammps2.acp.zst && cmp lammps1.acp.zst lammps3.acp.zst &&
    echo "LAMMPS: three runs, the same bytes"
}

# ring MPI N NAME [VARIABLE=VALUE…]
ring() {
  local mpi=$1 n=$2 launcher; shift 2
  case $mpi in
    openmpi) launcher=(mpirun.openmpi -np "$n") ;;
    mpich) launcher=(mpiexec.mpich -n "$n") ;;
  esac
  # Open MPI's launcher may take hundreds of processes that ended on a busy machine for lost ones, so
  # what counts is that they came to their end.
  "${launcher[@]}" env "$@" "./ring.$mpi" > out 2>&1
  sed -n 's/^finalize //p' out | grep . || { tail -3 out; echo "$mpi, $n: failed"; return 1; }
}

[ $# -gt 0 ] || { lammps; exit; }
for mpi in ${MPIS:-openmpi mpich}; do
  "mpicc.$mpi" -O1 -o "ring.$mpi" "$root/bench/finalize.c" || exit 4
  for n in "$@"; do
    plain=$(ring "$mpi" "$n" A=) || { echo "$plain"; continue; }
    traced=$(ring "$mpi" "$n" LD_PRELOAD="$lib/$mpi/libberth-trace.so" \
      BERTH_TRACE_FILE="$work/ring.acp.zst") || { echo "$traced"; continue; }
    echo "$mpi, $n processes: MPI_Finalize ${plain% *} s untraced, ${traced% *} s traced;" \
      "most memory of a process ${plain#* } and ${traced#* } MiB; $(size ring.acp.zst)"
    rm -f ring.acp.zst
  done
done
