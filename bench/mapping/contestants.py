# SPDX-License-Identifier: BSD-3-Clause
"""Who makes mappings: peers and berth's mappers, and how each is run and judged."""
import json
import os
import statistics
import subprocess
from collections import namedtuple

# `command` makes the words of the command line from the instance's folder and the mapping's file.
Contestant = namedtuple("Contestant", "name peer command threads")
# CPU seconds above which a contestant runs once on an instance, whatever --rounds says.
RUN_ONCE_ABOVE = 5
# berth_mapper's exit code for a mapper that doesn't serve such an instance.
NOT_SERVED = 3
# Mappers whose placement doesn't depend on the objective.
WITHOUT_OBJECTIVE = ("linear", "round-robin", "random", "greedy")


class Failure(Exception):
    """What the user is told in one line."""


def build(options):
    words = ["make", "-s", "-C", str(options.here), "OUT=%s" % (options.results / "bin"),
             "BUILD=%s" % options.build.resolve()]
    done = subprocess.run(words, check=False)
    if done.returncode:
        raise Failure("%s: exit code %d (./install-packages.sh bench?)" % (" ".join(words),
                                                                           done.returncode))


PEERS = [  # program, method, threads
    ("scotch", "default", 1),
    ("scotch", "b0", 1),
    ("scotch", "quality", 1),
    ("scotch", "recursive", 1),
    ("scotch", "threads", os.cpu_count()),  # its default takes all cores
    ("METIS", "rb", 1),
    ("METIS", "kway", 1),
]


def peers(options):
    for program, method, threads in PEERS:
        def command(here, out, path=options.results / "bin" / ("peer_" + program.lower()), method=method):
            return [path, here / "pairs.txt", here / "tree.txt",
                    "default" if method == "threads" else method, out]
        yield Contestant("%s %s" % (program, method), True, command, threads)


def viem(options):
    """VieM, which isn't in Debian: where somebody says that they built it."""
    if not options.viem:
        return
    for method in "fast", "eco", "strong":
        def command(here, out, method=method):
            return [options.here / "peer_viem.py", options.viem, method, here, out]
        yield Contestant("VieM %s" % method, True, command, 1)


def mappers(options):
    path = options.results / "bin" / "berth_mapper"
    names = subprocess.run([path, "list"], check=True, stdout=subprocess.PIPE,
                           text=True).stdout.split()
    for mapper in names:
        blind = mapper in WITHOUT_OBJECTIVE
        for objective in ("sum",) if blind else options.objectives:
            for quality in ("eco",) if blind else options.qualities:
                def command(here, out, last=(mapper, objective, quality, "1")):
                    return [path, here / "pattern.acp", here / "topology.json", *last, out]
                yield Contestant(mapper if blind else "%s %s %s" % (mapper, objective, quality),
                                 False, command, 1)


def everybody(options):
    found = [*peers(options), *viem(options), *mappers(options)]
    wanted = options.contestants
    if wanted:
        found = [one for one in found if any(one.name.startswith(name) for name in wanted)]
        if not found:
            raise Failure("--contestants: nobody's name begins with %s" % " or ".join(wanted))
    return found


def run_once(options, contestant, here):
    """One run: (what it took, its mapping as text), or (None, what went wrong), where nothing went
    wrong but the mapper doesn't serve such an instance (None, "")."""
    out = here / "mapping.txt"
    threads = {name: str(contestant.threads) for name in ("SCOTCH_PTHREAD_NUMBER", "OMP_NUM_THREADS")}
    try:
        done = subprocess.run([str(word) for word in contestant.command(here, out)], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=options.timeout, env={**os.environ, **threads})
    except subprocess.TimeoutExpired:
        return None, "over %d s" % options.timeout
    if done.returncode == NOT_SERVED:
        return None, ""
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or ["exit code %d" % done.returncode])[-1]
    return json.loads(done.stdout), out.read_text()


def judge(options, here, mapping):
    file = here / "judged.txt"
    file.write_text(mapping)
    done = subprocess.run([options.results / "bin" / "judge", here / "pairs.txt", here / "tree.txt",
                           file], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Failure("judge: " + done.stderr.strip())
    return json.loads(done.stdout)


def compete(options, instance, ranks, here, contestants, say):
    """Runs all contestants in turns, round after round, and judges their mappings."""
    taken = {one.name: [] for one in contestants}
    mapping, trouble, differs = {}, {}, set()
    for _ in range(options.rounds):
        for one in contestants:
            times = [t["cpu_s"] for t in taken[one.name]]
            if one.name in trouble or (times and times[0] > RUN_ONCE_ABOVE):
                continue
            took, text = run_once(options, one, here)
            if took is None:
                trouble[one.name] = text
                continue
            taken[one.name].append(took)
            if mapping.setdefault(one.name, text) != text:
                differs.add(one.name)
    rows = []
    for one in contestants:
        if trouble.get(one.name) == "":
            continue
        row = {"instance": instance.name, "group": instance.group, "ranks": ranks,
               "contestant": one.name, "peer": one.peer}
        if one.name in trouble:
            row["trouble"] = trouble[one.name]
        else:
            row.update(judge(options, here, mapping[one.name]))
            row["cpu_s"] = statistics.median(t["cpu_s"] for t in taken[one.name])
            row["memory_kib"] = max(t["memory_kib"] for t in taken[one.name])
            row["runs"] = len(taken[one.name])
            row["same_every_time"] = one.name not in differs
        rows.append(row)
        say(row)
    return rows
