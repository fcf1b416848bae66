# SPDX-License-Identifier: BSD-3-Clause
"""The suite: patterns and machines, and the files they are written to.

An instance is a pattern, {(src, dst): bytes}, on a number of ranks, and a machine: for each level
from the hosts upwards how many children each of its elements has, and the distance of two PUs that
meet there. Everything is made from seeds; traces are in the folder traces.
"""
import json
import math
import random
import subprocess
from collections import namedtuple
from itertools import product
from pathlib import Path

import irregular

Instance = namedtuple("Instance", "name group make machine distances apart quick")
TRACES = Path(__file__).resolve().parent / "traces"

# --- machines --------------------------------------------------------------------------------------


def regular(text):
    """4:8:8 is 4 PUs a host, 8 hosts a rack, 8 racks."""
    arity = [int(word) for word in text.split(":")]
    levels, above = [], 1
    for n in reversed(arity):
        levels.insert(0, [n] * above)
        above *= n
    return levels


def unequal(hosts):
    """Racks as lists of their hosts' PUs."""
    return [[pus for rack in hosts for pus in rack], [len(rack) for rack in hosts], [len(hosts)]]


def random_machine(seed, pus, hosts, racks):
    """`pus` PUs on hosts of any size from half the mean to one and a half, on unequal racks."""
    rng = random.Random(seed)
    mean, sizes = pus / hosts, []
    for k in range(hosts):
        left = hosts - k - 1
        size = rng.randint(max(1, int(mean / 2)), int(1.5 * mean))
        sizes.append(min(max(size, pus - sum(sizes) - int(1.5 * mean) * left),
                         pus - sum(sizes) - max(1, int(mean / 2)) * left))
    cuts = sorted(rng.sample(range(1, hosts), racks - 1))
    return unequal([sizes[a:b] for a, b in zip([0] + cuts, cuts + [hosts])])


def nested(levels):
    """The tree as nested tuples (number, element): equal siblings in a row stand once. A host is
    the number of its PUs."""
    row = levels[0]
    for level in levels[1:]:
        above, first = [], 0
        for children in level:
            below = []
            for child in row[first:first + children]:
                if below and below[-1][1] == child:
                    below[-1] = (below[-1][0] + 1, child)
                else:
                    below.append((1, child))
            above.append(tuple(below))
            first += children
        row = above
    return row[0]


def topology(levels, distances):
    """In berth's format. A level's capacity is such that a path's times add up to its distance."""
    top = len(levels)
    types = {"l1": {"down": {"max_bandwidth": 2 / distances[0]}}}
    for at in range(2, top + 1):
        types["l%d" % (at - 1)]["up"] = {"max_bandwidth": 2 / (distances[at - 1] - distances[at - 2])}
        types["l%d" % at] = {}

    def node(tree, level, repeat):
        if level == 1:
            more = {"host": "h%d", "children": [{"pu": k, "core": k} for k in range(tree)]}
            name = "h%d"
        else:
            more = {"children": [node(below, level - 1, n) for n, below in tree]}
            name = "s%d-%%d" % level
        counted = {"repeat": repeat} if repeat > 1 else {}
        return {"type": "l%d" % level, "name": name, **counted, **more}

    return {"format": "berth-topology", "version": 1, "name": "tree", "curves": {}, "types": types,
            "root": node(nested(levels), top, 1)}


# --- patterns --------------------------------------------------------------------------------------


def both_ways(edges):
    """Each edge as as many bytes in each direction."""
    pairs = {}
    for a, b, weight in edges:
        pairs[a, b] = pairs.get((a, b), 0) + weight
        pairs[b, a] = pairs.get((b, a), 0) + weight
    return pairs


def relabelled(ranks, edges, seed):
    names = list(range(ranks))
    random.Random(seed).shuffle(names)
    return both_ways((names[a], names[b], weight) for a, b, weight in edges)


def neighbours(size, steps, periodic):
    """(from, to, number of the step) for all points of a grid, x fastest."""
    nx, ny, nz = size
    for z, y, x in product(range(nz), range(ny), range(nx)):
        for number, step in enumerate(steps):
            to = [x + step[0], y + step[1], z + step[2]]
            if periodic:
                to = [a % n for a, n in zip(to, size)]
            if all(0 <= a < n for a, n in zip(to, size)):
                yield (z * ny + y) * nx + x, (to[2] * ny + to[1]) * nx + to[0], number


def stencil(size, weights, seed=1, periodic=False, shuffled=True):
    """The nearest neighbours along each axis. Weights: "random" (1 to 100) or one for each axis."""
    size = (tuple(size) + (1, 1))[:3]
    steps = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]

    def make():
        rng = random.Random(seed + 1)
        edges = [(a, b, rng.randint(1, 100) if weights == "random" else weights[axis])
                 for a, b, axis in neighbours(size, steps, periodic) if a != b]
        n = size[0] * size[1] * size[2]
        return n, relabelled(n, edges, seed) if shuffled else both_ways(edges)
    return make


def stencil27(side, face, edge, corner, seed=None):
    """All 26 neighbours; half of the steps, so that each edge comes once."""
    steps = [s for s in product((-1, 0, 1), repeat=3) if s[::-1] > (0, 0, 0)]
    weight = [0, face, edge, corner]

    def make():
        edges = [(a, b, weight[sum(map(abs, steps[k]))])
                 for a, b, k in neighbours((side,) * 3, steps, False)]
        return side ** 3, both_ways(edges) if seed is None else relabelled(side ** 3, edges, seed)
    return make


def conjugate_gradient(side, row, transpose):
    """NPB CG on side x side ranks: sums within a row by doubling, and the transposed rank."""
    def make():
        edges = []
        for r, c in product(range(side), repeat=2):
            edges += [(r * side + c, r * side + (c ^ bit), row)
                      for bit in (1, 2, 4) if bit < side and not c & bit]
            if c > r:
                edges.append((r * side + c, c * side + r, transpose))
        return side * side, both_ways(edges)
    return make


def geometric(n, dimensions, seed, degree):
    """A random geometric graph: points that are nearer than what gives so many neighbours on
    average; weights 1."""
    def make():
        rng = random.Random(seed)
        points = [[rng.random() for _ in range(dimensions)] for _ in range(n)]
        ball = {2: 3.14159265, 3: 4.18879020}[dimensions]
        radius = (degree / ball / n) ** (1 / dimensions)
        cells = {}
        for i, p in enumerate(points):
            cells.setdefault(tuple(int(x / radius) for x in p), []).append(i)
        edges = []
        for cell, inside in cells.items():
            for step in product((-1, 0, 1), repeat=dimensions):
                for j in cells.get(tuple(a + b for a, b in zip(cell, step)), ()):
                    edges += [(i, j, 1) for i in inside if i < j and
                              sum((a - b) ** 2 for a, b in zip(points[i], points[j])) < radius ** 2]
        return n, both_ways(edges)
    return make


def shuffled_geometric(n, seed):
    """The same in two dimensions, with ranks in any order, at about the least degree from which such
    a graph is connected."""
    def make():
        _, pairs = geometric(n, 2, seed, math.log(n))()
        return n, relabelled(n, [(a, b, weight) for (a, b), weight in pairs.items() if a < b], seed)
    return make


def triangles(columns, rows, ranks, seed, holes):
    """Delaunay-like: points of a grid, each moved at random, every quadrangle cut along its shorter
    diagonal, without the points in some round holes; the first `ranks` points, row by row."""
    def make():
        rng = random.Random(seed)
        discs = [(rng.random() * columns, rng.random() * rows, rng.uniform(1, columns / 8))
                 for _ in range(holes)]
        at, number = {}, {}
        for y, x in product(range(rows), range(columns)):
            p = x + rng.uniform(-0.4, 0.4), y + rng.uniform(-0.4, 0.4)
            if all((p[0] - a) ** 2 + (p[1] - b) ** 2 > r * r for a, b, r in discs):
                at[x, y] = p
                number[x, y] = len(number)
        if len(number) < ranks:
            raise ValueError("%d points, expected %d" % (len(number), ranks))

        def length(p, q):
            return (at[p][0] - at[q][0]) ** 2 + (at[p][1] - at[q][1]) ** 2
        edges = []
        for x, y in at:
            corner = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]
            found = [(corner[0], corner[1]), (corner[0], corner[2])]
            if all(c in at for c in corner):
                one, other = (corner[0], corner[3]), (corner[1], corner[2])
                found.append(one if length(*one) < length(*other) else other)
            edges += [(number[p], number[q], 1) for p, q in found
                      if max(number.get(p, ranks), number.get(q, ranks)) < ranks]
        return ranks, relabelled(ranks, edges, seed)
    return make


def voronoi(size, ranks, seed):
    """A mesh of size[0] x size[1] x size[2] cells in as many parts as ranks, each the cells nearest
    to a random one; weights are the faces between two parts."""
    def make():
        rng = random.Random(seed)
        nx, ny, nz = size
        owner = [-1] * (nx * ny * nz)
        front = rng.sample(range(len(owner)), ranks)
        for rank, cell in enumerate(front):
            owner[cell] = rank
        around = [[] for _ in owner]
        for a, b, _ in neighbours(size, [(1, 0, 0), (0, 1, 0), (0, 0, 1)], False):
            around[a].append(b)
            around[b].append(a)
        while front:
            grown = []
            for cell in front:
                for other in around[cell]:
                    if owner[other] < 0:
                        owner[other] = owner[cell]
                        grown.append(other)
            front = grown
        return ranks, both_ways((owner[a], owner[b], 1) for a in range(len(owner)) for b in around[a]
                                if a < b and owner[a] != owner[b])
    return make


def random_sparse(n, degree, seed):
    """Each rank with `degree` random others; weights over a factor of 1,024, most of them small."""
    def make():
        rng = random.Random(seed)
        return n, both_ways((r, (r + rng.randrange(1, n)) % n, int(2 ** rng.uniform(0, 10)))
                            for r in range(n) for _ in range(degree))
    return make


def rows_and_columns(side, row, column):
    """The transpositions of a 3-D FFT by pencils: all to all within rows, then within columns."""
    def make():
        edges = [(r * side + a, r * side + b, row) for r in range(side) for a in range(side)
                 for b in range(a)]
        edges += [(a * side + c, b * side + c, column) for c in range(side) for a in range(side)
                  for b in range(a)]
        return side * side, both_ways(edges)
    return make


def doubling(bits):
    """Recursive halving: distance 1 with the most bytes, each further bit with half."""
    n = 1 << bits
    return lambda: (n, both_ways((r, r ^ (1 << k), 1 << (bits - k)) for r in range(n)
                                 for k in range(bits) if not r >> k & 1))


def trace(name):
    """What berth's tracer recorded: bytes of all messages of all phases."""
    def make():
        text = subprocess.run(["zstd", "-dcq", str(TRACES / (name + ".acp.zst"))], check=True,
                              stdout=subprocess.PIPE).stdout.decode()
        header, *lines = map(json.loads, text.splitlines())
        repeats = {line["id"]: line.get("repeats", 1) for line in lines if line["kind"] == "phase"}
        pairs = {}
        for line in lines:
            if line["kind"] != "p2p":
                continue
            for dst, size, count, *exact in line["msgs"]:
                key = line["src"], dst
                pairs[key] = pairs.get(key, 0) + (exact[0] if exact else size * count) * \
                    repeats.get(line.get("phase", 0), 1)
        return header["ranks"], {key: n for key, n in pairs.items() if n and key[0] != key[1]}
    return make


def shuffled(maker, *arguments):
    """A process graph of irregular.py, with ranks in any order; the last argument is the seed."""
    def make():
        ranks, edges = maker(*arguments)
        return ranks, relabelled(ranks, edges, arguments[-1])
    return make


# --- the suite -------------------------------------------------------------------------------------

UNIT, ANISO = (1, 1, 1), (100, 30, 10)


def instance(name, group, make, machine, distances=(1, 10, 100), apart=False, quick=False):
    levels = regular(machine) if isinstance(machine, str) else machine
    return Instance(name, group, make, levels, list(distances), apart, quick)


def irregular_instances():
    """Six kinds of process graphs at four sizes, apart from the suite."""
    for bits, machine in (9, "8:8:8"), (10, "16:8:8"), (11, "16:16:8"), (12, "16:16:16"):
        n = 1 << bits
        for name, make in (("rgg", shuffled_geometric(n, bits)),
                           ("del", shuffled(irregular.delaunay, n, bits)),
                           ("fem", shuffled(irregular.finite_elements, n, bits)),
                           ("rmat", shuffled(irregular.recursive_matrix, bits, 8, bits)),
                           ("amr", shuffled(irregular.adaptive_mesh, n, bits)),
                           ("oct", shuffled(irregular.octree, n, bits))):
            yield instance("%s-%d" % (name, n), "irregular", make, machine, apart=True)


SUITE = [
    # the public ones
    instance("s512u", "public", stencil((8, 8, 8), UNIT), "8:8:8", quick=True),
    instance("s512r", "public", stencil((8, 8, 8), "random"), "8:8:8", quick=True),
    instance("s210r", "public", stencil((7, 6, 5), "random"), "5:6:7", quick=True),
    instance("s4096u", "public", stencil((16, 16, 16), UNIT), "16:16:16"),
    instance("s4096r", "public", stencil((16, 16, 16), "random"), "16:16:16"),
    instance("s32k", "public", stencil((32, 32, 32), "random"), "32:32:32"),
    instance("cg64", "public", conjugate_gradient(8, 578971, 578907), "4:4:4"),
    instance("lulesh64", "public", stencil27(4, 132297, 2907, 94), "4:4:4", quick=True),
    # other stencils
    instance("s512a", "stencil", stencil((8, 8, 8), ANISO), "8:8:8"),
    instance("s4096a", "stencil", stencil((16, 16, 16), ANISO), "16:16:16"),
    instance("s960r", "stencil", stencil((12, 10, 8), "random", 2), "8:10:12"),
    instance("s512o", "stencil", stencil((8, 8, 8), "random", 3, shuffled=False), "8:8:8"),
    instance("s27-729", "stencil", stencil27(9, 64, 8, 1, 4), "9:9:9"),
    instance("torus512u", "stencil", stencil((8, 8, 8), UNIT, 5, periodic=True), "8:8:8"),
    instance("p1024u", "stencil", stencil((32, 32), UNIT, 6), "16:8:8"),
    instance("p1024r", "stencil", stencil((32, 32), "random", 7), "16:8:8", quick=True),
    instance("p1024a", "stencil", stencil((32, 32), (100, 10), 8), "16:8:8"),
    instance("p480r", "stencil", stencil((24, 20), "random", 9), "4:10:12"),
    instance("p4096r", "stencil", stencil((64, 64), "random", 10), "16:16:16"),
    instance("torus256u", "stencil", stencil((16, 16), UNIT, 11, periodic=True), "8:4:8"),
    instance("chain128r", "stencil", stencil((128,), "random", 12), "8:4:4"),
    # geometric graphs and meshes
    instance("rgg10", "mesh", geometric(1024, 2, 1, 10), "16:8:8"),
    instance("rgg12", "mesh", geometric(4096, 2, 2, 12), "16:16:16"),
    instance("rgg3d12", "mesh", geometric(4096, 3, 3, 14), "16:16:16"),
    instance("rgg15", "mesh", geometric(32768, 2, 4, 13), "32:32:32"),
    instance("tri10", "mesh", triangles(38, 38, 1024, 5, 6), "16:8:8"),
    instance("tri12", "mesh", triangles(74, 74, 4096, 6, 8), "16:16:16"),
    instance("vor2d256", "mesh", voronoi((200, 200, 1), 256, 7), "8:4:8", quick=True),
    instance("vor3d512", "mesh", voronoi((40, 40, 40), 512, 8), "8:8:8"),
    instance("vor3d2k", "mesh", voronoi((56, 56, 56), 2048, 9), "16:16:8"),
    # patterns without near and far
    instance("sparse256", "other", random_sparse(256, 4, 1), "8:4:8"),
    instance("fft256", "other", rows_and_columns(16, 100, 100), "16:4:4"),
    instance("doubling256", "other", doubling(8), "8:4:8"),
    # unequal machines, full ones and ones with room
    instance("u210r", "unequal", stencil((7, 6, 5), "random", 13), random_machine(1, 210, 30, 7)),
    instance("u512r", "unequal", stencil((8, 8, 8), "random", 14), random_machine(2, 512, 64, 8),
             quick=True),
    instance("u512free", "unequal", stencil((8, 8, 8), "random", 15), random_machine(3, 600, 64, 8)),
    instance("u1000u", "unequal", stencil((10, 10, 10), UNIT, 16), random_machine(4, 1000, 80, 9)),
    instance("u2kv", "unequal", voronoi((48, 48, 48), 2048, 10), random_machine(5, 2048, 128, 12)),
    instance("u64l", "unequal", stencil27(4, 132297, 2907, 94),
             unequal([[8, 8, 8], [4, 4, 4, 4], [12, 12]])),
    instance("deep1024r", "unequal", stencil((16, 8, 8), "random", 17), "2:4:8:4:4",
             distances=(1, 4, 10, 40, 100)),
    # applications
    instance("lammps16", "trace", trace("lammps-16"), "2:4:2", quick=True),
    instance("lammps64", "trace", trace("lammps-64"), "4:4:4"),
    instance("multigrid16", "trace", trace("multigrid-16"), "2:4:2"),
    instance("multigrid64", "trace", trace("multigrid-64"), "4:4:4"),
    instance("shock16", "trace", trace("shock-16"), "2:4:2"),
    instance("sweep16", "trace", trace("sweep-16"), "2:4:2"),
    instance("sweep60", "trace", trace("sweep-60"), unequal([[6, 6, 4], [8, 8], [4, 4, 4], [10, 6]])),
    instance("netpipe2", "trace", trace("netpipe-2"), "2:2:2"),
    # only when named
    instance("s1m", "large", stencil((100, 100, 100), "random"), "64:125:125", apart=True),
    *irregular_instances(),
]


# J of the linear placement on the public instances, by the evaluator that was published with them.
PUBLIC_LINEAR_J = {"s512u": 119667, "s512r": 6147240, "s210r": 2413960, "s4096u": 1091871,
                   "s4096r": 55129275, "s32k": 468147645, "cg64": 1634857944, "lulesh64": 749847456}


def chosen(names, quick):
    """The instances of these names, or of groups of these names; without any the suite."""
    known = {}
    for one in SUITE:
        known[one.name] = [one]
        known.setdefault(one.group, []).append(one)
    if names:
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ValueError("no instance or group '%s', expected %s" %
                             (unknown[0], ", ".join(sorted(known))))
        return [one for name in names for one in known[name]]
    return [one for one in SUITE if (one.quick if quick else not one.apart)]


def write(one, folder):
    """Writes pattern.acp and topology.json for berth, pairs.txt and tree.txt for all others."""
    ranks, pairs = one.make()
    folder.mkdir(parents=True, exist_ok=True)
    to = {}
    for (src, dst), n in sorted(pairs.items()):
        to.setdefault(src, []).append([dst, n, 1])
    with open(folder / "pattern.acp", "w", encoding="utf-8") as file:
        file.write(json.dumps({"format": "berth-pattern", "version": 1, "ranks": ranks,
                               "command": [one.name], "mpi": ""}) + "\n")
        for src, messages in sorted(to.items()):
            file.write(json.dumps({"kind": "p2p", "src": src, "msgs": messages},
                                  separators=(",", ":")) + "\n")
        file.write(json.dumps({"kind": "end", "records": len(to)}) + "\n")
    with open(folder / "pairs.txt", "w", encoding="utf-8") as file:
        file.write("ranks %d\n" % ranks)
        for src, messages in sorted(to.items()):
            file.writelines("%d %d %d\n" % (src, dst, n) for dst, n, _ in messages)
    (folder / "topology.json").write_text(json.dumps(topology(one.machine, one.distances)) + "\n")
    (folder / "tree.txt").write_text(
        "levels %d\ndistances %s\n" % (len(one.machine), " ".join(map(str, one.distances))) +
        "".join("%d %s\n" % (len(level), " ".join(map(str, level))) for level in one.machine))
    return ranks
