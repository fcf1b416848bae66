#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How much of applications' time in MPI do estimates explain, and where does it go? One traced run of each on the
testbed, in the default order; bench/applications/README.md says more.

usage: explained.py [--order] [--only APPLICATION]… BUILD DIR
"""
import argparse
import json
import os

from on_testbed import APPLICATIONS, MBIT, placed, prepare, run_traced

MODELS = "port", "flow"
FUNCTIONS = 5  # the most that a row has
MIN_SHARE = 0.03


def explained(berth, trace, model):
    """The share of the time in MPI, or None."""
    return json.loads(placed.run(
        berth, "cost", "--pattern", trace, "--topology", "topology.json", "--mapping", "linear.json", "--model", model,
        "--alone", "0", "--others", "0", "--no-intervals", "--json"))["results"][0]["mpi_explained"]


def functions(shown):
    """Where the time goes: functions with their shares."""
    large = sorted(((f["share"], f["op"].removeprefix("MPI_")) for f in shown if f["share"] >= MIN_SHARE), reverse=True)
    return ", ".join(f"{op} {share:.0%}" for share, op in large[:FUNCTIONS])


def row(berth, application, order):
    os.makedirs(application, exist_ok=True)
    trace = f"{application}/trace.acp"
    seconds = run_traced(berth, application, placed.LINEAR, trace, **({"BERTH_TRACE_ORDER": "1"} if order else {}))
    shown = json.loads(placed.run(berth, "show", "--json", trace))
    shares = " / ".join("unknown" if share is None else f"{100 * share:.1f}"
                        for share in (explained(berth, trace, model) for model in MODELS))
    return (f"| {application} | {seconds:.2f} s | {100 * shown['mpi_share']:.1f}% | {shares}% | "
            f"{functions(shown['mpi_time']['functions'])} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--order", action="store_true", help="record what ranks wait for, too")
    parser.add_argument("--only", action="append", choices=sorted(APPLICATIONS))
    parser.add_argument("build", help="the build's folder")
    parser.add_argument("folder", help="where traces are kept")
    a = parser.parse_args()
    berth = placed.enter(a)
    prepare(a.only or APPLICATIONS)
    placed.write_topology("topology.json", MBIT)
    placed.write_mapping("linear.json", placed.LINEAR)
    print(f"load {os.getloadavg()[0]:.1f}\n| application | run | time in MPI | of it explained, {' / '.join(MODELS)} | "
          "where it goes |\n|---|---|---|---|---|", flush=True)
    with placed.testbed(MBIT):
        for application in a.only or APPLICATIONS:
            print(row(berth, application, a.order), flush=True)


main()
