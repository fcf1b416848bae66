#!/usr/bin/env bash
# Installs what the tests need, builds, and runs every test: in the default build all of them, in
# the one with sanitizers and without MPI those that may find something there.
set -eu
if [ $# -gt 0 ]; then
  echo "usage: ./check.sh (takes no arguments; some minutes)" >&2
  [ "$1" = --help ] || [ "$1" = -h ] && exit 0
  exit 2
fi
cd "$(dirname "$0")"
./install-packages.sh test
jobs=$(nproc)

build() { # PRESET
  local preset=$1 options=(-DBERTH_TESTS=ON -DBERTH_BENCH=ON)
  [ "$preset" = sanitize ] && options+=(-DBERTH_MPI=OFF)
  echo "== $preset: building"
  local log
  log=$(mktemp)
  if ! { cmake --preset "$preset" "${options[@]}" &&
         cmake --build --preset "$preset" -j "$jobs"; } > "$log" 2>&1; then
    cat "$log"
    rm -f "$log"
    exit 1
  fi
  grep -E 'warning:' "$log" || true
  rm -f "$log"
}

# The tests that took longest, whatever becomes of them: where to begin if this script gets too slow.
logs=$(mktemp -d)
slowest() {
  echo "== the slowest tests"
  sed -nE 's|^ *[0-9]+/[0-9]+ Test +#[0-9]+: ([^ ]+) [ .*]*[A-Za-z]+ +([0-9.]+) sec.*|\2 s  \1|p' "$logs"/* |
    sort -rn | head -n 10
  rm -rf "$logs"
}
trap slowest EXIT
run_tests() { # PRESET OPTION…
  local preset=$1; shift
  echo "== $preset: testing"
  ctest --preset "$preset" --output-log "$logs/$preset" "$@"
}

# Each test runs where it can find something. The build with sanitizers is the one without MPI, too:
# under sanitizers runs all of berth's own code that starts no MPI job, and commands that look for the
# MPIs' parts find none (cli/doctor, cli/usage, layout/install).
build default
build sanitize
# The sanitizers look at every line that runs: a tenth of the random instances runs them all. Tests
# left out by name compare values, or take long for the few lines that they alone run: by gcov, the
# others run 98.6% of all lines.
compare='cli/(cases|collectives|compare|fields|file_limit|library_rules|one_sided|probe|threads)'
compare+='|cli/(together|what_if)'
compare+='|cost/(swaps|threads)|exchange/round_trips|schedule/by_hosts'
compare+='|map/(even_ports|moves|optimum|partition|shared_cores)'
compare+='|python/(agreement|documented|installed|notebook|pictures|typed)'
long='cli/(check|check_ci|explore|notes|stopped|terminal|verdict)|calib/machines|map/(mappers|team|watch)'
long+='|layout/(includes|left_out|style)'
BERTH_TEST_ROUNDS=0.1 run_tests sanitize -j "$jobs" --label-exclude 'mpi|testbed|examples|report' \
  --exclude-regex "^($compare|$long)$"
# What measures the machine runs alone (ALONE in its CMakeLists.txt). Four places more than cores: a
# test with a testbed mostly waits, and one with MPI jobs takes two. What ran under sanitizers doesn't
# run again if it takes seconds. `ctest --preset default` runs all tests, and all rounds
# (docs/internals/testing.md).
seen='calib/(node|report)|cli/(files|hostile|machines|map_options|project|report|scale)'
seen+='|cost/(dense|reference)|exchange/sqlite|map/(refine|search_sum)|pattern/load|schedule/data_flow|spool/damage'
BERTH_TEST_ROUNDS=${BERTH_TEST_ROUNDS:-0.4} run_tests default -j $((jobs + 4)) \
  --exclude-regex "^($seen)$"
