# SPDX-License-Identifier: BSD-3-Clause
"""Patterns with the messages of their collective and one-sided operations, which estimates need. A
pattern takes them once and for one machine, so they go into a copy."""
from __future__ import annotations

import ctypes
import warnings
from typing import TYPE_CHECKING, NamedTuple

from ._check import word
from ._handle import Handle
from ._library import call, lib, rows, text
from .errors import EstimateWarning

if TYPE_CHECKING:
    from .topology import Topology

SMALL, LARGE = 8, 32 * 1024  # the messages of berth_collectives_half


class Key(NamedTuple):
    """What an included pattern depends on."""

    collectives: str
    one_sided: str
    by_hosts: bool  # placements may put several ranks on a host
    half: float


def key_of(topology: Topology, collectives: str, one_sided: str) -> Key:
    """`half` matters for the rules of berth's own library only, which may be a file's, too."""
    shared = topology.n_pus > topology.n_hosts
    half = 0 if collectives in ("auto", "none") else _half(topology)
    return Key(collectives, one_sided, shared or collectives in ("berth", "berth-agents"), half)


def _half(topology: Topology) -> float:
    times = (0.0, 0.0)
    if topology.n_hosts > 1:
        handle = topology._open
        element = lib.berth_topo_host(handle, 1).contents.element
        second = lib.berth_topo_element(handle, element).contents.first_pu
        times = (topology.message_time(0, second, SMALL), topology.message_time(0, second, LARGE))
    return float(lib.berth_collectives_half(*times))


def included(pattern: Handle, key: Key) -> Handle:
    """The pattern itself if it has no such operations, or none are asked for."""
    collectives = _collective_rules(pattern, key.collectives)
    one_sided = _one_sided_rules(pattern, key.one_sided)
    if not collectives and not one_sided:
        return pattern
    copy = Handle(call(lib.berth_pattern_copy, pattern), lib.berth_pattern_free)
    too_many = ctypes.c_double()
    if one_sided:
        call(lib.berth_one_sided_include, copy, one_sided, ctypes.byref(too_many))
        _say_too_many(too_many.value, "one-sided operations")
    if collectives and key.by_hosts:
        call(
            lib.berth_collectives_include_by_hosts,
            copy,
            collectives,
            key.half,
            ctypes.byref(too_many),
        )
    elif collectives:
        call(lib.berth_collectives_include, copy, collectives, ctypes.byref(too_many))
    if collectives:
        _say_too_many(too_many.value, "collective calls")
        _say_unfollowed(copy)
    return copy


def _warn(line: str) -> None:
    warnings.warn(line, EstimateWarning, stacklevel=6)


def _collective_rules(pattern: Handle, asked: str) -> bytes | None:
    """The rules to include collective operations by; None: they stay out."""
    if asked == "none" or (asked == "auto" and not rows(lib.berth_pattern_colls, pattern)):
        return None
    if asked != "auto":
        return word("collectives", asked)
    mpi, nearest = lib.berth_pattern_mpi(pattern), ctypes.c_int()
    rules = lib.berth_collectives_rules(mpi, ctypes.byref(nearest))
    if not rules and mpi:
        _warn(
            f"collective operations are not included, because berth has no rules of {text(mpi)} "
            "(collectives='openmpi-4.1' takes those of Open MPI)"
        )
    elif rules and nearest.value:
        _warn(
            f"berth has no rules of {text(mpi)}, so those of {text(rules)} choose the "
            "algorithms of collective operations"
        )
    return rules  # type: ignore[no-any-return]


def _one_sided_rules(pattern: Handle, asked: str) -> bytes | None:
    if asked == "none" or (asked == "auto" and not rows(lib.berth_pattern_rmas, pattern)):
        return None
    if asked != "auto":
        return word("one_sided", asked)
    mpi, nearest = lib.berth_pattern_mpi(pattern), ctypes.c_int()
    rules = lib.berth_one_sided_rules(mpi, ctypes.byref(nearest))
    if nearest.value:
        _warn(
            f"berth has no rules of {text(mpi) or 'an unknown MPI'}, so one-sided operations are "
            f"estimated as {text(rules)} does them"
        )
    return rules  # type: ignore[no-any-return]


def _say_too_many(n: float, what: str) -> None:
    if n > 0:
        _warn(f"{n:.0f} {what} are not included, because they have too many messages")


def _say_unfollowed(pattern: Handle) -> None:
    names = [text(p.name) for p in rows(lib.berth_pattern_parameters, pattern) if p.unfollowed]
    if names:
        _warn(
            f"estimates don't follow {', '.join(names)}, which the job had set: its MPI may "
            "take other algorithms"
        )
