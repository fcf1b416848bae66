# SPDX-License-Identifier: BSD-3-Clause
"""Patterns that nobody has traced: standard ones, and traces of fewer ranks generalised."""
from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Sequence

from . import _c_scaling as _c
from ._check import MAX_AMOUNT, whole, word
from ._handle import Handle
from ._library import call, lib, listed, rows, text
from .errors import UsageError
from .pattern import Pattern


class ScaledSite(NamedTuple):
    """What became of one call site in one phase."""

    op: str  # such as "MPI_Isend"; "": unknown
    frames: tuple[str, ...]
    phase: str
    share: float  # of all bytes of the trace with the most ranks
    share_of_messages: float  # of its messages, one-sided operations and calls
    kept: bool
    what: str  # who sends to whom; why it was left out
    bytes: str  # how bytes depend on the number of ranks; "" if it was left out
    error: float  # how far the traces are from that
    unsure: str  # what else the traces may mean; "" if nothing speaks against it


class Scaled(NamedTuple):
    """A generalised pattern, and what it is made of."""

    pattern: Pattern
    kept: float  # share of the bytes of the trace with the most ranks that was generalised
    kept_messages: float  # the same of its messages, one-sided operations and calls
    grid: tuple[int, ...]  # of the ranks; () if nothing that was kept depends on one
    traced_grids: tuple[tuple[int, ...], ...]  # the same in each trace, by number of ranks
    other_grids: tuple[tuple[int, ...], ...]  # of other rules that give the same traced_grids
    rule: str  # such as "as even as possible, the largest first"
    sites: list[ScaledSite]  # most bytes first
    notes: list[str]  # what else isn't in the pattern, or was assumed
    recorded: bool  # the traced grids are those that the program made (MPI_Cart_create)
    unsure: float  # share of those bytes that was kept and is unsure


class Agreement(NamedTuple):
    """How well one pattern agrees with another one, pair by pair."""

    bytes: float  # of all pairs in `real`
    made: float  # of all pairs in `made`
    within: float  # share of the bytes of `real` in pairs that agree
    pairs: int  # with bytes in either of them
    agree: int  # of these


def standard_patterns() -> dict[str, str]:
    """Names of the standard patterns, with a line about each."""
    return {text(s.name): text(s.summary) for s in rows(lib.berth_standards)}


def standard_pattern(
    name: str,
    ranks: int = 0,
    *,
    grid: Sequence[int] = (),
    block: Sequence[int] = (),
    element: int = 0,
    message: int = 0,
    steps: int = 1,
    periodic: bool = False,
    corners: bool = False,
) -> Pattern:
    """What a well-known kind of program sends, as `berth make pattern` writes it. `grid` has the
    ranks in each dimension, `block` the points that each rank has; `element` is the bytes of a
    point, `message` those of a message. Zeros and () are the pattern's defaults."""
    standard = lib.berth_standard_find(word("name", name)) if name is not None else None
    if not standard:
        names = ", ".join(standard_patterns())
        raise UsageError(f"`name`: found {name!r}, expected one of {names}")
    options = _c.StandardOptions(
        ctypes.sizeof(_c.StandardOptions),
        whole("ranks", ranks),
        *_numbers("grid", grid, ctypes.c_int),
        *_numbers("block", block, ctypes.c_uint64),
        whole("element", element, 0, MAX_AMOUNT),
        whole("message", message, 0, MAX_AMOUNT),
        whole("steps", steps, 1, MAX_AMOUNT),
        bool(periodic),
        bool(corners),
    )
    pointer = call(lib.berth_standard_pattern, standard, ctypes.byref(options))
    return Pattern(Handle(pointer, lib.berth_pattern_free), name)


def scale(
    *traces: Pattern,
    ranks: int | None = None,
    grid: Sequence[int] = (),
    scaling: str | None = None,
) -> Scaled:
    """The pattern of so many ranks, from traces of the same program with other numbers of ranks, as
    `berth scale` makes it. With one trace, `scaling` says how the problem grows: "weak" or
    "strong". `grid` has the ranks in each dimension; (): by the rule of the traces' grids. `ranks`
    None: the product of `grid`. Raises
    BadInputError if nothing of the traces can be generalised."""
    for trace in traces:
        if not isinstance(trace, Pattern):
            raise TypeError(f"`traces`: found {type(trace).__name__}, expected Pattern")
    if scaling not in (None, "weak", "strong"):
        raise UsageError(f"`scaling`: found {scaling!r}, expected None, 'weak' or 'strong'")
    how = _c.Scaling[scaling.upper()] if scaling else _c.Scaling.FOUND
    handles = [trace._open for trace in traces]
    pointers = (ctypes.c_void_p * len(traces))(*(h._as_parameter_ for h in handles))
    options = _c.ScaleOptions(
        ctypes.sizeof(_c.ScaleOptions),
        0 if ranks is None else whole("ranks", ranks, 1),
        *_numbers("grid", grid, ctypes.c_int),
        how,
    )
    pointer = call(lib.berth_scale, pointers, len(traces), ctypes.byref(options))
    return _result(Handle(pointer, lib.berth_scaled_free))


def agreement(made: Pattern, real: Pattern, tolerance: float = 0.05) -> Agreement:
    """How many bytes of `real` are in pairs of ranks for which `made` has as many, within
    `tolerance` of it. Collective calls count if both are patterns of `Pattern.including`."""
    for name, pattern in (("made", made), ("real", real)):
        if not isinstance(pattern, Pattern):
            raise TypeError(f"`{name}`: found {type(pattern).__name__}, expected Pattern")
    if not 0 <= tolerance <= 1:
        raise UsageError(f"`tolerance`: found {tolerance!r}, expected 0 to 1")
    found = _c.ScaleAgreement()
    call(lib.berth_scale_compare, made._open, real._open, tolerance, ctypes.byref(found))
    return Agreement(found.bytes, found.made, found.within, found.pairs, found.agree)


def _numbers(name: str, values: Sequence[int], kind: Any) -> tuple[int, Any]:
    if not isinstance(values, Sequence):
        raise UsageError(f"`{name}`: found {values!r}, expected a list of numbers")
    if len(values) > _c.DIMS:
        raise UsageError(f"`{name}`: found {len(values)} numbers, expected at most {_c.DIMS}")
    return len(values), (kind * _c.DIMS)(*(whole(name, value, 1) for value in values))


def _dims(g: Any) -> tuple[int, ...]:
    return tuple(g.dims[: g.n_dims])


def _result(scaled: Handle) -> Scaled:
    grids = [_dims(g) for g in rows(lib.berth_scaled_grids, scaled)]
    sites = [
        ScaledSite(
            text(p.op),
            tuple(text(frame) for frame in listed(p.frames, p.n_frames)),
            text(p.phase),
            p.share,
            p.messages,
            bool(p.kept),
            text(p.what),
            text(p.bytes),
            p.error,
            text(p.unsure),
        )
        for p in rows(lib.berth_scaled_parts, scaled)
    ]
    return Scaled(
        Pattern(Handle(lib.berth_scaled_take(scaled), lib.berth_pattern_free), "scaled"),
        lib.berth_scaled_kept(scaled),
        lib.berth_scaled_kept_messages(scaled),
        grids[-1] if grids else (),
        tuple(grids[:-1]),
        tuple(_dims(g) for g in rows(lib.berth_scaled_other_grids, scaled)),
        text(lib.berth_scaled_rule(scaled)),
        sites,
        [text(note) for note in rows(lib.berth_scaled_notes, scaled)],
        bool(lib.berth_scaled_grid_recorded(scaled)),
        lib.berth_scaled_unsure(scaled),
    )
