#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Are collective operations predicted? bench/collectives/README.md says what is measured.

usage: measure.py [--predict] [--rounds N] [--seed N] BUILD DIR
"""
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


def predict_case(berth, case, seed):
    os.makedirs(case, exist_ok=True)
    pattern = f"{case}/pattern.acp"
    placed.trace(berth, f"{case}/trace.acp", "--phases", "off", "--", "./grid", case, str(TRACED))
    only_iterations(f"{case}/trace.acp", pattern)
    chosen = placed.placements(berth, pattern, "topology.json", seed, RANDOM, *OPTIONS)
    return {"placements": chosen, "predicted": {
        model: placed.predict(berth, pattern, "topology.json", model, chosen, *OPTIONS, per=TRACED)
        for model in ("port", "flow")}}


def main():
    a = placed.arguments(__doc__, rounds=3, seed=20261123).parse_args()
    berth = placed.enter(a)
    placed.compile_c(f"{HERE}/grid.c", "grid")
    placed.write_topology("topology.json", MBIT)
    cases = placed.frozen(lambda: {case: predict_case(berth, case, a.seed) for case in CASES})
    if a.predict:
        return
    places = {case: cases[case]["placements"] for case in CASES}
    with placed.testbed(MBIT):
        measured = placed.measure(places, a.rounds, lambda case, name: measure(case, places[case][name]))
    for case in CASES:
        placed.report(f"Allreduce in the {case}, an iteration", cases[case]["predicted"], measured[case])


main()
