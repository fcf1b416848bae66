#!/usr/bin/env python3
"""Holds a source tree to its sizes and names: style.py TREE [BUILD].

Lines of 100 columns, files of 600 lines, headers of 400, no base name twice in src. The
library's texts have names of fields in backquotes, all of which the program has options for, and no
options (src/base/field.h). With BUILD: no
external name that two objects of src define, and none that doesn't begin with a word of its file's or
folder's name. Prints a line for each violation."""
import collections
import pathlib
import re
import subprocess
import sys

COLUMNS, FILE_LINES, HEADER_LINES = 100, 600, 400
# Names that others chose: MPI's, libc's (the tracer stands in for dlclose), argp's; and one of two words
# that all modules use.
FOREIGN = re.compile(r"berth_|P?MPI|p?mpi|dlclose$|argp_program_version$|no_memory$")


def sources(folder):
    return sorted(path for ending in ("*.[ch]", "*.cpp") for path in folder.rglob(ending))


def sizes(tree):
    for folder in ("src", "include", "tests", "bench"):
        for path in sources(tree / folder):
            where, lines = path.relative_to(tree), path.read_text().splitlines()
            limit = HEADER_LINES if path.suffix == ".h" else FILE_LINES
            if len(lines) > limit and folder in ("src", "include"):
                yield f"{where}: found {len(lines)} lines, expected at most {limit}"
            for number, line in enumerate(lines, 1):
                if len(line) > COLUMNS:
                    yield f"{where}:{number}: found {len(line)} columns, expected at most {COLUMNS}"
                if folder == "src" and path.suffix != ".h" and is_lone_word(lines, number):
                    yield f"{where}:{number}: found a string broken around one word"


def is_lone_word(lines, number):
    """Whether the line is a piece of one word of a string literal whose other pieces are above and below."""
    above = lines[number - 2].rstrip() if number > 1 else ""
    below = lines[number].lstrip() if number < len(lines) else ""
    return re.fullmatch(r'\s*"\w+ ?"', lines[number - 1]) and above.endswith('"') and below.startswith('"')


def base_names(tree):
    places = collections.defaultdict(list)
    for path in sources(tree / "src"):
        places[path.name].append(str(path.relative_to(tree)))
    for name, where in places.items():
        if len(where) > 1:
            yield f"{where[1]}: found a second {name}, expected a name of its own beside {where[0]}"


# Other programs' options.
LAUNCHERS = re.compile(r"src/(mapping/writers/|mapping/mapping_hosts\.c$|advice/advice_openmpi\.c$)")


def texts_of(path):
    """String literals of a source, with their lines."""
    code = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), path.read_text(), flags=re.S)
    for number, line in enumerate(code.splitlines(), 1):
        for text in re.findall(r'"((?:\\.|[^"\\])*)"', line):
            yield number, text


def library_texts(tree):
    table = tree / "src/cli/options/option_names.c"
    known = set(re.findall(r'\{"(\w+)", "', table.read_text()))
    used = set()
    for path in sources(tree / "src"):
        where = str(path.relative_to(tree))
        if re.match("src/(cli|launch|trace|measure)/", where):
            continue
        for number, text in texts_of(path):
            names = re.findall(r"`(\w+)`", text)
            used |= set(names)
            for option in re.findall(r"--[a-z][a-z-]*", text):
                if not LAUNCHERS.match(where):
                    yield f"{where}:{number}: found option {option} in the library, expected a field in backquotes"
            for name in sorted(set(names) - known):
                yield f"{where}:{number}: found field `{name}`, expected one of {table.relative_to(tree)}"
    for name in sorted(known - used):
        yield f"{table.relative_to(tree)}: found {name}, expected a field that a text of the library has"


def source_of(tree, build, path):
    folder, rest = re.fullmatch(r"(.*?)CMakeFiles/[^/]+/(.*)\.o", str(path.relative_to(build))).groups()
    return tree / folder / rest


def objects(tree, build):
    """External names by source. What MPI programs load is built for each MPI: once is enough."""
    sources = {}
    for path in sorted([*(build / "src").rglob("*.c.o"), *(build / "src").rglob("*.cpp.o")]):
        source = source_of(tree, build, path)
        if not re.search("mpich|tsan|berth_assemble", str(path)) and source.exists():
            sources[str(path)] = source.relative_to(tree)
    out = subprocess.run(["nm", "-A", "-g", "--defined-only", *sources], capture_output=True, text=True, check=True).stdout
    names = {source: [] for source in sources.values()}
    for path, _, (*_, kind, name) in ((*line.partition(":")[:2], line.split()) for line in out.splitlines()):
        if kind in "TDBR" and name != "main":
            names[sources[path]].append(name)
    return names.items()


def words_of(source):
    """With which names from other files may begin: topo/discover/topo_slurm.c has topo_, discover_, slurm_."""
    words = {word for part in (*source.parts[1:-1], source.stem) for word in part.split("_")}
    return words | {w.rstrip("s") for w in words} | {w + "s" for w in words}


def symbols(tree, build):
    places = collections.defaultdict(set)
    for source, names in objects(tree, build):
        for name in names:
            places[name].add(str(source))
            if not FOREIGN.match(name) and name.split("_")[0] not in words_of(source):
                yield f"{source}: found {name}, expected a name that begins with {source.stem}_ or a word of it"
    for name, where in sorted(places.items()):
        if len(where) > 1 and not FOREIGN.match(name):
            yield f"{sorted(where)[1]}: found a second {name}, expected it in {sorted(where)[0]} alone"


def readmes(tree):
    """A file that a README of src names in backquotes is there."""
    files = [str(path.relative_to(tree)) for folder in ("src", "include", "tests")
             for path in (tree / folder).rglob("*") if path.is_file()]
    for readme in [tree / "src/README.md", *sorted((tree / "src").glob("*/README.md"))]:
        for name in sorted(set(re.findall(r"`([\w/.-]+\.(?:c|h|cpp|def|py|html|css))`", readme.read_text()))):
            if name != "mpi.h" and "NAME" not in name and not any(f == name or f.endswith("/" + name) for f in files):
                yield f"{readme.relative_to(tree)}: found {name}, expected a file that is there"


def main():
    tree = pathlib.Path(sys.argv[1])
    found = [*sizes(tree), *base_names(tree), *readmes(tree), *library_texts(tree)]
    if len(sys.argv) > 2:
        found += symbols(tree, pathlib.Path(sys.argv[2]))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
