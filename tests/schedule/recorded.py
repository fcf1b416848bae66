#!/usr/bin/env python3
"""Compares what collective calls sent with what berth says that they send.

recorded.py PRINT RULES FILE... reads the lines of make_calls.c, and prints how many calls agree, then a
line for each that doesn't. PRINT is print_calls.c. A call agrees if its messages (source, destination,
bytes) are the same, each as often, and its algorithms have the same names in the same order, if the MPI
tells them. RULES may have parameters of print_calls.c behind a blank. FILE.hosts, if there is one, is the
host of each rank. Rules of berth's library, berth:HALF or a tuning.json, have copies within hosts, too, which aren't
messages."""
import collections
import os
import subprocess
import sys

# Open MPI's recorder can't see these algorithms.
UNSEEN = ("gatherv:", "scatterv:", "alltoallw:")
LEFT = "left to the MPI"  # by berth's library


def is_library(rules):
    return rules.startswith("berth:") or rules.endswith("tuning.json")


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


def hosts_of(path):
    """What says on which hosts the ranks were, as arguments."""
    if not os.path.exists(path + ".hosts"):
        return ()
    with open(path + ".hosts") as hosts:
        return (hosts.read(),)


def said_of(printing, rules, hosts, calls):
    """The messages and the algorithms of each call, by berth."""
    done = subprocess.run([printing, *rules.split(), *hosts], input="".join(" ".join(call) + "\n" for call in calls),
                          stdout=subprocess.PIPE, text=True, check=True)
    host = hosts[0].split(",") if hosts and is_library(rules) else None
    return {call: (between(host, messages), " ".join(name for name in names.split() if not name.startswith(UNSEEN)))
            for call, messages, names in read(done.stdout.splitlines())}


def between(host, messages):
    """Those between hosts, or all."""
    return collections.Counter({m: n for m, n in messages.items() if not host or host[m[0]] != host[m[1]]})


def difference(found, expected):
    """What one has and the other doesn't, shortened."""
    parts = [f"{who} {sorted((a - b).elements())[:3]}"
             for who, a, b in (("only recorded", found, expected), ("only berth's", expected, found)) if a - b]
    return ", ".join(parts)


def main():
    printing, rules, *paths = sys.argv[1:]
    recorded = [(hosts_of(path), *line) for path in paths for line in read_file(path)]
    said = {hosts: said_of(printing, rules, hosts, sorted({call for at, call, _, _ in recorded if at == hosts}))
            for hosts in {hosts for hosts, *_ in recorded}}
    wrong, left = [], 0
    for hosts, call, found, algorithms in recorded:
        messages, names = said[hosts][call]
        if names == LEFT:
            left += 1
            continue
        # Open MPI's alltoalls hand calls in place over to a function that the recorder can't see.
        handed_over = call[0].startswith("alltoall") and call[-1].endswith("+in_place")
        told = algorithms != "?" and not is_library(rules)
        if not handed_over and told and algorithms != names:
            wrong.append(f"{' '.join(call)}: found \"{algorithms}\", berth says \"{names}\"")
        elif messages != found:
            where = f" on hosts {hosts[0]}" if hosts else ""
            wrong.append(f"{' '.join(call)}{where} ({names}): {difference(found, messages)}")
    different = sum(map(len, said.values()))
    print(f"{len(recorded) - left - len(wrong)} of {len(recorded) - left} calls agree, {different} different ones")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong or left == len(recorded) else 0


if __name__ == "__main__":
    sys.exit(main())
