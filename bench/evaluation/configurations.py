# SPDX-License-Identifier: BSD-3-Clause
"""What is evaluated: applications, their arguments (the same for every number of tasks), counts."""
from collections import namedtuple

Application = namedtuple("Application", "arguments tasks title")
Configuration = namedtuple("Configuration", "application tasks")

APPLICATIONS = {
    "sweep": Application(["1225", "24", "2", "6"], range(2, 17), "unstructured sweep"),
    "shock": Application(["32", "12"], range(2, 17), "ghost-cell shock"),
    "multigrid": Application(["256", "2"], (2, 4, 8, 16), "multigrid"),
}


def chosen(names, tasks):
    """The configurations of these applications with these numbers of tasks."""
    return [Configuration(name, n) for name in APPLICATIONS if name in names
            for n in APPLICATIONS[name].tasks if n in tasks]
