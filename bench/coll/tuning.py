#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `berth tune`'s measurements are worth: tuning.py [--placement NAME] [--only EXPRESSION] [--json FILE].

Root only. Sixteen ranks on four hosts of the testbed at 100 Mbit/s, as in network.py. The same cells are measured twice: as
`berth tune` does, and exhaustively: every algorithm in every segment with every overlap, none given up. The fastest of so many
measurements is often one by chance. So what `berth tune` chose, what was the fastest of all, and the MPI's own call are
measured again in turns, --again jobs. Printed are the times of both, how much longer each cell's choice takes than the
fastest and than the MPI in these jobs, and how far off predictions are."""
import argparse
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import network

SIZES = {"barrier": (0,), "bcast": (8, 1024, 8192, 65536, 262144), "reduce": (8, 1024, 8192, 65536, 262144),
         "allreduce": (8, 1024, 8192, 65536, 262144), "scan": (8, 8192, 65536), "gather": (8, 1024, 8192, 65536),
         "scatter": (8, 1024, 8192, 65536), "allgather": (8, 1024, 8192, 65536), "alltoall": (8, 1024, 8192, 65536),
         "reduce_scatter": (8, 1024, 8192, 65536)}


def measure(work, hosts, cells, more):
    """The file that the library writes, and the seconds that it took."""
    plan = work / "plan.json"
    plan.write_text(json.dumps({"format": "berth-tuning", "version": 1, "ranks": network.RANKS, "cells": cells}))
    (work / "rankfile").write_text(network.rankfile(hosts))
    (work / "groups.json").write_text(json.dumps(network.groups(hosts)))
    settings = {"LD_PRELOAD": network.LIBRARY, "BERTH_GROUPS": work / "groups.json", "BERTH_TUNE": plan, "BERTH_TUNE_ONLY": "1",
                "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",  # as berth tune does: lets Open MPI's algorithms be set
                "OMPI_MCA_mpi_yield_when_idle": "1", **more}
    options = [word for k, v in settings.items() for word in ("-x", f"{k}={v}")]
    out = subprocess.run([*network.TESTBED, "run", str(work / "rankfile"), *options, work / "cells.openmpi"],
                         env={**os.environ}, text=True, capture_output=True, timeout=3000)
    found = json.loads(plan.read_text())
    if out.returncode or "measured_in_s" not in found:
        sys.exit(f"exit code {out.returncode}: {out.stderr[-500:]}")
    return found


def name(choice):
    return choice["algorithm"], choice.get("segment_bytes", 0), choice.get("overlap_bytes", 0), choice.get("degree", 0)


def rivals(tuned, everything):
    """Cells with what is measured again: the choice, the fastest, the MPI's own call."""
    cells = []
    for cell, full in zip(tuned["cells"], everything["cells"]):
        names = {name(c): c for c in (cell["choices"][0], full["choices"][0], {"algorithm": "mpi"})}
        choices = [{k: v for k, v in c.items() if not k.endswith("_s")} for c in names.values()]
        cells.append({key: cell[key] for key in ("operation", "ranks", "bytes")} | {"choices": choices})
    return cells


def median_of(jobs, i, choice):
    times = [c["measured_s"] for job in jobs for c in job["cells"][i]["choices"] if name(c) == choice]
    return statistics.median(times)


def show(tuned, everything, again):
    print(f"measured in {tuned['measured_in_s']:.1f} s, exhaustively in {everything['measured_in_s']:.1f} s: "
          f"{100 * tuned['measured_in_s'] / everything['measured_in_s']:.1f}%")
    print(f"\n{'cell':26}{'choices':>8}{'of':>5}  {'chosen':40}{'ms':>9}{'fastest':>9}{'regret':>9}{'by the MPI':>12}")
    regrets, slower, errors = [], [], collections.defaultdict(list)
    for i, (cell, full) in enumerate(zip(tuned["cells"], everything["cells"])):
        chosen = name(cell["choices"][0])
        here, fastest, mpi = (median_of(again, i, c) for c in (chosen, name(full["choices"][0]), ("mpi", 0, 0, 0)))
        regrets.append(here / min(here, fastest, mpi) - 1)
        slower.append(here / mpi - 1)
        text = chosen[0] + "".join(f", {word} {n}" for word, n in zip(("segments of", "overlap", "degree"), chosen[1:]) if n)
        print(f"{cell['operation']:16}{cell['bytes']:>10}{len(cell['choices']):8}{len(full['choices']):5}  {text:40}"
              f"{1e3 * here:9.3f}{1e3 * fastest:9.3f}{100 * regrets[-1]:8.1f}%{100 * slower[-1]:+11.1f}%")
        for c in full["choices"]:
            if c.get("predicted_s"):
                errors[cell["operation"], cell["bytes"]].append(c["predicted_s"] / c["measured_s"])
    print(f"\nregret: median {100 * statistics.median(regrets):.1f}%, mean {100 * statistics.mean(regrets):.1f}%, largest "
          f"{100 * max(regrets):.1f}%; slower than the MPI by more than 5%: {sum(s > 0.05 for s in slower)} of {len(slower)} cells")
    print(f"\n{'predicted by measured':26}{'median':>8}{'least':>8}{'most':>8}  choices")
    for (operation, size), found in errors.items():
        print(f"{operation:16}{size:>10}{statistics.median(found):8.2f}{min(found):8.2f}{max(found):8.2f}{len(found):9}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--placement", default="cyclic")
    parser.add_argument("--only", default="", help="operations that match this expression")
    parser.add_argument("--again", type=int, default=3, help="jobs that measure the choices again")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    hosts = dict(network.placements())[args.placement]
    cells = [{"operation": operation, "ranks": network.RANKS, "bytes": size, "choices": []}
             for operation, sizes in SIZES.items() if re.search(args.only, operation) for size in sizes]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        work.chmod(0o755)
        subprocess.run(["mpicc.openmpi", "-O2", "-o", work / "cells.openmpi", network.HERE / "cells.c"], check=True)
        subprocess.run([*network.TESTBED, "--rate", "100", "up"], check=True, stdout=subprocess.DEVNULL)
        try:
            tuned = measure(work, hosts, cells, {})
            everything = measure(work, hosts, cells, {"BERTH_TUNE_ALL": "1"})
            again = [measure(work, hosts, rivals(tuned, everything), {"BERTH_TUNE_ALL": "1"}) for _ in range(args.again)]
        finally:
            subprocess.run([*network.TESTBED, "down"], check=True)
    if args.json:
        args.json.write_text(json.dumps({"tuned": tuned, "everything": everything, "again": again}, indent=1))
    show(tuned, everything, again)


if __name__ == "__main__":
    main()
