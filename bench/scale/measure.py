#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces programs with 4, 8, 16, 32 and 64 ranks, generalises the small traces by `berth scale`, and
compares the result with the large ones: bytes of each pair of ranks, and the placement that each leads to.

Prints a table. Traces, generalised patterns and what berth said are kept in the folder."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl="self,vader",
                   OMPI_MCA_mpi_yield_when_idle="1", OMP_NUM_THREADS="1")
SMALL, LARGE = (4, 8, 16), (32, 64)
# Hosts of 6 cores: the default order cuts planes and rows of the programs' grids.
MACHINES = {32: "rack:2 host:3 core:6", 64: "rack:2 host:6,5 core:6"}
LINKS = ["--link", "rack=25Gbit/s", "host=100Gbit/s"]
MELT = os.path.join(ROOT, "tests", "trace", "melt.in")


def run(*words, allowed=(0,), **more):
    done = subprocess.run(words, check=False, capture_output=True, text=True, env=ENVIRONMENT,
                          stdin=subprocess.DEVNULL, **more)
    if done.returncode not in allowed:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def applications():
    """Name and command of those that are installed. The melt has 20 cells to a side, so that 64 ranks have
    neighbours alone within the cutoff. PETSc's solver makes 40 iterations: otherwise their number depends on
    the preconditioner's blocks, one a rank. FFTW transforms a hundred times: in ten, the calls with which it
    plans take longer."""
    if shutil.which("lmp"):
        with open(MELT, encoding="ascii") as file:
            text = file.read()
        with open("melt.in", "w", encoding="ascii") as file:
            file.write(re.sub("0 10 0 10 0 10", "0 20 0 20 0 20", text))
        yield "LAMMPS", ["lmp", "-in", "melt.in", "-log", "none"]
    prepare = os.path.join(ROOT, "bench", "applications", "prepare.sh")
    for name, made, options in (("PETSc", "poisson", ["-ksp_norm_type", "none", "-ksp_max_it", "40"]),
                                ("FFTW", "fft", ["100"])):
        if run(prepare, made, allowed=(0, 2)).returncode == 0:
            yield name, [f"./{made}", *options]


def programs():
    folder = os.path.join(HERE, "programs")
    for source in sorted(os.listdir(folder)):
        name, kind = os.path.splitext(source)
        if kind == ".c":
            run("mpicc.openmpi", "-g", "-O1", "-std=gnu11", "-o", f"./{name}", os.path.join(folder, source), "-lm")
            yield name, [f"./{name}"]


def trace(berth, name, command, ranks):
    path = f"{name}-{ranks}.acp.zst"
    if not os.path.exists(path):
        run(berth, "trace", "-o", path, "--", "mpirun.openmpi", "-np", str(ranks), *command)
    return path


def cost(berth, pattern, topology, mapping):
    out = run(berth, "cost", pattern, topology, mapping, "--json").stdout
    return json.loads(out)["results"][0]


def placed(berth, pattern, topology, mapping):
    run(berth, "map", pattern, topology, "--seed", "1", "-o", mapping)
    return mapping


def row(berth, name, small, large, ranks):
    """One line of the table."""
    made, machine = f"{name}-{ranks}-made.acp.zst", f"machine-{ranks}.json"
    out = run(berth, "scale", *small, "--to", str(ranks), "--against", large, "--json", "-o", made, allowed=(0, 3))
    if out.returncode:
        return f"| {name} | {ranks} | {out.stderr.strip().removeprefix('berth scale: ')} | | | |"
    with open(f"{name}-{ranks}-scale.json", "w", encoding="utf-8") as file:
        file.write(out.stdout)
    said = json.loads(out.stdout)
    by_made = cost(berth, large, machine, placed(berth, made, machine, f"{name}-{ranks}-made.json"))
    by_real = cost(berth, large, machine, placed(berth, large, machine, f"{name}-{ranks}-real.json"))
    grid = "x".join(map(str, said.get("grid", []))) or "-"
    return (f"| {name} | {ranks} | {100 * said['kept']:.1f}% | {100 * said['kept_messages']:.1f}% | {grid} | "
            f"{100 * said['against']['within']:.1f}% | {100 * (1 - by_real['cost_s'] / by_real['linear_cost_s']):.1f}% | "
            f"{by_made['cost_s'] / by_real['cost_s']:.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="names of programs, with commas between them")
    parser.add_argument("build", help="the build's folder")
    parser.add_argument("folder", help="where traces and results are kept")
    a = parser.parse_args()
    berth = os.path.join(os.path.abspath(a.build), "berth")
    os.makedirs(a.folder, exist_ok=True)
    os.chdir(a.folder)
    for ranks, words in MACHINES.items():
        run(berth, "topo", "make", *words.split(), *LINKS, "-q", "-o", f"machine-{ranks}.json")
    print("| program | ranks | bytes generalised | messages and calls | grid | bytes within 5% "
          "| saved by remapping | placement by the made pattern / by the real one |")
    print("|---|---|---|---|---|---|---|---|")
    for name, command in [*applications(), *programs()]:
        if a.only and name not in a.only.split(","):
            continue
        small = [trace(berth, name, command, ranks) for ranks in SMALL]
        for ranks in LARGE:
            print(row(berth, name, small, trace(berth, name, command, ranks), ranks), flush=True)


main()
