#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# water.sh: makes water.tpr here, an input of GROMACS: 884 molecules of water in a box, all of GROMACS's
# own files
set -u
printf '%s\n' '#include "oplsaa.ff/forcefield.itp"' '#include "oplsaa.ff/spce.itp"' '[ system ]' \
  water '[ molecules ]' > water.top
printf '%s\n' 'integrator = md' 'dt = 0.001' 'nstlist = 10' 'nstenergy = 10' 'nstlog = 10' \
  'nstcalcenergy = 10' 'coulombtype = PME' 'rcoulomb = 0.8' 'rvdw = 0.8' 'gen-vel = yes' \
  'gen-seed = 1' > water.mdp
export GMX_MAXBACKUP=-1
gmx solvate -cs spc216.gro -box 3 -o water.gro -p water.top > gromacs.log 2>&1 &&
  gmx grompp -f water.mdp -c water.gro -p water.top -o water.tpr >> gromacs.log 2>&1 && exit
tail -n 5 gromacs.log >&2
exit 1
