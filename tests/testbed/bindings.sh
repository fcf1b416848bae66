#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# A rankfile that berth wrote, given to the real mpirun on the testbed: --report-bindings must show
# each of the ladder's 16 ranks on the host and core of the mapping, and the host's name and the
# affinity that the rank itself sees must be those. So for the best and for two random mappings.
. "$BERTH_SOURCE_DIR/tests/testbed/lib.sh"
topology=$BERTH_SOURCE_DIR/testbed/topology.json
make_ladder
up_or_skip

# compare.py TOPOLOGY MAPPING REPORT OUTPUT. Numbers the PUs by the format's rules, apart from berth.
cat >"$work/compare.py" <<'PYTHON'
import json, os, re, sys

topology, mapping = (json.load(open(name)) for name in sys.argv[1:3])
pus, taken = [], {}

def expand(element, host):
    for copy in range(element.get("repeat", 1)):
        here = host
        if "host" in element:
            pattern = element["host"]
            number = element.get("first", taken.get(pattern, 0)) if copy == 0 else number + 1
            taken[pattern] = number + 1
            here = pattern.replace("%d", str(number))
        for child in element.get("children", []):
            if "pu" in child:
                pus.append((here, child["core"]))
            else:
                expand(child, here)

expand(topology["root"], None)
assert len(pus) == 16, pus
expected = {rank: pus[pu] for rank, pu in enumerate(mapping["pu_of_rank"])}
assert len(expected) == 16 and len(set(expected.values())) == 16, expected

form = re.compile(r"\[(h\d):\d+\] MCW rank (\d+) bound to socket \d+\[core (\d+)\[hwt [\d-]+\]\]:")
reported = {}
for line in open(sys.argv[3]):
    if "MCW rank" in line:
        match = form.match(line)
        assert match and line.count("[core ") == 1, "not one core: " + line
        host, rank, core = match[1], int(match[2]), int(match[3])
        assert rank not in reported, "reported twice: " + line
        reported[rank] = (host, core)

# The n-th core is the one with the n-th lowest CPU, as hwloc counts on all common machines.
core_of, cores = {}, []
for cpu in sorted(os.sched_getaffinity(0)):
    path = "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list" % cpu
    siblings = open(path).read() if os.path.exists(path) else str(cpu)
    if siblings not in cores:
        cores.append(siblings)
    core_of[cpu] = cores.index(siblings)
seen = {}
for line in open(sys.argv[4]):
    if line.startswith("seen "):
        _, rank, host, cpus = line.split()
        first = int(re.split("[,-]", cpus)[0])
        seen[int(rank)] = (host, core_of[first])

for name, found in ("reported", reported), ("seen", seen):
    for rank in sorted(set(expected) | set(found)):
        if found.get(rank) != expected.get(rank):
            sys.exit("%s: rank %d: %s, expected %s" % (name, rank, found.get(rank), expected.get(rank)))
PYTHON

cat >"$work/rank.sh" <<'SH'
echo "seen $OMPI_COMM_WORLD_RANK $(hostname) $(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status)"
exec "$(dirname "$0")/ladder" 8192 1
SH

compare() { # ALGORITHM SEED
  "$berth" map --pattern "$BERTH_SOURCE_DIR/examples/ladder/pattern.acp" --topology "$topology" \
    --algorithm "$1" --seed "$2" --mapping "$work/m.json" --rankfile "$work/rankfile" >/dev/null
  check "$1 $2: the run" "$testbed" run "$work/rankfile" sh "$work/rank.sh" \
    >"$work/output" 2>"$work/report"
  check "$1 $2: the ladder ran" grep -q "seconds per iteration" "$work/output"
  check "$1 $2: bindings" python3 "$work/compare.py" "$topology" "$work/m.json" "$work/report" \
    "$work/output"
  check "$1 $2: 16 lines each" \
    [ "$(grep -c 'MCW rank' "$work/report") $(grep -c '^seen' "$work/output")" = "16 16" ]
}
compare best 1
compare random 1
compare random 2
cp "$work/m.json" "$work/other.json"
"$berth" map --pattern "$BERTH_SOURCE_DIR/examples/ladder/pattern.acp" --topology "$topology" \
  --algorithm random --seed 3 --mapping "$work/m.json" >/dev/null
check "another mapping is told apart" \
  eval '! python3 "$work/compare.py" "$topology" "$work/m.json" "$work/report" "$work/output" 2>/dev/null'
finish
