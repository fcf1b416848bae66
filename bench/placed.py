# SPDX-License-Identifier: BSD-3-Clause
"""Programs on the testbed: placements, predictions, measurements and how they compare.

A measurement's folder has predictions.json, made once, and measurements.json, which grows by a round
at a time. Measurements belong to the predictions that they were made for: with others berth's numbers
could be fitted to what was measured, so `measure` refuses them."""
import argparse
import contextlib
import hashlib
import itertools
import json
import os
import random
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTBED = os.path.join(ROOT, "testbed", "testbed")
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
RANKS, HOSTS = 16, 8
LINEAR = list(range(RANKS))
ROUND_ROBIN = [2 * h + s for s in (0, 1) for h in range(HOSTS)]
UNEVEN = ("B:out=30", "h6:both=20")  # Mbit/s: a slow uplink and a slow host


def arguments(doc, rounds, seed=None):
    """A parser of what every measurement takes."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=rounds, help="measure so many more (%(default)s)")
    parser.add_argument("--predict", action="store_true", help="write predictions.json, measure nothing")
    if seed:
        parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("build", help="the build's folder")
    parser.add_argument("folder", help="where predictions and measurements are kept")
    return parser


def enter(a):
    """Goes to the measurement's folder. Returns berth's path."""
    berth = os.path.abspath(os.path.join(a.build, "berth"))
    os.makedirs(a.folder, exist_ok=True)
    os.chdir(a.folder)
    return berth


def run(*words, **more):
    """What a command prints. If it fails, so does the measurement."""
    done = subprocess.run(words, check=False, capture_output=True, text=True, env=ENVIRONMENT, **more)
    if done.returncode:
        sys.exit(f"exit code {done.returncode}: {' '.join(words)}\n{done.stderr[-1000:]}")
    return done.stdout


def compile_c(source, program, *options):
    os.makedirs(os.path.dirname(os.path.abspath(program)), exist_ok=True)
    run("mpicc.openmpi", "-O2", "-g", "-o", program, source, *options)


def trace(berth, pattern, *words):
    """Traces a program: words are options of berth trace, "--", and the program."""
    options, program = words[:words.index("--")], words[words.index("--") + 1:]
    run(berth, "trace", *options, "-o", pattern, "--", "mpirun.openmpi", "--oversubscribe", "-n",
        str(RANKS), *program)


def write_topology(path, mbit, limits=()):
    with open(path, "w", encoding="utf-8") as f:
        f.write(run(os.path.join(ROOT, "testbed", "topology.sh"), str(mbit),
                    *(word for limit in limits for word in ("--port", limit))))


@contextlib.contextmanager
def testbed(mbit, limits=()):
    run(TESTBED, "--rate", str(mbit), "up")
    try:
        for limit in limits:
            place, rate = limit.split("=")
            run(TESTBED, "limit", *place.split(":")[:1], "up", place.split(":")[1], rate)
        yield
    finally:
        run(TESTBED, "down")


def calibrate(berth, path, mbit, limits, seconds):
    """Measures a testbed, of which berth gets the structure alone."""
    write_topology("structure.json", mbit)
    with testbed(mbit, limits):
        done = subprocess.run([berth, "calibrate", "--topology", "structure.json", "-o", path, "--mpi",
                               "openmpi", "--time-limit", str(seconds), "--", TESTBED, "run", "--linear",
                               str(RANKS)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, env=ENVIRONMENT)
    with open("calibration.txt", "w", encoding="utf-8") as f:
        f.write(done.stdout + done.stderr)
    if done.returncode not in (0, 1):  # 1: a part of it couldn't be measured
        sys.exit(f"berth calibrate: exit code {done.returncode}: {done.stderr[-1000:]}")
    if "model_error" not in read_json(path):
        print(f"{path}: found no model_error, expected one: {seconds} s were too short, so intervals have "
              "only the spread of what was measured; calibration.txt says what is missing", file=sys.stderr)


def write_mapping(path, pus):
    write_json(path, {"format": "berth-mapping", "version": 1, "pu_of_rank": pus})


def best(berth, pattern, topology, model, *options):
    """Where `berth map` puts the ranks."""
    file = os.path.join(os.path.dirname(pattern), f"best-{model}.json")
    run(berth, "map", "--pattern", pattern, "--topology", topology, "--model", model, "--mapping", file,
        *options)
    return read_json(file)["pu_of_rank"]


def random_placements(seed, n):
    rng = random.Random(seed)
    return {f"random-{i}": rng.sample(range(RANKS), RANKS) for i in range(n)}


def placements(berth, pattern, topology, seed, n_random, *options):
    """By name: linear, round-robin, what `best` finds under both models, and random ones."""
    found = {"linear": LINEAR, "round-robin": ROUND_ROBIN}
    for model in "port", "flow":
        found[f"best-{model}"] = best(berth, pattern, topology, model, *options)
    return dict(found, **random_placements(seed, n_random))


def predict(berth, pattern, topology, model, places, *options, per=1):
    """By placement: the seconds that the pattern costs, and their interval if it is known, divided by
    `per`."""
    files = [f"placement-{i}.json" for i in range(len(places))]
    for file, pus in zip(files, places.values()):
        write_mapping(file, pus)
    out = run(berth, "cost", "--pattern", pattern, "--topology", topology, "--model", model, "--alone", "0",
              "--others", "0", "--json", *options, *(word for file in files for word in ("--mapping", file)))
    for file in files:
        os.remove(file)

    def seconds(result, key):
        return None if result.get(key) is None else result[key] / per
    return {name: {"cost": r["cost_s"] / per, "low": seconds(r, "interval_low_s"),
                   "high": seconds(r, "interval_high_s")}
            for name, r in zip(places, json.loads(out)["results"])}


def run_placed(pus, *command):
    """What a program prints on the testbed, rank r on PU pus[r]."""
    with open("rankfile", "w", encoding="utf-8") as f:
        f.writelines(f"rank {r}=h{pu // 2} slot={pu % 2}\n" for r, pu in enumerate(pus))
    return run(TESTBED, "run", "rankfile", *command, timeout=900)


def seconds_of(printed):
    """The number behind the word `seconds`."""
    words = printed.split()
    return float(words[words.index("seconds") + 1])


def read_json(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def write_json(path, value):
    with open(path + ".new", "w", encoding="utf-8") as f:
        json.dump(value, f)
    os.replace(path + ".new", path)


def frozen(make):
    """The folder's predictions, which `make` makes if there are none yet."""
    if not os.path.exists("predictions.json"):
        write_json("predictions.json", make())
        print(f"predictions.json: written, sha256 {digest()}", file=sys.stderr)
    return read_json("predictions.json")


def digest():
    with open("predictions.json", "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def earlier(places):
    """The measurements that there are, which must be of these predictions."""
    if not os.path.exists("measurements.json"):
        return {"predictions_sha256": digest(), "load": [],
                "measured": {case: {name: [] for name in names} for case, names in places.items()}}
    found = read_json("measurements.json")
    if found["predictions_sha256"] != digest():
        sys.exit(f"measurements.json: found measurements for predictions {found['predictions_sha256'][:12]}, "
                 f"expected {digest()[:12]} as in predictions.json: use another folder for new predictions")
    return found


def measure(places, rounds, measure_one):
    """Measures `rounds` more rounds and returns all: by case and placement a list of what
    measure_one(case, placement) returned. All cases take turns within a round."""
    kept = earlier(places)
    for done in range(rounds):
        kept["load"].append(os.getloadavg()[0])
        found = {case: {name: measure_one(case, name) for name in names} for case, names in places.items()}
        for case, names in found.items():
            for name, value in names.items():
                kept["measured"][case][name].append(value)
        write_json("measurements.json", kept)
        print(f"round {done + 1} of {rounds}", file=sys.stderr)
    print("load before each round:", ", ".join(f"{load:.1f}" for load in kept["load"]))
    return kept["measured"]


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


def covered(predicted, middle):
    """How many measured times are in their intervals, and how many intervals there are."""
    known = [name for name in middle if None not in (predicted[name].get("low"), predicted[name].get("high"))]
    return sum(predicted[n]["low"] <= middle[n] <= predicted[n]["high"] for n in known), len(known)


def report_model(model, predicted, measured, middle):
    cost = {name: predicted[name]["cost"] for name in middle}
    ratios = sorted(middle[name] / cost[name] for name in middle)
    errors = [cost[name] / middle[name] - 1 for name in middle]
    right, n = pairs_right(list(middle), cost, measured)
    inside, known = covered(predicted, middle)
    print(f"{model}: measured / predicted {ratios[0]:.2f} to {ratios[-1]:.2f}, median "
          f"{statistics.median(ratios):.2f}, {sum(0.85 <= r <= 1.2 for r in ratios)} of {len(ratios)} within 0.85 "
          f"to 1.2; mean error {statistics.mean(map(abs, errors)):.1%}, bias {statistics.mean(errors):+.1%}; Spearman "
          f"{spearman(list(cost.values()), list(middle.values())):.3f}; {right} of {n} pairs in order"
          + (f"; {inside} of {known} inside their intervals" if known else ""))


def report_repeatability(measured):
    """How well a round predicts another: no estimate can be expected to do better."""
    rounds = list(zip(*measured.values()))
    found = [spearman(a, b) for a, b in itertools.combinations(rounds, 2)]
    if found:
        print(f"one round against another: Spearman {min(found):.3f} to {max(found):.3f}")


def report_best(measured, middle):
    """How what `best` found compares with the fastest placement measured."""
    fastest = min(middle, key=middle.get)
    for name in (name for name in middle if name.startswith("best")):
        slower = middle[name] / middle[fastest] - 1
        noise = min(measured[name]) <= max(measured[fastest])
        print(f"{name}: " + ("the fastest" if name == fastest else f"{slower:.1%} slower than {fastest}, the fastest"
                             + (": within noise, their runs overlap" if noise else "")))


def report(title, predicted, measured):
    """Prints a table: `predicted` has what `predict` returns by model, `measured` lists of seconds by
    placement."""
    middle = {name: statistics.median(times) for name, times in measured.items()}
    middle = dict(sorted(middle.items(), key=lambda item: item[1]))
    print(f"\n{title}: milliseconds, lowest to highest of {len(next(iter(measured.values())))} runs")
    for name, seconds in middle.items():
        low, high = 1e3 * min(measured[name]), 1e3 * max(measured[name])
        print(f"{name:12} measured {1e3 * seconds:7.1f} ({low:.1f} to {high:.1f})" + "".join(
            f"  {model} {1e3 * p[name]['cost']:7.1f} ({seconds / p[name]['cost']:.2f})"
            for model, p in predicted.items()))
    for model, p in predicted.items():
        report_model(model, p, measured, middle)
    report_repeatability(measured)
    report_best(measured, middle)
