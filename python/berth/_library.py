# SPDX-License-Identifier: BSD-3-Clause
"""Finds libberth.so, declares its functions to ctypes, and calls them."""
from __future__ import annotations

import ctypes
import os
import pathlib
import re
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_long, c_size_t, c_uint64, c_void_p
from typing import Any

from . import _c, _prototypes
from . import _c_scaling as _c_scaling  # it adds to _c.STRUCTS
from ._version import __version__
from .errors import Error, of_code

NAME = "libberth.so.0"
_BASIC = {
    "int": c_int,
    "long": c_long,
    "double": c_double,
    "size_t": c_size_t,
    "uint64_t": c_uint64,
    **{name: c_int for name in _prototypes.INTEGERS},
}
_PROTOTYPE = re.compile(r"(?P<result>.+?[ *])(?P<name>berth_\w+)\((?P<parameters>.*)\)")
_TYPE = re.compile(r"(?:const )?(?P<base>\w+) ?(?P<stars>(?:\*|const )*)")


def _type_of(text: str, takes: bool) -> Any:
    """The ctypes type of a C type. `takes`: of a parameter; else of a result."""
    found = _TYPE.match(text)
    assert found, text
    base, stars = found["base"], found["stars"].count("*")
    if not stars:
        return None if base == "void" else _BASIC.get(base) or _c.STRUCTS[base]
    if base == "char":  # a result that the caller frees stays an address
        owned = not takes and not text.startswith("const")
        one: Any = c_void_p if owned else c_char_p
    elif base in _c.STRUCTS or base in _BASIC:
        one = POINTER(_BASIC.get(base) or _c.STRUCTS[base])
    else:  # opaque
        one = c_void_p
    for _ in range(stars - 1):
        one = POINTER(one)
    return one


def _declare(library: ctypes.CDLL, prototype: str) -> None:
    found = _PROTOTYPE.fullmatch(prototype)
    assert found, prototype
    function = getattr(library, found["name"])
    function.restype = _type_of(found["result"], False)
    parameters = [p for p in found["parameters"].split(", ") if p != "void"]
    function.argtypes = [_type_of(p, True) for p in parameters]


def prototypes() -> list[str]:
    """The declared functions."""
    found = re.findall(r"^\S.*?\)$", _prototypes.FUNCTIONS, re.DOTALL | re.MULTILINE)
    return [" ".join(prototype.split()) for prototype in found]


def _places() -> list[str]:
    """Where the library may be, the first place first. `cmake --install` writes _installed.py."""
    asked = os.environ.get("BERTH_LIBRARY")
    if asked:
        return [asked]
    try:
        from ._installed import LIBRARY
    except ImportError:
        return [NAME]
    beside = pathlib.Path(__file__).resolve().parent / LIBRARY
    return [str(beside), NAME] if beside.exists() else [NAME]


def _load() -> ctypes.CDLL:
    why = ""
    for place in _places():
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            why = str(error)
    raise ImportError(
        f"berth: found no {NAME} ({why}). Install berth, or set BERTH_LIBRARY to the file"
    )


def _check_version(library: ctypes.CDLL) -> None:
    try:
        library.berth_version.restype = c_char_p
        found = library.berth_version().decode()
    except AttributeError:
        found = "an older one"
    if found.split(".")[:2] != __version__.split(".")[:2]:
        raise ImportError(
            f"berth: found {NAME} {found}, expected {__version__}, the version of this module"
        )


def _open() -> ctypes.CDLL:
    library = _load()
    _check_version(library)
    try:
        for prototype in prototypes():
            _declare(library, prototype)
    except AttributeError as error:
        raise ImportError(
            f"berth: {error}: found an older {NAME}, expected that of this module"
        ) from None
    return library


lib = _open()
_libc = ctypes.CDLL(None)
_libc.free.argtypes = [c_void_p]
_libc.free.restype = None


def free(pointer: Any) -> None:
    """Frees what the library left to its caller."""
    _libc.free(ctypes.cast(pointer, c_void_p))


def call(function: Any, *arguments: Any) -> Any:
    """Calls a function whose last parameter is the error, and returns its result. Raises the error
    if the result is a code other than 0, or no object."""
    err = _c.Error()
    result = function(*arguments, byref(err))
    failed = result != 0 if function.restype is c_int else not result
    if failed:
        raise failure(err, result if function.restype is c_int else 0)
    return result


def failure(err: _c.Error, code: int = 0) -> Error:
    """The exception for a filled error."""
    text = err.text.decode(errors="replace") or "out of memory"
    return of_code(err.code or code or _c.Code.MISSING, text)


def text(value: bytes | None) -> str:
    """A text of the library; "" for none."""
    return value.decode(errors="replace") if value else ""


def path_bytes(path: str | os.PathLike[str]) -> bytes:
    """A file's name as the library takes it."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise of_code(_c.Code.USAGE, f"found a zero byte in the file name {name!r}")
    return name


def owned_text(pointer: int) -> str:
    """Takes a text that the caller frees."""
    value = ctypes.cast(pointer, c_char_p).value
    free(pointer)
    return text(value)


def rows(function: Any, *arguments: Any) -> Any:
    """The elements of a list that a function gives, in the library's memory."""
    n = c_size_t()
    first = function(*arguments, byref(n))
    return listed(first, n.value)


def listed(first: Any, n: int) -> Any:
    """The first n elements behind a pointer, which may be NULL if there are none."""
    return first[:n] if n else []
