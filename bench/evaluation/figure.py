# SPDX-License-Identifier: BSD-3-Clause
"""The figure: predicted and actual speed-up side by side, as in the report's figures 7 and 9."""
from configurations import APPLICATIONS
from measure import Failure
from table import averages, rows

PREDICTED, ACTUAL = "#8da0cb", "#fc8d62"


def bars(axes, labels, predicted, actual, noise):
    places = range(len(labels))
    axes.bar([p - 0.2 for p in places], predicted, 0.4, label="predicted", color=PREDICTED)
    axes.bar([p + 0.2 for p in places], actual, 0.4, label="actual", color=ACTUAL)
    axes.axhspan(-noise, noise, color="0.85", zorder=0, label="noise: linear against itself")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xticks(list(places), labels)
    axes.set_ylabel("speed-up, %")
    axes.margins(x=0.01)


def write(options):
    try:
        import matplotlib
    except ImportError as error:
        raise Failure("python3-matplotlib is missing (./install-packages.sh bench)") from error
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "berth"  # the same data give the same file
    from matplotlib import pyplot

    found, noise = rows(options)
    names = [name for name in APPLICATIONS if any(one["application"] == name for one in found)]
    sheet, all_axes = pyplot.subplots(len(names) + 1, 1, figsize=(9, 2.6 * (len(names) + 1)),
                                      sharey=True, squeeze=False)
    for name, axes in zip(names, all_axes[:, 0]):
        group = [one for one in found if one["application"] == name]
        _, predicted, actual = averages(group)[-1]
        bars(axes, [one["tasks"] for one in group] + ["average"],
             [one["predicted"] for one in group] + [predicted],
             [one["actual"] for one in group] + [actual], noise)
        axes.set_title(APPLICATIONS[name].title)
        axes.set_xlabel("MPI tasks")
    titles, predicted, actual = zip(*averages(found))
    bars(all_axes[-1, 0], titles, predicted, actual, noise)
    all_axes[-1, 0].set_title("averages")
    all_axes[0, 0].legend(fontsize="small")
    sheet.tight_layout()
    for kind in "svg", "png":
        file = options.results / ("speedup." + kind)
        sheet.savefig(file, dpi=150, metadata={"Date": None} if kind == "svg" else None)
        print("%s written" % file)
