#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/tutorial.ipynb in a kernel of Jupyter, as its readers run it: each cell prints what the
notebook has, and cells that draw give a picture. `notebook.py --update` puts what was printed into
the notebook; pictures stay out of it."""
import json
import os
import sys
import tempfile
import unittest
from typing import Any

import nbclient
import nbformat

import inputs

NOTEBOOK = inputs.SOURCE / "docs/tutorial.ipynb"


def executed(notebook: Any) -> Any:
    """Runs all cells in the notebook's folder. Kernels keep their files in folders of their own."""
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HOME=home, IPYTHONDIR=home, JUPYTER_RUNTIME_DIR=home)
        os.environ.update(PYDEVD_DISABLE_FILE_VALIDATION="1")  # or its debugger warns
        os.environ.pop("MPLBACKEND", None)  # the notebook's own draws into it
        client = nbclient.NotebookClient(
            notebook,
            timeout=300,
            kernel_name="python3",
            resources={"metadata": {"path": str(NOTEBOOK.parent)}},
        )
        return client.execute()


def printed(cell: Any) -> str:
    """The text of a cell, as people see it."""
    return "".join("".join(o["text"]) for o in cell["outputs"] if o["output_type"] == "stream")


def pictures(cell: Any) -> "list[str]":
    return [o["data"]["image/png"] for o in cell["outputs"] if "image/png" in o.get("data", {})]


def code_cells(notebook: Any) -> "list[Any]":
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


class Notebook(unittest.TestCase):
    def setUp(self) -> None:
        self.saved = nbformat.read(NOTEBOOK, as_version=4)

    def test_prints_what_it_shows(self) -> None:
        run = executed(nbformat.from_dict(json.loads(json.dumps(self.saved))))
        drawn = 0
        for saved, found in zip(code_cells(self.saved), code_cells(run), strict=True):
            self.assertEqual(printed(found), printed(saved), saved["source"])
            draws = "berth.plot." in saved["source"]
            self.assertEqual(len(pictures(found)), 1 if draws else 0, saved["source"])
            self.assertTrue(all(len(png) > 3000 for png in pictures(found)))
            drawn += draws
        self.assertEqual(drawn, 3)
        shown = "\n".join(map(printed, code_cells(run)))
        for text in (
            "bottleneck: uplink of A, at C",
            "12.2 times less communication time",
            "86.0% to 91.8% less",
            "2.083 s",
        ):
            self.assertIn(text, shown)  # as docs/tutorial.md and README.md have it

    def test_a_cell_that_fails_is_found(self) -> None:
        broken = nbformat.from_dict(json.loads(json.dumps(self.saved)))
        cells = code_cells(broken)
        cells[0]["source"] = cells[0]["source"].replace("pattern.acp", "no.acp")
        with self.assertRaisesRegex(nbclient.exceptions.CellExecutionError, "MissingError.*no.acp"):
            executed(broken)

    def test_is_clean(self) -> None:
        """It is small, has no pictures, no numbers of executions and no warnings."""
        self.assertLess(NOTEBOOK.stat().st_size, 20000)
        for cell in code_cells(self.saved):
            self.assertIsNone(cell["execution_count"])
            for output in cell["outputs"]:
                self.assertEqual((output["output_type"], output["name"]), ("stream", "stdout"))
        nbformat.validate(self.saved)


def update() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    run = executed(nbformat.from_dict(json.loads(json.dumps(notebook))))
    for saved, found in zip(code_cells(notebook), code_cells(run), strict=True):
        text = printed(found)
        saved["outputs"] = (
            [nbformat.v4.new_output("stream", name="stdout", text=text)] if text else []
        )
        saved["execution_count"] = None
    nbformat.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
