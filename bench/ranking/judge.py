# SPDX-License-Identifier: BSD-3-Clause
"""How well each model's predictions rank and meet what was measured."""
import itertools
import statistics

import models

REALLY = 1.10  # pairs count whose measured times differ by more than this ratio
NAN = float("nan")


def ranks(values):
    """Ranks from 1; equal values share the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    for _, group in itertools.groupby(enumerate(order), key=lambda item: values[item[1]]):
        group = list(group)
        for _, i in group:
            result[i] = statistics.fmean(place for place, _ in group) + 1
    return result


def spearman(a, b):
    """Pearson's correlation of the ranks; not a number where one side is all equal."""
    x, y = ranks(a), ranks(b)
    if len(set(x)) < 2 or len(set(y)) < 2:
        return NAN
    return statistics.correlation(x, y)


def pairs(predicted, measured):
    """(right, all) of the pairs that really differ. Equal predictions are wrong: they give no
    order."""
    right = total = 0
    for (p, m), (q, n) in itertools.combinations(zip(predicted, measured), 2):
        if max(m, n) > REALLY * min(m, n):
            total += 1
            right += (p - q) * (m - n) > 0
    return right, total


def scale(predicted, measured):
    """The factor that makes the squares of the relative errors least."""
    ratio = [p / m for p, m in zip(predicted, measured)]
    return sum(ratio) / sum(r * r for r in ratio) if any(ratio) else 0.0


def errors(kind, predicted, measured):
    """Relative errors, signed. Figures without a unit of time are first scaled."""
    factor = scale(predicted, measured) if kind == "traffic" else 1.0
    return [factor * p / m - 1 for p, m in zip(predicted, measured)]


def judge_model(model, groups):
    """One row: groups are {pattern: [(predicted, measured)]}."""
    by_pattern, right, total, wrong_by = {}, 0, 0, []
    for pattern, cases in groups.items():
        if len(cases) < 2:
            continue
        predicted, measured = zip(*cases)
        by_pattern[pattern] = spearman(predicted, measured)
        r, t = pairs(predicted, measured)
        right, total = right + r, total + t
        wrong_by += errors(model.kind, predicted, measured)
    known = [value for value in by_pattern.values() if value == value]
    return {"model": model.name, "cases": len(wrong_by), "spearman": by_pattern,
            "spearman_mean": statistics.fmean(known) if known else NAN,
            "spearman_least": min(known) if known else NAN,
            "pairs": total, "pairs_right": right / total if total else NAN,
            "mean_absolute_error": statistics.fmean(map(abs, wrong_by)) if wrong_by else NAN,
            "worst_error": max(wrong_by, key=abs) if wrong_by else NAN,
            "bias": statistics.fmean(wrong_by) if wrong_by else NAN,
            "scaled": model.kind == "traffic"}


def join(predictions, measurements, least_s):
    """{model: {pattern: [(predicted, measured)]}} of phases of at least `least_s`."""
    measured = {(m["pattern"], m["placement"]): m["median_s"] for m in measurements
                if m["round"] == 0 and m["median_s"] >= least_s}
    joined = {}
    for line in predictions:
        key = line["pattern"], line["placement"]
        for name, figure in line["predicted"].items():
            if key in measured:
                groups = joined.setdefault(name, {})
                groups.setdefault(line["pattern"], []).append((figure, measured[key]))
    return joined


def noise(measurements):
    """What measuring again gives: the relative differences of those cases, and their ranks."""
    first = {(m["pattern"], m["placement"]): m["median_s"] for m in measurements if m["round"] == 0}
    both = [(m["median_s"], first[m["pattern"], m["placement"]]) for m in measurements
            if m["round"] == 1]
    if not both:
        return None
    differences = [again / once - 1 for again, once in both]
    return {"cases": len(both), "mean_absolute_difference": statistics.fmean(map(abs, differences)),
            "largest_difference": max(differences, key=abs),
            "spearman": spearman(*zip(*both)) if len(both) > 1 else NAN}


def judge(predictions, measurements, least_s=0.0):
    joined = join(predictions, measurements, least_s)
    return [judge_model(model, joined[model.name]) for model in models.MODELS
            if model.name in joined]


def largest_errors(predictions, measurements, name, count):
    """The cases that a model missed most: (relative error, predicted, measured, line)."""
    measured = {(m["pattern"], m["placement"]): m["median_s"] for m in measurements
                if m["round"] == 0}
    rows = []
    for line in predictions:
        m = measured.get((line["pattern"], line["placement"]))
        if m and name in line["predicted"]:
            p = line["predicted"][name]
            rows.append((p / m - 1, p, m, line))
    return sorted(rows, key=lambda row: -abs(row[0]))[:count]


def table(rows):
    """The judgement as text, a line for each model."""
    patterns = list(dict.fromkeys(p for row in rows for p in row["spearman"]))
    def cell(value, form):
        return "-" if value != value else format(value, form)
    head = ["model", "cases"] + patterns + ["mean", "pairs", "right", "MAE", "worst", "bias"]
    body = [[row["model"] + ("*" if row["scaled"] else ""), str(row["cases"])] +
            [cell(row["spearman"].get(p, NAN), ".3f") for p in patterns] +
            [cell(row["spearman_mean"], ".3f"), str(row["pairs"]),
             cell(row["pairs_right"], ".1%"), cell(row["mean_absolute_error"], ".1%"),
             cell(row["worst_error"], "+.1%"), cell(row["bias"], "+.1%")] for row in rows]
    widths = [max(len(line[i]) for line in [head] + body) for i in range(len(head))]
    return "\n".join("  ".join(text.ljust(w) if i == 0 else text.rjust(w)
                               for i, (text, w) in enumerate(zip(line, widths))).rstrip()
                     for line in [head] + body)


def figure(predictions, measurements, path):
    """Predicted over measured, a panel for each model. Needs matplotlib."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "berth"
    import matplotlib.pyplot as plt
    from matplotlib import ticker
    joined = join(predictions, measurements, 0.0)
    shown = [model for model in models.MODELS if model.name in joined]
    columns = (len(shown) + 1) // 2
    fig, axes = plt.subplots(2, columns, figsize=(3.2 * columns, 6.4), squeeze=False,
                             sharex=True, sharey=True)
    for axis in axes.flat[len(shown):]:
        axis.set_visible(False)
    for axis, model in zip(axes.flat, shown):
        for pattern, group in joined[model.name].items():
            predicted, measured = zip(*group)
            factor = scale(predicted, measured) if model.kind == "traffic" else 1
            axis.plot([m * 1e3 for m in measured], [p * factor * 1e3 for p in predicted], ".",
                      markersize=4, label=pattern)
        ends = [1e3 * f(m["median_s"] for m in measurements) for f in (min, max)]
        axis.plot(ends, ends, "k-", linewidth=0.6)
        axis.set(title=model.name + (" (scaled)" if model.kind == "traffic" else ""),
                 xscale="log", yscale="log")
        for side in (axis.xaxis, axis.yaxis):
            side.set_major_locator(ticker.FixedLocator([50, 100, 200, 400, 800, 1600]))
            side.set_major_formatter(ticker.ScalarFormatter())
            side.set_minor_locator(ticker.NullLocator())
    fig.supxlabel("measured, ms")
    fig.supylabel("predicted, ms")
    axes.flat[0].legend(fontsize=6)
    fig.tight_layout()
    fig.savefig(path, metadata={"Date": None})
