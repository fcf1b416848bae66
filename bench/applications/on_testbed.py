# SPDX-License-Identifier: BSD-3-Clause
"""Applications with small inputs, traced on the testbed."""
import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import placed  # pylint: disable=wrong-import-position

MBIT = 50
MELT = os.path.join(placed.ROOT, "tests", "trace", "melt.in")
CAVITY = f"cavity-{placed.RANKS}"
APPLICATIONS = {
    "GROMACS": "gmx_mpi mdrun -s water.tpr -nsteps 400 -ntomp 1 -reprod -dlb no -notunepme -npme 4",
    "QE": "pw.x -nk 2 -in h2.in",
    "CP2K": "cp2k.psmp -i water.inp",
    "LAMMPS": "lmp -in melt.in -log none",
    "OpenFOAM": f"icoFoam -parallel -case {CAVITY}",
    "PETSc": "./poisson",
    "FFTW": "./fft"}
MADE = {"GROMACS": ("water", "water.tpr"), "OpenFOAM": (f"cavity {placed.RANKS}", CAVITY), "PETSc": ("poisson", "poisson"),
        "FFTW": ("fft", "fft")}


def prepare(applications):
    """The applications' inputs and programs, in this folder."""
    for name in "h2.in", "h.gth", "water.inp":
        shutil.copy(os.path.join(HERE, name), name)
    with open(MELT, encoding="utf-8") as f, open("melt.in", "w", encoding="utf-8") as g:
        g.write(f.read().replace("\nrun 50", "\nrun 300"))
    for words, file in (MADE[name] for name in applications if name in MADE):
        if not os.path.exists(file):
            placed.run(os.path.join(HERE, "prepare.sh"), *words.split())
    placed.ENVIRONMENT.update(OMP_NUM_THREADS="1", GMX_MAXBACKUP="-1", WM_PROJECT_DIR="/usr/share/openfoam")


def run_traced(berth, application, pus, trace, beside=(), **settings):
    """Runs an application on the testbed, with the tracer and the libraries `beside` it. What it prints is in TRACE.out.
    Returns the seconds from MPI_Init to MPI_Finalize."""
    placed.ENVIRONMENT.update(BERTH_TRACE_FILE=os.path.abspath(trace), **settings)
    exported = [word for name in ("BERTH_TRACE_FILE", *settings) for word in ("-x", name)]
    library = ":".join([placed.run(berth, "trace", "--library", "openmpi").strip(), *beside])
    if os.path.exists(trace):
        os.remove(trace)
    printed = placed.run_placed(pus, "-x", "LD_PRELOAD=" + library, *exported, *APPLICATIONS[application].split())
    with open(trace + ".out", "w", encoding="utf-8") as f:
        f.write(printed)
    with open(trace, encoding="utf-8") as f:
        return max(line["wall_s"] for line in map(json.loads, f) if line.get("kind") == "rank")
