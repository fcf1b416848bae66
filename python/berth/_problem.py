# SPDX-License-Identifier: BSD-3-Clause
"""Mapping problems of the library: which PUs may be used, and runs of mappers on them."""
from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int
from types import TracebackType
from typing import Any, Mapping as Dict, Sequence

from . import _c
from ._check import MAX_INT, MAX_U64, whole, word
from ._handle import Handle
from ._library import call, failure, free, lib, rows, text
from .errors import BadInputError, UsageError
from .mapping import Mapping, Scope, placed
from .topology import Topology

SAMPLES_AT_ONCE = 1000


def options(**values: Any) -> _c.MapOptions:
    """berth_map_defaults with some members set."""
    o = _c.MapOptions()
    lib.berth_map_options_init(byref(o), ctypes.sizeof(o))
    ranges = {
        c_int: (-1, MAX_INT),
        ctypes.c_uint64: (0, MAX_U64),
    }  # -1: none; the library checks the rest
    for name, ctype in o._fields_:
        if name in values:
            value = values[name]
            setattr(o, name, whole(name, value, *ranges[ctype]) if ctype in ranges else value)
    return o


def scope_options(scope: Scope) -> dict[str, Any]:
    """The options that restrict PUs to those of a scope."""
    return {
        "hosts": word("hosts", scope.hosts),
        "reserve": scope.reserve,
        "ranks_per_pu": scope.ranks_per_pu,
    }


def one_of(name: str, value: str, members: Any) -> int:
    """The number of a name such as "port"."""
    for member in members:
        if member.name.lower() == value:
            return int(member)
    known = ", ".join(member.name.lower() for member in members)
    raise UsageError(f"`{name}`: found {value!r}, expected one of {known}")


def mapper(name: str) -> Any:
    """A mapper of the library."""
    found = lib.berth_mapper_find(word("algorithm", name))
    if not found:
        known = ", ".join(text(m.name) for m in rows(lib.berth_mappers))
        raise UsageError(f"`algorithm`: found {name!r}, expected one of {known}")
    return found


def pins(pinned: Dict[int, int | str] | None, topology: Topology, ranks: int) -> Any:
    """The PU of each pinned rank, -1 for others, for `pinned`; None without pins."""
    if not pinned:
        return None
    wishes = [word("pinned", f"{rank}={place}") for rank, place in pinned.items()]
    out = POINTER(c_int)()
    call(
        lib.berth_pins_read,
        b"`pinned`",
        (c_char_p * len(wishes))(*wishes),
        len(wishes),
        topology._open,
        ranks,
        byref(out),
    )
    copy = (c_int * ranks)(*out[:ranks])
    free(out)
    return copy


def current(
    placement: Mapping | Sequence[int | None] | None, topology: Topology, ranks: int
) -> Any:
    """The current PU of each rank, -1 for none, for `from`; None: unknown."""
    if placement is None:
        return None
    if isinstance(placement, Mapping):
        return (c_int * ranks)(*placed(placement, topology, ranks).pu_of_rank)
    pus = [-1 if pu is None else int(pu) for pu in placement]
    if len(pus) != ranks or any(not -1 <= pu < topology.n_pus for pu in pus):
        raise BadInputError(
            f"`from_`: expected a PU from 0 to {topology.n_pus - 1}, or None, for each of "
            f"{ranks} ranks"
        )
    return (c_int * ranks)(*pus)


class Problem:
    """A berth_map_problem_t. A context manager. It holds the pattern and the topology; the options
    are copied."""

    def __init__(self, pattern: Handle, topology: Handle, asked: _c.MapOptions) -> None:
        self.ranks = int(lib.berth_pattern_ranks(pattern))
        self._held = (pattern, topology)
        self.c = _c.MapProblem()
        call(lib.berth_map_problem_init, byref(self.c), pattern, topology, byref(asked))

    def run(self, algorithm: Any) -> tuple[list[int], str]:
        """The PU of each rank, and the mapper that made the placement."""
        found, chosen = (c_int * self.ranks)(), c_char_p()
        call(lib.berth_map_run, byref(self.c), algorithm, found, byref(chosen))
        return list(found), text(chosen.value)

    def sample(self, n: int) -> Any:
        """The prices of n random placements."""
        err, found = _c.Error(), (ctypes.c_double * n)()
        sampler = lib.berth_map_sampler_new(byref(self.c), n, byref(err))
        if not sampler:
            raise failure(err)
        handle = Handle(sampler, lib.berth_map_sampler_free)
        for first in range(0, n, SAMPLES_AT_ONCE):  # Ctrl-C is heard in between
            part = ctypes.byref(found, first * ctypes.sizeof(ctypes.c_double))
            prices = ctypes.cast(part, POINTER(ctypes.c_double))
            call(lib.berth_map_sample, handle, first, min(SAMPLES_AT_ONCE, n - first), prices)
        return found

    def __enter__(self) -> Problem:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        lib.berth_map_problem_clear(byref(self.c))


def default_order(pattern: Handle, topology: Handle, asked: _c.MapOptions) -> list[int] | None:
    """The default order on the PUs that the options leave; None: the ranks don't fit."""
    asked.stable, asked.max_moves = (
        0,
        -1,
    )  # what keeps ranks where they were isn't the default order's
    try:
        with Problem(pattern, topology, asked) as problem:
            return problem.run(mapper("linear"))[0]
    except BadInputError:
        return None
