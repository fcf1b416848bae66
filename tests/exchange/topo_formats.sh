#!/usr/bin/env bash
# `berth topo import`, `export` and `discover --fabric`: what goes out comes back with the same costs,
# files of the real tools and what these say to ours, bad files.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
samples=$BERTH_SOURCE_DIR/tests/data/topology
topo() { "$berth" topo "$@" 2>/dev/null; }
cost() { # TOPOLOGY: under all models, ranks scattered over its PUs
  "$berth" compare --pattern p.acp --topology "$1" m.json --csv |
    sed -n 's/^"m.json","",\([^"]*\),.*/\1/p' | cut -d, -f1-4
}
# 16 ranks that talk in a ring and across
{
  echo '{"format":"berth-pattern","version":1,"ranks":16,"command":["x"]}'
  for r in $(seq 0 15); do
    echo "{\"kind\":\"p2p\",\"src\":$r,\"msgs\":[[$(((r + 1) % 16)),$((1000 + 77 * r)),3],[$(((r + 7) % 16)),100000,1]]}"
  done
  echo '{"kind":"end","records":16}'
} > p.acp
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[3,8,0,12,5,14,1,9,7,2,15,4,11,6,13,10]}' > m.json

# levels: one byte between two PUs costs their distance
check "levels" topo import -f levels 2:4:2/1:10:100 -o levels.json
check "what was made" [ "$(topo check levels.json)" = \
  "levels.json: ok: 2 hosts, 16 PUs, depth 3, 0 curves" ]
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,1,2,8]}' > four.json
for pair in "1 1" "2 10" "3 100"; do
  set -- $pair
  printf '%s\n' '{"format":"berth-pattern","version":1,"ranks":4,"command":[]}' \
    "{\"kind\":\"p2p\",\"src\":0,\"msgs\":[[$1,1,1]]}" '{"kind":"end","records":1}' > byte.acp
  found=$("$berth" compare --pattern byte.acp --topology levels.json four.json --csv |
    sed -n 's/^"four.json","",//p' | cut -d, -f3)
  check "a byte to rank $1 costs $2" [ "$found" = "$2" ]
done
printf '# as others write it\n2:4:2\n1:10:100\n' > levels.txt
check "levels in a file" topo import -f levels levels.txt --name 2:4:2/1:10:100 -o same.json
check "and they are the same" cmp -s levels.json same.json
printf '2:4:2 # arities\n# and\n1:10:100# distances\n' > commented.txt
check "comments behind words" topo import -f levels commented.txt --name 2:4:2/1:10:100 -o same.json
check "change nothing" cmp -s levels.json same.json
for text in 2:4:2/1:10:100 "2:4:2 1:10:100"; do
  check "$text without a format" topo import "$text" --name 2:4:2/1:10:100 -o same.json
  check "and $text is the same" cmp -s levels.json same.json
done
expect 3 "berth topo: 2:4:2: found less than two words, expected those such as 8:8:8 and 1:10:100" \
  "$berth" topo import 2:4:2
cp levels.txt 4:4
check "a file of such a name is a file" topo import -f levels 4:4 --name 2:4:2/1:10:100 -o same.json
check "and it is read" cmp -s levels.json same.json
check "levels out" [ "$(topo export -f levels levels.json)" = "2:4:2 1:10:100" ]
for text in 4/1 1:16/0:5 4:4/0.25:0.5 2:2:2:2/1:1:5:1000000; do
  topo import -f levels $text -o a.json
  check "$text comes back" [ "$(topo export -f levels a.json)" = "${text/\// }" ]
done
topo import -f levels 4/1 -o one.json
check "one level is one host" [ "$(topo check one.json)" = \
  "one.json: ok: 1 host, 4 PUs, depth 1, 0 curves" ]

# J of the mapping literature is half of what `sum` costs, messages going both ways
printf '%s\n' '0 1 5' '1 2 7' '2 3 11' '0 3 2' > edges
cat > j.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":4,"command":[]}
{"kind":"p2p","src":0,"msgs":[[1,5,1],[3,2,1]]}
{"kind":"p2p","src":1,"msgs":[[0,5,1],[2,7,1]]}
{"kind":"p2p","src":2,"msgs":[[1,7,1],[3,11,1]]}
{"kind":"p2p","src":3,"msgs":[[0,2,1],[2,11,1]]}
{"kind":"end","records":4}
ACP
found=$("$berth" compare --pattern j.acp --topology levels.json four.json --csv |
  sed -n 's/^"four.json","",//p' | cut -d, -f3)
check "twice J, 2 * (5*1 + 7*10 + 11*100 + 2*100)" [ "$found" = 2750 ]

# tleaf
topo export -f tleaf levels.json -o t.tgt
check "tleaf" [ "$(cat t.tgt)" = "tleaf 3 2 90 4 9 2 1" ]
topo import t.tgt -o t.json
check "tleaf comes back" [ "$(cost t.json)" = "$(cost levels.json)" ]
check "costs are there" [ -n "$(cost t.json)" ]
printf 'tleaf\n2 3 1.5\n\n4 0.25\n' > fractions.tgt
topo import fractions.tgt -o a.json
check "costs with fractions" [ "$(topo export -f levels a.json)" = "4:3 0.25:1.75" ]
check "are made whole" [ "$(topo export -f tleaf a.json)" = "tleaf 2 3 6 4 1" ]
# the largest distance is 1000 at most, where the least one is 1 then
for text in 4:4/1.5:96 4:4/0.001:0.3125 4:4:4/0.7:1:1000.3; do
  topo import -f levels $text -o a.json
  topo export -f tleaf a.json >> scaled
done
check "costs are scaled for 32 bits" [ "$(tr '\n' ';' < scaled)" = \
  "tleaf 2 4 63 4 1;tleaf 2 4 935 4 3;tleaf 3 4 3331 4 1 4 2;" ]
topo import -f levels 2:1:4:2/3:3:3:9 -o a.json
check "levels that add nothing are merged" [ "$(topo export -f tleaf a.json)" = "tleaf 2 2 6 8 3" ]
if command -v atst > /dev/null; then
  check "Scotch takes it" grep -q 'nbr=16$' <(atst t.tgt)
  check "and finds the same distance" grep -qw max=100 <(atst t.tgt)
fi

# SimGrid: all ports, switches' limits, latencies of curves
printf '{"format":"berth-topology","version":1,"name":"","curves":{"c":{"points":[[1,100000],[1000000,9e6]]}},
"types":{"root":{"down":{"max_bandwidth":4e6},"max_bandwidth":7e6},
"host":{"up":{"max_bandwidth":{"out":3e6,"in":2e6}},"down":{"out":"c","in":"c","max_bandwidth":1e7}},
"part":{"up":{"out":"c","in":"c"},"down":{"max_bandwidth":5e6},"max_bandwidth":6e6}},
"root":{"type":"root","name":"a<b>&\\"c\\"","children":[' > all.json
for h in 0 1 2 3; do
  [ $h = 0 ] || printf ','
  printf '{"type":"host","host":"n%d","children":[{"type":"part","children":[{"pu":1,"core":0},{"pu":0,"core":3}]},{"type":"part","children":[{"pu":2,"core":1},{"pu":9,"core":7}]}]}' $h
done >> all.json
printf ']}}\n' >> all.json
check "a topology with everything" topo check all.json > /dev/null
topo export -f simgrid all.json -o all.xml
check "it comes back" topo import all.xml -o back.json
topo export -f simgrid back.json -o again.xml
topo import again.xml -o twice.json
check "twice" [ "$(cost back.json)" = "$(cost twice.json)" ]
check "with its PUs" [ "$(grep -o '"pu": [0-9]*, "core": [0-9]*' back.json | head -4 | tr '\n' ';')" = \
  '"pu": 1, "core": 0;"pu": 0, "core": 3;"pu": 2, "core": 1;"pu": 9, "core": 7;' ]
check "with names" grep -qF '"name": "a<b>&\"c\""' back.json
# where there are no curves, costs are the same to the digit
for t in levels.json t.json; do
  topo export -f simgrid $t -o s.xml
  topo import s.xml -o s.json
  check "SimGrid keeps the costs of $t" [ "$(cost s.json)" = "$(cost $t)" ]
done
sed 's/"c":{[^}]*}//; s/"out":"c","in":"c",*//g' all.json > plain.json
check "without curves" topo check plain.json > /dev/null
topo export -f simgrid plain.json | topo import -f simgrid - -o back.json
check "and of limits and directions" [ "$(cost back.json)" = "$(cost plain.json)" ]
check "costs are there" [ -n "$(cost plain.json)" ]

topo import "$samples/cluster.xml" -o cluster.json
check "clusters" [ "$(topo show cluster.json | sed -n '1p;3,12p')" = "cluster.xml: 6 hosts, 10 PUs, depth 3, 3 curves
switch lleft_router.site
|-- host l0.site
|   \`-- 2 PUs: pu 0-1, core 0-1
|-- host l1.site
|   \`-- 2 PUs: pu 0-1, core 0-1
|-- host l2.site
|   \`-- 2 PUs: pu 0-1, core 0-1
|-- host l7.site
|   \`-- 2 PUs: pu 0-1, core 0-1
\`-- switch-2 edge" ]
check "units, and half of the backbone's latency" grep -q '"6e-05 s, 125000000 B/s"' cluster.json
check "a backbone" grep -q '"max_bandwidth": 2000000000' cluster.json

# zones in zones; full routing, whose ways make a tree (tests/exchange/simgrid.sh: with the same times)
topo import "$samples/nested.xml" -o nested.json
check "zones in zones" [ "$(topo show nested.json | sed -n '1p;3,12p')" = "nested.xml: 5 hosts, 12 PUs, depth 4, 8 curves
switch east-spine
|-- switch-2 leaf0
|   \`-- 2 x host r0n0 ... r0n1
|       \`-- 2 PUs: pu 0-1, core 0-1
|-- switch-3 leaf1
|   \`-- 2 x host-2 r1n0 ... r1n1
|       \`-- 2 PUs: pu 0-1, core 0-1
\`-- switch-4 world~8
    \`-- switch-5 world~9
        \`-- host-3 login" ]
topo import "$samples/full.xml" -o full.json
check "full routing between hosts" [ "$(topo show full.json | sed -n '1p;3,13p')" = "full.xml: 5 hosts, 5 PUs, depth 3, 6 curves
switch lab~5
|-- host h0
|   \`-- 1 PU: pu 0, core 0
|-- host-2 h1
|   \`-- 1 PU: pu 0, core 0
|-- host-3 h2
|   \`-- 1 PU: pu 0, core 0
\`-- switch-2 lab~6
    |-- host-4 h3
    |   \`-- 1 PU: pu 0, core 0
    \`-- host-5 h4" ]
topo import "$samples/full-clusters.xml" -o clusters.json
check "full routing between clusters" [ "$(topo show clusters.json | sed -n '1p;3p;6p;10,12p')" = \
"full-clusters.xml: 7 hosts, 7 PUs, depth 5, 7 curves
switch a-router
\`-- switch-2 grid~10
    \`-- switch-4 grid~11
        \`-- switch-5 c-router
            \`-- 2 x host-3 c0 ... c1" ]

# links that both directions share are switches of their capacity
topo import "$samples/shared.xml" -o shared.json
check "shared links" [ "$(topo show shared.json | sed -n '1p;3,12p')" = "shared.xml: 6 hosts, 6 PUs, depth 8, 7 curves
switch hub
|-- switch-2 campus~9
|   \`-- switch-3 campus~8
|       \`-- switch-4 campus~10
|           \`-- switch-5 door
|               |-- host l2
|               |   \`-- 1 PU: pu 0, core 0
|               \`-- switch-6 lab~15
|                   \`-- switch lab~14
|                       \`-- 2 x host l0 ... l1" ]
for capacity in 50000000 70000000 80000000 90000000 100000000; do
  check "a shared link of $capacity B/s" grep -q "\"max_bandwidth\": $capacity\b" shared.json
done

# the fabric that ibnetdiscover found: leaves of 4 GB/s, pods of 16 GB/s, two adapters on node08
"$berth" topo discover --fabric "$samples/fat-tree.ibnetdiscover" --like t.json -o fat.json 2> said
check "fabric" [ "$(cat said)" = \
  "fat.json: 8 hosts, 64 PUs, depth 5, 3 curves (3 default, not measured)" ]
check "its tree" [ "$(topo show fat.json | sed -n '3,8p')" = "switch core0
|-- switch-2 spine0
|   |-- switch-3 leaf0
|   |   \`-- 2 x level 2 node01 ... node02 (hosts)
|   |       \`-- 4 x level 1: pu 0-7, core 0-7
|   |           \`-- 2 PUs" ]
for capacity in 16000000000 4000000000 2000000000 1000000000; do
  check "links of $capacity B/s" grep -q "\"max_bandwidth\": $capacity" fat.json
done
"$berth" topo discover -q --fabric "$samples/fat-tree.ibnetdiscover" --hosts node0[3,8] --like t.json -o two.json
check "some hosts" [ "$(topo check two.json)" = \
  "two.json: ok: 2 hosts, 16 PUs, depth 5, 3 curves (3 default, not measured)" ]
expect 3 "berth topo: $samples/fat-tree.ibnetdiscover: found no host \"x\", expected every host on one of the switches" \
  "$berth" topo discover --fabric "$samples/fat-tree.ibnetdiscover" --hosts x --like t.json

# What is wrong is named with its file and place.
bad() { # FORMAT TEXT LINE
  printf "$2" > bad
  expect 3 "berth topo: bad$3" "$berth" topo import -f "$1" bad -o nothing.json
  check "nothing is written" [ ! -e nothing.json ]
}
bad levels '' ": found less than two words, expected those such as 8:8:8 and 1:10:100"
bad levels '8:8' ": found less than two words, expected those such as 8:8:8 and 1:10:100"
bad levels '8 1 2' ": found more than two words, expected those such as 8:8:8 and 1:10:100"
bad levels '8:x 1:2' ": arity of level 2: found 'x', expected a whole number from 1 to 16777216"
bad levels '8:0 1:2' ": arity of level 2: found '0', expected a whole number from 1 to 16777216"
bad levels '8:2 1:-2' ": distance of level 2: found '-2', expected a number from 0"
bad levels '8:2 1:inf' ": distance of level 2: found 'inf', expected a number from 0"
bad levels '8:2 1' ": found 1 distances, expected 2, one for each level"
bad levels '8:2 1:2:3' ": found 3 distances, expected 2, one for each level"
bad levels '8:2 10:1' ": distance of level 2: found 1, expected at least 10, that of the level inside"
bad levels '8:2 1:1e300' ": distance of level 2: found a step of 1e+300, expected 0 or from 1e-12 to 1e+12"
bad levels '4096:4096:2 1:2:3' ": found 33554432 PUs in 3 levels, expected at most 16777216"
bad tleaf 'cmplt 3' ":1: found 'cmplt', expected 'tleaf'"
bad tleaf '' ":0: found 'the end of the file', expected 'tleaf'"
bad tleaf 'tleaf 0' ":1: height: found '0', expected a whole number from 1 to 64"
bad tleaf 'tleaf 2 2 10 4' ":1: a link's cost: found 'the end of the file', expected a number from 0"
bad tleaf 'tleaf 1\n2 -1' ":2: a link's cost: found '-1', expected a number from 0"
bad tleaf 'tleaf 1 2 1 4' ":1: found '4' behind 1 levels, expected the end of the file"
bad tleaf 'tleaf 2 2 1' ":1: arity: found the end of the file"
head='<platform version="4.1">\n<zone id="z" routing="Floyd">\n'
foot='\n</zone></platform>\n'
star='<router id="r"/><host id="a" speed="1f"/><host id="b" speed="1f"/>'
links='<link id="l" bandwidth="1Bps" sharing_policy="SPLITDUPLEX"/><link id="s" bandwidth="1Bps"/>\n'
up='<link_ctn id="l" direction="UP"/></route>'
sim() { bad simgrid "$head$1$foot" "$2"; }
bad simgrid 'x' ":1: found syntax error, expected XML"
bad simgrid '<platform>' ":2: found no element found, expected XML"
bad simgrid '<platform></platform>' ":1: found 0 hosts and no router, expected a tree of routes of one hop"
bad simgrid '<platform><zone id="z" routing="Vivaldi">' ":1: routing: found 'Vivaldi', expected Dijkstra, DijkstraCache, Floyd or Full"
bad simgrid '<platform><zone id="z" routing="Full"></zone>\n<zone id="y" routing="Full"/>' ":2: zone: found 'y', expected one zone around all others"
sim '<zone id="z" routing="Full"/>' ":3: found zone 'z' a second time"
inner='<zone id="i" routing="Full"><host id="c"/></zone>\n<zone id="o" routing="Full"><host id="d"/></zone>'
sim "$star$inner<route src=\"a\" dst=\"c\"/>" ":4: dst: found 'c', expected a host or router of zone 'z'"
sim "$inner<zoneRoute src=\"i\" dst=\"x\" gw_src=\"c\" gw_dst=\"d\"/>" ":4: dst: found 'x', expected a zone in this one"
sim "$inner<zoneRoute src=\"i\" dst=\"z\" gw_src=\"c\" gw_dst=\"d\"/>" ":4: dst: found 'z', expected a zone in this one"
sim "$inner<zoneRoute src=\"i\" dst=\"o\" gw_src=\"d\" gw_dst=\"c\"/>" ":4: gw_src: found 'd', expected a host or router of zone 'i'"
sim "$inner<zoneRoute src=\"i\" dst=\"o\" gw_src=\"c\" gw_dst=\"x\"/>" ":4: gw_dst: found 'x', expected a host or router of this file"
sim "$star$links<link_ctn id=\"l\"/>" ":4: link_ctn: found 'l', expected it in a route"
# full routing: hosts a to d with ports of their own, two of them behind a trunk
full() { # TEXT LINE: ways behind the links
  bad simgrid "<platform><zone id=\"z\" routing=\"Full\"><host id=\"a\"/><host id=\"b\"/><host id=\"c\"/><host id=\"d\"/>$(
    for link in a b c d trunk; do echo "<link id=\"$link\" bandwidth=\"1Bps\" sharing_policy=\"SPLITDUPLEX\"/>"; done | tr -d '\n'
    )\n$1</zone></platform>" "$2"
}
way() { # FROM TO LINK… (with a minus: downwards)
  local link; printf '<route src="%s" dst="%s" symmetrical="%s">' "$1" "$2" "${symmetrical:-YES}"; shift 2
  for link; do
    case $link in
      -*) printf '<link_ctn id="%s" direction="DOWN"/>' "${link#-}" ;;
      *) printf '<link_ctn id="%s" direction="UP"/>' "$link" ;;
    esac
  done
  printf '</route>\\n'
}
to_all="$(way a b a -b)$(way a c a trunk -c)$(way a d a trunk -d)"
full "$to_all$(way b c b -c)" ":5: found a route from 'b' to 'c' that isn't the way between them in the tree of the routes from 'a'"
full "$to_all$(way b c b trunk -c)$(way c d c trunk -d)" ":6: found a route from 'c' to 'd' that isn't the way between them in the tree of the routes from 'a'"
full "$(way a b a -b)$(way a c a trunk -c)$(way b d b trunk -d)" ":4: found no route from 'a' to 'd', expected one as from 'a' to others"
full "$to_all$(way d a d -trunk -a)" ":5: found a second route from 'a' to 'd'"
full "$(way a b a -b)$(symmetrical=NO way a c a trunk -c)" ":3: found a route from 'a' to 'c', but none back"
full "$(way a b a -b)$(symmetrical=NO way a c a trunk -c)$(symmetrical=NO way c a c -a)" ":4: found 2 links from 'c' to 'a', expected 3 as on the way back"
full "$(way a b a -b)$(symmetrical=NO way a c a trunk -c)$(symmetrical=NO way c a c -trunk -d)" ":3: found a route from 'a' to 'c' that doesn't go back where it came"
full "$(way a b a -b)$(way a c a trunk -b)" ":3: found link 'b' on two hops, expected one of its own for each"
full "$(way a b a trunk)$(way a c a trunk)" ":3: found 'c' where other routes pass, expected it at an end of the tree"
full "$(way a b a -b)$(way a c a -b trunk)$(way a d a -b -d)" ":1: found host 'b' on the way of others"
sim '<peer id="p"/>' ":3: element: found 'peer', expected zone, cluster, host, router, link, route or zoneRoute"
sim '<router/>' ":3: id: found '', expected a value"
sim "$star<router id=\"a\"/>" ":3: found host or router 'a' a second time"
sim "$links<link id=\"l\" bandwidth=\"1Bps\"/>" ":4: found link 'l' a second time"
sim '<host id="a" core="x"/>' ":3: core: found 'x', expected a whole number"
sim '<link id="l" bandwidth="1 furlong"/>' ":3: bandwidth: found '1 furlong', expected a bandwidth such as 125MBps or 1Gbps, at most 1e18Bps"
sim '<link id="l" bandwidth="1Bps" latency="soon"/>' ":3: latency: found 'soon', expected a time such as 10us"
sim '<link id="l" bandwidth="1Bps" sharing_policy="FATPIPE"/>' ":3: sharing_policy: found 'FATPIPE', expected SHARED or SPLITDUPLEX"
sim "$star" ":3: found routes from 'r' to 0 of 2 hosts and routers, expected a tree of them"
sim "$star$links<route src=\"a\" dst=\"c\">$up" ":4: dst: found 'c', expected a host or router of this file"
sim "$star$links<route src=\"a\" dst=\"a\">$up" ":4: found a route from 'a' to itself"
sim "$star$links<route src=\"a\" dst=\"r\"><link_ctn id=\"x\"/></route>" ":4: link_ctn: found 'x', expected a link of this file"
wire='<link_ctn id="s"/></route>'
sim "$star$links<route src=\"a\" dst=\"r\">$wire\n<route src=\"b\" dst=\"r\">$wire" ":5: found link 's' on two hops, expected one of its own for each"
sim "$star$links<route src=\"a\" dst=\"r\">$up\n<route src=\"b\" dst=\"r\" symmetrical=\"NO\">$wire\n<route src=\"r\" dst=\"a\" symmetrical=\"NO\">$wire" ":6: found a second route from 'r' to 'a'"
sim "$star$links<route src=\"a\" dst=\"r\">$up\n<route src=\"b\" dst=\"r\">$up" ":5: found link 'l' on two hops, expected one of its own for each"
sim "$star<route src=\"a\" dst=\"r\" symmetrical=\"NO\"/>" ":3: found a route from 'a' to 'r', but none back"
sim "$star<route src=\"a\" dst=\"r\"/><route src=\"r\" dst=\"a\"/>" ":3: found a second route from 'r' to 'a'"
sim "$star<route src=\"a\" dst=\"r\"/><route src=\"r\" dst=\"b\"/><route src=\"a\" dst=\"b\"/>" ":3: found routes between 3 pairs of 3 hosts and routers, expected a tree, 2 pairs"
sim "$star<route src=\"a\" dst=\"r\"/><route src=\"a\" dst=\"b\"/>" ":3: found host 'a' on the way of others"
sim "<host id=\"a\" speed=\"1f\"><prop id=\"berth-host\" value=\"x\"/></host><router id=\"r\"/><route src=\"a\" dst=\"r\"/>" ": found a PU outside of a host, expected one host between the root and a PU"
sim '<cluster id="c" topology="TORUS"/>' ":3: topology: found 'TORUS', expected FLAT, a tree"
sim '<cluster id="c" radical="3-1" bw="1Bps" lat="0"/>' ":3: radical: found '3-1', expected numbers and ranges such as 0-15,20"
sim '<cluster id="c" radical="0" bw="1Bps" lat="0" limiter_link="1Bps"/>' ":3: limiter_link: found '1Bps', expected none"
sim '<cluster id="c" radical="0" bw="1Bps" lat="0" bb_bw="1Bps" bb_sharing_policy="FATPIPE"/>' ":3: bb_sharing_policy: found 'FATPIPE', expected SHARED"

# What a format can't hold is said, too.
cp "$BERTH_SOURCE_DIR/testbed/topology.json" testbed.json
for format in levels tleaf; do
  expect 3 "berth topo: testbed.json: found 5 children of A and 3 of B, expected a regular tree" \
    "$berth" topo export -f $format testbed.json
done
expect 3 "berth topo: fat.json: found capacities of node01 and node08 that differ, expected a regular tree" \
  "$berth" topo export -f tleaf fat.json -o x.tgt
sed 's/"host": *"n0"/"host":"n#0"/' all.json > hash.json
expect 3 "berth topo: hash.json: found host \"n#0\", expected no '#' in it" \
  "$berth" topo export -f simgrid hash.json
topo import -f levels 4/0 -o free.json
expect 3 "berth topo: free.json: found PUs between which nothing costs anything, expected PUs that lie apart for tleaf" \
  "$berth" topo export -f tleaf free.json

usage="
Try \`berth topo --help' or \`berth topo --usage' for more information."
echo hello > unknown
expect 3 "berth topo: unknown: found no known format at its beginning, expected one, or -f with its name" \
  "$berth" topo import unknown -o nothing.json
expect 2 "berth topo: t.tgt: found as input and output, expected two files" \
  "$berth" topo import t.tgt -o t.tgt
expect 2 "berth topo: expected --format$usage" "$berth" topo export t.json
expect 2 "berth topo: expected a file$usage" "$berth" topo import
expect 2 "berth topo: found several files, expected one$usage" "$berth" topo import t.tgt t.tgt
expect 2 "berth topo: found --format with show$usage" "$berth" topo show -f tleaf t.json
expect 2 "berth topo: found --slurm and --fabric, expected one of them$usage" \
  "$berth" topo discover --slurm a --fabric b
expect 2 "berth topo: --format: found 'x', expected one of levels, tleaf, simgrid$usage" \
  "$berth" topo import -f x t.tgt

# every format stands in the documentation
listed=$("$berth" topo --help | sed -n '/^Formats of/,$p' | awk '/^  / { print $1 }')
check "formats are listed: $listed" [ "$(wc -w <<< "$listed")" -ge 3 ]
for format in $listed; do
  check "$format is documented" grep -q "^| \`$format\`" "$BERTH_SOURCE_DIR/docs/formats/topology.md"
done
finish
