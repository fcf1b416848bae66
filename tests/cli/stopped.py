# SPDX-License-Identifier: BSD-3-Clause
"""Runs `berth map` with a terminal as its standard error, waits until the terminal shows a stage, and
sends signals. Prints what doesn't hold; fails if anything doesn't."""
import json, os, pty, random, re, signal, subprocess, sys, time

BERTH = sys.argv[1]
INT, TERM = signal.SIGINT, signal.SIGTERM


def write_inputs(ranks, degree):
    draw = random.Random(1)
    with open("p.acp", "w") as f:
        f.write(json.dumps({"format": "berth-pattern", "version": 1, "ranks": ranks}) + "\n")
        for r in range(ranks):
            others = draw.sample([o for o in range(ranks) if o != r], degree)
            msgs = [[o, draw.randrange(1000, 100000), 1] for o in sorted(others)]
            f.write(json.dumps({"kind": "p2p", "src": r, "msgs": msgs}) + "\n")
        f.write(json.dumps({"kind": "end", "records": ranks}) + "\n")
    link = {"up": {"max_bandwidth": 1e6}, "down": {"max_bandwidth": 1e6}}
    racks = [{"type": "rack", "name": f"r{r}", "children": [
        {"type": "host", "name": f"n{8 * r + h}", "host": f"n{8 * r + h}",
         "children": [{"pu": p, "core": p} for p in range(8)]} for h in range(8)]}
             for r in range(2)]
    types = {"top": {}, "rack": link, "host": link}
    root = {"type": "top", "name": "top", "children": racks}
    with open("t.json", "w") as f:
        json.dump({"format": "berth-topology", "version": 1, "name": "racks", "curves": {},
                   "types": types, "root": root}, f)


def run(options, stage, signals):
    """The exit code, what was printed, and all that the terminal showed."""
    for name in ("m.json", "r.txt"):
        if os.path.exists(name):
            os.remove(name)
    master, slave = pty.openpty()
    words = [BERTH, "map", "--pattern", "p.acp", "--topology", "t.json", "--mapping", "m.json",
             "--rankfile", "r.txt", *options]
    with open("out", "w") as out:
        process = subprocess.Popen(words, stdout=out, stderr=slave, env=dict(os.environ, TERM="xterm"))
    os.close(slave)
    shown, sent = "", False
    while True:
        try:
            some = os.read(master, 4096)
        except OSError:  # nobody has the terminal any more
            break
        if not some:
            break
        shown += some.decode()
        if not sent and re.search(stage, shown):
            sent = True
            if len(signals) > 1:
                process.send_signal(signal.SIGSTOP)
            for number in signals:
                process.send_signal(number)
            if len(signals) > 1:
                process.send_signal(signal.SIGCONT)
    code = process.wait()
    os.close(master)
    with open("out") as out:
        return code, out.read(), shown


def problems(row, code, printed, shown):
    options, stage, signals, expected, kept = row
    if not re.search(stage, shown):
        yield f"the terminal never showed {stage}: {shown[-200:]!r}"
    if code != expected:
        yield f"exit code {code}, expected {expected}: {shown[-200:]!r}"
    if os.path.exists("m.json") != kept or os.path.exists("r.txt") != kept:
        yield f"files are {os.listdir('.')}, expected both: {kept}"
    left = [name for name in os.listdir(".") if name.startswith((".", "m.json.", "r.txt."))]
    if left:
        yield f"found {left}, expected no temporary files"
    if not kept or code != expected:
        return
    mapping = json.load(open("m.json"))
    if sorted(mapping["pu_of_rank"]) != list(range(len(mapping["pu_of_rank"]))):
        yield "the mapping is no permutation"
    if mapping.get("unfinished") is not True:
        yield "the mapping doesn't say that it is unfinished"
    if "--json" in options:
        result = json.loads(printed)
        if result["unfinished"] is not True or result["lower_bound_s"] is not None:
            yield f"JSON: unfinished {result['unfinished']}, bound {result['lower_bound_s']}"
        if result["pu_of_rank"] != mapping["pu_of_rank"]:
            yield "JSON and file differ"
        if result["price_s"] > min(c["price_s"] for c in result["candidates"]):
            yield "not the best so far"
    elif "unfinished: the search was stopped" not in printed:
        yield f"found {printed!r}, expected 'unfinished: ...'"


STRONG = ["--quality", "strong", "--min-gain", "0"]
# what `best` and single mappers do at that quality takes minutes
ROWS = [
    (STRONG + ["--json"], r"refine: tempering: \d+ s, best so far [0-9.]+ m?s, \d+% done", [INT],
     130, True),
    (STRONG, r"refine: .*best so far", [TERM], 143, True),
    (STRONG + ["--threads", "2", "--json"], r"refine: .*best so far", [INT], 130, True),
    (STRONG + ["--time-limit", "1000"], r"refine: annealing.*time limit in 9\d\d s", [INT], 130,
     True),
    (STRONG + ["--model", "sum", "--json"], r"refine: annealing.*[1-9]% done", [INT], 130, True),
    (STRONG + ["--sum-share", "50"], r"refine: .*% done", [INT], 130, True),
    (STRONG + ["--model", "flow", "--iterations", "2000"], r"refine: swaps, each evaluated", [INT], 130,
     True),
    (STRONG + ["--algorithm", "refine"], r"refine: .*best so far", [INT], 130, True),
    # a second one ends berth at once
    (STRONG, r"refine: .*best so far", [INT, TERM], 143, False),
]


def waits_for_a_reader():
    """Once the search is over the first signal ends berth: it may wait for somebody to read."""
    os.mkfifo("fifo")
    words = [BERTH, "map", "--pattern", "p.acp", "--topology", "t.json", "--algorithm", "linear",
             "--rankfile", "fifo"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):  # kernels that don't tell where a process waits get 30 s
        if process.poll() is not None:
            return f"exit code {process.returncode}, expected it to wait for a reader"
        if open(f"/proc/{process.pid}/wchan", encoding="ascii").read() == "wait_for_partner":
            break
        time.sleep(0.05)
    process.send_signal(TERM)
    try:
        code = process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        return "SIGTERM didn't end it within 60 s"
    return f"exit code {code}, expected 143" if code != 143 else None


def main():
    write_inputs(128, 6)
    bad = 0
    problem = waits_for_a_reader()
    if problem:
        bad += 1
        print(f"a FIFO that nobody reads: {problem}")
    for row in ROWS:
        for problem in problems(row, *run(*row[:3])):
            bad += 1
            print(f"{' '.join(row[0])}, {[s.name for s in row[2]]}: {problem}")
    print(f"{len(ROWS)} runs were stopped, {bad} problems")
    return bad > 0


sys.exit(main())
