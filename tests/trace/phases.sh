#!/usr/bin/env bash
# Phases that a program tells apart by MPI_Pcontrol, and the order of steps in them: exactly those of
# phases.c, under both MPIs.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows

# What a trace must hold, rank by rank. Of phase 3 and 5 occurrences differ, so that they occur once,
# and their orders, being those of the first occurrence, are left out.
python3 - >want <<'PYTHON'
import json

def phase(number, repeats):
    print(number, "rest" if number == 0 else "MPI_Pcontrol(%d)" % number, "x", repeats)

def order(number, rank, rounds, steps):
    print(number, "order", rank, rounds, "x", json.dumps(steps, separators=(",", ":")))

def step(kind, source, times):
    return {kind: source, "times": times} if times > 1 else {kind: source}

def receive(source, times=1):
    return step("receive", source, times)

def posted(source, times=1):
    return step("posted", source, times)

def arrived(source, times=1):
    return step("arrived", source, times)

def p2p(number, source, to, size, count):
    print(number, "p2p", source, to, size, count)

for number, repeats in (0, 1), (2, 6), (3, 1), (4, 3), (5, 1), (6, 2), (7, 1), (0xfffff, 1):
    phase(number, repeats)
print("2 coll MPI_Allreduce 8 1")
for r in range(4):
    right, left = (r + 1) % 4, (r + 3) % 4
    p2p(0, r, right, 1, 1)
    p2p(0, r, right, 2, 2)
    again = {"loop": 2, "sends": [receive(left), [right, 2, 0]]}
    order(0, r, 1, [[right, 1, 0], again, receive(left)])
    for size, count in (300000, 2), (65536, 1), (65535, 1), (0, 1), (70000, 1):
        p2p(2, r, right, size, count)
    p2p(2, r, left, 100, 1)
    order(2, r, 1, [posted(left, 6), posted(right), [right, 300000, 3], [left, 100, 0],
                    [right, 65536, 3], [right, 65535, 0], [right, 0, 3], [right, 300000, 2],
                    [right, 70000, 2], arrived(left, 6), arrived(right), {"sent": right},
                    {"meet": 0, "op": "MPI_Allreduce", "bytes": 8}])
    for size in 10, 20:
        p2p(3, r, r, size, 4 if r == 3 else 5)
    if r < 2:
        order(4, r, 25, [posted(r, 2), [r, 30, 0], [r, 40, 0], arrived(r, 2)])
        for size in 30, 40:
            p2p(4, r, r, size, 25)
    p2p(5, r, r, 50, 1 if r == 2 else 2)
    p2p(5, r, r, 60, 2)
    if r == 2:
        p2p(5, r, r, 51, 1)
    for size in 70, 80:
        p2p(6, r, r, size, 2 if r == 1 else 1)
    if r != 1:
        order(6, r, 1, [posted(r, 2), [r, 70, 0], [r, 80, 0], arrived(r, 2)])
        order(7, r, 2048, [posted(r, 2), [r, 90, 0], [r, 91, 0], arrived(r, 2)])
    else:
        random, count = 1, [0] * 32
        for i in range(2048):
            random = (random * 1664525 + 1013904223) % 2**32
            count[random >> 22 & 31] += 1
            count[random >> 27] += 1
        for i in range(32):
            p2p(7, r, r, 100 + i, count[i])
    for size in 90, 91:
        p2p(7, r, r, size, 2048)
    p2p(0xfffff, r, r, 1, 2)
    order(0xfffff, r, 1, [posted(r, 2), [r, 1, 0, 2], arrived(r, 2)])
PYTHON
sort -o want want

sorted() { acp phases "$1" | sort; }
for mpi in $mpis; do
  compile "$mpi" "$here/phases.c" "phases.$mpi"
  traced "$mpi" 4 all.acp --order "./phases.$mpi"
  check "$mpi: the exit code" [ $? -eq 0 ]
  sorted all.acp >got
  check "$mpi: every phase, count and order" same want got
  check "$mpi: what was stopped" says \
    "berth: not included (made after MPI_Pcontrol(0)): messages: 8, collective calls (of all ranks): 4"
  check "$mpi: occurrences that differ" says \
    "berth: taken as one occurrence, because ranks or occurrences differ: phase 3 and 1 more"
  check "$mpi: orders that are left out" says \
    "berth: orders of sends left out, of 30 (one for each rank and phase): too long: 1, unlike the phase's messages: 9"

  # the calls of a phase that are made from different places in its occurrences are one
  acp sites all.acp >got
  check "$mpi: a site of what calls have in common" \
    grep -qE '^MPI_Send to_itself phases.c:[0-9]+$' got
  check "$mpi: sites elsewhere are whole" grep -qE '^MPI_Sendrecv shift .*< main' got

  # sites change what is told apart, never the sums; without --order there is none
  traced "$mpi" 4 plain.acp --sites 0 "./phases.$mpi"
  grep -v order want >want2
  sorted plain.acp >got
  check "$mpi: without orders" same want2 got
  acp lines plain.acp >got
  acp lines all.acp >want2
  check "$mpi: the same in all" same want2 got

  # another eager limit
  traced "$mpi" 4 eager.acp --order --eager 101 "./phases.$mpi"
  sorted eager.acp | grep '^2 order 0' >got
  echo '2 order 0 1 x [{"posted":3,"times":6},{"posted":1},[1,300000,3],[3,100,0],[1,65536,3],[1,65535,3],[1,0,3],[1,300000,2],[1,70000,2],{"arrived":3,"times":6},{"arrived":1},{"sent":1},{"meet":0,"op":"MPI_Allreduce","bytes":8}]' >want2
  check "$mpi: an eager limit of 101 bytes" same want2 got

  traced "$mpi" 4 two.acp --order "./phases.$mpi" threads
  check "$mpi: several threads" says "orders of sends left out, of 4 (one for each rank and phase): of several threads: 1"
  check "$mpi: the other ranks' orders" [ "$(acp phases two.acp | grep -c '^2 order')" -eq 3 ]
done

# what ranks left that ended without MPI_Finalize is the same
traced openmpi 4 left.acp --order ./phases.openmpi exit >out
sorted left.acp >got
check "recovered: every phase, count and order" same want got
check "recovered: what was stopped" says \
  "berth trace: not included (made after MPI_Pcontrol(0)): messages: 8, collective calls (of all ranks): 8"
check "recovered: occurrences that differ" says "differ: phase 3 and 1 more"
check "recovered: orders that are left out" says "too long: 1, unlike the phase's messages: 9"

# off: the program's calls make no difference, and nothing is left out
traced openmpi 4 off.acp --phases off "./phases.openmpi"
check "off: one phase" [ "$(acp phases off.acp | grep -E '^[0-9]+ (all|MPI_P)')" = "0 all x 1" ]
check "off: what was stopped" [ "$(acp lines off.acp | grep -E '^p2p 0 1 3 ')" = "p2p 0 1 3 2" ]
check "off: nothing to say" [ "$(wc -l <err)" -eq 1 ]
traced openmpi 4 off.acp --phases off --order "./phases.openmpi"
check "off: the whole run, which is too long for one rank" says \
  "orders of sends left out, of 4 (one for each rank and phase): too long: 1"
check "off: the whole run of the others" [ "$(acp phases off.acp | grep -c '^0 order .*"loop":2048,')" -eq 3 ]

# a job that berth didn't start
(
  export BERTH_TRACE_FILE=own.acp BERTH_TRACE_ORDER=1 BERTH_TRACE_EAGER=101
  launch openmpi 4 -x LD_PRELOAD="$lib/openmpi/libberth-trace.so" -x BERTH_TRACE_FILE \
    -x BERTH_TRACE_ORDER -x BERTH_TRACE_EAGER ./phases.openmpi
) 2>err
"$berth" resolve own.acp 2>/dev/null
sorted own.acp >got
sorted eager.acp >want2 # MPICH's, which is the same
check "environment variables" same want2 got

# what it is for: the models take it
cat >four.json <<'END'
{"format":"berth-topology","version":1,"types":{
  "host":{"up":{"max_bandwidth":1000000},"down":{"max_bandwidth":10000000}},
  "net":{"down":{"max_bandwidth":1000000}}},
 "root":{"type":"net","children":[{"type":"host","name":"n%d","host":"n%d","repeat":4,
   "children":[{"pu":0,"core":0}]}]}}
END
"$berth" map --pattern all.acp --topology four.json --algorithm linear --mapping linear.json >/dev/null
check "flow prices it" eval \
  '"$berth" cost --pattern all.acp --topology four.json --mapping linear.json --model flow >out'
check "the phase that costs most" grep -q "MPI_Pcontrol(2)" out

check "--phases needs sense" bash -c "'$berth' trace --phases on -- ./x 2>&1 | grep -q \"found 'on', expected auto, pcontrol or off\""
check "--eager needs --order" bash -c "'$berth' trace --eager 10 -- ./x 2>&1 | grep -q 'found --eager without --order, which needs it'"
check "--eager needs sense" bash -c "'$berth' trace --eager -1 -- ./x 2>&1 | grep -q 'from 0 to 2147483647'"
finish
