#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is the gain of an application's run time predicted? bench/applications/README.md says what is measured.

usage: measure.py [--calibrate SECONDS] [--order] [--only APPLICATION]… [--predict] [--rounds N] BUILD DIR
"""
import json
import os
import statistics
import sys

from on_testbed import MBIT, placed, prepare, run_traced

MODELS = "flow", "port"
MEASURED = "GROMACS", "QE", "CP2K", "LAMMPS"


def gain_of(result):
    """The predicted gain of the run and its interval."""
    return {"gain": result["run_gain"], "limit": result["run_gain_limit"], "cost": result["cost_s"],
            "low": result["run_gain_low"], "high": result["run_gain_high"]}


def predict_application(berth, application, topology, order):
    trace = f"{application}/trace.acp"
    os.makedirs(application, exist_ok=True)
    seconds = run_traced(berth, application, placed.LINEAR, trace, **({"BERTH_TRACE_ORDER": "1"} if order else {}))
    places = {"linear": placed.LINEAR, "round-robin": placed.ROUND_ROBIN}
    for model in MODELS:
        places[f"best-{model}"] = placed.best(berth, trace, topology, model, "--time-limit", "20")
    for name, pus in places.items():
        placed.write_mapping(f"{name}.json", pus)
    predicted = {}
    for model in MODELS:
        out = json.loads(placed.run(
            berth, "cost", "--pattern", trace, "--topology", topology, "--model", model, "--alone", "0",
            "--others", "0", "--json", *(word for name in places for word in ("--mapping", f"{name}.json"))))
        results = {result["mapping"]: result for result in out["results"]}
        predicted[model] = {name: gain_of(results[f"{name}.json"]) for name in places}
    print(f"{application}: predicted", file=sys.stderr)
    return {"traced_s": seconds, "placements": places, "predicted": predicted}


def predict_all(berth, a):
    placed.write_topology("topology.json", MBIT)
    topology = "calibrated.json" if a.calibrate else "topology.json"
    if a.calibrate:
        placed.calibrate(berth, topology, MBIT, (), a.calibrate)
    with placed.testbed(MBIT):
        return {name: predict_application(berth, name, topology, a.order) for name in a.only or MEASURED}


def percent(value):
    return "unknown" if value is None else f"{100 * value:.1f}%"


def said(p):
    """A prediction as text."""
    if p["gain"] is None:
        return f"unknown, at most {percent(p['limit'])}"
    known = p["low"] is not None or p["high"] is not None
    return percent(p["gain"]) + (f" ({percent(p['low'])} to {percent(p['high'])})" if known else "")


def report(application, case, measured):
    """Gains are those of a round's runs over its run in the default order."""
    linear = measured["linear"]
    print(f"\n{application}: default order {statistics.median(linear):.2f} s ({min(linear):.2f} to {max(linear):.2f}, "
          f"{len(linear)} runs); communication estimated as "
          + ", ".join(f"{p['linear']['cost']:.2f} s ({model})" for model, p in case["predicted"].items()))
    for name in (name for name in measured if name != "linear"):
        gains = sorted(1 - seconds / default for seconds, default in zip(measured[name], linear))
        same = " (the default order)" if case["placements"][name] == placed.LINEAR else ""
        print(f"{name:12}{same} {statistics.median(measured[name]):.2f} s: measured gain of the run "
              f"{percent(1 - statistics.median(measured[name]) / statistics.median(linear))} (in rounds "
              f"{percent(gains[0])} to {percent(gains[-1])}); predicted "
              + ", ".join(f"{said(p[name])} by {model}" for model, p in case["predicted"].items()))


def main():
    parser = placed.arguments(__doc__, rounds=5)
    parser.add_argument("--calibrate", type=int, default=0, metavar="SECONDS",
                        help="measure the testbed for so long, and predict by the result")
    parser.add_argument("--order", action="store_true", help="record what ranks wait for, too")
    parser.add_argument("--only", action="append", choices=sorted(MEASURED))
    a = parser.parse_args()
    berth = placed.enter(a)
    prepare(a.only or MEASURED)
    cases = placed.frozen(lambda: predict_all(berth, a))
    if a.predict:
        return
    places = {name: case["placements"] for name, case in cases.items()}
    with placed.testbed(MBIT):
        measured = placed.measure(places, a.rounds, lambda application, name: run_traced(
            berth, application, places[application][name], "clock.acp", BERTH_TRACE_SITES="0",
            BERTH_TRACE_PHASES="off", BERTH_TRACE_ORDER="0"))
    for name, case in cases.items():
        report(name, case, measured[name])


main()
