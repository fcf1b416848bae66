# SPDX-License-Identifier: BSD-3-Clause
"""The table and its summary."""
import math
from collections import namedtuple

Column = namedtuple("Column", "title width text")


def number(value):
    return "%d" % value if value == int(value) else "%.1f" % value


COLUMNS = [
    Column("instance", -13, lambda r: r["instance"]),
    Column("ranks", 7, lambda r: "%d" % r["ranks"]),
    Column("contestant", -20, lambda r: r["contestant"]),
    Column("J", 14, lambda r: number(r["J"])),
    Column("feasible", -8, lambda r: "yes" if r["feasible"] else "%d over" % r["crowded"]),
    Column("top port", 10, lambda r: number(r["max_port"][-1])),
    Column("bottleneck", 12, lambda r: number(r["bottleneck"])),
    Column("CPU s", 9, lambda r: "%.4f" % r["cpu_s"]),
    Column("MiB", 7, lambda r: "%.1f" % (r["memory_kib"] / 1024)),
]


def pad(text, width):
    return text.ljust(-width) if width < 0 else text.rjust(width)


def heading():
    return " ".join(pad(c.title, c.width) for c in COLUMNS).rstrip()


def line(row):
    if "trouble" in row:
        return " ".join(pad(c.text(row), c.width) for c in COLUMNS[:3]) + "  " + row["trouble"]
    text = " ".join(pad(c.text(row), c.width) for c in COLUMNS).rstrip()
    return text + ("" if row["same_every_time"] else "  differs from run to run")


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def judged(rows, feasible=True):
    return [r for r in rows if "trouble" not in r and (r["feasible"] or not feasible)]


def bests(rows, measure):
    """For each instance the least of the feasible peers."""
    least = {}
    for r in judged(rows):
        if r["peer"]:
            least[r["instance"]] = min(r[measure], least.get(r["instance"], math.inf))
    return least


def ratios(rows, name, measure, least, feasible=True):
    return [r[measure] / least[r["instance"]] for r in judged(rows, feasible)
            if r["contestant"] == name and r[measure] > 0 and least.get(r["instance"])]


def summaries(rows):
    """For each contestant how it stands to the best feasible peer of each instance, and to Scotch's
    default, feasible or not."""
    least = {measure: bests(rows, measure) for measure in ("J", "bottleneck")}
    scotch = {r["instance"]: r for r in judged(rows, False) if r["contestant"] == "scotch default"}
    found = []
    for name in dict.fromkeys(r["contestant"] for r in rows):
        own = [r for r in rows if r["contestant"] == name]
        done = judged(own, False)
        found.append({
            "contestant": name, "instances": len(own), "mapped": len(done),
            "feasible": len(judged(own)),
            "J": geometric_mean(ratios(own, name, "J", least["J"])),
            "J_with_infeasible": geometric_mean(ratios(own, name, "J", least["J"], False)),
            "bottleneck": geometric_mean(ratios(own, name, "bottleneck", least["bottleneck"])),
            "J_not_above": sum(x <= 1 for x in ratios(own, name, "J", least["J"])),
            "J_scotch": sum(r["J"] <= scotch[r["instance"]]["J"] for r in judged(own)
                            if r["instance"] in scotch),
            **cpu_ratios(done, scotch)})
    return found


def cpu_ratios(rows, scotch):
    """Of the CPU time to that of Scotch's default: their mean, the most, how many are at most 1."""
    found = [max(r["cpu_s"], 1e-4) / max(scotch[r["instance"]]["cpu_s"], 1e-4)
             for r in rows if r["instance"] in scotch]
    return {"cpu": geometric_mean(found), "cpu_most": max(found, default=math.nan),
            "cpu_not_above": sum(x <= 1 for x in found)}


SUMMARY = [("contestant", -20, "%s"), ("instances", 9, "%d"), ("feasible", 8, "%d"),
           ("J", 8, "%.3f"), ("J_with_infeasible", 17, "%.3f"), ("J_not_above", 11, "%d"),
           ("J_scotch", 8, "%d"), ("bottleneck", 10, "%.3f"), ("cpu", 8, "%.2f"),
           ("cpu_most", 8, "%.2f"), ("cpu_not_above", 13, "%d")]


def summary(rows):
    lines = ["Geometric means over the instances: J and bottleneck of feasible mappings over those "
             "of the best",
             "feasible peer of each instance (J_with_infeasible: of all mappings), J_not_above: on "
             "how many",
             "instances J is at most that peer's, J_scotch: at most that of Scotch's default, "
             "feasible or not;",
             "CPU over that of Scotch's default: mean, most, on how many instances it is not above.", "",
             " ".join(pad(title, width) for title, width, _ in SUMMARY).rstrip()]
    for one in summaries(rows):
        lines.append(" ".join(
            pad("-" if one[title] != one[title] else form % one[title], width)
            for title, width, form in SUMMARY).rstrip())
    return "\n".join(lines + ["", *per_instance(rows)]) + "\n"


def per_instance(rows):
    """The best peer and the best of berth on each instance, by J and by bottleneck."""
    yield "%-13s %6s %14s %-17s %14s %-17s %6s %12s %12s %6s" % (
        "instance", "ranks", "J of a peer", "which", "J of berth", "which", "ratio", "bottleneck",
        "of berth", "ratio")
    for name in dict.fromkeys(r["instance"] for r in rows):
        done = judged([r for r in rows if r["instance"] == name])
        least = {(peer, measure): min((r for r in done if r["peer"] == peer),
                                      key=lambda r, m=measure: r[m], default=None)
                 for peer in (True, False) for measure in ("J", "bottleneck")}
        if not all(least.values()):
            yield "%-13s %s" % (name, "no feasible mapping by " +
                                ("a peer" if least[False, "J"] else "berth"))
            continue
        peer, own = least[True, "J"], least[False, "J"]
        port, own_port = least[True, "bottleneck"], least[False, "bottleneck"]
        yield "%-13s %6d %14s %-17s %14s %-17s %6.3f %12s %12s %6.3f" % (
            name, peer["ranks"], number(peer["J"]), peer["contestant"], number(own["J"]),
            own["contestant"], own["J"] / peer["J"], number(port["bottleneck"]),
            number(own_port["bottleneck"]), own_port["bottleneck"] / port["bottleneck"])
