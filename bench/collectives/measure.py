#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Are collective operations predicted? bench/collectives/README.md says what is measured.

usage: measure.py [--rounds N] [--seed N] BUILD DIR
"""
import argparse
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import placed  # pylint: disable=wrong-import-position

MBIT, ITERATIONS, RANDOM = 25, 3, 20
TRACED = 10  # iterations under the tracer; the warm-up and what measures time come on top
CASES = "rows", "columns"
OPTIONS = "--collectives", "auto"


def only_iterations(trace, pattern):
    """Keeps the calls of the measured loops: those of 32 and 128 KiB, TRACED times each."""
    with open(trace, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    kept = [lines[0]]
    for line in lines[1:]:
        if line["kind"] == "comm":
            kept.append(line)
        if line["kind"] == "coll" and line["bytes"] in (32 << 10, 128 << 10):
            kept.append(dict(line, count=TRACED, site=0))
    merged = {json.dumps(line): line for line in kept}  # loops differ by their call site alone
    kept = list(merged.values()) + [{"kind": "end", "records": len(merged) - 1}]
    with open(pattern, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(line) + "\n" for line in kept)


def measure(case, pus):
    out = placed.run_placed(pus, os.path.abspath("grid"), case, str(ITERATIONS))
    return statistics.median(map(float, out.split()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("build")
    parser.add_argument("folder")
    a = parser.parse_args()
    berth = os.path.abspath(os.path.join(a.build, "berth"))
    os.makedirs(a.folder, exist_ok=True)
    os.chdir(a.folder)
    placed.run("mpicc.openmpi", "-O2", "-o", "grid", f"{HERE}/grid.c")
    placed.write_topology("topology.json", MBIT)
    chosen, predicted = {}, {}
    for case in CASES:
        os.makedirs(case, exist_ok=True)
        pattern = f"{case}/pattern.acp"
        placed.run(berth, "trace", "--phases", "off", "-o", f"{case}/trace.acp", "--",
                   "mpirun.openmpi", "--oversubscribe", "-n", str(placed.RANKS), "./grid", case,
                   str(TRACED))
        only_iterations(f"{case}/trace.acp", pattern)
        chosen[case] = placed.placements(berth, pattern, "topology.json", a.seed, RANDOM, *OPTIONS)
        predicted[case] = {
            model: {name: placed.predict(berth, pattern, "topology.json", model, pus, *OPTIONS) / TRACED
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
        placed.report(f"Allreduce in the {case}, an iteration", predicted[case], measured[case])


main()
