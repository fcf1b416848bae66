#!/usr/bin/env bash
# What `berth calibrate` says it found, of made-up machines that machine.py stands for: each new
# type, limit and doubt is named, with its unit.
. "$BERTH_SOURCE_DIR/tests/calib/lib.sh"
cd "$work" || exit 1
machine=$BERTH_SOURCE_DIR/tests/calib/machine.py
# field FILE EXPRESSION: a Python expression over the file as t
field() { python3 -c 'import json, sys; t = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }
# calibrate OPTIONS… -- WORDS-OF-THE-MACHINE…
calibrate() { "$berth" calibrate -t blank.json -o out.json --mpi openmpi "${@/#--machine/$machine}"; }
cat > blank.json <<'JSON'
{"format": "berth-topology", "version": 1, "model_error": {"port": 0.06, "bound": 0, "flow": 0.031},
 "types": {"host": {}, "switch": {}, "backbone": {}},
 "root": {"type": "backbone", "name": "C", "children": [
  {"type": "switch", "name": "A", "children": [{"type": "host", "host": "h%d", "repeat": 5,
    "children": [{"pu": 0, "core": 0}, {"pu": 1, "core": 1}]}]},
  {"type": "switch", "name": "B", "children": [{"type": "host", "host": "h%d", "repeat": 3,
    "children": [{"pu": 0, "core": 0}, {"pu": 1, "core": 1}]}]}]}}
JSON

# A limited switch, a slow port, slow memory: all in one report.
cat > expected.txt <<'TEXT'
out.json: N experiments in T s with Made-up MPI 1.0, memory inside hosts, wire between them

Links                                    bandwidth     spread  samples
  backbone-switch, h0 pu 0 to h5 pu 1
    a pair at its best of 43 sizes      3.000 MB/s    +-0.00%        3
    several pairs, uplink               2.996 MB/s    +-0.00%        2
    several pairs, downlink             2.996 MB/s    +-0.00%        2
    latency of 1 B                        27.00 us    +-0.00%        3
    lost when both ways are busy           unknown  (a switch's limit hides it)
  switch-host, h0 pu 0 to h1 pu 1
    a pair at its best of 43 sizes      3.000 MB/s    +-0.00%        3
    several pairs, uplink               2.996 MB/s    +-0.00%        2
    several pairs, downlink             2.996 MB/s    +-0.00%        2
    latency of 1 B                        27.00 us    +-0.00%        3
    lost when both ways are busy              2.2%  (at h5)
  host-pu, h0 pu 0 to h0 pu 1
    a pair at its best of 43 sizes       1000 MB/s    +-0.00%        3
    latency of 1 B                        20.02 us    +-0.00%        3
  switch-host (h3) in, h4 pu 0 to h3 pu 1
    a pair at its best of 43 sizes      1.200 MB/s    +-0.00%        2
    several pairs, downlink             1.199 MB/s    +-0.00%        2
    latency of 1 B                        37.50 us    +-0.00%        3

Switches, all ports busy both ways       bandwidth     spread  samples    ports allow  max_bandwidth
  B                                     11.13 MB/s    +-0.00%        3     11.12 MB/s           none
  A                                     4.649 MB/s    +-0.00%        2     15.87 MB/s     4.649 MB/s
  C                                     4.647 MB/s    +-0.00%        3     4.649 MB/s           none
  h0, 2 PUs                             2.000 GB/s    +-0.00%       10     2.000 GB/s           none

Types for what differs               max_bandwidth    the others'
  host (h3): h3
    up in                               1.198 MB/s     2.996 MB/s
  host (h6): h6
    all together                        1.400 GB/s           none
  switch (A): A
    all together                        4.649 MB/s           none

model_error of 12 trials, messages between random ranks: +-0.1% (port), +-0.1% (flow)
TEXT
check "a report" calibrate -- --machine A=4.65e6 h3:in=1.2e6 h6=1.4e9 reverse=0.022 > found.txt
sed -i 's/: [0-9]* experiments in [0-9]* s/: N experiments in T s/' found.txt
check "its text" diff expected.txt found.txt
is "the types" "$(field out.json 'sorted(t["types"])')" \
  "['backbone', 'host', 'host (h3)', 'host (h6)', 'switch', 'switch (A)']"
is "reverse traffic" "$(field out.json '[x.get("up", {}).get("reverse_traffic") for x in t["types"].values()]')" \
  "[0.022, 0.022, 0.022, None, None, None]"
is "the models' errors are those of this machine" "$(field out.json 't["model_error"]')" \
  "{'port': 0.001, 'flow': 0.001}"

# Trials that take longer than the models say: that is their error, and best asks for as much.
calibrate --json -- --machine off=1.3 > found.json
is "an error of 30%" "$(field out.json 't["model_error"]')" "{'port': 0.299, 'flow': 0.299}"
is "JSON: the error" "$(field found.json '(t["trials"], t["model_error"]["port"])')" "(12, 0.299)"
cat > few.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":4}
{"kind":"p2p","src":0,"msgs":[[1,1000000,1],[2,1200000,1],[3,1000000,1]]}
{"kind":"p2p","src":1,"msgs":[[0,1000000,1],[2,1000000,1],[3,1200000,1]]}
{"kind":"p2p","src":2,"msgs":[[0,1200000,1],[1,1000000,1],[3,1000000,1]]}
{"kind":"p2p","src":3,"msgs":[[0,1000000,1],[1,1200000,1],[2,1000000,1]]}
{"kind":"end","records":4}
ACP
few() { "$berth" map --pattern few.acp --topology out.json "$@"; }
check "a smaller gain than the error" \
  grep -q "less than the 29.9% of --min-gain (the model's error on this machine)" <(few)
check "or than what is asked for" eval '! few --min-gain 20 | grep -q "Keep the current order"'

# Memory so noisy that nothing can be said of it.
check "a noisy machine" calibrate -- --machine noise=1.5 > found.txt
is "no types" "$(field out.json 'sorted(t["types"])')" "['backbone', 'host', 'switch']"
is "no limit" "$(field out.json '"max_bandwidth" in t["types"]["host"]')" False
is "no measured capacity" "$(field out.json '"max_bandwidth_measured" in t["types"]["host"]["down"]')" False
check "no type is named" [ "$(grep -c '^Types' found.txt)" -eq 0 ]
for line in '  host-pu: .* +-[0-9]*% at the best size: no max_bandwidth, only the curve' \
  '  h0, 2 PUs: .* +-[0-9]*% where ports allow .* +-[0-9]*%: too uncertain for a max_bandwidth' \
  '  h1, all PUs: .* beside the usual .*: the samples vary too much to tell them apart' \
  '  h0, 2 PUs .* unknown' \
  '    a pair at its best of 43 sizes .* [0-9]* sizes spread by more than 25%'; do
  check "it is said: $line" grep -qx "$line" found.txt
done

# The same as JSON.
check "JSON" calibrate --json -- --machine A=4.65e6 noise=1.5 > found.json
is "JSON: the switch" "$(field found.json '[(s["limited"], s["unsure"]) for s in t["switches"]]')" \
  "[(False, False), (True, False), (False, False), (False, True)]"
is "JSON: the types" "$(field found.json '[(x["name"], x["others"], x["differences"]) for x in t["types"]]')" \
  "[('switch (A)', 'switch', [{'what': 'all together', 'bandwidth': 4648600, 'others': None}])]"
is "JSON: doubts" "$(field found.json 'len(t["unsure"]) >= 2')" True
is "JSON: reverse traffic" "$(field found.json '[l.get("reverse_traffic_at") for l in t["links"]]')" \
  "[None, 'h5', None]"
is "JSON: what is left out" "$(field found.json 't["model_error_left_out"]')" "{'port': 0.06, 'flow': 0.031}"
is "JSON: what it is" "$(field found.json '(t["format"], t["version"])')" "('berth-calibration', 1)"
is "JSON: numbers are rounded" "$(field found.json 'all(len(repr(s["total"]["bandwidth"]).strip("0.").replace(".", "")) <= 5 for s in t["switches"])')" True

# A port of which no two experiments say the same isn't written.
check "a shaky port" calibrate -- --machine shaky=h3:in > found.txt
check "it is said" grep -qE '^  h3 in: not identified, up to [0-9.]* MB/s seen: ' found.txt
check "its type" grep -qx '  host (h3): h3.*' found.txt
is "it isn't written" "$(field out.json '"in" in t["types"]["host (h3)"]["up"]')" False
is "others are" "$(field out.json '"in" in t["types"]["host"]["up"]')" True
calibrate --json -- --machine shaky=h3:in > found.json
is "JSON: the port" "$(field found.json '[p["port"] for p in t["unidentified"]]')" "['h3 in']"

# A host that had more to do than cores is named: what is measured there may be too slow.
busy='h1 had more running processes than cores before this began (load 5.3, 2 cores): measured times may be too long'
for load in 0 2 2.1 5.3; do
  calibrate --time-limit 60 -- --machine load=$load > found.txt
  is "load $load: lines" "$(grep -c 'had more running processes than cores' found.txt)" "$(case $load in 0 | 2) echo 0 ;; *) echo 1 ;; esac)"
done
is "scripts say the same" "$("$BERTH_SOURCE_DIR/testbed/busy.sh" 5.3 2)" "${busy/h1/this machine}"
is "scripts say nothing" "$("$BERTH_SOURCE_DIR/testbed/busy.sh" 2 2)" ""
check "the busy host is named" grep -qxF "$busy" found.txt
calibrate --time-limit 60 --json -- --machine load=5.3 > found.json
is "JSON: the load" "$(field found.json 't["load"]')" "{'processes': 5.3, 'cores': 2, 'busy': True}"

# Too little time: what is missing, and why. One sample has no spread, and makes nothing certain.
code=0
calibrate --time-limit 1 -- --machine A=4.65e6 > found.txt 2> err || code=$?
is "too little time: the code" $code 1
check "too little time: the other machine's errors are gone" [ "$(grep -c model_error out.json)" -eq 0 ]
check "too little time: that is said" grep -qx \
  "model_error is left out: +-6% (port), +-3.1% (flow) held for other curves, validate again" found.txt
check "what is missing is named with the limit" grep -qE \
  '^berth calibrate: not measured: .*: no time left, the limit is 1 s \(--time-limit\)$' err
sed -i '1s/"model_error": {[^}]*},//' blank.json
calibrate --time-limit 1 -- --machine A=4.65e6 > found.txt 2> err
check "too little time: it has no model_error" grep -qx "no model_error: its trials begin when everything is measured" found.txt
finish
