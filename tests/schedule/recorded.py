#!/usr/bin/env python3
"""Compares what collective calls sent with what berth says that they send.

recorded.py BERTH RULES FILE... reads the lines of make_calls.c, and prints how many calls agree, then a
line for each that doesn't. A call agrees if its messages (source, destination, bytes) are the same,
each as often, and its algorithms have the same names in the same order, if the MPI tells them."""
import collections
import concurrent.futures
import json
import subprocess
import sys

# Their blocks may differ.
WITH_COUNTS = {"alltoallv", "allgatherv", "gatherv", "scatterv", "reduce_scatter", "alltoallw"}
# Open MPI's recorder can't see these algorithms.
UNSEEN = ("gatherv:", "scatterv:", "alltoallw:")
KINDS = {"built_in": [], "user": ["--user-operation"], "in_order": ["--in-order"]}


def kind_of(operation):
    """Of "ibcast" and "bcast_init", "bcast"."""
    return operation.removeprefix("i").removesuffix("_init")


def schedule(berth, rules, call):
    """The messages and the algorithms of a call, by berth."""
    operation, ranks, count, element, root, kind = call
    size = ["--counts", count] if kind_of(operation) in WITH_COUNTS else ["--bytes", str(int(count) * int(element))]
    words = [berth, "schedule", operation, "--json", "--collectives", rules, "--ranks", ranks, *size,
             "--element", element, "--root", root, *KINDS[kind]]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        return None, done.stdout.strip()
    messages = collections.Counter()
    stages = json.loads(done.stdout)["stages"]
    for r in (r for stage in stages for r in stage["rounds"]):
        for message in r["messages"]:
            messages[tuple(message)] += r["times"]
    names = [f"{stage['operation']}:{stage['algorithm']}" for stage in stages]
    return messages, " ".join(name for name in names if not name.startswith(UNSEEN))


def read(path):
    """(call, messages, algorithms) of each line."""
    with open(path) as lines:
        for line in lines:
            call, algorithms, messages = line.rstrip("\n").split("\t")
            found = collections.Counter()
            for message in messages.split():
                pair, size = message.split(":")
                source, destination = pair.split(">")
                found[int(source), int(destination), int(size)] += 1
            yield tuple(call.split()), found, algorithms


def difference(found, expected):
    """What one has and the other doesn't, shortened."""
    parts = [f"{who} {sorted((a - b).elements())[:3]}"
             for who, a, b in (("only recorded", found, expected), ("only berth's", expected, found)) if a - b]
    return ", ".join(parts)


def main():
    berth, rules, *paths = sys.argv[1:]
    recorded = [line for path in paths for line in read(path)]
    calls = sorted({call for call, _, _ in recorded})
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        said = dict(zip(calls, pool.map(lambda call: schedule(berth, rules, call), calls)))
    wrong = []
    for call, found, algorithms in recorded:
        messages, names = said[call]
        if messages is None:
            wrong.append(f"{' '.join(call)}: {names}")
        elif algorithms not in ("?", names):
            wrong.append(f"{' '.join(call)}: found \"{algorithms}\", berth says \"{names}\"")
        elif messages != found:
            wrong.append(f"{' '.join(call)} ({names}): {difference(found, messages)}")
    print(f"{len(recorded) - len(wrong)} of {len(recorded)} calls agree, {len(calls)} different ones")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong or not recorded else 0


if __name__ == "__main__":
    sys.exit(main())
