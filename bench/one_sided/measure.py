#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Are one-sided operations predicted? bench/one_sided/README.md says what is measured.

usage: measure.py [--rounds N] [--random N] [--seed N] BUILD DIR
"""
import argparse
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import placed  # pylint: disable=wrong-import-position

MBIT, ITERATIONS = 25, 3
TRACED = 4  # iterations of a traced run: one to warm up and a loop of one, three times
CASES = "fence", "pscw", "lock"
# Open MPI's first choice between hosts, osc/ucx, fails on the testbed's network.
COMPONENTS = "--mca", "osc", "^ucx"


def trace(berth, case):
    """A pattern of TRACED iterations. On one host Open MPI would use shared memory, whose epochs are
    the same."""
    os.makedirs(case, exist_ok=True)
    pattern = f"{case}/pattern.acp"
    placed.run(berth, "trace", "--phases", "off", "--no-times", "-o", pattern, "--", "mpirun.openmpi",
               *COMPONENTS, "--oversubscribe", "-n", str(placed.RANKS), "./halo", case, "1")
    return pattern


def measure(case, pus):
    out = placed.run_placed(pus, *COMPONENTS, os.path.abspath("halo"), case, str(ITERATIONS))
    return statistics.median(map(float, out.split()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--random", type=int, default=6)
    parser.add_argument("--seed", type=int, default=20261124)
    parser.add_argument("build")
    parser.add_argument("folder")
    a = parser.parse_args()
    berth = os.path.abspath(os.path.join(a.build, "berth"))
    os.makedirs(a.folder, exist_ok=True)
    os.chdir(a.folder)
    placed.run("mpicc.openmpi", "-O2", "-o", "halo", f"{HERE}/halo.c")
    placed.write_topology("topology.json", MBIT)
    chosen, predicted = {}, {}
    for case in CASES:
        pattern = trace(berth, case)
        chosen[case] = placed.placements(berth, pattern, "topology.json", a.seed, a.random)
        predicted[case] = {
            model: {name: placed.predict(berth, pattern, "topology.json", model, pus) / TRACED
                    for name, pus in chosen[case].items()} for model in ("port", "flow")}
    with open("predictions.json", "w", encoding="utf-8") as f:
        json.dump({"placements": chosen, "predicted": predicted}, f)
    placed.run(placed.TESTBED, "--rate", str(MBIT), "up")
    try:
        measured = {case: {name: [] for name in chosen[case]} for case in CASES}
        for done in range(a.rounds):
            for case in CASES:
                for name, pus in chosen[case].items():
                    measured[case][name].append(measure(case, pus))
            print(f"round {done + 1} of {a.rounds}", file=sys.stderr)
            with open("measurements.json", "w", encoding="utf-8") as f:
                json.dump(measured, f)
    finally:
        placed.run(placed.TESTBED, "down")
    for case in CASES:
        placed.report(f"a halo by {case}, an iteration", predicted[case], measured[case])


main()
