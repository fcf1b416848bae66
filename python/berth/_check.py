# SPDX-License-Identifier: BSD-3-Clause
"""Numbers from users: ctypes cuts off what a C integer can't hold, so they are checked before."""
from __future__ import annotations

import operator

from .errors import UsageError

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
