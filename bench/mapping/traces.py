# SPDX-License-Identifier: BSD-3-Clause
"""Records the applications' patterns with berth's tracer, into the folder traces."""
import json
import os
import shutil
import subprocess

from contestants import Failure
from instances import TRACES

# What each trace is of: ranks, and the command, in a folder that has bench/evaluation's programs and
# tests/trace's input for LAMMPS.
RECORDED = {
    "lammps-16": (16, ["lmp", "-in", "melt.in", "-log", "none"]),
    "lammps-64": (64, ["lmp", "-in", "melt.in", "-log", "none"]),
    "multigrid-16": (16, ["./multigrid", "64", "1"]),
    "multigrid-64": (64, ["./multigrid", "64", "1"]),
    "shock-16": (16, ["./shock", "16", "2"]),
    "sweep-16": (16, ["./sweep", "1225", "3", "1", "2"]),
    "sweep-60": (60, ["./sweep", "1225", "3", "1", "2"]),
    "netpipe-2": (2, ["NPopenmpi", "-n", "3", "-u", "4096", "-o", "/dev/null"]),
}
VARIABLES = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
             "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader",
             "OMPI_MCA_mpi_yield_when_idle": "1"}


def call(words, **more):
    done = subprocess.run([str(word) for word in words], check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, **more)
    if done.returncode:
        raise Failure("%s: exit code %d: %s" % (" ".join(map(str, words)), done.returncode,
                                               (done.stderr.strip().splitlines() or [""])[-1]))


def strip(file):
    """Leaves out what isn't of the application: hosts and times of the machine that ran it."""
    plain = subprocess.run(["zstd", "-dcq", file], check=True, stdout=subprocess.PIPE).stdout.decode()
    header, *lines = map(json.loads, plain.splitlines())
    header.pop("created", None)
    kept = [line for line in lines if line["kind"] in ("phase", "p2p")]
    kept.append({"kind": "end", "records": len(kept)})
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in [header, *kept])
    subprocess.run(["zstd", "-19", "-q", "-f", "-o", file, "-"], check=True, input=text.encode())


def record(options):
    source = options.here.parent.parent
    programs = options.results / "bin" / "evaluation"
    call(["make", "-s", "-C", source / "bench" / "evaluation", "OUT=%s" % programs, "applications"])
    shutil.copy(source / "tests" / "mpi" / "melt.in", programs)
    TRACES.mkdir(exist_ok=True)
    for name in options.instances or RECORDED:
        if name not in RECORDED:
            raise Failure("no trace '%s', expected %s" % (name, ", ".join(RECORDED)))
        ranks, command = RECORDED[name]
        file = TRACES / (name + ".acp.zst")
        call([options.build.resolve() / "berth", "trace", "-o", file, "--sites", "0", "--",
              "mpirun.openmpi", "-np", ranks, *command], cwd=programs,
             env={**os.environ, **VARIABLES})
        strip(file)
        print("%s: %d bytes" % (file.name, file.stat().st_size), flush=True)
