#!/usr/bin/env bash
# berth schedule: what it prints, and what it says of wrong usage.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
s() { "$berth" schedule "$@"; }
same() { # NAME COMMAND…: its output is what stands on standard input
  local name=$1; shift
  cat > expected
  "$@" > found 2>&1
  check "$name" diff expected found
}

# --- text ---
same "rounds that are alike are one line" s bcast --ranks 8 --bytes 1000000 --element 4 --collectives mpich-4.0 <<'TEXT'
bcast of 976.6 KiB on 8 ranks, as mpich-4.0 does it
bcast: scatter_ring_allgather
  round           messages         bytes       largest
  1                      1     488.3 KiB     488.3 KiB
  2                      2     488.3 KiB     244.1 KiB
  3                      4     488.3 KiB     122.1 KiB
  4-10                   8     976.6 KiB     122.1 KiB
TEXT
same "a call of two stages" s allreduce --ranks 8 --bytes 8192 --element 8192 <<'TEXT'
allreduce of 8.000 KiB on 8 ranks, as openmpi-4.1 does it
reduce: linear
  round           messages         bytes       largest
  1                      7     56.00 KiB     8.000 KiB
bcast: linear
  round           messages         bytes       largest
  1                      7     56.00 KiB     8.000 KiB
TEXT
same "a call without messages" s bcast --ranks 1 --bytes 8 <<'TEXT'
bcast of 8 B on 1 rank, as openmpi-4.1 does it: no messages
TEXT
same "an algorithm that is asked for" s bcast --ranks 4 --root 1 --bytes 1000B --algorithm chain \
  --degree 1 --segment 600 <<'TEXT'
bcast of 1000 B on 4 ranks
bcast: chain
  round           messages         bytes       largest
  1                      1         600 B         600 B
  2                      2        1000 B         600 B
  3                      2        1000 B         600 B
  4                      1         400 B         400 B
TEXT
same "blocks of different sizes" s allgatherv --ranks 4 --counts 1,2,0,4 --element 4 \
  --collectives mpich-4.0 <<'TEXT'
allgatherv of 28 B in all blocks on 4 ranks, as mpich-4.0 does it
allgatherv: recursive_doubling
  round           messages         bytes       largest
  1                      4          28 B          16 B
  2                      4          56 B          16 B
TEXT
same "segments of the longest block" s allgatherv --ranks 3 --counts 1,5,0 --algorithm pipelined_ring \
  --segment 2 <<'TEXT'
allgatherv of 6 B in all blocks on 3 ranks
allgatherv: pipelined_ring
  round           messages         bytes       largest
  1                      2           3 B           2 B
  2                      1           2 B           2 B
  3                      1           1 B           1 B
  4                      2           3 B           2 B
  5                      1           2 B           2 B
  6                      1           1 B           1 B
TEXT
same "parts on hosts" s bcast --ranks 16 --bytes 1KiB --hosts 6,5,3,2 --root 7 --collectives mpich-4.0 <<'TEXT'
bcast of 1.000 KiB on 16 ranks of 4 hosts, as mpich-4.0 does it
bcast: knomial, among root_and_leader (1 group)
  round           messages         bytes       largest
  1                      1     1.000 KiB     1.000 KiB
bcast: knomial, among leaders (1 group)
  round           messages         bytes       largest
  1                      2     2.000 KiB     1.000 KiB
  2                      1     1.000 KiB     1.000 KiB
bcast: knomial, among hosts (4 groups)
  round           messages         bytes       largest
  1                      9     9.000 KiB     1.000 KiB
  2                      3     3.000 KiB     1.000 KiB
TEXT
same "berth's library: speakers, then hosts" s bcast --ranks 16 --bytes 64KiB --hosts 6,5,3,2 --root 7 --collectives berth --half 2KiB <<'TEXT'
bcast of 64.00 KiB on 16 ranks of 4 hosts, as berth does it
bcast: pipeline, among speakers (1 group)
  round           messages         bytes       largest
  1                      1     8.000 KiB     8.000 KiB
  2                      2     16.00 KiB     8.000 KiB
  3-7                    3     24.00 KiB     8.000 KiB
  8                      3     24.00 KiB     8.000 KiB
  9                      2     16.00 KiB     8.000 KiB
  10                     1     8.000 KiB     8.000 KiB
at the same time, bcast: chain, among hosts (4 groups)
  round           messages         bytes       largest
  1                     12     384.0 KiB     32.00 KiB
bcast: linear, among hosts (4 groups)
  round           messages         bytes       largest
  1                     12     384.0 KiB     32.00 KiB
TEXT
same "berth's library: hosts of two ranks read whole vectors, others slices" s reduce --ranks 5 --bytes 64KiB --hosts 3,2 --element 8 --collectives berth <<'TEXT'
reduce of 64.00 KiB on 5 ranks of 2 hosts, as berth does it
alltoall, gather: linear, among hosts (2 groups)
  round           messages         bytes       largest
  1                      7     192.0 KiB     64.00 KiB
gather: linear, among hosts (1 group)
  round           messages         bytes       largest
  1                      2     42.67 KiB     21.34 KiB
reduce: binomial, among speakers (1 group)
  round           messages         bytes       largest
  1                      1     64.00 KiB     64.00 KiB
TEXT
expect 3 "berth schedule: berth: found a nonblocking bcast, which berth's library leaves to the MPI, expected a call that it serves" \
  s ibcast --ranks 4 --bytes 8 --collectives berth
chosen() { s "$@" | sed -n '2s/.*: //p'; } # the algorithm of the first stage
while IFS='|' read -r words algorithm; do
  # shellcheck disable=SC2086
  check "$words" [ "$(chosen $words)" = "$algorithm" ]
done <<'TABLE'
reduce --ranks 8 --bytes 4KiB --element 4 --collectives mpich-4.0|reduce_scatter_gather
reduce --ranks 8 --bytes 4KiB --element 4 --collectives mpich-4.0 --user-operation|binomial
reduce --ranks 8 --bytes 4KiB --element 4 --collectives mpich-4.0 --in-order|binomial_in_order
reduce --ranks 8 --bytes 4KiB --element 4|binary
reduce --ranks 8 --bytes 4KiB --element 4 --user-operation|binary
reduce --ranks 8 --bytes 4KiB --element 4 --in-order|linear
alltoall --ranks 16 --bytes 8|bruck
alltoall --ranks 16 --bytes 8 --in-place|pairwise_in_order
iallreduce --ranks 8 --bytes 64KiB --element 4|rabenseifner
iallreduce --ranks 8 --bytes 64KiB --element 4 --in-place|binomial_in_order
alltoallw_init --ranks 8 --bytes 8 --in-place|pairwise_both_ways
ialltoallv --ranks 8 --bytes 8 --in-place --collectives mpich-4.0|pairwise_sendrecv_replace
TABLE

# --- the list ---
same "the algorithms of an operation, and what they need" s alltoall <<'TEXT'
alltoall              linear
alltoall              linear_sync
alltoall              scattered
alltoall              two_proc                needs 2 ranks
alltoall              pairwise
alltoall              pairwise_both_ways
alltoall              bruck
alltoall              brucks
alltoall              pairwise_xor            needs a power of two of ranks
alltoall              pairwise_in_order
alltoall              pairwise_sendrecv_replace
TEXT
check "without an operation, the algorithms of all are listed" \
  [ "$(s | cut -d' ' -f1 | sort -u | wc -l)" -eq 17 ]

# --- JSON ---
same "messages in JSON" s scatter --ranks 3 --root 1 --bytes 8 --element 4 --json <<'JSON'
{
  "format": "berth-schedule",
  "version": 1,
  "operation": "scatter",
  "ranks": 3,
  "bytes": 8,
  "collectives": "openmpi-4.1",
  "stages": [
    {
      "operation": "scatter",
      "algorithm": "linear",
      "rounds": [
        {
          "times": 1,
          "messages": [[1,0,8],[1,2,8]]
        }
      ]
    }
  ]
}
JSON
same "blocks in JSON" s alltoallv --ranks 2 --counts 1,2,0,4 --element 4 --json <<'JSON'
{
  "format": "berth-schedule",
  "version": 1,
  "operation": "alltoallv",
  "ranks": 2,
  "all_bytes": 28,
  "collectives": "openmpi-4.1",
  "stages": [
    {
      "operation": "alltoallv",
      "algorithm": "pairwise",
      "rounds": [
        {
          "times": 1,
          "messages": [[0,1,8],[1,0,0]]
        }
      ]
    }
  ]
}
JSON
same "parts on hosts in JSON" s allreduce --ranks 4 --bytes 4 --hosts 3,1 --cyclic --collectives mpich-4.0 --json <<'JSON'
{
  "format": "berth-schedule",
  "version": 1,
  "operation": "allreduce",
  "ranks": 4,
  "hosts": 2,
  "bytes": 4,
  "collectives": "mpich-4.0",
  "stages": [
    {
      "operation": "reduce",
      "algorithm": "binomial",
      "among": "hosts",
      "groups": 1,
      "rounds": [
        {
          "times": 1,
          "messages": [[2,0,4],[3,0,4]]
        }
      ]
    },
    {
      "operation": "allreduce",
      "algorithm": "recursive_doubling",
      "among": "leaders",
      "groups": 1,
      "rounds": [
        {
          "times": 1,
          "messages": [[0,1,4],[1,0,4]]
        }
      ]
    },
    {
      "operation": "bcast",
      "algorithm": "knomial",
      "among": "hosts",
      "groups": 1,
      "rounds": [
        {
          "times": 1,
          "messages": [[0,3,4],[0,2,4]]
        }
      ]
    }
  ]
}
JSON
check "an MPI that sends no empty messages" eval \
  's alltoallv --ranks 2 --counts 1,2,0,4 --collectives mpich-4.0 --json | grep -qF "[[0,1,2]]"'
# what both formats say of a call: messages and bytes of all rounds
count_text() {
  s "$@" --collectives mpich-4.0 | awk '$1 ~ /^[0-9]/ { split($1, r, "-"); n += $2 * (r[2] ? r[2] - r[1] + 1 : 1) } END { print n + 0 }'
}
count_json() {
  s "$@" --collectives mpich-4.0 --json | python3 -c 'import json, sys
print(sum(len(r["messages"]) * r["times"] for s in json.load(sys.stdin)["stages"] for r in s["rounds"]))'
}
for op in barrier bcast reduce allreduce gather scatter allgather alltoall reduce_scatter_block scan exscan \
  alltoallv allgatherv gatherv scatterv reduce_scatter; do
  bytes=65536
  [ $op = barrier ] && bytes=0
  n=$(count_text $op --ranks 12 --bytes $bytes --element 4)
  check "$op: text and JSON have as many messages" \
    [ "$n" -gt 0 -a "$n" = "$(count_json $op --ranks 12 --bytes $bytes --element 4)" ]
done
check "an algorithm that is asked for comes from no rules" \
  eval '! s bcast --ranks 3 --bytes 8 --algorithm linear --json | grep -q collectives'
s bcast --ranks 4 --bytes 8 > /dev/full 2> full
check "output that can't be written is an error" grep -q "^berth schedule: " full

# --- rules of a file ---
cat > own.json <<'JSON'
{"format": "berth-collectives", "version": 1, "name": "mine",
 "rules": {"bcast": [{"ranks_below": 5, "algorithm": "linear"}]}}
JSON
same "rules of a file" s bcast --ranks 4 --bytes 8 --collectives own.json <<'TEXT'
bcast of 8 B on 4 ranks, as mine does it
bcast: linear
  round           messages         bytes       largest
  1                      3          24 B           8 B
TEXT
expect 3 "berth schedule: mine: found no algorithm for bcast on 5 ranks, expected rules.bcast to choose one" \
  s bcast --ranks 5 --bytes 8 --collectives own.json
expect 3 "berth schedule: mine: found no algorithm for barrier on 4 ranks, expected rules.barrier to choose one" \
  s barrier --ranks 4 --collectives own.json
expect 3 "berth schedule: mine: found no algorithm for ibcast on 4 ranks, expected rules.ibcast to choose one" \
  s ibcast --ranks 4 --bytes 8 --collectives own.json
echo '{"format": "berth-collectives", "version": 1, "name": "x", "rules": {"bcast": [{}]}}' > broken.json
expect 3 "berth schedule: broken.json: rules.bcast[0]: found 0 of \"algorithm\", \"stages\" and \"rules\", expected one" \
  s bcast --ranks 4 --collectives broken.json
expect 4 "berth schedule: no.json: cannot open: No such file or directory" \
  s bcast --ranks 4 --collectives no.json

# --- wrong usage ---
operations="barrier, bcast, reduce, allreduce, gather, scatter, allgather, alltoall, reduce_scatter_block, scan, exscan, alltoallv, allgatherv, gatherv, scatterv, reduce_scatter or alltoallw"
expect 2 "berth schedule: found the operation 'sum', expected $operations" s sum --ranks 4
expect 2 "berth schedule: found the operation 'sum', expected $operations" s sum
while IFS='|' read -r words line; do # of the call and its algorithm
  # shellcheck disable=SC2086
  expect 2 "berth schedule: $line" s $words
done <<'TABLE'
bcast --ranks 4 --algorithm star|--algorithm: found 'star', expected one of `berth schedule bcast` without --ranks
bcast --ranks 4 --algorithm scattered|--algorithm: found 'scattered', expected one of `berth schedule bcast` without --ranks
bcast --ranks 4 --algorithm knomial|expected --degree for knomial
bcast --ranks 4 --algorithm knomial --degree 1|found a call that knomial doesn't serve: `berth schedule bcast` lists what it needs
allgather --ranks 5 --algorithm recursive_doubling|found a call that recursive_doubling doesn't serve: `berth schedule allgather` lists what it needs
reduce --ranks 5 --algorithm binomial --in-order|found a call that binomial doesn't serve: `berth schedule reduce` lists what it needs
gatherv --ranks 4 --counts 1,2,3|--counts: found fewer numbers, expected 4 for 4 ranks
gatherv --ranks 2 --counts 1,2,3|--counts: found more numbers, expected 2 for 2 ranks
alltoallv --ranks 2 --counts 1,2,33|--counts: found fewer numbers, expected 4 for 2 ranks
gatherv --ranks 4 --counts 1,2,x,3|--counts: found 'x' as number 3, expected whole numbers with commas, at most 2^53 bytes together
gatherv --ranks 4 --counts 1,-2,3,4|--counts: found '-2' as number 2, expected whole numbers with commas, at most 2^53 bytes together
gatherv --ranks 2 --counts 1,9007199254740992|--counts: found '9007199254740992' as number 2, expected whole numbers with commas, at most 2^53 bytes together
bcast --ranks 8 --hosts 3,x|--hosts: found 'x' as number 2, expected ranks of hosts with commas, at least 1 each, 8 together
bcast --ranks 8 --hosts 3,5,|--hosts: found '' as number 3, expected ranks of hosts with commas, at least 1 each, 8 together
bcast --ranks 8 --hosts 8,0|--hosts: found '0' as number 2, expected ranks of hosts with commas, at least 1 each, 8 together
bcast --ranks 8 --hosts 3,3,3|--hosts: found '3' as number 3, expected ranks of hosts with commas, at least 1 each, 8 together
bcast --ranks 8 --hosts 3,3|--hosts: found hosts of 6 ranks, expected all 8 ranks
gather --ranks 2 --counts 1,2|--counts: found it for gather, expected an operation such as allgatherv
reduce_scatter --ranks 4 --counts 1,2,3,4 --algorithm noncommutative|found a call that noncommutative doesn't serve: `berth schedule reduce_scatter` lists what it needs
TABLE
help="Try \`berth schedule --help' or \`berth schedule --usage' for more information."
while IFS='|' read -r words line; do # of the options alone
  # shellcheck disable=SC2086
  expect 2 "berth schedule: $line"$'\n'"$help" s $words
done <<'TABLE'
--ranks 4|expected an operation
bcast reduce --ranks 4|found 'reduce' behind 'bcast', expected one name
bcast --ranks 0|--ranks: found '0', expected a whole number from 1 to 16777216
bcast --ranks 4 --root 4|--root: found 4, expected a rank from 0 to 3
bcast --ranks 4 --element 0|--element: found '0', expected a whole number from 1 to 1048576
bcast --ranks 4 --bytes 7 --element 4|--bytes: found 7, expected a multiple of the 4 of an element
bcast --ranks 16777216 --bytes 1GiB|--bytes: found 1073741824, expected at most 2^53 for all 16777216 ranks together
gatherv --ranks 4 --counts 1,2,3,4 --bytes 8|expected --bytes or --counts, found both
bcast --ranks 4 --hosts 4 --algorithm linear|expected --hosts or --algorithm, found both
bcast --ranks 4 --cyclic|expected --hosts beside --cyclic
bcast --hosts 4|expected --ranks beside --hosts
bcast --ranks 4 --half 4KiB|expected --collectives berth or berth-agents beside --half
bcast --ranks 4 --degree 2|expected --algorithm beside --degree or --segment
bcast --ranks 4 --segment 2|expected --algorithm beside --degree or --segment
bcast --ranks 4 --algorithm chain --degree 0|--degree: found '0', expected a whole number from 1 to 1048576
bcast --ranks 4 --algorithm pipeline --segment 6 --element 4|--segment: found 6, expected a multiple of the 4 of an element
bcast --ranks 4 --algorithm pipeline --segment 0|--segment: found '0', expected a size from 1 B to 8.000 PiB, as in 64MiB
TABLE
finish
