#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sweep.py [--every K] [--commands NAMES] [--build DIR]: lets every allocation of every command fail, one
a run, and looks at what comes of it.

A run may end in two ways: as without a failure (the same exit code, output, and files), or with exit
code 4, one line on standard error, and no file (text on standard output may end early). All others are
wrong, and printed. What libraries do by themselves is counted apart: libgomp, hwloc, METIS's own lines, glibc's argp.
Takes an hour on two cores; --every 10 looks at each tenth allocation.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GIVEN = ["--pattern", "p.acp", "--topology", "t.json"]

# Name: words; the files of prepare() are in the folder. Everything is deterministic.
COMMANDS = {
    "show": ["show", "p.acp"],
    "show --json": ["show", "--json", "p.acp"],
    "show zst": ["show", "p.acp.zst"],
    "topo show": ["topo", "show", "t.json"],
    "topo show --json": ["topo", "show", "--json", "t.json"],
    "topo check": ["topo", "check", "t.json"],
    "topo discover --slurm": ["topo", "discover", "--slurm", "slurm.conf", "--like", "t.json", "-o", "out.json"],
    "topo discover": ["topo", "discover", "-o", "out.json"],
    "topo import levels": ["topo", "import", "2:2:4/1:10:100", "-o", "out.json"],
    "topo import simgrid": ["topo", "import", "platform.xml", "-o", "out.json"],
    "topo export simgrid": ["topo", "export", "t.json", "-f", "simgrid", "-o", "out.xml"],
    "topo export tleaf": ["topo", "export", "regular.json", "-f", "tleaf", "-o", "out.tgt"],
    "map greedy": ["map", *GIVEN, "--algorithm", "greedy", "--mapping", "out.json"],
    "map fast": ["map", *GIVEN, "--quality", "fast", "--mapping", "out.json", "--rankfile", "out.rankfile"],
    "map best": ["map", *GIVEN, "--iterations", "300", "--mapping", "out.json"],
    "map metis": ["map", *GIVEN, "--algorithm", "metis", "--model", "sum", "--mapping", "out.json"],
    "map sum": ["map", *GIVEN, "--model", "sum", "--iterations", "300", "--json"],
    "map moves": ["map", *GIVEN, "--from", "n.json", "--moves", "2", "--quality", "fast", "--iterations", "50",
                  "--mapping", "out.json"],
    "cost": ["cost", *GIVEN, "--mapping", "m.json"],
    "cost --json": ["cost", *GIVEN, "--mapping", "m.json", "--json"],
    "cost flow": ["cost", *GIVEN, "--mapping", "m.json", "--model", "flow"],
    "compare": ["compare", *GIVEN, "m.json", "n.json"],
    "compare --csv": ["compare", *GIVEN, "m.json", "--csv"],
    "explore": ["explore", *GIVEN, "m.json", "--samples", "20", "--algorithms", "linear"],
    "check": ["check", *GIVEN, "--baseline", "base.acp", "--junit", "out.xml", "--json"],
    "check --github": ["check", *GIVEN, "--baseline", "base.acp", "--github"],
    "check --update": ["check", *GIVEN, "--baseline", "out.acp", "--update"],
    "report": ["report", *GIVEN, "-o", "out.html", "m.json"],
    "report --svg": ["report", *GIVEN, "--svg", "out.svg", "m.json"],
    "write": ["write", "--mapping", "m.json", "--topology", "t.json", "rankfile=out.rankfile", "slurm=out.slurm",
              "groups=out.groups", "pin=out.pin"],
    "import csv": ["import", "p.csv", "-o", "out.acp"],
    "import sqlite": ["import", "p.sqlite", "-o", "out.acp"],
    "export csv": ["export", "p.acp", "-f", "csv", "-o", "out.csv"],
    "export sqlite": ["export", "p.acp", "-f", "sqlite", "-o", "out.sqlite"],
    "export matrix": ["export", "p.acp", "-f", "matrix", "-o", "out.txt"],
    "resolve": ["resolve", "p.acp", "-o", "out.acp"],
    "recover": ["recover", "spool", "-o", "out.acp"],
    "completion": ["completion", "bash"],
    "manual": ["manual", "map"],
    "help": ["map", "--help"],
    "wrong usage": ["map", "--pattern"],
    "bad pattern": ["show", "t.json"],
}


# What `check` writes for a CI system when it fails, too.
FAILURES = {"out.xml"}


def prepare(berth, folder):
    """What the commands read."""
    cases = ROOT / "tests/data/cases"
    *lines, _ = (cases / "two-phases.acp").read_text().splitlines()
    lines += ['{"kind":"site","id":1,"op":"MPI_Bcast","frames":["f x.c:1"]}',
              '{"kind":"comm","id":1,"ranks":[0,2]}',
              '{"kind":"time","op":"MPI_Bcast","total_s":3,"max_s":2,"max_rank":2}',
              '{"kind":"time","op":"MPI_Bcast","site":1,"comm":1,"total_s":3,"max_s":2,"max_rank":2}',
              '{"kind":"time","op":"MPI_Wait","total_s":1,"max_s":1,"max_rank":0}']
    lines.append('{"kind":"end","records":%d}\n' % (len(lines) - 1))
    (folder / "p.acp").write_text("\n".join(lines))
    shutil.copy(cases / "two-phases.topo.json", folder / "t.json")
    shutil.copy(cases / "two-phases.mapping.json", folder / "m.json")
    (folder / "slurm.conf").write_text("SwitchName=s0 Nodes=a[0-1]\nSwitchName=s1 Nodes=b[0-1]\n"
                                       "SwitchName=top Switches=s0,s1\n")

    def run(*words):
        subprocess.run([berth, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    run("map", *GIVEN, "--algorithm", "round-robin", "--mapping", "n.json")
    run("check", *GIVEN, "--baseline", "base.acp", "--update")
    run("export", "p.acp", "-f", "csv", "-o", "p.csv")
    run("export", "p.acp", "-f", "sqlite", "-o", "p.sqlite")
    run("topo", "import", "2:2:4/1:10:100", "-o", "regular.json")
    run("topo", "export", "t.json", "-f", "simgrid", "-o", "platform.xml")
    run("import", "p.csv", "-o", "p.acp.zst")
    make_spool(berth, folder)


def make_spool(berth, folder):
    """Tables that a killed job of two ranks left, where there is Open MPI; else no tables."""
    spool = folder / "spool"
    spool.mkdir(mode=0o700)
    mpicc, mpirun = (shutil.which(f"{name}.openmpi") or shutil.which(name) for name in ("mpicc", "mpirun"))
    if not mpicc or not mpirun:
        return
    with tempfile.TemporaryDirectory(prefix="killed.") as job:
        program = job + "/survive"
        subprocess.run([mpicc, "-g", "-o", program, str(ROOT / "tests/trace/survive.c"), "-lrt"], check=True)
        os.mkdir(job + "/tallies")
        library = subprocess.run([berth, "trace", "--library", "openmpi"], capture_output=True, text=True,
                                 check=True).stdout.strip()
        environment = dict(os.environ, BERTH_TRACE_SPOOL=str(spool), LD_PRELOAD=library,
                           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        subprocess.run([mpirun, "--oversubscribe", "-x", "LD_PRELOAD", "-np", "2", program, "kill", "100", "0",
                        job + "/tallies"], env=environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)


def outcome(berth, words, inputs, fail_at, library):
    """(exit code, standard output, standard error, files) of a run in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="sweep.") as name:
        folder = pathlib.Path(name)
        for path in inputs.iterdir():
            os.symlink(path, folder / path.name)
        counted = folder.parent / (folder.name + ".count")
        environment = dict(os.environ, LD_PRELOAD=library, FAIL_AT=str(fail_at), FAIL_COUNT=str(counted),
                           OMP_NUM_THREADS="1", LC_ALL="C.UTF-8")
        done = subprocess.run([berth, *words], cwd=folder, env=environment, capture_output=True, timeout=60,
                              check=False)
        n = int(counted.read_text()) if counted.exists() else 0
        counted.unlink(missing_ok=True)
        files = {}
        for path in sorted(folder.rglob("*")):
            if not path.is_symlink() and path.is_file():
                files[str(path.relative_to(folder))] = path.read_bytes()
        return (done.returncode, done.stdout, done.stderr, files), n


def is_foreign(name, found):
    """Whether a library ended the program, or left something out, in a way that berth can't change."""
    code, _, err, _ = found
    return ((code == 1 and b"libgomp: Out of memory" in err) or
            (code == -6 and b"argp-help.c" in err) or
            (name == "help" and code == 0) or  # argp, which leaves out lines
            (code == 127 and b"out of memory" in err) or  # the loader, at a symbol's first use
            (code in (0, 4) and err.startswith(b"out of memory\n")) or  # the same, where berth goes on
            (code == 4 and b"***Memory allocation failed for" in err) or  # METIS, before berth's line
            (code == 4 and b"libdw: Cannot allocate memory" in err) or  # the loader, before berth's line
            (name == "recover" and code == 0 and b"out of memory" not in err and b"found" not in err) or  # libdw
            (name == "topo discover" and code in (-11, -6, 0)))  # hwloc


def judge(expected, found):
    """None where it is one of the two ways, else what is wrong."""
    if found == expected:
        return None
    code, _, err, files = found
    if code < 0:
        return f"signal {-code}"
    if code != 4:
        what = [name for name, a, b in zip(("code", "output", "errors", "files"), expected, found) if a != b]
        return f"code {code}, other {', '.join(what)}"
    if err.count(b"\n") != 1:
        return f"code 4 with {err.count(bytes([10]))} lines: {err[:200]!r}"
    files = set(files) - FAILURES  # which say that there is no result
    return f"code 4 and files: {', '.join(sorted(files))}" if files else None


def sweep(berth, name, inputs, every, library, pool):
    words = COMMANDS[name]
    expected, n = outcome(berth, words, inputs, 0, library)
    again, _ = outcome(berth, words, inputs, 0, library)
    if again != expected:
        return n, 0, 0, ["two runs without a failure differ"]
    wrong, foreign, tries = [], 0, range(1, n + 1, every)
    for at, (found, _) in zip(tries, pool.map(lambda k: outcome(berth, words, inputs, k, library), tries)):
        reason = judge(expected, found)
        if reason and is_foreign(name, found):
            foreign += 1
        elif reason:
            wrong.append(f"allocation {at}: {reason}: {found[2][:160].decode(errors='replace')!r}")
    return n, len(tries), foreign, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--every", type=int, default=1, metavar="K", help="look at each K-th allocation")
    parser.add_argument("--commands", help="comma-separated beginnings of the commands' names")
    parser.add_argument("--build", default=str(ROOT / "build"), metavar="DIR", help="berth's build")
    parser.add_argument("--show", type=int, default=5, metavar="N", help="wrong runs that are printed")
    options = parser.parse_args()
    chosen = [c for c in COMMANDS if not options.commands or
              any(c.startswith(word) for word in options.commands.split(","))]
    failures = 0
    with tempfile.TemporaryDirectory(prefix="allocations.") as folder:
        library = str(pathlib.Path(folder) / "fail.so")
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", library, str(HERE / "fail.c"), "-ldl"], check=True)
        inputs = pathlib.Path(folder) / "inputs"
        inputs.mkdir()
        berth = str(pathlib.Path(options.build).resolve() / "berth")
        prepare(berth, inputs)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            print(f"{'command':24} {'allocations':>11} {'runs':>7} {'foreign':>8} {'wrong':>6}")
            for name in chosen:
                n, runs, foreign, wrong = sweep(berth, name, inputs, options.every, library, pool)
                print(f"{name:24} {n:11} {runs:7} {foreign:8} {len(wrong):6}", flush=True)
                for line in wrong[:options.show]:
                    print("   ", line)
                failures += len(wrong) + (runs == 0)
    print(f"{failures} wrong runs")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
