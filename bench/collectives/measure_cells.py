#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is each collective operation predicted? bench/collectives/README.md says what is measured.

usage: measure_cells.py [--calibrate SECONDS] [--predict] [--rounds N] [--seed N] BUILD DIR
"""
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "ranking")]
import machine  # pylint: disable=wrong-import-position
import placed  # pylint: disable=wrong-import-position
import smpi  # pylint: disable=wrong-import-position

MBIT, RANDOM, FIRST_PHASE = 50, 4, 2
CASES = "apart", "together"
# By name of a prediction: the model and the topology
MODELS = {"flow": ("flow", "topology"), "port": ("port", "topology")}
CALIBRATED = {"flow, calibrated": ("flow", "calibrated"), "port, calibrated": ("port", "calibrated")}
SMPI = "--cfg=smpi/coll-selector:ompi",


def read_cells(printed):
    """(operation, bytes) and seconds of each line, in their order."""
    lines = [line.split() for line in printed.splitlines()]
    return {f"{operation} {size}": float(seconds) for operation, size, _, seconds in lines}


def write_cell(trace, phase, pattern):
    """One phase of a trace as a pattern of its own."""
    kept = [line for line in trace if line.get("phase", phase) == phase
            and (line.get("kind") != "phase" or line["id"] == phase)]
    with open(pattern, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(line) + "\n" for line in kept + [{"kind": "end", "records": len(kept) - 1}])


def by_cell(names, found):
    """`found` has a value for each cell by placement: the same by cell and placement."""
    return {name: {where: values[i] for where, values in found.items()} for i, name in enumerate(names)}


def simulate(case, places):
    """SMPI's predictions by cell."""
    simulator = smpi.Simulator(os.path.abspath(case), machine.read_pus("topology.json"), MBIT, f"{HERE}/cells.c")
    found = {where: read_cells(simulator.run(pus, SMPI, case, "unmarked")) for where, pus in places.items()}
    names = list(found["linear"])
    return names, by_cell(names, {where: [{"cost": s} for s in cells.values()] for where, cells in found.items()})


def predict_case(berth, case, places, models):
    """By model, cell and placement."""
    os.makedirs(case, exist_ok=True)
    placed.trace(berth, f"{case}/trace.acp", "--order", "--", "./cells", case)
    with open(f"{case}/trace.acp", encoding="utf-8") as f:
        trace = [json.loads(line) for line in f][:-1]
    names, simulated = simulate(case, places)
    predicted = {**{name: {} for name in models}, "SMPI": simulated}
    for i, name in enumerate(names):
        write_cell(trace, FIRST_PHASE + i, f"{case}/cell.acp")
        for said, (model, topology) in models.items():
            predicted[said][name] = placed.predict(berth, f"{case}/cell.acp", f"{topology}.json", model, places)
    return predicted


def predict_all(berth, a):
    placed.write_topology("topology.json", MBIT)
    if a.calibrate:
        placed.calibrate(berth, "calibrated.json", MBIT, (), a.calibrate)
    models = {**MODELS, **CALIBRATED} if a.calibrate else MODELS
    places = {"linear": placed.LINEAR, "round-robin": placed.ROUND_ROBIN,
              **placed.random_placements(a.seed, RANDOM)}
    return {"placements": places, "predicted": {case: predict_case(berth, case, places, models) for case in CASES}}


def judge(title, model, cells, predicted, measured):
    """A line about some cells: `predicted` and `measured` are by cell."""
    ratios, correlations, right, pairs = [], [], 0, 0
    for cell in cells:
        cost = {where: p["cost"] for where, p in predicted[cell].items()}
        middle = {where: statistics.median(times) for where, times in measured[cell].items()}
        ratios += [middle[where] / cost[where] for where in middle]
        if len(set(cost.values())) > 1:
            correlations.append(placed.spearman([cost[where] for where in middle], list(middle.values())))
        found = placed.pairs_right(list(middle), cost, measured[cell])
        right, pairs = right + found[0], pairs + found[1]
    close = sum(0.85 <= r <= 1.2 for r in ratios)
    covered = [placed.covered(predicted[cell], {where: statistics.median(times)
                                                for where, times in measured[cell].items()}) for cell in cells]
    inside, known = map(sum, zip(*covered))
    spearman = f"{statistics.mean(correlations):.3f}" if correlations else "unknown"
    print(f"{title:16} {model:16} measured / predicted {min(ratios):5.2f} to {max(ratios):5.2f}, median "
          f"{statistics.median(ratios):.2f}; {close:3} of {len(ratios)} within 0.85 to 1.2; mean Spearman of "
          f"a cell {spearman}; {right} of {pairs} pairs in order"
          + (f"; {inside} of {known} inside their intervals" if known else ""))


def report(case, predicted, measured):
    names = list(predicted["flow"])
    print(f"\n{case}: milliseconds of all calls, medians of the placements")
    for name in names:
        middle = statistics.median(statistics.median(times) for times in measured[name].values())
        print(f"{name:22} measured {1e3 * middle:7.1f}" + "".join(
            f"  {model} {1e3 * statistics.median(q['cost'] for q in p[name].values()):7.1f}"
            for model, p in predicted.items()))
    for operation in dict.fromkeys(name.split()[0] for name in names):
        for model, p in predicted.items():
            judge(operation, model, [name for name in names if name.split()[0] == operation], p, measured)
    for title, least in ("all", 0), ("from 16 KiB on", 16 << 10):
        chosen = [name for name in names if int(name.split()[1]) >= least
                  and (not least or not name.startswith("Barrier"))]
        for model, p in predicted.items():
            judge(title, model, chosen, p, measured)


def main():
    parser = placed.arguments(__doc__, rounds=3, seed=20261125)
    parser.add_argument("--calibrate", type=int, default=0, metavar="SECONDS",
                        help="also measure the testbed for so long, and predict by the result")
    a = parser.parse_args()
    berth = placed.enter(a)
    placed.compile_c(f"{HERE}/cells.c", "cells")
    kept = placed.frozen(lambda: predict_all(berth, a))
    if a.predict:
        return
    with placed.testbed(MBIT):
        measured = placed.measure({case: kept["placements"] for case in CASES}, a.rounds, lambda case, name: list(
            read_cells(placed.run_placed(kept["placements"][name], os.path.abspath("cells"), case)).values()))
    for case in CASES:
        names = list(kept["predicted"][case]["flow"])
        rounds = {where: list(zip(*times)) for where, times in measured[case].items()}
        report(case, kept["predicted"][case], by_cell(names, rounds))


main()
