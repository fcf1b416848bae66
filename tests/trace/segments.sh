#!/usr/bin/env bash
# Automatic phases: exactly those of segments.c, which doesn't tell them apart, under both MPIs.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows

# wanted WHAT RANKS: what `acp.py phases` must print of a run, but for the names of phases.
wanted() {
  python3 - "$1" "$2" <<'PYTHON' | sort
import sys

what, n = sys.argv[1], int(sys.argv[2])

def p2p(phase, source, to, size, count):
    print(phase, "p2p", source, to, size, count)

def coll(phase, op, size, count):
    print(phase, "coll MPI_" + op, size, count)

def exchange(phase, times=1):
    for r in range(n):
        p2p(phase, r, (r + 1) % n, 1000, 2 * times)
        p2p(phase, r, (r + n - 1) % n, 500, times)
    coll(phase, "Allreduce", 8, times)

def checkpoint(phase):
    for r in range(1, n):
        p2p(phase, r, 0, 5000, 1)

def set_up(phase):
    for r in range(1, n):
        p2p(phase, 0, r, 10 + r, 1)
    coll(phase, "Barrier", 0, 1)

def last_phase(phase):
    for r in range(n):
        for to in range(n):
            if to != r:
                p2p(phase, r, to, 77, 1)

def to_itself(phase):
    for r in range(n):
        p2p(phase, r, r, 7, 20)

if what in ("known", "loose"):
    coll(0, "Bcast", 100, 1)
    set_up(1)
    exchange(2)
    checkpoint(3)
    if what == "known":
        coll(3, "Barrier", 0, 1)
    else:
        exchange(3) # no collective call between them
        checkpoint(4)
    last_phase(4)
elif what == "edges":
    for r in range(n):
        print(0, "epochs", r, "MPI_Put", 20)
        print(0, "rma", r, (r + 1) % n, 8, 20)
        p2p(1, r, (r + 1) % n, 300, 1)
        p2p(1, r, (r + n - 1) % n, 300, 1)
    coll(1, "Neighbor_alltoall", 600, 1)
    exchange(2)
elif what == "groups":
    exchange(1)
    coll(1, "Bcast", 8, 5)
elif what == "pcontrol":
    coll(0, "Bcast", 100, 1)
    set_up(0)
    exchange(2)
elif what == "threads":
    to_itself(0)
    exchange(1)
elif what == "collective":
    exchange(0, 20)
    coll(0, "Barrier", 0, 20)
elif what == "refused":
    exchange(1)
PYTHON
}
# phases FILE: PHASE REPEATS NAME…, one a line
phases() { acp phases "$1" | sed -nE 's/^([0-9]+) (.*) x ([0-9]+)$/\1 \3 \2/p' | sort -n; }
# as_wanted MPI RANKS WHAT [OPTION…]: runs it, and compares all but the names
as_wanted() {
  local mpi=$1 n=$2 what=$3; shift 3
  local arguments=("$what")
  [ "$what" = known ] && arguments=()
  rm -f got.acp
  traced "$mpi" "$n" got.acp "$@" "./segments.$mpi" "${arguments[@]}"
  check "$mpi, $n ranks, $what $*: the exit code" [ $? -eq 0 ]
  acp phases got.acp | grep -E '^[0-9]+ (p2p|coll|rma|epochs) ' | sort > got
  wanted "$what" "$n" > want
  check "$mpi, $n ranks, $what $*: what an occurrence has" same want got
  phases got.acp | cut -d' ' -f1,2 | tr '\n' ',' > got
}
# repeats TEXT: "PHASE TIMES, …"
repeats() { check "… the phases and their repeats" [ "$(cat got)" = "$1," ]; }

for mpi in $mpis; do
  compile "$mpi" "$here/segments.c" "segments.$mpi"
  for n in 4 5; do
    as_wanted "$mpi" "$n" known
    repeats "0 1,1 1,2 100,3 10,4 1"
    phases got.acp | sed -E 's/ segments.c:[0-9]+$//' > got
    printf '%s\n' "0 1 rest" "1 1 set_up" "2 100 exchange" "3 10 checkpoint" "4 1 last_phase" > want
    check "$mpi, $n ranks: the phases' names" same want got
  done
  as_wanted "$mpi" 4 loose
  repeats "0 1,1 1,2 91,3 9,4 1"
  as_wanted "$mpi" 4 known --sites 0
  repeats "0 1,1 1,2 100,3 10,4 1"
  as_wanted "$mpi" 3 edges
  repeats "0 1,1 20,2 20"
  as_wanted "$mpi" 5 groups
  repeats "1 20"
  as_wanted "$mpi" 3 pcontrol
  repeats "0 1,2 20"
  as_wanted "$mpi" 3 threads
  repeats "0 1,1 20"
  as_wanted "$mpi" 3 collective
  repeats "0 1"
  check "$mpi: threads are no secret" says \
    "berth: no automatic phases: several threads of rank 0 make collective calls of all ranks"
  [ "$mpi" = openmpi ] || continue # the others are slow where ranks are more than cores

  as_wanted "$mpi" 3 loose --sites 1
  acp lines got.acp > auto
  traced "$mpi" 3 off.acp --phases off "./segments.$mpi" loose
  acp lines off.acp > want
  check "$mpi: in all what there is without phases" same want auto
  as_wanted "$mpi" 3 refused
  repeats "1 20"
  check "$mpi: one line" [ "$(wc -l < err)" -eq 1 ]

  # an order is of the phases that the program tells apart; asked for both, it is left out
  traced "$mpi" 4 order.acp --order "./segments.$mpi" groups
  check "$mpi: --order alone" [ "$(phases order.acp)" = "0 1 all" ]
  traced "$mpi" 4 order.acp --order --phases auto "./segments.$mpi" groups
  check "$mpi: --order with automatic phases" says \
    "orders of sends left out, of 4 (one for each rank and phase): of automatic phases: 4"
  check "$mpi: … which are there" [ "$(phases order.acp | cut -d' ' -f1,2)" = "1 20" ]
done

# Killed at a random moment: whatever was sent before a number was written is in the trace, and no
# rank has more than what it began after that.
for round in 1 2 3; do
  rm -f steps.* spool/*
  (
    export BERTH_TRACE_SPOOL=$work/spool
    launch openmpi 4 -x LD_PRELOAD="$lib/openmpi/libberth-trace.so" -x BERTH_TRACE_SPOOL \
      ./segments.openmpi kill steps
  ) > /dev/null 2>&1 &
  job=$!
  far() { [ "$(cut -d' ' -f1 steps.3 2> /dev/null)" -gt 15 ] 2> /dev/null; }
  await far
  sleep "0.$RANDOM"
  for r in 2 0 3 1; do
    read -r _ process < "steps.$r"
    kill -KILL "$process" 2> /dev/null # unless the launcher was quicker
  done
  wait $job
  "$berth" recover -o killed.acp spool 2> err
  check "killed, round $round: recovered" says "recovered from the tables of 4 of 4 ranks"
  acp lines killed.acp > got
  python3 - got steps > verdict 2>&1 <<'PYTHON'
import sys

sent = {}
for line in open(sys.argv[1]):
    words = line.split()
    if words[0] == "p2p":
        sent[tuple(map(int, words[1:4]))] = int(words[4])
for r in range(4):
    step = int(open(f"{sys.argv[2]}.{r}").read().split()[0])
    for to, size, each in ((r + 1) % 4, 1000, 2), ((r + 3) % 4, 500, 1):
        found = sent[r, to, size]
        assert each * step <= found <= each * (step + 1), (r, to, size, step, found)
    if r:
        found = sent[r, 0, 5000]
        assert step // 10 <= found <= (step + 1) // 10, (r, step, found)
PYTHON
  check "killed, round $round: every message, once" same /dev/null verdict
  phases killed.acp | sed -E 's/ segments.c:[0-9]+$//' > got
  steps=$(sort -n steps.* | head -1 | cut -d' ' -f1)
  # shellcheck disable=SC2016
  check "killed, round $round: as many exchanges as all ranks made" \
    awk -v steps="$steps" '$3 == "swap" && $2 >= steps && $2 <= steps + 1 { found = 1 }
      END { exit !found }' got
done

check "--phases needs sense" bash -c "'$berth' trace --phases on -- ./x 2>&1 |
  grep -q \"found 'on', expected auto, pcontrol or off\""
finish
