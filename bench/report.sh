#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bench/report.sh [LOADS]: what `berth report` takes, how large its pages are, and how soon and how
# smoothly a real Chromium shows them (medians of 7 loads): of a recorded LAMMPS run of 16 ranks on
# the testbed, and of a 4,096-rank stencil. Pages, pictures and screenshots go to build/bench/report.
# Needs a build, lammps, chromium, chromium-driver and python3-selenium.
set -eu
cd "$(dirname "$0")/.."
[ $# -le 1 ] || { echo "usage: bench/report.sh [LOADS]" >&2; exit 2; }
root=$PWD berth=$PWD/build/berth here=$PWD/tests/report out=$PWD/build/bench/report
[ -x "$berth" ] || { echo "bench/report.sh: build/berth is missing; build first" >&2; exit 4; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/lib.sh"
mkdir -p "$out"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1
cd "$work"

cp "$root/tests/trace/melt.in" "$root/testbed/topology.json" .
"$berth" trace -o lammps.acp -- mpirun.openmpi -np 16 lmp -in melt.in -log none > log 2>&1
for algorithm in round-robin refine; do
  "$berth" map --pattern lammps.acp --topology topology.json --algorithm $algorithm \
    --mapping $algorithm.json >> log
done
"$root/examples/stencil/generate.sh" pattern 16 16 16 > stencil.acp
"$root/examples/stencil/generate.sh" topology 16:16:16 > cluster.json
"$berth" map --pattern stencil.acp --topology cluster.json --quality fast --mapping stencil.json >> log

measure() { # NAME ARGUMENT…: the program alone, the median of five runs
  local name=$1 begin times=(); shift
  for _ in 1 2 3 4 5; do
    begin=$(date +%s%N)
    "$berth" report -o "$out/$name.html" --svg "$out/$name" "$@" >> log
    times+=("$((($(date +%s%N) - begin) / 1000000))")
  done
  printf '%-8s berth report: %s ms; page: %s kB, compressed %s kB\n' "$name" \
    "$(printf '%s\n' "${times[@]}" | sort -n | sed -n 3p)" \
    "$(($(wc -c < "$out/$name.html") / 1000))" "$(($(gzip -c "$out/$name.html" | wc -c) / 1000))"
}
measure lammps --pattern lammps.acp --topology topology.json --against round-robin.json refine.json
measure stencil --pattern stencil.acp --topology cluster.json stencil.json
in_browser speed.py "${1:-7}" "$out" lammps stencil
