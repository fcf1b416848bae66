#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Conjugate gradients with and without agents: cg.py [--rounds R] [--points N] [--iterations N] [--json FILE].

examples/cg with 16 ranks on eight hosts of the testbed (root only); or --local: on this host, to try it. Both forms, in the
default order and where `berth map` puts the ranks, with Open MPI alone, with the collective library, and with agents. Rounds
are jobs of all of them in turns."""
import json
import os
import pathlib
import statistics
import sys

import jobs

sys.path.insert(0, str(jobs.HERE.parent))
import placed  # pylint: disable=wrong-import-position

ARMS = {"Open MPI": ("openmpi", {}),
        "hosts": jobs.with_berth("openmpi"),
        "agents": jobs.with_berth("openmpi", **jobs.AGENTS)}
FORMS = ("plain", "pipelined")


def places(work, program, words, rate):
    """The PU of each rank, by placement. Faces are the same in both forms, so one trace serves both."""
    berth, pattern, topology = str(jobs.ROOT / "build" / "berth"), str(work / "cg.acp"), str(work / "topology.json")
    placed.write_topology(topology, rate)
    placed.trace(berth, pattern, "--", str(program), "--plain", *words)
    return {"linear": placed.LINEAR, "remapped": placed.best(berth, pattern, topology, "flow", "--time-limit", "10")}


def difference(found):
    """The largest relative difference of two residuals."""
    residuals = [run["residual"] for arms in found.values() for rounds in arms.values() for run in rounds]
    return max(residuals) / min(residuals) - 1


def show(found):
    """Time of an iteration: the median of the jobs' medians."""
    print(f"\n{'ms an iteration':24}" + "".join(f"{arm:>14}" for arm in next(iter(found.values()))))
    for row, arms in found.items():
        times = [1e3 * statistics.median(run["iteration_s"] for run in rounds) for rounds in arms.values()]
        print(f"{row:24}" + "".join(f"{time:14.3f}" for time in times))
    print(f"\nlargest difference of the residuals: {100 * difference(found):.2g}%")


def main():
    parser = jobs.arguments(__doc__, rounds=5)
    parser.add_argument("--points", default="64", help="of each dimension of the cube (%(default)s)")
    parser.add_argument("--iterations", default="100", help="of a job (%(default)s)")
    parser.add_argument("--local", action="store_true")
    args = parser.parse_args()
    arms = jobs.chosen(ARMS, args.arms)
    words = ["--points", args.points, "--iterations", args.iterations, "--tolerance", "0", "--json"]
    found, loads = {}, []
    with jobs.folder() as folder:
        work = pathlib.Path(folder)
        program = jobs.compiled(work, jobs.ROOT / "examples" / "cg" / "cg.c", ["openmpi"], "-lm")["openmpi"]
        where = places(work, program, words, args.rate)
        with jobs.Local(work) if args.local else jobs.Testbed(args.rate, ["openmpi"], work) as machine:
            for _ in range(args.rounds):
                loads.append(os.getloadavg()[0])
                for form in FORMS:
                    for place, pus in where.items():
                        for name, arm in arms.items():
                            print(f"{form}, {place}, {name}", file=sys.stderr)
                            lines = jobs.run(machine, arm, [f"h{pu // 2}" for pu in pus], [program, "--" + form, *words],
                                             last="{.*}")
                            found.setdefault(f"{form}, {place}", {}).setdefault(name, []).append(json.loads(lines[-1]))
    if args.json:
        args.json.write_text(json.dumps({"rate": args.rate, "load": loads, "placements": where, "runs": found}, indent=1))
    print(f"load before each round: {', '.join(f'{load:.1f}' for load in loads)}")
    show(found)


if __name__ == "__main__":
    main()
