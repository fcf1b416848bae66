#!/usr/bin/env bash
# The optimised program under valgrind: uninitialised values, which the sanitizers don't see.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
if is_sanitized; then
  echo "skipped: valgrind and the address sanitizer exclude each other"
  exit 77
fi
cd "$work" || exit 1
p=$BERTH_SOURCE_DIR/examples/ladder/pattern.acp t=$BERTH_SOURCE_DIR/testbed/topology.json
memcheck() {
  valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
    "$berth" "$@" > out 2> err || { cat err; return 1; }
}
for algorithm in linear round-robin random greedy geometric refine best; do
  check "map $algorithm" memcheck map --pattern "$p" --topology "$t" --algorithm $algorithm \
    --mapping $algorithm.json --rankfile r --groups g
done
for model in port bound sum flow; do
  check "cost $model" memcheck cost --pattern "$p" --topology "$t" --model $model --json \
    --mapping linear.json --mapping greedy.json
done
check "topo show" memcheck topo show "$t"
finish
