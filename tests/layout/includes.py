#!/usr/bin/env python3
"""Holds the includes of a source tree to its statement of who may use whom: includes.py SRC.

SRC/CMakeLists.txt is that statement (berth_module, berth_uses). Prints a line for each violation."""
import pathlib
import re
import sys

PRINTS = re.compile(r"(?<![\w.>])(exit|abort|printf|puts|putchar|perror)\(|\b(fprintf|fputs|fputc|fwrite|vfprintf)"
                    r"\([^;]*\b(stdout|stderr)\b")
MAY_PRINT = {"cli", "measure"}  # programs; all others are libraries
SPEAK = ("trace/tracer.c", "job/say.c", "coll/job.c")  # for a library in a job: one function, one line a call
# A public header and its module, where they don't have the same name.
HEADERS = {"error": "base", "version": "base", "memory": "base", "limits": "base", "times": "base",
           "sharing": "cost", "packing": "cost", "strided": "node", "uncertainty": "cost", "assess": "cost", "probe": "topo", "sketch": "topo", "trials": "calib", "groups": "mapping",
           "tuning": "tune"}


def statement(cmake):
    """Which modules each module names, and whether it may include mpi.h."""
    uses = {}
    text = re.sub(r"#.*", "", cmake.read_text())
    for name, rest in re.findall(r"berth_module\(\s*(\w+)([^)]*)\)", text):
        uses[name] = re.search(r"USES([\w\s]*?)(?:LINKS|$)", rest)
        uses[name] = set(uses[name][1].split()) if uses[name] else set()
    for name, rest in re.findall(r"berth_uses\(\s*([\w/]+)([^)]*)\)", text):
        uses[name] = set(rest.split())
    return uses


def closure(uses, name):
    seen, todo = set(), [name]
    while todo:
        for other in uses.get(todo.pop(), ()):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen - {"MPI"}


def circles(uses):
    return [f"src/CMakeLists.txt: {name} uses itself by way of others" for name in sorted(uses)
            if name in closure(uses, name)]


def violations(src):
    uses = statement(src / "CMakeLists.txt")
    yield from circles(uses)
    may = {name: closure(uses, name) | {name, "base"} for name in uses}
    for path in sorted([*src.rglob("*.[ch]"), *src.rglob("*.cpp")]):
        module = module_of(src, path, uses)
        where = f"src/{path.relative_to(src)}"
        if module not in uses:
            yield f"{where}: found module {module}, expected one of src/CMakeLists.txt"
            continue
        yield from of_file(src, path, module, where, may[module], "MPI" in uses[module])


def module_of(src, path, uses):
    parts = path.relative_to(src).parts
    return "/".join(parts[:2]) if "/".join(parts[:2]) in uses else parts[0]


def of_file(src, path, module, where, may, sees_mpi):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        at = f"{where}:{number}"
        include = re.match(r'#\s*include\s*(["<])([^">]+)[">]', line)
        if include:
            yield from of_include(src, at, path, module, include, may, sees_mpi)
        elif module not in MAY_PRINT and not where.endswith(SPEAK) and PRINTS.search(re.sub(r'"(\\.|[^"\\])*"', '""', line)):
            yield f"{at}: found {PRINTS.search(line)[0]}…, expected no printing or exit in a library"


def of_include(src, at, path, module, include, may, sees_mpi):
    quoted, name = include[1] == '"', include[2]
    if not quoted:
        public = re.match(r"berth/(\w+)\.h", name)
        other = public and HEADERS.get(public[1], public[1])
        if other and other not in may:
            yield f"{at}: found <{name}>, but {module} may not use {other}"
        if name == "mpi.h" and not sees_mpi:
            yield f"{at}: found <mpi.h>, but {module} may not use MPI"
        if name.startswith("hwloc") and path.name not in ("topo_hwloc.c", "node_machine.c"):
            yield f"{at}: found <{name}>, expected it in topo_hwloc.c and node_machine.c alone"
        return
    parts = name.split("/")
    if len(parts) == 1:  # generated, or beside the file
        if (path.parent / name).exists():
            yield f"{at}: found \"{name}\", expected its path from src"
        return
    if parts[0] != module.split("/")[0] and parts[0] not in may:
        yield f"{at}: found \"{name}\", but {module} may not use {parts[0]}"
    elif parts[0] != module.split("/")[0] and name.endswith("_internal.h"):
        yield f"{at}: found \"{name}\", which is internal to {parts[0]}"
    elif not (src / name).exists():
        yield f"{at}: found \"{name}\", expected a file of src"


def main():
    found = list(violations(pathlib.Path(sys.argv[1])))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
