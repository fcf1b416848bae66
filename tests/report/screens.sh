#!/usr/bin/env bash
# Pages of 16, 960 and 4,096 ranks in a real Chromium, in windows as wide as a screen, a tablet and a
# phone.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
here=$BERTH_SOURCE_DIR/tests/report
. "$here/lib.sh"
. "$here/small.sh"
cd "$work" || exit 1
shots=$BERTH_BUILD_DIR/tests/report/screenshots
mkdir -p "$shots"

make_small
"$berth" report p.acp u.json --against random.json -o ranks-16.html greedy.json > log
make_sized 960 stencil3d rack:3 host:20 socket:2 core:8
make_sized 4096 cg rack:8 host:16 socket:2 core:16
check "in Chromium" in_browser screens.py "$work" "$shots" ranks-16 ranks-960 ranks-4096
finish
