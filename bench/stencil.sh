#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bench/stencil.sh [NX NY NZ SWITCHES:HOSTS:CORES]: time and memory of `berth map` and `berth cost`
# on a 3-D 7-point stencil (default 32 32 32 onto 32:32:32), five runs of each, beside the limits of
# 10 s and 1 GiB for greedy at 32,768 ranks. Needs a build, and GNU time (Debian's package time).
set -eu
cd "$(dirname "$0")/.."
[ $# -eq 0 ] || [ $# -eq 4 ] || { echo "usage: bench/stencil.sh [NX NY NZ SWITCHES:HOSTS:CORES]" >&2; exit 2; }
[ $# -eq 4 ] || set -- 32 32 32 32:32:32
command -v /usr/bin/time > /dev/null || { echo "bench/stencil.sh: /usr/bin/time is missing" >&2; exit 4; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
p=$work/p.acp t=$work/t.json
examples/stencil/generate.sh pattern "$1" "$2" "$3" > "$p"
examples/stencil/generate.sh topology "$4" > "$t"

measure() { # NAME COMMAND…: medians of five runs
  local name=$1; shift
  for _ in 1 2 3 4 5; do
    /usr/bin/time -a -o "$work/$name" -f '%e %M' "$@" > "$work/out"
  done
  sort -n "$work/$name" | awk -v name="$name" '
    { s[NR] = $1; if ($2 > kb) kb = $2 }
    END { printf "%-24s median %6.2f s (%.2f to %.2f), at most %7.1f MiB: %5.1f%% of 10 s, %4.1f%% of 1 GiB\n",
          name, s[3], s[1], s[5], kb / 1024, s[3] * 10, kb / 1048576 * 100 }'
}
echo "$1 x $2 x $3 stencil onto $4"
for algorithm in linear greedy best; do
  measure "map $algorithm" build/berth map --pattern "$p" --topology "$t" \
    --algorithm "$algorithm" --mapping "$work/$algorithm.json"
done
for model in port bound sum flow; do
  measure "cost --model $model" build/berth cost --pattern "$p" --topology "$t" \
    --mapping "$work/greedy.json" --model "$model" --json
done
build/berth map --pattern "$p" --topology "$t" | head -n 2
