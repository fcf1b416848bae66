# SPDX-License-Identifier: BSD-3-Clause
"""Topologies: a machine as a tree whose leaves are processing units (PUs).

Bandwidths are bytes per second, sizes are bytes, times are seconds. Elements are numbered depth
first from the root, which is 0; PUs are numbered 0, 1, 2, … in the same order."""
from __future__ import annotations

import os
import socket
from ctypes import byref, c_char_p, c_double
from typing import Any, NamedTuple

from . import _text
from ._check import MAX_AMOUNT, whole, word
from ._handle import Handle, Owner
from ._library import call, lib, listed, owned_text, path_bytes, text
from .errors import UsageError

__all__ = [
    "Curve",
    "Direction",
    "Element",
    "ElementType",
    "Host",
    "Pu",
    "Topology",
    "import_topology",
    "load_topology",
    "make_topology",
    "this_machine",
]


class Curve(NamedTuple):
    """The bandwidth that one pair of ranks gets, by message size."""

    name: str
    source: str  # where the numbers come from; "": unknown
    sizes: tuple[float, ...]
    bandwidths: tuple[float, ...]
    measured: bool  # False: default numbers, which nobody measured


class Direction(NamedTuple):
    """One direction of a port."""

    curve: int | None  # its place in Topology.curves
    capacity: float | None  # limit for all ranks together; None: no limit


class ElementType(NamedTuple):
    """What elements of one kind have in common: the ports at both ends of their link to the parent,
    and those of the links to their children."""

    name: str
    up_out: Direction  # the port to the parent, away from the PUs
    up_in: Direction
    down_out: Direction  # the ports to children, away from the PUs
    down_in: Direction
    capacity: float | None  # for all traffic through the switch


class Element(NamedTuple):
    """An element of the tree: a PU, or a switch above some."""

    number: int
    name: str  # "pu 3" for a PU
    parent: int | None  # None: the root
    type: int | None  # its place in Topology.types; None: a PU
    depth: int  # 0: the root
    height: int  # 0: a PU
    host: int | None  # the host that it is or belongs to; None: above the hosts
    first_pu: int  # its PUs are first_pu … first_pu + n_pus - 1
    n_pus: int
    n_children: int
    size: int  # elements in its subtree


class Pu(NamedTuple):
    """A processing unit: a core, or one of its hardware threads."""

    number: int
    element: int
    host: int
    os_index: int  # the operating system's number within the host
    core: int  # hwloc's logical core within the host, as in rankfiles


class Host(NamedTuple):
    """A machine with an operating system."""

    number: int
    name: str
    element: int


class Topology(Owner):
    """A machine. `load_topology`, `import_topology` and `this_machine` make it. It doesn't change.
    Like a pattern it is a context manager."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._elements: list[Element] | None = None
        self._machine: int | None = None

    @property
    def name(self) -> str:
        """Its name, such as "testbed, 25 Mbit/s"."""
        return text(lib.berth_topo_name(self._open))

    @property
    def n_pus(self) -> int:
        """The number of PUs."""
        return int(lib.berth_topo_n_pus(self._open))

    @property
    def n_hosts(self) -> int:
        """The number of hosts."""
        return int(lib.berth_topo_n_hosts(self._open))

    @property
    def distances(self) -> bool:
        """True: capacities are distances, not bandwidths. Costs then have no unit."""
        return bool(lib.berth_topo_has_distances(self._open))

    @property
    def elements(self) -> list[Element]:
        """All elements, depth first: the children of element e are e + 1, e + 1 + the size of that,
        …"""
        handle = self._open
        if self._elements is None:
            n = lib.berth_topo_n_elements(handle)
            self._elements = [_element(handle, i) for i in range(n)]
        return self._elements

    def children(self, element: int) -> list[int]:
        """The numbers of an element's children."""
        above, found, e = self.elements[element], [], element + 1
        for _ in range(above.n_children):
            found.append(e)
            e += self.elements[e].size
        return found

    @property
    def hosts(self) -> list[Host]:
        """All hosts, by number."""
        handle, found = self._open, []
        for number in range(self.n_hosts):
            h = lib.berth_topo_host(handle, number).contents
            found.append(Host(number, text(h.name), h.element))
        return found

    @property
    def hosts_text(self) -> str:
        """The names of all hosts, as in node[01-16]."""
        return owned_text(call(lib.berth_topo_hosts_text, self._open))

    @property
    def pus(self) -> list[Pu]:
        """All PUs, by number."""
        handle, found = self._open, []
        for number in range(self.n_pus):
            p = lib.berth_topo_pu(handle, number).contents
            found.append(Pu(number, p.element, p.host, p.os_index, p.core))
        return found

    @property
    def curves(self) -> list[Curve]:
        """The curves that ports refer to."""
        handle = self._open
        return [
            _curve(lib.berth_topo_curve(handle, i)) for i in range(lib.berth_topo_n_curves(handle))
        ]

    @property
    def types(self) -> list[ElementType]:
        """The types that elements refer to."""
        handle = self._open
        return [
            _type(lib.berth_topo_type(handle, i).contents)
            for i in range(lib.berth_topo_n_types(handle))
        ]

    def message_time(self, from_pu: int, to_pu: int, size: int) -> float:
        """Seconds that a message of so many bytes takes from a PU to another one if nothing else is
        on the way."""
        seconds = c_double()
        whole("size", size, 0, MAX_AMOUNT)
        for name, pu in (("from_pu", from_pu), ("to_pu", to_pu)):
            whole(name, pu, 0, self.n_pus - 1)
        call(lib.berth_message_time, self._open, from_pu, to_pu, size, byref(seconds))
        return seconds.value

    @property
    def machine(self) -> int:
        """A hash of what a mapping depends on: the tree, the names of hosts, the numbers of PUs and
        cores."""
        handle = self._open
        if self._machine is None:
            self._machine = int(lib.berth_topo_machine(handle))
        return self._machine

    def changed(self, *changes: str) -> Topology:
        """A copy with changes to links, as `--set` of the program takes them, one after the other:
        "rack.up*=2", "host.rate=200Gbit/s" (docs/formats/machine.md, "What if?"). Mappings of this
        topology fit the copy, too."""
        texts = (c_char_p * len(changes))(*(word("changes", change) for change in changes))
        return _owner(call(lib.berth_topo_changed, self._open, len(changes), texts))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the topology, compressed if the name ends in .zst. A file of that name is replaced
        as a whole."""
        call(lib.berth_topo_save, self._open, path_bytes(path))

    def __repr__(self) -> str:
        if self._handle is None:
            return "<berth.Topology, closed>"
        return (
            f"<berth.Topology {self.name}: {_text.plural(self.n_hosts, 'host')}, "
            f"{_text.plural(self.n_pus, 'PU')}>"
        )

    def _repr_html_(self) -> str:
        hosts = self.hosts_text
        return _text.table(
            ("topology", "hosts", "", "PUs"),
            [(self.name, self.n_hosts, hosts if len(hosts) < 80 else "", self.n_pus)],
        )


def _element(handle: Handle, number: int) -> Element:
    e = lib.berth_topo_element(handle, number).contents
    name = lib.berth_topo_element_name(handle, number)
    return Element(
        number,
        f"pu {e.first_pu}" if name is None else text(name),
        None if e.parent < 0 else e.parent,
        None if e.type < 0 else e.type,
        e.depth,
        e.height,
        None if e.host < 0 else e.host,
        e.first_pu,
        e.n_pus,
        e.n_children,
        e.size,
    )


def _curve(pointer: Any) -> Curve:
    c = pointer.contents
    return Curve(
        text(c.name),
        text(c.source),
        tuple(listed(c.size, c.n)),
        tuple(listed(c.bandwidth, c.n)),
        not lib.berth_curve_is_default(pointer),
    )


def _direction(d: Any) -> Direction:
    return Direction(None if d.curve < 0 else d.curve, d.capacity or None)


def _type(t: Any) -> ElementType:
    return ElementType(
        text(t.name),
        _direction(t.up.out),
        _direction(t.up.in_),
        _direction(t.down.out),
        _direction(t.down.in_),
        t.capacity or None,
    )


def _owner(pointer: int) -> Topology:
    return Topology(Handle(pointer, lib.berth_topo_free))


def load_topology(path: str | os.PathLike[str]) -> Topology:
    """Reads a topology as `berth topo` writes it; "-" is standard input. Raises BadInputError for a
    file that breaks the format's rules, MissingError if it can't be read or needs more memory than
    `set_memory` allows."""
    return _owner(call(lib.berth_topo_load, path_bytes(path)))


def import_topology(
    source: str | os.PathLike[str], format: str | None = None, name: str | None = None
) -> Topology:
    """Reads a topology in another tool's format: Scotch's tleaf, a SimGrid platform, a hierarchy.
    `format` None: it is found from the file's beginning. `name` None: the file's."""
    found = None
    if format is not None:
        found = lib.berth_topo_format_find(word("format", format))
        if not found:
            raise UsageError(
                f"`format`: found {format!r}, expected one that `berth topo import` knows"
            )
    return _owner(call(lib.berth_topo_import, path_bytes(source), found, word("name", name)))


def make_topology(words: str, name: str | None = None) -> Topology:
    """A machine described in a few words, as `berth topo make` takes them: levels of the tree and
    the rates of links, such as "rack:3 host:10 socket:2 core:16 host=100Gbit/s"
    (docs/formats/machine.md). `name` None: as the words say."""
    if not isinstance(words, str):
        raise TypeError(
            f"`words`: found {type(words).__name__}, expected str, such as 'host:2 core:8'"
        )
    sketch = Handle(call(lib.berth_sketch_new), lib.berth_sketch_free)
    for each in words.split():
        call(lib.berth_sketch_add, sketch, word("words", each))
    models = []  # the sketch borrows them
    for i in range(lib.berth_sketch_n_models(sketch)):
        path = lib.berth_sketch_model(sketch, i)
        models.append(this_machine() if path == b"this" else load_topology(os.fsdecode(path)))
        lib.berth_sketch_set_model(sketch, i, models[-1]._open)
    return _owner(call(lib.berth_sketch_topo, sketch, word("name", name)))


def this_machine(name: str | None = None) -> Topology:
    """The machine that Python runs on: its PUs that this process may use. Its ports aren't
    measured; they have default curves. `name` is the host's, None: its own."""
    host = name or socket.gethostname()
    description = owned_text(call(lib.berth_host_describe, 0))
    return _owner(call(lib.berth_topo_from_description, word("name", host), description.encode()))
