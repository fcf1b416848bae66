#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The examples of docs/python.md, run in order as one session: each prints what the page shows. A
digit that is changed on the page is found, or the page could say anything."""
import doctest
import os
import pathlib
import re
import tempfile
import unittest

import inputs

PAGE = inputs.SOURCE / "docs/python.md"
FLAGS = doctest.ELLIPSIS


def session(page: str) -> str:
    """The examples. Other lines stay empty, so that numbers of lines are those of the page."""
    found, inside = [], False
    for line in page.split("\n"):
        if line.startswith("```"):
            inside = line == "```python"
            found.append("")
        else:
            found.append(line if inside else "")
    return "\n".join(found)


def run(page: str) -> "tuple[doctest.TestResults, str]":
    lines: "list[str]" = []
    test = doctest.DocTestParser().get_doctest(session(page), {}, PAGE.name, str(PAGE), 0)
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=lines.append)
    return result, "".join(lines)


class Page(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        for name in ("examples", "testbed"):
            pathlib.Path(name).symlink_to(inputs.SOURCE / name)

    def test_examples(self) -> None:
        result, text = run(PAGE.read_text())
        self.assertEqual(result.failed, 0, text)
        self.assertGreater(result.attempted, 30)
        for name in ("matrix.png", "tree.png", "loads.png", "ladder.rankfile", "best.json"):
            self.assertGreater(pathlib.Path(name).stat().st_size, 100)

    def test_other_numbers_are_found(self) -> None:
        page = PAGE.read_text().split("\n## Plot\n")[0]
        for shown in (
            "484 messages",
            "number=0, name='h0'",
            "3276803",
            "48.75004196166992",
            "0.3837386285217098",
            "the run 86% to 92% shorter>",
            "time_s=0.8771897495268861",
            "0.4389 s",
            "uplink of h1, at A\n",
        ):
            at = page.index(shown)
            digit = re.compile("[0-9]").search(page, at)
            assert digit
            other = str((int(digit[0]) + 1) % 10)
            result, _ = run(page[: digit.start()] + other + page[digit.end() :])
            self.assertGreater(result.failed, 0, shown)


if __name__ == "__main__":
    unittest.main()
