#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# prepare.sh water | cavity RANKS | poisson | fft: makes here what an application needs:
#   water    water.tpr, an input of GROMACS: 884 molecules of water in a box, all of GROMACS's own files
#   cavity   cavity-RANKS, a case of OpenFOAM's, divided for so many ranks
#   poisson  a program that uses PETSc
#   fft      a program that uses FFTW
# Exit code: 1 it failed, 2 the application isn't installed.
set -u
here=$(cd "$(dirname "$0")" && pwd)

absent() { echo "prepare.sh: $1 isn't installed: left out" >&2; exit 2; }
failed() { tail -n 5 "$1" >&2; exit 1; }

water() {
  command -v gmx > /dev/null || absent gromacs
  printf '%s\n' '#include "oplsaa.ff/forcefield.itp"' '#include "oplsaa.ff/spce.itp"' '[ system ]' \
    water '[ molecules ]' > water.top
  printf '%s\n' 'integrator = md' 'dt = 0.001' 'nstlist = 10' 'nstenergy = 10' 'nstlog = 10' \
    'nstcalcenergy = 10' 'coulombtype = PME' 'rcoulomb = 0.8' 'rvdw = 0.8' 'gen-vel = yes' \
    'gen-seed = 1' > water.mdp
  export GMX_MAXBACKUP=-1
  { gmx solvate -cs spc216.gro -box 3 -o water.gro -p water.top &&
    gmx grompp -f water.mdp -c water.gro -p water.top -o water.tpr; } > gromacs.log 2>&1 ||
    failed gromacs.log
}

cavity() {
  local from=/usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity
  [ -d $from ] || absent openfoam-examples
  export WM_PROJECT_DIR=/usr/share/openfoam
  cp -r $from "cavity-$1" && gunzip -qrf "cavity-$1"
  cat > "cavity-$1/system/decomposeParDict" << DICTIONARY
FoamFile { version 2.0; format ascii; class dictionary; object decomposeParDict; }
numberOfSubdomains $1;
method simple;
simpleCoeffs { n ($(($1 / 2)) 2 1); delta 0.001; }
DICTIONARY
  sed -i 's/^endTime .*/endTime 0.1;/' "cavity-$1/system/controlDict"
  (cd "cavity-$1" && blockMesh && decomposePar) > foam.log 2>&1 || failed foam.log
}

poisson() {
  pkg-config --exists PETSc 2> /dev/null || absent petsc-dev
  # shellcheck disable=SC2046
  mpicc.openmpi -O1 -o poisson "$here/poisson.c" $(pkg-config --cflags --libs PETSc)
}

fft() {
  pkg-config --exists fftw3 2> /dev/null || absent libfftw3-mpi-dev
  # shellcheck disable=SC2046
  mpicc.openmpi -O1 -o fft "$here/fft.c" -lfftw3_mpi $(pkg-config --libs fftw3) -lm
}

case "$*" in
  water | poisson | fft | "cavity "[1-9]*) "$@" || exit 1 ;;
  *) echo "prepare.sh: found '$*', expected water, cavity RANKS, poisson or fft" >&2; exit 4 ;;
esac
