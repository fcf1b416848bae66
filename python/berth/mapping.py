# SPDX-License-Identifier: BSD-3-Clause
"""Mappings: which rank runs on which PU."""
from __future__ import annotations

import os
import shlex
from ctypes import byref, c_int
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence, Union

from . import _c, _text
from ._check import whole, word
from ._library import call, lib, listed, owned_text, path_bytes, rows, text
from .errors import BadInputError, UsageError
from .topology import Topology

if TYPE_CHECKING:
    from .mapper import Search

__all__ = ["Mapping", "Place", "Scope", "load_mapping", "mapping_formats"]


class Scope(NamedTuple):
    """The PUs that the mapping was allowed to use, as the parameters of `berth.map` restricted
    them."""

    hosts: str | None = None
    reserve: int = 0
    ranks_per_pu: int = 1


class Place(NamedTuple):
    """Where a rank runs."""

    rank: int
    pu: int
    host: str
    core: int
    os_index: int


class Mapping:
    """A placement of ranks on a topology: `pu_of_rank[r]` is the PU of rank r. `berth.map` and
    `load_mapping` make it, or you do: Mapping(topology, [0, 2, 1, 3]). Raises BadInputError for PUs
    that the topology doesn't have and, without `shared`, for two ranks on one PU.

    Properties: `algorithm` (what placed the ranks, "": unknown), `model` and `cost_s` (what the
    placement costs under which model, None: unknown), `scope`, `unfinished` (the search was
    stopped), and `search` (what berth.map tried; None for other mappings)."""

    def __init__(
        self,
        topology: Topology,
        pu_of_rank: Sequence[int],
        *,
        shared: bool = False,
        algorithm: str = "",
        model: str = "",
        cost_s: float | None = None,
        scope: Scope = Scope(),
        unfinished: bool = False,
        search: Search | None = None,
    ) -> None:
        self.topology = topology
        self.pu_of_rank: tuple[int, ...] = tuple(whole("pu_of_rank", pu, -1) for pu in pu_of_rank)
        self.algorithm, self.model, self.cost_s = algorithm, model, cost_s
        self.scope, self.unfinished, self.search = scope, unfinished, search
        self._machine, n = topology.machine, topology.n_pus
        if not self.pu_of_rank:
            raise BadInputError("`pu_of_rank`: found no ranks, expected at least one")
        first: dict[int, int] = {}
        for rank, pu in enumerate(self.pu_of_rank):
            if not 0 <= pu < n:
                raise BadInputError(
                    f"`pu_of_rank`: found PU {pu} for rank {rank}, expected 0 to {n - 1}"
                )
            if first.setdefault(pu, rank) != rank and not shared:
                raise BadInputError(
                    f"`pu_of_rank`: found PU {pu} for ranks {first[pu]} and {rank}, expected a PU "
                    "for each rank (`shared` lets ranks share PUs)"
                )

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return len(self.pu_of_rank)

    def places(self) -> list[Place]:
        """Where each rank runs."""
        pus, hosts = self.topology.pus, self.topology.hosts
        return [
            Place(rank, pu, hosts[pus[pu].host].name, pus[pu].core, pus[pu].os_index)
            for rank, pu in enumerate(self.pu_of_rank)
        ]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the mapping in berth's format, which `berth cost` and others read."""
        self.write("mapping", path)

    def write(self, format: str, path: str | os.PathLike[str]) -> None:
        """Writes a file for a launcher (`mapping_formats`), such as "rankfile". A file of that name
        is replaced as a whole. BadInputError if the format can't express the mapping."""
        call(_writer(format).write, byref(self._c), self.topology._open, path_bytes(path))

    def command(self, format: str, file: str, pin: str | None = None) -> str:
        """The command lines that start ./app with such a file. `pin` is the name of the script that
        write("pin", …) made, for launchers that need it. "" if no launcher takes the file."""
        writer = _writer(format)
        if not writer.command:
            return ""
        return owned_text(
            call(
                writer.command,
                byref(self._c),
                self.topology._open,
                _quoted(file),
                _quoted(pin) if pin else None,
            )
        )

    def translate(self, topology: Topology) -> Mapping:
        """The mapping on another machine, whose hosts correspond in their order. BadInputError if
        the machines differ in the number of hosts or in their cores."""
        out = _c.Mapping()
        try:
            call(
                lib.berth_mapping_translate,
                byref(self._c),
                self.topology._open,
                topology._open,
                byref(out),
            )
            return _taken(out, topology)
        finally:
            lib.berth_mapping_clear(byref(out))

    @property
    def _c(self) -> _c.Mapping:
        """For the library, which only reads it. ctypes keeps the parts."""
        scope = _c.MappingScope(
            word("hosts", self.scope.hosts), self.scope.reserve, self.scope.ranks_per_pu
        )
        cost = -1.0 if self.cost_s is None else self.cost_s
        return _c.Mapping(
            self.ranks,
            pu_array(self.pu_of_rank),
            word("algorithm", self.algorithm),
            word("model", self.model),
            self.topology.name.encode(),
            cost,
            scope,
            self.unfinished,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and self.pu_of_rank == other.pu_of_rank

    def __hash__(self) -> int:
        return hash(self.pu_of_rank)

    def __repr__(self) -> str:
        cost = "" if self.cost_s is None else f": {self._cost_text()} (model {self.model})"
        by = f" by {self.algorithm}" if self.algorithm else ""
        return f"<berth.Mapping of {_text.plural(self.ranks, 'rank')}{by}{cost}>"

    def _cost_text(self) -> str:
        assert self.cost_s is not None
        try:
            return _text.cost(self.cost_s, self.topology.distances)
        except ValueError:  # the topology was closed
            return f"{self.cost_s:.4g}"

    def _repr_html_(self) -> str:
        cost = "" if self.cost_s is None else self._cost_text()
        tried = self.search.summary() if self.search else ""
        return _text.table(
            ("mapping of", "placed by", "cost", "model", "tried"),
            [(_text.plural(self.ranks, "rank"), self.algorithm, cost, self.model, tried)],
        )


def pu_array(pu_of_rank: Sequence[int]) -> Any:
    """The PUs as the library takes them."""
    return (c_int * len(pu_of_rank))(*pu_of_rank)


def _quoted(file: str) -> bytes:
    return path_bytes(shlex.quote(file))


def _writer(format: str) -> Any:
    found = lib.berth_writer_find(word("format", format))
    if not found:
        raise UsageError(
            f"`format`: found {format!r}, expected one of {', '.join(mapping_formats())}"
        )
    return found.contents


def mapping_formats() -> dict[str, str]:
    """The formats that `Mapping.write` knows, with a line of help for each."""
    return {text(w.name): text(w.help) for w in rows(lib.berth_writers)}


def _taken(m: _c.Mapping, topology: Topology) -> Mapping:
    """A copy of a mapping of the library."""
    scope = Scope(text(m.scope.hosts) or None, m.scope.reserve, m.scope.ranks_per_pu or 1)
    return Mapping(
        topology,
        listed(m.pu_of_rank, m.ranks),
        shared=True,  # the library has looked
        algorithm=text(m.algorithm),
        model=text(m.model),
        cost_s=None if m.cost_s < 0 else m.cost_s,
        scope=scope,
        unfinished=bool(m.unfinished),
    )


def load_mapping(
    path: str | os.PathLike[str],
    topology: Topology,
    *,
    ranks: int | None = None,
    shared: bool = False,
) -> Mapping:
    """Reads a mapping: berth's own format, or Scotch's or METIS's. Raises BadInputError if the file
    breaks the format's rules, is of another machine than `topology`, has another number of ranks
    than `ranks` (None: any), or puts two ranks on one PU without `shared`; MissingError if it can't
    be read."""
    out = _c.Mapping()
    call(
        lib.berth_mapping_load,
        path_bytes(path),
        -1 if ranks is None else whole("ranks", ranks, 1),
        topology._open,
        int(shared),
        byref(out),
    )
    try:
        return _taken(out, topology)
    finally:
        lib.berth_mapping_clear(byref(out))


Placement = Union[Mapping, Sequence[int]]
"""Where functions take a placement: a mapping, or the PU of each rank."""


def placed(placement: Placement, topology: Topology, ranks: int) -> Mapping:
    """A placement as a mapping onto a topology of that many ranks."""
    if not isinstance(placement, Mapping):
        placement = Mapping(topology, placement)
    elif placement._machine != topology.machine:
        raise BadInputError(
            "`mapping`: found one of another machine, expected one of this topology "
            "(Mapping.translate moves it to another machine)"
        )
    if placement.ranks != ranks:
        raise BadInputError(
            f"`mapping`: found {placement.ranks} ranks, expected {ranks}, as the pattern has"
        )
    return placement
