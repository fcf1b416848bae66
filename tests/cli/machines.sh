#!/usr/bin/env bash
# Which machine a mapping is for, and with which PUs it was made: every command refuses another machine,
# `write --onto` translates, and the default order has the same PUs as the mapping.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cp "$data/cases/halo16-linear.acp" p.acp

# machine FILE NAME HOSTS CORES [SWITCH]: so many hosts below one switch, or some below another
cat > machine.py <<'PY'
import json, sys
path, name, host, hosts, cores, below, bandwidth = sys.argv[1:]
port = {"out": "c", "in": "c"}
def element(i):
    return {"type": "h", "name": f"{host}{i}", "host": f"{host}{i}",
            "children": [{"pu": k, "core": k} for k in range(int(cores))]}
all_hosts = [element(i) for i in range(int(hosts))]
children = all_hosts[int(below):]
if int(below):
    children = [{"type": "s", "name": "leaf", "children": all_hosts[:int(below)]}] + children
json.dump({"format": "berth-topology", "version": 1, "name": name,
           "curves": {"c": {"source": "clock", "points": [[1, 1e5], [1e6, float(bandwidth)]]}},
           "types": {"h": {"up": port, "down": port}, "s": {"up": port, "down": port}},
           "root": {"type": "s", "name": "top", "children": children}}, open(path, "w"))
PY
machine() { python3 machine.py "$@"; }
machine t.json here n 8 4 0 1e7
machine faster.json measured n 8 4 0 1e9
machine renamed.json there m 8 4 0 1e7
machine tree.json deeper n 8 4 4 1e7
machine deep.json 'other switches' m 8 4 4 1e7
machine fewer.json fewer m 7 4 0 1e7
machine cores.json wider m 8 5 0 1e7
"$berth" map --pattern p.acp --topology t.json --mapping m.json > map.txt || exit 1

given="found a mapping for 'here' (hosts n[0-7]), expected one for"
again="map again, or translate it with berth write --onto"
while IFS='|' read -r machine other words; do # MACHINE|WHICH IT IS|COMMAND
  for verb in "cost --mapping" compare "report -o r.html" "explore --samples 10" "map --from" \
    "check --budget cost=9s --mapping"; do
    read -r command rest <<< "$verb"
    option=; case $rest in --*) option="${rest##* } "; [ "$rest" = "--samples 10" ] && option= ;; esac
    # shellcheck disable=SC2086
    expect 3 "berth $command: ${option}m.json: machine: $given $other: $again" \
      "$berth" $command --pattern p.acp --topology "$machine" $rest m.json
  done
  expect 3 "berth write: --mapping m.json: machine: $given $other: $again" \
    "$berth" write --mapping m.json --topology "$machine" rankfile=r
done <<'TABLE'
renamed.json|'there' (hosts m[0-7])
tree.json|'deeper' (hosts n[0-7])
fewer.json|'fewer' (hosts m[0-6])
TABLE
check "nothing was written" [ ! -e r ] && [ ! -e r.html ]
expect 0 "" "$berth" cost --pattern p.acp --topology faster.json --mapping m.json
sed 's/"version": 1,/"version": 1, "unfinished": true,/' m.json > unfinished.json
"$berth" write --mapping unfinished.json --topology t.json --onto renamed.json mapping=u.json > out
check "an unfinished mapping stays one" grep -q '"unfinished": true' u.json
sed 's/"version": 1,/"version": 1, "unfinished": 7,/' m.json > seven.json
expect 3 'berth cost: --mapping seven.json: unfinished: found 7, expected true or false' \
  "$berth" cost --pattern p.acp --topology t.json --mapping seven.json
sed '/"machine"/d' m.json > numbers.json
expect 0 "" "$berth" cost --pattern p.acp --topology renamed.json --mapping numbers.json

# --onto: the same cores of the hosts that correspond
"$berth" write --mapping m.json --topology t.json rankfile=here.rankfile > out
"$berth" write --mapping m.json --topology t.json --onto renamed.json rankfile=there.rankfile mapping=n.json > out
check "translated" cmp -s there.rankfile <(sed 's/=n\([0-9]\)/=m\1/' here.rankfile)
expect 0 "" "$berth" cost --pattern p.acp --topology renamed.json --mapping n.json
expect 0 "note: hosts correspond, but the trees of switches differ: berth map may find a better placement" \
  "$berth" write --mapping m.json --topology t.json --onto deep.json rankfile=r2
check "and translated all the same" cmp -s r2 there.rankfile
expect 3 "berth write: --onto fewer.json: found 8 hosts in 'here' and 7 in 'fewer', expected equally many, \
which correspond one to one" "$berth" write --mapping m.json --topology t.json --onto fewer.json rankfile=r3
expect 3 "berth write: --onto cores.json: found host n0 with 4 PUs and host m0 with 5, expected the same \
cores on hosts that correspond (number 0 of both)" \
  "$berth" write --mapping m.json --topology t.json --onto cores.json rankfile=r3
expect 3 "berth write: --onto p.acp: found a pattern, expected a topology (from berth topo)" \
  "$berth" write --mapping m.json --topology t.json --onto p.acp rankfile=r3
check "nothing was written" [ ! -e r3 ]

# the default order has the PUs that the mapping was made with
linear() { python3 -c 'import json, sys; d = json.load(sys.stdin)
print(d.get("linear_cost_s") or d["results"][0]["linear_cost_s"])'; }
for scope in "--hosts n[4-7]" "--reserve 2" "--ranks-per-pu 2 --hosts n[2-3]" "--hosts n[1-6] --reserve 1"; do
  # shellcheck disable=SC2086
  expected=$("$berth" map --pattern p.acp --topology t.json $scope --mapping s.json --json | linear)
  found=$("$berth" cost --pattern p.acp --topology t.json --oversubscribe --mapping s.json --json | linear)
  check "cost: linear within $scope: $found, not $expected" [ "$found" = "$expected" ]
  found=$("$berth" compare --pattern p.acp --topology t.json --oversubscribe s.json --json | python3 -c '
import json, sys
print(*[p["cost_s"]["port"] for p in json.load(sys.stdin)["placements"] if p["mapping"] == "linear"])')
  check "compare: linear within $scope: $found, not $expected" [ "$found" = "$expected" ]
  "$berth" write --mapping s.json --topology t.json --oversubscribe --onto renamed.json mapping=o.json > out
  found=$("$berth" cost --pattern p.acp --topology renamed.json --oversubscribe --mapping o.json --json | linear)
  check "cost: translated within $scope: $found, not $expected" [ "$found" = "$expected" ]
done
expect 0 "note: the mappings were made with different --hosts, --reserve or --ranks-per-pu; the default order \
gets all PUs" "$berth" cost --pattern p.acp --topology t.json --oversubscribe --mapping s.json --mapping m.json
finish
