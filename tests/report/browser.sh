#!/usr/bin/env bash
# The page of `berth report` in a real Chromium, from a file: what it shows equals what `berth cost
# --json` says, and all that can be done with it works. Screenshots go to the build folder.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
here=$BERTH_SOURCE_DIR/tests/report
. "$here/lib.sh"
. "$here/small.sh"
command -v pdftotext > /dev/null || { echo "needs pdftotext"; exit 77; }
cd "$work" || exit 1
shots=$BERTH_BUILD_DIR/tests/report/screenshots
mkdir -p "$shots"

make_small
"$berth" report --pattern p.acp --topology u.json --against random.json -o small.html greedy.json > log
"$berth" show --json p.acp > show.json
cat > tuning.json <<'JSON'
{"format": "berth-tuning", "version": 1, "ranks": 16, "mpi": "Open MPI 4.1.4", "half_bytes": 2048, "measured_in_s": 2.5, "cells": [
 {"operation": "allreduce", "ranks": 16, "hosts": 8, "bytes": 8, "calls": 1200, "choices": [
   {"algorithm": "recursive_doubling", "measured_s": 0.002, "histogram": {"from_s": 0.0018, "factor": 1.02,
      "counts": [1, 4, 20, 40, 20, 10, 5, 2, 1, 0, 0, 0, 0, 0, 0, 1], "above": 1, "most_s": 0.02}},
   {"algorithm": "mpi", "measured_s": 0.0025, "histogram": {"from_s": 0.002, "factor": 1.05,
      "counts": [1, 2, 4, 8, 4, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], "above": 0, "most_s": 0.0043}}]},
 {"operation": "bcast", "ranks": 16, "hosts": 8, "bytes": 65536, "choices": [
   {"algorithm": "pipeline", "segment_bytes": 8192, "overlap_bytes": 32768, "measured_s": 0.0075}]},
 {"operation": "barrier", "ranks": 4, "bytes": 0, "choices": []}]}
JSON
"$berth" report --pattern p.acp --topology u.json --collectives tuning.json -o tuned.html greedy.json > log
mkdir a b
cp random.json a/m.json
cp greedy.json b/m.json
"$berth" report --pattern p.acp --topology u.json --phase transpose -o names.html a/m.json b/m.json > log
for name in random greedy; do
  for model in port bound sum flow; do
    "$berth" cost --pattern p.acp --topology u.json --mapping $name.json --model $model --alone 0 \
      --pairs 1000 --json > "$name-$model.json"
  done
done
long="a mapping with quite a long name, made by greedy for the paper of 2027.json"
cp greedy.json "$long"
"$berth" report --pattern p.acp --topology "$BERTH_SOURCE_DIR/bench/ranking/study/testbed.json" \
  -o measured.html random.json "$long" > log
awk 'BEGIN { print "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4}"
  for (k = 0; k < 300; k++) {
    print "{\"kind\":\"phase\",\"id\":" k ",\"name\":\"p" k "\",\"repeats\":" k + 1 "}"
    print "{\"kind\":\"p2p\",\"phase\":" k ",\"src\":" k % 4 ",\"msgs\":[[" (k + 1) % 4 "," 1000 + k ",3]]}"
  }
  print "{\"kind\":\"end\",\"records\":600}" }' > phases.acp
"$berth" report --pattern phases.acp --topology u.json -o phases.html > log 2>&1 \
  <(echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,2,4,6]}')
make_stencil
"$berth" report --pattern s.acp --topology st.json -o stencil.html sg.json > log
# what phase 0 is where its name doesn't say it
phase_zero() { # NAME PHASES: 4 ranks, of whose phase 0 each line of PHASES is a part of the pattern
  { echo '{"format":"berth-pattern","version":1,"ranks":4,"mpi":"Open MPI 4.1.4"}'
    echo '{"kind":"p2p","src":0,"msgs":[[3,100000,1]]}'
    printf '%s\n' "$2"; } > "$1.acp"
  echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,2,4,6]}' > four.json
  "$berth" report "$1.acp" u.json --phase 0 -o "$1.html" --svg "$1" four.json > log
}
phase_zero zero-alone '{"kind":"end","records":1}'
phase_zero zero-calls '{"kind":"coll","op":"MPI_Allreduce","bytes":8,"count":5}
{"kind":"end","records":2}'
sed '/"p2p"/d; s/"records":2/"records":1/' zero-calls.acp > only-calls.acp
"$berth" report only-calls.acp u.json --phase 0 -o zero-only.html --svg zero-only four.json > log
phase_zero zero-rest '{"kind":"phase","id":0,"name":"rest"}
{"kind":"p2p","phase":1,"src":1,"msgs":[[2,50,1]]}
{"kind":"end","records":3}'
phase_zero zero-named '{"kind":"phase","id":0,"name":"halo"}
{"kind":"p2p","phase":1,"src":1,"msgs":[[2,50,1]]}
{"kind":"end","records":3}'
check "in Chromium" in_browser browser.py "$work" "$shots"
finish
