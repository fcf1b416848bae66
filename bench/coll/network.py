#!/usr/bin/env python3
"""Collective calls over shaped links with and without berth's library, in turns: network.py [--rounds R] [--hosts 4|8]
[--rate MBIT] [--mpi openmpi|mpich] [--json FILE].

Root only. Sixteen ranks on four hosts of the testbed, at 100 Mbit/s unless told otherwise, whose two switches have
two hosts each; or on all eight, with five and three hosts. Placements: block, cyclic, two at random, and unequal
ones (6, 5, 3 and 2 ranks); MPICH: block and cyclic. Each round runs every configuration of a placement once. A cell
is the median of its rounds; its bound is what the wire allows: the bytes that must cross the busiest port of a host
(of an all-to-all, also the trunk between the switches), whatever the algorithm."""
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
LEFT = 2  # hosts of the first switch
RANKS = 16
WIRE = 1e6 / 8 * 1448 / 1538  # bytes/s at 1 Mbit/s: a frame of TCP: 1448 bytes of data, 1538 on the wire
CELLS = ["Barrier:0"] + [f"{f}:{b}" for f in ("Bcast", "Reduce", "Allreduce") for b in (8, 8192, 131072, 1048576)] + [
    f"{f}:{b}" for f in ("Reduce_scatter", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv",
                         "Alltoall", "Alltoallv", "Scan") for b in (8, 8192, 65536)]
LIBRARY = ROOT / "build" / "lib" / "berth" / "openmpi" / "libberth-coll.so"
CONFIGURATIONS = {"tuned": {}, "HAN": {"OMPI_MCA_coll_han_priority": "100"},
                  "berth": {"LD_PRELOAD": LIBRARY}, "berth, groups": {"LD_PRELOAD": LIBRARY}}
OF_MPICH = {"MPICH": "", "berth": f"{ROOT}/build/lib/berth/mpich/libberth-coll.so:"}


def use_all_hosts():
    global LEFT  # pylint: disable=global-statement
    HOSTS[:] = [f"h{i}" for i in range(8)]
    LEFT = 5


def placements(mpi="openmpi"):
    each = RANKS // len(HOSTS)
    yield "block", [i // each for i in range(RANKS)]
    yield "cyclic", [i % len(HOSTS) for i in range(RANKS)]
    if mpi == "mpich":
        return
    for seed in 1, 2:
        hosts = [i // each for i in range(RANKS)]
        random.Random(seed).shuffle(hosts)
        yield f"random {seed}", hosts
    if len(HOSTS) == 4:
        yield "unequal", [h for h, n in enumerate((6, 5, 3, 2)) for _ in range(n)]


def groups(hosts):
    members = [[r for r in range(RANKS) if hosts[r] == h] for h in range(len(HOSTS))]
    order = [r for host in members for r in host]
    levels = [("host", members), ("switch", [sum(members[:LEFT], []), sum(members[LEFT:], [])]), ("backbone", [order])]
    return {"format": "berth-groups", "version": 1, "ranks": RANKS, "order": order,
            "levels": [{"name": name, "groups": [{"coordinator": min(g), "ranks": g} for g in level]}
                       for name, level in levels]}


def rankfile(hosts):
    used = [0] * len(HOSTS)
    lines = []
    for rank, host in enumerate(hosts):
        # All hosts share two cores: the ranks that speak for their hosts are spread over both.
        lines.append(f"rank {rank}={HOSTS[host]} slot={(used[host] + host) % 2}")
        used[host] += 1
    return "\n".join(lines) + "\n"


def bound(function, size, hosts, rate):
    """Seconds in which the busiest port of a host can carry what it must, of the root's host 0 or of any."""
    members = [hosts.count(h) for h in range(len(HOSTS))]
    root, n = members[hosts[0]], len(HOSTS)
    carried = {"Bcast": size, "Reduce": size, "Allreduce": 2 * (n - 1) / n * size,
               "Reduce_scatter": size * (RANKS - min(members)), "Gather": size * (RANKS - root),
               "Scatter": size * (RANKS - root), "Allgather": size * (RANKS - min(members)),
               "Alltoall": size * max(m * (RANKS - m) for m in members), "Scan": size}
    if function.startswith("Alltoall"):  # the trunk between the two switches
        across = sum(members[:LEFT]) * sum(members[LEFT:])
        carried["Alltoall"] = max(carried["Alltoall"], size * across)
    return carried.get(function.removesuffix("v"), 0) / (WIRE * rate)


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
    return times_of(out.stdout.splitlines())


def times_of(lines):
    return {":".join(line.split()[:2]): float(line.split()[2]) for line in lines}


def run_mpich(work, name, configuration, program, cells):
    """MPICH's ranks poll: sixteen on two cores would wait for their turn most of the time, but for idle.so. MPICH 4.0 over UCX
    sometimes hangs in MPI_Finalize, with and without berth: then the job is ended."""
    each = RANKS // len(HOSTS) if name == "block" else 1
    command = ("exec mpiexec.mpich -launcher rsh -launcher-exec \"$BERTH_TESTBED_STATE/agent.sh\" \"$@\"")
    job = subprocess.Popen([*TESTBED, "exec", HOSTS[0], "sh", "-c", command, "sh", "-hosts", ",".join(HOSTS), "-ppn", str(each),
                            "-n", str(RANKS), "-env", "LD_PRELOAD", f"{OF_MPICH[configuration]}{work}/idle.so", program, "--between", "1", *cells],
                           env={**os.environ, "UCX_TLS": "tcp,sysv,posix,self", "UCX_NET_DEVICES": "e0"}, text=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    lines = [line for line in (job.stdout.readline() for _ in cells) if line]
    try:
        job.wait(5)
    except subprocess.TimeoutExpired:
        job.terminate()
        job.wait()
    if len(lines) < len(cells):
        sys.exit(f"{name}, {configuration}: found {len(lines)} times, expected {len(cells)}")
    return times_of(lines)


def show_own_networks():
    """UCX looks for networks in /sys."""
    for host in HOSTS:
        subprocess.run([*TESTBED, "exec", host, "mount", "-t", "sysfs", "sysfs", "/sys"], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="functions that match this expression")
    parser.add_argument("--hosts", type=int, choices=(4, 8), default=4)
    parser.add_argument("--rate", type=int, default=100, help="Mbit/s of every port")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp"))
    args = parser.parse_args()
    if args.hosts == 8:
        use_all_hosts()
    program = args.work / f"cells.{args.mpi}"
    subprocess.run([f"mpicc.{args.mpi}", "-O2", "-o", program, HERE / "cells.c"], check=True)
    subprocess.run([*TESTBED, "--rate", str(args.rate), "up"], check=True, stdout=subprocess.DEVNULL)
    cells = [cell for cell in CELLS if re.search(args.only, cell)]
    found = {}
    try:
        if args.mpi == "mpich":
            subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-w", "-o", args.work / "idle.so", ROOT / "tests" / "trace" / "idle.c"],
                           check=True)
            show_own_networks()
        for _ in range(args.rounds):
            for name, hosts in placements(args.mpi):
                for configuration in OF_MPICH if args.mpi == "mpich" else CONFIGURATIONS:
                    print(f"{name}, {configuration}", file=sys.stderr)
                    times = (run_mpich(args.work, name, configuration, program, cells) if args.mpi == "mpich" else
                             run(args.work, name, hosts, configuration, program, cells))
                    found.setdefault(name, {}).setdefault(configuration, []).append(times)
    finally:
        subprocess.run([*TESTBED, "down"], check=True)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1))
    show(found, cells, args.rate)


def show(found, cells, rate):
    hosts = dict(placements())
    for name, configurations in found.items():
        print(f"\n{name + ', ms':24}{'wire':>10}" + "".join(f"{c:>16}" for c in configurations))
        for cell in cells:
            function, size = cell.split(":")
            row = [statistics.median(r[cell] for r in rounds) for rounds in configurations.values()]
            print(f"{function:15.15}{size:>9}{1e3 * bound(function, int(size), hosts[name], rate):10.2f}"
                  + "".join(f"{1e3 * t:16.2f}" for t in row))


if __name__ == "__main__":
    main()
