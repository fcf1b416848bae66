#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bare_root.sh [FOLDER]: installs the Debian packages of a folder in a bare root, uses them there with
# both MPIs, purges them, and compares the files with those before. Without a folder it builds the
# packages. Some 3 minutes, as root.
set -eu
. "$(dirname "$0")/lib.sh"
[ $# -le 1 ] || { echo "usage: tests/packages/bare_root.sh [FOLDER]" >&2; exit 2; }
need_root
packages=${1:-$work/built}
[ $# -eq 1 ] || build_packages "$packages"

mkdir "$work/in"
for package in berth berth-openmpi berth-mpich libberth0 libberth-dev python3-berth berth-doc; do
  cp "$packages/${package}"_*.deb "$work/in"
done
cp "$source"/debian/tests/{session,python} "$work/in"
for mpi in openmpi mpich; do # a bare root has no compiler
  "mpicc.$mpi" -g -O2 -o "$work/in/ladder.$mpi" "$source/examples/ladder/ladder.c"
done
# man-db reads the man pages. All else comes with the packages.
in_bare_root "'$source/tests/packages/use_in_root.sh' '$work/in' \"\$1\"" man-db
