#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bench/trace_size.sh [[rows] RANKS…]: how large the traces are that jobs write themselves, and what
# MPI_Finalize takes to write them. Without numbers: LAMMPS (tests/trace/melt.in) at 16 ranks, three
# runs, with bytes by distinct (pair, size, phase, site). With numbers: a ring (finalize.c) of so
# many processes of each MPI in MPIS (default openmpi and mpich), with the seconds of MPI_Finalize
# with and without the tracer, and the most memory of a process. With `rows` and numbers: so many
# processes of which each sends each another number of bytes at a thousand call sites (rows.c), with
# what MPI_Finalize added to the memory of rank 0 and of others. BERTH_BUILD names another build
# folder.
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
      BERTH_TRACE_FILE="$work/lammps$i.acp.zst" lmp -in "$root/tests/trace/melt.in" -log none > /dev/null
    echo "LAMMPS, 16 ranks: $(size "lammps$i.acp.zst")"
  done
  cmp lammps1.acp.zst lammps2.acp.zst && cmp lammps1.acp.zst lammps3.acp.zst &&
    echo "LAMMPS: three runs, the same bytes"
}

# start MPI N PROGRAM [VARIABLE=VALUE…]: its output in `out`. Open MPI's launcher may take hundreds of
# processes that ended on a busy machine for lost ones, so what counts is that they came to their end.
start() {
  local mpi=$1 n=$2 program=$3 launcher; shift 3
  case $mpi in
    openmpi) launcher=(mpirun.openmpi -np "$n") ;;
    mpich) launcher=(mpiexec.mpich -n "$n") ;;
  esac
  "${launcher[@]}" env "$@" "./$program.$mpi" > out 2>&1
}

# ring MPI N [VARIABLE=VALUE…]
ring() {
  local mpi=$1 n=$2; shift 2
  start "$mpi" "$n" ring "$@"
  sed -n 's/^finalize //p' out | grep . || { tail -3 out; echo "$mpi, $n: failed"; return 1; }
}

# rows MPI N
rows() {
  start "$1" "$2" rows LD_PRELOAD="$lib/$1/libberth-trace.so" BERTH_TRACE_PHASES=off \
    BERTH_TRACE_MEMORY=$((32 * $2 * 1000 * 8 + (8 << 20))) BERTH_TRACE_FILE="$work/rows.acp.zst"
  [ "$(grep -c ^rows out)" -eq "$2" ] || { tail -3 out; echo "$1, $2: failed"; return 1; }
  echo "$1, $2 processes, 1000 call sites: MPI_Finalize" \
    "$(awk '$1 == "rows" && $2 == 0 { print $3 " s; most memory of rank 0 " $4 " and then " $4 + $5 }' out)" \
    "MiB, added elsewhere $(awk '$1 == "rows" && $2 > 0 { print $5 }' out | sort -n | sed -n '1p;$p' |
      paste -sd' ' | sed 's/ / to /') MiB; $(stat -c %s rows.acp.zst) bytes," \
    "$(zstd -dcq rows.acp.zst | grep -c '"kind":"row"') rows of $(($2 * 1000))"
  rm -f rows.acp.zst
}

[ $# -gt 0 ] || { lammps; exit; }
what=finalize
[ "$1" != rows ] || { what=rows; shift; }
for mpi in ${MPIS:-openmpi mpich}; do
  "mpicc.$mpi" -O1 -o "${what/finalize/ring}.$mpi" "$root/bench/$what.c" || exit 4
  for n in "$@"; do
    [ $what = finalize ] || { rows "$mpi" "$n"; continue; }
    plain=$(ring "$mpi" "$n" A=) || { echo "$plain"; continue; }
    traced=$(ring "$mpi" "$n" LD_PRELOAD="$lib/$mpi/libberth-trace.so" \
      BERTH_TRACE_FILE="$work/ring.acp.zst") || { echo "$traced"; continue; }
    echo "$mpi, $n processes: MPI_Finalize ${plain% *} s untraced, ${traced% *} s traced;" \
      "most memory of a process ${plain#* } and ${traced#* } MiB; $(size ring.acp.zst)"
    rm -f ring.acp.zst
  done
done
