#!/usr/bin/env bash
# The page of `berth report` in a real Chromium, from a file: what it shows equals what `berth cost
# --json` says, and all that can be done with it works. Screenshots go to the build folder.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
here=$BERTH_SOURCE_DIR/tests/report
. "$here/lib.sh"
cd "$work" || exit 1
cp "$BERTH_SOURCE_DIR/testbed/topology.json" t.json
shots=$BERTH_BUILD_DIR/tests/report/screenshots
mkdir -p "$shots"

# 16 ranks that exchange with neighbours in two phases, one in a ring, one across the machine
awk 'BEGIN {
  print "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":16,\"command\":[\"./app\",\"--grid\",\"4x4\"]}"
  print "{\"kind\":\"phase\",\"id\":0,\"name\":\"halo\",\"repeats\":100}"
  print "{\"kind\":\"phase\",\"id\":1,\"name\":\"transpose\",\"repeats\":5}"
  print "{\"kind\":\"site\",\"id\":1,\"op\":\"MPI_Isend\",\"frames\":[\"exchange halo.c:120\",\"main app.c:44\"]}"
  for (r = 0; r < 16; r++) {
    printf "{\"kind\":\"p2p\",\"phase\":0,\"site\":1,\"src\":%d,\"msgs\":[[%d,%d,2],[%d,%d,3]]}\n",
      r, (r + 1) % 16, 4000 + 100 * r, (r + 4) % 16, 9000 + 10 * r
    printf "{\"kind\":\"p2p\",\"phase\":1,\"src\":%d,\"msgs\":[[%d,%d,1]]}\n", r, (r * 7 + 5) % 16, 50000 + r
  }
  print "{\"kind\":\"end\",\"records\":35}" }' > p.acp
sed 's/"max_bandwidth": 2988771/&,"max_bandwidth_measured":{"samples":5,"spread":0.02}/g' t.json > u.json
"$berth" map --pattern p.acp --topology u.json --algorithm random --mapping random.json > log
"$berth" map --pattern p.acp --topology u.json --algorithm greedy --mapping greedy.json >> log
"$berth" report --pattern p.acp --topology u.json --against random.json -o small.html greedy.json
for name in random greedy; do
  for model in port bound sum flow; do
    "$berth" cost --pattern p.acp --topology u.json --mapping $name.json --model $model --alone 0 \
      --pairs 1000 --json > "$name-$model.json"
  done
done
"$BERTH_SOURCE_DIR/examples/stencil/generate.sh" pattern 16 16 16 > s.acp
"$BERTH_SOURCE_DIR/examples/stencil/generate.sh" topology 16:16:16 > st.json
"$berth" map --pattern s.acp --topology st.json --algorithm geometric --quality fast --mapping sg.json >> log
"$berth" report --pattern s.acp --topology st.json -o stencil.html sg.json
check "in Chromium" in_browser browser.py "$work" "$shots"
finish
