# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong: each error of libberth is an exception with the library's text.

The text names the file and the place in it, what was found and what was expected. It names
parameters in backquotes, as berth.map calls them."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .mapping import Mapping


class Error(Exception):
    """The base of all errors. `code` is the exit code that the program `berth` would have."""

    code = 3


class UsageError(Error, ValueError):
    """A parameter has a value that berth doesn't know."""

    code = 2


class BadInputError(Error, ValueError):
    """A file or a value breaks the rules, or two inputs don't fit together."""

    code = 3


class MissingError(Error):
    """Something needed is missing on this machine: a file, a Python package, memory."""

    code = 4


class ClosedError(Error, ValueError):
    """The object was closed. Load it again."""

    code = 2


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a search. `mapping` is its best placement so far."""

    def __init__(self, mapping: Mapping) -> None:
        super().__init__(
            f"the search was stopped; `mapping` is the best placement so far: {mapping!r}"
        )
        self.mapping = mapping


class EstimateWarning(UserWarning):
    """An estimate leaves something out, or takes something for granted."""


_BY_CODE: dict[int, type[Error]] = {2: UsageError, 3: BadInputError, 4: MissingError}


def of_code(code: int, text: str) -> Error:
    """The exception for an error of the library."""
    return _BY_CODE.get(code, Error)(text)
