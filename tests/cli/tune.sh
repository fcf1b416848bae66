#!/usr/bin/env bash
# `berth tune` without a job: files that it shows, and command lines that it refuses.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cat > t.json <<'JSON'
{"format": "berth-tuning", "version": 1, "ranks": 16, "mpi": "Open MPI 4.1.4", "half_bytes": 2048,
 "bytes_per_s": 1e7, "measured_in_s": 2.5, "cells": [
 {"operation": "bcast", "ranks": 16, "hosts": 4, "bytes": 65536, "calls": 1200, "within_s": 1e-4, "choices": [
   {"algorithm": "pipeline", "segment_bytes": 8192, "predicted_s": 0.009, "measured_s": 0.0075},
   {"algorithm": "knomial", "degree": 4, "predicted_s": 0.012, "measured_s": 0.012},
   {"algorithm": "mpi", "measured_s": 0.015}]},
 {"operation": "barrier", "ranks": 3, "bytes": 0, "members": [4, 5, 6], "choices": []}]}
JSON
cat > expected <<'TEXT'
Open MPI 4.1.4, 16 ranks, measured in 2.500 s; links between hosts carry 2.000 KiB while a message begins
operation            ranks, hosts      bytes      calls  choice                                 measured    the MPI's
    choice                                             measured    predicted     error
bcast                16 on 4       64.00 KiB       1200  pipeline, 8.000 KiB                    7.500 ms     15.00 ms
    pipeline, 8.000 KiB                                7.500 ms     9.000 ms      +20%
    knomial of 4                                       12.00 ms     12.00 ms       +0%
    mpi                                                15.00 ms            -
barrier              3                   0 B          -  not measured                                  -            -
TEXT
"$berth" tune --all show t.json > found
check "show --all" diff expected found
check "show" diff <(grep -v '^    ' expected) <("$berth" tune show t.json)
check "show --json is the file" python3 - <(cat t.json) <("$berth" tune --json show t.json) <<'PY'
import json, sys
written, shown = (json.load(open(path)) for path in sys.argv[1:3])
assert written == shown, shown
PY
cat > sided.json <<'JSON'
{"format": "berth-tuning", "version": 1, "ranks": 16, "mpi": "Open MPI 4.1.4", "bytes_per_s": 12500000,
 "cells": [], "one_sided": {"message_s": 2e-6, "epochs": [
  {"ranks": 16, "hosts": 4, "targets": 192, "bytes": 128000, "fill_s": 1e-8, "message_bytes": 7155, "early": 0.25},
  {"ranks": 4, "hosts": 4, "targets": 3, "bytes": 2000, "message_bytes": 1024}]}}
JSON
cat > expected <<'TEXT'
Open MPI 4.1.4, 16 ranks, not measured
one-sided operations: a small message takes 2.000 us of its origin, a byte between hosts 80.00 ns
    ranks, hosts   targets        epoch  byte comes in      message last at once
    16 on 4            192    125.0 KiB       10.00 ns    6.987 KiB          25%
    4 on 4               3    1.953 KiB              -    1.000 KiB           0%
TEXT
check "show: one-sided operations" diff expected <("$berth" tune show sided.json)
check "show --json: one-sided operations" python3 - <(cat sided.json) <("$berth" tune --json show sided.json) <<'PY'
import json, sys
written, shown = (json.load(open(path)) for path in sys.argv[1:3])
written["one_sided"]["epochs"][1]["early"] = 0
assert written == shown, shown
PY
help="Try \`berth tune --help' or \`berth tune --usage' for more information."
while IFS='|' read -r words code line; do
  # shellcheck disable=SC2086
  expect "$code" "$([ "$code" = 2 ] && printf 'berth tune: %s\n%s' "$line" "$help" || echo "berth tune: $line")" "$berth" tune $words
done <<'TABLE'
|2|expected a command, as in: mpirun -np 16 ./app
show|2|show: expected one file of `berth tune`
show a b|2|show: expected one file of `berth tune`
--all -- mpirun -np 2 ./app|2|found --all without show
--time-limit 0 show t.json|2|--time-limit: found '0', expected a whole number from 1 to 1000000
--one-sided --only -- mpirun -np 2 ./app|2|found --only with --one-sided, expected it with collective calls
--one-sided show t.json|2|show: found an option for jobs, expected none
plan|2|plan: expected one pattern
plan a b|2|plan: expected one pattern
--json plan a|2|found --json without show
plan none.acp|4|none.acp: cannot open: No such file or directory
show none.json|4|none.json: cannot open: No such file or directory
TABLE
expect 2 "berth tune: found no number of ranks in the command, expected one, as in: mpirun -np 16 ./app" \
  "$berth" tune --one-sided -- mpirun ./app
sed 's/"ranks": 3/"ranks": 17/' t.json > bad.json
expect 3 "berth tune: bad.json: cells[1].ranks: found 17, expected a whole number from 1 to 16" "$berth" tune show bad.json
cat > calls.acp <<'JSON'
{"format":"berth-pattern","version":1,"ranks":4}
{"kind":"coll","phase":0,"op":"MPI_Bcast","bytes":1024,"count":4,"comm":0,"root":0}
{"kind":"end","records":1}
JSON
"$berth" tune -o plan.json plan calls.acp
check "a plan has the trace's cells: $(cat plan.json)" python3 - plan.json <<'PY'
import json, sys
plan = json.load(open(sys.argv[1]))
assert plan["ranks"] == 4 and "measured_in_s" not in plan
assert plan["cells"] == [{"operation": "bcast", "ranks": 4, "bytes": 1024, "calls": 4, "choices": []}], plan["cells"]
PY
check "to standard output" diff plan.json <("$berth" tune plan calls.acp)
finish
