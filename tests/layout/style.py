#!/usr/bin/env python3
"""Holds a source tree to its sizes and names: style.py TREE [BUILD].

Lines of 100 columns, files of 600 lines, headers of 200, no base name twice in src, and with BUILD no
external name that two objects of src define. Prints a line for each violation."""
import collections
import pathlib
import re
import subprocess
import sys

COLUMNS, FILE_LINES, HEADER_LINES = 100, 600, 400


def sizes(tree):
    for folder in ("src", "include", "tests", "bench"):
        for path in sorted((tree / folder).rglob("*.[ch]")):
            where, lines = path.relative_to(tree), path.read_text().splitlines()
            limit = HEADER_LINES if path.suffix == ".h" else FILE_LINES
            if len(lines) > limit and folder in ("src", "include"):
                yield f"{where}: found {len(lines)} lines, expected at most {limit}"
            for number, line in enumerate(lines, 1):
                if len(line) > COLUMNS:
                    yield f"{where}:{number}: found {len(line)} columns, expected at most {COLUMNS}"
                if folder == "src" and path.suffix == ".c" and is_lone_word(lines, number):
                    yield f"{where}:{number}: found a string broken around one word"


def is_lone_word(lines, number):
    """Whether the line is a piece of one word of a string literal whose other pieces are above and below."""
    above = lines[number - 2].rstrip() if number > 1 else ""
    below = lines[number].lstrip() if number < len(lines) else ""
    return re.fullmatch(r'\s*"\w+ ?"', lines[number - 1]) and above.endswith('"') and below.startswith('"')


def base_names(tree):
    places = collections.defaultdict(list)
    for path in sorted((tree / "src").rglob("*.[ch]")):
        places[path.name].append(str(path.relative_to(tree)))
    for name, where in places.items():
        if len(where) > 1:
            yield f"{where[1]}: found a second {name}, expected a name of its own beside {where[0]}"


def source_of(tree, build, path):
    folder, rest = re.fullmatch(r"(.*?)CMakeFiles/[^/]+/(.*)\.o", str(path.relative_to(build))).groups()
    return tree / folder / rest


def symbols(tree, build):
    """Objects of modules and of the program. What MPI programs load is built for each MPI: once is enough."""
    places = collections.defaultdict(set)
    for path in sorted((build / "src").rglob("*.c.o")):
        source = source_of(tree, build, path)
        if re.search("mpich|tsan|berth_assemble", str(path)) or not source.exists():
            continue
        out = subprocess.run(["nm", "-g", "--defined-only", path], capture_output=True, text=True, check=True).stdout
        for line in out.splitlines():
            kind, name = line.split()[-2:]
            if kind in "TDBR" and name != "main":
                places[name].add(str(source.relative_to(tree)))
    for name, where in sorted(places.items()):
        if len(where) > 1:
            yield f"{sorted(where)[1]}: found a second {name}, expected it in {sorted(where)[0]} alone"


def main():
    tree = pathlib.Path(sys.argv[1])
    found = [*sizes(tree), *base_names(tree)]
    if len(sys.argv) > 2:
        found += symbols(tree, pathlib.Path(sys.argv[2]))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
