#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# `berth calibrate` on a testbed at 50 Mbit/s whose switch B forwards 60 Mbit/s in all, blind. It
# is short, and other work may keep this machine's cores from filling the links. So the bounds only
# tell one cause from another: B's ports allow 150 Mbit/s, A's 250. docs/calibrate.md has what a quiet
# machine gives.
. "$BERTH_SOURCE_DIR/tests/testbed/lib.sh"
[ -x "$BERTH_BUILD_DIR/lib/berth/openmpi/berth-measure" ] || skip "built without MPI"
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
"$berth" calibrate -t blank.json -o out.json --time-limit 100 -- "$testbed" run --linear 16 \
  > found 2> err || { cat found err; }
python3 - out.json found <<'PY' || { cat found; failures=$((failures + 1)); }
import json, re, sys
t = json.load(open(sys.argv[1]))
mbit = 125000 * 1448 / 1514
def between(what, value, least, most):
    print(f"{what}: {value / mbit:.2f} Mbit/s, expected {least} to {most}")
    assert least <= value / mbit <= most, what
for name, type in t["types"].items():
    if name.startswith("host"):
        between(name, type["up"]["max_bandwidth"], 40, 60)
kinds = {c["name"]: c["type"] for c in t["root"]["children"]}
b = t["types"][kinds["B"]].get("max_bandwidth")
said = re.search(r"^  B: .*: too uncertain for a max_bandwidth$", open(sys.argv[2]).read(), re.M)
assert (b is None) == (said is not None), "B's limit is there, or said to be uncertain"
if b is not None:
    between("B in all", b, 45, 110)
a = t["types"][kinds["A"]].get("max_bandwidth")
if a is not None:
    between("A in all", a, 180, 260)
PY
checks=$((checks + 1))
finish
