#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Are programs predicted? bench/programs/README.md says what is
measured.

usage: measure.py [--set others|mixed|arrivals] [--uneven] [--calibrate SECONDS] [--placements N]
                  [--only PROGRAM]… [--predict] [--rounds N] [--seed N] BUILD DIR
"""
import glob
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import placed  # pylint: disable=wrong-import-position

MBIT = 50
# By name of a prediction: the model, the form of the pattern, the topology
MODELS = {"flow": ("flow", "whole", "topology"), "sends": ("flow", "sends", "topology"),
          "no order": ("flow", "plain", "topology"), "port": ("port", "whole", "topology"),
          "port, no order": ("port", "plain", "topology")}
CALIBRATED = {"flow, calibrated": ("flow", "whole", "calibrated"),
              "port, calibrated": ("port", "whole", "calibrated")}


def only_sends(steps):
    """The sends of a program, without what it waits for."""
    kept = []
    for step in steps:
        if isinstance(step, list):
            kept.append(step)
        elif "loop" in step and only_sends(step["sends"]):
            kept.append({"loop": step["loop"], "sends": only_sends(step["sends"])})
    return kept


def write_patterns(folder):
    """The whole trace, the same without what ranks wait for, and without orders."""
    with open(f"{folder}/whole.acp", encoding="utf-8") as f:
        lines = [json.loads(line) for line in f][:-1]
    forms = {
        "sends": [dict(l, sends=only_sends(l["sends"])) if l.get("kind") == "order" else l
                  for l in lines],
        "plain": [l for l in lines if l.get("kind") != "order"]}
    for form, kept in forms.items():
        with open(f"{folder}/{form}.acp", "w", encoding="utf-8") as f:
            for line in kept + [{"kind": "end", "records": len(kept) - 1}]:
                f.write(json.dumps(line) + "\n")


def name_of(source):
    return os.path.splitext(os.path.basename(source))[0]


def predict_program(berth, source, models, a):
    """Traces a program, chooses placements and predicts them."""
    program = name_of(source)
    placed.trace(berth, f"{program}/whole.acp", "--order", "--", f"{program}/{program}")
    write_patterns(program)
    chosen = placed.placements(berth, f"{program}/whole.acp", f"{list(models.values())[-1][2]}.json", a.seed,
                               a.placements - 4, "--time-limit", "20")
    predicted = {name: placed.predict(berth, f"{program}/{form}.acp", f"{topology}.json", model, chosen)
                 for name, (model, form, topology) in models.items()}
    print(f"{program}: predicted", file=sys.stderr)
    return {"placements": chosen, "predicted": predicted}


def predict_all(berth, sources, limits, a):
    placed.write_topology("topology.json", MBIT, limits)
    if a.calibrate:
        placed.calibrate(berth, "calibrated.json", MBIT, limits, a.calibrate)
    models = dict(MODELS, **CALIBRATED) if a.calibrate else MODELS
    return {os.path.splitext(os.path.basename(source))[0]: predict_program(berth, source, models, a)
            for source in sources}


def main():
    parser = placed.arguments(__doc__, rounds=3, seed=20261124)
    parser.add_argument("--placements", type=int, default=30)
    parser.add_argument("--uneven", action="store_true", help="with a slow uplink and a slow host")
    parser.add_argument("--set", choices=("others", "mixed", "arrivals"), default="", help="the programs of this folder")
    parser.add_argument("--calibrate", type=int, default=0, metavar="SECONDS",
                        help="also measure the testbed for so long, and predict by the result")
    parser.add_argument("--only", action="append", metavar="PROGRAM")
    a = parser.parse_args()
    sources = sorted(glob.glob(os.path.join(HERE, a.set, "*.c")))
    if a.only:
        sources = [s for s in sources if name_of(s) in a.only]
    berth, limits = placed.enter(a), placed.UNEVEN if a.uneven else ()
    for source in sources:  # also if they were predicted in another folder
        placed.compile_c(source, f"{name_of(source)}/{name_of(source)}", "-lm")
    cases = placed.frozen(lambda: predict_all(berth, sources, limits, a))
    if a.predict:
        return
    places = {program: case["placements"] for program, case in cases.items()}
    with placed.testbed(MBIT, limits):
        measured = placed.measure(places, a.rounds, lambda program, name: placed.seconds_of(
            placed.run_placed(places[program][name], os.path.abspath(f"{program}/{program}"))))
    for program, case in cases.items():
        placed.report(program, case["predicted"], measured[program])


main()
