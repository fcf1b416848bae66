#!/usr/bin/env bash
# The page's section about the node in a real Chromium: two NUMA nodes, two types of hosts, records at
# the edge of the format, and none. What it shows is what the topology has.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
here=$BERTH_SOURCE_DIR/tests/report
. "$here/lib.sh"
command -v pdftotext > /dev/null || { echo "needs pdftotext"; exit 77; }
cd "$work" || exit 1
shots=$BERTH_BUILD_DIR/tests/report/screenshots
mkdir -p "$shots"

python3 "$here/node_records.py" "$work"
mapping() { echo "{\"format\":\"berth-mapping\",\"version\":1,\"pu_of_rank\":$2}" > "$1"; }
mapping all.m "[$(seq -s, 19 -1 0)]"
mapping four.m '[1,0,2,3]'
"$berth" make pattern ring -n 20 -q -o ring.acp
"$berth" make pattern ring -n 4 -q -o four.acp
for name in big both odd plain; do
  check "$name is a topology" "$berth" topo check "$name.json"
  check "a page of $name" "$berth" report ring.acp "$name.json" -o "$name.html" all.m
done
check "a page of hosts without a record" "$berth" report four.acp thin-first.json -o unused.html four.m
check "in Chromium" in_browser nodes.py "$work" "$shots"
finish
