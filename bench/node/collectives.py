#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds estimates of packing in collective calls against measured calls.

    collectives.py BERTH MPI TOPOLOGY PROGRAM [measure FILE | compare FILE]

MPI is openmpi or mpich, TOPOLOGY was measured under it (`berth calibrate node -- LAUNCHER`), PROGRAM
is bench/node/collectives.c. Combinations of call, side, block and bytes to each rank are measured,
contiguous calls and calls with blocks in turns, and traced; `berth cost` says what packing adds.
Prints a line for each, and how many calls with blocks are within 10% and 20% of a contiguous call
and the estimated packing. `measure` only measures, into FILE; `compare` does the rest.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile

berth, mpi, topology, program = sys.argv[1:5]
part, file = sys.argv[5:7] if len(sys.argv) > 5 else ("", "")
os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
launcher = [f"mpirun.{mpi}", "-np", "2"]
ROUNDS, TRACED = 101, 1
CALLS, SIDES = ("alltoall", "alltoallw"), ("send", "receive", "both")
BLOCKS = (8, 64, 512, 4096)
BYTES = (16 << 10, 128 << 10, 1 << 20)
combinations = list(itertools.product(CALLS, SIDES, BLOCKS, BYTES))


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def run(before, call, side, block, size, rounds):
    words = [program, call, side, str(block), str(size // block), str(rounds)]
    return output(*before, *launcher, *words).split()


def measured(c):
    return tuple(map(float, run([], *c, ROUNDS)[:2]))


def estimated(folder, c):
    """Seconds of packing of a call."""
    pattern, mapping = f"{folder}/p.acp", f"{folder}/m.json"
    calls = int(run([berth, "trace", "-o", pattern, "--"], *c, TRACED)[2])
    output(berth, "map", "--algorithm", "linear", "-o", mapping, pattern, topology)
    result = json.loads(output(berth, "cost", "--json", pattern, topology, mapping))
    return result["results"][0]["packing_s"] / calls


def compare(times):
    errors = []
    print(f"{'call':9} {'side':8} {'block':>6} {'bytes':>8} contiguous    packing   estimate   measured   error")
    with tempfile.TemporaryDirectory() as folder:
        for c, (dense, is_) in zip(combinations, times):
            packing = estimated(folder, c)
            errors.append((dense + packing) / is_ - 1)
            call, side, block, size = c
            print(
                f"{call:9} {side:8} {block:6} {size:8} {1e6 * dense:10.1f} {1e6 * packing:10.1f} "
                f"{1e6 * (dense + packing):10.1f} {1e6 * is_:10.1f} {100 * errors[-1]:+7.1f}%",
                flush=True,
            )
    e = sorted(map(abs, errors))
    print(
        f"{sum(x <= 0.1 for x in e)} of {len(e)} within 10%, {sum(x <= 0.2 for x in e)} within 20%, "
        f"median error {100 * e[len(e) // 2]:.1f}%, maximum {100 * e[-1]:.0f}%"
    )


if part == "compare":
    with open(file) as f:
        compare(json.load(f))
else:
    times = [measured(c) for c in combinations]
    if part == "measure":
        with open(file, "w") as f:
            json.dump(times, f)
    else:
        compare(times)
