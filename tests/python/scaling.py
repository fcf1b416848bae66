#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Patterns that nobody has traced: what the module makes is what the program makes."""
import unittest

import berth
import inputs


class Scaling(inputs.Case):
    def test_standard(self) -> None:
        """As `berth make` writes it."""
        self.assertIn("stencil3d", berth.standard_patterns())
        p = berth.standard_pattern(
            "stencil3d", grid=[2, 3, 4], block=[5, 6, 7], element=4, steps=9, corners=True
        )
        path = self.folder / "made.acp"
        words = "--grid 2x3x4 --block 5x6x7 --element 4 --steps 9 --corners".split()
        inputs.program("make", "pattern", "stencil3d", *words, "-q", "-o", path)
        made = berth.load_pattern(path)
        self.assertEqual(list(p.messages()), list(made.messages()))
        self.assertEqual(p.phases, made.phases)
        for options, error in [
            ({}, "expected the number of ranks"),
            ({"ranks": -1}, "`ranks`: found -1"),
            ({"grid": 8}, "`grid`: found 8, expected a list of numbers"),
            ({"grid": [2] * 5}, "`grid`: found 5 numbers"),
            ({"grid": [2, 0, 2]}, "`grid`: found 0"),
            ({"ranks": 4, "message": 5}, "bytes of a message"),
        ]:
            with self.assertRaisesRegex(berth.UsageError, error):
                berth.standard_pattern("stencil3d", **options)
        for name in ("stencil9d", None):
            with self.assertRaisesRegex(berth.UsageError, f"`name`: found {name!r}"):
                berth.standard_pattern(name, 4)

    def test_scale(self) -> None:
        """As `berth scale` makes it."""
        small = [berth.standard_pattern("stencil3d", n) for n in (4, 8, 16)]
        paths = []
        for p in small:
            paths.append(self.folder / f"small-{p.ranks}.acp")
            p.save(paths[-1])
        s = berth.scale(*small, ranks=64)
        told = inputs.answer("scale", *paths, "--to", "64")
        self.assertEqual(
            (list(s.grid), s.rule, s.kept, s.kept_messages, s.notes),
            tuple(told[key] for key in ("grid", "rule", "kept", "kept_messages", "notes")),
        )
        self.assertEqual([list(g) for g in s.other_grids], [g["grid"] for g in told["other_grids"]])
        self.assertEqual(s.traced_grids[0], (2, 2, 1))
        self.assertEqual((s.sites[0].op, s.sites[0].frames), ("MPI_Isend", ("faces",)))
        real = berth.standard_pattern("stencil3d", 64)
        same = berth.agreement(s.pattern, real)
        self.assertEqual((same.within, same.pairs, same.agree), (1, 288, 288))
        self.assertEqual(berth.scale(small[2], ranks=64, scaling="weak").pattern.ranks, 64)
        self.assertEqual(berth.scale(*small, grid=(8, 4, 2)).grid, (8, 4, 2))
        for traces, options, error in [
            (small[:1], {"ranks": 9}, "found one trace"),
            (small, {}, "expected the number of ranks"),
            (small, {"ranks": 9, "scaling": "other"}, "`scaling`: found 'other'"),
            ([], {"ranks": 9}, "found 0 traces"),
        ]:
            with self.assertRaisesRegex(berth.UsageError, error):
                berth.scale(*traces, **options)
        with self.assertRaisesRegex(berth.BadInputError, "two traces of 4 ranks"):
            berth.scale(small[0], small[0], ranks=9)
        with self.assertRaisesRegex(berth.UsageError, "`ranks`: found 0, expected 1 to"):
            berth.scale(*small, ranks=0)
        with self.assertRaisesRegex(TypeError, "`traces`: found str"):
            berth.scale("app.acp", ranks=9)
        with self.assertRaisesRegex(berth.BadInputError, "found a pattern of 4 ranks, expected 64"):
            berth.agreement(s.pattern, small[0])


if __name__ == "__main__":
    unittest.main()
