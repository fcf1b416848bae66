# SPDX-License-Identifier: BSD-3-Clause
"""Patterns: who sends how many messages of which sizes to whom, as a run was recorded.

Sizes are bytes, times are seconds, ranks are ranks in MPI_COMM_WORLD. Everything that these
functions return is a copy: it stays valid when the pattern is closed."""
from __future__ import annotations

import ctypes
import os
import struct
import warnings
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, Sequence

from . import _c, _include, _text, frames
from ._check import MAX_AMOUNT, whole, word
from ._handle import Handle, Owner
from ._library import call, lib, listed, path_bytes, rows, text
from .errors import EstimateWarning, UsageError

if TYPE_CHECKING:
    import pandas

    from .topology import Topology

__all__ = [
    "Collective",
    "Communicator",
    "FunctionTime",
    "Message",
    "OneSided",
    "Pattern",
    "Phase",
    "RankInfo",
    "Site",
    "import_pattern",
    "load_pattern",
    "pattern_formats",
]


class Message(NamedTuple):
    """Equal messages of one rank to another, in one occurrence of a phase."""

    phase: int  # identity
    site: int  # identity of the call site; 0: unknown
    src: int
    dst: int
    size: int  # bytes of one message
    messages: int  # in one occurrence of the phase
    bytes: int  # of all of them


class Phase(NamedTuple):
    """A part of the run. It occurs `repeats` times."""

    id: int
    name: str
    repeats: int
    of_phase: int | None  # of rounds (Pattern.including): the phase with the calls


class Site(NamedTuple):
    """A call site: an MPI operation and its innermost frames, innermost first."""

    id: int
    op: str
    frames: tuple[str, ...]


class Communicator(NamedTuple):
    """A communicator besides MPI_COMM_WORLD, which has the number 0."""

    id: int
    ranks: tuple[int, ...]


class Collective(NamedTuple):
    """Calls of one collective operation."""

    phase: int
    site: int
    communicator: int
    op: str
    bytes: int  # of one call at one rank
    calls: int  # in one occurrence of the phase
    root: int | None  # the root's rank in the communicator; None: no root


class OneSided(NamedTuple):
    """One-sided operations of one rank on one window, to one target."""

    phase: int
    site: int
    src: int
    dst: int
    window: int
    sync: str
    op: str
    size: int
    operations: int
    bytes: int


class RankInfo(NamedTuple):
    """What is known of a rank's run. None: unknown."""

    rank: int
    host: str | None
    pu: int | None  # the operating system's number of the PU
    wall_s: float | None  # run time
    mpi_s: float | None  # the part of it inside MPI


class FunctionTime(NamedTuple):
    """Time of all ranks in an MPI function, or the part of it at a call site or on a
    communicator."""

    op: str
    site: int | None  # None: all
    communicator: int | None
    total_s: float
    max_s: float  # of the rank that spent the most
    max_rank: int


class Pattern(Owner):
    """A pattern. `load_pattern` and `import_pattern` make it. It doesn't change.

    A context manager: `with berth.load_pattern(path) as pattern: …` closes it at the end. Without
    that, its memory is given back when nobody refers to it."""

    def __init__(self, handle: Handle, name: str) -> None:
        self._handle = handle
        self._included: dict[_include.Key, Handle] = {}
        self.name = name
        """The file's name."""

    def close(self) -> None:
        self._included = {}
        super().close()

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return int(lib.berth_pattern_ranks(self._open))

    @property
    def mpi(self) -> str:
        """The MPI of the run, such as "Open MPI 4.1.4"; "": unknown."""
        return text(lib.berth_pattern_mpi(self._open))

    @property
    def created(self) -> str:
        """The date of the run; "": unknown."""
        return text(lib.berth_pattern_created(self._open))

    @property
    def command(self) -> tuple[str, ...]:
        """The words of the program's command line."""
        handle = self._open
        return tuple(text(word) for word in rows(lib.berth_pattern_command, handle))

    @property
    def mpi_share(self) -> float | None:
        """The share of the run time that ranks spent in MPI; None: unknown."""
        share = float(lib.berth_pattern_mpi_share(self._open))
        return None if share < 0 else share

    @property
    def core_wait_share(self) -> float | None:
        """The share of the run time that ranks waited for a core; None: unknown."""
        share = float(lib.berth_pattern_core_wait_share(self._open))
        return None if share < 0 else share

    @property
    def truncated(self) -> str | None:
        """Why reading stopped, with file and line, if the file is truncated. None: the file is
        whole."""
        handle = self._open
        cut = lib.berth_pattern_cut(handle)
        return text(cut.contents.why) if cut else None

    @property
    def phases(self) -> list[Phase]:
        """All phases, by identity."""
        handle = self._open
        return [_phase(row) for row in rows(lib.berth_pattern_phases, handle)]

    def phase(self, which: int | str) -> Phase:
        """The phase of an identity or, for a text, of a name. UsageError if there is none."""
        return self.phases[self.phase_index(which)]

    def phase_index(self, which: int | str) -> int:
        """Its place in `phases`."""
        for place, phase in enumerate(self.phases):
            if which == (phase.name if isinstance(which, str) else phase.id):
                return place
        known = ", ".join(f'{phase.id} "{phase.name}"' for phase in self.phases[:8])
        raise UsageError(
            f"`phase`: found {which!r}, expected the number or name of a phase: {known}"
        )

    def messages(self, phase: int | str | None = None) -> Iterator[Message]:
        """The messages of a phase (None: of all phases), by source, destination, size and site.
        Counts are those of one occurrence. `frame` is much faster if there are many."""
        handle = self._open
        for place in self._places(phase):
            yield from map(Message._make, _unpacked(*_array(handle, place)))

    def frame(self, phase: int | str | None = None) -> pandas.DataFrame:
        """The messages as a pandas frame: a row for each `Message`. Its columns are those of `berth
        export -f csv`: phase, name, repeats, site, src, dst, size, messages, bytes. `messages` and
        `bytes` are those of one occurrence; multiply them by `repeats` for the run."""
        handle = self._open
        phases = self.phases
        parts = [(phases[k], *_array(handle, k)) for k in self._places(phase)]
        return frames.of_messages(parts)

    def matrix(
        self, what: str = "bytes", phase: int | str | None = None, cells: int | None = None
    ) -> Any:
        """What ranks send to each other in all occurrences of a phase (None: of all phases): row r
        has what rank r sends. `what` is "bytes" or "messages". A numpy array of doubles if numpy is
        there, else a list of lists.

        The matrix has a row for each rank, or at most `cells` rows: then a row stands for several
        consecutive ranks, and its numbers are their sums. UsageError for more than 16,384 rows."""
        if what not in ("bytes", "messages"):
            raise UsageError(f"`what`: found {what!r}, expected 'bytes' or 'messages'")
        handle, ranks, phases = self._open, self.ranks, self.phases
        n = whole("cells", ranks if cells is None else min(cells, ranks), 1, frames.MAX_CELLS)
        parts = [(phases[k], *_array(handle, k)) for k in self._places(phase)]
        return frames.matrix(parts, what, ranks, n)

    @property
    def sites(self) -> list[Site]:
        """All call sites, by identity."""
        handle = self._open
        return [
            Site(s.id, text(s.op), tuple(text(f) for f in listed(s.frames, s.n_frames)))
            for s in rows(lib.berth_pattern_sites, handle)
        ]

    @property
    def communicators(self) -> list[Communicator]:
        """The communicators besides MPI_COMM_WORLD."""
        handle = self._open
        return [
            Communicator(c.id, tuple(listed(c.ranks, c.n_ranks)))
            for c in rows(lib.berth_pattern_comms, handle)
        ]

    @property
    def collectives(self) -> list[Collective]:
        """The collective operations."""
        handle = self._open
        return [
            Collective(
                c.phase,
                c.site,
                c.comm,
                text(c.op),
                c.bytes,
                c.count,
                None if c.root < 0 else c.root,
            )
            for c in rows(lib.berth_pattern_colls, handle)
        ]

    @property
    def one_sided(self) -> list[OneSided]:
        """The one-sided operations."""
        handle = self._open
        return [
            OneSided(
                r.phase,
                r.site,
                r.src,
                m.dst,
                r.win,
                text(r.sync),
                text(r.op),
                m.size,
                m.count,
                m.bytes,
            )
            for r in rows(lib.berth_pattern_rmas, handle)
            for m in listed(r.msgs, r.n_msgs)
        ]

    @property
    def times(self) -> list[FunctionTime]:
        """How long ranks were in each MPI function."""
        handle = self._open
        return [
            FunctionTime(
                text(t.op),
                t.site or None,
                None if t.comm < 0 else t.comm,
                t.total_s,
                t.max_s,
                t.max_rank,
            )
            for t in rows(lib.berth_pattern_times, handle)
        ]

    @property
    def rank_infos(self) -> list[RankInfo]:
        """Where and how long each rank ran. Ranks of which nothing is known are left out."""
        handle, found = self._open, []
        for rank in range(self.ranks):
            info = lib.berth_pattern_rank(handle, rank)
            if info:
                i = info.contents
                found.append(
                    RankInfo(
                        rank,
                        text(i.host) or None,
                        None if i.pu < 0 else i.pu,
                        *(None if s < 0 else s for s in (i.wall_s, i.mpi_s)),
                    )
                )
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the pattern, compressed if the name ends in .zst. A file of that name is replaced
        as a whole."""
        call(lib.berth_pattern_save, self._open, path_bytes(path))

    def export(self, format: str, path: str | os.PathLike[str]) -> None:
        """Writes the pattern in another tool's format (`pattern_formats`)."""
        handle, found = self._open, _format(format)
        if not found.write and not found.write_graph:
            raise UsageError(f"`format`: found {format!r}, expected one that berth writes")
        if found.write:
            return _write(found.write, handle, path_bytes(path))
        unit, rounded = ctypes.c_uint64(), ctypes.c_int()
        call(
            lib.berth_exchange_unit,
            ctypes.byref(found),
            handle,
            ctypes.byref(unit),
            ctypes.byref(rounded),
        )
        return _write(found.write_graph, handle, unit, path_bytes(path))

    def resolve(self, time_limit_s: float = 60) -> Pattern:
        """A copy whose call sites have functions, files and lines. The trace names the programs and
        libraries that are read for this, each in a process of its own."""
        counts = _c.Resolution()
        pointer = call(lib.berth_resolve_apart, self._open, time_limit_s, ctypes.byref(counts))
        if counts.unread:
            warnings.warn(
                f"{_text.plural(counts.unread, 'module')} not read: {text(counts.why)}",
                EstimateWarning,
                stacklevel=2,
            )
        return Pattern(Handle(pointer, lib.berth_pattern_free), self.name)

    def including(
        self, topology: Topology, collectives: str = "auto", one_sided: str = "auto"
    ) -> Pattern:
        """A pattern that also has the messages of collective and one-sided operations, as estimates
        for that topology see them: a phase for each round. Parameters are those of `berth.cost`."""
        handle = self._including(topology, collectives, one_sided)
        return Pattern(handle, self.name)

    def _including(self, topology: Topology, collectives: str, one_sided: str) -> Handle:
        handle = self._open
        key = _include.key_of(topology, collectives, one_sided)
        if key not in self._included:
            self._included[key] = _include.included(handle, key)
        return self._included[key]

    def _places(self, phase: int | str | None) -> Sequence[int]:
        return range(len(self.phases)) if phase is None else [self.phase_index(phase)]

    def __repr__(self) -> str:
        if self._handle is None:
            return f"<berth.Pattern {self.name}, closed>"
        return f"<berth.Pattern {self.name}: {_text.plural(self.ranks, 'rank')}, {self._summary()}>"

    def _summary(self) -> str:
        messages, size = self._sums()
        parts = [_text.plural(messages, "message")]
        calls = self._collective_calls()
        if messages or not calls:
            parts.append(_text.size(size))
        if calls:
            parts.append(_text.plural(calls, "collective call"))
        return ", ".join(parts)

    def _collective_calls(self) -> int:
        """In the whole run."""
        repeats = {phase.id: phase.repeats for phase in self.phases}
        return sum(c.calls * repeats.get(c.phase, 1) for c in self.collectives)

    def _sums(self) -> tuple[int, int]:
        parts = [frames.sums(*_array(self._open, k)) for k in range(len(self.phases))]
        repeats = [phase.repeats for phase in self.phases]
        return (
            sum(r * p[0] for r, p in zip(repeats, parts)),
            sum(r * p[1] for r, p in zip(repeats, parts)),
        )

    def _repr_html_(self) -> str:
        messages, size = self._sums()
        calls = self._collective_calls()
        return _text.table(
            ("pattern", "ranks", "phases", "messages", "bytes", "collective calls", "MPI"),
            [
                (
                    self.name,
                    self.ranks,
                    len(self.phases),
                    messages,
                    _text.size(size),
                    calls,
                    self.mpi,
                )
            ],
        )


def _phase(row: Any) -> Phase:
    return Phase(row.id, text(row.name), row.repeats, row.of_phase if row.collective else None)


def _array(handle: Handle, place: int) -> tuple[Any, int]:
    """The messages of a phase in the library's memory, which the handle keeps."""
    n = ctypes.c_size_t()
    return lib.berth_pattern_messages(handle, place, ctypes.byref(n)), n.value


# A berth_message_t as numbers; its members are those of Message, in the same order.
_CODES: dict[Any, str] = {ctypes.c_int: "i", ctypes.c_uint64: "Q"}
_UNPACK = struct.Struct("".join(_CODES[field[1]] for field in _c.Message._fields_))
_AT_ONCE = 4096


def _unpacked(first: Any, n: int) -> Iterator[tuple[int, ...]]:
    """The numbers of each message, some ten times as fast as by ctypes' structs."""
    size = ctypes.sizeof(_c.Message)
    address = ctypes.cast(first, ctypes.c_void_p).value or 0
    for start in range(0, n, _AT_ONCE):
        count = min(_AT_ONCE, n - start)
        yield from _UNPACK.iter_unpack(ctypes.string_at(address + start * size, count * size))


def _format(name: str) -> Any:
    found = lib.berth_exchange_find(word("format", name))
    if not found:
        raise UsageError(
            f"`format`: found {name!r}, expected one of {', '.join(pattern_formats())}"
        )
    return found.contents


def _write(function: Any, *arguments: Any) -> None:
    call(function, *arguments)


def pattern_formats() -> dict[str, str]:
    """Other tools' formats for patterns, with a line of help for each."""
    return {text(f.name): text(f.help) for f in rows(lib.berth_exchanges)}


def load_pattern(path: str | os.PathLike[str], *, truncated: bool = False) -> Pattern:
    """Reads a pattern as `berth trace` writes it; "-" is standard input. With `truncated`, a
    truncated file is read as far as it goes (Pattern.truncated says why it ended). Raises
    BadInputError for a file that breaks the format's rules, MissingError if it can't be read or
    needs more memory than `set_memory` allows."""
    pointer = call(lib.berth_pattern_load, path_bytes(path), int(truncated))
    return Pattern(Handle(pointer, lib.berth_pattern_free), os.fsdecode(path))


def import_pattern(
    *paths: str | os.PathLike[str], format: str | None = None, ranks: int = 0, message_size: int = 0
) -> Pattern:
    """Makes one pattern of files of other tools (`pattern_formats`). `format` is that of all files;
    None: each file's is found from its beginning. `ranks` is their number, 0: as the files say.
    `message_size` is for formats that have bytes but no messages: a pair's bytes are sent in
    messages of this size.
    """
    if not paths:
        raise UsageError("`paths`: found none, expected at least one file")
    whole("ranks", ranks)
    whole("message_size", message_size, 0, MAX_AMOUNT)
    notes: list[str] = []
    names = (ctypes.c_char_p * len(paths))(*(path_bytes(path) for path in paths))
    asked = _c.Import(
        len(paths),
        names,
        ctypes.pointer(_format(format)) if format else None,
        ranks,
        message_size,
        _c.NOTE(lambda line, _: notes.append(text(line))),
        None,
    )
    pointer = call(lib.berth_import, ctypes.byref(asked))
    for note in notes:
        warnings.warn(note, EstimateWarning, stacklevel=2)
    return Pattern(Handle(pointer, lib.berth_pattern_free), os.fsdecode(paths[0]))
