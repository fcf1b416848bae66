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
cat > host.json <<'JSON'
{"format":"berth-topology","version":1,"name":"one","curves":{"c":{"points":[[1,1000],[1000,100000]]}},
 "types":{"host":{"down":{"out":"c","in":"c"}}},
 "root":{"type":"host","host":"h","children":[{"pu":0,"core":0},{"pu":1,"core":1},{"pu":2,"core":2}]}}
JSON
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[2,0,2,0]}' > shared.json
"$berth" make pattern ring -n 4 -q -o ring.acp &&
  "$berth" report ring.acp host.json --oversubscribe -o host.html shared.json > log
# nothing is sent
"$berth" make pattern ring -n 1 -q -o alone.acp &&
  echo '{"format":"berth-mapping","version":1,"pu_of_rank":[3]}' > moved.json &&
  "$berth" report alone.acp u.json -o alone.html moved.json > log
make_sized 960 stencil3d rack:3 host:20 socket:2 core:8
make_sized 4096 cg rack:8 host:16 socket:2 core:16
check "in Chromium" in_browser screens.py "$work" "$shots" ranks-16 ranks-960 ranks-4096
finish
