#!/usr/bin/env bash
# Installs what the tests need, builds, and runs every test: the default build with all of them, and
# the build without MPI and the one with sanitizers with those that need no MPI run.
set -eu
if [ $# -gt 0 ]; then
  echo "usage: ./check.sh (takes no arguments; some minutes)" >&2
  [ "$1" = --help ] || [ "$1" = -h ] && exit 0
  exit 2
fi
cd "$(dirname "$0")"
./install-packages.sh test
jobs=$(nproc)

build() { # PRESET OPTION…
  local preset=$1; shift
  echo "== $preset: building"
  local log
  log=$(mktemp)
  if ! { cmake --preset "$preset" -DBERTH_TESTS=ON "$@" && cmake --build --preset "$preset" -j "$jobs"; } \
       > "$log" 2>&1; then
    cat "$log"
    rm -f "$log"
    exit 1
  fi
  grep -E 'warning:' "$log" || true
  rm -f "$log"
}

build default
build no-mpi
build sanitize
echo "== no-mpi: testing"
ctest --preset no-mpi -j "$jobs" --label-exclude 'layout|mpi|testbed|examples'
echo "== sanitize: testing"
ctest --preset sanitize -j "$jobs" --label-exclude 'mpi|testbed|examples'
# Real MPI runs and the testbed load the machine: one at a time.
echo "== default: testing"
ctest --preset default
