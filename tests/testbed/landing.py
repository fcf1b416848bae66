#!/usr/bin/env python3
"""Where ranks landed, beside the mapping that they were started by.

landing.py topology IN OUT: the testbed's topology with the CPUs of this machine's first two cores,
    which all its hosts share.
landing.py places TOPOLOGY: the places of its first hardware threads, HOST:CORE, one a line.
landing.py mapping TOPOLOGY OUT PLACE…: a mapping of ranks on these places.
landing.py compare TOPOLOGY MAPPING NAME=FILE…: prints a table; FILE has a line "seen RANK HOST
    CPUS" for each rank. Fails where a rank isn't on its host and core, or, if NAME is in capitals,
    not bound to its very CPU.
Reads topologies by the format's rules, apart from berth.
"""
import json
import os
import re
import sys


def cores():
    """The CPUs of each core that this process may use, in the order of their lowest ones."""
    seen = []
    for cpu in sorted(os.sched_getaffinity(0)):
        path = "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list" % cpu
        siblings = numbers(open(path).read()) if os.path.exists(path) else [cpu]
        if siblings not in seen:
            seen.append(siblings)
    return seen


def numbers(text):
    found = []
    for part in text.replace(",", " ").split():
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def expand(element, host, taken, pus):
    for copy in range(element.get("repeat", 1)):
        here = host
        if "host" in element:
            pattern = element["host"]
            number = element.get("first", taken.get(pattern, 0)) if copy == 0 else number + 1
            taken[pattern] = number + 1
            here = pattern.replace("%d", str(number))
        for child in element.get("children", []):
            if "pu" in child:
                pus.append((here, child["core"], child["pu"]))
            else:
                expand(child, here, taken, pus)
    return pus


def with_cpus(element, cpus):
    if "pu" in element:
        element["pu"] = cpus[element["core"]]
    for child in element.get("children", []):
        with_cpus(child, cpus)


def pus_of(path):
    return expand(json.load(open(path))["root"], None, {}, [])


def topology(source, target):
    doc = json.load(open(source))
    with_cpus(doc["root"], [c[0] for c in cores()])
    json.dump(doc, open(target, "w"))


def places_of(source):
    return ["%s:%d" % (host, core) for host, core, _ in pus_of(source)]


def places(source):
    print("\n".join(dict.fromkeys(places_of(source))))


def mapping(source, target, *wanted):
    names = places_of(source)
    json.dump({"format": "berth-mapping", "version": 1,
               "pu_of_rank": [names.index(p) for p in wanted]}, open(target, "w"))


def landed(path):
    """Launchers may lose the line's end between two ranks' lines."""
    at = {}
    for rank, host, cpus in re.findall(r"seen (\d+) (\S+) ([\d, -]+)", open(path).read()):
        assert int(rank) not in at, "rank %s twice" % rank
        at[int(rank)] = (host, numbers(cpus))
    return at


def compare(source, placed, *columns):
    pus, core_of, wrong = pus_of(source), cores(), []
    expected = [pus[p] for p in json.load(open(placed))["pu_of_rank"]]
    names, files = zip(*(c.split("=", 1) for c in columns))
    seen = [landed(f) for f in files]
    print("%4s  %-14s" % ("rank", "mapping") + "".join("%-14s" % n.lower() for n in names))
    for rank, (host, core, cpu) in enumerate(expected):
        row = "%4d  %-14s" % (rank, "%s core %d" % (host, core))
        for name, at in zip(names, seen):
            where, cpus = at.get(rank, ("nowhere", []))
            right = where == host and cpus and set(cpus) <= set(core_of[core])
            if name.isupper():
                right = right and cpus == [cpu]
            row += "%-14s" % ("%s cpu %s" % (where, ",".join(map(str, cpus))))
            if not right:
                wrong.append("%s: rank %d" % (name, rank))
        print(row)
    for name, at in zip(names, seen):
        if len(at) != len(expected):
            wrong.append("%s: %d ranks" % (name, len(at)))
    sys.exit("not as in the mapping: " + ", ".join(wrong) if wrong else 0)


if __name__ == "__main__":
    {"topology": topology, "places": places, "mapping": mapping,
     "compare": compare}[sys.argv[1]](*sys.argv[2:])
