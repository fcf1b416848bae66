#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bench/trace_overhead.sh [--tsv] [--mpi openmpi|mpich] [--only PROGRAMS] [ROUNDS]: what tracing
# adds to a message of 8 bytes, to a collective call, and to a C++ exception. Each round (default 15) runs every variant of every program once,
# so that all see the same machine. Printed are the medians over the rounds, and of what is added
# in a round to the untraced run of that round the median and the quartiles; and in how many rounds
# a variant was faster than Open MPI's own monitoring. `instructions` are those added to a message,
# counted by valgrind where that is installed. Needs a build.
#
# Programs: bench/messages.c (pingpong, self, stencil, pauses, allreduce, alone), and throws.cpp.
# Variants: PHASES-SITES of berth trace, as in auto-4, its default; order-0 is pcontrol-0 with
# --order; monitoring (Open MPI only).
# --tsv: one line for each program, variant and round, with the nanoseconds.
set -eu
cd "$(dirname "$0")/.."
mpi=openmpi tsv=false rounds=15 programs="pingpong self stencil pauses allreduce alone throws"
while [ $# -gt 0 ]; do
  case $1 in
    --tsv) tsv=true ;;
    --mpi) mpi=$2; shift ;;
    --only) programs=$2; shift ;;
    *) rounds=$1 ;;
  esac
  shift
done
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"mpicc.$mpi" -std=c11 -O2 -w -o "$work/messages" bench/messages.c
"mpicxx.$mpi" -std=c++17 -O2 -w -o "$work/throws" bench/throws.cpp

variants="untraced off-0 pcontrol-0 auto-0 auto-4 auto-8 order-0"
[ "$mpi" = mpich ] || variants="$variants monitoring"

# launch N COMMAND…
launch() {
  local n=$1; shift
  case $mpi in
    openmpi) mpirun.openmpi -np "$n" --bind-to core "$@" ;;
    mpich) mpiexec.mpich -n "$n" -bind-to core "$@" ;;
  esac
}

# run VARIANT N COMMAND…
run() {
  local variant=$1 n=$2; shift 2
  local phases=(--phases "${variant%-*}")
  [ "${variant%-*}" = order ] && phases=(--order)
  local trace=(build/berth trace -o "$work/t.acp" --sites "${variant#*-}" "${phases[@]}" --)
  case $variant in
    untraced) launch "$n" "$@" ;;
    monitoring)
      launch "$n" --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 \
        --mca pml_monitoring_filename "$work/m" "$@" ;;
    *)
      case $mpi in
        openmpi) "${trace[@]}" mpirun.openmpi -np "$n" --bind-to core "$@" 2> "$work/err" ;;
        mpich) "${trace[@]}" mpiexec.mpich -n "$n" -bind-to core "$@" 2> "$work/err" ;;
      esac ;;
  esac
}

# program VARIANT NAME: its nanoseconds.
program() {
  case $2 in
    self | alone) run "$1" 1 "$work/messages" "$2" ;;
    pauses) run "$1" 1 "$work/messages" pauses 200 ;;
    throws) run "$1" 1 "$work/throws" ;;
    *) run "$1" 2 "$work/messages" "$2" ;;
  esac
}

for round in $(seq "$rounds"); do
  for name in $programs; do
    for variant in $variants; do
      printf '%s\t%s\t%s\t%s\n' "$name" "$variant" "$round" "$(program "$variant" "$name")"
    done
  done
done > "$work/rounds"
if $tsv; then
  cat "$work/rounds"
  exit
fi

# Instructions of one process, MESSAGES of its own: those of 12 batches less those of 2.
instructions() {
  local more
  for more in 2 12; do
    run "$1" 1 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/messages" self $more \
      > "$work/out" 2>&1 || return 0
    cat "$work/err" "$work/out" | sed -n 's/.*Collected : \([0-9]*\).*/\1/p' | head -1
  done | awk 'NR == 1 { few = $1 } NR == 2 { print ($1 - few) / 20000 }'
}
if command -v valgrind > /dev/null; then
  for variant in $variants; do
    : > "$work/err"
    printf 'self\t%s\tinstructions\t%s\n' "$variant" "$(instructions "$variant")"
  done >> "$work/rounds"
fi

awk -F '\t' '
  function sort(a, n,   i, j, x) {
    for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j - 1] > a[j]; j--) { x = a[j]; a[j] = a[j - 1]; a[j - 1] = x }
  }
  function quantile(a, n, q,   at) { at = 1 + (n - 1) * q; return a[int(at)] + (at - int(at)) * (a[int(at) + (at > int(at))] - a[int(at)]) }
  $3 == "instructions" { instructions[$2] = $4; next }
  !seen[$1, $2]++ { order[++n_order] = $1 SUBSEP $2 }
  { time[$1, $2, $3] = $4; rounds = $3 > rounds ? $3 : rounds }
  END {
    printf "%-9s %-11s %8s %8s %18s %13s %13s\n", "program", "variant", "median", "added", "quartiles", "of monitoring", "instructions"
    for (k = 1; k <= n_order; k++) {
      split(order[k], at, SUBSEP); p = at[1]; v = at[2]; below = 0
      for (i = 1; i <= rounds; i++) {
        all[i] = time[p, v, i]; added[i] = all[i] - time[p, "untraced", i]
        below += all[i] < time[p, "monitoring", i]
      }
      sort(all, rounds); sort(added, rounds)
      printf "%-9s %-11s %8.1f", p, v, quantile(all, rounds, 0.5)
      if (v != "untraced") printf " %+8.1f %+8.1f to %+6.1f", quantile(added, rounds, 0.5), quantile(added, rounds, 0.25), quantile(added, rounds, 0.75)
      if (v !~ /^(untraced|monitoring)$/ && ((p, "monitoring", 1) in time)) printf " %5d of %d", below, rounds
      if (p == "self" && instructions[v] != "") printf "   %+9.1f", instructions[v] - instructions["untraced"]
      print ""
    }
  }' "$work/rounds"
