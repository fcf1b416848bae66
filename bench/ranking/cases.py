# SPDX-License-Identifier: BSD-3-Clause
"""The cases that are judged: communication patterns and random placements, all from one seed."""
import hashlib
import itertools
import json
import os
import random

RANKS = 16
FORMAT = "berth-ranking-cases"

# A phase's bytes are such that its expected time under random placement, with a quarter of them
# crossing a trunk of the nominal rate each way, is drawn from this range of seconds.
PHASE_SECONDS = (0.2, 0.5)
TRUNK_SHARE = 0.25
MIN_MESSAGE = 64


def grid(dimensions, weights, periodic):
    """Neighbours on a grid; weights are relative message sizes by dimension."""
    cells = list(itertools.product(*(range(n) for n in dimensions)))
    rank = {cell: i for i, cell in enumerate(cells)}
    for cell in cells:
        for axis, n in enumerate(dimensions):
            for step in (-1, 1):
                place = cell[axis] + step
                if not periodic and not 0 <= place < n:
                    continue
                other = cell[:axis] + (place % n,) + cell[axis + 1:]
                if other != cell:
                    yield rank[cell], rank[other], weights[axis]


def sizes(rng, dimensions):
    """Blocks of a grid are seldom cubes, so faces differ. With equal ones a pattern would have a
    handful of different costs, and the order within each of them would be noise."""
    return [rng.uniform(0.3, 1) for _ in dimensions]


def halo_periodic(rng):
    return grid((4, 4), sizes(rng, (4, 4)), True)


def halo_open(rng):
    return grid((4, 4), sizes(rng, (4, 4)), False)


def halo_3d(rng):
    return grid((2, 2, 4), sizes(rng, (2, 2, 4)), False)


def ladder(_rng):
    half = RANKS // 2
    for i in range(RANKS):
        yield i, (i + half) % RANKS, 1
        for other in (i - 1, i + 1):
            if 0 <= other < RANKS and other // half == i // half:
                yield i, other, 1 / 8


def sparse(rng):
    """Three random partners for each rank, sizes over a factor of 32."""
    for i in range(RANKS):
        for other in rng.sample([r for r in range(RANKS) if r != i], 3):
            yield i, other, 2 ** rng.uniform(-5, 0)


def irregular(rng):
    """An unstructured mesh: points exchange with those near them, less with those farther off;
    and everybody sends to one."""
    points = [(rng.random(), rng.random()) for _ in range(RANKS)]
    near = set()
    for i, (x, y) in enumerate(points):
        by_distance = sorted((((x - u) ** 2 + (y - v) ** 2) ** 0.5, j)
                             for j, (u, v) in enumerate(points) if j != i)
        for distance, j in by_distance[:3]:
            near.add((min(i, j), max(i, j), 1 / (0.1 + distance)))
    for i, j, weight in sorted(near):
        yield i, j, weight
        yield j, i, weight
    root = rng.randrange(RANKS)
    for i in range(RANKS):
        if i != root:
            yield i, root, 1


PATTERNS = {
    "halo-periodic": (halo_periodic, "4x4 halo, periodic, sizes by dimension"),
    "halo-open": (halo_open, "4x4 halo, not periodic, sizes by dimension"),
    "ladder": (ladder, "rungs, and rails of an eighth of their size"),
    "sparse": (sparse, "three random partners for each rank, sizes over a factor of 32"),
    "halo-3d": (halo_3d, "2x2x4 halo, not periodic, sizes by dimension"),
    "irregular": (irregular, "unstructured neighbours of unequal sizes, and all to one"),
}


def make_pattern(name, seed, mbit):
    """Messages [(src, dst, bytes)], at most one for each pair, sorted."""
    rng = random.Random(f"{seed} {name}")
    weights = {}
    for src, dst, weight in PATTERNS[name][0](rng):
        weights[src, dst] = weights.get((src, dst), 0) + weight
    seconds = rng.uniform(*PHASE_SECONDS)
    scale = seconds * mbit * 1e6 / 8 / TRUNK_SHARE / sum(weights.values())
    return [(src, dst, max(MIN_MESSAGE, round(weight * scale)))
            for (src, dst), weight in sorted(weights.items())]


def write_pattern(path, messages):
    lines = [{"format": "berth-pattern", "version": 1, "ranks": RANKS}]
    for src, group in itertools.groupby(messages, key=lambda m: m[0]):
        msgs = [[dst, size, 1] for _, dst, size in group]
        lines.append({"kind": "p2p", "src": src, "msgs": msgs})
    lines.append({"kind": "end", "records": len(lines) - 1})
    write_lines(path, lines)


def read_messages(path):
    """(src, dst, bytes) of all traffic in a pattern of one phase."""
    with open(path, encoding="utf-8") as file:
        for record in map(json.loads, file):
            for dst, size, count, *exact in record.get("msgs", []):
                yield record["src"], dst, exact[0] if exact else size * count


def write_lines(path, lines):
    """JSON Lines, never seen half written."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    os.replace(path + ".new", path)


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def read_lines(path, what, *keys):
    """The header, which must be of this format and have these keys, and the lines behind it."""
    lines = []
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            try:
                lines.append(json.loads(text))
            except ValueError as error:
                raise ValueError(f"{path}:{number}: not valid JSON: {error}") from error
    if not lines:
        raise ValueError(f"{path}: found an empty file, expected a header line")
    if not all(isinstance(line, dict) for line in lines):
        raise ValueError(f"{path}: expected an object on each line")
    header, *lines = lines
    if header.get("format") != what:
        raise ValueError(f"{path}: format {header.get('format')!r}, expected {what!r}")
    for key in keys:
        if key not in header:
            raise ValueError(f"{path}:1: found no {key!r}, expected it in the header")
    return header, lines


def make(folder, seed, placements, names, mbit, play):
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise ValueError(f"{folder}: cannot make the folder: {error.strerror}") from error
    lines, hashes = [], {}
    for name in names:
        path = os.path.join(folder, name + ".acp")
        write_pattern(path, make_pattern(name, seed, mbit))
        hashes[name] = sha256(path)
        rng = random.Random(f"{seed} {name} placements")
        lines += [{"pattern": name, "placement": n, "pu_of_rank": rng.sample(range(RANKS), RANKS)}
                  for n in range(placements)]
    header = {"format": FORMAT, "version": 1, "seed": seed, "mbit": mbit, "play": play,
              "patterns": hashes}
    write_lines(os.path.join(folder, "cases.jsonl"), [header] + lines)
    return len(lines)


def load(folder):
    """The header and the cases; the patterns must be those that the header knows."""
    path = os.path.join(folder, "cases.jsonl")
    header, lines = read_lines(path, FORMAT, "seed", "mbit", "play", "patterns")
    for name, wanted in header["patterns"].items():
        if sha256(os.path.join(folder, name + ".acp")) != wanted:
            raise ValueError(f"{folder}/{name}.acp: not the pattern of {path}, its hash differs")
    return header, lines
