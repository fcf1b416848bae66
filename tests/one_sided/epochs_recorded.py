#!/usr/bin/env python3
"""Compares what one-sided operations sent with what berth says that they send.

epochs_recorded.py [--places] INCLUDED FOLDER: lines of print_included.c, and the files of make_epochs.c.
Prints a line for each window, and what differs: messages of a source, a destination and a size. With
--places, berth doesn't know how many bytes operations take to say where they belong: between two ranks
there are as many messages, with as many bytes up to a quarter."""
import collections
import pathlib
import sys

HEAD, COUNT, SHARE = 28, 4, 1 / 4


def counts(ranks):
    """What ranks on hosts of their own send to tell each other how many messages to expect
    (src/rma/arrivals_counts.c)."""
    for place, rank in enumerate(ranks):
        end = len(ranks)
        while end > 1:
            half = (end + 1) // 2
            yield f"{rank}>{ranks[(place + half) % len(ranks)]}:{HEAD + COUNT * (end - half)}"
            end = half


def by_pair(messages):
    pairs = collections.defaultdict(lambda: [0, 0])
    for message, times in messages.items():
        pair, size = message.split(":")
        pairs[pair][0] += times
        pairs[pair][1] += times * int(size)
    return pairs


def differing_pairs(found, said):
    found, said = by_pair(found), by_pair(said)
    for pair in sorted(found | said):
        (n, size), (n_said, size_said) = found[pair], said[pair]
        if n != n_said or abs(size - size_said) > SHARE * size:
            yield f"{pair}: {n} messages of {size} bytes, berth says {n_said} of {size_said}"


def differing(found, said):
    return [f"{who} {sorted((a - b).items())[:4]}" for who, a, b in
            (("only recorded", found, said), ("only berth's", said, found)) if a - b]


def main():
    places = sys.argv[1] == "--places"
    included, folder = sys.argv[1 + places:]
    said, found = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    ranks = collections.defaultdict(list)
    for path in sorted(pathlib.Path(folder).glob("*.*")):
        messages = path.read_text().split()
        found[int(path.stem)].update(messages)
        if messages:
            ranks[int(path.stem)].append(int(path.suffix[1:]))
    for line in pathlib.Path(included).read_text().splitlines():
        window, message, times = line.split()
        for one in counts(ranks[int(window)]) if message == "counts" else [message]:
            said[int(window)][one] += int(times)
    wrong = 0
    for window in sorted(said | found):
        differs = list((differing_pairs if places else differing)(found[window], said[window]))
        wrong += bool(differs)
        print(f"window {window}: {'; '.join(differs) or 'alike'}, {sum(found[window].values())} messages")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main())
