#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What berth's estimates say of the calls that network.py timed: predict.py [--model M] RESULTS.json.

RESULTS.json is what network.py --json wrote. A line for each placement and cell: the measured median and the estimate,
of berth's library and of Open MPI's tuned, in milliseconds; then how both compare, by function and size."""
import argparse
import collections
import json
import pathlib
import statistics
import subprocess
import tempfile

import network

RULES = {"berth, groups": "berth", "tuned": "openmpi-4.1"}
ALL_BLOCKS = ("Alltoall", "Alltoallv", "Reduce_scatter", "Reduce_scatter_block")  # a trace has the bytes of all blocks
REDUCING = ("Reduce", "Allreduce", "Scan", "Exscan", "Reduce_scatter", "Reduce_scatter_block")


def pattern(function, size):
    call = {"kind": "coll", "op": f"MPI_{function}", "count": 1, "element": 8 if function in REDUCING else 1,
            "bytes": size * (network.RANKS if function in ALL_BLOCKS else 1),
            "root": 0 if function.startswith(("Bcast", "Reduce", "Gather", "Scatter")) else None}
    if function.startswith("Reduce_scatter"):
        call["root"] = None
    lines = [{"format": "berth-pattern", "version": 1, "ranks": network.RANKS, "mpi": "Open MPI 4.1.4"}, call,
             {"kind": "end", "records": 1}]
    return "".join(json.dumps(line) + "\n" for line in lines)


def mapping(hosts):
    """Ranks on PUs as network.rankfile has them; a host has two, which its ranks share."""
    used, pus = [0] * len(network.HOSTS), []
    for host in hosts:
        pus.append(2 * int(network.HOSTS[host][1:]) + used[host] % 2)
        used[host] += 1
    return json.dumps({"format": "berth-mapping", "version": 1, "algorithm": "given", "pu_of_rank": pus})


def predicted(work, topology, model, hosts, cell, rules):
    function, size = cell.split(":")
    (work / "pattern.acp").write_text(pattern(function, int(size)))
    (work / "mapping.json").write_text(mapping(hosts))
    out = subprocess.run([network.ROOT / "build" / "berth", "cost", "--pattern", work / "pattern.acp", "--topology", topology,
                          "--mapping", work / "mapping.json", "--oversubscribe", "--model", model, "--collectives", rules,
                          "--json", "--no-intervals"], check=True, text=True, stdout=subprocess.PIPE).stdout
    return json.loads(out)["results"][0]["cost_s"]


def show(errors):
    print(f"\n{'measured by predicted':24}" + "".join(f"{name:>28}" for name in RULES))
    for cell in errors[next(iter(RULES))]:
        texts = []
        for name in RULES:
            found = sorted(errors[name][cell])
            texts.append(f"{statistics.median(found):16.2f} ({found[0]:.2f}-{found[-1]:.2f})")
        print(f"{cell:24}" + "".join(f"{text:>28}" for text in texts))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="flow")
    parser.add_argument("--rate", default="100", help="Mbit/s of the testbed's links")
    parser.add_argument("results", type=pathlib.Path)
    args = parser.parse_args()
    found = json.loads(args.results.read_text())
    errors = {name: collections.defaultdict(list) for name in RULES}
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        topology = work / "topology.json"
        topology.write_text(subprocess.run([network.ROOT / "testbed" / "topology.sh", args.rate], check=True, text=True,
                                           stdout=subprocess.PIPE).stdout)
        for name, hosts in network.placements():
            if name not in found:
                continue
            print(f"\n{name + ', ms':24}" + "".join(f"{c:>16}{'predicted':>12}" for c in RULES))
            for cell in found[name]["tuned"][0]:
                line = f"{cell:24}"
                for configuration, rules in RULES.items():
                    measured = statistics.median(r[cell] for r in found[name][configuration])
                    said = predicted(work, topology, args.model, hosts, cell, rules)
                    errors[configuration][cell].append(measured / said if said else float("inf"))
                    line += f"{1e3 * measured:16.2f}{1e3 * said:12.2f}"
                print(line)
    show(errors)


if __name__ == "__main__":
    main()
