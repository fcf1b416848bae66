#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The module's types, for those who check theirs: mypy finds nothing in the module and in a program
that uses it, and finds what such a program does wrong. Everything public is documented."""
import inspect
import pathlib
import subprocess
import sys
import tempfile
import unittest

import berth
import inputs

RIGHT = """import berth
pattern: berth.Pattern = berth.load_pattern("x.acp")
topology = berth.load_topology("t.json")
mapping: berth.Mapping = berth.map(pattern, topology, pinned={0: "h0:1"}, hosts="h[0-3]")
cost = berth.cost(pattern, topology, mapping)
seconds: float = cost.cost_s
where: str = cost.bottleneck.port.text if cost.bottleneck else ""
pairs: list[tuple[int, int]] = [(m.src, m.dst) for m in pattern.messages()]
"""
WRONG = [
    ("cost.bottleneck.port", 'has no attribute "port"'),
    ("berth.map(topology, pattern)", "incompatible type"),
    ("berth.cost(pattern, topology, modle='sum')", 'Unexpected keyword argument "modle"'),
    ("pattern.phase(1.5)", "incompatible type"),
    ("berth.nothing", 'has no attribute "nothing"'),
]


def mypy(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """Without a cache, so that nothing is left behind."""
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--cache-dir=/dev/null",
            "--config-file",
            str(inputs.SOURCE / "pyproject.toml"),
            *map(str, arguments),
        ],
        capture_output=True,
        text=True,
        cwd=inputs.SOURCE,
    )


class Types(unittest.TestCase):
    def test_module(self) -> None:
        done = mypy("--python-version", "3.9", "python/berth", "python/berth_wheel.py")
        self.assertIn("Success: no issues found", done.stdout, done.stdout + done.stderr)

    def test_programs(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "x.py"
            path.write_text(RIGHT + "\n".join(line for line, _ in WRONG) + "\n")
            done = mypy(path)
        lines = done.stdout.splitlines()
        first = RIGHT.count("\n") + 1
        for i, (line, complaint) in enumerate(WRONG):
            self.assertTrue(
                any(f"x.py:{first + i}:" in found and complaint in found for found in lines),
                f"{line}: {done.stdout}",
            )
        self.assertFalse(
            [found for found in lines for k in range(1, first) if f"x.py:{k}:" in found], lines
        )

    def test_everything_is_documented(self) -> None:
        for name in berth.__all__:
            thing = getattr(berth, name)
            if not (inspect.isclass(thing) or inspect.isfunction(thing) or inspect.ismodule(thing)):
                continue
            self.assertTrue(thing.__doc__ and not thing.__doc__.startswith(f"{name}("), name)
            if not inspect.isclass(thing):
                continue
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    documented = value.__doc__ or getattr(thing.__mro__[1], member, None)
                    self.assertTrue(documented, f"{name}.{member}")

    def test_sizes(self) -> None:
        """Files of at most 600 lines, lines of at most 100 columns, a licence in each."""
        for folder in ("python", "python/berth", "tests/python"):
            for path in sorted((inputs.SOURCE / folder).glob("*.py")):
                lines = path.read_text().splitlines()
                self.assertLessEqual(len(lines), 600, path)
                for number, line in enumerate(lines, 1):
                    self.assertLessEqual(len(line), 100, f"{path}:{number}")
                self.assertTrue(
                    any("SPDX-License-Identifier: BSD-3-Clause" in line for line in lines[:2]), path
                )


if __name__ == "__main__":
    unittest.main()
