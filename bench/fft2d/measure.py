#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which variants of examples/fft2d are fast? bench/fft2d/README.md says what is measured. Root only.

usage: measure.py [--n N]… [--ranks R]… [--place linear|mapped|spread]… [--slower K]… [--sleep] [--jobs SET]
                  [--only JOB]… [--rounds N] BUILD DIR
       measure.py --report BUILD DIR

Each call adds to DIR/runs.jsonl. --report prints tables of all that is there."""
import argparse
import collections
import glob
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "examples", "fft2d")
sys.path[:0] = [os.path.dirname(HERE), EXAMPLE]
import model  # pylint: disable=wrong-import-position
import placed  # pylint: disable=wrong-import-position

MBIT, GRANULES, GROUPS = 100, 8, 4
IN_GROUPS = ["--groups", str(GROUPS)]
# By name of a job: the library's variables, and the program's arguments. A job runs its variants in turns.
JOBS = {
    "one thread": ({}, ["--by", "plain,granules,nonblocking"]),
    "in groups": ({}, ["--by", "nonblocking,persistent,threads", *IN_GROUPS]),
    "calls": ({}, ["--by", "threads", "--communicator", "calls", *IN_GROUPS]),
    "works": ({}, ["--by", "threads", "--communicator", "works", *IN_GROUPS]),
    "berth": ({"coll": "1"}, ["--by", "plain"]),
    "agents": ({"coll": "1", "BERTH_AGENTS": "1"}, ["--by", "nonblocking,persistent", *IN_GROUPS, "--nap", "1000"]),
    "fftw": ({}, None)}
# Slower cores (--sleep): how much is hidden, by which pieces and by whom?
FEWER = ["--granules", "4", "--groups", "8"]
SLOW_JOBS = {
    "one thread": ({}, ["--by", "plain,granules,nonblocking"]),
    "in groups": ({}, ["--by", "nonblocking,threads", *IN_GROUPS]),
    "4 granules": ({}, ["--by", "nonblocking,persistent,threads", *FEWER]),
    "window": ({}, ["--by", "nonblocking,threads", "--window", "1", *FEWER]),
    "works": ({}, ["--by", "threads", "--communicator", "works", "--workers", "0", *FEWER]),
    "calls": ({}, ["--by", "threads", "--communicator", "calls", *FEWER]),
    "berth": ({"coll": "1"}, ["--by", "plain"]),
    "agents": ({"coll": "1", "BERTH_AGENTS": "1"}, ["--by", "nonblocking,persistent", *FEWER, "--nap", "1000"])}
# The study's comparison: a process for each core, or one for each host with as many threads.
HOST = ["--by", "threads", *IN_GROUPS]
HOST_JOBS = {
    "plain": ({}, ["--by", "plain,nonblocking", *IN_GROUPS]),
    "host, 2 workers": ({}, [*HOST, "--workers", "2"]),
    "host, 2 workers, calls": ({}, [*HOST, "--workers", "2", "--communicator", "calls"]),
    "host, 1 worker, works": ({}, [*HOST, "--communicator", "works"]),
    "host, 1 worker": ({}, HOST)}
# Sections 8.4 and 8.5: how much work is taken at a time, without communication, static work, other locks.
BASE = ["--by", "threads", *IN_GROUPS, "--workers", "2"]
STUDY_JOBS = {
    "base": ({}, BASE),
    "rows 4": ({}, [*BASE, "--rows", "4"]),
    "rows 16": ({}, [*BASE, "--rows", "16"]),
    "granules 4": ({}, [*BASE, "--granules", "4"]),
    "granules 16": ({}, [*BASE, "--granules", "16"]),
    "static": ({}, [*BASE, "--work", "static"]),
    "works": ({}, ["--by", "threads", *IN_GROUPS, "--communicator", "works"]),
    "spin": ({}, [*BASE, "--locks", "spin"]),
    "atomic": ({}, [*BASE, "--locks", "atomic"]),
    "no exchange": ({}, [*BASE, "--no-exchange"]),
    "plain": ({}, ["--by", "plain"]),
    "plain, no exchange": ({}, ["--by", "plain", "--no-exchange"])}
SETS = {"variants": JOBS, "slow": SLOW_JOBS, "host": HOST_JOBS, "study": STUDY_JOBS}


def spread(ranks):
    """One rank on each host, on both cores in turns."""
    return [2 * host + host % 2 for host in range(ranks)]


def balanced(pus):
    """All hosts share two cores: ranks that are alone on their hosts get both in turns."""
    alone = [pu // 2 for pu in pus if sum(other // 2 == pu // 2 for other in pus) == 1]
    return [pu // 2 * 2 + alone.index(pu // 2) % 2 if pu // 2 in alone else pu for pu in pus]


def trace_of(berth, n, ranks):
    """The trace of one plain transform, on this host."""
    file = f"plain-{n}-{ranks}.acp"
    if not os.path.exists(file):
        placed.run(berth, "trace", "-o", file, "--", "mpirun.openmpi", "--oversubscribe", "-n", str(ranks),
                   os.path.abspath("fft2d"), "--by", "plain", "--repeat", "1", str(n))
    return file


def placement(berth, name, n, ranks):
    if name == "linear":
        return list(range(ranks))
    if name == "spread":
        return spread(ranks)
    file = f"mapped-{n}-{ranks}.json"
    if not os.path.exists(file):
        found = placed.best(berth, trace_of(berth, n, ranks), "topology.json", "flow", "--time-limit", "10")
        placed.write_mapping(file, balanced(found))
    return placed.read_json(file)["pu_of_rank"]


def cost_of(berth, name, n, ranks, cost_model):
    """What `berth cost --json` says of the plain transform's trace in a placement."""
    file = f"placement-{name}-{n}-{ranks}.json"
    placed.write_mapping(file, placement(berth, name, n, ranks))
    return json.loads(placed.run(berth, "cost", "--pattern", trace_of(berth, n, ranks), "--topology", "topology.json",
                                 "--model", cost_model, "--alone", "0", "--others", "0", "--json", "--mapping", file))


def words_of(a, job, n, slower, place):
    """The command of a job: mpirun's options, and the program."""
    settings, arguments = SETS[a.jobs][job]
    settings = dict(settings)
    if settings.pop("coll", None):
        settings["LD_PRELOAD"] = os.path.join(a.build, "lib", "berth", "openmpi", "libberth-coll.so")
    words = [word for name, value in settings.items() for word in ("-x", f"{name}={value}")]
    if place == "spread":  # all threads of a host's rank may use both cores
        words += ["taskset", "-c", "0,1"]
    if arguments is None:
        return [*words, os.path.abspath("anchor"), "1", str(n)]
    slow = ["--slower", str(slower), *(["--sleep"] if a.sleep else [])]
    return [*words, os.path.abspath("fft2d"), "--json", "--repeat", "1", *slow, *arguments, str(n)]


def measure(a, berth):
    """Rounds of all jobs in turns."""
    cells = [(n, ranks, place, slower) for n in a.n for ranks in a.ranks for place in a.place for slower in a.slower]
    for cell in cells:
        placement(berth, cell[2], cell[0], cell[1])
    with placed.testbed(MBIT), open("runs.jsonl", "a", encoding="utf-8") as out:
        for r in range(a.rounds):
            for n, ranks, place, slower in cells:
                for job in a.only or SETS[a.jobs]:
                    printed = placed.run_placed(placement(berth, place, n, ranks), *words_of(a, job, n, slower, place))
                    for line in (line for line in printed.splitlines() if line.startswith("{")):
                        out.write(json.dumps({"set": a.jobs, "job": job, "place": place, "load": os.getloadavg()[0],
                                              "slower": slower, "sleep": a.sleep, **json.loads(line)}) + "\n")
                    out.flush()
                print(f"round {r + 1} of {a.rounds}: N {n}, {ranks} ranks, {place}, slower {slower}", file=sys.stderr)


def label(run):
    """What a row of a table is called."""
    groups = f", {run['groups']} groups" if run.get("groups", 1) > 1 else ""
    if run.get("granules") not in (None, 1, GRANULES):
        groups = f", {run['granules']} granules{groups}"
    if run.get("window"):
        groups += f", window {run['window']}"
    names = {"berth": "berth, plain", "agents": f"agents, {run['by']}{groups}", "fftw": "FFTW's own",
             "calls": f"threads, calls{groups}", "works": f"threads, works{groups}"}
    if run["set"] in ("host", "study"):
        return run["job"] if run["job"] != "plain" or run["by"] == "plain" else run["by"] + groups
    return names.get(run["job"], run["by"] + groups)


def medians(runs):
    """Of the runs of one row: the median run, which has all its steps' times, and the range."""
    order = sorted(runs, key=lambda run: run["seconds"])
    return order[len(order) // 2], order[0]["seconds"], order[-1]["seconds"]


def hidden(machine, n, plain, run):
    """What was saved, as a share of what can be. If that is less than what the plain runs differ, there is no saying."""
    if run["by"] not in ("nonblocking", "persistent", "threads") or not run["exchange"]:
        return ""
    middle, low, high = plain
    most = machine.hideable(n, run["granules"], run["groups"])
    return f"{(middle['seconds'] - run['seconds']) / most:.2f}" if most > high - low else "-"


def table(berth, cell, rows):
    kind, n, ranks, place, slower, sleep = cell
    rounds = max(map(len, rows.values()))
    load = statistics.median(run["load"] for runs in rows.values() for run in runs)
    how = " by sleep" if sleep else ""
    print(f"\n### {kind}: N {n}, {ranks} ranks, {place}, slower {slower}{how}; {rounds} rounds, load {load:.1f}\n")
    print("| variant | seconds | computing | waiting | busy cores | of plain | hidden |\n|---|---|---|---|---|---|---|")
    plain = medians(rows["plain"]) if "plain" in rows else None
    machine = plain and model.Machine(plain[0], cost_of(berth, place, n, ranks, "flow"), measured=True)
    for name, runs in rows.items():
        run, low, high = medians(runs)
        busy = run.get("cpu_s", 0) * ranks / 2 / run["seconds"]  # all hosts share two cores
        steps = f"{run['computing_s']:.3f} | {run['waiting_s']:.3f} | {busy:.2f}" if "cpu_s" in run else "| |"
        of_plain = f"{run['seconds'] / plain[0]['seconds']:.3f} | {hidden(machine, n, plain, run)}" if plain else "|"
        print(f"| {name} | {run['seconds']:.3f} ({low:.3f} to {high:.3f}) | {steps} | {of_plain} |")
    if machine:
        predict(berth, machine, n, ranks, place)


def predict(berth, machine, n, ranks, place):
    costs = {name: model.alltoall_cost(cost_of(berth, place, n, ranks, name), model.PLAIN) for name in ("port", "flow")}
    estimates = ", ".join(f"{name} {seconds:.3f} s" for name, seconds in costs.items())
    print(f"\nexchange: {estimates}, measured {machine.exchange:.3f} s")
    print(f"model: overlapped {machine.overlapped(n, GRANULES, 1):.3f} s, in {GROUPS} groups "
          f"{machine.overlapped(n, GRANULES, GROUPS):.3f} s; can be hidden {machine.hideable(n, GRANULES, GROUPS):.3f} s; "
          f"at least as fast from N {machine.from_size(GRANULES, GROUPS)}")


def report(berth):
    cells = collections.defaultdict(lambda: collections.defaultdict(list))
    with open("runs.jsonl", encoding="utf-8") as f:
        for run in map(json.loads, f):
            cell = run["set"], run["n"], run["ranks"], run["place"], run["slower"], run.get("sleep", False)
            cells[cell][label(run)].append(run)
    for cell in sorted(cells):
        table(berth, cell, cells[cell])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, action="append")
    parser.add_argument("--ranks", type=int, action="append")
    parser.add_argument("--place", choices=("linear", "mapped", "spread"), action="append")
    parser.add_argument("--slower", type=int, action="append")
    parser.add_argument("--sleep", action="store_true", help="slower by sleeping, as if each thread had a core of its own")
    parser.add_argument("--jobs", choices=SETS, default="variants")
    parser.add_argument("--only", metavar="JOB", action="append")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("build", metavar="BUILD")
    parser.add_argument("folder", metavar="DIR")
    a = parser.parse_args()
    a.n, a.ranks, a.place, a.slower = a.n or [2048], a.ranks or [16], a.place or ["linear"], a.slower or [1]
    a.build = os.path.abspath(a.build)
    berth = placed.enter(a)
    placed.write_topology("topology.json", MBIT)
    if a.report:
        report(berth)
        return
    first, *others = sorted(glob.glob(os.path.join(EXAMPLE, "*.c")))
    placed.compile_c(first, "fft2d", *others, "-lfftw3", "-lm", "-pthread")
    placed.compile_c(os.path.join(HERE, "anchor.c"), "anchor", "-lfftw3_mpi", "-lfftw3", "-lm")
    measure(a, berth)


main()
