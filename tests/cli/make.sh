#!/usr/bin/env bash
# `berth topo make`: machines of a few words, from arguments and files, and those of examples/machines.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
make() { "$berth" topo make "$@"; }
# field FILE EXPRESSION: a Python expression over what `topo show --json` prints as t
field() {
  "$berth" topo show --json "$1" |
    python3 -c 'import json, sys; t = json.load(sys.stdin); print(eval(sys.argv[1]))' "$2"
}

# the words of the command line
make rack:3 host:10 socket:2 core:16 --link rack=2x100Gbit/s,1.5us host=100Gbit/s -o m.json 2> summary
is "the summary" "$(cat summary)" \
  "m.json: 30 hosts, 960 PUs, depth 4, 4 curves (2 stated, 2 default, not measured)
a rack's 10 hosts share 2 x 100 Gbit/s: 5:1"
is "a ratio without an exponent" "$("$berth" topo make leaf:2 host:4 core:2 host=100GbE leaf=100Mbit/s -o large.json 2>&1 | tail -n 1)" \
  "a leaf's 4 hosts share 100 Mbit/s: 4000:1"
is "what show says" "$("$berth" topo show m.json | grep share)" "  a rack's 10 hosts share 2 x 100 Gbit/s: 5:1"
is "what show --json says" "$(field m.json 't["shared_links"]')" \
  "[{'type': 'rack', 'first': 'rack0', 'elements': 3, 'children': 10, 'child_type': 'host', 'children_bandwidth': 125000000000, 'bandwidth': 25000000000, 'oversubscription': 5}]"
is "nothing is measured" "$(field m.json 't["measured"]')" False
check "the file keeps the format" "$berth" topo check m.json > /dev/null
make rack:3 host:10 socket:2 core:16 rack=2x100Gbit/s,1.5us host=100Gbit/s > stdout.json 2> /dev/null
check "--link is the word without it; standard output has the same" cmp -s m.json stdout.json
printf 'rack:3 host:10 # of the data sheet\n\nsocket:2 core:16\nrack=2x100Gbit/s,1.5us host=100Gbit/s' > m.machine
make m.machine -o file.json 2> /dev/null
check "a file has the same words" cmp -s m.json file.json
make - < m.machine > file.json 2> /dev/null
check "standard input, too" cmp -s m.json file.json
make m.machine name=other -q -o other.json 2> quiet
is "a word behind a file" "$(field other.json 't["name"]')" other
is "--quiet" "$(cat quiet)" ""

# hosts like a model
"$berth" topo discover -o this.json 2> /dev/null
inside='[x["name"] for x in t["types"]][1:]'
make rack:2 host:4 --like this.json --link rack=2:1 host=HDR -o like.json 2> summary
is "--like: the inside of hosts" "$(field like.json "len(set($inside) - {'rack'})")" \
  "$(field this.json 'len(t["types"])')"
is "--like: a ratio" "$(tail -n 1 summary)" "a rack's 4 hosts share 2 x 200 Gbit/s: 2:1"
make host:4 like=this -o this4.json 2> /dev/null
is "like=this" "$(field this4.json 't["pus"]')" "$(($(field this.json 't["pus"]') * 4))"
mkdir -p parts && cp this.json parts/node.json
echo 'host:4 like=node.json' > parts/four.machine
make parts/four.machine -o four.json 2> /dev/null
check "a file's model is beside it" cmp -s this4.json four.json
cat > node.xml <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000000f" allowed_cpuset="0x0000000f" nodeset="0x00000001" complete_nodeset="0x00000001" allowed_nodeset="0x00000001" gp_index="1">
    <object type="NUMANode" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000000f" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="2" local_memory="1073741824"/>
    <object type="Package" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="3">
      <object type="Core" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="4"><object type="PU" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="5"/></object>
      <object type="Core" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="6"><object type="PU" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="7"/></object>
    </object>
    <object type="Package" os_index="1" cpuset="0x0000000c" complete_cpuset="0x0000000c" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="8">
      <object type="Core" os_index="0" cpuset="0x00000004" complete_cpuset="0x00000004" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="9"><object type="PU" os_index="2" cpuset="0x00000004" complete_cpuset="0x00000004" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="10"/></object>
      <object type="Core" os_index="1" cpuset="0x00000008" complete_cpuset="0x00000008" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="11"><object type="PU" os_index="3" cpuset="0x00000008" complete_cpuset="0x00000008" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="12"/></object>
    </object>
  </object>
</topology>
XML
check "hwloc XML, and the levels that it has" make host:3 socket:2 core:2 --like node.xml -q -o xml.json
is "hwloc XML: PUs" "$(field xml.json 't["pus"]')" 12
expect 3 "berth topo: core:8: found 4 in a host like node.xml, expected 16 or no core" \
  make host:3 socket:2 core:8 --like node.xml -o no.json

"$berth" topo discover --xml -o here.xml
make host:1 --like here.xml -q -o here.json
is "hwloc XML that discover writes" "$(field here.json 't["pus"]')" "$(field this.json 't["pus"]')"
expect 2 "berth topo: found --xml with other hosts or a name, expected it for this machine alone
Try \`berth topo --help' or \`berth topo --usage' for more information." "$berth" topo discover --xml --like this --hosts a

# what stands for what it makes: published machines
while read -r name hosts pus depth shared; do
  make "$BERTH_SOURCE_DIR/examples/machines/$name.machine" -o "$name.json" 2> summary
  is "$name" "$(field "$name.json" '"%d %d %d" % (t["hosts"], t["pus"], t["depth"])')" "$hosts $pus $depth"
  is "$name: shared links" "$(tail -n +2 summary | paste -sd+)" "$shared"
  is "$name: show" "$("$berth" topo show "$name.json" | sed -n 's/^  \(\(a\|an\|the\) .* share .*\)/\1/p' | paste -sd+)" "$shared"
done <<'MACHINES'
fat-tree-2-to-1 288 4608 4 a leaf's 24 hosts share 12 x 32 Gbit/s: 2:1
frontera 8008 448448 4 a leaf's 44 hosts share 18 x 200 Gbit/s: 1.22:1
three-level 128 512 4 a pod's 4 edges share 16 x 1 Gbit/s: 1:1+an edge's 4 hosts share 4 x 1 Gbit/s: 1:1
blades 64 512 4 a unit's 16 hosts share 16 x 16 Gbit/s: 2:1
numa-node 1 256 5 
unequal 273 17792 4 a leaf's 40 hosts share 40 x 100 Gbit/s: 1:1+a leaf's 28 hosts share 28 x 100 Gbit/s: 1:1+the gpus' 5 hosts share 10 Gbit/s: 100:1
MACHINES
check "each file of examples/machines is in the table" \
  [ "$(ls "$BERTH_SOURCE_DIR"/examples/machines/*.machine | wc -l)" = 6 ]

# what is made serves: a placement, and what launchers take
printf 'host:4:n[1-4] socket:2 core:2 host=10GbE' > small.machine
make small.machine -q -o small.json
check "a placement on a made machine" "$berth" map --pattern "$data/cases/halo16-linear.acp" \
  --topology small.json --mapping small.map.json > /dev/null
check "a rankfile for a made machine" "$berth" write --mapping small.map.json --topology small.json rankfile > rankfile
is "the rankfile" "$(sed -n '5p' rankfile)" "rank 4=n2 slot=0"

# errors leave nothing behind
usage="
Try \`berth topo --help' or \`berth topo --usage' for more information."
expect 2 "berth topo: expected levels, such as rack:3 host:10 socket:2 core:16, or a file$usage" make
expect 2 "berth topo: found --slurm with make$usage" make host:1 core:1 --slurm x
expect 3 "berth topo: host=100: found \"100\", expected a rate, such as 100Gbit/s, 2x12.5GB/s, 25GbE or HDR, or a ratio, such as 2:1" \
  make host:2 core:1 host=100 -o no.json
printf 'host:2\ncore:1\nhost=1\n' > wrong.machine
expect 3 "berth topo: wrong.machine:3: host=1: found \"1\", expected a rate, such as 100Gbit/s, 2x12.5GB/s, 25GbE or HDR, or a ratio, such as 2:1" \
  make wrong.machine -o no.json
expect 4 "berth topo: none.machine: cannot open: No such file or directory" make none.machine -o no.json
expect 4 "berth topo: none.xml: cannot open: No such file or directory" make host:2 like=none.xml -o no.json
check "nothing was written" [ ! -e no.json ]
cp small.machine same
expect 2 "berth topo: found 'same' for an output and an input, expected different files" make same -o same
check "the input is as it was" cmp -s same small.machine
finish
