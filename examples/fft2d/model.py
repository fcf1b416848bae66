#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""When is overlapping at least as fast? model.py [--granules G] [--groups C] [--measured] [--json] RUN COST [N]…

RUN has what `fft2d --by plain --json` printed. COST has what `berth cost --json` printed for a trace of
`fft2d --by plain --repeat 1` of the same size and ranks, with one placement. README.md describes the model."""
import argparse
import json
import math
import sys

REST, PLAIN = 0, 2  # phases of the trace: fft2d calls MPI_Pcontrol


def read(path, what):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except OSError as error:
        sys.exit(f"model.py: {path}: {error.strerror}, expected {what}")


def plain_run(path):
    """The line of the plain variant."""
    found = [json.loads(line) for line in read(path, "the output of fft2d --json").splitlines() if line.startswith("{")]
    plain = [run for run in found if run["by"] == "plain"]
    if not plain:
        sys.exit(f"model.py: {path}: found no line of --by plain, expected one")
    return plain[0]


def alltoall_cost(cost, phase):
    """Seconds of the all-to-all of a phase. A phase has one."""
    return sum(p["cost_s"] * p["repeats"] for p in cost["results"][0]["phases"]
               if p.get("of_phase") == phase and p["name"].startswith("MPI_Alltoall "))


class Machine:
    """What is known of a run: seconds of each step, and what each further call costs."""

    def __init__(self, run, cost, measured=False):
        self.n, self.ranks = run["n"], run["ranks"]
        self.first, self.transpose, self.second = run["first_s"], run["transpose_s"], run["second_s"]
        # Before its first transform the program exchanges one byte with each rank, to make connections.
        self.call = alltoall_cost(cost, REST)
        left = run["seconds"] - self.first - self.transpose - self.second
        self.exchange = left if measured else alltoall_cost(cost, PLAIN)

    def steps(self, n):
        """Seconds of both transforms of rows, the transposition and the exchange."""
        area = (n / self.n) ** 2
        rows = area * math.log2(n) / math.log2(self.n)
        return rows * self.first, area * self.transpose, rows * self.second, area * self.exchange

    def plain(self, n):
        return sum(self.steps(n))

    def overlapped(self, n, granules, groups):
        """The network carries pieces in their order. The rank transforms rows first, then transposes what has come, then
        transforms columns that are complete."""
        first, transpose, second, exchange = self.steps(n)
        last = granules - 1
        shares = [1 / granules] * last + [1 / granules / groups] * groups
        come, free = [], 0.0
        for i, share in enumerate(shares):
            ready = first * (min(i, last) + 1) / granules
            free = max(ready, free) + exchange * share + (self.call if i else 0)
            come.append(free)
        now, transposed, done = first, 0, last
        while done < len(shares):
            if transposed < len(shares) and come[transposed] <= now:
                now += transpose * shares[transposed]
                transposed += 1
            elif done < transposed:
                now += second / groups
                done += 1
            else:
                now = come[transposed]
        return now

    def hideable(self, n, granules, groups):
        """Seconds that overlapping can save at most: of the exchange, and of what a rank can compute meanwhile. That is all
        but the first granule's transforms, the last piece's transposition and the last group's transforms."""
        first, transpose, second, exchange = self.steps(n)
        later = first * (1 - 1 / granules) + transpose * (1 - 1 / granules / groups) + second * (1 - 1 / groups)
        return min(exchange, later)

    def from_size(self, granules, groups, limit=1 << 20):
        """The smallest number of rows, a power of two times the ranks, from which overlapping is at least as fast."""
        smallest = None
        n = self.ranks * max(granules, groups)
        while n <= limit:
            if self.overlapped(n, granules, groups) > self.plain(n):
                smallest = None
            elif smallest is None:
                smallest = n
            n *= 2
        return smallest


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--granules", type=int, default=8, help="as fft2d's (%(default)s)")
    parser.add_argument("--groups", type=int, default=1, help="as fft2d's (%(default)s)")
    parser.add_argument("--measured", action="store_true", help="take what is left of RUN as the exchange's time, instead of COST")
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("cost", metavar="COST")
    parser.add_argument("sizes", metavar="N", type=int, nargs="*")
    a = parser.parse_args()
    if a.granules < 1 or a.groups < 1:
        parser.error("--granules and --groups: expected at least 1")
    run, cost = plain_run(a.run), json.loads(read(a.cost, "the output of berth cost --json"))
    machine = Machine(run, cost, a.measured)
    rows = [{"n": n, "plain_s": machine.plain(n), "overlapped_s": machine.overlapped(n, a.granules, a.groups),
             "hideable_s": machine.hideable(n, a.granules, a.groups)} for n in a.sizes or [machine.n]]
    smallest = machine.from_size(a.granules, a.groups)
    if a.json:
        print(json.dumps({"ranks": machine.ranks, "granules": a.granules, "groups": a.groups, "call_s": machine.call,
                          "sizes": rows, "from_n": smallest}))
        return
    print(f"{machine.ranks} ranks, {a.granules} granules, {a.groups} groups: a further call costs {1e6 * machine.call:.1f} us")
    for row in rows:
        print(f"N {row['n']:6}  plain {row['plain_s']:9.4f} s  overlapped {row['overlapped_s']:9.4f} s  at most "
              f"{row['hideable_s']:.4f} s can be hidden")
    print("overlapping is never as fast" if smallest is None else f"overlapping is at least as fast from N {smallest} on")


if __name__ == "__main__":
    main()
