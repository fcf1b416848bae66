# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of patterns, machines and loads, drawn by matplotlib.

matplotlib is imported when a function is called; MissingError if it isn't there. Each function
draws into `axes` (None: new ones) and returns them, so that you can add to the picture and save it:
berth.plot.matrix(pattern).figure.savefig("matrix.pdf")."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, NamedTuple

from ._check import whole
from .errors import UsageError
from .frames import needed

if TYPE_CHECKING:
    from .cost import Cost
    from .pattern import Pattern
    from .topology import Topology

__all__ = ["loads", "matrix", "tree"]

MAX_LABELS = 64  # names in a picture
COLOURS = "viridis_r"  # the smallest values are still seen on white


def _axes(axes: Any, **size: Any) -> Any:
    if axes is not None:
        return axes
    return needed("matplotlib.pyplot", "plot").subplots(**size)[1]


def matrix(
    pattern: Pattern,
    what: str = "bytes",
    *,
    phase: int | str | None = None,
    cells: int = 256,
    axes: Any = None,
) -> Any:
    """Who sends how much to whom in the whole run, or in all occurrences of a phase: senders are
    rows, receivers columns, dark cells have much (the colours are logarithmic). `what` is "bytes"
    or "messages". With more than `cells` ranks a cell stands for several. Collective calls are in
    it if the pattern is of `Pattern.including`; if nothing is drawn, the title says why."""
    np = needed("numpy", "plot.matrix")
    colors = needed("matplotlib.colors", "plot.matrix")
    axes = _axes(axes)
    found = np.ma.masked_equal(pattern.matrix(what, phase, cells), 0)
    some = found.count() > 0
    norm = colors.LogNorm(found.min(), found.max()) if some and found.min() < found.max() else None
    ranks = pattern.ranks
    image = axes.imshow(
        found,
        norm=norm,
        cmap=COLOURS,
        extent=(-0.5, ranks - 0.5, ranks - 0.5, -0.5),
        interpolation="nearest",
    )
    axes.set(xlabel="to rank", ylabel="from rank")
    if some:
        axes.figure.colorbar(image, ax=axes, label=what)
    else:
        axes.set_title(_why_empty(pattern, what, phase))
    return axes


def _why_empty(pattern: Pattern, what: str, phase: int | str | None) -> str:
    where = "" if phase is None else f" in phase {phase}"
    of = None if phase is None else pattern.phase(phase).id
    if any(of in (None, c.phase) for c in pattern.collectives):
        return f"no messages{where}, collective calls only: see Pattern.including"
    if what == "bytes" and pattern.matrix("messages", phase, 1)[0][0] > 0:
        return f"messages without bytes{where}"
    return f"no messages{where}"


def loads(
    costs: Cost | Dict[str, Cost], *, phase: int | str | None = None, n: int = 12, axes: Any = None
) -> Any:
    """Bars of what the n most expensive ports cost, over all occurrences of all phases or in one
    occurrence of a phase. Several costs, with a name for each, stand side by side; the ports are
    those that are most expensive in any."""
    whole("n", n, 1)
    if not costs:
        raise UsageError("`costs`: found none, expected at least one")
    named = costs if isinstance(costs, dict) else {"": costs}
    of = {
        name: {load.port: load.cost_s for load in one.loads(phase)} for name, one in named.items()
    }
    worst: dict[Any, float] = {}
    for ports in of.values():
        for port, seconds in ports.items():
            worst[port] = max(seconds, worst.get(port, 0))
    shown = sorted(worst, key=lambda port: -worst[port])[:n]
    axes = _axes(axes, figsize=(7, 1 + 0.3 * len(shown)), layout="constrained")
    height = 0.8 / len(of)
    for i, (name, ports) in enumerate(of.items()):
        axes.barh(
            [k + i * height for k in range(len(shown))],
            [ports.get(port, 0) for port in shown],
            height,
            label=name or None,
        )
    axes.set_yticks(
        [k + 0.4 - height / 2 for k in range(len(shown))], [port.text for port in shown]
    )
    axes.invert_yaxis()
    distances = next(iter(named.values())).distances
    axes.set_xlabel("cost" if distances else "seconds")
    if any(named):
        axes.legend()
    return axes


class _Spot(NamedTuple):
    """Where an element is drawn."""

    x: float
    y: float


def tree(
    machine: Topology | Cost,
    *,
    phase: int | str | None = None,
    topology: Topology | None = None,
    axes: Any = None,
) -> Any:
    """The tree of a machine. Of a Cost, links have the colour of what they cost, the more expensive
    of both directions and ends, over all occurrences of all phases or in one occurrence of a phase.
    Large machines are drawn down to their hosts only; then a host has the colour of the most
    expensive link below it.
    """
    from .cost import Cost
    from .topology import Topology

    if not isinstance(machine, (Topology, Cost)):
        raise TypeError(f"`machine`: found {type(machine).__name__}, expected Topology or Cost")
    priced = None if isinstance(machine, Topology) else machine
    shape = topology or (machine if isinstance(machine, Topology) else machine.mapping.topology)
    elements = shape.elements
    with_pus = shape.n_pus <= MAX_LABELS
    shown = [
        e for e in elements if with_pus or e.host is None or shape.hosts[e.host].element == e.number
    ]
    spots = {e.number: _Spot(e.first_pu + (e.n_pus - 1) / 2, -e.depth) for e in shown}
    axes = _axes(axes, figsize=(8, 4), layout="constrained")
    lines = needed("matplotlib.collections", "plot.tree")
    below = [e for e in shown if e.parent is not None]
    segments = [_elbow(spots[e.number], spots[e.parent]) for e in below if e.parent is not None]
    collection = lines.LineCollection(segments, linewidths=2, zorder=1)
    if priced:
        _colour(
            axes,
            collection,
            [e.number for e in below],
            _by_link(priced, phase, elements, spots),
            priced.distances,
        )
    else:
        collection.set_color("grey")
    axes.add_collection(collection)
    axes.scatter(
        [s.x for s in spots.values()], [s.y for s in spots.values()], s=30, color="black", zorder=2
    )
    _label(axes, [(e.name, spots[e.number], e.n_children > 0) for e in shown])
    axes.autoscale_view()
    axes.margins(0.05, 0.15)
    axes.set_axis_off()
    return axes


def _elbow(child: _Spot, parent: _Spot) -> list[tuple[float, float]]:
    return [
        (child.x, child.y),
        (child.x, (child.y + parent.y) / 2),
        (parent.x, (child.y + parent.y) / 2),
        (parent.x, parent.y),
    ]


def _by_link(
    priced: Cost, phase: int | str | None, elements: Any, spots: dict[int, _Spot]
) -> dict[int, float]:
    """What the link above each drawn element costs; what lies below the drawing counts to its
    host."""
    found: dict[int, float] = {}
    for load in priced.loads(phase):
        e = load.port.element
        if load.port.port == "switch" and e in spots:
            continue
        while e not in spots:
            e = elements[e].parent
        found[e] = max(found.get(e, 0), load.cost_s)
    return found


def _colour(
    axes: Any, collection: Any, numbers: list[int], cost_of: dict[int, float], distances: bool
) -> None:
    values = needed("numpy", "plot.tree").array([cost_of.get(e, 0.0) for e in numbers])
    collection.set(array=values, cmap=COLOURS, clim=(0, max(values.max(initial=0), 1e-12)))
    axes.figure.colorbar(collection, ax=axes, label="cost" if distances else "seconds")


def _label(axes: Any, names: list[tuple[str, _Spot, bool]]) -> None:
    """Names beside switches and below leaves, if there are few."""
    if len(names) > MAX_LABELS:
        return
    for name, spot, inner in names:
        if inner:
            axes.annotate(name, spot, xytext=(5, 3), textcoords="offset points")
        else:
            axes.annotate(
                name,
                spot,
                xytext=(0, -5),
                textcoords="offset points",
                rotation=90,
                ha="center",
                va="top",
                fontsize="small",
            )
