#!/usr/bin/env python3
"""Compares what one-sided operations sent with what berth says that they send.

epochs_recorded.py INCLUDED FOLDER: lines of print_included.c, and the files of make_epochs.c. Prints a
line for each window, and what differs: messages of a source, a destination and a size."""
import collections
import pathlib
import sys


def main():
    included, folder = sys.argv[1:]
    said, found = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for line in pathlib.Path(included).read_text().splitlines():
        window, message, times = line.split()
        said[int(window)][message] += int(times)
    for path in pathlib.Path(folder).glob("*.*"):
        found[int(path.stem)].update(path.read_text().split())
    wrong = 0
    for window in sorted(said | found):
        differs = [f"{who} {sorted((a - b).items())[:4]}" for who, a, b in
                   (("only recorded", found[window], said[window]),
                    ("only berth's", said[window], found[window])) if a - b]
        wrong += bool(differs)
        print(f"window {window}: {'; '.join(differs) or 'alike'}, {sum(found[window].values())} messages")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main())
