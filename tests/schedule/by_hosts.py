# SPDX-License-Identifier: BSD-3-Clause
"""Plays calls that MPICH composes of parts on hosts: does each rank learn of those that it must know?

by_hosts.py BERTH. A message carries all that its sender knows of when the round begins. After a broadcast
each rank knows of the root, after a reduction the root of all, after a scan each rank of the lower ones;
after the other operations all know of all."""
import json
import subprocess
import sys

SHAPES = ("4,4", "1,3", "3,1,2", "6,5,3,2", "2,2,2,2", "1,1,4", "5", "4,4,4,4", "3,3,3")
BYTES = 4, 4096, 16384, 1 << 20
MUST_KNOW = {
    "barrier": lambda rank, root, ranks: range(ranks),
    "bcast": lambda rank, root, ranks: (root,),
    "reduce": lambda rank, root, ranks: range(ranks) if rank == root else (),
    "allreduce": lambda rank, root, ranks: range(ranks),
    "scan": lambda rank, root, ranks: range(rank + 1),
}


def rounds_of(berth, words):
    out = subprocess.run([berth, "schedule", *words, "--collectives", "mpich-4.0", "--json"], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    for stage in json.loads(out)["stages"]:
        for one in stage["rounds"]:
            yield from [one["messages"]] * one["times"]


def play(rounds, ranks, lost=None):
    """What each rank knows of in the end; `lost`: a message that isn't sent, by its number."""
    knows, number = [{rank} for rank in range(ranks)], 0
    for messages in rounds:
        before = [set(known) for known in knows]
        for source, destination, _ in messages:
            if number != lost:
                knows[destination] |= before[source]
            number += 1
    return knows


def last_to_others(rounds, root):
    """The number of the last message that isn't for the root, which hears of itself from its leader."""
    destinations = [destination for messages in rounds for _, destination, _ in messages]
    return max((i for i, destination in enumerate(destinations) if destination != root), default=None)


def cases():
    for shape in SHAPES:
        ranks = sum(map(int, shape.split(",")))
        for deal in ((), ("--cyclic",)):
            for op in MUST_KNOW:
                roots = range(ranks) if op in ("bcast", "reduce") else (0,)
                for root in roots:
                    for size in BYTES if op != "barrier" else (0,):
                        if root in (0, ranks // 2, ranks - 1):
                            yield op, ranks, root, size, ("--ranks", str(ranks), "--bytes", str(size), "--element",
                                                    "4" if size else "1", "--root", str(root), "--hosts",
                                                    shape, *deal)


def missing(op, ranks, root, knows):
    return [rank for rank in range(ranks) if not set(MUST_KNOW[op](rank, root, ranks)) <= knows[rank]]


def main():
    wrong = played = found = planted = 0
    for op, ranks, root, size, words in cases():
        for way in ("", "i"):
            rounds = list(rounds_of(sys.argv[1], (way + op, *words)))
            knows, last = play(rounds, ranks), last_to_others(rounds, root)
            played += 1
            if missing(op, ranks, root, knows):
                wrong += 1
                print(way + op, *words, "ranks that lack something:", missing(op, ranks, root, knows))
            if op == "bcast" and last is not None and size <= 4096:
                planted += 1
                found += bool(missing(op, ranks, root, play(rounds, ranks, lost=last)))
    print(f"{played} calls played, {wrong} wrong; {found} of {planted} lost messages found")
    return wrong or not played or found != planted


sys.exit(main())
