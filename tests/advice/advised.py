#!/usr/bin/env python3
"""Patterns for advice, and what berth wrote for an MPI.

advised.py pattern RANKS MPI PATTERN TOPOLOGY   calls as make_calls.c makes them, and slow links
advised.py choice JSON K FILE                   Open MPI's file with choice K of each call in costs
advised.py count MPI FILE                       the settings and operations of a file that berth wrote
"""
import json
import re
import sys

BYTES = [0, 4, 28, 33, 1024, 8192, 13001, 65536, 1048576]  # of make_calls.c
OPERATIONS = ["Barrier", "Bcast", "Reduce", "Allreduce", "Gather", "Scatter", "Allgather", "Alltoall",
              "Reduce_scatter_block", "Scan", "Exscan", "Alltoallv", "Allgatherv", "Gatherv", "Scatterv",
              "Reduce_scatter"]
BLOCK_A_RANK = {"Alltoall", "Alltoallv", "Reduce_scatter_block", "Reduce_scatter"}
WITH_ROOT = {"Bcast", "Reduce", "Gather", "Scatter", "Gatherv", "Scatterv"}
# How Open MPI's file counts bytes: those of a block, of a block for each rank, or none.
TOTAL = {"allgather", "alltoall", "reduce_scatter_block", "reduce_scatter"}
NONE = {"barrier", "alltoallv"}


def pattern(ranks, mpi, path, topology):
    lines = [dict(format="berth-pattern", version=1, ranks=ranks, mpi=mpi)]
    for op in OPERATIONS:
        for size in BYTES if op != "Barrier" else [0]:
            line = dict(kind="coll", op="MPI_" + op, bytes=size * (ranks if op in BLOCK_A_RANK else 1), count=1)
            lines.append(dict(line, root=0) if op in WITH_ROOT else line)
    lines.append(dict(kind="end", records=len(lines) - 1))
    with open(path, "w") as f:
        f.writelines(json.dumps(line) + "\n" for line in lines)
    host = {"up": {"max_bandwidth": 1e7, "latency": 1e-5}, "down": {"max_bandwidth": 1e7, "latency": 1e-5}}
    with open(topology, "w") as f:
        json.dump({"format": "berth-topology", "version": 1, "name": "slow", "types": {"host": host, "root": {}},
                   "root": {"type": "root", "name": "r", "children": [
                       {"type": "host", "name": "h%d", "host": "h%d", "repeat": ranks,
                        "children": [{"pu": 0, "core": 0}]}]}}, f)


def openmpi_settings(path):
    """(operation, ranks, bytes, algorithm, degree, segment) of each line that has an algorithm."""
    with open(path) as f:
        rows = [line.split("#") for line in f if not line.startswith("#")]
    numbers = iter([(row[0].split(), row[1].strip() if len(row) > 1 else "") for row in rows])
    for _ in range(int(next(numbers)[0][0])):
        operation = next(numbers)[1][len("MPI_"):].lower()
        for _ in range(int(next(numbers)[0][0])):
            ranks = int(next(numbers)[0][0])
            for _ in range(int(next(numbers)[0][0])):
                (size, number, degree, segment), name = next(numbers)
                if number != "0":
                    yield operation, ranks, int(size), name, int(degree), int(segment)


def choice(costs, k, path):
    """Writes another choice than the cheapest for each cell that has advice; the K-th, around."""
    ids = {"allgather": 0, "allgatherv": 1, "allreduce": 2, "alltoall": 3, "alltoallv": 4, "barrier": 6,
           "bcast": 7, "reduce": 11, "reduce_scatter": 12, "reduce_scatter_block": 13}
    cells = {}
    with open(costs) as f:
        groups = json.load(f)["results"][0]["collectives"]
    for g in groups:
        operation, ranks = g["operation"][len("MPI_"):].lower(), g["ranks"]
        if not g["choices"]:
            continue
        size = 0 if operation in NONE else g["bytes"] * (ranks if operation in TOTAL else 1)
        c = sorted(g["choices"], key=lambda c: (c["setting"], c["segment_bytes"], c["degree"]))
        cells.setdefault((operation, ranks), {})[size] = c[k % len(c)]
    with open(path, "w") as f:
        print(f"{len(cells)} # operations", file=f)
        for (operation, ranks), sizes in cells.items():
            print(f"{ids[operation]} # MPI_{operation}\n3\n1 # ranks\n1\n0 0 0 0\n{ranks}", file=f)
            print(len(sizes) * 2 + (0 not in sizes), file=f)
            if 0 not in sizes:
                print("0 0 0 0", file=f)
            for size, c in sorted(sizes.items()):
                print(size, c["setting"], c["degree"], c["segment_bytes"], "#", c["algorithm"], file=f)
                print(size + 1, "0 0 0", file=f)
            print(f"{ranks + 1} # ranks\n1\n0 0 0 0", file=f)


def mpich_settings(path):
    with open(path) as f:
        for line in f:
            found = re.match(r"export MPIR_CVAR_(\w+)_INTRA_ALGORITHM=(\w+)$", line)
            if found:
                yield found[1].lower(), None, None, found[2], 0, 0


def count(name, path):
    """How many settings the file has, for how many operations."""
    settings = list((openmpi_settings if name == "openmpi" else mpich_settings)(path))
    print(len(settings), len({s[0] for s in settings}))


def main():
    what, *words = sys.argv[1:]
    if what == "pattern":
        pattern(int(words[0]), *words[1:])
    elif what == "choice":
        choice(words[0], int(words[1]), words[2])
    elif what == "count":
        count(*words)


main()
