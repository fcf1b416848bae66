#!/usr/bin/env python3
"""Collective calls over shaped links with and without berth's library, in turns: network.py [--rounds R] [--json FILE].

Root only. Sixteen ranks on four hosts of the testbed at 100 Mbit/s, whose two switches have two hosts each. Placements:
block, cyclic, two at random, and unequal ones (6, 5, 3 and 2 ranks). Each round runs every configuration of a placement
once. A cell is the median of its rounds; its bound is what the wire allows: the bytes that must cross the busiest port
of a host (of an all-to-all, also the trunk between the switches), whatever the algorithm."""
import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TESTBED = [str(ROOT / "testbed" / "testbed"), "--name", "coll"]
HOSTS = ["h0", "h1", "h5", "h6"]
RANKS = 16
BYTES_PER_S = 100e6 / 8 * 1448 / 1538  # a frame of TCP: 1448 bytes of data, 1538 on the wire
CELLS = ["Barrier:0"] + [f"{f}:{b}" for f in ("Bcast", "Reduce", "Allreduce") for b in (8, 8192, 131072, 1048576)] + [
    f"{f}:{b}" for f in ("Reduce_scatter", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv",
                         "Alltoall", "Alltoallv", "Scan") for b in (8, 8192, 65536)]
LIBRARY = ROOT / "build" / "lib" / "berth" / "openmpi" / "libberth-coll.so"
CONFIGURATIONS = {"tuned": {}, "HAN": {"OMPI_MCA_coll_han_priority": "100"},
                  "berth": {"LD_PRELOAD": LIBRARY}, "berth, groups": {"LD_PRELOAD": LIBRARY}}


def placements():
    yield "block", [i // 4 for i in range(RANKS)]
    yield "cyclic", [i % 4 for i in range(RANKS)]
    for seed in 1, 2:
        hosts = [i // 4 for i in range(RANKS)]
        random.Random(seed).shuffle(hosts)
        yield f"random {seed}", hosts
    yield "unequal", [h for h, n in enumerate((6, 5, 3, 2)) for _ in range(n)]


def groups(hosts):
    members = [[r for r in range(RANKS) if hosts[r] == h] for h in range(len(HOSTS))]
    order = [r for host in members for r in host]
    levels = [("host", members), ("switch", [members[0] + members[1], members[2] + members[3]]), ("backbone", [order])]
    return {"format": "berth-groups", "version": 1, "ranks": RANKS, "order": order,
            "levels": [{"name": name, "groups": [{"coordinator": min(g), "ranks": g} for g in level]}
                       for name, level in levels]}


def rankfile(hosts):
    used = [0] * len(HOSTS)
    lines = []
    for rank, host in enumerate(hosts):
        lines.append(f"rank {rank}={HOSTS[host]} slot={used[host] % 2}")
        used[host] += 1
    return "\n".join(lines) + "\n"


def bound(function, size, hosts):
    """Seconds in which the busiest port of a host can carry what it must, of the root's host 0 or of any."""
    members = [hosts.count(h) for h in range(len(HOSTS))]
    root, n = members[hosts[0]], len(HOSTS)
    carried = {"Bcast": size, "Reduce": size, "Allreduce": 2 * (n - 1) / n * size,
               "Reduce_scatter": size * (RANKS - min(members)), "Gather": size * (RANKS - root),
               "Scatter": size * (RANKS - root), "Allgather": size * (RANKS - min(members)),
               "Alltoall": size * max(m * (RANKS - m) for m in members), "Scan": size}
    if function.startswith("Alltoall"):  # the trunk between the two switches
        across = sum(members[:2]) * sum(members[2:])
        carried["Alltoall"] = max(carried["Alltoall"], size * across)
    return carried.get(function.removesuffix("v"), 0) / BYTES_PER_S


def run(work, name, hosts, configuration, program, cells):
    (work / "rankfile").write_text(rankfile(hosts))
    (work / "groups.json").write_text(json.dumps(groups(hosts)))
    settings = dict(CONFIGURATIONS[configuration], OMPI_MCA_mpi_yield_when_idle="1")
    if configuration == "berth, groups":
        settings["BERTH_GROUPS"] = work / "groups.json"
    options = [word for k, v in settings.items() for word in ("-x", f"{k}={v}")]
    out = subprocess.run([*TESTBED, "run", str(work / "rankfile"), *options, program, "--between", "1", *cells],
                         env={**os.environ}, text=True, capture_output=True, timeout=600)
    if out.returncode:
        sys.exit(f"{name}, {configuration}: exit code {out.returncode}: {out.stderr[-500:]}")
    return {":".join(line.split()[:2]): float(line.split()[2]) for line in out.stdout.splitlines()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="functions that match this expression")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp"))
    args = parser.parse_args()
    program = args.work / "cells.openmpi"
    subprocess.run(["mpicc.openmpi", "-O2", "-o", program, HERE / "cells.c"], check=True)
    subprocess.run([*TESTBED, "--rate", "100", "up"], check=True, stdout=subprocess.DEVNULL)
    cells = [cell for cell in CELLS if re.search(args.only, cell)]
    found = {}
    try:
        for _ in range(args.rounds):
            for name, hosts in placements():
                for configuration in CONFIGURATIONS:
                    print(f"{name}, {configuration}", file=sys.stderr)
                    found.setdefault(name, {}).setdefault(configuration, []).append(
                        run(args.work, name, hosts, configuration, program, cells))
    finally:
        subprocess.run([*TESTBED, "down"], check=True)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1))
    show(found, cells)


def show(found, cells):
    hosts = dict(placements())
    for name, configurations in found.items():
        print(f"\n{name + ', ms':24}{'wire':>10}" + "".join(f"{c:>16}" for c in configurations))
        for cell in cells:
            function, size = cell.split(":")
            row = [statistics.median(r[cell] for r in rounds) for rounds in configurations.values()]
            print(f"{function:15.15}{size:>9}{1e3 * bound(function, int(size), hosts[name]):10.2f}"
                  + "".join(f"{1e3 * t:16.2f}" for t in row))


if __name__ == "__main__":
    main()
