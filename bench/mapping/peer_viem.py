#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A mapping by VieM (Vienna Mapping), a program that somebody built: peer_viem.py PROGRAM
fast|eco|strong INSTANCE MAPPING.

VieM maps as many ranks as a tree of equal siblings has PUs. Its time is user and system time of the
process, which reads the graph, too (ms). Prints what the other contestants print."""
import json
import resource
import subprocess
import sys
from pathlib import Path

NOT_SERVED = 3


def read_tree(path):
    """(children of each level's elements, distances)"""
    lines = [line.split() for line in path.read_text().splitlines()]
    return [[int(n) for n in line[1:]] for line in lines[2:]], lines[1][1:]


def write_graph(pairs, path):
    """As METIS reads it; the weight of an edge is half the bytes of both directions."""
    lines = pairs.read_text().splitlines()
    ranks = int(lines[0].split()[1])
    edges = [{} for _ in range(ranks)]
    for line in lines[1:]:
        src, dst, n = map(int, line.split())
        for a, b in (src, dst), (dst, src):
            edges[a][b] = edges[a].get(b, 0) + n
    with path.open("w", encoding="ascii") as file:
        file.write("%d %d 1\n" % (ranks, sum(map(len, edges)) // 2))
        for row in edges:
            file.write(" ".join("%d %d" % (b + 1, n // 2) for b, n in sorted(row.items())) + "\n")
    return ranks


def main(program, method, folder, out):
    here = Path(folder)
    children, distances = read_tree(here / "tree.txt")
    graph, found = here / "viem.graph", here / "viem.mapping"
    ranks = write_graph(here / "pairs.txt", graph)
    if ranks != sum(children[0]) or any(min(row) != max(row) for row in children):
        return NOT_SERVED
    done = subprocess.run(
        [program, graph, "--preconfiguration_mapping=" + method, "--seed=1",
         "--hierarchy_parameter_string=" + ":".join(str(row[0]) for row in children),
         "--distance_parameter_string=" + ":".join(distances), "--output_filename=%s" % found],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        print((done.stdout.strip().splitlines() or ["no word"])[-1], file=sys.stderr)
        return 1
    Path(out).write_text(found.read_text())
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps({"cpu_s": used.ru_utime + used.ru_stime, "memory_kib": used.ru_maxrss}))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
