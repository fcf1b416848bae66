#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds estimates of strided messages against measured ones.

    strided.py BERTH MPI TOPOLOGY PROGRAM [COMBINATIONS [SEED]]

MPI is openmpi or mpich, TOPOLOGY was measured under it (`berth calibrate node -- LAUNCHER`, then
`berth calibrate`), PROGRAM is bench/node/strided.c. Combinations of side, block, count and gap are
measured in three passes, traced, and estimated by `berth cost`. None of them lies on the tables'
points. Prints a line for each with the median of the passes, and how many estimates are within 10% and
20% of it, and of the least time. So that the machine's part is known, it also prints in how many
combinations the first and the third pass are within 10% of each other.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

berth, mpi, topology, program = sys.argv[1:5]
n = int(sys.argv[5]) if len(sys.argv) > 5 else 40
chance = random.Random(int(sys.argv[6]) if len(sys.argv) > 6 else 1)
os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
launcher = [f"mpirun.{mpi}", "-np", "2"]
ROUNDS, TRACED, PASSES = 101, 1, 3


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def measured(side, block, count, gap):
    words = [program, side, str(block), str(count), str(gap), str(ROUNDS)]
    return float(output(*launcher, *words).split()[0])


def estimated(folder, side, block, count, gap):
    pattern, mapping = f"{folder}/p.acp", f"{folder}/m.json"
    words = [program, side, str(block), str(count), str(gap), str(TRACED)]
    messages = int(output(berth, "trace", "-o", pattern, "--", *launcher, *words).split()[1])
    output(berth, "map", "--algorithm", "linear", "-o", mapping, pattern, topology)
    result = json.loads(output(berth, "cost", "--json", pattern, topology, mapping))["results"][0]
    return result["cost_s"] / messages, result["packing_s"] / messages


def combination():
    """Data of 2 KiB to 2 MiB in at least two blocks; gaps from 8 bytes to 4,000."""
    while True:
        block = 4 * chance.randrange(1, 4) if chance.random() < 0.2 else 8 * round(
            2 ** chance.uniform(0, 10)
        )
        count = round(2 ** chance.uniform(11, 21) / block)
        gap = 4 * (1 + (block % 8 == 0)) * round(2 ** chance.uniform(0, 9))
        if count >= 2 and count * (block + gap) < 8 << 20:
            return chance.choice(["send", "receive", "both"]), block, count, gap


combinations = [combination() for _ in range(n)]
passes = [[measured(*c) for c in combinations] for _ in range(PASSES)]
errors = {"median": [], "least": []}
print(f"{'side':8} {'block':>6} {'count':>7} {'gap':>5} {'bytes':>8}  measured  estimate   packing   error")
with tempfile.TemporaryDirectory() as folder:
    for i, c in enumerate(combinations):
        times, (will, packing) = sorted(p[i] for p in passes), estimated(folder, *c)
        is_ = times[PASSES // 2]
        error = will / is_ - 1
        errors["median"].append(abs(error))
        errors["least"].append(abs(will / times[0] - 1))
        side, block, count, gap = c
        print(
            f"{side:8} {block:6} {count:7} {gap:5} {block * count:8} {1e6 * is_:9.2f} {1e6 * will:9.2f} "
            f"{1e6 * packing:9.2f} {100 * error:+7.1f}%",
            flush=True,
        )
for of, e in errors.items():
    print(
        f"of the {of} time: {sum(x <= 0.1 for x in e)} of {n} within 10%, {sum(x <= 0.2 for x in e)} within 20%, "
        f"median error {100 * sorted(e)[n // 2]:.1f}%, maximum {100 * max(e):.0f}%"
    )
again = sum(abs(a / b - 1) <= 0.1 for a, b in zip(passes[0], passes[-1]))
print(f"{again} of {n} measured times within 10% of those of the first pass")
