#!/usr/bin/env python3
"""figure5.py OUTPUT.svg: draws the lines of bench_figure5 on standard input."""
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "berth"
import matplotlib.pyplot as plt

rows = [[float(x) for x in line.split()] for line in sys.stdin]
hosts = [r[0] for r in rows]
names = ("no noise", "1 ms in 20 ms on one core", "1 ms in 20 ms on all cores")
figure, (times, gains) = plt.subplots(1, 2, figsize=(10, 3.8))
for k, name in enumerate(names):
    colour = f"C{k}"
    times.loglog(hosts, [r[1 + 2 * k] for r in rows], "o-", base=2, color=colour, label=f"8 ranks, {name}")
    times.loglog(hosts, [r[2 + 2 * k] for r in rows], "s--", base=2, color=colour, label=f"7 ranks, {name}", mfc="none")
    gains.semilogx(hosts, [100 * (r[2 + 2 * k] / r[1 + 2 * k] - 1) for r in rows], "o-", base=2, color=colour, label=name)
gains.axhline(0, color="black", linewidth=0.8)
times.set_ylabel("run time, s (estimated)")
gains.set_ylabel("7 ranks a host, compared with 8, %")
for axis in (times, gains):
    axis.set_xlabel("hosts of 8 cores")
    axis.grid(alpha=0.3)
    axis.legend(fontsize=7)
figure.tight_layout()
figure.savefig(sys.argv[1], metadata={"Date": None})
