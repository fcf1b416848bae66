#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures: what is in them, read back from matplotlib's own objects, and what comes without
matplotlib."""
import unittest
from typing import Any, Callable
from unittest import mock

import berth
import inputs

LARGE = "16:16:4/1:10:100"


class Pictures(inputs.Case):
    def setUp(self) -> None:
        super().setUp()
        self.linear = berth.cost(self.pattern, self.topology)
        self.best = berth.cost(self.pattern, self.topology, berth.map(self.pattern, self.topology))

    def written(self, axes: Any) -> None:
        """The picture can be drawn and isn't empty."""
        path = self.folder / "x.png"
        axes.figure.savefig(path)
        self.assertEqual(path.read_bytes()[:4], b"\x89PNG")
        self.assertGreater(path.stat().st_size, 3000)

    def test_matrix(self) -> None:
        axes = berth.plot.matrix(self.pattern)
        drawn = axes.images[0].get_array()
        self.assertEqual(drawn.filled(0).tolist(), self.pattern.matrix().tolist())
        self.assertEqual(int(drawn.mask.sum()), 256 - 44)  # cells without messages stay white
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("to rank", "from rank"))
        self.written(axes)
        self.assertEqual(
            berth.plot.matrix(self.pattern, "messages", cells=4).images[0].get_array().shape, (4, 4)
        )
        silent = berth.load_pattern(
            self.file(
                "s.acp",
                '{"format":"berth-pattern","version":1,"ranks":2}\n{"kind":"end","records":0}\n',
            )
        )
        axes = berth.plot.matrix(silent)
        self.written(axes)
        self.assertEqual(axes.get_title(), "no messages")
        calls = berth.load_pattern(self.file("calls.acp", inputs.CALLS))
        for phase, where in ((None, ""), (0, " in phase 0")):
            self.assertEqual(
                berth.plot.matrix(calls, phase=phase).get_title(),
                f"no messages{where}, collective calls only: see Pattern.including",
            )
        self.assertEqual(berth.plot.matrix(calls.including(self.topology)).get_title(), "")

    def test_loads(self) -> None:
        axes = berth.plot.loads({"linear": self.linear, "best": self.best}, n=5)
        expected = [load.cost_s for load in self.linear.loads()[:5]]
        self.assertEqual([bar.get_width() for bar in axes.patches[:5]], expected)
        after = {load.port: load.cost_s for load in self.best.loads()}
        ports = [load.port for load in self.linear.loads()[:5]]
        self.assertEqual(
            [bar.get_width() for bar in axes.patches[5:]], [after[port] for port in ports]
        )
        self.assertEqual(
            [t.get_text() for t in axes.get_yticklabels()], [port.text for port in ports]
        )
        self.assertEqual([t.get_text() for t in axes.get_legend().get_texts()], ["linear", "best"])
        self.written(axes)
        one = berth.plot.loads(self.linear, phase=0, n=100)
        self.assertEqual(len(one.patches), len(self.linear.loads(0)))
        self.assertIsNone(one.get_legend())

    def test_tree(self) -> None:
        axes = berth.plot.tree(self.linear)
        links = axes.collections[0]
        self.assertEqual(len(links.get_segments()), len(self.topology.elements) - 1)
        self.assertEqual(max(links.get_array()), max(load.cost_s for load in self.linear.loads()))
        names = {t.get_text() for t in axes.texts}
        self.assertTrue({"A", "B", "C", "h0", "h7", "pu 15"} <= names, names)
        self.written(axes)
        plain = berth.plot.tree(self.topology)
        self.assertIsNone(plain.collections[0].get_array())

    def test_large_trees_end_at_hosts(self) -> None:
        large = berth.import_topology(LARGE)
        axes = berth.plot.tree(large)
        self.assertEqual(len(axes.collections[0].get_segments()), large.n_hosts)
        cost = berth.cost(self.pattern, large)
        links = berth.plot.tree(cost).collections[0]
        self.assertEqual(len(links.get_array()), large.n_hosts)
        # All ranks are on one host: what its inner links cost shows at the host.
        self.assertEqual(
            max(links.get_array()),
            max(load.cost_s for load in cost.loads() if load.port.port != "switch"),
        )
        self.written(axes)

    def test_into_axes(self) -> None:
        import matplotlib.pyplot

        figure, (left, right) = matplotlib.pyplot.subplots(1, 2)
        self.assertIs(berth.plot.tree(self.linear, axes=left), left)
        self.assertIs(berth.plot.loads(self.linear, axes=right), right)
        self.written(left)
        matplotlib.pyplot.close("all")

    def test_refused(self) -> None:
        cases: list[tuple[Callable[[], Any], type[berth.Error], str]] = [
            (lambda: berth.plot.loads({}), berth.UsageError, "at least one"),
            (lambda: berth.plot.loads(self.linear, n=0), berth.UsageError, "`n`: found 0"),
            (lambda: berth.plot.tree(self.linear, phase="no"), berth.UsageError, "`phase`"),
            (lambda: berth.plot.matrix(self.pattern, "colours"), berth.UsageError, "`what`"),
        ]
        for function, error, line in cases:
            with self.assertRaisesRegex(error, line):
                function()
        with self.assertRaisesRegex(TypeError, "`machine`: found int, expected Topology or Cost"):
            berth.plot.tree(3)  # type: ignore[arg-type]

    def test_without_matplotlib(self) -> None:
        missing = {
            name: None for name in list(inputs.sys.modules) if name.split(".")[0] == "matplotlib"
        }
        with mock.patch.dict(
            inputs.sys.modules, {**missing, "matplotlib": None, "matplotlib.pyplot": None}
        ):
            for function in (
                lambda: berth.plot.matrix(self.pattern),
                lambda: berth.plot.loads(self.linear),
                lambda: berth.plot.tree(self.linear),
            ):
                with self.assertRaisesRegex(
                    berth.MissingError,
                    "needs the Python package matplotlib.*" "python3-matplotlib on Debian",
                ):
                    function()


if __name__ == "__main__":
    unittest.main()
