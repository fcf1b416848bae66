#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""coverage.py BERTH TRACE…: which part of the traces' collective and one-sided operations estimates include,
as a table; and the operations that they leave out. run.sh keeps the traces (KEEP=FOLDER)."""
import collections
import json
import os
import subprocess
import sys
import tempfile


def text_of(path):
    return subprocess.run(["zstdcat", "-f", path], check=True, capture_output=True, text=True).stdout


def left_out(berth, trace, topology, *options):
    """Calls and bytes that an estimate leaves out."""
    words = [berth, "map", "--json", "--algorithm", "linear", "--pattern", trace, "--topology", topology, *options]
    found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["not_included"]
    return found["calls"], found["bytes"]


def operations(trace):
    """Calls of all ranks by collective operation."""
    lines = [json.loads(line) for line in text_of(trace).splitlines()]
    ranks = lines[0]["ranks"]
    members = {line["id"]: len(line["ranks"]) for line in lines if line.get("kind") == "comm"}
    repeats = {line["id"]: line.get("repeats", 1) for line in lines if line.get("kind") == "phase"}
    calls = collections.Counter()
    for line in lines:
        if line.get("kind") == "coll":
            calls[line["op"]] += line["count"] * repeats.get(line.get("phase", 0), 1) * members.get(line.get("comm", 0), ranks)
    return ranks, calls


def share(all_of, left):
    return "none there" if not all_of else f"{100 * (all_of - left) / all_of:.1f}%"


def main():
    berth, *traces = sys.argv[1:]
    print("| trace | ranks | calls | of them included | bytes | of them included | time in MPI |\n|---|---|---|---|---|---|---|")
    for trace in traces:
        ranks, calls = operations(trace)
        with tempfile.TemporaryDirectory() as folder:
            topology = os.path.join(folder, "t.json")
            subprocess.run([berth, "topo", "import", f"2:{(ranks + 1) // 2}/1:10", "-o", topology], check=True, capture_output=True)
            none = left_out(berth, trace, topology, "--collectives", "none", "--one-sided", "none")
            auto = left_out(berth, trace, topology)
        in_mpi = json.loads(subprocess.run([berth, "show", "--json", trace], check=True, capture_output=True, text=True).stdout)["mpi_share"]
        name = os.path.basename(trace).removesuffix(".acp.zst")
        print(f"| {name} | {ranks} | {none[0]:.0f} | {share(none[0], auto[0])} | {none[1]:.0f} | {share(none[1], auto[1])} | {100 * in_mpi:.1f}% |")
        print(f"{name}: {', '.join(f'{op} {n}' for op, n in sorted(calls.items()))}", file=sys.stderr)


main()
