#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bench/trace_fortran.sh: Quantum ESPRESSO and CP2K, programs in Fortran with libraries in C, on 8
# ranks under Open MPI: traced, and under Open MPI's own monitoring. Says whether both count the same
# messages and bytes for each pair of ranks, and whether the results are those of a run without
# either. Needs a build and install-packages.sh bench.
#
# Monitoring takes what Open MPI's linear MPI_Alltoall and MPI_Alltoallv send for sends of the
# program, so both are set to the pairwise algorithm there.
set -eu
cd "$(dirname "$0")/.."
berth=$PWD/build/berth acp=$PWD/tests/trace/acp.py
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
export OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
for tool in ld1.x pw.x cp2k.psmp; do
  command -v "$tool" > /dev/null || { echo "trace_fortran.sh: $tool is missing" >&2; exit 4; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# compare NAME RESULT COMMAND…: RESULT is a pattern of the lines that are the result.
compare() {
  local name=$1 result=$2; shift 2
  mpirun.openmpi -np 8 "$@" > plain.out 2> plain.err
  mkdir "$name"
  mpirun.openmpi -np 8 --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_alltoall_algorithm 2 \
    --mca coll_tuned_alltoallv_algorithm 2 --mca pml_monitoring_enable 2 \
    --mca pml_monitoring_enable_output 3 --mca pml_monitoring_filename "$name/m" "$@" > monitored.out 2>&1
  "$berth" trace -o "$name.acp" -- mpirun.openmpi -np 8 "$@" > traced.out 2> traced.err
  python3 "$acp" monitoring "$name"/*.prof > want
  python3 "$acp" pairs "$name.acp" > got
  grep -E "$result" plain.out > results.plain
  grep -E "$result" traced.out > results.traced
  tail -1 traced.err
  awk -v name="$name" 'NR == FNR { theirs[$1, $2] = $0; n++; next }
    { ours++; same += theirs[$1, $2] == $0 }
    END { printf "%s: %d pairs of monitoring, %d of berth, %d the same in messages and bytes\n", name, n, ours, same }' \
    want got
  if cmp -s results.plain results.traced; then
    echo "$name: the result is that of the run without: $(tail -1 results.plain | tr -s ' ')"
  else
    echo "$name: the result is another: $(tail -1 results.traced) $(tail -1 results.plain)"
  fi
}

# silicon; its pseudopotential is made here
cat > ld1.in << 'LD1'
&input
  title='Si', zed=14.0, rel=0, config='[Ne] 3s2.0 3p2.0 3d-2.0', iswitch=3, dft='PZ'
/
&inputp
  pseudotype=1, lloc=2, tm=.true., file_pseudopw='Si.UPF'
/
3
3S 1 0 2.0 0.0 2.0 2.0
3P 2 1 2.0 0.0 2.0 2.0
3D 3 2 -2.0 0.15 2.1 2.1
LD1
ld1.x < ld1.in > ld1.out 2>&1
cat > silicon.in << 'PW'
&control
  calculation='scf', prefix='si', pseudo_dir='.', outdir='.'
/
&system
  ibrav=1, celldm(1)=10.2, nat=8, ntyp=1, ecutwfc=14.0
/
&electrons
  diagonalization='david', conv_thr=1e-6
/
ATOMIC_SPECIES
Si 28.086 Si.UPF
ATOMIC_POSITIONS alat
Si 0.0 0.0 0.0
Si 0.5 0.5 0.0
Si 0.5 0.0 0.5
Si 0.0 0.5 0.5
Si 0.25 0.25 0.25
Si 0.75 0.75 0.25
Si 0.75 0.25 0.75
Si 0.25 0.75 0.77
K_POINTS automatic
1 1 2 0 0 0
PW
compare espresso '^!' pw.x -nk 2 -ndiag 4 -in silicon.in

# water
cat > water.inp << 'CP2K'
&GLOBAL
  PROJECT water
  RUN_TYPE ENERGY
  PRINT_LEVEL LOW
&END GLOBAL
&FORCE_EVAL
  METHOD Quickstep
  &DFT
    BASIS_SET_FILE_NAME BASIS_MOLOPT
    POTENTIAL_FILE_NAME GTH_POTENTIALS
    &MGRID
      CUTOFF 120
    &END MGRID
    &SCF
      EPS_SCF 1.0E-4
      MAX_SCF 12
      SCF_GUESS ATOMIC
      &OT
        PRECONDITIONER FULL_SINGLE_INVERSE
      &END OT
    &END SCF
    &XC
      &XC_FUNCTIONAL PADE
      &END XC_FUNCTIONAL
    &END XC
  &END DFT
  &SUBSYS
    &CELL
      ABC 6.0 6.0 6.0
    &END CELL
    &COORD
      O 0.0 0.0 0.0
      H 0.76 0.58 0.0
      H -0.76 0.58 0.0
      O 3.0 3.0 3.0
      H 3.76 3.58 3.0
      H 2.24 3.58 3.0
      O 0.0 3.0 3.0
      H 0.76 3.58 3.0
      H -0.76 3.58 3.0
      O 3.0 0.0 0.0
      H 3.76 0.58 0.0
      H 2.24 0.58 0.0
    &END COORD
    &KIND H
      BASIS_SET DZVP-MOLOPT-SR-GTH
      POTENTIAL GTH-PADE-q1
    &END KIND
    &KIND O
      BASIS_SET DZVP-MOLOPT-SR-GTH
      POTENTIAL GTH-PADE-q6
    &END KIND
  &END SUBSYS
&END FORCE_EVAL
CP2K
compare cp2k 'ENERGY\|' cp2k.psmp -i water.inp
