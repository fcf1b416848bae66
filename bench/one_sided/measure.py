#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Are one-sided operations predicted? bench/one_sided/README.md says what is measured.

usage: measure.py [--mpi openmpi|mpich] [--random N] [--predict] [--rounds N] [--seed N] BUILD DIR
"""
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import placed  # pylint: disable=wrong-import-position

MBIT, ITERATIONS, LOOPS = 25, 3, 3
TRACED = 4  # iterations of a traced run: one to warm up and a loop of one, three times
CASES = "fence", "pscw", "lock"
IDLE = os.path.join(placed.ROOT, "tests", "trace", "idle.c")


class OpenMPI:
    """Its first choice between hosts, osc/ucx, fails on the testbed's network."""
    COMPONENTS = "--mca", "osc", "^ucx"
    LAUNCHER = "mpirun.openmpi", *COMPONENTS, "--oversubscribe"

    def prepare(self):
        placed.compile_c(f"{HERE}/halo.c", "halo")

    def set_up(self):
        pass

    def run(self, pus, case):
        return placed.run_placed(pus, *self.COMPONENTS, os.path.abspath("halo"), case, str(ITERATIONS))


class MPICH:
    """Waiting ranks sleep (idle.c). Then MPI_Finalize may not return where two ranks of a host had
    operations for each other, so a run is ended as soon as it has printed its times."""
    LAUNCHER = ("mpiexec.mpich",)

    def prepare(self):
        placed.run("mpicc.mpich", "-O2", "-o", "halo", f"{HERE}/halo.c")
        placed.run("gcc", "-O1", "-shared", "-fPIC", "-o", "idle.so", IDLE)

    def set_up(self):
        for host in range(placed.HOSTS):  # UCX looks for a host's devices there
            placed.run(placed.TESTBED, "exec", f"h{host}", "mount", "-t", "sysfs", "sysfs", "/sys")

    def run(self, pus, case):
        hosts = ",".join(f"h{pu // 2}:1" for pu in pus)
        words = [placed.TESTBED, "exec", "h0", "env", f"LD_PRELOAD={os.path.abspath('idle.so')}",
                 "UCX_TLS=tcp,self", "UCX_NET_DEVICES=e0", "mpiexec.mpich", "-iface", "e0", "-launcher",
                 "ssh", "-launcher-exec", f"{HERE}/hydra.sh", "-hosts", hosts, "-n", str(placed.RANKS),
                 os.path.abspath("halo"), case, str(ITERATIONS)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              env=placed.ENVIRONMENT) as job:
            lines = [job.stdout.readline() for _ in range(LOOPS)]
            job.terminate()
        return "".join(lines)


def trace(berth, mpi, case):
    """A pattern of TRACED iterations. On one host an MPI may use shared memory, whose epochs are the
    same."""
    os.makedirs(case, exist_ok=True)
    pattern = f"{case}/pattern.acp"
    placed.run(berth, "trace", "--phases", "off", "--no-times", "-o", pattern, "--", *mpi.LAUNCHER,
               "-n", str(placed.RANKS), "./halo", case, "1")
    return pattern


def predict_all(berth, mpi, a):
    placed.write_topology("topology.json", MBIT)
    cases = {}
    for case in CASES:
        pattern = trace(berth, mpi, case)
        chosen = placed.placements(berth, pattern, "topology.json", a.seed, a.random)
        cases[case] = {"placements": chosen, "predicted": {
            model: placed.predict(berth, pattern, "topology.json", model, chosen, per=TRACED)
            for model in ("port", "flow")}}
    return cases


def main():
    parser = placed.arguments(__doc__, rounds=3, seed=20261124)
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--random", type=int, default=6)
    a = parser.parse_args()
    berth = placed.enter(a)
    mpi = OpenMPI() if a.mpi == "openmpi" else MPICH()
    mpi.prepare()
    cases = placed.frozen(lambda: predict_all(berth, mpi, a))
    if a.predict:
        return
    places = {case: cases[case]["placements"] for case in CASES}
    with placed.testbed(MBIT):
        mpi.set_up()
        measured = placed.measure(places, a.rounds, lambda case, name: statistics.median(
            map(float, mpi.run(places[case][name], case).split())))
    for case in CASES:
        placed.report(f"a halo by {case}, an iteration", cases[case]["predicted"], measured[case])


main()
