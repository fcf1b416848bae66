#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `berth scale` shows on a terminal, and that signals end it at once: scale_progress.py BERTH.

Prints what doesn't hold; fails if anything doesn't."""
import json
import os
import pty
import random
import re
import signal
import subprocess
import sys

BERTH = sys.argv[1]


def write(ranks):
    """Call sites with steps to try, and random messages, which nothing explains."""
    draw = random.Random(ranks)
    lines = [{"format": "berth-pattern", "version": 1, "ranks": ranks}]
    lines += [{"kind": "site", "id": s, "op": "MPI_Send", "frames": [f"f{s}"]} for s in range(1, 7)]
    for s in range(1, 7):
        for r in range(ranks):
            others = {(r + k * s * s) % ranks for k in range(1, 30)} | {draw.randrange(ranks) for _ in range(8)}
            lines.append({"kind": "p2p", "site": s, "src": r, "msgs": [[o, 1000 * s, 1] for o in sorted(others - {r})]})
    lines.append({"kind": "end", "records": len(lines) - 1})
    with open(f"steps-{ranks}.acp", "w") as f:
        f.writelines(json.dumps(line) + "\n" for line in lines)


def run(words, number=None, term="xterm"):
    """The exit code, and what the terminal showed. The signal comes at the first percentage."""
    main_end, terminal = pty.openpty()
    process = subprocess.Popen([BERTH, "scale", *words], stdout=subprocess.DEVNULL, stderr=terminal,
                               env=dict(os.environ, TERM=term))
    os.close(terminal)
    shown, sent = "", False
    while True:
        try:
            some = os.read(main_end, 4096)
        except OSError:  # nobody has the terminal any more
            break
        shown += some.decode()
        if number and not sent and re.search(r"generalising the traces, \d+%", shown):
            process.send_signal(number)
            sent = True
    os.close(main_end)
    return process.wait(), shown


def problems():
    code, shown = run(["small-8.acp", "small-16.acp", "small-32.acp", "--to", "512", "-o", "made.acp"])
    for what in ("the traces", "the smaller traces to the largest"):
        parts = [tuple(map(int, p)) for p in re.findall(rf"berth: generalising {what}, (\d+)% \((\d+) of (\d+)\)", shown)]
        if len(parts) < 10 or parts[-1][0] != 100 or parts[-1][1] != parts[-1][2]:
            yield f"{what}: found {parts}, expected many parts up to 100%"
        if parts != sorted(parts):
            yield f"{what}: found {parts}, expected rising numbers"
    if code or not shown.endswith("\r\033[K") or "writing made.acp" not in shown:
        yield f"exit code {code}, {shown[-80:]!r}, expected 0 and an empty line in the end"
    code, shown = run(["small-8.acp", "small-16.acp", "small-32.acp", "--to", "512", "-q", "-o", "made.acp"], term="dumb")
    if code or "\033" in shown or "\r\033" in shown:
        yield f"a dumb terminal: exit code {code}, {shown[-80:]!r}, expected no escape sequences"
    for number in (signal.SIGINT, signal.SIGTERM):
        for kept in (False, True):
            if kept:
                open("stopped.acp", "w").write("as it was")
            code, shown = run(["steps-64.acp", "steps-256.acp", "steps-1024.acp", "--to", "4096", "-o", "stopped.acp"], number)
            if code != -number or "100%" in shown:
                yield f"exit code {code}, {shown[-80:]!r}, expected {-number} at once"
            files = [f for f in os.listdir(".") if "stopped" in f or f.startswith(".")]
            if files != ["stopped.acp"] * kept or (kept and open("stopped.acp").read() != "as it was"):
                yield f"found {files}, expected no output"
        os.remove("stopped.acp")


for size in (64, 256, 1024):
    write(size)
for size in (8, 16, 32):
    subprocess.run([BERTH, "make", "pattern", "stencil3d", "-n", str(size), "-q", "-o", f"small-{size}.acp"], check=True)
found = list(problems())
print(*found, sep="\n", end="\n" if found else "")
sys.exit(1 if found else 0)
