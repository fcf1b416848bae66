#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Applications on the testbed without the collective library, with it, and tuned, in the default order and in berth's placement:
bench/coll/README.md says what is measured. Root only.

usage: applications.py [--rounds N] [--only APPLICATION]… BUILD DIR
"""
import json
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "applications"))
from on_testbed import APPLICATIONS, MBIT, placed, prepare, run_traced  # pylint: disable=wrong-import-position

COLLECTIVE = re.compile("MPI_(Barrier|Bcast|Reduce|Allreduce|Reduce_scatter.*|Scan|Exscan|Gatherv?|Scatterv?|Allgatherv?|"
                        "Alltoallv?)$")
# Lines of an application's output that don't depend on time, and the file that they are in if they aren't printed.
RESULTS = {
    "GROMACS": (r"^( +-?[0-9.]+e[+-][0-9]+)+$", "md.log"),
    "QE": (r"total energy  |Fermi energy|estimated scf|contribution", None),
    "CP2K": (r"Total energy|energy:|ENERGY\|", None),
    "LAMMPS": (r"^ *[0-9]+ +[-0-9.]+ +[-0-9.]+ |^Nlocal|^Nghost|^Neighs|builds", None),
    "OpenFOAM": (r"Solving for|continuity errors|Courant", None),
    "PETSc": (r"^iterations", None),
    "FFTW": (r"^off by", None)}
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
NEGLIGIBLE = 1e-12  # sums that are 0 but for rounding
LIBRARY = ("without", "with", "tuned")
CELLS = [(place, library) for place in ("linear", "best") for library in LIBRARY]


def results_of(application, trace):
    pattern, file = RESULTS[application]
    with open(file or trace + ".out", encoding="utf-8") as f:
        return [line for line in f if re.search(pattern, line)]


def difference(lines, others):
    """The largest relative difference of two runs' numbers; infinite if they have different ones."""
    numbers, theirs = ([float(n) for line in side for n in NUMBER.findall(line)] for side in (lines, others))
    if len(numbers) != len(theirs) or not numbers:
        return float("inf")
    return max(0.0 if abs(a - b) < NEGLIGIBLE else abs(a - b) / max(abs(a), abs(b)) for a, b in zip(numbers, theirs))


def collective_seconds(berth, trace, seconds):
    """What collective calls take, as the mean of the ranks."""
    shown = json.loads(placed.run(berth, "show", "--json", trace))
    return seconds * shown["mpi_share"] * sum(f["share"] for f in shown["mpi_time"]["functions"] if COLLECTIVE.match(f["op"]))


def tune(berth, application, pus, trace, library, place):
    """Where the measurements are of the calls that the application makes, and the seconds that they took."""
    plan = os.path.abspath(f"{application}/{place}.tuning.json")
    placed.run(berth, "tune", "-o", plan, "plan", trace)
    placed.run_placed(pus, "-x", "LD_PRELOAD=" + library, "-x", "BERTH_TUNE=" + plan, "-x", "BERTH_TUNE_ONLY=1",
                      *APPLICATIONS[application].split())
    return plan, placed.read_json(plan)["measured_in_s"]


def measure_one(berth, application, pus, library, tuning):
    trace = f"{application}/run.acp"
    if os.path.exists("md.log"):
        os.remove("md.log")
    seconds = run_traced(berth, application, pus, trace, [library] if library else [], BERTH_TRACE_SITES="0",
                         BERTH_TRACE_PHASES="off", BERTH_COLL_REPORT="0", BERTH_TUNE="", BERTH_TUNING=tuning)
    return {"run": seconds, "collective": collective_seconds(berth, trace, seconds), "results": results_of(application, trace)}


def row(application, found):
    first = found["linear", "without"][0]["results"]
    largest = {library: max(difference(first, run["results"]) for place in ("linear", "best") for run in found[place, library])
               for library in LIBRARY}
    cells = " | ".join(f"{statistics.median(r[what] for r in found[cell]):.2f}" for what in ("collective", "run")
                       for cell in CELLS)
    return f"| {application} | {cells} | {', '.join(f'{largest[library]:.0e}' for library in LIBRARY)} |"


def main():
    parser = placed.arguments(__doc__, rounds=3)
    parser.add_argument("--only", action="append", choices=sorted(APPLICATIONS))
    a = parser.parse_args()
    library = os.path.abspath(os.path.join(a.build, "lib", "berth", "openmpi", "libberth-coll.so"))
    berth = placed.enter(a)
    prepare(a.only or APPLICATIONS)
    placed.write_topology("topology.json", MBIT)
    heads = [f"{what}: {place}, {how}" for what in ("collectives", "run") for place, how in CELLS]
    print(f"load {os.getloadavg()[0]:.1f}\n| application | {' | '.join(heads)} | largest difference of results, {', '.join(LIBRARY)} |\n"
          f"|{'---|' * (len(heads) + 2)}", flush=True)
    everything = {}
    with placed.testbed(MBIT):
        for application in a.only or APPLICATIONS:
            os.makedirs(application, exist_ok=True)
            trace = f"{application}/trace.acp"
            run_traced(berth, application, placed.LINEAR, trace)
            places = {"linear": placed.LINEAR, "best": placed.best(berth, trace, "topology.json", "flow", "--time-limit", "10")}
            tunings = {place: tune(berth, application, pus, trace, library, place) for place, pus in places.items()}
            print(f"{application} tuned in {', '.join(f'{seconds:.1f} s' for _, seconds in tunings.values())}", file=sys.stderr)
            found = {cell: [] for cell in CELLS}
            for _ in range(a.rounds):
                for place, how in CELLS:
                    found[place, how].append(measure_one(berth, application, places[place], None if how == "without" else library,
                                                         tunings[place][0] if how == "tuned" else ""))
            print(row(application, found), flush=True)
            everything[application] = {"placements": places, "runs": {
                ", ".join(cell): [{k: v for k, v in run.items() if k != "results"} for run in runs]
                for cell, runs in found.items()}}
            placed.write_json("applications.json", everything)


main()
