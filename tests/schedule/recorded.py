#!/usr/bin/env python3
"""Compares what collective calls sent with what berth says that they send.

recorded.py PRINT RULES FILE... reads the lines of make_calls.c, and prints how many calls agree, then a
line for each that doesn't. PRINT is print_calls.c. A call agrees if its messages (source, destination,
bytes) are the same, each as often, and its algorithms have the same names in the same order, if the MPI
tells them."""
import collections
import subprocess
import sys

# Open MPI's recorder can't see these algorithms.
UNSEEN = ("gatherv:", "scatterv:", "alltoallw:")


def read(lines):
    """(call, messages, algorithms) of each line."""
    for line in lines:
        call, algorithms, messages = line.rstrip("\n").split("\t")
        found = collections.Counter()
        for message in messages.split():
            pair, size = message.split(":")
            source, destination = pair.split(">")
            found[int(source), int(destination), int(size)] += 1
        yield tuple(call.split()), found, algorithms


def read_file(path):
    with open(path) as lines:
        yield from read(lines)


def said_of(printing, rules, calls):
    """The messages and the algorithms of each call, by berth."""
    done = subprocess.run([printing, rules], input="".join(" ".join(call) + "\n" for call in calls),
                          stdout=subprocess.PIPE, text=True, check=True)
    return {call: (messages, " ".join(name for name in names.split() if not name.startswith(UNSEEN)))
            for call, messages, names in read(done.stdout.splitlines())}


def difference(found, expected):
    """What one has and the other doesn't, shortened."""
    parts = [f"{who} {sorted((a - b).elements())[:3]}"
             for who, a, b in (("only recorded", found, expected), ("only berth's", expected, found)) if a - b]
    return ", ".join(parts)


def main():
    printing, rules, *paths = sys.argv[1:]
    recorded = [line for path in paths for line in read_file(path)]
    said = said_of(printing, rules, sorted({call for call, _, _ in recorded}))
    wrong = []
    for call, found, algorithms in recorded:
        messages, names = said[call]
        if algorithms not in ("?", names):
            wrong.append(f"{' '.join(call)}: found \"{algorithms}\", berth says \"{names}\"")
        elif messages != found:
            wrong.append(f"{' '.join(call)} ({names}): {difference(found, messages)}")
    print(f"{len(recorded) - len(wrong)} of {len(recorded)} calls agree, {len(said)} different ones")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong or not recorded else 0


if __name__ == "__main__":
    sys.exit(main())
