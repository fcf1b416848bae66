#!/usr/bin/env python3
"""reserve.py BERTH [ROUNDS]: is `berth map --reserve auto` right under injected noise?

For each noise (1 ms in 20 ms on the last core, on all cores, none) it calibrates the node. Each
program is traced with a rank on every core; berth then says whether a run with a core left free
would be faster. Both runs are measured in turns, ROUNDS times each (default 9), and their medians
compared. Right is: the verdict names the faster run, or the runs differ by less than 5% and there is
no verdict. Needs root, two cores or more, and Open MPI. Prints a table."""
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# ns of work of a step for one rank, bytes of the reduction
PROGRAMS = [(100, 8), (300, 8), (1000, 8), (3000, 8), (10000, 8), (100000, 8), (1000000, 8),
            (1000, 4096), (10000, 65536), (1000000, 65536)]
SECONDS = 0.4  # of a run, about


def call(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more).stdout


def run(ranks, program, before=()):
    work, size = program
    steps = max(int(SECONDS * 1e9 / (work + 1500 + size * 0.3)), 20)
    return float(call(*before, "mpirun.openmpi", "--bind-to", "core", "-np", str(ranks), "./steps", str(work),
                      str(steps), str(size)).split()[-1])


def verdict(berth, program, cores):
    run(cores, program, (berth, "trace", "-o", "p.acp", "--"))
    said = json.loads(call(berth, "map", "p.acp", "node.json", "--reserve", "auto", "--json"))["reserve_auto"]
    return said["verdict"], said["all"], said["spared"]


def main():
    berth, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 9
    cores = sorted(os.sched_getaffinity(0))
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    right = total = 0
    print(f"{'noise':6} {'work, ns':>9} {'bytes':>6} {'verdict':8} {'all, s':>8} {'estimate':>8} {'spared, s':>9} {'estimate':>8}")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        call("cc", "-O2", "-D_GNU_SOURCE", f"{HERE}/inject.c", "-o", "inject")
        call("mpicc.openmpi", "-O2", f"{HERE}/steps.c", "-o", "steps")
        for noise, pus in (("none", []), ("one", cores[-1:]), ("all", cores)):
            daemons = [subprocess.Popen(["./inject", str(pu)]) for pu in pus]
            try:
                call(berth, "calibrate", "node", "-o", "node.json")
                for program in PROGRAMS:
                    name, all_cores, spared = verdict(berth, program, len(cores))
                    times = [(run(len(cores), program), run(len(cores) - 1, program)) for _ in range(rounds)]
                    a, b = (statistics.median(t) for t in zip(*times))
                    good = name == ("all" if a < b else "spare") or (name == "unsure" and abs(a - b) < 0.05 * min(a, b))
                    right += good
                    total += 1
                    print(f"{noise:6} {program[0]:9} {program[1]:6} {name:8} {a:8.3f} {all_cores['total_s']:8.3f}"
                          f" {b:9.3f} {spared['total_s']:8.3f}{'' if good else '  WRONG'}", flush=True)
                os.remove("node.json")
            finally:
                for d in daemons:
                    d.kill()
                    d.wait()
    print(f"right in {right} of {total}")
    sys.exit(right < total)


main()
