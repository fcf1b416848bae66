# SPDX-License-Identifier: BSD-3-Clause
"""Traces, predictions and runs. All files are below the results' folder:

settings.json                     what may not change between two sessions of one evaluation
topology.json                     the testbed
APPLICATION-TASKS/trace.acp       traced on the testbed under the linear placement
APPLICATION-TASKS/linear.*, best.*, cost.json     mappings, rankfiles, and what berth says of them
runs.tsv                          one line per run, appended as it ends
mappers.tsv                       the same of the runs that compare mappers (mappers.py)
"""
import datetime
import json
import os
import re
import shlex
import subprocess
from contextlib import contextmanager
from pathlib import Path

from configurations import APPLICATIONS, Configuration

LINE = re.compile(r"^(\w+): (\d+) tasks, .*, checksum ([0-9a-f]{16}), ([0-9.]+) s$", re.M)
COLUMNS = ["application", "tasks", "placement", "repetition", "seconds", "checksum", "when"]
LONGEST = 300  # seconds that a run may take


class Failure(Exception):
    """What the user is told in one line."""
    code = 1


class BadInput(Failure):
    """A file that can't be read, or isn't what it should be."""
    code = 3


def read_text(path):
    try:
        return path.read_text()
    except OSError as error:
        raise BadInput("%s: cannot read: %s" % (path, error.strerror)) from error
    except UnicodeDecodeError as error:
        raise BadInput("%s: not text" % path) from error


def read_json(path, *keys):
    """The object in a file, which must have these keys."""
    try:
        found = json.loads(read_text(path))
    except ValueError as error:
        raise BadInput("%s: not valid JSON: %s" % (path, error)) from error
    for key in keys:
        if not isinstance(found, dict) or key not in found:
            raise BadInput("%s: found no '%s', expected an object with %s" %
                           (path, key, ", ".join(keys)))
    return found


def call(command, **more):
    """Runs a command and returns its standard output."""
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False, **more)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failure("%s: %s" % (command[0], error)) from error
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise Failure("%s: exit code %d: %s" % (" ".join(map(str, command)), done.returncode,
                                               lines[-1] if lines else "no message"))
    return done.stdout


def build(options):
    call(["make", "-s", "-C", options.here, "OUT=%s" % (options.results / "bin"),
          "BUILD=%s" % options.build.resolve()])


def folder(options, configuration):
    return options.results / ("%s-%d" % configuration)


# --- the testbed -----------------------------------------------------------------------------------


class Testbed:
    """A testbed that is up, and runs on it."""

    def __init__(self, options):
        self.options = options
        root = options.here.parent.parent
        self.command = [root / "testbed" / "testbed", "--name", "evaluation-%d" % os.getpid()]

    def up(self):
        call(self.command[:3] + ["--rate", str(self.options.rate), "up"])

    def down(self):
        call(self.command + ["down"])

    def run(self, configuration, rankfile, preload="", variables=None):
        """Runs a configuration once; returns (seconds, checksum)."""
        name = configuration.application
        program = self.options.results / "bin"
        libraries = ":".join(filter(None, [str(preload), str(program / "own_core.so")]))
        given = {"LD_PRELOAD": libraries, **(variables or {})}
        exports = [word for key, value in given.items() for word in ("-x", "%s=%s" % (key, value))]
        output = call(shlex.split(self.options.before) + self.command + ["run", rankfile] + exports +
                      [program / name] + APPLICATIONS[name].arguments, timeout=LONGEST)
        found = LINE.search(output)
        if not found or found[1] != name or int(found[2]) != configuration.tasks:
            raise Failure("%s on %d tasks printed '%s', expected its line" %
                          (name, configuration.tasks, output.strip()))
        return float(found[4]), found[3]


@contextmanager
def testbed(options):
    bed = Testbed(options)
    busy = call([options.here.parent.parent / "testbed" / "busy.sh"]).strip()
    if busy:
        print(busy, flush=True)
    bed.up()
    try:
        yield bed
    finally:
        bed.down()


# --- settings --------------------------------------------------------------------------------------


def prepare(options):
    """Makes the results' folder, its topology and its programs; refuses to mix evaluations."""
    settings = {"rate": options.rate, "objective": options.objective,
                "arguments": {name: app.arguments for name, app in APPLICATIONS.items()}}
    if options.topology:
        settings["topology"] = read_json(options.topology, "format", "root")
        topology = read_text(options.topology)
    else:
        topology = call([options.here.parent.parent / "testbed" / "topology.sh", options.rate])
        settings["topology"] = json.loads(topology)
    file = options.results / "settings.json"
    try:
        options.results.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput("%s: cannot make the folder: %s" % (options.results, error.strerror)) from error
    if file.exists():
        for key, value in read_json(file, *settings).items():
            if settings.get(key) != value:
                raise BadInput("%s: another %s than now, expected an evaluation with the same; "
                              "--results names another folder" % (file, key))
    else:
        (options.results / "topology.json").write_text(topology)
        file.write_text(json.dumps(settings, indent=1) + "\n")
    build(options)


# --- predictions -----------------------------------------------------------------------------------


def berth(options, *words):
    return call([options.build / "berth", *words])


def place(options, here, algorithm, pattern, rankfile=True):
    """Maps; with `pattern` any of the right number of ranks."""
    words = ["map", "--pattern", pattern, "--topology", options.results / "topology.json",
             "--algorithm", algorithm, "--model", options.objective, "--mapping", here / (algorithm + ".json")]
    berth(options, *words, *(["--rankfile", here / (algorithm + ".rankfile")] if rankfile else []))


def empty_pattern(tasks):
    """A pattern of so many ranks that say nothing, to place them linearly before there is a trace."""
    return ('{"format":"berth-pattern","version":1,"ranks":%d,"command":[],"mpi":"","created":""}\n'
            '{"kind":"end","records":0}\n' % tasks)


def trace(options, bed, configuration, here):
    """Records a run under the linear placement."""
    here.mkdir(exist_ok=True)
    (here / "empty.acp").write_text(empty_pattern(configuration.tasks))
    place(options, here, "linear", here / "empty.acp")
    library = berth(options, "trace", "--library", "openmpi").strip()
    bed.run(configuration, here / "linear.rankfile", library,
            {"BERTH_TRACE_FILE": here / "trace.acp", "BERTH_TRACE_SITES": 0,
             "BERTH_TRACE_ORDER": 1})


def read_costs(options, configuration):
    """What berth said of the configuration's best placement, by model."""
    file = folder(options, configuration) / "cost.json"
    costs = read_json(file, "port", options.objective)
    wanted = {"algorithm", "mpi_share", "run_gain_limit", "cost_s", "linear_cost_s"}
    for model in "port", options.objective:
        if not isinstance(costs[model], dict) or wanted - set(costs[model]):
            raise BadInput("%s: %s: expected an object with %s; `evaluate predict` makes it anew when "
                           "it is gone" % (file, model, ", ".join(sorted(wanted))))
    return costs


def record(options, bed, configuration):
    """Traces the configuration where that isn't done yet."""
    here = folder(options, configuration)
    if not (here / "trace.acp").exists():
        trace(options, bed, configuration, here)


def predict(options, bed, configuration):
    """Traces the configuration, maps it, and notes what berth says."""
    here = folder(options, configuration)
    if (here / "cost.json").exists():
        read_costs(options, configuration)
        return
    record(options, bed, configuration)
    for algorithm in "linear", "best":
        place(options, here, algorithm, here / "trace.acp")
    costs = {}
    for model in "port", "bound", "flow":
        costs[model] = json.loads(berth(
            options, "cost", "--pattern", here / "trace.acp", "--topology",
            options.results / "topology.json", "--mapping", here / "best.json", "--model", model,
            "--alone", 0, "--json"))["results"][0]
    (here / "cost.json.new").write_text(json.dumps(costs, indent=1) + "\n")
    (here / "cost.json.new").rename(here / "cost.json")


def best_is_linear(options, configuration):
    linear, best = (read_json(folder(options, configuration) / name, "pu_of_rank")["pu_of_rank"]
                    for name in ("linear.json", "best.json"))
    return linear == best


# --- runs ------------------------------------------------------------------------------------------


def read_runs(file):
    """The runs so far, as dictionaries."""
    if not file.exists():
        return []
    lines = read_text(file).splitlines() or [""]
    if lines[0].split("\t") != COLUMNS:
        raise BadInput("%s:1: '%s', expected the columns %s" % (file, lines[0], " ".join(COLUMNS)))
    runs = []
    for number, line in enumerate(lines[1:], 2):
        words = line.split("\t")
        if len(words) != len(COLUMNS) or not re.fullmatch(r"[0-9]+", words[1]) or \
                not re.fullmatch(r"[0-9]+(\.[0-9]+)?", words[4]):
            raise BadInput("%s:%d: '%s', expected a run: %s" % (file, number, line, " ".join(COLUMNS)))
        runs.append(dict(zip(COLUMNS, words), seconds=float(words[4])))
    return runs


def append_run(file, configuration, placement, repetition, seconds, checksum):
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    words = [*configuration, placement, repetition, "%.3f" % seconds, checksum, now]
    with file.open("a") as out:
        if out.tell() == 0:
            out.write("\t".join(COLUMNS) + "\n")
        out.write("\t".join(map(str, words)) + "\n")


class Runs:
    """A file of runs, and what is missing of them."""

    def __init__(self, file):
        self.file = file
        self.done = set()
        self.checksum = {}
        for old in read_runs(file):
            self.done.add(tuple(old[key] for key in COLUMNS[:4]))
            self.checksum[old["application"], int(old["tasks"])] = old["checksum"]

    def add(self, bed, configuration, placement, rankfile, repetition):
        """Runs a placement once more, unless that is there already."""
        key = (configuration.application, str(configuration.tasks), placement, str(repetition))
        if key in self.done:
            return
        seconds, checksum = bed.run(configuration, rankfile)
        expected = self.checksum.setdefault(configuration, checksum)
        if checksum != expected:
            raise Failure("%s on %d tasks, %s: checksum %s, expected %s as in its other runs" %
                          (*configuration, placement, checksum, expected))
        append_run(self.file, configuration, placement, repetition, seconds, checksum)
        self.done.add(key)
        print("%s %d: %s, repetition %d: %.3f s" % (*configuration, placement, repetition + 1,
                                                    seconds), flush=True)


def run(options, runs=True):
    """Whatever is missing: first all predictions, then the runs, repetition by repetition, so that
    slow changes of the machine meet all configurations alike."""
    prepare(options)
    with testbed(options) as bed:
        for configuration in options.configurations:
            predict(options, bed, configuration)
            told = read_costs(options, configuration)[options.objective]
            print("%s %d: predicted %+.1f%% of the run (%s)" %
                  (*configuration, 100 * told["run_gain_limit"], told["algorithm"]), flush=True)
        kept = Runs(options.results / "runs.tsv")
        for repetition in range(options.repetitions if runs else 0):
            for configuration in options.configurations:
                placements = ["linear", "again"] if best_is_linear(options, configuration) else \
                    ["linear", "best", "again"]
                for placement in placements:  # in turns
                    name = "best" if placement == "best" else "linear"
                    kept.add(bed, configuration, placement,
                             folder(options, configuration) / (name + ".rankfile"), repetition)


# --- what the testbed adds -------------------------------------------------------------------------

VARIANTS = {"own cores": {}, "as bound": {"EVALUATION_AS_BOUND": 1}}
# Two placements of eight ranks that differ in their slots alone: both of each of four hosts, and
# slot 0 of each of eight.
SLOTS = {"both slots": lambda r: (r // 2, r % 2), "slots 0": lambda r: (r, 0)}


def fairness(options):
    """Times the applications on eight tasks with empty messages: what computing costs by
    placement, with the ranks' own cores emulated and without."""
    prepare(options)
    print("application\tcores\tplacement\tmedian_s\tlowest_s\thighest_s")
    with testbed(options) as bed:
        for name in {c.application: None for c in options.configurations}:
            times = {}
            for _ in range(options.repetitions):
                for cores, variables in VARIANTS.items():
                    for slots, place_of in SLOTS.items():
                        rankfile = options.results / "slots.rankfile"
                        rankfile.write_text("".join("rank %d=h%d slot=%d\n" % (r, *place_of(r))
                                                    for r in range(8)))
                        seconds, _ = bed.run(Configuration(name, 8), rankfile, "",
                                             {"EVALUATION_EMPTY_MESSAGES": 1, **variables})
                        times.setdefault((cores, slots), []).append(seconds)
            for key, found in times.items():
                found.sort()
                print("%s\t%s\t%s\t%.3f\t%.3f\t%.3f" % (name, *key, found[len(found) // 2], found[0],
                                                        found[-1]), flush=True)


def headroom(options):
    """Prices random placements and what hill climbing makes of them, beside linear and best."""
    prepare(options)
    program = options.results / "bin" / "headroom"
    call(["make", "-s", "-C", options.here, "OUT=%s" % program.parent,
          "BUILD=%s" % options.build.resolve(), program])
    print("application\ttasks\tlinear_ms\tbest_ms\tsample_ms\tclimbed_ms\tbest_gain\tclimbed_gain")
    for configuration in options.configurations:
        trace = folder(options, configuration) / "trace.acp"
        if not trace.exists():
            raise Failure("%s: not there, expected `evaluate predict` before" % trace)
        words = call([program, trace, Path(options.results / "topology.json")]).split()
        linear, best, _, climbed = map(float, words)
        print("%s\t%d\t%s\t%.1f%%\t%.1f%%" % (*configuration, "\t".join(words),
                                              100 * (1 - best / linear), 100 * (1 - climbed / linear)))
