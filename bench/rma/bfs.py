#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How fast a breadth-first search by one-sided operations is: bfs.py [--ranks 2,4,8,16] [--scales 7,10,13]
[--rounds R] [--testbed] [--json FILE].

examples/bfs with both MPIs alone, and with berth's library for one-sided operations in each of its strategies, in turns. With
--testbed ranks are on up to eight hosts behind switches, 100 Mbit/s a port (root only). Trees have to be the same."""
import json
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "agents"))
sys.path.insert(0, str(HERE))
import epochs  # pylint: disable=wrong-import-position
import jobs  # pylint: disable=wrong-import-position

SOURCE = jobs.ROOT / "examples" / "bfs" / "bfs.c"
HOSTS = 8


def hosts_of(ranks):
    hosts = min(ranks, HOSTS)
    return jobs.blocks(hosts, ranks // hosts)


def show(found, trees):
    """Medians of the rounds' harmonic means, in thousands of edges a second, and ratios to the MPI alone."""
    arms = list(next(iter(found.values())))
    print(f"{'kTEPS':22}" + "".join(f"{arm:>20}" for arm in arms))
    for (ranks, scale), rates in found.items():
        base = {mpi: statistics.median(rates[mpi]) for mpi in epochs.MPI_NAMES.values() if mpi in rates}
        texts = []
        for arm in arms:
            rate = statistics.median(rates[arm])
            mpi = next((name for name in base if arm.startswith(name)), None)
            texts.append(f"{rate / 1e3:.1f}" + (f" ({rate / base[mpi]:.2f})" if mpi and arm != mpi else ""))
        print(f"{f'{ranks} ranks, scale {scale}':22}" + "".join(f"{text:>20}" for text in texts))
    differing = [of for of, digests in trees.items() if len(digests) > 1]
    print("trees: " + (f"differ at {differing}" if differing else "the same in all jobs of a scale"))
    return not differing


def main():
    parser = jobs.arguments(__doc__, rounds=3)
    parser.add_argument("--ranks", type=jobs.numbers(2, 16), default=[2, 4, 8, 16], help="(2,4,8,16)")
    parser.add_argument("--scales", type=jobs.numbers(1, 22), default=[7, 10, 13], help="of the graph: 2^N vertices (7,10,13)")
    parser.add_argument("--roots", type=int, default=8, help="searches of a job (%(default)s)")
    parser.add_argument("--allocate", action="store_true", help="windows of MPI_Win_allocate")
    parser.add_argument("--testbed", action="store_true", help="ranks on hosts of their own")
    parser.add_argument("--build", type=pathlib.Path, default=jobs.ROOT / "build", help="where the library is (%(default)s)")
    parser.add_argument("--seconds", type=float, default=600, help="of a job, after which it is ended (%(default)s)")
    args = parser.parse_args()
    arms = epochs.chosen_arms(args.build.resolve(), args.testbed, args.arms)
    mpis = sorted({mpi for mpi, _ in arms.values()})
    found, trees = {}, {}
    with jobs.folder() as folder:
        work = pathlib.Path(folder)
        programs = jobs.compiled(work, SOURCE, mpis)
        with jobs.Testbed(args.rate, mpis, work) if args.testbed else jobs.Local(work) as machine:
            for cell in ((ranks, scale) for scale in args.scales for ranks in args.ranks):
                ranks, scale = cell
                found[cell] = {name: [] for name in arms}
                for _ in range(args.rounds):
                    for name, arm in arms.items():
                        print(f"{ranks} ranks, scale {scale}: {name}", file=sys.stderr)
                        options = ["--scale", scale, "--roots", args.roots, "--json", *(["--allocate"] if args.allocate else [])]
                        line = jobs.run(machine, arm, hosts_of(ranks), [programs[arm[0]], *options], args.seconds, r"\{.*\}")[-1]
                        row = json.loads(line)
                        found[cell][name].append(row["teps"]["harmonic_mean"])
                        trees.setdefault(scale, set()).add((row["levels"], row["parents"]))
    if args.json:
        args.json.write_text(json.dumps([{"ranks": ranks, "scale": scale, "teps": rates} for (ranks, scale), rates in found.items()],
                                        indent=1))
    sys.exit(0 if show(found, trees) else 1)


if __name__ == "__main__":
    main()
