#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long epochs of one-sided operations take: epochs.py [--tests single,many,overlap,busy] [--only EXPRESSION]
[--rounds R] [--testbed] [--json FILE].

Two ranks on this host, or with --testbed on two hosts behind different switches, 100 Mbit/s a port (root only). Arms: both
MPIs alone, Open MPI with its component for messages (osc/pt2pt), and both MPIs with berth's library for one-sided operations
in each of its strategies. Rounds are jobs of each arm in turns. epochs.c says what is measured."""
import json
import os
import pathlib
import re
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "agents"))
import jobs  # pylint: disable=wrong-import-position

SYNCS, OPS, WINDOWS = ("fence", "pscw", "lock", "lockall"), ("put", "get", "acc"), ("create", "allocate", "heap")
LAYOUTS = ("contiguous", "scattered")
# Values of each test: (on this host, on the testbed, where a link has 100 Mbit/s).
SINGLE_BYTES = (1, 8, 64)
MANY_COUNTS = (1, 10, 100, 1000, 16000), (1, 100, 1000, 16000)
OVERLAP = ((16, (1024, 16384, 65536, 262144, 1048576)), (4, (1024, 16384, 65536, 262144)))
STRATEGIES = ("lazy", "eager", "hybrid")
MPI_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}


def library(build, mpi):
    return build / "lib" / "berth" / mpi / "libberth-rma.so"


def all_arms(build, testbed):
    """All arms, by name. Each MPI's first one is what its others are compared with. Open MPI's first choice between hosts,
    osc/ucx, fails on the testbed's network; then it takes osc/pt2pt."""
    own = {"openmpi": {"OMPI_MCA_osc": "^ucx"} if testbed else {}, "mpich": {}}
    arms = {name: (mpi, own[mpi]) for mpi, name in MPI_NAMES.items()}
    if not testbed:
        arms["Open MPI pt2pt"] = ("openmpi", {"OMPI_MCA_osc": "pt2pt"})
    for mpi, name in MPI_NAMES.items():
        for strategy in STRATEGIES:
            settings = {"LD_PRELOAD": str(library(build, mpi)), "BERTH_RMA_STRATEGY": strategy}
            arms[f"{name} {strategy}"] = (mpi, {**own[mpi], **settings})
    return arms


def chosen_arms(build, testbed, only):
    """Without `only`, arms of a library that isn't built are left out."""
    arms = all_arms(build, testbed)
    missing = sorted({settings["LD_PRELOAD"] for _, settings in arms.values() if not os.path.exists(settings.get("LD_PRELOAD", "/"))})
    found = jobs.chosen(arms, only)
    if only is None:
        if missing:
            print(f"left out: {', '.join(missing)}: not built", file=sys.stderr)
        return {name: arm for name, arm in found.items() if arm[1].get("LD_PRELOAD") not in missing}
    for _, settings in found.values():
        if settings.get("LD_PRELOAD") in missing:
            sys.exit(f"--arms: found no {settings['LD_PRELOAD']}, expected a build with it (--build)")
    return found


def cells_of(tests, testbed):
    counts, (overlap_count, overlap_bytes) = MANY_COUNTS[testbed], OVERLAP[testbed]
    for sync in SYNCS:
        for op in OPS:
            for window in WINDOWS:
                of = f"{sync}:{op}:{window}"
                if "single" in tests:
                    yield from (f"single:{of}:{size}" for size in SINGLE_BYTES)
                if "many" in tests:
                    yield from (f"many:{of}:{count}:{layout}" for count in counts for layout in LAYOUTS)
                if "overlap" in tests:
                    yield from (f"overlap:{of}:{overlap_count}:{size}" for size in overlap_bytes)
                if "busy" in tests and sync in ("lock", "lockall"):
                    yield f"busy:{of}:8"


class Host(jobs.Local):
    """Ranks on this host: each on a core of its own, where it polls while it waits. More of them than cores share all cores."""

    def command(self, mpi, settings, hosts, program):
        if len(hosts) > os.cpu_count():
            return super().command(mpi, settings, hosts, program)
        if mpi == "mpich":
            words = [word for name, value in settings.items() for word in ("-env", name, value)]
            return ["mpiexec.mpich", "-bind-to", "hwthread", "-n", str(len(hosts)), *words, *program], {}
        return ["mpirun.openmpi", "--use-hwthread-cpus", "--bind-to", "hwthread", "--mca", "btl", "self,vader", "--mca", "pml", "ob1",
                "--mca", "mpi_yield_when_idle", "0", "-np", str(len(hosts)), *jobs.options_of_openmpi(settings), *program], jobs.AS_ROOT


def key_of(row):
    """The cell's name; of an overlap with its percentage."""
    words = [row[name] for name in ("test", "sync", "op", "window")]
    if row["test"] in ("many", "overlap"):
        words.append(row["count"])
    words.append(row["layout"] if row["test"] == "many" else row["bytes"])
    if row["test"] == "overlap":
        words.append(f"{row['percent']:g}%")
    return ":".join(map(str, words))


def medians(rounds):
    """The median of the rounds of each number, by cell."""
    found = {}
    for key in rounds[0]:
        rows = [r[key] for r in rounds if key in r]
        found[key] = {name: statistics.median(row[name] for row in rows) if isinstance(value, (int, float)) else value
                      for name, value in rows[0].items()}
    return found


def text_of(row, base):
    """A cell of an arm: its time, and by what factor it differs from the MPI's own."""
    ratio = f" ({row['us'] / base['us']:.2f})" if base is not row else ""
    if row["test"] == "overlap":
        return f"{row['us']:.0f}{ratio}, {row['overlap']:.2f}"
    if row["test"] == "busy":
        return f"{row['us']:.1f}{ratio}, busy {row['busy_us']:.1f}"
    return f"{row['us']:.1f}{ratio}"


HEADINGS = {"single": "us", "many": "us", "overlap": "us without computation, share of the computation that was hidden",
            "busy": "us on an idle target, on one that computes for 1 ms at a time"}


def show(found, arms):
    base = {mpi: next(name for name, arm in arms.items() if arm[0] == mpi) for mpi, _ in arms.values()}
    for test, heading in HEADINGS.items():
        keys = [key for key, row in next(iter(found.values())).items() if row["test"] == test]
        if not keys:
            continue
        print(f"\n{heading} (ratio to the first arm of the same MPI)")
        print(f"{'':44}" + "".join(f"{name:>26}" for name in found))
        for key in keys:
            texts = [text_of(of[key], found[base[arms[name][0]]][key]) if key in of else "-" for name, of in found.items()]
            print(f"{key:44}" + "".join(f"{text:>26}" for text in texts))


def main():
    parser = jobs.arguments(__doc__, rounds=3)
    parser.add_argument("--tests", default="single,many,overlap,busy", help="some of %(default)s")
    parser.add_argument("--only", default="", help="cells that match this expression, as fence:put:create")
    parser.add_argument("--ms", default="50", help="how long the epochs of a cell take, at least five (%(default)s)")
    parser.add_argument("--percent", default="25,50,100", help="computation in per cent of the communication (%(default)s)")
    parser.add_argument("--computing", default="origin", choices=("origin", "target", "both"), help="who computes (%(default)s)")
    parser.add_argument("--until", default="origin", choices=("origin", "target"), help="whose part of an epoch ends it (%(default)s)")
    parser.add_argument("--ranks", type=int, default=2, help="the last one is the target (%(default)s)")
    parser.add_argument("--testbed", action="store_true", help="ranks on hosts of their own")
    parser.add_argument("--build", type=pathlib.Path, default=jobs.ROOT / "build", help="where the library is (%(default)s)")
    parser.add_argument("--seconds", type=float, default=1200, help="of a job, after which it is ended (%(default)s)")
    args = parser.parse_args()
    tests = args.tests.split(",")
    if not set(tests) <= set(HEADINGS):
        sys.exit(f"--tests: found '{args.tests}', expected some of {', '.join(HEADINGS)}")
    cells = [cell for cell in cells_of(tests, args.testbed) if re.search(args.only, cell)]
    if not cells:
        sys.exit(f"--only: found '{args.only}', expected an expression that matches a cell, as single:fence:put:create:8")
    arms = chosen_arms(args.build.resolve(), args.testbed, args.arms)
    mpis = sorted({mpi for mpi, _ in arms.values()})
    options = ["--ms", args.ms, "--percent", args.percent, "--computing", args.computing, "--until", args.until]
    rounds, loads = {name: [] for name in arms}, []
    with jobs.folder() as folder:
        work = pathlib.Path(folder)
        programs = jobs.compiled(work, HERE / "epochs.c", mpis)
        with jobs.Testbed(args.rate, mpis, work) if args.testbed else Host(work) as machine:
            for _ in range(args.rounds):
                loads.append(os.getloadavg()[0])
                for name, arm in arms.items():
                    print(name, file=sys.stderr)
                    lines = jobs.run(machine, arm, jobs.blocks(args.ranks, 1), [programs[arm[0]], *options, *cells], args.seconds)
                    rounds[name].append({key_of(row): row for row in map(json.loads, lines[:-1])})
    if args.json:
        args.json.write_text(json.dumps({"rate": args.rate if args.testbed else None, "ranks": args.ranks, "load": loads,
                                         "computing": args.computing, "until": args.until, "arms": rounds}, indent=1))
    print(f"load before each round: {', '.join(f'{load:.1f}' for load in loads)}")
    show({name: medians(of) for name, of in rounds.items()}, arms)


if __name__ == "__main__":
    main()
