#!/usr/bin/env python3
"""Writes a pattern of SIDE x SIDE ranks: rows and columns have an MPI_Alltoall each, all ranks an
MPI_Allreduce and an MPI_Barrier, and each rank sends 64 KiB to its four neighbours.

  pattern.py SIDE [rows] [columns] [allreduce] [barrier] [stencil] > FILE"""
import json
import sys


def collective(comm, op, size, count):
    return {"kind": "coll", "comm": comm, "op": op, "bytes": size, "count": count, "root": None}


def lines(first, groups, size):
    """A communicator and a call for each group of ranks."""
    for comm, ranks in enumerate(groups, first):
        yield {"kind": "comm", "id": comm, "ranks": list(ranks)}
        yield collective(comm, "MPI_Alltoall", size * len(ranks), 1)


def stencil(side):
    for rank in range(side * side):
        i, j = divmod(rank, side)
        to = [((i + a) % side) * side + (j + b) % side for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        yield {"kind": "p2p", "src": rank, "msgs": [[other, 65536, 1] for other in to]}


def records(side, asked):
    ranks = side * side
    if "rows" in asked:
        yield from lines(1, [range(r * side, (r + 1) * side) for r in range(side)], 1024)
    if "columns" in asked:
        yield from lines(side + 1, [range(c, ranks, side) for c in range(side)], 256)
    if "allreduce" in asked:
        yield collective(0, "MPI_Allreduce", 8, 100)
    if "barrier" in asked:
        yield collective(0, "MPI_Barrier", 0, 100)
    if "stencil" in asked:
        yield from stencil(side)


def main():
    side, n = int(sys.argv[1]), 0
    asked = sys.argv[2:] or ["rows", "columns", "allreduce", "barrier", "stencil"]
    print(json.dumps({"format": "berth-pattern", "version": 1, "ranks": side * side,
                      "mpi": "Open MPI 4.1.4"}))
    for record in records(side, asked):
        print(json.dumps(record, separators=(",", ":")))
        n += 1
    print(json.dumps({"kind": "end", "records": n}))


main()
