# SPDX-License-Identifier: BSD-3-Clause
"""Plays calls that MPICH and berth's library compose of parts on hosts: does each rank learn of those that it must
know?

by_hosts.py BERTH. A message carries all that its sender knows of when the round begins. After a broadcast
each rank knows of the root, after a reduction the root of all, after a scan each rank of the lower ones;
after the other operations all know of all, or each of those whose blocks it gets."""
import itertools
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
OF_BERTH = {
    **MUST_KNOW,
    "exscan": lambda rank, root, ranks: range(rank),
    "gather": MUST_KNOW["reduce"],
    "scatter": MUST_KNOW["bcast"],
    "allgather": MUST_KNOW["allreduce"],
    "alltoall": MUST_KNOW["allreduce"],
    "reduce_scatter_block": MUST_KNOW["allreduce"],
}
IN_ORDER = {op: OF_BERTH[op] for op in ("reduce", "allreduce", "scan", "exscan", "reduce_scatter_block")}
# rules, operations, their forms, more options
RULES = (("mpich-4.0", MUST_KNOW, ("", "i"), ()), ("berth", OF_BERTH, ("",), ()),
         ("berth", IN_ORDER, ("",), ("--in-order",)), ("berth-agents", OF_BERTH, ("i",), ()))
ROOTED = "bcast", "reduce", "gather", "scatter"


def rounds_of(berth, rules, words):
    out = subprocess.run([berth, "schedule", *words, "--collectives", rules, "--json"], check=True,
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


def cases(must_know):
    for shape in SHAPES:
        ranks = sum(map(int, shape.split(",")))
        for deal in ((), ("--cyclic",)):
            for op in must_know:
                roots = range(ranks) if op in ROOTED else (0,)
                for root in roots:
                    for size in BYTES if op != "barrier" else (0,):
                        if root in (0, ranks // 2, ranks - 1):
                            yield op, ranks, root, size, ("--ranks", str(ranks), "--bytes", str(size), "--element",
                                                    "4" if size else "1", "--root", str(root), "--hosts",
                                                    shape, *deal)


def missing(op, ranks, root, knows):
    return [rank for rank in range(ranks) if not set(OF_BERTH[op](rank, root, ranks)) <= knows[rank]]


def main():
    wrong = played = found = planted = 0
    for rules, must_know, ways, more in RULES:
        for (op, ranks, root, size, words), way in itertools.product(cases(must_know), ways):
            rounds = list(rounds_of(sys.argv[1], rules, (way + op, *words, *more)))
            knows, last = play(rounds, ranks), last_to_others(rounds, root)
            played += 1
            if missing(op, ranks, root, knows):
                wrong += 1
                print(rules, way + op, *words, *more, "ranks that lack something:", missing(op, ranks, root, knows))
            if op == "bcast" and last is not None and size <= 4096:
                planted += 1
                found += bool(missing(op, ranks, root, play(rounds, ranks, lost=last)))
    print(f"{played} calls played, {wrong} wrong; {found} of {planted} lost messages found")
    return wrong or not played or found != planted


sys.exit(main())
