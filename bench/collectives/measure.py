#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Are collective operations predicted? bench/collectives/README.md says what is measured.

usage: measure.py [--rounds N] [--seed N] BUILD DIR
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MBIT, RANKS, ITERATIONS, RANDOM = 25, 16, 3, 20
TRACED = 10  # iterations under the tracer; the warm-up and what measures time come on top
CASES = "rows", "columns"
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def run(*words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT,
                          **more).stdout


def placements(berth, pattern, topology, seed):
    """By name: linear, round-robin, what `best` finds under both models, and random ones."""
    hosts = [2 * h + s for s in (0, 1) for h in range(8)]
    found = {"linear": list(range(RANKS)), "round-robin": hosts}
    for model in "port", "flow":
        file = os.path.join(os.path.dirname(pattern), f"best-{model}.json")
        run(berth, "map", "--pattern", pattern, "--topology", topology, "--collectives", "auto",
            "--objective", model, "--mapping", file, stderr=subprocess.DEVNULL)
        with open(file, encoding="utf-8") as f:
            found[f"best-{model}"] = json.load(f)["pu_of_rank"]
    rng = random.Random(seed)
    for i in range(RANDOM):
        found[f"random-{i}"] = rng.sample(range(RANKS), RANKS)
    return found


def predict(berth, pattern, topology, model, pus):
    """Seconds of an iteration."""
    with open("placement.json", "w", encoding="utf-8") as f:
        json.dump({"format": "berth-mapping", "version": 1, "pu_of_rank": pus}, f)
    out = run(berth, "cost", "--pattern", pattern, "--topology", topology, "--mapping",
              "placement.json", "--model", model, "--collectives", "auto", "--no-intervals", "--json",
              stderr=subprocess.DEVNULL)
    return json.loads(out)["results"][0]["cost_s"] / TRACED


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


def measure(testbed, program, case, pus):
    with open("rankfile", "w", encoding="utf-8") as f:
        f.writelines(f"rank {r}=h{pu // 2} slot={pu % 2}\n" for r, pu in enumerate(pus))
    out = run(testbed, "run", "rankfile", program, case, str(ITERATIONS), stderr=subprocess.DEVNULL)
    return statistics.median(map(float, out.split()))


def ranks_of(values):
    order = sorted(values)
    return [statistics.mean(i for i, v in enumerate(order) if v == value) for value in values]


def spearman(a, b):
    return statistics.correlation(ranks_of(a), ranks_of(b))


def report(case, predicted, measured):
    names = sorted(measured, key=lambda name: statistics.median(measured[name]))
    middle = {name: statistics.median(times) for name, times in measured.items()}
    print(f"\nAllreduce in the {case}: milliseconds of an iteration, lowest to highest of "
          f"{len(measured[names[0]])} runs")
    for name in names:
        low, high = 1e3 * min(measured[name]), 1e3 * max(measured[name])
        print(f"{name:12} measured {1e3 * middle[name]:6.1f} ({low:.1f} to {high:.1f})" + "".join(
            f"  {model} {1e3 * p[name]:6.1f} ({middle[name] / p[name]:.2f})"
            for model, p in predicted.items()))
    for model, p in predicted.items():
        ratios = sorted(middle[name] / p[name] for name in names)
        close = sum(0.85 <= r <= 1.2 for r in ratios)
        rank = spearman([p[name] for name in names], [middle[name] for name in names])
        print(f"{model}: measured / predicted {ratios[0]:.2f} to {ratios[-1]:.2f}, median "
              f"{statistics.median(ratios):.2f}, {close} of {len(ratios)} within 0.85 to 1.2; "
              f"Spearman {rank:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("build")
    parser.add_argument("folder")
    a = parser.parse_args()
    berth, testbed = os.path.abspath(os.path.join(a.build, "berth")), f"{ROOT}/testbed/testbed"
    os.makedirs(a.folder, exist_ok=True)
    os.chdir(a.folder)
    run("mpicc.openmpi", "-O2", "-o", "grid", f"{HERE}/grid.c")
    with open("topology.json", "w", encoding="utf-8") as f:
        f.write(run(f"{ROOT}/testbed/topology.sh", str(MBIT)))
    chosen, predicted = {}, {}
    for case in CASES:
        os.makedirs(case, exist_ok=True)
        run(berth, "trace", "--phases", "off", "-o", f"{case}/trace.acp", "--", "mpirun.openmpi", "--oversubscribe",
            "-n", str(RANKS), "./grid", case, str(TRACED), stderr=subprocess.DEVNULL)
        only_iterations(f"{case}/trace.acp", f"{case}/pattern.acp")
        chosen[case] = placements(berth, f"{case}/pattern.acp", "topology.json", a.seed)
        predicted[case] = {model: {name: predict(berth, f"{case}/pattern.acp", "topology.json", model, pus)
                                   for name, pus in chosen[case].items()}
                           for model in ("port", "flow")}
    with open("predictions.json", "w", encoding="utf-8") as f:
        json.dump({"placements": chosen, "predicted": predicted}, f)
    run(testbed, "--rate", str(MBIT), "up")
    try:
        measured = {case: {name: [] for name in chosen[case]} for case in CASES}
        for done in range(a.rounds):
            for case in CASES:
                for name, pus in chosen[case].items():
                    measured[case][name].append(measure(testbed, os.path.abspath("grid"), case, pus))
            print(f"round {done + 1} of {a.rounds}", file=sys.stderr)
            with open("measurements.json", "w", encoding="utf-8") as f:
                json.dump(measured, f)
    finally:
        run(testbed, "down")
    for case in CASES:
        report(case, predicted[case], measured[case])


main()
