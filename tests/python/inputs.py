# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the Python module share: where things are, inputs, and the program beside
it."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Any

import berth

SOURCE = pathlib.Path(os.environ["BERTH_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["BERTH_BUILD_DIR"])
PATTERN = SOURCE / "examples/ladder/pattern.acp"
TOPOLOGY = SOURCE / "testbed/topology.json"
CORPUS = SOURCE / "tests/fuzz/corpus"
CALLS = """{"format":"berth-pattern","version":1,"ranks":4,"mpi":"Open MPI 4.1.4"}
{"kind":"phase","id":0,"name":"","repeats":99}
{"kind":"coll","op":"MPI_Allreduce","bytes":8,"count":5}
{"kind":"end","records":2}
"""


def program(*arguments: object) -> str:
    """The standard output of `berth`."""
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    done = subprocess.run(
        [BUILD / "berth", *map(str, arguments)], capture_output=True, text=True, env=environment
    )
    if done.returncode:
        raise AssertionError(f"berth {arguments}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def answer(*arguments: object) -> Any:
    """The JSON that `berth` prints."""
    return json.loads(program(*arguments, "--json"))


class Case(unittest.TestCase):
    """A test with a folder for files, and the usual inputs."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.pattern = berth.load_pattern(PATTERN)
        self.topology = berth.load_topology(TOPOLOGY)

    def file(self, name: str, text: str) -> pathlib.Path:
        """A file with this text."""
        path = self.folder / name
        path.write_text(text)
        return path
