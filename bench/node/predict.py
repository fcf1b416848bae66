#!/usr/bin/env python3
"""predict.py NODE.json RESULT…: holds the lines of ranks.c against a node's record.

A copy or a message alone takes bytes / rate of cold copies by memcpy. Together, two take that or both
their bytes / what two cores copy, whichever is longer. Computing beside a sending core takes as much
longer as the record says (what: beside)."""
import bisect
import json
import math
import sys


def at(points, x):
    """Linear in log x, as berth_node_at."""
    xs = [p[0] for p in points]
    i = bisect.bisect_left(xs, x)
    if i == 0 or i == len(xs):
        return points[min(i, len(xs) - 1)][1]
    share = math.log(x / xs[i - 1]) / math.log(xs[i] / xs[i - 1])
    return points[i - 1][1] + share * (points[i][1] - points[i - 1][1])


def curve(node, what, name, state):
    return next(c["points"] for c in node["curves"]
                if (c["what"], c["name"], c.get("state", "")) == (what, name, state))


def predictions(node, line):
    n = line["bytes"]
    alone = n / at(curve(node, "copy", "memcpy", "cold"), n)
    if line["what"] == "copy":
        both = at(curve(node, "memory", "copy", "close"), 2)
        return alone, max(alone, 2 * n / both)
    if line["what"] == "put": # both cores' bytes share what two cores copy
        both = at(curve(node, "memory", "copy", "close"), 2)
        other = at(curve(node, "memory", "transpose", "close"), 1)
        return alone, max(alone, (n + other * alone) / both)
    keeps = at(curve(node, "beside", "transpose", "close"), 1) / at(curve(node, "memory", "transpose", "close"), 1)
    return line["alone_s"], line["alone_s"] / min(1, keeps)


def main():
    types = json.load(open(sys.argv[1]))["types"].values()
    node = next(t["node"] for t in types if "node" in t)
    worst = 0
    print(f"{'':8} {'bytes':>9} {'alone, us':>10} {'predicted':>10} {'error':>7} {'together':>10} {'predicted':>10} {'error':>7}")
    for path in sys.argv[2:]:
        for text in open(path):
            if not text.startswith("{"):
                continue
            line = json.loads(text)
            alone, together = predictions(node, line)
            errors = alone / line["alone_s"] - 1, together / line["together_s"] - 1
            worst = max(worst, *map(abs, errors))
            print(f"{line['what']:8} {line['bytes']:9} {1e6 * line['alone_s']:10.1f} {1e6 * alone:10.1f} {errors[0]:+7.1%}"
                  f" {1e6 * line['together_s']:10.1f} {1e6 * together:10.1f} {errors[1]:+7.1%}")
    print(f"largest error {worst:.1%}")


main()
