#!/usr/bin/env bash
# `berth topo`: discover (alone, through both MPIs, for a Slurm tree), check, show.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
topo() { "$berth" topo "$@"; }
# field FILE EXPRESSION: a Python expression over the file as t
field() { python3 -c 'import json, sys; t = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }

# this machine
name=$(hostname)
topo discover -o this.json 2> summary
check "the summary names file and hosts" grep -qE '^this.json: 1 host, [0-9]+ PUs?, .*not measured\)$' summary
is "host" "$(field this.json 't["root"]["host"]')" "$name"
is "default curves are marked" "$(field this.json 'set(c["source"] for c in t["curves"].values())')" \
  "{'default, not measured'}"
topo discover > stdout.json 2> /dev/null
check "standard output has the same" cmp -s this.json stdout.json
is "allowed PUs" "$(taskset -c 0 "$berth" topo discover 2> /dev/null | topo show --json - |
  field /dev/stdin 't["pus"]')" 1

# through launchers: the hosts of a job
for launcher in mpirun.openmpi mpiexec.mpich; do
  command -v $launcher > /dev/null || continue
  check "discover by $launcher" topo discover -o job.json -- $launcher -np 3 2> /dev/null
  check "$launcher finds what is here" cmp -s this.json job.json
  check "a program given is not started" topo discover -o job.json -- $launcher -np 2 \
    touch "$work/started" 2> /dev/null
  check "nothing was started" [ ! -e started ]
done
expect 2 "berth topo: found './none.sh' behind --, expected mpirun, mpiexec or srun" \
  topo discover -- ./none.sh

# files of other kinds than expected: WORDS|LINE, behind "berth topo: "
cp "$BERTH_SOURCE_DIR/tests/topo/data/two-sockets.xml" node.xml
cp "$data/cases/chain5.topo.json" t.json
cp "$data/cases/chain5.acp" p.acp
like='`berth topo make --like node.xml host:1` makes a topology of it'
while IFS='|' read -r words line; do
  # shellcheck disable=SC2086
  expect 3 "berth topo: $line" topo $words
done << TABLE
show node.xml|node.xml: found hwloc XML, expected a topology; $like
check node.xml|node.xml: found hwloc XML, expected a topology; $like
import node.xml|node.xml: found hwloc XML, expected another tool's description; $like
make node.xml|node.xml: found hwloc XML, expected a description of a machine; $like
make t.json core:2|t.json: found a topology, expected a description of a machine (--like takes a topology)
make p.acp|p.acp: found a pattern, expected a description of a machine
make nodes:3 cores:4|nodes:3: found a switch without hosts in it, expected node:COUNT in place of it
TABLE
check "what is named works" topo make --like node.xml host:1 -q -o made.json
is "hwloc XML from a pipe" "$(topo show - < node.xml 2>&1)" \
  "berth topo: standard input: found hwloc XML, expected a topology; ${like/node.xml/FILE}"

# several hosts: processes of a launcher in their own UTS namespaces, with machines made up
cat > remote.sh <<'SH'
#!/usr/bin/env bash
# stands in for ssh: remote.sh [OPTION...] HOST COMMAND...
while [[ $1 == -* ]]; do shift; done
host=$1; shift
[ "$host" = node10 ] && export HWLOC_SYNTHETIC="pack:2 [numa] l3:1 core:8 pu:2" ||
  export HWLOC_SYNTHETIC="pack:1 l3:1 core:4 pu:1"
exec unshare --uts bash -c 'hostname "$0" && eval "$@"' "$host" "$*"
SH
chmod +x remote.sh
cat > topology.conf <<'CONF'
SwitchName=leaf0 Nodes=node[1-2]
SwitchName=leaf1 Nodes=node[9-10]
SwitchName=spine Switches=leaf[0-1]
SwitchName=elsewhere Nodes=other[1-100]
CONF
several_hosts() { # NAME LAUNCHER…
  local what=$1; shift
  topo discover -o hosts.json -- "$@" > log 2>&1 || cat log
  is "$what: hosts" "$(topo show --json hosts.json | field /dev/stdin 't["host_names"]')" \
    "['node1', 'node2', 'node10']"
  is "$what: PUs" "$(topo show --json hosts.json | field /dev/stdin 't["pus"]')" 40
  topo discover -o tree.json --slurm topology.conf -- "$@" > log 2>&1 || cat log
  topo show tree.json > tree.txt
  check "$what: equal hosts are one line" grep -qF -- '|   `-- 2 x host node1 ... node2' tree.txt
  check "$what: unused switches are gone" [ "$(grep -c elsewhere tree.txt)" -eq 0 ]
  check "$what: other hosts are apart" grep -qF -- '`-- host-2 node10' tree.txt
  check "$what: a large host is whole" grep -qF -- '2 x package 0 ... package 1: pu 0-31, core 0-15' tree.txt
}
if unshare --uts true 2> /dev/null; then
  command -v mpiexec.mpich > /dev/null && several_hosts MPICH mpiexec.mpich -launcher ssh \
    -launcher-exec "$work/remote.sh" -disable-hostname-propagation \
    -hosts node10,node1,node2 -iface lo -np 12
  command -v mpirun.openmpi > /dev/null && several_hosts "Open MPI" mpirun.openmpi \
    --mca plm_rsh_agent "$work/remote.sh" --mca oob_tcp_if_include lo \
    -H node10:4,node1:4,node2:4 -np 12
else
  echo "not checked: hosts of their own names (no right to make UTS namespaces)"
fi

# a login node: hosts of a Slurm file like one of them
HWLOC_SYNTHETIC="pack:2 [numa] l3:1 core:2 pu:2" topo discover -o node.json 2> /dev/null
topo discover --slurm topology.conf --like node.json -o all.json 2> /dev/null
is "all hosts" "$(topo show --json all.json | field /dev/stdin '(t["hosts"], t["pus"])')" "(104, 832)"
topo discover --slurm topology.conf --like "$BERTH_SOURCE_DIR/tests/topo/data/two-sockets.xml" \
  --hosts 'node[2,9]' -o two.json 2> /dev/null
is "some hosts" "$(topo show --json two.json | field /dev/stdin '(t["host_names"], t["pus"])')" \
  "(['node2', 'node9'], 16)"
is "they hang on the tree" "$(field two.json '[c["name"] for c in t["root"]["children"]]')" \
  "['leaf0', 'leaf1']"
topo discover --like node.json --hosts 'a[1-3],b' --name mine -o flat.json 2> /dev/null
is "without a Slurm file" "$(field flat.json '(t["name"], len(t["root"]["children"]))')" \
  "('mine', 4)"
topo discover --like this --hosts x -o x.json 2> /dev/null
is "like this machine" "$(field x.json 't["root"]["children"]')" \
  "$(field this.json 't["root"]["children"]')"
sed 's/default, not measured/measured today/' node.json > measured.json
topo discover --slurm topology.conf --like measured.json -o m.json 2> /dev/null
is "measured curves stay so" "$(topo show --json m.json | field /dev/stdin 't["measured"]')" True

# damaged XML, on which hwloc may crash: a topology, or one line and code 3
cat > damage.py <<'PY'
import random, subprocess, sys
berth, source = sys.argv[1:]
whole = open(source, "rb").read()
random.seed(1)
wrong, refused = 0, 0
for k in range(100):
    data = bytearray(whole)
    if k % 4 == 0:
        data = data[: random.randrange(len(data))]
    else:
        data[random.randrange(200, len(data))] ^= 1 << random.randrange(8)
    open("damaged.xml", "wb").write(data)
    out = subprocess.run([berth, "topo", "discover", "--like", "damaged.xml", "--hosts", "a",
                          "-o", "/dev/null"], capture_output=True, text=True)
    refused += out.returncode == 3
    if out.returncode not in (0, 3) or out.stderr.count("\n") != 1:
        wrong += 1
        print(k, out.returncode, out.stderr[:300])
sys.exit(wrong > 0 or refused < 25)
PY
check "damaged XML" python3 damage.py "$berth" "$BERTH_SOURCE_DIR/tests/topo/data/two-sockets.xml"

# wrong usage
usage() { # LINE WORD…: the first line of the error
  local line=$1; shift
  is "topo $*" "$(topo "$@" 2>&1 > /dev/null | head -n 1)" "berth topo: $line"
  topo "$@" > /dev/null 2>&1
  is "code of topo $*" $? 2
}
usage "expected discover, make, import, export, check or show"
usage "found 'draw', expected discover, make, import, export, check or show" draw
usage "expected a topology file" check
usage "found several files, expected one" show a b
usage "found --output with check" check -o x this.json
usage "found --name with export" export -f tleaf --name x this.json
usage "found --hosts with import" import --hosts a this.json
usage "--like: found '-', expected a file" discover --like - --hosts a
usage "found --hosts without --like" discover --hosts a
usage "found --like without hosts, expected --slurm, --fabric or --hosts" discover --like this
usage "found --like or --hosts with a launcher, expected one of them" \
  discover --like this --slurm topology.conf -- mpirun
usage "--hosts: found \"[1-2\", expected a ']' behind it" discover --like this --hosts 'n[1-2'

# bad input: the line and the code
expect 3 "berth topo: topology.conf: found no host \"$name\", expected every host on one of the switches; --like FILE describes the file's hosts, \`-- mpirun ...\` looks at those of a job" \
  topo discover --slurm topology.conf
expect 4 "berth topo: none.conf: cannot open: No such file or directory" \
  topo discover --slurm none.conf
expect 4 "berth topo: no/where.json: cannot write: No such file or directory" \
  topo discover -o no/where.json
bad() { # LINE SED-EXPRESSION: this.json changed
  sed -e "$2" node.json > bad.json
  check "$2 changes something" [ "$(cmp -s bad.json node.json && echo same)" = "" ]
  expect 3 "berth topo: bad.json: $1" topo check bad.json
  expect 3 "berth topo: bad.json: $1" topo show bad.json
}
bad 'version: found 2, expected version 1, the one this berth reads' 's/"version": 1/"version": 2/'
bad 'types.host.up.out: found "wire", expected the name of one of the curves' \
  's/{"out": "ethernet"/{"out": "wire"/'
bad 'types.host.up.max_bandwidth: found 1250, expected at least 1130000000, the largest bandwidth of curve "ethernet"' \
  's/1250000000/1250/'
bad 'curves.ethernet.points[1]: found size 1 after size 1, expected sizes to increase' \
  's/\[64, 4250000\]/[1, 4250000]/'
bad 'root.children[0]: found 4000000000000 PUs with all repeats, expected at most 16777216' \
  's/"name": "package 0"/"repeat": 1000000000000/'
bad 'root.host: found "a%d%d", expected at most one %d' 's/"host": "[^"]*"/"host": "a%d%d"/'
bad 'root.children[0].children[0].children[1]: found pu 0 a second time in host "'"$name"'", expected different ones' \
  's/{"pu": 1, /{"pu": 0, /'
expect 4 "berth topo: none.json: cannot open: No such file or directory" topo check none.json
check "check goes on behind a bad file" [ "$(topo check bad.json this.json none.json 2> /dev/null |
  grep -c '^this.json: ok: 1 host')" -eq 1 ]
topo check bad.json this.json none.json > /dev/null 2>&1
is "the worst code" $? 4
topo check this.json > /dev/null
is "a good file" $? 0

# the example in the documentation is what it says
python3 - "$BERTH_SOURCE_DIR/docs/formats/topology.md" > shown.txt <<'PY'
import re, sys
text = open(sys.argv[1]).read()
open("two-subnets.json", "w").write(re.search(r"```json\n(.*?)```", text, re.S).group(1))
print(re.search(r"show two-subnets.json\n(.*?)```", text, re.S).group(1), end="")
PY
check "the documented example" diff shown.txt \
  <(topo show two-subnets.json | head -n "$(wc -l < shown.txt)")

# show: what a case's file looks like
cat > expected.txt <<'TEXT'
xserve 5+3: 8 hosts, 16 PUs, depth 3, 2 curves

backbone
|-- switch subnet-a
|   `-- 5 x host h0 ... h4
|       `-- 2 PUs: pu 0-1, core 0-1
`-- switch subnet-b
    `-- 3 x host h5 ... h7
        `-- 2 PUs: pu 0-1, core 0-1

Shared links (all below : own)
  a switch's 5 hosts share 100 Mbit/s: 5:1
  a switch's 3 hosts share 100 Mbit/s: 3:1

Ports by type (out: uplink, towards the root; in: downlink)
                  one pair of ranks         all ranks    curve
  host
    up   out, in  93.00 kB/s to 11.70 MB/s   12.50 MB/s  eth
    down out, in  500.0 kB/s to 2.400 GB/s   2.400 GB/s  bus
    all           across the switch          3.200 GB/s
TEXT
topo show "$data/cases/chain5.topo.json" | head -n "$(wc -l < expected.txt)" > shown.txt
check "a known tree" diff expected.txt shown.txt
sed -E 's/("up": \{)/\1"reverse_traffic": 0.02, "max_bandwidth_measured": {"in": {"samples": 3, "spread": 0.01}}, /' \
  "$data/cases/chain5.topo.json" > ways.json
check "both ways" grep -qx '    up   reverse  2% of the traffic in one direction is added to the other' \
  <(topo show ways.json)
check "directions measured apart" [ "$(topo show ways.json |
  grep -cE '^    up   (out|in)       .* 12.50 MB/s  eth( \(\+-1%, 3 samples\))?$')" -gt 1 ]
is "both ways as JSON" \
  "$(topo show --json ways.json | field /dev/stdin 't["types"][0].get("up_reverse_traffic")')" 0.02
sed 's/"version"/"model_error": {"port": 0.06, "flow": 0.031, "bound": 0},\n &/' \
  "$data/cases/chain5.topo.json" > validated.json
check "models' errors" grep -qx \
  'Predictions were validated here; nine of ten times lay within +-6% (port), +-3.1% (flow)' \
  <(topo show validated.json)
sed 's/"flow"/"foo"/' validated.json > foo.json
check "a model that isn't there is noted" grep -qxF \
  "foo.json: note: model_error.foo isn't used: expected port, bound, sum or flow" <(topo check foo.json)
is "models' errors as JSON" "$(topo show --json validated.json | field /dev/stdin 't["model_error"]')" \
  "{'port': 0.06, 'flow': 0.031}"
check "nothing is said of errors that nobody measured" \
  [ "$(topo show "$data/cases/chain5.topo.json" | grep -c validated)" -eq 0 ]
check "unmeasured curves are pointed out" grep -q '^Nobody measured the curves marked so' <(topo show this.json)
check "measured ones are not" [ "$(topo show "$data/cases/chain5.topo.json" | grep -c measured)" -eq 0 ]

# show: what was measured of a host, as tables and curves
python3 "$BERTH_SOURCE_DIR/tests/report/node_records.py" "$work"
topo show big.json > all.txt
topo show --node big.json > node.txt
check "the node alone" [ "$(head -n 1 node.txt)" = "Hosts of type fat. Node: Made Up 9000" ]
check "is a part of all" [ "$(sed -n '/^Hosts of type/,$p' all.txt)" = "$(cat node.txt)" ]
check "no line is wider than 80 columns" [ "$(awk 'length($0) > 80' node.txt)" = "" ]
curve_of() { awk -v title="$1" 'index($0, title) { on = 1; next } on && !/[|+]/ { exit } on' node.txt; }
check "a curve's axis" [ "$(curve_of 'copies by one core, hot buffers' | grep -oE '^ *[0-9.]+ GB/s' | tr -s ' ' | tr '\n' ,)" = \
  " 130.0 GB/s, 59.95 GB/s, 27.65 GB/s, 12.75 GB/s," ]
while IFS='|' read -r title points; do
  check "curve of $title" [ "$(curve_of "$title" | grep -o '[*]' | wc -l)" = "$points" ]
done << 'TABLE'
copies by one core, hot buffers: the fastest kernel, by size|17
copies by one core, cold buffers: the fastest kernel, by size|17
copies by several cores, neighbours first: all of them, by cores|8
copies by several cores, far ones first: all of them, by cores|8
Open MPI 4.1.4: 128.0 KiB by datatype, times a contiguous message, by block|8
MPICH 4.0.2: 128.0 KiB by datatype, times a contiguous message, by block|8
TABLE
check "all cores at its end" grep -qE '^ +73.00 GB/s \+ .*[*]$' <(curve_of 'copies by several cores, neighbours')
check "the best kernel in a table" grep -qxE ' +1.000 KiB +130.0 GB/s avx512 +1.30 +9.750 GB/s avx512 +1.30' node.txt
check "one table for each other NUMA node" grep -qx '  from NUMA node 1 to 0' node.txt
is "all of it as JSON" "$(topo show --json big.json |
  field /dev/stdin '[x["node"] for x in t["types"] if "node" in x] == [json.load(open("big.json"))["types"]["fat"]["node"]]')" True
check "two hosts of two types" [ "$(topo show --node both.json | grep -c '^Hosts of type ')" = 2 ]
expect 3 "berth topo: plain.json: found no measurements of a host, expected those of berth calibrate node" \
  topo show --node plain.json
usage "found --json and --node, expected one of them" show --json --node big.json
usage "found --node with check" check --node big.json
topo show --node odd.json > odd.txt
check "a record at the edge of the format" [ "$(grep -cE 'nan|inf' odd.txt)" = 0 ]
check "has a point, and no curve" [ "$(grep -c 'Curves of the node' odd.txt)" = 0 ]
finish
