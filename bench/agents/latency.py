#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long short collective calls take with and without agents, and how steady they are: latency.py [--hosts 2,4,8]
[--counts 1,2,4,8] [--calls N] [--rounds R] [--only EXPRESSION] [--json FILE]; latency.py --noise [--calls N].

Hosts of the testbed with one rank each (root only); or --local: the same ranks on this host, to try it. Rounds are jobs of
each arm in turns. With --noise, reductions on eight hosts, without and with a process that takes each core for 1 ms in every
20 ms."""
import argparse
import contextlib
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

import jobs

BAND = 0.97
BINS = 20  # of a histogram, for each power of ten
ARMS = {"agents": jobs.with_berth("openmpi", BERTH_AGENTS_CALLS="all", **jobs.AGENTS),
        "hosts": jobs.with_berth("openmpi"),
        "tuned": ("openmpi", {}),
        "HAN": ("openmpi", {"OMPI_MCA_coll_han_priority": "100"}),
        "MPICH": ("mpich", {})}
UNITS = {"us": 1, "ms": 1000, "s": 1000000}


def cells_of(counts):
    return ["Barrier"] + [f"{function}:{kind}:{count}" for function in ("Allreduce", "Reduce", "Bcast")
                          for kind in ("double", "int") for count in counts]


def times_of(lines):
    """Seconds by cell."""
    found = {}
    for line in lines:
        if line.startswith("cell "):
            times = found.setdefault(line.split()[1], [])
        elif line != "end":
            times += [1e-9 * float(word) for word in line.split()]
    return found


def band(times):
    """The narrowest interval with 97% of the times, as `berth agents` has it."""
    ordered = sorted(times)
    inside = math.ceil(BAND * len(ordered))
    first = min(range(len(ordered) - inside + 1), key=lambda i: ordered[i + inside - 1] - ordered[i])
    return ordered[first], ordered[first + inside - 1]


def histogram(times):
    """[low, high, how many], of equal ratios; empty ones are left out."""
    counts = {}
    for time in times:
        number = math.floor(BINS * math.log10(max(time, 1e-9)))
        counts[number] = counts.get(number, 0) + 1
    return [[10 ** (number / BINS), 10 ** ((number + 1) / BINS), counts[number]] for number in sorted(counts)]


def distribution(times):
    low, high = band(times)
    return {"calls": len(times), "mean_s": statistics.fmean(times), "median_s": statistics.median(times),
            "deviation_s": statistics.pstdev(times), "band_s": [low, high], "min_s": min(times), "max_s": max(times),
            "histogram": histogram(times)}


def detours_of(text):
    """(length, period) in us of a text such as 1ms/20ms."""
    found = re.fullmatch(r"(\d+)(us|ms|s)/(\d+)(us|ms|s)", text)
    pair = (int(found[1]) * UNITS[found[2]], int(found[3]) * UNITS[found[4]]) if found else (0, 0)
    if not 0 < pair[0] <= pair[1] <= 10 * UNITS["s"]:
        raise argparse.ArgumentTypeError(f"'{text}', expected a length and a period, as 1ms/20ms, of up to 10 s")
    return pair


@contextlib.contextmanager
def noise(program, detours, report):
    """While it lasts, the testbed's two cores are taken away now and then."""
    # pylint: disable=consider-using-with
    running = [subprocess.Popen([program, str(core), *map(str, detours)], stdout=subprocess.PIPE, text=True)
               for core in sorted(os.sched_getaffinity(0))[:2]]
    try:
        yield
    finally:
        for process in running:
            process.terminate()
        lines = [process.communicate()[0] for process in running]
    for line in lines:
        if not line:
            sys.exit("detours: found no line at the end, expected one")
        core, how, count, share = line.split()
        report.append({"core": int(core), "priority": how, "detours": int(count), "share": float(share)})


def extend(pooled, lines):
    for cell, times in times_of(lines).items():
        pooled.setdefault(cell, []).extend(times)


def measure(args, arms, cells, machine, programs):
    """Pooled times by hosts, by arm (and " with noise"), by cell; and what the noise processes say of themselves."""
    found = {n: {} for n in args.hosts}
    report = []
    calls = max(1, args.calls // args.rounds)
    for _ in range(args.rounds):
        for n in args.hosts:
            for name, arm in arms.items():
                for noisy in (False, True) if args.noise else (False,):
                    key = name + " with noise" * noisy
                    print(f"{n} hosts, {key}", file=sys.stderr)
                    with noise(programs["detours"], args.detours, report) if noisy else contextlib.nullcontext():
                        lines = jobs.run(machine, arm, jobs.blocks(n, args.per_host),
                                         [programs[arm[0]], "--calls", calls, *cells], 7200)
                    extend(found[n].setdefault(key, {}), lines)
    return found, report


def show(found):
    """Mean, standard deviation and 97% band in us."""
    for n, arms in found.items():
        print(f"\n{n} hosts: mean ± deviation, 97% of the calls in us")
        print(f"{'':20}" + "".join(f"{name:>30}" for name in arms))
        for cell in next(iter(arms.values())):
            texts = []
            for cells in arms.values():
                d = cells[cell]
                low, high = (1e6 * t for t in d["band_s"])
                texts.append(f"{1e6 * d['mean_s']:.0f} ± {1e6 * d['deviation_s']:.0f}, {low:.0f} to {high:.0f}")
            print(f"{cell:20}" + "".join(f"{text:>30}" for text in texts))


def show_noise(found, report):
    """What noise does to agents, beside hosts."""
    for line in report[-2:]:
        print(f"core {line['core']}: {line['priority']}, {100 * line['share']:.1f}% of its time taken")
    for n, arms in found.items():
        if not {"agents with noise", "hosts with noise"} <= set(arms):
            continue
        for cell in arms["hosts"]:
            agents, hosts = (arms[name][cell] for name in ("agents with noise", "hosts with noise"))
            widths = [d["band_s"][1] - d["band_s"][0] for d in (agents, hosts)]
            print(f"{n} hosts, {cell}, with noise: agents' deviation is {agents['deviation_s'] / hosts['deviation_s']:.2f} of the hosts', "
                  f"their band {widths[0] / widths[1]:.2f}; without noise: their mean is "
                  f"{arms['agents'][cell]['mean_s'] / arms['hosts'][cell]['mean_s']:.2f} of the hosts'")


def main():
    parser = jobs.arguments(__doc__, rounds=5)
    parser.add_argument("--hosts", type=jobs.numbers(2, 8), help="2,4,8; with --noise 8")
    parser.add_argument("--per-host", type=int, choices=(1, 2), default=1, help="ranks of a host (%(default)s)")
    parser.add_argument("--counts", type=jobs.numbers(1, 4096), default=[1, 2, 4, 8], help="elements (1,2,4,8)")
    parser.add_argument("--calls", type=int, help="of each cell and arm, over all rounds (1000; with --noise 10000)")
    parser.add_argument("--only", default="", help="cells that match this expression, as Reduce:int")
    parser.add_argument("--noise", action="store_true", help="with and without detours: agents and hosts, one double")
    parser.add_argument("--detours", type=detours_of, default=(1000, 20000), help="length and period (1ms/20ms)")
    parser.add_argument("--local", action="store_true")
    args = parser.parse_args()
    args.hosts = args.hosts or ([8] if args.noise else [2, 4, 8])
    args.calls = args.calls or (10000 if args.noise else 1000)
    arms = jobs.chosen(ARMS, args.arms or ("agents,hosts" if args.noise else None))
    cells = [cell for cell in (["Reduce:double:1", "Allreduce:double:1"] if args.noise else cells_of(args.counts))
             if re.search(args.only, cell)]
    if not cells:
        sys.exit(f"--only: found '{args.only}', expected an expression that matches a cell, as Reduce:int")
    mpis = sorted({mpi for mpi, _ in arms.values()})
    load = os.getloadavg()[0]
    with jobs.folder() as folder:
        work = pathlib.Path(folder)
        programs = jobs.compiled(work, jobs.HERE / "latency.c", mpis)
        programs["detours"] = work / "detours"
        subprocess.run(["cc", "-O2", "-o", programs["detours"], jobs.HERE / "detours.c"], check=True)
        with jobs.Local(work) if args.local else jobs.Testbed(args.rate, mpis, work) as machine:
            times, report = measure(args, arms, cells, machine, programs)
    found = {n: {name: {cell: distribution(t) for cell, t in of_cells.items()} for name, of_cells in of_arms.items()}
             for n, of_arms in times.items()}
    if args.json:
        args.json.write_text(json.dumps({"rate": args.rate, "ranks_a_host": args.per_host, "load": load, "noise": report,
                                         "hosts": found}, indent=1))
    print(f"load at the beginning: {load:.1f}")
    show(found)
    if args.noise:
        show_noise(found, report)


if __name__ == "__main__":
    main()
