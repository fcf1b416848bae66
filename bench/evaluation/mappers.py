# SPDX-License-Identifier: BSD-3-Clause
"""berth's mappers beside each other, the report's greedy among them: what they are predicted to
gain over linear, and what runs gain. APPLICATION-TASKS/mappers.json says what each mapper made."""
import json
from statistics import mean, median

import measure

# In the order in which they are shown. A placement that one before has made already isn't run again.
MAPPERS = ["linear", "round-robin", "random", "greedy", "metis", "geometric", "refine", "best"]
NOISE = 3  # percent of the run that linear differs from itself in 95% of configurations, README.md


def place(options, configuration):
    """Maps by each mapper and notes its costs, and which mapper before it made the same."""
    here = measure.folder(options, configuration)
    made, told = {}, {}
    for name in MAPPERS:
        measure.place(options, here, name, here / "trace.acp")
        placement = tuple(measure.read_json(here / (name + ".json"), "pu_of_rank")["pu_of_rank"])
        made.setdefault(placement, name)
        told[name] = {"same_as": made[placement]}
    costs = json.loads(measure.berth(
        options, "cost", "--pattern", here / "trace.acp", "--topology",
        options.results / "topology.json", "--model", options.objective, "--alone", 0, "--json",
        *(word for name in MAPPERS for word in ("--mapping", here / (name + ".json")))))
    for name, result in zip(MAPPERS, costs["results"]):
        told[name].update({key: result[key] for key in ("cost_s", "run_gain_limit")})
    (here / "mappers.json.new").write_text(json.dumps(told, indent=1) + "\n")
    (here / "mappers.json.new").rename(here / "mappers.json")


def read(options, configuration):
    file = measure.folder(options, configuration) / "mappers.json"
    told = measure.read_json(file, *MAPPERS)
    for name in MAPPERS:
        if not isinstance(told[name], dict) or {"same_as", "cost_s", "run_gain_limit"} - set(told[name]):
            raise measure.BadInput("%s: %s: expected an object with same_as, cost_s, run_gain_limit; "
                                   "`evaluate mappers` makes it anew when it is gone" % (file, name))
    return told


def gains(options):
    """For each configuration whose runs are there [(predicted, actual gain of the run in percent)
    of each mapper]."""
    times = {}
    for run in measure.read_runs(options.results / "mappers.tsv"):
        key = (run["application"], int(run["tasks"]), run["placement"])
        times.setdefault(key, []).append(run["seconds"])
    found = {}
    for configuration in options.configurations:
        if (*configuration, "linear") not in times:
            continue
        told = read(options, configuration)
        seconds = [median(times.get((*configuration, told[name]["same_as"]), [0])) for name in MAPPERS]
        if all(seconds):
            found[configuration] = [(100 * told[name]["run_gain_limit"], 100 * (1 - s / seconds[0]))
                                    for name, s in zip(MAPPERS, seconds)]
    if not found:
        raise measure.Failure("%s: no configuration has all its runs, expected `evaluate mappers` "
                              "before" % options.results)
    return found


def write(options):
    """Prints the table and writes it to mappers.txt."""
    found = gains(options)
    shown = list(enumerate(MAPPERS))[1:]
    lines = ["predicted and actual gain over linear, percent of the run", "",
             "%-11s %5s" % ("application", "tasks") + "".join("%16s" % name for _, name in shown)]
    for configuration, row in found.items():
        lines.append("%-11s %5d" % configuration + "".join("%9.1f %6.1f" % row[k] for k, _ in shown))
    lines += ["", "%d configurations; behind: the fastest mapper's gain less this one's, on average" %
              len(found), "",
              "%-11s %9s %6s %6s %6s %7s %6s" %
              ("mapper", "predicted", "actual", "least", "most", "slower", "behind")]
    for k, name in shown:
        actual = [row[k][1] for row in found.values()]
        lines.append("%-11s %9.1f %6.1f %6.1f %6.1f %7d %6.1f" %
                     (name, mean(row[k][0] for row in found.values()), mean(actual), min(actual),
                      max(actual), sum(one < -NOISE for one in actual),
                      mean(max(one[1] for one in row) - row[k][1] for row in found.values())))
    text = "\n".join(lines) + "\n"
    (options.results / "mappers.txt").write_text(text)
    print(text, end="")


def compare(options):
    """Whatever is missing: traces, placements, runs; then the table."""
    measure.prepare(options)
    with measure.testbed(options) as bed:
        for configuration in options.configurations:
            measure.record(options, bed, configuration)
            if not (measure.folder(options, configuration) / "mappers.json").exists():
                place(options, configuration)
        kept = measure.Runs(options.results / "mappers.tsv")
        for repetition in range(options.repetitions):
            for configuration in options.configurations:
                here = measure.folder(options, configuration)
                told = read(options, configuration)
                for name in MAPPERS:
                    if told[name]["same_as"] == name:
                        kept.add(bed, configuration, name, here / (name + ".rankfile"), repetition)
    write(options)
