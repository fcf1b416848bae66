#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `berth view` on a terminal (view.py), and where there is none.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
unset BERTH_TOPOLOGY BERTH_MODEL COLUMNS LINES
export BERTH_PROJECT=none
P=$BERTH_SOURCE_DIR/examples/ladder/pattern.acp T=$BERTH_SOURCE_DIR/testbed/topology.json
M=$BERTH_SOURCE_DIR/rankfiles/ladder.mapping
python3 "$BERTH_SOURCE_DIR/tests/cli/hostile.py" write
"$berth" make pattern stencil3d -n 4096 -q -o many.acp
"$berth" topo make leaf:16 host:16:compute-node-with-a-very-long-name-[00000-00255] core:16 -q -o many.json
/usr/bin/python3 "$BERTH_SOURCE_DIR/tests/cli/view.py" "$berth" "$P" "$T" "$M" > found 2>&1
check "on a terminal: code $?" [ $? = 0 ]
check "$(cat found)" grep -qE '^[1-9][0-9]* checks passed$' found

expect 4 "berth view: found no terminal on standard input and output, expected one" "$berth" view "$P"
on() { python3 "$BERTH_SOURCE_DIR/tests/cli/on_terminal.py" 80 env "$@"; }
if ! is_sanitized; then # ncurses itself loses memory then
  ERR=err on TERM=no-such "$berth" view "$P" > log
  code=$?
  check "an unknown terminal: code $code" [ $code = 4 ]
  is "an unknown terminal" "$(cat err)" \
    "berth view: TERM: found 'no-such', expected a terminal that ncurses knows"
fi
hint="
Try \`berth view --help' or \`berth view --usage' for more information."
expect 2 "berth view: expected a pattern or a topology$hint" "$berth" view
expect 2 "berth view: found '$P' and 'many.acp', expected one of a kind$hint" "$berth" view "$P" many.acp
expect 2 "berth view: found the mapping '$M', expected a pattern and a topology beside it$hint" "$berth" view "$M" "$P"
expect 2 "berth view: found '-', expected a pattern, a topology or a mapping$hint" "$berth" view -
expect 3 "berth view: --mapping m.json: pu_of_rank: found 8 ranks, expected 16, the number of the pattern" "$berth" view "$P" "$T" m.json
expect 4 "berth view: BERTH_TOPOLOGY none.json: cannot open: No such file or directory" \
  env BERTH_TOPOLOGY=none.json "$berth" view "$P"
finish
