#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bench/trace_overhead.sh [ROUNDS]: what tracing adds to one message, in an 8-byte ping-pong on
# shared memory under Open MPI. Each round (default 15) runs every variant once, so that all see the
# same machine. Added time is printed as the difference of the fastest rounds and as the median over
# the rounds of the difference within each. Needs a build.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-15}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mpicc.openmpi -std=c11 -O2 -o "$work/pingpong" bench/pingpong.c

# variants of the tracer by their depth of call sites; pcontrol: without automatic phases
variants="untraced sites-0 sites-1 sites-4 sites-8 pcontrol-0 pcontrol-4 monitoring"
run() {
  local command=("$work/pingpong")
  case $1 in
    untraced) mpirun.openmpi -np 2 --bind-to core "${command[@]}" ;;
    monitoring)
      mpirun.openmpi -np 2 --bind-to core --mca pml_monitoring_enable 2 \
        --mca pml_monitoring_enable_output 3 --mca pml_monitoring_filename "$work/m" "${command[@]}" ;;
    sites-*)
      build/berth trace -o "$work/t.acp" --sites "${1#sites-}" -- \
        mpirun.openmpi -np 2 --bind-to core "${command[@]}" 2> "$work/err" ;;
    pcontrol-*)
      build/berth trace -o "$work/t.acp" --sites "${1#pcontrol-}" --phases pcontrol -- \
        mpirun.openmpi -np 2 --bind-to core "${command[@]}" 2> "$work/err" ;;
  esac
}
for _ in $(seq "$rounds"); do
  line=
  for variant in $variants; do line="$line $(run "$variant")"; done
  echo "$line"
done > "$work/rounds"
awk -v names="$variants" '
  function median(a, n,   i, j, t) {
    for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j - 1] > a[j]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
    return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
  }
  { for (k = 1; k <= NF; k++) time[k, NR] = $k; fields = NF }
  END {
    split(names, name, " ")
    for (k = 1; k <= fields; k++) {
      for (i = 1; i <= NR; i++) { all[i] = time[k, i]; added[i] = time[k, i] - time[1, i] }
      m = median(all, NR)
      printf "%-12s fastest %6.1f, median %6.1f ns a message", name[k], all[1], m
      if (k == 1) fastest = all[1]
      else printf "; added: fastest %+6.1f, median of rounds %+6.1f ns", all[1] - fastest, median(added, NR)
      print ""
    }
  }' "$work/rounds"
