#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which equation predicts an overlapped broadcast: overlap.py [--local] [--bytes M] [--rounds R] [--json FILE].

M.-S. Wu's dissertation (2005), tables 4.2 and 4.3. A pipeline of hosts broadcasts M bytes in segments, and each speaker passes
on a part of each segment to its host while messages are under way (the overlap). For each segment and overlap: the time, and
what equations 4.3 (overlap), 4.4 (complete overlap) and 4.6 (penalty) predict of the parts, each measured alone: the pipeline
without hosts' other ranks, the broadcast within a host, and the parameters of LogP (plogp.c). Rounds are jobs in turns.

Sixteen ranks on four hosts of the testbed at 100 Mbit/s (root only); or --local: four ranks as two hosts of two, whose messages
go through this machine's memory."""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import network

LEAST = 1024
SETTINGS = {"OMPI_MCA_mpi_yield_when_idle": "1", "BERTH_TUNE_ONLY": "1", "BERTH_TUNE_ALL": "1"}


def powers(least, most):
    while least <= most:
        yield least
        least *= 2


class Testbed:
    hosts, host_size = 4, 4

    def run(self, work, ranks, program, settings):
        on = (lambda r: r * self.hosts // ranks) if ranks > self.hosts else (lambda r: r)
        (work / "rankfile").write_text("".join(f"rank {r}={network.HOSTS[on(r)]} slot={r % 2}\n" for r in range(ranks)))
        options = [word for k, v in settings.items() for word in ("-x", f"{k}={v}")]
        return [*network.TESTBED, "run", work / "rankfile", *options, program]

    def __enter__(self):
        subprocess.run([*network.TESTBED, "--rate", "100", "up"], check=True, stdout=subprocess.DEVNULL)
        return self

    def __exit__(self, *failure):
        subprocess.run([*network.TESTBED, "down"], check=True)


class Local:
    hosts, host_size = 2, 2

    def run(self, work, ranks, program, settings):
        options = [word for k, v in settings.items() for word in ("-x", f"{k}={v}")]
        return ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader", "--mca", "pml", "ob1",
                "-np", ranks, *options, program]

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        pass


def output(command):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=3000,
                          env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    if done.returncode:
        sys.exit(f"exit code {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def logp(machine, work):
    """{"latency": L, m: (os, or, g)}"""
    found = {}
    for line in output(machine.run(work, 2, work / "plogp", {"OMPI_MCA_mpi_yield_when_idle": "1"})).splitlines():
        key, *values = line.split()
        found[key if key == "latency" else int(key)] = float(values[0]) if key == "latency" else tuple(map(float, values))
    return found


def plan(machine, total):
    """What the library measures: the matrix, its hosts' pipeline alone, and a broadcast within a host."""
    ranks = machine.hosts * machine.host_size
    segments = list(powers(4 * LEAST, total // 2))
    matrix = [{"algorithm": "pipeline", "segment_bytes": s, "overlap_bytes": o} for s in segments
              for o in (0, *powers(LEAST, s))]
    cells = [{"operation": "bcast", "ranks": ranks, "bytes": total, "choices": matrix},
             {"operation": "bcast", "ranks": machine.hosts, "bytes": total,
              "members": [h * machine.host_size for h in range(machine.hosts)],
              "choices": [{"algorithm": "pipeline", "segment_bytes": s} for s in segments]}]
    cells += [{"operation": "bcast", "ranks": machine.host_size, "bytes": m, "members": list(range(machine.host_size)),
               "choices": [{"algorithm": "host"}]} for m in powers(LEAST, total)]
    return {"format": "berth-tuning", "version": 1, "ranks": ranks, "cells": cells}


def measure(machine, work, total):
    ranks = machine.hosts * machine.host_size
    members = [list(range(h * machine.host_size, (h + 1) * machine.host_size)) for h in range(machine.hosts)]
    (work / "plan.json").write_text(json.dumps(plan(machine, total)))
    (work / "groups.json").write_text(json.dumps(
        {"format": "berth-groups", "version": 1, "ranks": ranks, "order": list(range(ranks)),
         "levels": [{"name": "host", "groups": [{"coordinator": m[0], "ranks": m} for m in members]},
                    {"name": "all", "groups": [{"coordinator": 0, "ranks": list(range(ranks))}]}]}))
    output(machine.run(work, ranks, work / "cells.openmpi",
                       {**SETTINGS, "LD_PRELOAD": network.LIBRARY, "BERTH_GROUPS": work / "groups.json",
                        "BERTH_TUNE": work / "plan.json"}))
    matrix, alone, *within = json.loads((work / "plan.json").read_text())["cells"]
    return {"matrix": {(c["segment_bytes"], c.get("overlap_bytes", 0)): c["measured_s"] for c in matrix["choices"]},
            "hosts": {c["segment_bytes"]: c["measured_s"] for c in alone["choices"]},
            "within": {cell["bytes"]: cell["choices"][0]["measured_s"] for cell in within},
            "logp": logp(machine, work)}


def median_of(rounds, *keys):
    def at(found):
        for key in keys:
            found = found[key]
        return found
    return statistics.median(at(r) for r in rounds)


def between(known, x):
    """A value of a table of powers of two, or on a line between two."""
    if x <= 0:
        return 0.0
    low = max((k for k in known if k <= x), default=min(known))
    high = min((k for k in known if k >= x), default=max(known))
    return known[low] if low == high else known[low] + (known[high] - known[low]) * (x - low) / (high - low)


def predictions(total, hosts, segment, overlap, alone, smcc, os, g):
    """Equations 4.3, 4.4 and 4.6."""
    k = math.ceil(total / segment)
    part, rest = between(smcc, overlap), between(smcc, total - overlap * k)
    return {"4.3": alone + max(0.0, os + part - g) * (k - 1) + part + rest, "4.4": alone + part + rest,
            "4.6": alone + part * (k + k - 1 + hosts - 2) + part + rest}


def show(rounds, total, machine):
    smcc = {m: median_of(rounds, "within", m) for m in rounds[0]["within"]}
    print(f"broadcast of {total} bytes, {machine.hosts} hosts of {machine.host_size}, {len(rounds)} rounds: medians in ms\n")
    print(f"{'bytes':>9}{'smcc':>9}{'os':>9}{'or':>9}{'g':>9}")
    for m in smcc:
        if m in rounds[0]["logp"]:
            print(f"{m:9}{1e3 * smcc[m]:9.3f}" + "".join(f"{1e3 * median_of(rounds, 'logp', m, i):9.3f}" for i in range(3)))
    print(f"L: {1e3 * median_of(rounds, 'logp', 'latency'):.3f}\n")
    segments = sorted({s for s, _ in rounds[0]["matrix"]})
    overlaps = sorted({o for _, o in rounds[0]["matrix"]})
    rows = {"measured": {}, "equation": {}, "error": {}}
    for s in segments:
        alone = median_of(rounds, "hosts", s)
        os, g = (median_of(rounds, "logp", s, i) for i in (0, 2))
        for o in overlaps:
            if (s, o) not in rounds[0]["matrix"]:
                continue
            time = median_of(rounds, "matrix", (s, o))
            rows["measured"][s, o] = f"{1e3 * time:.2f}"
            if o == 0:  # section 4.3.3: the sum
                rows["equation"][s, o], best = "sum", alone + smcc[total]
            else:
                found = predictions(total, machine.hosts, s, o, alone, smcc, os, g)
                name = min(found, key=lambda e: abs(found[e] - time))
                alike = all(abs(p / time - 1) < 0.05 for p in found.values())
                rows["equation"][s, o], best = "*" if alike else name, found[name]
            rows["error"][s, o] = f"{100 * (best / time - 1):+.0f}%"
    print(f"{'pipeline alone':>14}" + "".join(f"{1e3 * median_of(rounds, 'hosts', s):9.2f}" for s in segments))
    for title, row in rows.items():
        print(f"\n{title:>14}" + "".join(f"{s:>9}" for s in segments) + "  (segment; rows: overlap)")
        for o in overlaps:
            print(f"{o:14}" + "".join(f"{row.get((s, o), ''):>9}" for s in segments))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--local", action="store_true")
    parser.add_argument("--bytes", type=int, default=1 << 20, help="a power of two")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    rounds = []
    with tempfile.TemporaryDirectory() as folder, Local() if args.local else Testbed() as machine:
        work = pathlib.Path(folder)
        work.chmod(0o755)
        for name in "cells", "plogp":
            target = "cells.openmpi" if name == "cells" else name
            subprocess.run(["mpicc.openmpi", "-O2", "-o", work / target, network.HERE / f"{name}.c"], check=True)
        for _ in range(args.rounds):
            rounds.append(measure(machine, work, args.bytes))
    if args.json:
        args.json.write_text(json.dumps([{k: {str(key): value for key, value in v.items()} for k, v in r.items()}
                                         for r in rounds], indent=1))
    show(rounds, args.bytes, machine)


if __name__ == "__main__":
    main()
