# SPDX-License-Identifier: BSD-3-Clause
"""Numbers with units and short tables, for people."""
from __future__ import annotations

import html
from typing import Iterable, Sequence


def _scaled(value: float, base: float, units: Sequence[str]) -> str:
    unit = 0
    while value >= 0.9995 * base and unit + 1 < len(units):
        value /= base
        unit += 1
    return f"{_digits(value)} {units[unit]}"


def _digits(value: float) -> str:
    return f"{value:#.4g}".removesuffix(".")


def seconds(value: float) -> str:
    """ "438.9 ms": four digits."""
    if value < 0 or value != value or value in (0, float("inf")):
        return f"{value:g} s"
    if value >= 1:
        return f"{_digits(value)} s"
    return _scaled(value * 1e9, 1000, ("ns", "us", "ms", "s"))


def cost(value: float, distances: bool) -> str:
    """A cost: seconds, or a number where the topology has distances."""
    return _digits(value) if distances else seconds(value)


def size(value: float) -> str:
    """ "48.75 MiB": bytes in binary units."""
    if value < 1024:
        return f"{value:.0f} B"
    return _scaled(value, 1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))


def plural(n: int, noun: str) -> str:
    """ "1 rank", "16 ranks"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A small HTML table."""

    def line(cells: Sequence[object], tag: str) -> str:
        return (
            "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"
        )

    return "<table>" + line(head, "th") + "".join(line(row, "td") for row in rows) + "</table>"
