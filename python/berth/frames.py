# SPDX-License-Identifier: BSD-3-Clause
"""Tables of messages and results: pandas frames, and matrices with or without numpy.

numpy and pandas are imported only when they are used."""
from __future__ import annotations

import ctypes
import importlib
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Sequence

from .errors import MissingError, UsageError

if TYPE_CHECKING:
    import pandas

    from .pattern import Phase

__all__ = ["frame"]

MAX_CELLS = 1 << 14  # rows of a matrix: 2 GiB of doubles


def needed(module: str, what: str) -> Any:
    """A module that isn't Python's own. MissingError if it isn't there."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        raise MissingError(
            f"{what} needs the Python package {package}, which can't be imported ({error}). "
            f"Install it: python3-{package} on Debian, or pip install {package}"
        ) from error


def _numpy() -> Any:
    try:
        return importlib.import_module("numpy")
    except ImportError:
        return None


def _view(np: Any, first: Any, n: int) -> Any:
    """The library's array of messages, without a copy."""
    return np.ctypeslib.as_array(first, shape=(n,))


COLUMNS = {  # of Pattern.frame, and their types
    "phase": "int32",
    "name": "object",
    "repeats": "uint64",
    "site": "int32",
    "src": "int32",
    "dst": "int32",
    "size": "uint64",
    "messages": "uint64",
    "bytes": "uint64",
}


def of_messages(parts: Sequence[tuple[Phase, Any, int]]) -> pandas.DataFrame:
    """Pattern.frame. Each column is filled once, in place."""
    pd, np = needed("pandas", "frame"), needed("numpy", "frame")
    total, start = sum(n for _, _, n in parts), 0
    columns = {name: np.empty(total, dtype=dtype) for name, dtype in COLUMNS.items()}
    for phase, first, n in parts:
        if not n:
            continue
        view, end = _view(np, first, n), start + n
        of_phase = {"name": phase.name, "repeats": phase.repeats, "messages": view["count"]}
        for name, column in columns.items():
            column[start:end] = of_phase[name] if name in of_phase else view[name]
        start = end
    return pd.DataFrame(columns, copy=False)


def sums(first: Any, n: int) -> tuple[int, int]:
    """The numbers of messages and bytes."""
    np = _numpy()
    if np and n:
        view = _view(np, first, n)
        return int(view["count"].sum()), int(view["bytes"].sum())
    return sum(first[i].count for i in range(n)), sum(first[i].bytes for i in range(n))


def matrix(parts: Sequence[tuple[Phase, Any, int]], what: str, ranks: int, cells: int) -> Any:
    """Pattern.matrix."""
    member = "count" if what == "messages" else "bytes"
    np = _numpy()
    if np is None:
        return _matrix_of_lists(parts, member, ranks, cells)
    found = np.zeros(cells * cells)
    for phase, first, n in parts:
        if n:
            view = _view(np, first, n)
            row, column = (view[end].astype(np.int64) * cells // ranks for end in ("src", "dst"))
            weights = view[member].astype(float) * phase.repeats
            found += np.bincount(row * cells + column, weights, minlength=cells * cells)
    return found.reshape(cells, cells)


def _matrix_of_lists(
    parts: Sequence[tuple[Phase, Any, int]], member: str, ranks: int, cells: int
) -> list[list[float]]:
    found = [[0.0] * cells for _ in range(cells)]
    for phase, first, n in parts:
        for i in range(n):
            m = first[i]
            found[m.src * cells // ranks][m.dst * cells // ranks] += (
                getattr(m, member) * phase.repeats
            )
    return found


def frame(rows: Iterable[NamedTuple]) -> pandas.DataFrame:
    """A pandas frame of any list of rows that this module returns, such as `pattern.phases`,
    `topology.pus` or `cost.loads()`: a column for each member. A member that is a row itself, such
    as a load's `port`, becomes its text."""
    pd = needed("pandas", "frame")
    rows = list(rows)
    if any(not hasattr(row, "_fields") for row in rows):
        raise UsageError(
            "`rows`: found other objects, expected rows such as those of pattern.phases"
        )
    if not rows:
        return pd.DataFrame()
    return pd.DataFrame([[_cell(value) for value in row] for row in rows], columns=rows[0]._fields)


def _cell(value: object) -> object:
    return str(value) if hasattr(value, "_fields") else value


def doubles(values: Any) -> Any:
    """C's doubles as a numpy array if numpy is there, else a list."""
    np = _numpy()
    return np.array(values, dtype=float) if np else list(values)


def addressed(array: Any) -> Any:
    """The first element's pointer of a ctypes array."""
    return ctypes.cast(array, ctypes.POINTER(array._type_))
