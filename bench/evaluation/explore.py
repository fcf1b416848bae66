# SPDX-License-Identifier: BSD-3-Clause
"""Where linear, the report's greedy and the other mappers stand among all placements (the report's
section 9 asks for it): `berth explore` of every configuration."""
import json
from statistics import mean

import measure

MAPPERS = ["linear", "round-robin", "greedy", "metis", "geometric", "refine", "best"]
SAMPLES = 10000


def explore(options, configuration):
    here = measure.folder(options, configuration)
    text = measure.berth(options, "explore", "--pattern", here / "trace.acp", "--topology",
                         options.results / "topology.json", "--model", options.objective,
                         "--samples", SAMPLES, "--algorithms", ",".join(MAPPERS), "--json")
    (here / "explore.json").write_text(text)
    return json.loads(text)


def row(configuration, found):
    """Costs over the median of the samples, in percent; of each mapper also the share of samples
    that are dearer."""
    at = {q["share"]: q["cost_s"] for q in found["quantiles"]}
    median = at[0.5] or 1
    spread = [100 * at[share] / median for share in (0, 0.01, 0.99, 1)]
    placed = {p["name"]: (100 * p["cost_s"] / median, 100 * p["dearer"]) for p in found["placements"]}
    return configuration, spread, [placed.get(name) for name in MAPPERS]


def write(options, rows):
    lines = ["Costs in percent of the median of %d random placements (model %s): the cheapest sample, "
             "the 1%% and 99%% quantiles," % (SAMPLES, options.objective),
             "the dearest; of each mapper its cost, and the percentage of the samples that are dearer",
             "", "%-11s %5s %6s %6s %6s %6s" % ("application", "tasks", "least", "1%", "99%", "most") +
             "".join("%15s" % name for name in MAPPERS)]
    for (application, tasks), spread, placed in rows:
        lines.append("%-11s %5d" % (application, tasks) + "".join("%7.1f" % x for x in spread) +
                     "".join("%8.1f %5.1f%%" % p if p else "%15s" % "-" for p in placed))
    lines += ["", "%d configurations; means" % len(rows)]
    for k, name in enumerate(MAPPERS):
        served = [placed[k] for _, _, placed in rows if placed[k]]
        lines.append("%-12s cost %6.1f%% of the median, dearer samples %5.1f%%; no sample cheaper in %d of %d" %
                     (name, mean(p[0] for p in served), mean(p[1] for p in served),
                      sum(p[0] <= spread[0] * (1 + 1e-9) for (_, spread, placed) in rows
                          for p in [placed[k]] if p), len(served)))
    text = "\n".join(lines) + "\n"
    (options.results / "explore.txt").write_text(text)
    print(text, end="")


def run(options):
    """Traces what isn't traced yet; then the table."""
    measure.prepare(options)
    rows = []
    with measure.testbed(options) as bed:
        for configuration in options.configurations:
            measure.record(options, bed, configuration)
    for configuration in options.configurations:
        rows.append(row(configuration, explore(options, configuration)))
    write(options, rows)
