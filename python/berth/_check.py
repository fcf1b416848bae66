# SPDX-License-Identifier: BSD-3-Clause
"""Numbers from users: ctypes cuts off what a C integer can't hold, so they are checked before."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from .errors import UsageError

if TYPE_CHECKING:
    from .pattern import Pattern
    from .topology import Topology

MAX_INT = (1 << 31) - 1
MAX_U64 = (1 << 64) - 1
MAX_AMOUNT = 1 << 53  # BERTH_MAX_AMOUNT: bytes, messages


def whole(name: str, value: int, low: int = 0, high: int = MAX_INT) -> int:
    """The value, if it is a whole number in that range."""
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"`{name}`: found {value!r}, expected a whole number") from None
    if not low <= number <= high:
        raise UsageError(f"`{name}`: found {number}, expected {low} to {high}")
    return number


def word(name: str, value: str | None) -> bytes | None:
    """A text as the library takes it; None stays None."""
    if value is None:
        return None
    if not isinstance(value, str) or "\0" in value:
        raise UsageError(f"`{name}`: found {value!r}, expected a text")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"`{name}`: found {value!r}, expected a text in UTF-8") from None


def inputs(pattern: Pattern, topology: Topology) -> None:
    """Refuses other objects, such as a file's name or the two in the wrong order."""
    from .pattern import Pattern
    from .topology import Topology

    if not isinstance(pattern, Pattern):
        raise TypeError(
            f"`pattern`: found {type(pattern).__name__}, expected Pattern (berth.load_pattern)"
        )
    if not isinstance(topology, Topology):
        raise TypeError(
            f"`topology`: found {type(topology).__name__}, expected Topology (berth.load_topology)"
        )
