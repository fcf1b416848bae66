#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# `berth calibrate` on a testbed at 50 Mbit/s whose switch B forwards 60 Mbit/s in all, blind. It is
# short; docs/calibrate.md has what a quiet machine gives. A limit has to be within 10% of its
# shaper's rate, 15% for B's, plus the spread that berth measured. B's samples have to agree: the first
# one is taken before anything is known of its limit, which slows flows to a third. Cores that six times as many
# processes want can't fill the links: then the bounds only tell one cause from another (B's ports allow
# 150 Mbit/s, A's 250). Whether they did is known after the calibration, too, when the load of the last
# minute is its own.
. "$BERTH_SOURCE_DIR/tests/testbed/lib.sh"
[ -x "$BERTH_BUILD_DIR/lib/berth/openmpi/berth-measure" ] || skip "built without MPI"
read -r before _ < /proc/loadavg
up_or_skip
"$testbed" down
"$testbed" --rate 50 up > /dev/null
"$testbed" limit B all 60
cd "$work" || exit 1
cat > blank.json <<'JSON'
{"format": "berth-topology", "version": 1, "name": "testbed",
 "types": {"host": {}, "switch": {}, "backbone": {}},
 "root": {"type": "backbone", "name": "C", "children": [
  {"type": "switch", "name": "A", "children": [
    {"type": "host", "name": "h%d", "host": "h%d", "repeat": 5,
     "children": [{"pu": 0, "core": 0}, {"pu": 1, "core": 1}]}]},
  {"type": "switch", "name": "B", "children": [
    {"type": "host", "name": "h%d", "host": "h%d", "repeat": 3,
     "children": [{"pu": 0, "core": 0}, {"pu": 1, "core": 1}]}]}]}}
JSON
# A rank a host is enough for what hosts and switches can carry.
for host in {0..7}; do echo "rank $host=h$host slot=0"; done > hosts.rankfile
"$berth" calibrate -t blank.json -o out.json --time-limit 60 -- "$testbed" run hosts.rankfile \
  > found 2> err || { cat found err; }
read -r after _ < /proc/loadavg
load=$(printf '%s\n' "$before" "$after" | sort -g | tail -n 1)
bounds=close; awk "BEGIN { exit !($load > 6 * $(nproc)) }" && bounds=wide
echo "load: $before before, $after after: $bounds bounds"
python3 - out.json found "$bounds" err "$load" <<'PY' || { cat found err; failures=$((failures + 1)); }
import json, os, re, sys
t = json.load(open(sys.argv[1]))
mbit = 125000 * 1448 / 1514
host, B, A = {"close": ((45, 55), (51, 69), None),
              "wide": ((40, 60), (45, 110), (180, 260))}[sys.argv[3]]
busy = float(sys.argv[5]) > os.cpu_count()
def between(what, value, least, most, measured=None):
    spread = (measured or {}).get("spread") or 0
    print(f"{what}: {value / mbit:.2f} Mbit/s +-{spread:.1%}, expected {least} to {most}")
    assert value * (1 + spread) >= least * mbit and value * (1 - spread) <= most * mbit, what
text = open(sys.argv[2]).read()
# Ports that other traffic got in the way of are types of their own, and one without a limit is named.
for name, type in t["types"].items():
    if not name.startswith("host"): continue
    up = type["up"].get("max_bandwidth")  # of both directions, of each, or what their curves reach
    if up is None: ways = {way: max(point[1] for point in t["curves"][type["up"][way]]["points"])
                           for way in ("out", "in") if way in type["up"]}
    else: ways = up if isinstance(up, dict) else {"out": up, "in": up}
    for way in "out", "in":
        measured = type["up"].get("max_bandwidth_measured", {})
        if way in ways: between(f"{name} {way}", ways[way], *host, measured.get(way, measured))
        else:
            print(f"{name} {way}: no limit, expected only where that is said of one host")
            assert re.search(rf"^  {name[6:-1]} {way}: not identified", text, re.M), name
kinds = {c["name"]: c["type"] for c in t["root"]["children"]}
b_type, a_type = t["types"][kinds["B"]], t["types"][kinds["A"]]
b = b_type.get("max_bandwidth")
said = re.search(r"^  B: ([0-9.]+) MB/s (?:\+-([0-9.]+)% |measured once )?where .*: too uncertain for a "
                 r"max_bandwidth$", text, re.M)
# A machine that is busy may need all of its time for the ports.
late = re.search(r"not measured: (B, |.*what switches carry).*: no time left", open(sys.argv[4]).read())
if late: print(f"B in all: {late[0]}")
assert not late or busy, "there was time, with less than a process more than each core runs"
assert b is not None or said or late, "B's limit is there, or said to be uncertain, or not to be measured"
assert b is None or not said, "a limit that is there isn't uncertain" # it may be there without its last experiments
if said and not said[2]: print("B in all: measured once, which says nothing of it")
if said and said[2]:
    between("B in all, uncertain", float(said[1]) * 1e6, *B, {"spread": float(said[2]) / 100})
if b is not None:
    measured = b_type.get("max_bandwidth_measured")
    between("B in all", b, *B, measured)
    assert sys.argv[3] == "wide" or measured["spread"] <= 0.05, "B's samples agree"
    assert b / mbit < 110, "B's limit isn't what its ports allow"
a = a_type.get("max_bandwidth")
assert a is None or A, "A has no limit"
if a is not None:
    between("A in all", a, *A, a_type.get("max_bandwidth_measured"))
PY
checks=$((checks + 1))
finish
