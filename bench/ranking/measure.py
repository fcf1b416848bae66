# SPDX-License-Identifier: BSD-3-Clause
"""Runs every case on the testbed and appends what it took."""
import contextlib
import fcntl
import json
import os
import random
import re
import statistics
import subprocess
import tempfile

import cases

BOUND = re.compile(r"\[([^\]:]+):\d+\] MCW rank (\d+) bound to socket \d+\[core (\d+)\[")
RESULT = re.compile(r"^([0-9.]+) seconds per iteration$", re.M)
FORMAT = "berth-ranking-measurements"


class Refused(Exception):
    """The study's rules forbid to measure."""


def committed(path):
    """The commit that last changed a file. Raises where git doesn't hold just what is there."""
    def git(*arguments):
        return subprocess.run(["git", "-C", os.path.dirname(os.path.abspath(path)), *arguments],
                              capture_output=True, text=True, check=False)
    name = os.path.basename(path)
    if git("ls-files", "--error-unmatch", name).returncode != 0:
        raise Refused(f"{path}: not committed; predictions come before measurements")
    if git("diff", "--quiet", "HEAD", "--", name).returncode != 0:
        raise Refused(f"{path}: differs from what was committed")
    return git("log", "-n", "1", "--format=%H", "--", name).stdout.strip()


def read_done(path, header):
    """Lines measured so far; a last line that was cut off is dropped from the file."""
    if not os.path.exists(path):
        cases.write_lines(path, [header])
        return []
    with open(path, "r+", encoding="utf-8") as file:
        text = file.read()
        whole = text[:text.rfind("\n") + 1]
        file.truncate(len(whole.encode()))
    found, *lines = map(json.loads, whole.splitlines())
    if found != header:
        raise Refused(f"{path}: belongs to other predictions; remove it to measure anew")
    return lines


def check_bindings(report, pus, pu_of_rank):
    """mpirun's own word on where each rank sits against where it should."""
    found = {int(rank): (host, int(core)) for host, rank, core in BOUND.findall(report)}
    wanted = {rank: (pus[pu].host, pus[pu].slot) for rank, pu in enumerate(pu_of_rank)}
    if found != wanted:
        raise RuntimeError(f"mpirun placed ranks at {found}, expected {wanted}")


@contextlib.contextmanager
def testbed_up(program, mbit):
    subprocess.run([program, "--rate", str(mbit), "up"], check=True, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        subprocess.run([program, "down"], check=True)


@contextlib.contextmanager
def locked(path):
    if not path:
        yield
        return
    with open(path, "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Bench:
    def __init__(self, source, build, pus, header):
        self.testbed = os.path.join(source, "testbed", "testbed")
        self.play = os.path.join(build, "testbed", "play")
        self.pus, self.header = pus, header

    def run(self, pattern, pu_of_rank):
        """Seconds per iteration of each repetition."""
        play = self.header["play"]
        with tempfile.NamedTemporaryFile("w", suffix=".rankfile") as rankfile:
            for rank, pu in enumerate(pu_of_rank):
                rankfile.write(f"rank {rank}={self.pus[pu].host} slot={self.pus[pu].slot}\n")
            rankfile.flush()
            done = subprocess.run(
                [self.testbed, "run", rankfile.name, self.play, pattern,
                 "--iterations", str(play["iterations"]), "--repetitions",
                 str(play["repetitions"]), "--warm-up", str(play["warm_up"])],
                capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"the run ended with {done.returncode}: {done.stderr[-1000:]}")
        check_bindings(done.stderr, self.pus, pu_of_rank)
        seconds = [float(number) for number in RESULT.findall(done.stdout)]
        if len(seconds) != play["repetitions"]:
            raise RuntimeError(f"{len(seconds)} times printed, expected {play['repetitions']}")
        return seconds


def measure_all(bench, folder, lines, output, again, lock, say):
    """Measures what isn't yet: every case once, in an order that mixes the patterns, so that a
    drift of the machine falls on all alike. Then `again` of them a second time, for the noise."""
    header = {"format": FORMAT, "version": 1,
              "predictions_sha256": cases.sha256(os.path.join(folder, "predictions.jsonl"))}
    done = {(line["pattern"], line["placement"], line["round"])
            for line in read_done(output, header)}
    order = sorted(lines, key=lambda line: (line["pattern"], line["placement"]))
    random.Random(bench.header["seed"]).shuffle(order)
    todo = [(0, line) for line in order] + [(1, line) for line in order[:again]]
    todo = [(turn, line) for turn, line in todo
            if (line["pattern"], line["placement"], turn) not in done]
    say(f"cases to measure: {len(todo)}")
    busy = subprocess.run([os.path.join(os.path.dirname(bench.testbed), "busy.sh")],
                          stdout=subprocess.PIPE, text=True).stdout.strip()
    if todo and busy:
        say(busy)
    with testbed_up(bench.testbed, bench.header["mbit"]):
        for n, (turn, line) in enumerate(todo, 1):
            with locked(lock):
                seconds = bench.run(os.path.join(folder, line["pattern"] + ".acp"),
                                    line["pu_of_rank"])
            row = {"pattern": line["pattern"], "placement": line["placement"], "round": turn,
                   "median_s": statistics.median(seconds), "seconds": seconds,
                   "load": round(os.getloadavg()[0], 2)}
            with open(output, "a", encoding="utf-8") as file:
                file.write(json.dumps(row, separators=(",", ":")) + "\n")
            say(f"{n} of {len(todo)}: {line['pattern']} {line['placement']}: "
                f"{row['median_s'] * 1e3:.1f} ms")
