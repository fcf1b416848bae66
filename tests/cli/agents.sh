#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `berth agents`: reductions by hosts and agents; tests/agents/thesis has the model's numbers.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
elan=$BERTH_SOURCE_DIR/examples/agents/elan3.json
agents() { "$berth" agents "$elan" "$@"; }
value() { python3 -c "import json, sys; d = json.load(open(sys.argv[1])); print($2)" "$1"; }

is "without noise" "$(agents --hosts 31 | sed -n '1p;$p')" \
  "Hosts reduce faster than agents on 31 hosts: 12.90 us.
        31       12.90 us   6  0       28.94 us   4  0       17.90 us  27  0"
agents --hosts 31 --json > quiet.json
is "as JSON" "$(value quiet.json "d['format'], d['rows'][0]['agent']")" \
  "berth-reductions {'degree': 4, 'splits': 0, 'time_s': 2.894e-05}"
agents --hosts 31 --json --degree 2 > two.json
is "a degree that is given" "$(value two.json "d['rows'][0]['agent']")" \
  "{'degree': 2, 'splits': 0, 'time_s': 2.93e-05}"
agents --hosts 512 --elements 8 --json > split.json
is "splits are found" "$(value split.json "d['rows'][0]['agent']['splits'], d['elements']")" "3 8"

# noise: agents win on many hosts; equal seeds are equal, others aren't
noisy() { agents --hosts 16,1024 --noise 1ms/20ms --reductions 400 --json "$@"; }
noisy > a.json; noisy > b.json; noisy --seed 2 > c.json
check "a seed gives the same again" cmp a.json b.json
check "another one doesn't" eval '! cmp -s a.json c.json'
is "agents are steadier, and faster on many hosts" "$(value a.json "[
  (r['agent']['deviation_s'] < r['host']['deviation_s'], r['agent']['mean_s'] < r['host']['mean_s']) for r in d['rows']][1]")" \
  "(True, True)"
is "all reductions are in the histograms" "$(value a.json "{
  sum(r[p]['histogram']['counts']) + r[p]['histogram']['above'] for r in d['rows'] for p in ('host', 'agent', 'intermediate')}")" \
  "{400}"
is "quantities rise" "$(value a.json "all(r[p]['time_s'] <= r[p]['least_s'] * 1.0001 and
  r[p]['least_s'] <= r[p]['band_s'][0] <= r[p]['band_s'][1] <= r[p]['most_s'] and
  r[p]['least_s'] <= r[p]['median_s'] <= r[p]['most_s'] for r in d['rows'] for p in ('host', 'agent', 'intermediate'))")" True
agents --hosts 64 --noise 1us/1ms > text.txt
is "80 columns" "$(grep -E '^.{81}' text.txt)" ""
is "a histogram for each" "$(grep -c 'on 64 hosts$' text.txt)" 3
agents --hosts 8 --noise 0s/1ms > none.txt
check "detours of no length are none" eval '! grep -q noise none.txt'
"$berth" agents - --hosts 2 < "$elan" > in.txt
check "from standard input" grep -q '6.040 us' in.txt
check "100,000 hosts" agents --hosts 100000 --noise 10us/1ms --reductions 5 > /dev/null

usage="
Try \`berth agents --help' or \`berth agents --usage' for more information."
while IFS='|' read -r code said options; do
  [ "$code" = 2 ] && said="$said$usage"
  # shellcheck disable=SC2086
  expect "$code" "berth agents: $said" "$berth" agents $options
done << REFUSED
2|expected a file with what hosts and agents take|--hosts 2
2|expected --hosts with numbers of hosts|$elan
2|--hosts: found '2,,3', expected up to 64 numbers from 1 to 1048576, as in 2,16,128|$elan --hosts 2,,3
2|--hosts: found '0', expected up to 64 numbers from 1 to 1048576, as in 2,16,128|$elan --hosts 0
2|--hosts: found '2,', expected up to 64 numbers from 1 to 1048576, as in 2,16,128|$elan --hosts 2,
2|--noise: found '1ms', expected the length of detours and how often there is one, as in 1ms/20ms|$elan --hosts 2 --noise 1ms
2|--noise: found '20ms/1ms', expected the length of detours and how often there is one, as in 1ms/20ms|$elan --hosts 2 --noise 20ms/1ms
2|--agent-noise: found '1/2', expected the length of detours and how often there is one, as in 1ms/20ms|$elan --hosts 2 --agent-noise 1/2
2|found --seed, expected it with --noise or --agent-noise|$elan --hosts 2 --seed 3
2|--degree: found '1', expected a whole number from 2 to 1048576|$elan --hosts 2 --degree 1
3|found no mean of double by hosts|$elan --hosts 2 --operation mean
3|found 1 splits, expected at most 0: 2 hosts reduce 1 element|$elan --hosts 2 --splits 1
4|no.json: cannot open: No such file or directory|no.json --hosts 2
REFUSED

# bad FIELD VALUE LINE: the file with one value replaced
bad() {
  python3 - "$elan" "$1" "$2" > bad.json << 'PY'
import json, sys
d = json.load(open(sys.argv[1]))
*way, last = [int(k) if k.isdigit() else k for k in sys.argv[2].split(".")]
at = d
for k in way:
    at = at[k]
if sys.argv[3] == "none":
    del at[last]
else:
    at[last] = json.loads(sys.argv[3])
json.dump(d, sys.stdout)
PY
  expect 3 "berth agents: bad.json: $3" "$berth" agents bad.json --hosts 2
}
bad format '"berth-topology"' "format: found \"berth-topology\", expected \"berth-agents\""
bad host none "host: found nothing, expected an object"
bad agent.latency_s -1 "agent.latency_s: found -1, expected a number of at least 0"
bad agent.start_s '"soon"' "agent.start_s: found \"soon\", expected a number of at least 0"
bad host.receive_bytes_s '[]' "host.receive_bytes_s: found an array, expected 1 to 1000 points"
bad host.receive_bytes_s.0 '[1]' "host.receive_bytes_s[0]: found an array, expected an amount and a time, as in [8, 4.2e-7]"
bad host.compute.0.elements_s.1 '[1, 0]' "host.compute[0].elements_s[1]: found the amount 1, expected more than before and at most 1e15"
bad host.compute.0.elements_s.1 '[2, -1]' "host.compute[0].elements_s[1]: found -1 seconds, expected 0 to 1e15"
bad host.compute.0.element_bytes 0 "host.compute[0].element_bytes: found 0, expected a whole number from 1 to 1024"
bad host.compute.1.operation '"max"' "host.compute[1]: found max of int again"
bad agent.compute.0.element_bytes 8 "found elements of 4 and 8 bytes for int, expected one size"
finish
