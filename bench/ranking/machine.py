# SPDX-License-Identifier: BSD-3-Clause
"""The machine of a topology file as the study needs it: its PUs, and the links between hosts.

Read here once more, apart from berth, so that a placement that berth misread would show."""
import dataclasses
import itertools
import json


@dataclasses.dataclass(frozen=True)
class Pu:
    host: str
    slot: int    # the core within the host
    path: tuple  # the links from below the root down to the host, each named by its lower end


def read_pus(path):
    """The PUs in the order of the file, repeats expanded: the numbers that mappings use."""
    with open(path, encoding="utf-8") as file:
        try:
            document = json.load(file)
        except ValueError as error:
            raise ValueError(f"{path}: not valid JSON: {error}") from error
    if not isinstance(document, dict) or document.get("format") != "berth-topology":
        raise ValueError(f"{path}: expected an object of format 'berth-topology'")
    root = document["root"]
    pus, used, links = [], {}, itertools.count()

    def host_name(element, copy):
        pattern = element["host"]
        if "%d" not in pattern:
            return pattern
        number = element["first"] + copy if "first" in element else used.get(pattern, 0)
        used[pattern] = number + 1
        return pattern.replace("%d", str(number))

    def expand(element, host, path, top):
        for copy in range(element.get("repeat", 1)):
            here = host_name(element, copy) if "host" in element else host
            inner = path if top or host else path + (f"link-{next(links)}",)
            for child in element["children"]:
                if "pu" in child:
                    pus.append(Pu(here, child.get("core", child["pu"]), inner))
                else:
                    expand(child, here, inner, False)

    expand(root, None, (), True)
    return pus


def split_paths(a, b):
    """The links on the way from PU a to PU b: those upwards, then those downwards."""
    common = 0
    while common < min(len(a.path), len(b.path)) and a.path[common] == b.path[common]:
        common += 1
    return tuple(reversed(a.path[common:])), b.path[common:]


def hops(a, b):
    """Links crossed between two PUs; 0 within a host."""
    up, down = split_paths(a, b)
    return len(up) + len(down)
