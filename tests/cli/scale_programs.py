#!/usr/bin/env python3
"""Programs by their definitions, as patterns of any number of ranks, for scale.sh.

  scale_programs.py write NAME RANKS FILE
  scale_programs.py list       NAME WITHIN LOW HIGH TARGET RANKS..., a line for each
  scale_programs.py refused    NAME RANKS..., a line for each
"""
import collections
import json
import math
import random
import sys

SITES = ["main", "halo", "rows", "other"]


class Program:
    def __init__(self, ranks):
        self.ranks = ranks
        self.sent = collections.Counter()  # (site, src, dst, size): messages
        self.comms = []
        self.grids = []  # that the program made itself: dims, periodic
        self.borders = {}  # by communicator
        self.calls = []
        self.one_sided = collections.defaultdict(list)  # src: [dst, size, count]

    def send(self, src, dst, size, count=1, site=1):
        self.sent[site, src, dst, size] += count

    def call(self, op, members, size, count=1, site=2, **more):
        comm = 0
        if members != list(range(self.ranks)):
            if members not in self.comms:
                self.comms.append(members)
            comm = self.comms.index(members) + 1
        self.calls.append({"kind": "coll", "site": site, "comm": comm, "op": op, "bytes": size,
                           "count": count, "root": None, **more})

    def write(self, path):
        lines = [{"format": "berth-pattern", "version": 1, "ranks": self.ranks,
                  "mpi": "Open MPI 4.1.4",
                  "grids": [{"dims": d, "periodic": p} for d, p in self.grids]}]
        for i, name in enumerate(SITES[1:], 1):
            lines.append({"kind": "site", "id": i, "op": "MPI_Send", "frames": [name]})
        for i, members in enumerate(self.comms, 1):
            border = {"border": self.borders[i]} if i in self.borders else {}
            lines.append({"kind": "comm", "id": i, "ranks": members, **border})
        lines += self.calls
        for (site, src, dst, size), count in sorted(self.sent.items()):
            lines.append({"kind": "p2p", "site": site, "src": src, "msgs": [[dst, size, count]]})
        for src, puts in sorted(self.one_sided.items()):
            lines.append({"kind": "rma", "site": 3, "src": src, "win": 0, "sync": "fence",
                          "op": "MPI_Put", "epochs": 5, "msgs": puts})
        lines.append({"kind": "end", "records": len(lines) - 1})
        with open(path, "w") as f:
            f.writelines(json.dumps(line) + "\n" for line in lines)


def even(ranks, n, rising=False):
    """The most even grid: of all products the one with the smallest sum."""
    best = None

    def divide(left, dims):
        nonlocal best
        if len(dims) == n - 1:
            found = sorted(dims + [left], reverse=not rising)
            if best is None or sum(found) < sum(best):
                best = found
            return
        for d in range(1, left + 1):
            if left % d == 0:
                divide(left // d, dims + [d])

    divide(ranks, [])
    return best


def place(rank, dims):
    at = []
    for n in reversed(dims):
        at.insert(0, rank % n)
        rank //= n
    return at


def rank_of(at, dims):
    rank = 0
    for x, n in zip(at, dims):
        rank = rank * n + x
    return rank


def step(p, dims, by, size, periodic, count=1, site=1):
    """Each rank to the one that is `by` away."""
    for src in range(p.ranks):
        at = [x + d for x, d in zip(place(src, dims), by)]
        if any(not around and not 0 <= x < n for x, n, around in zip(at, dims, periodic)):
            continue
        dst = rank_of([x % n for x, n in zip(at, dims)], dims)
        if dst != src:
            p.send(src, dst, size, count, site)


def halo(p, dims, size, periodic=None, count=1, site=1):
    """To both neighbours in each dimension; size is a function of the dimension, or a number."""
    periodic = periodic or [False] * len(dims)
    for d in range(len(dims)):
        for sign in (1, -1):
            by = [sign if i == d else 0 for i in range(len(dims))]
            step(p, dims, by, size(d) if callable(size) else size, periodic, count, site)


def lines(dims, along):
    """The ranks of each line in these dimensions."""
    found = collections.defaultdict(list)
    for rank in range(math.prod(dims)):
        at = place(rank, dims)
        found[tuple(x for d, x in enumerate(at) if d not in along)].append(rank)
    return list(found.values())


def strong2d(p):
    dims = even(p.ranks, 2)
    halo(p, dims, lambda d: 8 * 1024 // dims[1 - d])


def rising3d(p):
    """The smallest dimension first, borders that are widened by those that came before."""
    dims = even(p.ranks, 3, rising=True)
    reach, side, sent = 6, 240, [0, 0, 0]
    have = [side // n for n in dims]
    for d in range(3):
        sent[d] = 24 * reach * math.prod(have[e] for e in range(3) if e != d)
        have[d] += 2 * reach
    halo(p, dims, lambda d: sent[d], [True] * 3, 7)


def own4d(p):
    """A lattice of two ranks in each dimension, at most: only the program's own grid says more."""
    dims = even(p.ranks, 4)
    p.grids.append((dims, [True] * 4))
    halo(p, dims, lambda d: 8 * 4 ** 4 * (d + 1), [True] * 4, 3)


def own_ring(p):
    """A ring, whose program made a grid for something else."""
    p.grids.append((even(p.ranks, 2), [False, False]))
    step(p, [p.ranks], [1], 3000, [True])


def own_other(p):
    """A halo in grids of the program's own that follow no rule."""
    dims = {12: [6, 2], 24: [3, 8], 36: [18, 2], 48: [4, 12]}[p.ranks]
    p.grids.append((dims, [True, False]))
    halo(p, dims, 3000, [True, False])


def fixed_rows(p):
    halo(p, [2, p.ranks // 2], 4096, [True, False], 3)


def far(p):
    """Second neighbours in a periodic plane."""
    dims = even(p.ranks, 2)
    halo(p, dims, 1000, [True, True])
    for d in range(2):
        for sign in (2, -2):
            step(p, dims, [sign if i == d else 0 for i in range(2)], 500, [True, True])


def one_way(p):
    """A pipeline in each row of a plane."""
    step(p, even(p.ranks, 2), [0, 1], 777, [False, False], 5)


def transposes(p):
    side = math.isqrt(p.ranks)
    for src in range(p.ranks):
        i, j = divmod(src, side)
        if i != j:
            p.send(src, j * side + i, 64 * 1024)


def transposes_all(p):
    """The same, in which ranks on the diagonal send to themselves."""
    side = math.isqrt(p.ranks)
    for src in range(p.ranks):
        i, j = divmod(src, side)
        p.send(src, j * side + i, 64 * 1024)


def squares(p):
    step(p, [p.ranks], [1], 10 * p.ranks ** 2, [False])


def calls_in_phases(p):
    """Calls in a phase that has no line of its own."""
    p.call("MPI_Bcast", list(range(p.ranks)), 5000, 3, root=0, phase=7)
    step(p, [p.ranks], [1], 1000, [False])


def rows_by_messages(p):
    dims = even(p.ranks, 2)
    for line in lines(dims, [1]):
        for a in line:
            for b in line:
                if a != b:
                    p.send(a, b, 2 ** 22 // p.ranks // dims[1])


def doubling(p):
    """An all-gather by recursive doubling."""
    k = 1
    while k < p.ranks:
        for r in range(p.ranks):
            p.send(r, r ^ k, 100 * k)
        k *= 2


def bitonic(p):
    """A bitonic sort: as many exchanges in a bit as there are bits from it on."""
    bits = p.ranks.bit_length() - 1
    for r in range(p.ranks):
        for k in range(bits):
            p.send(r, r ^ 1 << k, 160000, bits - k)


def bits(p):
    """A hypercube with the same bytes in each dimension."""
    k = 1
    while k < p.ranks:
        for r in range(p.ranks):
            p.send(r, r ^ k, 100)
        k *= 2


def dissemination(p):
    k = 1
    while k < p.ranks:
        for r in range(p.ranks):
            p.send(r, (r + k) % p.ranks, 8, 10)
        k *= 2


def binomial(p):
    for r in range(1, p.ranks):
        p.send(r & (r - 1), r, 5000)
        p.send(r, r & (r - 1), 300, site=3)


def binary(p):
    for r in range(1, p.ranks):
        p.send((r - 1) // 2, r, 5000)


def halves(p):
    for r in range(1, p.ranks):
        p.send(r - (1 << r.bit_length() - 1), r, 5000)


def collected(p):
    for r in range(1, p.ranks):
        p.send(r, 0, 2 ** 20 // p.ranks)


def sizes(p):
    """Each pair has messages of three sizes."""
    for size, count in ((8, 10), (1000, 4), (65536, 2)):
        halo(p, even(p.ranks, 2), size, count=count)


def flags(p):
    """Flags of 8 B, and data that become less: each pair's sizes grow in different ways."""
    step(p, [p.ranks], [1], 8, [True], 1000)
    step(p, [p.ranks], [1], 3 * 2 ** 20 // p.ranks, [True], 3)


def stages(p):
    """As many messages as there are ranks in a ring."""
    step(p, [p.ranks], [1], 2000, [True], p.ranks)


def pencils(p):
    dims = even(p.ranks, 2)
    for along in ([0], [1]):
        for line in lines(dims, along):
            p.call("MPI_Alltoall", line, 2 ** 24 // p.ranks, 3, 1 + along[0], element=16)
    p.call("MPI_Allreduce", list(range(p.ranks)), 8, 4, 3, element=8)


def planes(p):
    dims = even(p.ranks, 3)
    for line in lines(dims, [1, 2]):
        p.call("MPI_Bcast", line, 10000, 3, 1, root=0)
    p.call("MPI_Reduce", lines(dims, [0])[0], 800, 2, 2, root=0)
    halo(p, dims, 2000, site=3)


def two_sizes(p):
    """One call site with calls of two sizes, one of which depends on the ranks."""
    p.call("MPI_Allgather", list(range(p.ranks)), 2 ** 16 // p.ranks, 7)
    p.call("MPI_Allgather", list(range(p.ranks)), 4, 9)


def panels(p):
    """A factorisation: each rank of a row is the root in turn; the last one of a column."""
    dims = even(p.ranks, 2)
    for line in lines(dims, [1]):
        for root in range(len(line)):
            p.call("MPI_Bcast", line, 2 ** 20 // p.ranks, 6, 1, root=root)
    for line in lines(dims, [0]):
        p.call("MPI_Reduce", line, 700, 3, 2, root=len(line) - 1)


def cannon(p):
    """Blocks go around in rows and columns, as often as these have ranks."""
    dims = even(p.ranks, 2)
    step(p, dims, [0, -1], 2 ** 20 // p.ranks, [True, True], dims[1])
    step(p, dims, [-1, 0], 2 ** 20 // p.ranks, [True, True], dims[0], site=3)


def alone(p):
    for r in range(p.ranks):
        p.call("MPI_Allreduce", [r], 4096, 6)
    step(p, [p.ranks], [1], 100, [False])


def even_v(p):
    """MPI_Alltoallv in which each gives the same to each."""
    each = 2 ** 20 // p.ranks // p.ranks
    p.call("MPI_Alltoallv", list(range(p.ranks)), each * p.ranks, 2,
           rank_bytes=[[2 * each * p.ranks, p.ranks]])


def puts(p):
    dims = even(p.ranks, 2)
    for src in range(p.ranks):
        for d in range(2):
            at = place(src, dims)
            at[d] = (at[d] + 1) % dims[d]
            p.one_sided[src].append([rank_of(at, dims), 4096, 20])


def half_irregular(p):
    """A halo, and about as many bytes to ranks that are drawn."""
    dims = even(p.ranks, 2)
    halo(p, dims, 4096, site=1)
    draw = random.Random(p.ranks)
    pairs = 2 * sum((n - 1) * p.ranks // n for n in dims)
    for _ in range(pairs // 4):
        p.send(draw.randrange(p.ranks), draw.randrange(p.ranks), 4 * 4096, site=3)


def irregular_calls(p):
    """A halo, and calls in which ranks give different amounts."""
    halo(p, even(p.ranks, 2), 4096, site=1)
    draw = random.Random(p.ranks)
    amounts = [draw.randrange(1, 4000) for _ in range(p.ranks)]
    p.call("MPI_Alltoallv", list(range(p.ranks)), sum(amounts) // p.ranks, 1, rank_bytes=amounts)


def two_groups(p):
    """Calls between the two halves of the ranks, which only intercommunicators have."""
    p.call("MPI_Allgather", list(range(p.ranks)), 100)
    p.comms.append(list(range(p.ranks)))
    p.borders = {len(p.comms): p.ranks // 2}
    p.calls[-1]["comm"] = len(p.comms)


def triangle(p):
    """Each rank to all that follow it: on few ranks, many steps hold by chance."""
    for src in range(p.ranks):
        for dst in range(src + 1, p.ranks):
            p.send(src, dst, 1000)


def drawn_sizes(p):
    """A halo whose amounts are drawn."""
    draw = random.Random(p.ranks)
    halo(p, even(p.ranks, 2), 4096)
    for key in list(p.sent):
        site, src, dst, _ = key
        del p.sent[key]
        p.sent[site, src, dst, draw.choice((100, 1000, 10000, 100000))] += 1


def lawless(p):
    """A ring whose messages' size is drawn for each number of ranks."""
    step(p, [p.ranks], [1], random.Random(p.ranks * 7).randrange(100, 100000), [True])


# The sizes that are traced, and the one that is made; the share of its bytes in pairs that agree,
# at least; the share of the largest trace's bytes that is kept, at least and at most.
PROGRAMS = {
    strong2d: ([4, 8, 16], 64, 1, 1, 1),
    rising3d: ([4, 8, 16], 64, 1, 1, 1),
    own4d: ([4, 8, 16], 256, 1, 1, 1),
    own_ring: ([4, 8, 16], 64, 1, 1, 1),
    fixed_rows: ([8, 16], 64, 1, 1, 1),
    far: ([64, 144], 256, 1, 1, 1),
    one_way: ([4, 8, 16], 48, 1, 1, 1),
    transposes: ([16, 36, 64], 144, 1, 1, 1),
    transposes_all: ([16, 36, 64], 144, 1, 1, 1),
    squares: ([4, 8, 16], 64, 1, 1, 1),
    calls_in_phases: ([4, 8, 16], 64, 1, 1, 1),
    rows_by_messages: ([4, 8, 16], 256, 1, 1, 1),
    doubling: ([4, 8, 16], 128, 1, 1, 1),
    bitonic: ([4, 8, 16], 64, 1, 1, 1),
    dissemination: ([5, 8, 12], 50, 1, 1, 1),
    binomial: ([6, 8, 12], 50, 1, 1, 1),
    binary: ([6, 8, 12], 50, 1, 1, 1),
    halves: ([6, 8, 12], 50, 1, 1, 1),
    collected: ([4, 8, 16], 64, 1, 1, 1),
    sizes: ([4, 8, 16], 64, 1, 1, 1),
    flags: ([4, 8, 16], 64, 1, 1, 1),
    stages: ([4, 8, 12], 40, 1, 1, 1),
    pencils: ([4, 8, 16], 64, 1, 1, 1),
    planes: ([8, 16, 36], 64, 1, 1, 1),
    two_sizes: ([4, 8, 16], 64, 1, 1, 1),
    panels: ([4, 8, 16], 64, 1, 1, 1),
    cannon: ([4, 9, 16], 64, 1, 1, 1),
    alone: ([4, 8, 16], 64, 1, 1, 1),
    even_v: ([4, 8, 16], 64, 1, 1, 1),
    puts: ([4, 9, 16], 64, 1, 1, 1),
    half_irregular: ([8, 16, 32], 64, 0.3, 0.4, 0.6),
    irregular_calls: ([8, 16, 32], 64, 0.8, 0.8, 0.95),
}
# What nothing can be made of.
REFUSED = {
    drawn_sizes: [8, 16, 32],
    lawless: [8, 16, 32],
    two_groups: [8, 16, 32],
    triangle: [4, 8, 16],
}


def main():
    if sys.argv[1] == "list":
        for program, (traced, target, *expected) in PROGRAMS.items():
            print(program.__name__, *expected, target, *traced)
    elif sys.argv[1] == "refused":
        for program, traced in REFUSED.items():
            print(program.__name__, *traced)
    else:
        name, ranks, path = sys.argv[2], int(sys.argv[3]), sys.argv[4]
        program = Program(ranks)
        {p.__name__: p for p in [*PROGRAMS, *REFUSED, bits, own_other]}[name](program)
        program.write(path)


main()
