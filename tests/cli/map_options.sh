#!/usr/bin/env bash
# What may be used and who stays where: the options of `berth map` that change the problem.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
# two hosts of two cores of two threads: PUs 0 to 3 and 4 to 7
cat > t.json <<'JSON'
{"format":"berth-topology","version":1,"name":"smt","curves":{},
 "types":{"top":{},"host":{"up":{"max_bandwidth":100},"down":{"max_bandwidth":1000}}},
 "root":{"type":"top","name":"top","children":[
  {"type":"host","name":"n%d","host":"n%d","repeat":2,"children":[
   {"pu":0,"core":0},{"pu":1,"core":0},{"pu":2,"core":1},{"pu":3,"core":1}]}]}}
JSON
# ring N: rank r sends to r + 1
ring() {
  echo "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":$1}"
  for ((r = 0; r < $1; r++)); do
    echo "{\"kind\":\"p2p\",\"src\":$r,\"msgs\":[[$(((r + 1) % $1)),100,1]]}"
  done
  echo "{\"kind\":\"end\",\"records\":$1}"
}
for n in 4 5 12; do ring $n > p$n.acp; done
m() { "$berth" map --pattern "p$1.acp" --topology t.json "${@:2}"; }
# pus NAME EXPECTED RANKS OPTION…: the PUs that ranks get
pus() {
  local name=$1 expected=$2 found
  found=$(m "${@:3}" --json | python3 -c 'import json,sys; print(*json.load(sys.stdin)["pu_of_rank"])')
  checks=$((checks + 1))
  [ "$found" = "$expected" ] && return
  failures=$((failures + 1)) && echo "FAILED: $name: found '$found', expected '$expected'"
}
pus "a core each" "0 2 4 6" 4 --algorithm linear
pus "threads as good as cores" "0 1 2 3" 4 --algorithm linear --any-thread
pus "more ranks than PUs" "0 0 1 1 2 2 3 3 4 4 5 5" 12 --algorithm linear --ranks-per-pu 2
pus "shared only as far as needed" "0 2 4 6" 4 --algorithm linear --ranks-per-pu 3
pus "the nearest rank stays" "0 4 2 6" 4 --algorithm linear --pin 2=n0:1 --pin 1=4
pus "a core's second rank gets its second thread" "2 3 0 4" 4 --algorithm linear \
  --pin 0=n0:1 --pin 1=n0:1
printf '# the user knows\n\n 3 = n0:0 # here\n0=n1:1\r\n' > bad.pins
printf '# the user knows\n\n 3=n0:0 # here\n0=n1:1\r\n' > pins
for algorithm in linear round-robin random greedy refine best; do
  m 4 --algorithm $algorithm --pin pins --min-gain 0 --json > out.json
  check "$algorithm keeps pins" python3 -c 'import json
p = json.load(open("out.json"))["pu_of_rank"]
assert p[3] == 0 and p[0] == 6 and len(set(p)) == 4, p'
done
expect 2 "berth map: bad.pins:3: found rank '3 ', expected one from 0 to 3, the ranks of the pattern" \
  m 4 --pin bad.pins
expect 4 "berth map: nowhere: cannot open: No such file or directory" m 4 --pin nowhere
expect 2 "berth map: --pin: found rank '4', expected one from 0 to 3, the ranks of the pattern" \
  m 4 --pin 4=0
expect 2 "berth map: --pin: found rank 1 twice, expected it once" m 4 --pin 1=0 --pin 1=2
expect 2 "berth map: --pin: found PU '8', expected HOST:CORE or one from 0 to 7 of topology 'smt'" \
  m 4 --pin 1=8
expect 2 "berth map: --pin: found host 'n2', expected one of topology 'smt'" m 4 --pin 1=n2:0
expect 2 "berth map: --pin: found core '2', expected one of host n1" m 4 --pin 1=n1:2
expect 2 "berth map: --pin: found PU 4 for rank 2, which rank 0 has already, expected at most 1 there (--ranks-per-pu)" \
  m 4 --pin 0=4 --pin 2=4
expect 2 "berth map: --pin: found PU 6 (n1, core 1) for rank 2, expected one that --reserve and --hosts leave to ranks" \
  m 4 --pin 2=n1:1 --hosts n0 --any-thread
expect 3 "berth map: found 12 ranks in the pattern, expected at most 8, the usable PUs of topology 'smt' (8 in all, --reserve 0)" m 12

# files with shared PUs
m 12 --algorithm linear --ranks-per-pu 2 --mapping m.json --rankfile m.rankfile > /dev/null
check "rankfile of shared PUs" [ "$(sed -n 1,4p m.rankfile | tr '\n' ';')" = \
  "rank 0=n0 slot=0;rank 1=n0 slot=0;rank 2=n0 slot=0;rank 3=n0 slot=0;" ]
expect 0 "" "$berth" cost --pattern p12.acp --topology t.json --mapping m.json --ranks-per-pu 2
"$berth" cost --pattern p12.acp --topology t.json --mapping m.json --ranks-per-pu 2 --json > c.json
check "linear shares PUs in its cost, too" python3 -c 'import json
r = json.load(open("c.json"))["results"][0]
assert r["cost_s"] == r["linear_cost_s"] > 0, r'
finish
