#!/usr/bin/env bash
# Ctrl-C and SIGTERM end a search of `berth map` early: the best placement so far is written; and what
# the terminal shows meanwhile. A second signal ends berth at once.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
check "stopped searches" python3 "$BERTH_SOURCE_DIR/tests/cli/stopped.py" "$berth"
finish
