#!/usr/bin/env bash
# rankfiles/ holds what launchers take for one known placement; it is made again and compared.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
golden=$BERTH_SOURCE_DIR/rankfiles
"$berth" map --pattern "$BERTH_SOURCE_DIR/examples/ladder/pattern.acp" \
  --topology "$BERTH_SOURCE_DIR/testbed/topology.json" --algorithm greedy \
  --rankfile "$work/openmpi-4.1.rankfile" > "$work/log" || exit 1
for file in "$golden"/*.rankfile; do
  name=$(basename "$file")
  check "$name is what berth writes" diff "$file" "$work/$name"
  check "$name is named in the table" grep -qF "\`$name\`" "$golden/README.md"
done
finish
