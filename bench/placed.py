# SPDX-License-Identifier: BSD-3-Clause
"""Programs on the testbed: placements, predictions, measurements and how they compare."""
import itertools
import json
import os
import random
import statistics
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTBED = os.path.join(ROOT, "testbed", "testbed")
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
RANKS, HOSTS = 16, 8


def run(*words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT,
                          **more).stdout


def write_topology(path, mbit, *options):
    with open(path, "w", encoding="utf-8") as f:
        f.write(run(os.path.join(ROOT, "testbed", "topology.sh"), str(mbit), *options))


def placements(berth, pattern, topology, seed, n_random, *options):
    """By name: linear, round-robin, what `best` finds under both models, and random ones."""
    found = {"linear": list(range(RANKS)),
             "round-robin": [2 * h + s for s in (0, 1) for h in range(HOSTS)]}
    for model in "port", "flow":
        file = os.path.join(os.path.dirname(pattern), f"best-{model}.json")
        run(berth, "map", "--pattern", pattern, "--topology", topology, "--objective", model,
            "--mapping", file, *options, stderr=subprocess.DEVNULL)
        with open(file, encoding="utf-8") as f:
            found[f"best-{model}"] = json.load(f)["pu_of_rank"]
    rng = random.Random(seed)
    for i in range(n_random):
        found[f"random-{i}"] = rng.sample(range(RANKS), RANKS)
    return found


def predict(berth, pattern, topology, model, pus, *options):
    """Seconds that the pattern costs."""
    with open("placement.json", "w", encoding="utf-8") as f:
        json.dump({"format": "berth-mapping", "version": 1, "pu_of_rank": pus}, f)
    out = run(berth, "cost", "--pattern", pattern, "--topology", topology, "--mapping",
              "placement.json", "--model", model, "--no-intervals", "--json", *options,
              stderr=subprocess.DEVNULL)
    return json.loads(out)["results"][0]["cost_s"]


def run_placed(pus, *command):
    """What a program prints on the testbed, rank r on PU pus[r]."""
    with open("rankfile", "w", encoding="utf-8") as f:
        f.writelines(f"rank {r}=h{pu // 2} slot={pu % 2}\n" for r, pu in enumerate(pus))
    return run(TESTBED, "run", "rankfile", *command, stderr=subprocess.DEVNULL)


def ranks_of(values):
    order = sorted(values)
    return [statistics.mean(i for i, v in enumerate(order) if v == value) for value in values]


def spearman(a, b):
    return statistics.correlation(ranks_of(a), ranks_of(b))


def pairs_right(names, predicted, measured):
    """How many pairs of placements whose runs don't overlap are predicted in their order, and how
    many such pairs there are."""
    right = n = 0
    for a, b in itertools.combinations(names, 2):
        if min(measured[a]) > max(measured[b]):
            a, b = b, a
        if max(measured[a]) >= min(measured[b]):
            continue
        n += 1
        right += predicted[a] < predicted[b]
    return right, n


def report(title, predicted, measured):
    """Prints a table: `predicted` has seconds by model and placement, `measured` lists of them."""
    middle = {name: statistics.median(times) for name, times in measured.items()}
    names = sorted(middle, key=middle.get)
    print(f"\n{title}: milliseconds, lowest to highest of {len(measured[names[0]])} runs")
    for name in names:
        low, high = 1e3 * min(measured[name]), 1e3 * max(measured[name])
        print(f"{name:12} measured {1e3 * middle[name]:7.1f} ({low:.1f} to {high:.1f})" + "".join(
            f"  {model} {1e3 * p[name]:7.1f} ({middle[name] / p[name]:.2f})"
            for model, p in predicted.items()))
    for model, p in predicted.items():
        ratios = sorted(middle[name] / p[name] for name in names)
        error = statistics.mean(abs(p[name] / middle[name] - 1) for name in names)
        close = sum(0.85 <= r <= 1.2 for r in ratios)
        rank = spearman([p[name] for name in names], [middle[name] for name in names])
        right, n = pairs_right(names, p, measured)
        print(f"{model}: measured / predicted {ratios[0]:.2f} to {ratios[-1]:.2f}, median "
              f"{statistics.median(ratios):.2f}, {close} of {len(ratios)} within 0.85 to 1.2; mean "
              f"error {error:.1%}; Spearman {rank:.3f}; {right} of {n} pairs in order")
