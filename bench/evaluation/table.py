# SPDX-License-Identifier: BSD-3-Clause
"""The table: predicted and actual speed-ups, and whether they agree."""
import json
from statistics import mean, median

from configurations import APPLICATIONS, Configuration
from measure import Failure, folder, read_costs, read_runs

SHOWN = [("application", "%-11s"), ("tasks", "%5d"), ("algorithm", "%-11s"), ("mpi_share", "%9.1f"),
         ("linear_s", "%8.3f"), ("best_s", "%8.3f"), ("again_s", "%8.3f"), ("predicted", "%9.1f"),
         ("by_port", "%7.1f"), ("actual", "%7.1f"), ("noise", "%6.1f"), ("direction", "%s")]


def percent(part, whole):
    return 100 * part / whole


def row(options, configuration, runs):
    """What is known of a configuration, or None where runs are missing. Percentages of a run."""
    times = {}
    for one in runs:
        if (one["application"], int(one["tasks"])) == configuration:
            times.setdefault(one["placement"], []).append(one["seconds"])
    here = folder(options, configuration)
    if "again" not in times or not (here / "cost.json").exists():
        return None
    costs = read_costs(options, configuration)
    told = costs[options.objective]
    same = told["algorithm"] == "linear"
    if not same and "best" not in times:
        return None
    linear, again = median(times["linear"]), median(times["again"])
    best = linear if same else median(times["best"])
    return {"application": configuration.application, "tasks": configuration.tasks,
            "algorithm": told["algorithm"], "mpi_share": 100 * told["mpi_share"],
            "linear_cost_s": told["linear_cost_s"], "best_cost_s": told["cost_s"],
            "linear_s": linear, "best_s": best, "again_s": again,
            "runs": min(map(len, times.values())),
            "spread": percent(max(times["linear"]) - min(times["linear"]), linear),
            "predicted": 100 * told["run_gain_limit"], "by_port": 100 * costs["port"]["run_gain_limit"],
            "actual": percent(linear - best, linear), "noise": percent(abs(linear - again), linear)}


def judge(one, noise):
    """A prediction is right, wrong, or can't be told: the placements differ by less than `noise`."""
    if one["algorithm"] == "linear":
        return "best is linear"
    if abs(one["actual"]) <= noise:
        return "within noise"
    return "right" if one["predicted"] * one["actual"] > 0 else "WRONG"


def rows(options):
    """All rows and the noise: what the difference of linear from itself stays below in 95% of
    configurations, worked out from the median of these differences, which single disturbed ones
    don't move. Of normally distributed ones 95% are below 1.96 standard deviations and half are
    below 0.6745."""
    runs = read_runs(options.results / "runs.tsv")
    found = [row(options, c, runs) for c in options.configurations]
    found = [one for one in found if one]
    if not found:
        raise Failure("%s: no configuration has all its runs, expected `evaluate run` before" %
                      options.results)
    noise = 1.96 / 0.6745 * median(one["noise"] for one in found)
    for one in found:
        one["direction"] = judge(one, max(noise, one["noise"]))
    return found, noise


def averages(found):
    """(title, predicted, actual) by application and over all configurations."""
    groups = [(name, [one for one in found if one["application"] == name]) for name in APPLICATIONS]
    groups.append(("all", found))
    return [(title, mean(one["predicted"] for one in group), mean(one["actual"] for one in group))
            for title, group in groups if group]


def summary(options, found, noise):
    missing = len(options.configurations) - len(found)
    best = max(found, key=lambda one: one["actual"])
    slower = [one for one in found if one["actual"] < -max(noise, one["noise"])]
    told = [one for one in found if one["direction"] in ("right", "WRONG")]
    wrong = [one for one in told if one["direction"] == "WRONG"]
    names = ", ".join("%s %d" % (one["application"], one["tasks"]) for one in found
                      if one in slower or one in wrong)
    lines = ["%d configurations, at least %d runs of each placement%s" %
             (len(found), min(one["runs"] for one in found),
              "; missing: %d" % missing if missing else "")]
    lines += ["mean speed-up, %s: predicted %.1f%%, actual %.1f%%" % each for each in averages(found)]
    lines += ["best actual speed-up: %.1f%% (%s on %d tasks)" % (best["actual"], best["application"],
                                                              best["tasks"]),
              "noise, linear against itself: %.1f%% (median), %.1f%% (95%%, from the median), "
              "%.1f%% (largest)" % (median(one["noise"] for one in found), noise,
                                    max(one["noise"] for one in found)),
              "made slower by more than the noise: %d" % len(slower),
              "differ by more than the noise: %d, of these predicted in the right direction: %d" %
              (len(told), len(told) - len(wrong))]
    return lines + (["see: " + names] if names else [])


def write(options):
    found, noise = rows(options)
    columns = list(found[0])
    text = "\t".join(columns) + "\n"
    for one in found:
        text += "\t".join("%.6g" % v if isinstance(v, float) else str(v) for v in one.values()) + "\n"
    (options.results / "table.tsv").write_text(text)
    (options.results / "table.json").write_text(
        json.dumps({"noise": noise, "rows": found}, indent=1) + "\n")
    lines = [" ".join(name.ljust(len(form % (0 if form[-1] in "df" else ""))) for name, form in SHOWN)]
    lines += [" ".join(form % one[name] for name, form in SHOWN) for one in found]
    text = "\n".join(line.rstrip() for line in lines + [""] + summary(options, found, noise)) + "\n"
    (options.results / "table.txt").write_text(text)
    print(text, end="")
