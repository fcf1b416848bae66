# SPDX-License-Identifier: BSD-3-Clause
"""Irregular process graphs: what meshes, trees and networks without a grid make ranks exchange.

Each maker returns (ranks, edges) with edges (a, b, weight), each once or several times. scipy has
the Delaunay triangulations.
"""
import random
from itertools import product


def simplices_edges(points):
    """The edges of a Delaunay triangulation, each once, as sorted pairs."""
    # Only these instances need scipy.
    from scipy.spatial import Delaunay  # pylint: disable=import-outside-toplevel
    found = set()
    for simplex in Delaunay(points).simplices.tolist():
        found.update((a, b) for a in simplex for b in simplex if a < b)
    return sorted(found)


def delaunay(ranks, seed):
    """A Delaunay triangulation of random points in the unit square; weights 1."""
    rng = random.Random(seed)
    points = [(rng.random(), rng.random()) for _ in range(ranks)]
    return ranks, [(a, b, 1) for a, b in simplices_edges(points)]


def bisected(points, members, parts, first, owner):
    """Recursive coordinate bisection: as many points in each part."""
    if parts == 1:
        for i in members:
            owner[i] = first
        return
    spans = [max(points[i][d] for i in members) - min(points[i][d] for i in members)
             for d in range(len(points[0]))]
    axis = spans.index(max(spans))
    ordered = sorted(members, key=lambda i: points[i][axis])
    low = parts // 2
    cut = len(ordered) * low // parts
    bisected(points, ordered[:cut], low, first, owner)
    bisected(points, ordered[cut:], parts - low, first + low, owner)


def between(owner, edges):
    """The edges between two parts as weights."""
    return [(owner[a], owner[b], weight) for a, b, weight in edges if owner[a] != owner[b]]


def finite_elements(ranks, seed):
    """A tetrahedral mesh of an L-shaped body, finer at the inner edge, in parts by recursive
    coordinate bisection; weights are mesh edges between two parts."""
    rng = random.Random(seed)
    points = []
    while len(points) < 24 * ranks:
        spread = rng.choice((0.04, 0.15, 2))
        p = (1 + rng.uniform(-spread, spread), 1 + rng.uniform(-spread, spread), rng.random())
        if min(p) >= 0 and max(p[:2]) <= 2 and (p[0] <= 1 or p[1] <= 1):
            points.append(p)
    owner = [0] * len(points)
    bisected(points, list(range(len(points))), ranks, 0, owner)
    return ranks, between(owner, ((a, b, 1) for a, b in simplices_edges(points)))


def recursive_matrix(bits, degree, seed):
    """R-MAT (Chakrabarti, Zhan and Faloutsos, 2004) with the usual 0.57, 0.19, 0.19, 0.05; an edge
    that is drawn again weighs more."""
    rng = random.Random(seed)
    edges = []
    for _ in range(degree << bits):
        a = b = 0
        for _ in range(bits):
            draw = rng.random()
            a = 2 * a + (draw >= 0.76)
            b = 2 * b + (0.57 <= draw < 0.76 or draw >= 0.95)
        if a != b:
            edges.append((a, b, 1))
    return 1 << bits, edges


def leaves_of(dimensions, must_split, most_depth):
    """The leaves (depth, corner) of a tree of squares or cubes, along a Morton curve, such that two
    that touch differ by a depth of one at most only as far as must_split says so."""
    stack, leaves = [(0, (0,) * dimensions)], []
    while stack:
        depth, corner = stack.pop()
        if depth < most_depth and must_split(depth, corner):
            stack += [(depth + 1, tuple(2 * c + s for c, s in zip(corner, step)))
                      for step in reversed(list(product((0, 1), repeat=dimensions)))]
        else:
            leaves.append((depth, corner))
    return leaves


def faces_between(leaves, dimensions):
    """(leaf, leaf, depth of the finer) for all leaves that share a face."""
    at = {leaf: number for number, leaf in enumerate(leaves)}
    for number, (depth, corner) in enumerate(leaves):
        for axis, step in product(range(dimensions), (-1, 1)):
            to = tuple(c + step * (d == axis) for d, c in enumerate(corner))
            for up in range(depth + 1):
                other = at.get((depth - up, tuple(c >> up for c in to)))
                if other is not None:
                    if up > 0 or number < other:
                        yield number, other, depth
                    break


def in_chunks(ranks, leaves, dimensions, work, face):
    """The leaves along the curve in chunks of equal work; weights are face(depth of the finer)."""
    total, before, owner = sum(work), 0, []
    for each in work:
        owner.append(min(ranks - 1, int((before + each / 2) * ranks / total)))
        before += each
    edges = between(owner, ((a, b, face(depth)) for a, b, depth in faces_between(leaves, dimensions)))
    return ranks, edges


def adaptive_mesh(ranks, seed):
    """Blocks of 16 x 16 cells, refined along two waves' fronts, every block the same work; weights
    are the cells on faces."""
    rng = random.Random(seed)
    fronts = [(rng.random(), rng.random(), rng.uniform(0.3, 0.6)) for _ in range(2)]

    def must_split(depth, corner):
        side = 0.5 ** depth
        x, y = ((c + 0.5) * side for c in corner)
        return depth < 5 or any(abs(((x - a) ** 2 + (y - b) ** 2) ** 0.5 - r) < side
                                for a, b, r in fronts)
    depth = 6
    while len(leaves := leaves_of(2, must_split, depth)) < 6 * ranks:
        depth += 1
    return in_chunks(ranks, leaves, 2, [1] * len(leaves), lambda _: 16)


def octree(ranks, seed):
    """Particles in three clusters, in the leaves of an octree along its Morton curve, chunks of
    as many particles each; weights grow with the faces' area."""
    rng = random.Random(seed)
    centres = [[rng.uniform(0.2, 0.8) for _ in range(3)] for _ in range(3)]
    particles = []
    while len(particles) < 60 * ranks:
        p = [rng.gauss(c, 0.1) for c in rng.choice(centres)]
        if min(p) >= 0 and max(p) < 1:
            particles.append(p)
    most = 9
    inside = [{} for _ in range(most + 1)]
    for p in particles:
        for depth in range(most + 1):
            cell = tuple(int(x * 2 ** depth) for x in p)
            inside[depth][cell] = inside[depth].get(cell, 0) + 1
    leaves = leaves_of(3, lambda depth, corner: inside[depth].get(corner, 0) > 12, most)
    work = [1 + inside[depth].get(corner, 0) for depth, corner in leaves]
    return in_chunks(ranks, leaves, 3, work, lambda depth: 4 ** (most - depth))
