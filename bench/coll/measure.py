#!/usr/bin/env python3
"""Collective calls with and without berth's library, in turns: measure.py [--ranks N] [--rounds R] [--json FILE].

Each round runs every configuration once, so that what else the machine does meets all of them. A cell is the median of
its rounds; a ratio is the median of the rounds' ratios."""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build"
CELLS = ["Barrier:0"] + [f"{f}:{b}" for f in ("Bcast", "Reduce", "Allreduce")
                         for b in (8, 1024, 8192, 65536, 262144, 1048576, 4194304)] + [
    f"{f}:{b}" for f in ("Scan", "Reduce_scatter", "Reduce_scatter_block", "Gather", "Gatherv", "Scatter", "Scatterv",
                         "Allgather", "Allgatherv", "Alltoall", "Alltoallv") for b in (8, 1024, 65536, 1048576)]
QUIET = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader",
         "OMPI_MCA_pml": "ob1", "OMPI_MCA_rmaps_base_oversubscribe": "1", "HWLOC_PLUGINS_PATH": "/nowhere"}
# A name, the MPI, and what is set. coll/sm is Open MPI's own component for shared memory; ^sm is the default.
PEERS = {"Open MPI tuned": ("openmpi", {}),
         "Open MPI sm": ("openmpi", {"OMPI_MCA_coll_sm_priority": "90"}),
         "MPICH": ("mpich", {})}


def command(mpi, ranks, settings, program):
    launcher = {"openmpi": ["mpirun.openmpi", "-np"], "mpich": ["mpiexec.mpich", "-n"]}[mpi]
    return [*launcher, str(ranks), "env", *(f"{k}={v}" for k, v in settings.items()), *program]


def run(mpi, ranks, settings, program):
    out = subprocess.run(command(mpi, ranks, settings, program), env={**os.environ, **QUIET}, text=True,
                         capture_output=True, timeout=600)
    if out.returncode:
        sys.exit(f"{mpi} {settings}: exit code {out.returncode}: {out.stderr[-500:]}")
    return {tuple(line.split()[:2]): float(line.split()[2]) for line in out.stdout.splitlines()}


def compile_cells(folder, mpi):
    program = folder / f"cells.{mpi}"
    subprocess.run([f"mpicc.{mpi}", "-O2", "-o", program, HERE / "cells.c"], check=True)
    return program


def configurations(mpis):
    for name, (mpi, settings) in PEERS.items():
        if mpi in mpis:
            yield name, mpi, settings
    for mpi in mpis:
        yield f"berth, {mpi}", mpi, {"LD_PRELOAD": BUILD / "lib" / "berth" / mpi / "libberth-coll.so"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--mpis", nargs="+", default=["openmpi", "mpich"], choices=["openmpi", "mpich"])
    parser.add_argument("--ms", type=float, default=20, help="how long a loop takes")
    parser.add_argument("--only", default="", help="functions that match this expression")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp"))
    args = parser.parse_args()
    programs = {mpi: compile_cells(args.work, mpi) for mpi in args.mpis}
    cells = [cell for cell in CELLS if re.search(args.only, cell)]
    found = {name: [] for name, _, _ in configurations(args.mpis)}
    for _ in range(args.rounds):
        for name, mpi, settings in configurations(args.mpis):
            found[name].append(run(mpi, args.ranks, settings, [programs[mpi], str(args.ms), *cells]))
    if args.json:
        args.json.write_text(json.dumps({name: [{":".join(k): v for k, v in r.items()} for r in rounds]
                                         for name, rounds in found.items()}, indent=1))
    show(found, args.mpis)


def show(found, mpis):
    """Times in us, and of berth the ratio to the best peer of the same MPI."""
    cells = list(next(iter(found.values()))[0])
    peers = {mpi: [name for name in PEERS if PEERS[name][0] == mpi] for mpi in mpis}
    print(f"{'':20}" + "".join(f"{name:>16}" for name in found) + "".join(f"{'of ' + mpi:>12}" for mpi in mpis))
    for cell in cells:
        row = [statistics.median(r[cell] for r in rounds) for rounds in found.values()]
        ratios = [statistics.median(own[cell] / min(found[p][i][cell] for p in peers[mpi])
                                    for i, own in enumerate(found[f"berth, {mpi}"])) for mpi in mpis]
        print(f"{cell[0]:11.11}{cell[1]:>9}" + "".join(f"{1e6 * t:16.3f}" for t in row) + "".join(f"{r:12.2f}" for r in ratios))


if __name__ == "__main__":
    main()
