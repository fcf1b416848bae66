# SPDX-License-Identifier: BSD-3-Clause
"""Who frees what: objects of the library, and the Python objects that own them."""
from __future__ import annotations

import weakref
from types import TracebackType
from typing import Any, TypeVar

from ctypes import c_void_p

from .errors import ClosedError

O = TypeVar("O", bound="Owner")


class Handle:
    """An object of the library. It is freed when nobody holds the handle any more, so an object
    that borrows another one (`borrowed`) keeps it. Passing the handle to a C function keeps it for
    the call, even if another thread closes its owner."""

    def __init__(self, pointer: int, free: Any, *borrowed: Handle) -> None:
        self._as_parameter_ = c_void_p(pointer)
        self._borrowed = borrowed
        self._end = weakref.finalize(self, free, pointer)


class Owner:
    """What may be closed: a context manager. After `close` its methods raise ClosedError."""

    _handle: Handle | None

    @property
    def _open(self) -> Handle:
        if self._handle is None:
            raise ClosedError(f"found a closed {type(self).__name__}, expected an open one")
        return self._handle

    def close(self) -> None:
        """Gives the memory back. Estimates that were made with this object still work."""
        self._handle = None

    def __enter__(self: O) -> O:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
