#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The Cartesian grids that a program made of all its ranks are in the trace's header, whether messages
# use them or not; others aren't.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
# grids FILE: as "4x1 periodic 1,0", a line each
grids() {
  "$berth" show --json "$1" | python3 -c '
import json, sys
for g in json.load(sys.stdin)["grids"]:
    print("x".join(map(str, g["dims"])), "periodic", ",".join(str(int(p)) for p in g["periodic"]))'
}
made="2x2 periodic 0,1
4 periodic 0
1x4x1 periodic 1,0,0"
for mpi in $mpis; do
  compile "$mpi" "$here/grids.c" "grids.$mpi"
  "mpifort.$mpi" -w -fallow-argument-mismatch -o "fortran.$mpi" "$here/grids.f90" || exit 1
  traced "$mpi" 4 "$mpi.acp" "./grids.$mpi"
  is "$mpi: C" "$(grids "$mpi.acp")" "$made"
  traced "$mpi" 4 "$mpi.f.acp" "./fortran.$mpi"
  is "$mpi: Fortran" "$(grids "$mpi.f.acp")" "4x1 periodic 1,0
2x2 periodic 0,1"
  traced "$mpi" 4 "$mpi.many.acp" "./grids.$mpi" many
  is "$mpi: the first of many" "$(grids "$mpi.many.acp" | wc -l)" 16
  is "$mpi: text" "$("$berth" show "$mpi.acp" | grep '^grid')" \
    "grid of ranks: 2x2, periodic in dimension 2
grid of ranks: 4
grid of ranks: 1x4x1, periodic in dimension 1"
done
finish
