#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# A program under Open MPI's monitoring, and then under berth: what `berth import` makes of the one is
# what the other recorded, pair by pair. Not at once: monitoring sees what the tracer sends at the end.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
cd "$work" || exit 1
compile openmpi "$BERTH_SOURCE_DIR/examples/ladder/ladder.c" ladder
traced openmpi 8 traced.acp ./ladder 5000 3
launch openmpi 8 --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 \
  --mca pml_monitoring_filename "$work/prof" ./ladder 5000 3 > /dev/null
check "there is a file for each rank" [ "$(find . -name 'prof.*.prof' | wc -l)" = 8 ]
check "they are known by how they begin" "$berth" import prof.*.prof -o monitored.acp
for format in matrix-market matrix-market-messages; do
  "$berth" export -f $format traced.acp -o traced.$format
  "$berth" export -f $format monitored.acp -o monitored.$format
  check "the same $format" same traced.$format monitored.$format
done
check "there is traffic" [ "$(wc -l < traced.matrix-market)" -gt 20 ]
finish
