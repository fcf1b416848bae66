#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# quickstart.sh: from nothing to a measured remapping. Installs and builds berth, traces a run of
# the ladder example, maps it onto the testbed, and measures there what was predicted.
set -euo pipefail
cd "$(dirname "$0")"
bytes=262144
iterations=10
repetitions=5
work=build/quickstart
log=$work/log
ladder=$work/ladder

usage="usage: ./quickstart.sh
Takes a few minutes. Exit codes: 0 done (also when only the prediction could be made), 4 a package
is missing and only root can install it, others: what failed, with its last lines."
case ${1:-} in
  '') ;;
  -h | --help) echo "$usage"; exit 0 ;;
  *) echo "quickstart.sh: unknown argument '$1'" >&2; echo "$usage" >&2; exit 2 ;;
esac

# Shows how far a step is, until it is killed: how long it takes so far, and the count that ninja and
# measure_all write into the log. On a terminal in the step's line, else in a line now and then.
watch() { # TITLE SIZE-OF-THE-LOG
  local began=$SECONDS count never pause=20
  [ ! -t 1 ] || pause=0.5
  exec {never}<> <(:) # nothing ever comes: waiting for it is a sleep without a process
  while ! read -r -t $pause -u "$never" _; do
    count=$(tail -c +"$2" "$log" | grep -aoE '^\[[0-9]+/[0-9]+\]' | tail -n 1) || :
    if [ -t 1 ]; then
      printf '\r%-50s%4d s  %-14s' "$1" $((SECONDS - began)) "$count"
    else
      printf '%50s%4d s  %s\n' '' $((SECONDS - began)) "$count"
    fi
  done
}

# Runs a step with its output in the log; shows the log's end if it fails, and returns its code.
step() { # TITLE COMMAND…
  local title=$1 code=0 began=$SECONDS watcher
  shift
  if [ -t 1 ]; then printf '%-50s' "$title"; else printf '%s...\n' "$title"; fi
  echo "== $*" >>"$log"
  watch "$title" "$(wc -c <"$log")" &
  watcher=$!
  "$@" >>"$log" 2>&1 || code=$?
  kill $watcher
  wait $watcher 2>/dev/null || :
  [ ! -t 1 ] || printf '\r'
  if [ $code -ne 0 ]; then
    printf '%-50sfailed (code %d); the end of %s:\n' "$title" $code "$log"
    tail -n 20 "$log"
    return $code
  fi
  printf '%-50s%4d s  %-14s\n' "$title" $((SECONDS - began)) ""
}

# Shows a command and runs it.
show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

build() {
  # Without the tests fewer packages are needed. check.sh switches them on again, in this folder.
  cmake --preset default -DBERTH_TESTS=OFF
  cmake --build build
}

# Debian's mpirun and mpicc may be MPICH's; the testbed is run by Open MPI.
openmpi() { command -v "$1.openmpi" || command -v "$1"; }

map() { # ALGORITHM NAME
  build/berth map $work/ladder.acp testbed/topology.json --algorithm "$1" \
    --mapping "$work/$2.json" --rankfile "$work/$2.rankfile"
}

report() {
  build/berth report $work/ladder.acp testbed/topology.json \
    -o $work/report.html $work/linear.json $work/remapped.json | tee $work/report.txt
}

# Runs the ladder on the testbed once and notes the seconds of an iteration.
measure() { # NAME
  testbed/testbed run "$work/$1.rankfile" $ladder $bytes $iterations >$work/out || return
  awk '/seconds per iteration/ { print $1; n++ } END { exit n != 1 }' $work/out >>"$work/$1.times"
}

# Interleaved, so that a disturbance meets both placements.
measure_all() {
  for ((i = 0; i < repetitions; i++)); do
    echo "[$i/$repetitions]"
    measure linear || return
    measure remapped || return
  done
}

median() { # FILE
  sort -n "$1" | awk '{ t[NR] = $1 } END { print (t[int((NR + 1) / 2)] + t[int(NR / 2) + 1]) / 2 }'
}

# The predicted cost of the whole run, from a mapping file.
cost_of() { sed -n 's/^ *"cost_s": \([^,]*\),$/\1/p' "$work/$1.json"; }

print_predictions() {
  awk -v linear="$(cost_of linear)" -v remapped="$(cost_of remapped)" -v n=$iterations 'BEGIN {
    printf "\nMilliseconds per iteration   predicted\n"
    printf "  linear                    %10.1f\n", linear / n * 1e3
    printf "  remapped                  %10.1f\n", remapped / n * 1e3
    printf "  linear / remapped         %10.2f\n", linear / remapped
  }'
}

print_comparison() {
  awk -v p1="$(cost_of linear)" -v p2="$(cost_of remapped)" -v n=$iterations \
    -v m1="$(median $work/linear.times)" -v m2="$(median $work/remapped.times)" 'BEGIN {
    p1 /= n; p2 /= n
    printf "\nMilliseconds per iteration   predicted   measured   measured / predicted\n"
    printf "  linear                    %10.1f %10.1f   %20.2f\n", p1 * 1e3, m1 * 1e3, m1 / p1
    printf "  remapped                  %10.1f %10.1f   %20.2f\n", p2 * 1e3, m2 * 1e3, m2 / p2
    printf "  linear / remapped         %10.2f %10.2f\n", p1 / p2, m1 / m2
  }'
}

# The conclusion, and where the page is.
print_report() {
  printf '\n%s\nThe report: %s (open it in a browser)\n' "$(head -n 1 $work/report.txt)" \
    "$PWD/$work/report.html"
}

print_next_steps() {
  print_report
  cat <<END

Three commands place the ranks of your own program, and mpirun starts it there. The program berth is
build/berth: export PATH=$PWD/build:\$PATH
  berth trace -o app.acp -- mpirun -np 16 ./app            record one run
  berth topo discover -o cluster.json -- mpirun -np 16     describe the machine of the same hosts
  berth map app.acp cluster.json --rankfile app.rankfile   place the ranks
  mpirun --rankfile app.rankfile -np 16 ./app              and run again
docs/tutorial.md goes on from here; berth doctor says what is missing on this machine.
END
}

# --- from nothing to a placement -----------------------------------------------------------------

busy=$(testbed/busy.sh) # before its own builds count
mkdir -p build
rm -rf -- $work # of an earlier time
mkdir $work
: >$log
step "Installing what is missing" ./install-packages.sh run
step "Building berth" build
step "Building the ladder example" "$(openmpi mpicc)" -g -O2 -o $ladder examples/ladder/ladder.c
if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
step "Tracing 16 ranks of it on this machine" build/berth trace -o $work/ladder.acp -- \
  "$(openmpi mpirun)" --oversubscribe -np 16 $ladder $bytes $iterations
step "Mapping it onto the testbed, in rank order" map linear linear
step "Mapping it onto the testbed, at its best" map best remapped
step "Writing the report" report
show build/berth cost $work/ladder.acp testbed/topology.json $work/linear.json $work/remapped.json

# --- measured beside predicted -------------------------------------------------------------------

export BERTH_TESTBED=quickstart-$$
trap 'testbed/testbed down' EXIT
code=0
printf '\n'
testbed/testbed up >$work/out 2>&1 || code=$?
if [ $code -eq 4 ]; then
  print_predictions
  printf '\nNot measured: %s\n' "$(tail -n 1 $work/out)"
  print_next_steps
  exit 0
elif [ $code -ne 0 ]; then
  cat $work/out >&2
  exit $code
fi
if ! step "Running each placement $repetitions times on the testbed" measure_all; then
  print_predictions
  exit 1
fi
print_comparison
[ -z "$busy" ] || printf '\nNote: %s.\n' "$busy"
print_next_steps
