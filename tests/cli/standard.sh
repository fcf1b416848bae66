#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `berth make pattern`: what each standard pattern sends, beside numbers that are counted here from
# the pattern's definition; that every command takes them; wrong usage.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"

cd "$work" || exit 1
make() { "$berth" make pattern "$@"; }

# What is in each file, against the definitions: the grid of each name, messages with their sizes.
make_all() {
  while read -r file options; do
    # shellcheck disable=SC2086
    make $options -q -o "$file.acp" || return 1
  done <<'PATTERNS'
ring ring -n 5 --message 100
stencil2d stencil2d --grid 3x4 --block 10x20 --element 2
stencil2d-corners stencil2d --grid 3x4 --block 10x20 --element 2 --corners
stencil2d-periodic stencil2d --grid 3x4 --block 10x20 --element 2 --periodic --corners
stencil3d stencil3d --grid 2x3x4 --block 5x6x7 --element 8
stencil3d-periodic stencil3d --grid 2x3x1 --block 5x6x7 --element 8 --periodic --steps 9
lattice4d lattice4d --grid 2x1x3x2 --block 2x3x4x5 --element 96
cg cg --grid 2x3x4 --block 5x6x7 --element 8
sweep sweep --grid 3x2 --block 4x5x6 --element 8
hypercube hypercube -n 6 --message 10
farm farm -n 4 --message 10
fft2d fft2d -n 6 --block 10x7 --element 16
fft3d fft3d --grid 3x2 --block 4x5x6 --element 16
alltoall alltoall -n 6 --message 10
allreduce allreduce -n 6 --message 24
PATTERNS
}
check "each pattern is made" make_all
cat > truth.py <<'PYTHON'
import itertools, json, math, sys
from collections import Counter

def read(name):
    lines = [json.loads(line) for line in open(name + ".acp")]
    sent, calls = Counter(), Counter()
    comms = {0: list(range(lines[0]["ranks"]))}
    comms |= {l["id"]: l["ranks"] for l in lines if l.get("kind") == "comm"}
    for l in lines[1:]:
        if l["kind"] == "p2p":
            for to, size, count in l["msgs"]:
                sent[l["src"], to, size] += count
        if l["kind"] == "coll":
            calls[l["op"], l["bytes"], tuple(comms[l["comm"]])] += l["count"]
    return sent, calls, lines

def halo(grid, block, element, periodic=False, corners=False):
    sent = Counter()
    for a, b in itertools.product(list(itertools.product(*map(range, grid))), repeat=2):
        for wrap in itertools.product(*[(0, n, -n) if periodic else (0,) for n in grid]):
            step = [y + w - x for x, y, w in zip(a, b, wrap)]
            apart = sum(s != 0 for s in step)
            if a == b or max(map(abs, step)) > 1 or apart > (len(grid) if corners else 1):
                continue
            number = lambda c: sum(x * math.prod(grid[d + 1:]) for d, x in enumerate(c))
            points = math.prod(n for n, s in zip(block, step) if s == 0)
            sent[number(a), number(b), points * element] += 1
    return sent

def sweep(grid, block, element):
    return Counter({key: 2 * count * block[2] for key, count in
                    halo(grid, block[:2], element).items()})

world, none = tuple(range(6)), Counter()
expected = {
    "ring": ({(r, (r + 1) % 5, 100): 1 for r in range(5)}, {}),
    "stencil2d": (halo((3, 4), (10, 20), 2), {}),
    "stencil2d-corners": (halo((3, 4), (10, 20), 2, corners=True), {}),
    "stencil2d-periodic": (halo((3, 4), (10, 20), 2, True, True), {}),
    "stencil3d": (halo((2, 3, 4), (5, 6, 7), 8), {}),
    "stencil3d-periodic": (halo((2, 3, 1), (5, 6, 7), 8, True), {}),
    "lattice4d": (halo((2, 1, 3, 2), (2, 3, 4, 5), 96), {}),
    "cg": (halo((2, 3, 4), (5, 6, 7), 8), {("MPI_Allreduce", 8, tuple(range(24))): 2}),
    "sweep": (sweep((3, 2), (4, 5, 6), 8), {}),
    "hypercube": ({(a, b, 10): 1 for a in range(6) for b in range(6)
                   if bin(a ^ b).count("1") == 1}, {}),
    "farm": ({**{(0, r, 10): 1 for r in range(1, 4)}, **{(r, 0, 10): 1 for r in range(1, 4)}}, {}),
    "fft2d": ({}, {("MPI_Alltoall", math.ceil(70 / 6) * 16 * 6, world): 2}),
    "fft3d": ({}, {**{("MPI_Alltoall", 60 * 16 * 2, (r, r + 1)): 1 for r in (0, 2, 4)},
                   **{("MPI_Alltoall", 40 * 16 * 3, (r, r + 2, r + 4)): 1 for r in (0, 1)}}),
    "alltoall": ({}, {("MPI_Alltoall", 60, world): 1}),
    "allreduce": ({}, {("MPI_Allreduce", 24, world): 1}),
}
for name, (messages, calls) in expected.items():
    sent, called, lines = read(name)
    if sent != Counter(messages): print(name, "messages", sent - Counter(messages), Counter(messages) - sent)
    if called != Counter(calls): print(name, "calls", called)
    repeats = [l["repeats"] for l in lines if l.get("kind") == "phase"]
    if repeats != [9 if name == "stencil3d-periodic" else 1]: print(name, "repeats", repeats)
PYTHON
is "what the patterns hold" "$(python3 truth.py)" ""
is "each pattern of the list is in the table" \
  "$("$berth" make --help | sed -n '/^Patterns:/,$p' | awk '/^  [a-z0-9]+  /{print $1}' | sort | paste -sd' ')" \
  "$(ls ./*.acp | sed 's|./||; s|[-.].*||' | sort -u | paste -sd' ')"

# grids: as even as possible, the largest first
while read -r ranks grid2 grid3 grid4; do
  for d in 2 3 4; do
    name=stencil${d}d; [ "$d" = 4 ] && name=lattice4d
    grid=grid$d
    is "$ranks ranks in $d dimensions" \
      "$(make "$name" -n "$ranks" 2> /dev/null | sed -n 's/.*"name":"[a-z0-9]* on \([0-9x]*\)".*/\1/p')" "${!grid}"
  done
done <<'GRIDS'
1 1x1 1x1x1 1x1x1x1
7 7x1 7x1x1 7x1x1x1
12 4x3 3x2x2 3x2x2x1
64 8x8 4x4x4 4x4x2x2
960 32x30 12x10x8 8x6x5x4
1000 40x25 10x10x10 8x5x5x5
GRIDS

# the order of a sweep: who waits for whom. In its own order, a plane passes the grid in as many
# messages as there are steps between corners, so two ranks in a row take longer than one message
"$berth" topo make host:6 core:1 host=10Gbit/s -q -o six.json
check "a placement of each" eval 'for f in ./*.acp; do "$berth" map "$f" six.json --ranks-per-pu 8 -o "$f.map" > said 2>&1 || { echo "$f: $(cat said)"; false; } || break; done'
flow() { "$berth" cost "$1" six.json "$2" --model flow --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["results"][0]["cost_s"])'; }
check "model flow sees that ranks of a sweep wait" python3 -c '
import sys
chained, alone = map(float, sys.argv[1:])
sys.exit(not chained > 1.2 * alone)' "$(flow sweep.acp sweep.acp.map)" \
  "$(grep -v '"kind":"order"' sweep.acp | sed 's/"records":.*/"records":8}/' > free.acp; flow free.acp sweep.acp.map)"
check "collective calls have a cost" eval '[ "$("$berth" cost fft3d.acp six.json fft3d.acp.map --json |
  python3 -c "import json, sys; print(json.load(sys.stdin)[\"results\"][0][\"cost_s\"] > 0)")" = True ]'
is "of another MPI" "$(make ring -n 2 --mpi 'MPICH 4.0.2' -q | head -1 | sed 's/.*"mpi"://')" '"MPICH 4.0.2"}'
is "the file says how it was made" "$(make ring -n 2 -q | head -1 | sed 's/.*"command":\(.*\),"mpi.*/\1/')" \
  '["berth","make","pattern","ring","-n","2","-q"]'
while IFS='|' read -r options said; do
  # shellcheck disable=SC2086
  is "the summary of $options" "$(make $options 2>&1 > made.acp)" "$said"
done << 'SUMMARIES'
cg -n 8 --steps 3|8 ranks, cg on 2x2x2: 24 messages (768.0 KiB) and 2 collective calls (128 B of all ranks) in each step
fft3d -n 8|8 ranks, fft3d on 4x2: 6 collective calls (64.00 MiB of all ranks) in each step
ring -n 8|8 ranks, ring: 8 messages (512.0 KiB) in each step
ring -n 1|1 rank, ring: no messages in each step
SUMMARIES

usage="
Try \`berth make --help' or \`berth make --usage' for more information."
while IFS='|' read -r code said options; do
  [ "$code" = 2u ] && said="$said$usage" && code=2
  # shellcheck disable=SC2086
  expect "$code" "berth make: $said" "$berth" make $options -o no.acp
done <<'WRONG'
2u|expected pattern and the name of one|
2u|found 'ring', expected pattern|ring -n 2
2u|expected the name of a pattern, such as stencil3d|pattern
2u|found pattern 'sphere', expected one that --help lists|pattern sphere -n 2
2u|found pattern 'stencil', expected stencil2d or another that --help lists|pattern stencil -n 2
2u|found 'cg' behind ring, expected options|pattern ring cg -n 2
2u|found --block with ring|pattern ring -n 2 --block 3x3
2u|found --message with cg|pattern cg -n 2 --message 3
2u|found --corners with lattice4d|pattern lattice4d -n 2 --corners
2u|--grid: found '2x', expected up to 4 numbers of ranks, as in 8x8x4|pattern cg --grid 2x
2u|--grid: found '2x0x1', expected up to 4 numbers of ranks, as in 8x8x4|pattern cg --grid 2x0x1
2u|--block: found '-1x2', expected up to 4 numbers of points, as in 64x64x32|pattern stencil2d -n 2 --block -1x2
2u|--block: found '1x2x3x4x5', expected up to 4 numbers of points, as in 64x64x32|pattern stencil2d -n 2 --block 1x2x3x4x5
2u|--ranks: found '0', expected a whole number from 1 to 16777216|pattern ring -n 0
2|ring: expected the number of ranks|pattern ring
2|cg: expected the number of ranks, or a grid|pattern cg
2|cg: found a grid of 2 dimensions, expected 3|pattern cg --grid 2x2
2|ring: found a grid of 2 dimensions, expected 0|pattern ring --grid 2x2
2|stencil2d: found a block of 3 dimensions, expected 2|pattern stencil2d -n 4 --block 2x2x2
3|found a grid of 8 ranks, expected 9|pattern cg --grid 2x2x2 -n 9
3|found a grid with 16777216 ranks in dimension 2, expected at least 1 in each and at most 16777216 ranks|pattern stencil2d --grid 2x16777216
3|stencil2d: found 9.22e+18 bytes of a rank in all steps, expected at most 2^53|pattern stencil2d -n 4 --block 1073741824x1073741824
3|alltoall: found messages of 1099511627776 bytes, expected at most 2^53 for 16777216 ranks|pattern alltoall -n 16777216 --message 1024G
4|stencil3d: found data for at least 1.788 GiB of memory, expected at most 1.000 GiB (--memory allows more)|pattern stencil3d --grid 200x200x200
WRONG
check "nothing was written" [ ! -e no.acp ]
finish
