#!/usr/bin/env bash
# `berth calibrate --agents`: a file that `berth agents` reads, from measured reductions; and what
# isn't possible.
. "$BERTH_SOURCE_DIR/tests/coll/lib.sh"
few_windows
python3 -IS "$BERTH_SOURCE_DIR/tests/coll/groups.py" 0/1/2 > groups.json
export BERTH_GROUPS=$work/groups.json

for mpi in $mpis; do
  launcher=mpirun.openmpi
  [ "$mpi" = mpich ] && launcher=mpiexec.mpich
  "$berth" calibrate --agents -o agents.json -- "$launcher" -n 3 > out 2> err
  is "$mpi: exit code, $(cat err)" $? 0
  check "$mpi: both executors: $(cat out)" \
    [ "$(grep -cE '^(hosts|agents): +start .*, latency .*, .* for each message of 8 B; the model is [0-9]+% off' out)" = 2 ]
  "$berth" agents --hosts 3,1024 --json agents.json > found.json
  is "$mpi: berth agents reads it, $(cat found.json)" $? 0
  python3 -IS - agents.json > found <<'PYTHON'
import json, sys
d = json.load(open(sys.argv[1]))
print(d["name"], *(len(d[e]["receive_bytes_s"]) for e in ("host", "agent")),
      all(s >= 0 for e in ("host", "agent") for _, s in d[e]["receive_bytes_s"]),
      [b for b, _ in d["host"]["receive_bytes_s"]],
      [(t["hosts"], t["degree"], t["bytes"]) for t in d["trees"] if t["measured_s"] > 0])
PYTHON
  is "$mpi: what is in it" "$(cat found)" \
    '3 hosts 5 5 True [8, 64, 512, 4096, 32768] [(3, 2, 8), (3, 2, 64), (3, 2, 4096), (3, 2, 32768)]'
  check "$mpi: trees: $(cat out)" \
    [ "$(grep -cE '^ +(8 B|64 B|4.000 KiB|32.00 KiB) +2( +[0-9.]+ [mu]s){3}$' out)" = 4 ]
  check "$mpi: how far off: $(cat out)" grep -qE '^ +8 B: the model is [0-9]+% off on average, one message after the other [0-9]+%$' out
done

printf '#!/bin/sh\nexec mpirun.openmpi -n 3 "$@"\n' > start
chmod +x start
"$berth" calibrate --agents -o script.json --mpi openmpi -- ./start > out 2> err
is "a script: exit code, $(cat err)" $? 0

fails() { # CODE LINE COMMAND…: the last line of berth
  local code=$1 line=$2; shift 2
  rm -f new.json
  "$@" > out 2> err
  is "$*: exit code" $? "$code"
  is "$*" "$(grep '^berth calibrate:' err | tail -n 1)" "$line"
  check "$*: nothing is written" [ ! -e new.json ]
}
c=("$berth" calibrate --agents -o new.json --)
unset BERTH_GROUPS
fails 3 'berth calibrate: found 3 ranks on 1 host, expected one on each of at least 3 hosts' \
  "${c[@]}" mpirun.openmpi -n 3
fails 4 'berth calibrate: the measuring job had no agents' \
  env BERTH_AGENTS_PROVIDER=no-such "${c[@]}" mpirun.openmpi -x BERTH_AGENTS_PROVIDER -n 3
fails 2 "berth calibrate: found program './app' behind the launcher, expected none: berth adds its own" \
  "${c[@]}" mpirun.openmpi -n 3 ./app
finish
