"""node_records.py FOLDER: topologies whose hosts have records of `berth calibrate node`.

big.json: a host of 2 x 8 cores on two NUMA nodes (type fat) with all that can be measured, and one of
4 cores without a record (thin). both.json: thin has one, too. odd.json: records at the edge of the
format. plain.json: no record at all. thin-first.json: as big.json, with thin's PUs first."""
import json, math, sys

USES = {"copy": 7.3e9, "read": 10.1e9, "write": 8.6e9, "transpose": 3.5e9}
KERNELS = {"memcpy": (1.0, 1.0), "loop": (0.5, 0.9), "nt": (0.1, 1.4), "nt-pages-avx512": (0.2, 1.7), "avx512": (1.3, 0.95)}
PACKERS = {"hand": 1.5, "memcpy": 1.9, "touch": 2.0, "pack": 1.8, "type": 1.6}


def curve(what, name, state, points, spread=0.02, **numa):
    found = {"what": what, "name": name, "points": points, "samples": [7] * len(points),
             "spread": [spread(i) if callable(spread) else spread for i in range(len(points))]}
    if state:
        found["state"] = state
    return {**found, **numa}


def copies(core, memory):
    sizes = [2 ** k for k in range(10, 27)]
    far = 1 if core == memory else 0.6
    for state in ("hot", "cold"):
        for name, (small, large) in KERNELS.items():
            def rate(size):
                cached = 1e11 * small if size < 2 ** 16 else 4e10 * small if size < 2 ** 21 else 7.5e9 * large
                return far * (cached if state == "hot" else 7.5e9 * (small if size < 2 ** 13 else large))
            yield curve("copy", name, state, [[s, rate(s)] for s in sizes],
                        spread=lambda i: (0.01, 0.12, None)[i % 3], core_numa=core, memory_numa=memory)


def together(cores, limit, states, **numa):
    counts = [n for n in (1, 2, 3, 4, 6, 8, 12, 16) if n <= cores]
    for name, one in USES.items():
        for k, state in enumerate(states):
            yield curve("memory", name, state,
                        [[n, min(n * one, limit * one, limit * one * (0.7 + 0.3 * n / cores) if k == 0 else math.inf)] for n in counts],
                        spread=lambda i: 0.01 if i else 0.08, **numa)


def noise(pu, idle=None):
    lengths = [[2 ** (k / 2) * 1e-6, max(1, 500 // (k + 1) - 3 * pu)] for k in range(12)]
    found = {"pu": pu, "quantum": 2.5e-5, "seconds": 5, "lost": 0.01 + 0.001 * pu - (0.005 if idle else 0),
             "longest": 1e-3 + 1e-4 * pu, "interruptions": lengths if idle is None else lengths[:5]}
    if idle is not None:
        found["idle"] = idle
    elif pu % 2:
        found["period"] = 0.004
    return found


def strided(mpi, slower):
    blocks, sizes = [4 * 4 ** k for k in range(8)], [512, 8192, 131072, 2097152]
    time = lambda size: 8e-7 + size / 1e10
    table = lambda by, side, points: {
        "mpi": mpi, "by": by, "side": side, "exchange": True, "points": points, "samples": [3] * len(points),
        "spread": [(0.02, 0.3, None)[i % 3] for i in range(len(points))]}
    yield table("contiguous", "both", [[s, s, time(s)] for s in sizes])
    for side in ("send", "receive", "both"):
        for by, factor in PACKERS.items():
            worse = 1 if by != "type" else slower if side != "both" else 9999
            yield table(by, side, [[b, s, time(s) * (1 + factor * worse * (1 if by != "type" else 512 / b) / 2)]
                                   for s in sizes for b in blocks if b <= s])


def record(numas, each, mpis):
    cores, limit = numas * each, 5 * numas
    curves = [c for a in range(numas) for b in range(numas) for c in copies(a, b)]
    states = ["close", "spread"] if numas > 1 else ["close"]
    curves += together(cores, limit, states)
    for k in range(numas if numas > 1 else 0):
        curves += together(each, 5, ["close"], core_numa=k, memory_numa=k)
    for name, one in USES.items():
        curves.append(curve("core", name, "", [[pu, one * (1 - 0.01 * pu)] for pu in range(cores)]))
        counts = [n for n in (1, 2, 4, 8, cores - 1) if n < cores]
        curves.append(curve("beside", name, "close", [[n, 0.9 * min(n, limit) * one] for n in sorted(set(counts))], spread=0.07))
        curves.append(curve("sending", name, "close", [[n, 1.1e10 / (1 + n / 8)] for n in sorted(set(counts))]))
    for state, gain in (("equal", 1), ("unequal", 0.78)):
        for name, factor in (("static", 1), ("dynamic", gain), ("locked", gain * 1.05), ("lines", 2), ("locks", 0.01)):
            curves.append(curve("granules", name, state, [[2 ** k, 1e-3 * factor * (1 + (name == "dynamic") / 2 ** k / 9)]
                                                          for k in range(7)], spread=lambda i: 0.09 if i == 2 else 0.01))
    curves.append(curve("timer", "clock", "", [[0, 2.2e-8]]))
    curves.append(curve("timer", "sleep", "", [[1e-6, 7.5e-5], [1e-3, 1.07e-3]]))
    return {"date": "2026-11-29T10:38:17Z", "processor": "Made Up 9000", "steps": 83, "complete": True, "curves": curves,
            "noise": [noise(pu) for pu in range(cores)] + [noise(pu, cores - 1) for pu in range(cores - 1)],
            "strided": [t for mpi, slower in mpis for t in strided(mpi, slower)]}


def host(kind, name, numas, each):
    pu = lambda k: {"pu": k, "core": k}
    part = lambda k: {"type": "package+numa", "name": f"numa {k}", "children": [
        {"type": "l3", "name": f"l3 {k}", "children": [pu(k * each + i) for i in range(each)]}]}
    inside = [part(k) for k in range(numas)] if numas > 1 else [pu(i) for i in range(each)]
    return {"type": kind, "name": name, "host": name, "children": inside}


def topology(fat, thin, thin_first=False):
    port = {"down": {"out": "c", "in": "c"}, "up": {"out": "c", "in": "c"}}
    types = {name: dict(port) for name in ("switch", "fat", "package+numa", "l3", "thin")}
    for name, node in (("fat", fat), ("thin", thin)):
        if node:
            types[name]["node"] = node
    hosts = [host("fat", "fat0", 2, 8), host("thin", "thin0", 1, 4)]
    return json.dumps({"format": "berth-topology", "version": 1, "name": "two kinds",
                       "curves": {"c": {"points": [[1, 1e6], [1048576, 1e9]]}}, "types": types,
                       "root": {"type": "switch", "name": "s", "children": hosts[::-1] if thin_first else hosts}})


def fat():
    return record(2, 8, (("Open MPI 4.1.4", 0.01), ("MPICH 4.0.2", 1)))


def thin():
    return record(1, 4, ())


def odd():
    """One point each, unknown spreads, no texts, NUMA nodes with large numbers, very many curves."""
    point = lambda what, name, state, x, y, **numa: {
        "what": what, "name": name, "points": [[x, y]], "samples": [1], "spread": [None], **numa, **({"state": state} if state else {})}
    curves = [point("copy", "memcpy", "hot", 0, 1e9, core_numa=0, memory_numa=0),
              point("copy", "</script>", "cold", 1e18, 1e18, core_numa=0, memory_numa=2147483647),
              point("memory", "copy", "close", 0, 5e9), point("core", "copy", "", 0, 5e9),
              point("beside", "copy", "close", 1, 5e9), point("granules", "static", "equal", 0, 1),
              point("timer", "clock", "", 0, 1e-9)]
    curves += [point("copy", f"k{i}", "hot", 1024, 1e9 + i, core_numa=0, memory_numa=i % 500) for i in range(6000)]
    return {"curves": curves, "noise": [{"pu": 0, "quantum": 1e-6, "seconds": 0, "lost": 0, "longest": 0, "interruptions": []}],
            "strided": [{"mpi": "M", "by": "contiguous", "side": "both", "exchange": True, "points": [[8, 8, 1e-6]],
                         "samples": [1], "spread": [None]}]}


if __name__ == "__main__":
    for name, *what in (("big", fat(), None), ("both", fat(), thin()), ("odd", odd(), None), ("plain", None, None),
                        ("thin-first", fat(), None, True)):
        with open(f"{sys.argv[1]}/{name}.json", "w", encoding="utf-8") as file:
            file.write(topology(*what))
