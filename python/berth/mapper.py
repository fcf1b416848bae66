# SPDX-License-Identifier: BSD-3-Clause
"""Mappers: they find a placement of the ranks."""
from __future__ import annotations

import signal
import threading
from ctypes import POINTER, cast, byref, c_int, pointer
from typing import TYPE_CHECKING, Any, Callable, Mapping as Dict, NamedTuple, Sequence

from . import _c, _text, frames
from ._check import inputs, whole, word
from ._handle import Handle
from ._library import call, lib, rows, text
from ._problem import Problem, current, mapper, one_of, options, pins
from .cost import cost
from .errors import Interrupted
from .mapping import Mapping, Scope

if TYPE_CHECKING:
    from .pattern import Pattern
    from .topology import Topology

__all__ = ["Candidate", "Move", "Progress", "Search", "algorithms", "map", "sample"]

TICK_S = 0.1  # how often a search is looked at


class Candidate(NamedTuple):
    """A placement that a search considered."""

    algorithm: str
    price_s: float  # seconds of the objective, with the share of model sum and with moves
    phase: int | None  # the mapper saw this phase alone; None: the whole pattern
    any_thread: bool  # cores' second hardware threads counted as much as their first ones
    ranks_apart: bool  # calls by hosts counted as if each rank had a host of its own


class Move(NamedTuple):
    """The cheapest placement found that moves at most so many ranks."""

    at_most: int
    moved: int
    cost_s: float  # without the price of moves


class Search(NamedTuple):
    """What `berth.map` tried. Prices are those that it compares."""

    candidates: tuple[
        Candidate, ...
    ]  # in the order in which they were found; the default order first
    chosen: Candidate
    cheapest: Candidate
    left_as_it_is: bool  # `best` found a cheaper placement, but it gains less than min_gain
    min_gain: float
    lower_bound_s: float | None  # no placement has a lower price; None: unknown
    moved: int | None  # ranks that leave their PU in `from_`; None: without it
    moves: tuple[Move, ...]  # if moves have a price or a limit

    def summary(self) -> str:
        """ "linear 5.372 s, greedy 438.9 ms": the candidates for the whole pattern."""
        return ", ".join(
            f"{c.algorithm} {_text.seconds(c.price_s)}" for c in self.candidates if c.phase is None
        )


class Progress(NamedTuple):
    """How far a search is."""

    stage: str
    elapsed_s: float
    best_s: float | None  # the lowest price so far; None: none yet
    done: float | None  # the finished share of the stage; None: unknown
    left_s: float | None  # until the time limit; None: no limit


def algorithms() -> dict[str, str]:
    """The mappers that `map` knows, with a line of help for each."""
    return {text(m.name): text(m.help) for m in rows(lib.berth_mappers)}


def map(
    pattern: Pattern,
    topology: Topology,
    *,
    algorithm: str = "best",
    model: str = "port",
    quality: str = "eco",
    time_limit_s: float = 0,
    seed: int = 1,
    threads: int = 1,
    iterations: int = 0,
    sum_share: float = 0,
    min_gain: float | None = None,
    hosts: str | None = None,
    reserve: int = 0,
    ranks_per_pu: int = 1,
    any_thread: bool = False,
    pinned: Dict[int, int | str] | None = None,
    from_: Mapping | Sequence[int | None] | None = None,
    move_price_s: float = 0,
    max_moves: int | None = None,
    stable: bool = False,
    phase: int | str | None = None,
    collectives: str = "auto",
    one_sided: str = "auto",
    progress: Callable[[Progress], None] | None = None,
) -> Mapping:
    """Places the ranks of a pattern on a topology, as `berth map` does. The mapping's `search` says
    what was tried.

    `algorithm`: one of `algorithms()`. `model`: what is minimised, "port", "bound", "sum" or
    "flow". `quality`: "fast", "eco" or "strong". `time_limit_s`: 0 is no limit; only without one
    are results always the same. `threads` don't change results. `min_gain`: `best` keeps the
    default order unless it gains this share (None: 1%, or the model's error on this machine).

    `hosts` (such as "node[01-16]"), `reserve` (cores left free on each host), `ranks_per_pu` and
    `any_thread` say which PUs may be used. `pinned` gives ranks their place: a PU's number, or
    "HOST:CORE". `from_` is where ranks are now; `move_price_s` is the price of each rank that moves
    away, `max_moves` how many may (None: any), `stable` keeps the others. `phase` places for one
    phase alone. `collectives` and `one_sided` are those of `cost`. `progress` is called ten times a
    second; if it raises, the search ends and the exception is passed on.

    Ctrl-C ends the search: `Interrupted`, a KeyboardInterrupt, has the best placement so far.
    Raises BadInputError if there are fewer places than ranks, UsageError for values that berth
    doesn't know.
    """
    inputs(pattern, topology)
    o = options(
        objective=one_of("model", model, _c.Model),
        quality=one_of("quality", quality, _c.Quality),
        time_limit_s=time_limit_s,
        seed=seed,
        threads=threads,
        iterations=iterations,
        sum_share=sum_share,
        min_gain=-1 if min_gain is None else min_gain,
        any_thread=int(any_thread),
        move_price_s=move_price_s,
        max_moves=-1 if max_moves is None else max_moves,
        stable=int(stable),
        hosts=word("hosts", hosts),
        reserve=reserve,
        ranks_per_pu=ranks_per_pu,
    )
    ints = POINTER(c_int)
    o.pinned = cast(pins(pinned, topology, pattern.ranks), ints)
    o.from_ = cast(current(from_, topology, pattern.ranks), ints)
    found = mapper(algorithm)
    included = pattern._including(topology, collectives, one_sided)
    seen = included if phase is None else _one_phase(included, pattern.phase_index(phase))
    run = _Run(Problem(seen, topology._open, o), found)
    with _CtrlC(run.stop) as ctrl_c:
        raised = run.wait(progress)
    if raised and not isinstance(raised, KeyboardInterrupt):
        raise raised
    assert run.found
    result = Mapping(
        topology,
        run.found[0],
        shared=ranks_per_pu > 1,
        algorithm=run.found[1],
        model=model,
        scope=Scope(hosts, reserve, ranks_per_pu),
        unfinished=bool(run.report.stopped),
        search=_search(run.report),
    )
    result.cost_s = cost(
        pattern,
        topology,
        result,
        model=model,
        pairs=0,
        intervals=False,
        collectives=collectives,
        one_sided=one_sided,
    ).cost_s
    if raised or ctrl_c.pressed:
        raise Interrupted(result)
    return result


def _one_phase(pattern: Handle, place: int) -> Handle:
    pointer_ = call(lib.berth_pattern_of_phase, pattern, place)
    return Handle(pointer_, lib.berth_pattern_of_phase_free, pattern)


class _Run:
    """A search in a thread of its own, so that this one can look at it and hears Ctrl-C. That
    thread keeps all that it uses, and frees it, whatever becomes of this one."""

    def __init__(self, problem: Problem, algorithm: Any) -> None:
        self._problem, self._algorithm = problem, algorithm
        self._watch = Handle(_watch(), lib.berth_map_watch_free)
        self.report = _c.MapReport()
        self.found: tuple[list[int], str] | None = None
        self._failed: BaseException | None = None
        problem.c.watch = self._watch._as_parameter_.value
        problem.c.report = pointer(self.report)

    def _search(self) -> None:
        try:
            with self._problem as problem:
                self.found = problem.run(self._algorithm)
        except BaseException as error:  # passed on by the other thread
            self._failed = error

    def stop(self) -> None:
        """Ends the search soon, with the best placement so far."""
        lib.berth_map_watch_stop(self._watch)

    def wait(self, progress: Callable[[Progress], None] | None) -> BaseException | None:
        """Waits for the end of the search. Returns what `progress` raised, which ends it early."""
        thread, raised = threading.Thread(target=self._search, name="berth.map"), None
        thread.start()
        try:
            while thread.is_alive():
                thread.join(TICK_S)
                if progress and raised is None and thread.is_alive():
                    raised = self._look(progress)
        finally:
            self.stop()  # a signal handler of the program's own may raise
        if self._failed:
            raise self._failed
        return raised

    def _look(self, progress: Callable[[Progress], None]) -> BaseException | None:
        try:
            progress(_progress(lib.berth_map_watch_progress(self._watch)))
        except BaseException as error:  # raised again when the search has ended
            self.stop()
            return error
        return None


class _CtrlC:
    """While a search runs, Ctrl-C stops it instead of raising KeyboardInterrupt at any place. A
    handler of the program's own stays."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self.pressed = False
        self._stop = stop
        main = threading.current_thread() is threading.main_thread()
        self._takes = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def _press(self, number: int, frame: Any) -> None:
        self.pressed = True
        self._stop()

    def __enter__(self) -> _CtrlC:
        if self._takes:
            signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._takes:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _watch() -> int:
    watch = lib.berth_map_watch_new()
    if not watch:
        raise MemoryError
    return int(watch)


def _progress(p: Any) -> Progress:
    return Progress(
        text(p.stage), p.elapsed_s, *(None if v < 0 else v for v in (p.best, p.done, p.left_s))
    )


def _candidate(c: Any) -> Candidate:
    return Candidate(
        text(c.name),
        c.price,
        c.phase.contents.id if c.phase else None,
        bool(c.any_thread),
        bool(c.apart),
    )


def _search(r: _c.MapReport) -> Search:
    candidates = tuple(_candidate(c) for c in r.candidate[: r.n])
    points = tuple(Move(p.max, p.moved, p.cost_s) for p in r.point[: r.n_points])
    return Search(
        candidates,
        candidates[r.chosen],
        candidates[r.cheapest],
        bool(r.left_as_it_is),
        r.min_gain,
        None if r.lower_bound < 0 else r.lower_bound,
        None if r.moved < 0 else r.moved,
        points,
    )


def sample(
    pattern: Pattern,
    topology: Topology,
    n: int = 10000,
    *,
    seed: int = 1,
    model: str = "port",
    threads: int = 1,
    hosts: str | None = None,
    reserve: int = 0,
    ranks_per_pu: int = 1,
    collectives: str = "auto",
    one_sided: str = "auto",
) -> Any:
    """The costs of n random placements, which are equally likely, in seconds: a numpy array if
    numpy is there, else a list. The same seed gives the same placements. Parameters are those of
    `map`."""
    inputs(pattern, topology)
    whole("n", n, 1, 1 << 30)
    o = options(
        objective=one_of("model", model, _c.Model),
        seed=seed,
        threads=threads,
        hosts=word("hosts", hosts),
        reserve=reserve,
        ranks_per_pu=ranks_per_pu,
    )
    included = pattern._including(topology, collectives, one_sided)
    with Problem(included, topology._open, o) as problem:
        return frames.doubles(problem.sample(n))
