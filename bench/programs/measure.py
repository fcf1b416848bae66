#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Are programs predicted whose ranks wait for one another? bench/programs/README.md says what is
measured.

usage: measure.py [--rounds N] [--placements N] [--seed N] [--uneven] [--only PROGRAM] BUILD DIR
"""
import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import placed  # pylint: disable=wrong-import-position

MBIT = 50
PROGRAMS = "sweep", "transpose", "farm", "pipeline", "irregular"
MODELS = {"flow": ("flow", "whole"), "sends": ("flow", "sends"), "no order": ("flow", "plain"),
          "port": ("port", "whole")}
# A slow uplink and a slow host
UNEVEN = ("B:out=30", "h6:both=20")


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


def prepare(berth, program, a):
    """Traces a program, chooses placements and predicts them."""
    os.makedirs(program, exist_ok=True)
    placed.run("mpicc.openmpi", "-O2", "-o", f"{program}/{program}", f"{HERE}/{program}.c", "-lm")
    placed.run(berth, "trace", "--order", "-o", f"{program}/whole.acp", "--", "mpirun.openmpi",
               "--oversubscribe", "-n", str(placed.RANKS), f"{program}/{program}")
    write_patterns(program)
    pattern = f"{program}/whole.acp"
    chosen = placed.placements(berth, pattern, "topology.json", a.seed, a.placements - 4,
                               "--time-limit", "20")
    return chosen, {
        name: {where: placed.predict(berth, f"{program}/{form}.acp", "topology.json", model, pus)
               for where, pus in chosen.items()} for name, (model, form) in MODELS.items()}


def measure(program, pus):
    words = placed.run_placed(pus, os.path.abspath(f"{program}/{program}")).split()
    return float(words[words.index("seconds") + 1])


def measure_all(chosen, rounds):
    measured = {program: {name: [] for name in chosen[program]} for program in chosen}
    for done in range(rounds):
        for program, places in chosen.items():
            for name, pus in places.items():
                measured[program][name].append(measure(program, pus))
        print(f"round {done + 1} of {rounds}", file=sys.stderr)
        with open("measurements.json", "w", encoding="utf-8") as f:
            json.dump(measured, f)
    return measured


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--placements", type=int, default=30)
    parser.add_argument("--seed", type=int, default=20261124)
    parser.add_argument("--uneven", action="store_true")
    parser.add_argument("--only", choices=PROGRAMS, action="append")
    parser.add_argument("build")
    parser.add_argument("folder")
    a = parser.parse_args()
    berth = os.path.abspath(os.path.join(a.build, "berth"))
    os.makedirs(a.folder, exist_ok=True)
    os.chdir(a.folder)
    placed.write_topology("topology.json", MBIT,
                          *(w for port in UNEVEN if a.uneven for w in ("--port", port)))
    chosen, predicted = {}, {}
    for program in a.only or PROGRAMS:
        chosen[program], predicted[program] = prepare(berth, program, a)
        print(f"{program}: predicted", file=sys.stderr)
    with open("predictions.json", "w", encoding="utf-8") as f:
        json.dump({"placements": chosen, "predicted": predicted}, f)
    placed.run(placed.TESTBED, "--rate", str(MBIT), "up")
    try:
        for port in UNEVEN if a.uneven else ():
            where, rate = port.split("=")
            name, way = where.split(":")
            placed.run(placed.TESTBED, "limit", name, "up", way, rate)
        measured = measure_all(chosen, a.rounds)
    finally:
        placed.run(placed.TESTBED, "down")
    for program in chosen:
        placed.report(program, predicted[program], measured[program])


main()
