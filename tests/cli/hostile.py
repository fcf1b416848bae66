"""hostile.py write: p.acp, more.acp, t.json, m.json and =m.json with names that mean something to others.
hostile.py read CI FILE...: whether what was printed means nothing but text to those who read it.
hostile.py same A B: whether two `show --json` have the same phases."""
import json
import re
import sys
import unicodedata

# GitHub's runner takes "::command" behind white space, and "##[command" anywhere in a line; Azure's
# agent takes "##vso[", TeamCity "##teamcity[". A spreadsheet takes "=" and its like for a formula.
NAMES = ["::stop-commands::t", " ::error::x", "\u00a0\u3000::add-mask::x", "##[set-output name=c]d",
         "##vso[task.complete]d", "=cmd|' /C calc'!A0", "'=1+1", "@SUM(1)", "-2+3", "+1", "###[debug]x"]
FRAMES = ["f\033[31m\n::stop-commands::t", "g\u009b2J\u202e\u2028", "##[error]h"]


def write():
    ranks = 8
    lines = [{"format": "berth-pattern", "version": 1, "ranks": ranks, "mpi": NAMES[3],
              "command": ["./app\033[2J\n::stop-commands::t", "it's", "a\\'\t"],
              "created": NAMES[0]}]
    lines += [{"kind": "rank", "rank": r, "host": NAMES[r % len(NAMES)], "pu": r, "wall_s": 1.0,
               "mpi_s": 0.5} for r in range(ranks)]
    lines += [{"kind": "site", "id": 1, "op": NAMES[0], "frames": FRAMES}]
    lines += [{"kind": "phase", "id": i, "name": name, "repeats": 2} for i, name in enumerate(NAMES)]
    lines += [{"kind": "comm", "id": 1, "ranks": [0, 1]},
              {"kind": "coll", "phase": 0, "site": 1, "comm": 1, "op": NAMES[3], "bytes": 8, "count": 1},
              {"kind": "time", "op": NAMES[1], "total_s": 1, "max_s": 0.5, "max_rank": 0},
              {"kind": "time", "op": NAMES[3], "total_s": 1, "max_s": 0.5, "max_rank": 0},
              {"kind": "time", "op": NAMES[1], "site": 1, "total_s": 1, "max_s": 0.5, "max_rank": 0},
              {"kind": "time", "op": NAMES[3], "comm": 1, "total_s": 1, "max_s": 0.5, "max_rank": 0}]
    for path, count in (("p.acp", 1), ("more.acp", 9)):
        body = [{"kind": "p2p", "phase": i, "site": 1, "src": r,
                 "msgs": [[(r + 3) % ranks, 1 << 20, count if i == 0 else 1]]}
                for i in range(len(NAMES)) for r in range(ranks)]
        end = {"kind": "end", "records": len(lines) - 1 + len(body)}
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(x, ensure_ascii=False) + "\n" for x in lines + body + [end])
    port = {"out": "c", "in": "c"}
    hosts = [{"type": NAMES[i + 3], "name": NAMES[i], "host": f"h{i}",
              "children": [{"pu": 0, "core": 0}, {"pu": 1, "core": 1}]} for i in range(4)]
    types = {h["type"]: {"up": port, "down": port} for h in hosts} | {NAMES[0]: {"down": port}}
    curve = lambda what, name, state, numa=None: {
        "what": what, "name": name, "state": state, "points": [[1, 1e9], [2, 2e9]], "samples": [1, 1], "spread": [None, 0.1],
        **({} if numa is None else {"core_numa": numa, "memory_numa": numa})}
    table = lambda mpi, by, side, *points: {"mpi": mpi, "by": by, "side": side, "exchange": True, "points": points,
                                            "samples": [1] * len(points), "spread": [0] * len(points)}
    types[hosts[0]["type"]] = {"up": port, "down": port, "node": {
        "date": NAMES[3], "processor": NAMES[0],
        "curves": [curve("copy", name, state, 0) for state in ("hot", "cold") for name in ("memcpy", *NAMES)] +
                  [curve("memory", name, "close") for name in NAMES] + [curve("granules", "static", NAMES[3])],
        "strided": [t for mpi in NAMES for t in (table(mpi, "contiguous", "both", [8, 8, 1e-6]),
                                                 table(mpi, "type", "send", [4, 8, 2e-6], [8, 8, 1e-6]))]}}
    topology = {"format": "berth-topology", "version": 1, "name": NAMES[0],
                "curves": {"c": {"points": [[1, 1e6], [1048576, 1e8]]}}, "types": types,
                "root": {"type": NAMES[0], "name": NAMES[0], "children": hosts}}
    mapping = {"format": "berth-mapping", "version": 1, "algorithm": NAMES[0],
               "pu_of_rank": [7, 2, 4, 6, 1, 3, 5, 0]}
    for path, value in (("t.json", topology), ("m.json", mapping), ("=m.json", mapping)):
        with open(path, "w", encoding="utf-8") as f:
            json.dump(value, f, ensure_ascii=False)


def is_command(line):
    """Whether GitHub's runner or Azure's agent takes a line for a command."""
    own = re.match(r"::(error|warning|notice) (file=[^,]*,line=\d+,)?title=berth check%3A [^:,]*::", line)
    return not own and (line.lstrip().startswith("::") or re.search(r"##[a-z]*\[", line))


def read(in_ci, paths):
    wrong = []
    for path in paths:
        text = open(path, "rb").read().decode("utf-8")
        wrong += [f"{path}: U+{ord(c):04X}" for c in text
                  if unicodedata.category(c) in ("Cc", "Zl", "Zp") and c not in "\n\t" or c == "\u202e"]
        # str.splitlines would also split at what was counted above
        wrong += [f"{path}: {line!r}" for line in text.split("\n") if in_ci == "true" and is_command(line)]
    if wrong:
        print("\n".join(wrong[:5]))
    return not wrong


def same(a, b):
    phases = [[p["name"] for p in json.load(open(path, encoding="utf-8"))["phases"]] for path in (a, b)]
    if phases[0] != phases[1]:
        print(*phases, sep="\n")
    return phases[0] == phases[1] and len(phases[0]) == len(NAMES)


what, *args = sys.argv[1:]
sys.exit(0 if {"write": lambda: write() or True, "read": lambda: read(args[0], args[1:]),
               "same": lambda: same(*args)}[what]() else 1)
