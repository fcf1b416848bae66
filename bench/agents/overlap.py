#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How much of a non-blocking collective call is hidden behind computation: overlap.py [--rounds R] [--only EXPRESSION]
[--sleep] [--json FILE].

Four hosts of the testbed with one rank, then with two ranks each, 100 Mbit/s (root only); or --local: the same ranks on
this host, to try it. Arms: both MPIs alone, MPICH with its progress thread, and both with berth's agents. Rounds are jobs of
each arm in turns."""
import json
import os
import pathlib
import re
import statistics
import sys

import jobs

FUNCTIONS, BYTES = ("Iallreduce", "Ibcast", "Ialltoall"), (8, 4096, 65536, 524288)
CELLS = [f"{function}:{size}" for function in FUNCTIONS for size in BYTES]
N_HOSTS, PER_HOST = 4, (1, 2)
ARMS = {"Open MPI": ("openmpi", {}),
        "Open MPI + agents": jobs.with_berth("openmpi", **jobs.AGENTS),
        "MPICH": ("mpich", {}),
        "MPICH + thread": ("mpich", {"MPICH_ASYNC_PROGRESS": "1"}),
        "MPICH + agents": jobs.with_berth("mpich", **jobs.AGENTS)}


def share_hidden(coll, comp, both):
    """Of the call's own time, the share that computation hid: 0 to 1."""
    return min(1.0, max(0.0, 1 - max(0.0, both - comp) / coll))


def times_of(lines):
    """[coll, comp, both] by "FUNCTION BYTES FACTOR"."""
    return {" ".join(line.split()[:3]): [float(word) for word in line.split()[3:]] for line in lines if line != "end"}


def show(found):
    """For each call: the time alone, and the shares hidden. Medians of the rounds."""
    for ranks, arms in found.items():
        print(f"\n{ranks} ranks a host: share hidden (ms alone)")
        print(f"{'':32}" + "".join(f"{name:>24}" for name in arms))
        for cell in next(iter(arms.values()))[0]:
            function, size, factor = cell.split()
            row = []
            for rounds in arms.values():
                share = statistics.median(share_hidden(*r[cell]) for r in rounds)
                row.append(f"{share:.2f} ({1e3 * statistics.median(r[cell][0] for r in rounds):.2f})")
            print(f"{function:12}{size:>8}{'x ' + factor:>12}" + "".join(f"{text:>24}" for text in row))


def main():
    parser = jobs.arguments(__doc__, rounds=5)
    parser.add_argument("--only", default="", help="calls that match this expression, as Ibcast:8$")
    parser.add_argument("--sleep", action="store_true", help="sleep instead of computing: hosts have cores of their own")
    parser.add_argument("--factors", default="0.5,1,2", help="computation, by the call's own time (%(default)s)")
    parser.add_argument("--ms", default="100", help="how long a loop of calls takes (%(default)s)")
    parser.add_argument("--per-host", type=jobs.numbers(1, 4), default=PER_HOST, help="ranks of a host (1,2)")
    parser.add_argument("--local", action="store_true")
    args = parser.parse_args()
    arms, cells = jobs.chosen(ARMS, args.arms), [cell for cell in CELLS if re.search(args.only, cell)]
    if not cells:
        sys.exit(f"--only: found '{args.only}', expected an expression that matches one of {', '.join(CELLS)}")
    mpis = sorted({mpi for mpi, _ in arms.values()})
    options = ["--ms", args.ms, "--factors", args.factors] + ["--sleep"] * args.sleep
    found = {n: {name: [] for name in arms} for n in args.per_host}
    loads = []
    with jobs.folder() as folder:
        work = pathlib.Path(folder)
        programs = jobs.compiled(work, jobs.HERE / "overlap.c", mpis)
        with jobs.Local(work) if args.local else jobs.Testbed(args.rate, mpis, work) as machine:
            for _ in range(args.rounds):
                loads.append(os.getloadavg()[0])
                for n in args.per_host:
                    for name, arm in arms.items():
                        print(f"{n} ranks a host, {name}", file=sys.stderr)
                        lines = jobs.run(machine, arm, jobs.blocks(N_HOSTS, n), [programs[arm[0]], *options, *cells])
                        found[n][name].append(times_of(lines))
    if args.json:
        args.json.write_text(json.dumps({"sleep": args.sleep, "rate": args.rate, "load": loads, "ranks_a_host": found}, indent=1))
    print(f"load before each round: {', '.join(f'{load:.1f}' for load in loads)}")
    show(found)


if __name__ == "__main__":
    main()
