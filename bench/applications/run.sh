#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bench/applications/run.sh [RANKS…]: real applications from Debian under so many ranks each (default
# 8 and 16) of Open MPI: untraced, under `berth trace`, and under Open MPI's own monitoring. Writes a
# table: whether what the application computes is unchanged, and whether messages and bytes of each
# pair of ranks are those that monitoring counts. Those that aren't installed are left out
# (./install-packages.sh bench). Exit code 1 where a result changed or a number isn't as it must be.
# ONLY="NAME…" in the environment runs these alone (LAMMPS, GROMACS, QE, CP2K, OpenFOAM, PETSc,
# FFTW).
# KEEP=FOLDER keeps the traces there, for coverage.py.
set -u
cd "$(dirname "$0")/../.." || exit 4
root=$PWD here=$PWD/bench/applications berth=$PWD/build/berth
[ -x "$berth" ] || { echo "run.sh: build/berth is missing; build first" >&2; exit 4; }
[ $# -gt 0 ] || set -- 8 16
work=$(mktemp -d)
[ -z "${KEEP-}" ] || KEEP=$(realpath "$KEEP") || exit 4
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 4
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader OMPI_MCA_mpi_yield_when_idle=1
export OMP_NUM_THREADS=1 WM_PROJECT_DIR=/usr/share/openfoam GMX_MAXBACKUP=-1
acp() { python3 "$root/tests/trace/acp.py" "$@"; }
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

# compare BERTH COUNTED: cells of the table
compare() {
  python3 - "$@" << 'PYTHON'
import sys
def read(path):
    return {tuple(w[:2]): (int(w[2]), int(w[3])) for w in map(str.split, open(path))}
ours, theirs = read(sys.argv[1]), read(sys.argv[2])
pairs = set(ours) | set(theirs)
zero = (0, 0)
equal = sum(ours.get(p, zero) == theirs.get(p, zero) for p in pairs)
total = lambda t, k: sum(v[k] for v in t.values())
print(f"{total(ours, 0)} | {total(ours, 1)} | {total(theirs, 0)} | {total(theirs, 1)} | "
      f"{equal} of {len(pairs)}")
sys.exit(equal != len(pairs) or not pairs)
PYTHON
}

# with_persistent FILE PAIRS: the pairs, and beside them the persistent sends that the application
# itself says it made (poisson.c), which monitoring doesn't see
with_persistent() {
  awk '$1 == "persistent" { m[$2 " " $3] += $4; b[$2 " " $3] += $5 }
    FILENAME != ARGV[1] { m[$1 " " $2] += $3; b[$1 " " $2] += $4 }
    END { for (pair in m) print pair, m[pair], b[pair] }' "$1" "$2"
}

# row NAME RANKS SAME FOLDER: of the table; what the runs said where something is wrong
row() {
  local cells
  cells=$(compare ours theirs) || code=1
  echo "| $1 | $2 | $3 ($(wc -l < plain.results) lines) | $cells |"
  [ "$3" = yes ] || { code=1; tail -n 20 "$4".*.err >&2; }
  grep -h '^berth trace:' "$4.traced.err" | grep -v ' call sites' >&2
  [ -z "${KEEP-}" ] || cp "$4.acp.zst" "$KEEP/$1-$2.acp.zst"
  true
}

# application NAME RANKS LINES COMMAND…: LINES is a pattern of what doesn't depend on time. After
# each run `files` puts out what is to be compared besides what was printed.
files() { :; }
application() {
  local name=$1 n=$2 lines=$3 dir=$1-$2 same=yes how; shift 3
  mkdir -p "$dir.monitoring"
  run "$dir.plain" "$n" -- "$@" || same="no: it failed untraced"
  files >> "$dir.plain.out"
  "$berth" trace -o "$dir.acp.zst" -- mpirun.openmpi -np "$n" "$@" > "$dir.traced.out" \
    2> "$dir.traced.err" || same="no: it failed traced"
  files >> "$dir.traced.out"
  run "$dir.monitored" "$n" "${monitoring[@]}" --mca pml_monitoring_filename "$PWD/$dir.monitoring/m" \
    -- "$@" || same="no: it failed monitored"
  files >> "$dir.monitored.out"
  for how in plain traced monitored; do grep -E "$lines" "$dir.$how.out" > "$how.results"; done
  [ -s plain.results ] || same="no: it printed nothing to compare"
  cmp -s plain.results traced.results || same="no: it printed something else"
  cmp -s plain.results monitored.results || same="no: monitored it printed something else"
  acp pairs "$dir.acp.zst" > ours
  acp monitoring "$dir.monitoring"/*.prof > monitored
  with_persistent "$dir.monitored.out" monitored > theirs
  row "$name" "$n" "$same" "$dir"
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

# made WORDS…: makes an input or a program by prepare.sh
made() {
  "$here/prepare.sh" "$@"
  local rc=$?
  [ $rc -ne 1 ] || code=1
  return $rc
}

# gromacs NAME RANKS PME: so many of the ranks do nothing but PME. What it computes are energies in
# its log, and binary files of energies and of positions.
gromacs() {
  files() { cat md.log; cksum ener.edr confout.gro; rm -f md.log ener.edr confout.gro state.cpt; }
  application "$1" "$2" '^( +-?[0-9.]+e[+-][0-9]+)+$|^[0-9]+ [0-9]+ (ener|confout)' \
    gmx_mpi mdrun -s water.tpr -nsteps 20 -ntomp 1 -reprod -dlb no -notunepme -npme "$3"
  files() { :; }
}

# petsc_by TYPE NAME RANKS: PETSc's exchange by neighbourhood collectives, under which monitoring
# crashes, or by MPI_Get from the one that would send. For each pair they must be what the persistent
# sends are. To be called behind PETSc's own run, with whose results these are compared.
petsc_by() {
  local name=$2 n=$3 same=yes
  "$berth" trace -o by.acp.zst -- mpirun.openmpi -np "$n" ./poisson -sf_type "$1" > by.traced.out \
    2> by.traced.err || same="no: it failed traced"
  grep -E '^iterations|^persistent' by.traced.out > traced.results
  cmp -s plain.results traced.results || same="no: it printed something else"
  if [ "$1" = window ]; then
    acp lines by.acp.zst | awk '$1 == "rma" { m[$6 " " $2] += $8; b[$6 " " $2] += $7 * $8 }
      END { for (pair in m) print pair, m[pair], b[pair] }' > ours
    with_persistent by.traced.out /dev/null > theirs
  else
    acp pairs by.acp.zst > ours
    with_persistent by.traced.out monitored > theirs
  fi
  row "$name" "$n" "$same" by
}

# has NAME COMMAND: whether the application is asked for and there; says so when it isn't there
has() {
  case " ${ONLY:-$1} " in *" $1 "*) ;; *) return 1 ;; esac
  command -v "$2" > /dev/null || { echo "run.sh: $2 isn't installed: left out" >&2; false; }
}

cp "$here/h2.in" "$here/h.gth" "$here/water.inp" .
echo "| application | ranks | results unchanged | messages | bytes | counted otherwise: messages | bytes | pairs equal |"
echo "|---|---|---|---|---|---|---|---|"
for n in "$@"; do
  if has LAMMPS lmp; then
    application LAMMPS "$n" '^ *[0-9]+ +[-0-9.]+ +[-0-9.]+ |^Nlocal|^Nghost|^Neighs|builds' \
      lmp -in "$root/tests/trace/melt.in" -log none
  fi
  if has GROMACS gmx_mpi && { [ -e water.tpr ] || made water; }; then
    gromacs GROMACS "$n" 0
    gromacs "GROMACS with PME ranks" "$n" $((n / 4))
  fi
  if has QE pw.x; then
    application "Quantum ESPRESSO" "$n" 'total energy  |Fermi energy|estimated scf|contribution' \
      pw.x -nk 2 -in h2.in
  fi
  if has CP2K cp2k.psmp; then
    application CP2K "$n" 'Total energy|energy:|ENERGY\|' cp2k.psmp -i water.inp
  fi
  if has OpenFOAM icoFoam && made cavity "$n"; then
    application OpenFOAM "$n" 'Solving for|continuity errors|Courant' \
      icoFoam -parallel -case "$PWD/cavity-$n"
  fi
  if has PETSc pkg-config && made poisson; then
    application PETSc "$n" '^iterations|^persistent' ./poisson && check_petsc "$n"
    petsc_by neighbor "PETSc, neighbourhood collectives" "$n"
    petsc_by window "PETSc, one-sided" "$n"
  fi
  if has FFTW pkg-config && made fft; then
    application FFTW "$n" '^off by' ./fft
  fi
done
exit $code
