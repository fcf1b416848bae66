#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bench/applications/run.sh [RANKS…]: real applications from Debian under so many ranks each (default
# 8 and 16) of Open MPI: untraced, under `berth trace`, and under Open MPI's own monitoring. Writes a
# table: whether what the application computes is unchanged, and whether messages and bytes of each
# pair of ranks are those that monitoring counts. Those that aren't installed are left out
# (./install-packages.sh bench). Exit code 1 where a result changed or a number isn't as it must be.
set -u
cd "$(dirname "$0")/../.." || exit 4
root=$PWD here=$PWD/bench/applications berth=$PWD/build/berth
[ -x "$berth" ] || { echo "run.sh: build/berth is missing; build first" >&2; exit 4; }
[ $# -gt 0 ] || set -- 8 16
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 4
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader OMPI_MCA_mpi_yield_when_idle=1
export OMP_NUM_THREADS=1 WM_PROJECT_DIR=/usr/share/openfoam
acp() { python3 "$root/tests/mpi/acp.py" "$@"; }
code=0

# Open MPI's linear MPI_Alltoall and MPI_Alltoallv are made of persistent sends of its own, which
# monitoring takes for the application's; the pairwise ones aren't.
monitoring=(--mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3
  --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_alltoall_algorithm 2
  --mca coll_tuned_alltoallv_algorithm 2)

# run FOLDER N OPTION… -- COMMAND…: what it prints is in FOLDER.out
run() {
  local name=$1 n=$2 options=(); shift 2
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  mpirun.openmpi -np "$n" "${options[@]}" "$@" > "$name.out" 2> "$name.err"
}

# compare BERTH MONITORING PERSISTENT: cells of the table. Where an application uses persistent
# sends, which monitoring doesn't see, berth's numbers must be at least monitoring's.
compare() {
  python3 - "$@" << 'PYTHON'
import sys
def read(path):
    return {tuple(w[:2]): (int(w[2]), int(w[3])) for w in map(str.split, open(path))}
ours, theirs = read(sys.argv[1]), read(sys.argv[2])
pairs = set(ours) | set(theirs)
zero = (0, 0)
equal = sum(ours.get(p, zero) == theirs.get(p, zero) for p in pairs)
below = sum(a < b for p in pairs for a, b in zip(ours.get(p, zero), theirs.get(p, zero)))
total = lambda t, k: sum(v[k] for v in t.values())
print(f"{total(ours, 0)} | {total(ours, 1)} | {total(theirs, 0)} | {total(theirs, 1)} | "
      f"{equal} of {len(pairs)}")
sys.exit(below > 0 if sys.argv[3] == "yes" else equal != len(pairs))
PYTHON
}

# application NAME RANKS PERSISTENT LINES COMMAND…: LINES is a pattern of what doesn't depend on time
application() {
  local name=$1 n=$2 persistent=$3 lines=$4 dir=$1-$2 same=yes; shift 4
  mkdir -p "$dir.monitoring"
  run "$dir.plain" "$n" -- "$@" || same="no: it failed untraced"
  "$berth" trace -o "$dir.acp.zst" -- mpirun.openmpi -np "$n" "$@" > "$dir.traced.out" \
    2> "$dir.traced.err" || same="no: it failed traced"
  run "$dir.monitored" "$n" "${monitoring[@]}" --mca pml_monitoring_filename "$PWD/$dir.monitoring/m" \
    -- "$@" || same="no: it failed monitored"
  grep -E "$lines" "$dir.plain.out" > want
  grep -E "$lines" "$dir.traced.out" > got
  [ -s want ] || same="no: it printed nothing to compare"
  cmp -s want got || same="no: it printed something else"
  acp pairs "$dir.acp.zst" > ours
  acp monitoring "$dir.monitoring"/*.prof > theirs
  local cells
  cells=$(compare ours theirs "$persistent") || code=1
  echo "| $name | $n | $same ($(wc -l < want) lines) | $cells |"
  [ "$same" = yes ] || { code=1; tail -n 5 "$dir".*.err >&2; }
  grep -hE 'not in (it|the trace)|no room|left out' "$dir.traced.err" >&2
  true
}

# check_petsc RANKS: PETSc counts its messages itself, to four digits: the last column of -log_view,
# in a run of its own, as that sends a few more.
check_petsc() {
  local found expected
  run log "$1" -- ./poisson -log_view
  found=$(awk '{ m += $3; b += $4 } END { printf "%.3e %.3e", m, b }' ours)
  expected=$(awk '/^MPI Msg Count:/ { m = $NF } /^MPI Msg Len/ { b = $NF } END { print m, b }' \
    log.out)
  [ "$found" = "$expected" ] && return
  echo "run.sh: PETSc, $1 ranks: found $found messages and bytes, expected $expected as -log_view says" >&2
  code=1
}

# has COMMAND: says so on standard error when there is no such application
has() { command -v "$1" > /dev/null || { echo "run.sh: $1 isn't installed: left out" >&2; false; }; }

# cavity RANKS: a case of OpenFOAM's, divided for so many ranks
cavity() {
  local from=/usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity
  [ -d $from ] || { echo "run.sh: openfoam-examples isn't installed: left out" >&2; return 1; }
  cp -r $from "cavity-$1" && gunzip -qrf "cavity-$1"
  cat > "cavity-$1/system/decomposeParDict" << DICTIONARY
FoamFile { version 2.0; format ascii; class dictionary; object decomposeParDict; }
numberOfSubdomains $1;
method simple;
simpleCoeffs { n ($(($1 / 2)) 2 1); delta 0.001; }
DICTIONARY
  (cd "cavity-$1" && blockMesh && decomposePar) > foam.log 2>&1 && return
  tail -n 5 foam.log >&2
  code=1
  return 1
}

cp "$here/h2.in" "$here/h.gth" "$here/water.inp" .
echo "| application | ranks | results unchanged | messages | bytes | monitoring: messages | bytes | pairs equal |"
echo "|---|---|---|---|---|---|---|---|"
for n in "$@"; do
  if has lmp; then
    application LAMMPS "$n" no '^ *[0-9]+ +[-0-9.]+ +[-0-9.]+ |^Nlocal|^Nghost|^Neighs|builds' \
      lmp -in "$root/tests/mpi/melt.in" -log none
  fi
  if has pw.x; then
    application "Quantum ESPRESSO" "$n" no 'total energy  |Fermi energy|estimated scf|contribution' \
      pw.x -nk 2 -in h2.in
  fi
  if has cp2k.psmp; then
    application CP2K "$n" no 'Total energy|energy:|ENERGY\|' cp2k.psmp -i water.inp
  fi
  if has icoFoam && cavity "$n"; then
    application OpenFOAM "$n" no 'Solving for|continuity errors|Courant' \
      icoFoam -parallel -case "$PWD/cavity-$n"
  fi
  if pkg-config --exists PETSc 2> /dev/null; then
    # shellcheck disable=SC2046
    mpicc.openmpi -O1 -o poisson "$here/poisson.c" $(pkg-config --cflags --libs PETSc) &&
      application PETSc "$n" yes '^iterations' ./poisson && check_petsc "$n"
  else
    echo "run.sh: petsc-dev isn't installed: left out" >&2
  fi
done
exit $code
