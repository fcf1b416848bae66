"""Prints a tuning whose choices are random: tunings.py BERTH RANKS SEED. Every operation, number of ranks and hosts, and
size has one of the algorithms that berth knows for the operation, in some segment, with some overlap; or that of agents."""
import json
import random
import subprocess
import sys

OPERATIONS = ("barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "reduce_scatter", "scan",
              "exscan", "allgatherv")
OF_HOSTS = {"scan": "exscan"}
SMALL, MIDDLE, LARGE = ((0, 0, 1, 24), (0, 1, 16)), ((0, 0, 100, 1000), (0, 200, 5000)), (
    (0, 0, 4096, 20000, 65536), (0, 5000, 60000, 1 << 20))  # segments and overlaps


def algorithms(berth, operation):
    out = subprocess.run([berth, "schedule", OF_HOSTS.get(operation, operation)], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    return [line.split()[1] for line in out.splitlines()]


def main():
    berth, ranks, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    known = {operation: algorithms(berth, operation) + ["direct"] * (operation == "alltoall") + ["agents"] * 2
             for operation in OPERATIONS}
    cells = []
    for operation in OPERATIONS:
        for n in range(2, ranks + 1):
            for hosts in range(1, n + 1):
                for digits in range(1 if operation == "barrier" else 26):
                    segments, overlaps = SMALL if digits < 8 else MIDDLE if digits < 14 else LARGE
                    choice = {"algorithm": chance.choice(known[operation]), "degree": chance.choice((2, 3, 4)),
                              "segment_bytes": chance.choice(segments), "overlap_bytes": chance.choice(overlaps)}
                    cells.append({"operation": operation, "ranks": n, "hosts": hosts, "bytes": (1 << digits) >> 1,
                                  "choices": [choice]})
    json.dump({"format": "berth-tuning", "version": 1, "ranks": ranks, "cells": cells}, sys.stdout)


if __name__ == "__main__":
    main()
