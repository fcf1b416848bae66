# SPDX-License-Identifier: BSD-3-Clause
"""Costs: what a placement is estimated to cost, compared with the default order, and why.

Costs are seconds, or have no unit if the topology has distances. Members are named as in the JSON
of `berth cost` (docs/formats/cost.md)."""
from __future__ import annotations

import ctypes
import threading
from ctypes import POINTER, byref, c_int, c_size_t
from typing import TYPE_CHECKING, Any, Dict, Iterable, NamedTuple, Sequence

from . import _c, _text
from ._check import inputs, whole
from ._handle import Handle
from ._library import call, free, lib, listed, text
from ._problem import default_order, one_of, options, scope_options
from .errors import BadInputError, UsageError
from .mapping import Mapping, Placement, placed, pu_array

if TYPE_CHECKING:
    from .pattern import Pattern
    from .topology import Topology

__all__ = [
    "Bottleneck",
    "Compared",
    "Cost",
    "Coverage",
    "LevelCost",
    "Load",
    "PairLoad",
    "PhaseCost",
    "Port",
    "compare",
    "cost",
    "default_mapping",
]

MAX_PHASES = 8  # in an explanation
MODELS = tuple(model.name.lower() for model in _c.Model)


class Port(NamedTuple):
    """One direction of a port, or a switch as a whole."""

    text: str  # such as "uplink of h0, at A"
    element: int  # the lower element of the link, or the switch
    port: str  # which end of the link: "up" (the element's own), "down" (its parent's), or "switch"
    direction: str | None  # "out": away from the PUs; "in"; None for a switch

    def __str__(self) -> str:
        return self.text


class PairLoad(NamedTuple):
    """A pair of ranks whose messages cross a port, in one occurrence of a phase."""

    src: int
    dst: int
    messages: float
    bytes: float
    time_s: float


class Bottleneck(NamedTuple):
    """The most expensive port of a phase, in one occurrence."""

    phase: int
    port: Port
    bytes: float
    pairs_total: int  # pairs of ranks that load it
    pairs: tuple[PairLoad, ...]  # the slowest of them


class PhaseCost(NamedTuple):
    """The cost of a phase."""

    id: int
    name: str
    repeats: float
    cost_s: float  # of one occurrence
    total_s: float  # of all
    of_phase: int | None  # rounds of collective calls: the phase with the calls
    bottleneck: Bottleneck | None  # None: no message crosses a port that costs anything


class LevelCost(NamedTuple):
    """The links between depth - 1 and depth of the tree, and the switches at depth. Numbers are of
    all occurrences of all phases."""

    depth: int
    cost_s: float  # of its most expensive port; for model "sum" of all
    messages: float
    bytes: float
    busiest: Port | None


class Load(NamedTuple):
    """The cost and traffic of a port."""

    port: Port
    cost_s: float
    bytes: float


class Coverage(NamedTuple):
    """What an estimate includes. A message is one call, a collective call one for each rank."""

    calls: float
    bytes: float
    left_out_calls: float
    left_out_bytes: float
    unknown_calls: float  # known only by name, such as MPI-IO


class Cost:
    """An estimated placement. `berth.cost` makes it. It stays valid when the pattern and the
    topology are closed.

    Members: `sentence` (the comparison in words); `mapping`, `model`; `cost_s`, of which
    `packing_s` is for packing and `sharing_s` for shared cores, and its interval
    `interval_low_s` to `interval_high_s` (equal to the cost without these parts if the topology
    states no errors; infinite if it has no limit). Compared with the
    reference, which is the default order unless you asked for another one: `reference` and
    `reference_cost_s` (None: the ranks don't fit), `cost_gain` (a share), `verdict` ("cheaper",
    "dearer", "equal", "no verdict"), `moved` and `moved_hosts` (ranks on other PUs and hosts),
    `run_gain`, `run_gain_low`, `run_gain_high` (of the run time) and `run_gain_limit`; None:
    unknown. `mpi_share` and `mpi_explained`: the run's time in MPI, and what the estimate explains
    of it. `phases`, `levels` and `bottleneck` are the reasons, `coverage` what is included."""

    def __init__(
        self,
        pattern: Handle,
        topology: Handle,
        mapping: Mapping,
        model: int,
        reference: Mapping | None,
        assessment: Handle,
        distances: bool,
    ) -> None:
        self._pattern, self._topology, self._model = pattern, topology, model
        self._evaluator: Handle | None = None
        self._lock = threading.Lock()  # an evaluator serves one thread at a time
        self.mapping, self.reference, self.distances = mapping, reference, distances
        self.model = MODELS[model]
        self.sentence = self._sentence_of(assessment)
        self._take_estimates(assessment)
        self._take_reasons(lib.berth_assessment_reasons(assessment, 0).contents)
        c = lib.berth_cost_coverage(pattern)
        self.coverage = Coverage(
            c.calls, c.bytes, c.left_out_calls, c.left_out_bytes, c.unknown_calls
        )

    def _sentence_of(self, assessment: Handle) -> str:
        if self.reference is None:
            return "the default order doesn't fit"
        default = self.reference.algorithm == "linear"
        name = b"in the default order" if default else b"in the reference"
        room = ctypes.create_string_buffer(300)
        return text(lib.berth_assessment_sentence(assessment, 0, name, room, len(room)))

    def _take_estimates(self, assessment: Handle) -> None:
        e = lib.berth_assessment_estimate(assessment, 0).contents
        before = lib.berth_assessment_estimate(assessment, 1).contents.cost_s
        fits, known = before >= 0, e.run_gain_kind == _c.RunGain.KNOWN
        explained = lib.berth_assessment_explained(assessment, 0)
        share = lib.berth_pattern_mpi_share(self._pattern)
        self.cost_s: float = e.cost_s
        self.packing_s: float = e.packing_s
        self.sharing_s: float = e.sharing_s
        self.interval_low_s: float = e.interval.low
        self.interval_high_s: float = e.interval.high
        self.reference_cost_s: float | None = before if fits else None
        self.cost_gain: float | None = e.gain if fits else None
        self.moved: int = e.moved
        self.moved_hosts: int = e.moved_hosts
        self.verdict: str | None = text(lib.berth_verdict_name(e.verdict)) if fits else None
        self.run_gain_kind = _c.RunGain(e.run_gain_kind)
        self.run_gain: float | None = e.run_gain if known else None
        self.run_gain_low: float | None = e.run_gain_low if known else None
        self.run_gain_high: float | None = e.run_gain_high if known else None
        limited = known or e.run_gain_kind == _c.RunGain.LIMIT
        self.run_gain_limit: float | None = e.run_gain if limited else None
        self.mpi_share: float | None = share if share >= 0 else None
        self.mpi_explained: float | None = explained if explained >= 0 else None

    def _take_reasons(self, result: Any) -> None:
        self.phases: list[PhaseCost] = [
            self._phase(p) for p in listed(result.phases, result.n_phases)
        ]
        self.levels = [
            LevelCost(
                v.depth,
                v.cost_s,
                v.messages,
                v.bytes,
                self._port(v.busiest) if v.has_busiest else None,
            )
            for v in listed(result.levels, result.n_levels)
        ]
        self.phase: PhaseCost = self.phases[result.max_cost_phase]
        """The most expensive phase."""

    def _phase(self, p: Any) -> PhaseCost:
        bottleneck = None
        if p.has_bottleneck:
            pairs = tuple(_pair(q) for q in listed(p.pairs, p.n_listed))
            bottleneck = Bottleneck(
                p.id, self._port(p.bottleneck), p.bottleneck_bytes, p.n_pairs, pairs
            )
        return PhaseCost(
            p.id,
            text(p.name),
            p.repeats,
            p.cost_s,
            p.repeats * p.cost_s,
            None if p.of_phase < 0 else p.of_phase,
            bottleneck,
        )

    def _port(self, resource: Any) -> Port:
        room = ctypes.create_string_buffer(700)  # two names and a few words
        where = text(lib.berth_resource_text(self._topology, resource, room, len(room)))
        port, _, direction = _c.ResourceKind(resource.kind).name.lower().partition("_")
        return Port(where, resource.element, port, direction or None)

    @property
    def bottleneck(self) -> Bottleneck | None:
        """The most expensive port of the most expensive phase. None: nothing costs anything."""
        return self.phase.bottleneck

    def loads(self, phase: int | str | None = None) -> list[Load]:
        """What each port that messages cross costs and carries, the most expensive first: in one
        occurrence of a phase, given by its identity or name, or in all occurrences of all phases
        (None).
        """
        wanted = (
            [(k, 1.0) for k in [self._place(phase)]]
            if phase is not None
            else [(k, p.repeats) for k, p in enumerate(self.phases)]
        )
        sums: dict[tuple[int, int], list[float]] = {}
        for place, times in wanted:
            for resource, cost_s, size in self._loads_of(place):
                both = sums.setdefault(resource, [0.0, 0.0])
                both[0] += times * cost_s
                both[1] += times * size
        found = [Load(self._port(_c.Resource(*resource)), *both) for resource, both in sums.items()]
        return sorted(found, key=lambda load: (-load.cost_s, -load.bytes))

    def _loads_of(self, place: int) -> list[tuple[tuple[int, int], float, float]]:
        out, n = POINTER(_c.Load)(), c_size_t()
        with self._lock:
            call(
                lib.berth_cost_loads,
                self._evaluated(),
                self._model,
                place,
                pu_array(self.mapping.pu_of_rank),
                byref(out),
                byref(n),
            )
        found = [
            ((v.resource.element, v.resource.kind), v.cost_s, v.bytes) for v in listed(out, n.value)
        ]
        free(out)
        return found

    def pairs_on(self, port: Port, phase: int | str | None = None) -> list[PairLoad]:
        """The pairs of ranks whose messages cross a port in one occurrence of a phase (None: the
        most expensive phase), the slowest first."""
        place = self._place(self.phase.id if phase is None else phase)
        kind = one_of(
            "port",
            f"{port.port}_{port.direction}" if port.direction else port.port,
            _c.ResourceKind,
        )
        whole("port", port.element, 0, lib.berth_topo_n_elements(self._topology) - 1)
        out, n = POINTER(_c.PairLoad)(), c_size_t()
        with self._lock:
            try:
                call(
                    lib.berth_cost_pairs_on,
                    self._evaluated(),
                    place,
                    pu_array(self.mapping.pu_of_rank),
                    _c.Resource(port.element, kind),
                    byref(out),
                    byref(n),
                )
                return [_pair(q) for q in listed(out, n.value)]
            finally:
                free(out)

    def _evaluated(self) -> Handle:
        if self._evaluator is None:
            pointer = call(lib.berth_cost_new, self._pattern, self._topology)
            self._evaluator = Handle(pointer, lib.berth_cost_free, self._pattern, self._topology)
        return self._evaluator

    def _place(self, which: int | str) -> int:
        for place, phase in enumerate(self.phases):
            if which == (phase.name if isinstance(which, str) else phase.id):
                return place
        raise UsageError(f"`phase`: found {which!r}, expected the number or name of a phase")

    def explain(self) -> str:
        """What `berth cost` says of a placement, as text: cost and gain, the bottleneck with its
        pairs, the phases, the levels of the machine, and what the estimate leaves out."""
        return "\n".join(
            [
                *self._head_lines(),
                *self._bottleneck_lines(),
                *self._phase_lines(),
                *self._level_lines(),
                *self._coverage_lines(),
            ]
        )

    def _amount(self, value: float) -> str:
        return _text.cost(value, self.distances)

    def _head_lines(self) -> Iterable[str]:
        yield f"{self._amount(self.cost_s)} (model {self.model}): {self.sentence}"
        if self.reference and self.reference_cost_s is not None:
            name = "default order" if self.reference.algorithm == "linear" else "reference"
            yield f"{name}: {self._amount(self.reference_cost_s)}"

    def _bottleneck_lines(self) -> Iterable[str]:
        b = self.bottleneck
        if b is None:
            yield "bottleneck: none (no message crosses a port that costs anything)"
            return
        yield f"bottleneck: {b.port}"
        yield (
            f"  carries {_text.size(b.bytes)} for {_text.plural(b.pairs_total, 'pair')} in phase "
            f'{self.phase.id} "{self.phase.name}"' + ("; by time:" if b.pairs else "")
        )
        for q in b.pairs:
            yield (
                f"  {q.src:6d} -> {q.dst:<6d} {q.messages:10.0f} messages "
                f"{_text.size(q.bytes):>12} {self._amount(q.time_s):>12}"
            )
        if len(b.pairs) < b.pairs_total:
            yield f"  ... and {_text.plural(b.pairs_total - len(b.pairs), 'more pair')}"

    def _phase_lines(self) -> Iterable[str]:
        yield "phases, the most expensive first:"
        for p in sorted(self.phases, key=lambda p: -p.total_s)[:MAX_PHASES]:
            yield (
                f'  {p.id} "{p.name}": {self._amount(p.cost_s)} x {p.repeats:.0f} = '
                f"{self._amount(p.total_s)}"
            )
        if len(self.phases) > MAX_PHASES:
            yield f"  ... and {_text.plural(len(self.phases) - MAX_PHASES, 'cheaper phase')}"

    def _level_lines(self) -> Iterable[str]:
        yield "levels (depth, most expensive port, traffic that crosses it):"
        for v in self.levels:
            yield (
                f"  {v.depth} {self._amount(v.cost_s):>10} {v.messages:12.0f} messages "
                f"{_text.size(v.bytes):>12}  {v.busiest or 'idle'}"
            )

    def _coverage_lines(self) -> Iterable[str]:
        c = self.coverage
        if c.left_out_calls or c.unknown_calls:
            yield (
                f"not included: {c.left_out_calls:.0f} of {c.calls:.0f} calls, "
                f"{c.unknown_calls:.0f} calls of unknown size"
            )

    def __repr__(self) -> str:
        return f"<berth.Cost {self._amount(self.cost_s)} (model {self.model}): {self.sentence}>"

    def _repr_html_(self) -> str:
        b = self.bottleneck
        return _text.table(
            ("cost", "model", "compared", "bottleneck"),
            [(self._amount(self.cost_s), self.model, self.sentence, b.port if b else "none")],
        )


def _pair(q: Any) -> PairLoad:
    return PairLoad(q.src, q.dst, q.messages, q.bytes, q.time_s)


def _assess(pattern: Handle, topology: Handle, asked: _c.AssessOptions, mapping: Mapping) -> Handle:
    one = (POINTER(c_int) * 1)(ctypes.cast(pu_array(mapping.pu_of_rank), POINTER(c_int)))
    pointer = call(lib.berth_assessment_new, pattern, topology, byref(asked), 1, one)
    return Handle(pointer, lib.berth_assessment_free)


def default_mapping(
    pattern: Pattern, topology: Topology, mapping: Mapping | None = None
) -> Mapping:
    """The default order: rank r on the r-th PU that `mapping` (None: any) may use. BadInputError if
    the ranks don't fit."""
    inputs(pattern, topology)
    asked = options(**scope_options(mapping.scope)) if mapping else options()
    pus = default_order(pattern._open, topology._open, asked)
    if pus is None:
        raise BadInputError(
            f"found {pattern.ranks} ranks, expected at most as many as the PUs that they may "
            f"use, of {topology.n_pus} ({topology.name})"
        )
    return Mapping(topology, pus, shared=asked.ranks_per_pu > 1, algorithm="linear")


def cost(
    pattern: Pattern,
    topology: Topology,
    mapping: Placement | str = "linear",
    *,
    model: str = "port",
    reference: Placement | str = "linear",
    pairs: int = 10,
    intervals: bool = True,
    collectives: str = "auto",
    one_sided: str = "auto",
) -> Cost:
    """Estimates what a placement costs, compared with a reference, with reasons.

    `mapping` and `reference` are a Mapping, a PU for each rank, or "linear", the default order.
    `model` is "port", "bound", "sum" or "flow" (docs/formats/cost-models.md). `pairs`: how many
    pairs of ranks are listed with a bottleneck. `intervals`: False leaves out how sure the cost is.
    `collectives` and `one_sided`: by which rules the messages of such operations are included:
    "auto" (those of the pattern's MPI), "none", or the name of rules, such as "mpich-4.0";
    `collectives` may also be "berth" or a file.

    Raises BadInputError if the mapping has another number of ranks than the pattern, or is of
    another machine; UsageError for unknown names. Warns (EstimateWarning) of what estimates don't
    include.
    """
    inputs(pattern, topology)
    number = one_of("model", model, _c.Model)
    whole("pairs", pairs)
    chosen = _chosen("mapping", mapping, pattern, topology)
    other = _chosen_reference(reference, pattern, topology, chosen)
    included = pattern._including(topology, collectives, one_sided)
    asked = _c.AssessOptions()
    lib.berth_assess_options_init(byref(asked), ctypes.sizeof(asked))
    asked.model, asked.intervals, asked.reasons, asked.max_pairs = number, int(intervals), 1, pairs
    if other:
        asked.reference = ctypes.cast(pu_array(other.pu_of_rank), POINTER(c_int))
    handle = topology._open
    assessment = _assess(included, handle, asked, chosen)
    return Cost(included, handle, chosen, number, other, assessment, topology.distances)


def _chosen(name: str, mapping: Placement | str, pattern: Pattern, topology: Topology) -> Mapping:
    if isinstance(mapping, str):
        if mapping != "linear":
            raise UsageError(
                f"`{name}`: found {mapping!r}, expected a mapping or 'linear' "
                "(berth.load_mapping reads a file)"
            )
        return default_mapping(pattern, topology)
    return placed(mapping, topology, pattern.ranks)


def _chosen_reference(
    reference: Placement | str, pattern: Pattern, topology: Topology, mapping: Mapping
) -> Mapping | None:
    if not isinstance(reference, str) or reference != "linear":
        return _chosen("reference", reference, pattern, topology)
    try:
        return default_mapping(pattern, topology, mapping)
    except BadInputError:
        return None


class Compared(NamedTuple):
    """A placement beside others: its cost under each model (None: not asked for), and its gain over
    the default order under the model that sorts."""

    name: str
    port: float | None
    bound: float | None
    sum: float | None
    flow: float | None
    gain: float | None
    moved: int
    moved_hosts: int


def compare(
    pattern: Pattern,
    topology: Topology,
    mappings: Dict[str, Placement | str],
    *,
    by: str = "port",
    models: Sequence[str] = MODELS,
    collectives: str = "auto",
    one_sided: str = "auto",
) -> list[Compared]:
    """Placements side by side, the cheapest under model `by` first. `mappings` gives each a name.
    Other parameters are those of `cost`."""
    found = []
    for name, mapping in mappings.items():
        of = {
            model: cost(
                pattern,
                topology,
                mapping,
                model=model,
                pairs=0,
                intervals=False,
                collectives=collectives,
                one_sided=one_sided,
            )
            for model in {*models, by}
        }
        costs = {model: of[model].cost_s if model in of else None for model in MODELS}
        sorts = of[by]
        found.append(
            (
                sorts.cost_s,
                Compared(
                    name,
                    **costs,
                    gain=sorts.cost_gain,
                    moved=sorts.moved,
                    moved_hosts=sorts.moved_hosts,
                ),
            )
        )
    return [row for _, row in sorted(found, key=lambda pair: pair[0])]
