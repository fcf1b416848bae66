#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Stands for a launcher and `berth-measure` behind it, on a made-up machine of two switches below a
third, with five and three hosts of two PUs: it answers experiments at once (src/measure/measure.h
has the protocol). Links carry 3 MB/s, insides 1 GB/s in each direction; flows share them max-min
fairly. Arguments like A=4.65e6 limit a switch or a host in all, h3:in=1.2e6 a link; reverse=0.022
is what a byte adds in the other direction, noise=1 makes experiments inside hosts up to e times as
fast or slow; shaky=h3:in has a link carry from 40 to 100% of
that, as it happens; load=5.3 is how many processes ran or waited on h1, of cores=2. The berth-measure that
is appended isn't started; its argument is the run's secret."""
import json
import math
import random
import sys

SWITCH_OF = {f"h{i}": "A" if i < 5 else "B" for i in range(8)}
limits = dict(a.split("=") for a in sys.argv[1:] if "=" in a)
reverse = float(limits.pop("reverse", 0))
noise = float(limits.pop("noise", 0))
# What the ranks of h1 say of their host: processes that ran or waited, of how many cores.
load, cores = float(limits.pop("load", 0)), int(limits.pop("cores", 2))
shaky = limits.pop("shaky", None)
off = float(limits.pop("off", 1)) # by which trials take longer
random.seed(1)
capacity = {name: float(value) for name, value in limits.items()}


def path(src, dst):
    """Resources of a message between two ranks, with the share that a byte takes."""
    a, b = f"h{src // 2}", f"h{dst // 2}"
    use = {f"pu{src}:out": 1, f"pu{dst}:in": 1, a: 1, b: 1}
    if a == b:
        return use
    links = [(a, "out", "in"), (b, "in", "out")]
    use[SWITCH_OF[a]] = use[SWITCH_OF[b]] = 1
    if SWITCH_OF[a] != SWITCH_OF[b]:
        links += [(SWITCH_OF[a], "out", "in"), (SWITCH_OF[b], "in", "out")]
        use["C"] = 1
    for element, way, back in links:
        use[f"{element}:{way}"] = 1
        use[f"{element}:{back}"] = reverse
    return use


def usual(resource):
    if ":" not in resource:
        return math.inf
    return 1e9 if resource.startswith("pu") else 3e6


def share(flows):
    paths = [path(*f) for f in flows]
    left = {r: capacity.get(r, usual(r)) for p in paths for r in p}
    if shaky in left:
        left[shaky] *= random.choice([0.4, 0.5, 0.6, 0.7, 0.8, 1])
    rate = [0.0] * len(flows)
    while not all(rate):
        users = {}
        for i, p in enumerate(paths):
            for r, weight in p.items():
                if not rate[i] and weight:
                    users[r] = users.get(r, 0) + weight
        full = min(users, key=lambda r: left[r] / users[r])
        each = left[full] / users[full]
        for i, p in enumerate(paths):
            if not rate[i] and p.get(full):
                rate[i] = each
                for r, weight in p.items():
                    left[r] -= each * weight
    return rate


def makespans(flows, amount):
    """Seconds until each flow has sent its amount, if all begin together; others get what ended ones had."""
    left, end, t = [amount] * len(flows), [0.0] * len(flows), 0.0
    while any(left):
        active = [i for i, n in enumerate(left) if n > 0]
        rate = share([flows[i] for i in active])
        step = min(left[i] / r for i, r in zip(active, rate))
        t += step
        for i, r in zip(active, rate):
            left[i] -= r * step
            if left[i] <= amount * 1e-9:
                left[i], end[i] = 0, t
    return end


def say(**fields):
    print(json.dumps({"berth-measure": 1, "run": sys.argv[-1], **fields}, separators=(",", ":")), flush=True)


say(ranks=16, mpi="Made-up MPI 1.0", inside="memory", between="wire")
for rank in range(16):
    say(rank=rank, host=f"h{rank // 2}", cpus=str(rank % 2), load=load * (rank // 2 == 1), cores=cores)
say(ready=True)
for line in sys.stdin:
    words = line.split()
    if words[0] == "quit":
        break
    if words[0] == "bind":
        say(bound=True)
        continue
    ends = [int(w) for w in words[4 if words[0] == "pingpong" else 10:]]
    flows = list(zip(ends[::2], ends[1::2]))
    if words[0] == "stream" and float(words[5]) == 0 and float(words[8]) == 0 and len(flows) > 1:
        count = int(words[6])
        say(seconds=[s * off / count for s in makespans(flows, (int(words[1]) + 20) * count)])
        continue
    latency = 20e-6 if words[0] == "pingpong" else 0
    inside = all(src // 2 == dst // 2 for src, dst in flows)
    factor = math.exp(noise * random.uniform(-1, 1)) if inside else 1
    say(seconds=[latency + (int(words[1]) + 20) / r * factor for r in share(flows)])
