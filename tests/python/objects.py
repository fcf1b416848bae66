#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Patterns, topologies, mappings and costs as Python objects: what they hold, what they refuse, and
that nothing that was closed is used."""
import functools
import gc
import os
import pathlib
import subprocess
import sys
import threading
import unittest
import unittest.mock
import warnings
from typing import Any, Callable

import berth
import inputs

TWO_RANKS = '{"format":"berth-pattern","version":1,"ranks":2}\n'


class Patterns(inputs.Case):
    def test_what_it_holds(self) -> None:
        p = self.pattern
        self.assertEqual(
            (p.ranks, p.mpi, p.command), (16, "Open MPI 4.1.4", ("./ladder", "262144", "10"))
        )
        self.assertEqual(p.phases, [berth.Phase(0, "", 1, None)])
        messages = list(p.messages())
        self.assertEqual(messages[0], berth.Message(0, 2, 0, 1, 1, 1, 1))
        self.assertEqual(sum(m.messages for m in messages), 484)
        self.assertEqual(sum(m.bytes for m in messages), 51118124)
        self.assertEqual([c.op for c in p.collectives], ["MPI_Barrier", "MPI_Reduce"])
        self.assertEqual(p.collectives[1].root, 0)
        self.assertIsNone(p.collectives[0].root)
        self.assertIn("exchange ladder.c:67", p.sites[1].frames)
        self.assertEqual(len(p.rank_infos), 16)
        share = p.mpi_share
        assert share is not None
        self.assertTrue(0.9 < share < 1)
        self.assertIsNone(p.truncated)
        self.assertEqual(
            repr(p),
            f"<berth.Pattern {inputs.PATTERN}: 16 ranks, 484 messages, 48.75 MiB, "
            "2 collective calls>",
        )

    def test_calls_alone(self) -> None:
        """A pattern of collective calls names them, with the repeats of their phase."""
        p = berth.load_pattern(self.file("calls.acp", inputs.CALLS))
        self.assertIn(": 4 ranks, 0 messages, 495 collective calls>", repr(p))
        self.assertIn("<td>495</td>", p._repr_html_())
        self.assertEqual(sum(map(sum, p.matrix())), 0)
        self.assertEqual(len(p.frame()), 0)
        included = p.including(self.topology)
        self.assertGreater(sum(map(sum, included.matrix("messages"))), 495)
        self.assertGreater(len(included.frame()), 0)

    def test_all_lists(self) -> None:
        """Each list of a pattern that has everything."""
        p = berth.load_pattern(inputs.CORPUS / "pattern/one-sided.acp")
        put = p.one_sided[0]
        self.assertEqual((put.op, put.sync), ("MPI_Put", "fence"))
        whole = berth.load_pattern(inputs.CORPUS / "pattern/whole.acp.zst")
        self.assertTrue(whole.collectives and whole.communicators and whole.sites)
        self.assertTrue(all(c.ranks for c in whole.communicators))
        path = self.file(
            "times.acp",
            TWO_RANKS + '{"kind":"time","op":"MPI_Wait","total_s":2,"max_s":1.5,'
            '"max_rank":1}\n{"kind":"end","records":1}\n',
        )
        self.assertEqual(
            berth.load_pattern(path).times, [berth.FunctionTime("MPI_Wait", None, None, 2, 1.5, 1)]
        )
        cut = berth.load_pattern(inputs.CORPUS / "pattern/cut.acp", truncated=True)
        self.assertIn("cut.acp", cut.truncated or "")

    def test_phases(self) -> None:
        p = berth.load_pattern(inputs.SOURCE / "tests/data/cases/two-phases.acp")
        first, second = p.phases
        self.assertEqual(p.phase(second.id), second)
        self.assertEqual(p.phase(first.name), first)
        self.assertEqual(
            sum(len(list(p.messages(q.id))) for q in p.phases), len(list(p.messages()))
        )
        with self.assertRaisesRegex(
            berth.UsageError, r"`phase`: found 'no', expected the number or name"
        ):
            p.phase("no")

    def test_matrices(self) -> None:
        p = berth.load_pattern(inputs.SOURCE / "tests/data/cases/two-phases.acp")
        for what, member in (("bytes", "bytes"), ("messages", "messages")):
            expected = [[0.0] * p.ranks for _ in range(p.ranks)]
            for m in p.messages():
                expected[m.src][m.dst] += getattr(m, member) * p.phase(m.phase).repeats
            self.assertEqual(p.matrix(what).tolist(), expected)
            self.assertEqual(without("numpy", lambda: p.matrix(what)), expected)
            halves = p.matrix(what, cells=1)
            self.assertEqual(halves.tolist(), [[sum(map(sum, expected))]])
        for arguments, line in [
            ({"what": "size"}, "`what`: found 'size'"),
            ({"cells": -1}, "`cells`: found -1"),
        ]:
            with self.assertRaisesRegex(berth.UsageError, line):
                p.matrix(**arguments)  # type: ignore[arg-type]

    def test_frames(self) -> None:
        frame = self.pattern.frame()
        self.assertEqual(
            list(frame.columns),
            ["phase", "name", "repeats", "site", "src", "dst", "size", "messages", "bytes"],
        )
        self.assertEqual(len(frame), len(list(self.pattern.messages())))
        self.assertEqual(frame.bytes.sum(), 51118124)
        self.pattern.close()  # the frame is a copy
        gc.collect()
        self.assertEqual(frame.bytes.sum(), 51118124)
        silent = berth.load_pattern(
            self.file("silent.acp", TWO_RANKS + '{"kind":"end","records":0}\n')
        )
        self.assertEqual(len(silent.frame()), 0)
        self.assertEqual(silent.matrix().tolist(), [[0, 0], [0, 0]])
        self.assertEqual(len(berth.frame(self.topology.pus)), 16)
        self.assertEqual(len(berth.frame([])), 0)
        with self.assertRaises(berth.UsageError):
            berth.frame([(1, 2)])  # type: ignore[list-item]
        with self.assertRaisesRegex(berth.MissingError, "frame needs the Python package pandas"):
            without("pandas", silent.frame)

    def test_copies_on_disk(self) -> None:
        for name in ("copy.acp", "copy.acp.zst"):
            self.pattern.save(self.folder / name)
            copy = berth.load_pattern(self.folder / name)
            self.assertEqual(list(copy.messages()), list(self.pattern.messages()))
        for format in ("csv", "sqlite", "metis"):
            self.assertIn(format, berth.pattern_formats())
            self.pattern.export(format, self.folder / format)
            again = berth.import_pattern(self.folder / format, format=format, ranks=16)
            self.assertEqual(again.matrix().sum(), self.pattern.matrix().sum(), format)

    def test_including(self) -> None:
        """Messages of collective operations are in a pattern of their own."""
        before = len(self.pattern.phases)
        more = self.pattern.including(self.topology)
        self.assertEqual(len(more.phases), before + 8)
        self.assertEqual(more.phases[1].of_phase, 0)
        self.assertEqual(len(self.pattern.phases), before)
        self.assertEqual(
            len(self.pattern.including(self.topology, collectives="none").phases), before
        )
        more.close()
        self.assertEqual(len(self.pattern.including(self.topology).phases), before + 8)


class Topologies(inputs.Case):
    def test_what_it_holds(self) -> None:
        t = self.topology
        self.assertEqual(
            (t.name, t.n_pus, t.n_hosts, t.distances, t.hosts_text),
            ("testbed, 25 Mbit/s", 16, 8, False, "h[0-7]"),
        )
        self.assertEqual(t.hosts[7], berth.Host(7, "h7", t.hosts[7].element))
        self.assertEqual(t.elements[t.hosts[7].element].name, "h7")
        self.assertEqual((t.pus[15].host, t.pus[15].core), (7, 1))
        names = [t.elements[e].name for e in t.children(0)]
        self.assertEqual(names, ["A", "B"])
        self.assertEqual(sum(1 for e in t.elements if e.height == 0), 16)
        self.assertEqual(t.elements[0].parent, None)
        self.assertEqual(len(t.curves), 2)
        link = t.types[t.elements[t.hosts[0].element].type or 0]
        self.assertIsNotNone(link.up_out.curve)

    def test_message_time(self) -> None:
        t = self.topology
        self.assertLess(t.message_time(0, 1, 1 << 20), t.message_time(0, 15, 1 << 20))
        for arguments, error in [((0, 16, 1), berth.UsageError), ((0, 1, -1), berth.UsageError)]:
            with self.assertRaises(error):
                t.message_time(*arguments)

    def test_import(self) -> None:
        t = berth.import_topology("8:8:8/1:10:100", name="literature")
        self.assertEqual((t.name, t.n_pus, t.n_hosts, t.distances), ("literature", 512, 8, True))
        with self.assertRaisesRegex(berth.UsageError, "`format`: found 'no'"):
            berth.import_topology("8:8", format="no")

    def test_make(self) -> None:
        words = "rack:2 host:3 core:4 host=100Gbit/s rack=100Gbit/s"
        t = berth.make_topology(words, name="made")
        self.assertEqual((t.name, t.n_pus, t.n_hosts), ("made", 24, 6))
        path = self.folder / "made.json"
        inputs.program("topo", "make", *words.split(), "-o", path)
        self.assertEqual(t.machine, berth.load_topology(path).machine)
        like = berth.make_topology(f"host:2 like={inputs.TOPOLOGY}")
        self.assertEqual((like.n_hosts, like.n_pus), (2, 4))
        with self.assertRaisesRegex(berth.BadInputError, "nonsense"):
            berth.make_topology("host:2 nonsense")
        with self.assertRaisesRegex(TypeError, "`words`: found list, expected str"):
            berth.make_topology(["host:2"])  # type: ignore[arg-type]
        with self.assertRaisesRegex(berth.BadInputError, "found a pattern, expected a topology"):
            berth.load_topology(inputs.PATTERN)
        with self.assertRaisesRegex(berth.BadInputError, "found a pattern, expected a mapping"):
            berth.load_mapping(inputs.PATTERN, self.topology)

    def test_changed(self) -> None:
        """As with `--set`."""
        faster = self.topology.changed("host.up*=2", "switch.rate=1Gbit/s")
        told = inputs.answer(
            *("cost", "--pattern", inputs.PATTERN, "--topology", inputs.TOPOLOGY),
            *("--mapping", self.linear(), "--set", "host.up*=2", "--set", "switch.rate=1Gbit/s"),
        )
        cost = berth.cost(self.pattern, faster, berth.Mapping(self.topology, range(16)))
        self.assertEqual(cost.cost_s, told["results"][0]["cost_s"])
        self.assertLess(cost.cost_s, berth.cost(self.pattern, self.topology).cost_s)
        with self.assertRaisesRegex(berth.BadInputError, "rack"):
            self.topology.changed("rack.up*=2")

    def linear(self) -> pathlib.Path:
        """The default order as a file."""
        path = self.folder / "linear.json"
        berth.Mapping(self.topology, range(16)).save(path)
        return path

    def test_this_machine(self) -> None:
        t = berth.this_machine("here")
        self.assertEqual(t.hosts_text, "here")
        self.assertGreater(t.n_pus, 0)
        self.assertFalse(any(curve.measured for curve in t.curves))
        path = self.folder / "here.json"
        t.save(path)
        self.assertEqual(berth.load_topology(path).n_pus, t.n_pus)


class Mappings(inputs.Case):
    def test_files(self) -> None:
        m = berth.map(self.pattern, self.topology, algorithm="round-robin")
        path = self.folder / "m.json"
        m.save(path)
        again = berth.load_mapping(path, self.topology, ranks=16)
        self.assertEqual(again, m)
        self.assertEqual(
            (again.algorithm, again.model, again.cost_s), ("round-robin", "port", m.cost_s)
        )
        by_program = self.folder / "by-program"
        inputs.program(
            "write", "--mapping", path, "--topology", inputs.TOPOLOGY, f"rankfile={by_program}"
        )
        m.write("rankfile", self.folder / "by-module")
        self.assertEqual((self.folder / "by-module").read_text(), by_program.read_text())
        self.assertIn("mpirun --rankfile x -np 16 ./app", m.command("rankfile", "x"))
        self.assertIn("mpirun --rankfile 'a b;c' ", m.command("rankfile", "a b;c"))
        self.assertEqual(m.command("mapping", "x"), "")
        place = m.places()[3]
        self.assertEqual((place.rank, place.pu), (3, m.pu_of_rank[3]))
        self.assertEqual(place.host, self.topology.hosts[self.topology.pus[place.pu].host].name)
        with self.assertRaisesRegex(
            berth.UsageError, "`format`: found 'no', expected one of mapping, rankfile"
        ):
            m.write("no", path)

    def test_translate(self) -> None:
        renamed = berth.load_topology(
            self.file("t.json", inputs.TOPOLOGY.read_text().replace('"h%d"', '"node%d"'))
        )
        m = berth.Mapping(self.topology, range(16))
        with self.assertRaisesRegex(berth.BadInputError, "of another machine"):
            berth.cost(self.pattern, renamed, m)
        moved = m.translate(renamed)
        self.assertEqual(moved.places()[0].host, "node0")
        self.assertGreater(berth.cost(self.pattern, renamed, moved).cost_s, 0)
        with self.assertRaises(berth.BadInputError):
            m.translate(berth.this_machine())

    def test_refused(self) -> None:
        for pus, line in [
            ([], "found no ranks"),
            ([0, 16], "found PU 16 for rank 1, expected 0 to 15"),
            ([-1], "found PU -1 for rank 0"),
            ([3, 1, 3], "found PU 3 for ranks 0 and 2, expected a PU for each rank"),
        ]:
            with self.assertRaisesRegex(berth.BadInputError, line):
                berth.Mapping(self.topology, pus)


class BadInput(inputs.Case):
    """Texts are the library's, exceptions its codes."""

    def test_files(self) -> None:
        damaged, short = self.file("damaged", "{\n"), self.file(
            "short.json", '{"format":"berth-mapping"}'
        )
        mapping = self.file("m.json", "")
        berth.map(self.pattern, self.topology, algorithm="linear").save(mapping)
        fifteen = self.file(
            "15.json", mapping.read_text().replace(", 15]", "]").replace(",15]", "]")
        )
        cases: list[tuple[Callable[[], Any], type[berth.Error], str]] = [
            (
                lambda: berth.load_pattern("no.acp"),
                berth.MissingError,
                "^no.acp: cannot open: No such file",
            ),
            (
                lambda: berth.load_pattern(damaged),
                berth.BadInputError,
                "damaged: found a JSON document of several lines",
            ),
            (lambda: berth.load_pattern(inputs.TOPOLOGY), berth.BadInputError, "topology.json:1:"),
            (
                lambda: berth.load_pattern(self.folder),
                berth.MissingError,
                "found a directory, expected a file",
            ),
            (lambda: berth.load_pattern("a\0b"), berth.UsageError, "zero byte"),
            (
                lambda: berth.load_pattern(inputs.CORPUS / "pattern/cut.acp"),
                berth.BadInputError,
                "cut.acp",
            ),
            (lambda: berth.load_topology("no.json"), berth.MissingError, "^no.json: cannot open"),
            (lambda: berth.load_topology(damaged), berth.BadInputError, "damaged"),
            (lambda: berth.load_topology(inputs.PATTERN), berth.BadInputError, "pattern.acp"),
            (
                lambda: berth.load_mapping("no", self.topology),
                berth.MissingError,
                "^no: cannot open",
            ),
            (lambda: berth.load_mapping(short, self.topology), berth.BadInputError, "short.json"),
            (
                lambda: berth.load_mapping(mapping, self.topology, ranks=17),
                berth.BadInputError,
                "17",
            ),
            (
                lambda: berth.load_mapping(mapping, berth.this_machine()),
                berth.BadInputError,
                "m.json",
            ),
            (lambda: berth.import_pattern("no.csv"), berth.MissingError, "no.csv"),
            (lambda: berth.import_pattern(damaged, format="csv"), berth.BadInputError, "damaged"),
            (lambda: berth.import_pattern(), berth.UsageError, "found none"),
            (
                lambda: berth.import_pattern(damaged, format="no"),
                berth.UsageError,
                "expected one of",
            ),
            (
                lambda: self.pattern.save("/no/such/folder/x.acp"),
                berth.MissingError,
                "/no/such/folder",
            ),
            (
                lambda: self.pattern.export("eztrace", "x"),
                berth.UsageError,
                "`format`: found 'eztrace'",
            ),
            (
                lambda: berth.cost(
                    self.pattern, self.topology, berth.load_mapping(fifteen, self.topology)
                ),
                berth.BadInputError,
                "`mapping`: found 15 ranks, expected 16, as the pattern has",
            ),
        ]
        self.check(cases)

    def test_values(self) -> None:
        half: Any = 1.5
        p, t, small = self.pattern, self.topology, berth.import_topology("2:2/1:10")
        cases: list[tuple[Callable[[], Any], type[berth.Error], str]] = [
            (
                lambda: berth.cost(p, t, range(15)),
                berth.BadInputError,
                "found 15 ranks, expected 16",
            ),
            (
                lambda: berth.cost(p, t, "best.json"),
                berth.UsageError,
                "`mapping`: found 'best.json'",
            ),
            (
                lambda: berth.cost(p, t, model="no"),
                berth.UsageError,
                "`model`: found 'no', expected one of port",
            ),
            (lambda: berth.cost(p, t, pairs=-1), berth.UsageError, "`pairs`"),
            (lambda: berth.cost(p, t, collectives="no"), berth.MissingError, "no"),
            (lambda: berth.cost(p, t, one_sided="no"), berth.UsageError, "no"),
            (lambda: berth.cost(p, small), berth.BadInputError, "found 16 ranks, expected at most"),
            (lambda: berth.map(p, small), berth.BadInputError, "16 ranks"),
            (
                lambda: berth.map(p, t, algorithm="no"),
                berth.UsageError,
                "`algorithm`: found 'no', expected",
            ),
            (lambda: berth.map(p, t, quality="no"), berth.UsageError, "`quality`"),
            (lambda: berth.map(p, t, hosts="no"), berth.UsageError, "no"),
            (lambda: berth.map(p, t, reserve=-1), berth.UsageError, "`reserve`"),
            (lambda: berth.map(p, t, time_limit_s=-1), berth.UsageError, "`time_limit_s`"),
            (
                lambda: berth.map(p, t, seed=-1),
                berth.UsageError,
                "`seed`: found -1, expected 0 to 18446744",
            ),
            (
                lambda: berth.map(p, t, threads=1 << 32),
                berth.UsageError,
                "`threads`: found 4294967296, exp",
            ),
            (lambda: berth.map(p, t, threads=5000), berth.UsageError, "`threads`: found 5000"),
            (lambda: berth.map(p, t, hosts="h0\0"), berth.UsageError, "`hosts`: found 'h0"),
            (lambda: berth.map(p, t, hosts="\udcff"), berth.UsageError, "a text in UTF-8"),
            (lambda: berth.cost(p, t, [half] * 16), berth.UsageError, "`pu_of_rank`: found 1.5"),
            (
                lambda: berth.map(p, t, threads=0),
                berth.UsageError,
                "`threads`: found 0, expected at least 1",
            ),
            (lambda: berth.map(p, t, threads=half), berth.UsageError, "`threads`: found 1.5"),
            (lambda: berth.map(p, t, max_moves=-2), berth.UsageError, "`max_moves`"),
            (lambda: berth.map(p, t, ranks_per_pu=0), berth.UsageError, "`ranks_per_pu`"),
            (
                lambda: t.message_time(1 << 32, 0, 1),
                berth.UsageError,
                "`from_pu`: found 4294967296",
            ),
            (lambda: berth.map(p, t, phase="no"), berth.UsageError, "`phase`"),
            (
                lambda: berth.map(p, t, pinned={0: "h9:0"}),
                berth.UsageError,
                "`pinned`: found host 'h9'",
            ),
            (
                lambda: berth.map(p, t, pinned={16: 0}),
                berth.UsageError,
                "`pinned`: found rank '16', expected one from 0 to 15",
            ),
            (lambda: berth.map(p, t, from_=[99] * 16), berth.BadInputError, "`from_`"),
            (lambda: berth.sample(p, t, 0), berth.UsageError, "`n`: found 0"),
            (lambda: berth.set_memory(0), berth.UsageError, "`n`"),
            (lambda: berth.cost(p, t).loads("no"), berth.UsageError, "`phase`"),
            (
                lambda: berth.cost(p, t).pairs_on(berth.Port("x", 99, "up", "out")),
                berth.UsageError,
                "`port`",
            ),
        ]
        self.check(cases)

    def check(self, cases: list[tuple[Callable[[], Any], type[berth.Error], str]]) -> None:
        for i, (function, error, line) in enumerate(cases):
            with self.subTest(i=i, line=line):
                with self.assertRaisesRegex(berth.Error, line) as raised:
                    function()
                self.assertIs(type(raised.exception), error)

    def test_other_objects(self) -> None:
        """A file's name, or the two inputs in the wrong order."""
        p: Any = self.pattern
        t: Any = self.topology
        for function, line in [
            (lambda: berth.map(t, p), "`pattern`: found Topology, expected Pattern"),
            (lambda: berth.cost("x.acp", t), "`pattern`: found str"),
            (lambda: berth.sample(p, "t.json"), "`topology`: found str, expected Topology"),
            (lambda: berth.load_pattern(None), "not NoneType"),
        ]:
            with self.assertRaisesRegex(TypeError, line):
                function()

    def test_memory(self) -> None:
        script = (
            f"import berth; berth.set_memory(1000)\n"
            f"try: berth.load_pattern({str(inputs.PATTERN)!r})\n"
            "except berth.MissingError as e: print(e)"
        )
        out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout
        self.assertIn("memory", out)

    def test_warnings(self) -> None:
        """What an estimate leaves out or takes for granted is a warning."""
        body = (
            '{"kind":"coll","op":"MPI_Barrier","comm":0,"bytes":0,"count":1}\n'
            '{"kind":"end","records":1}\n'
        )
        pattern = '{"format":"berth-pattern","version":1,"mpi":"%s","ranks":2}\n' + body
        for mpi, line in [
            ("Open MPI 4.1.4", None),
            ("MVAPICH 9", "no rules of MVAPICH 9"),
            ("Open MPI 9.0.0", "those of openmpi-4.1 choose"),
        ]:
            p = berth.load_pattern(self.file("p.acp", pattern % mpi))
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                c = berth.cost(p, self.topology)
            self.assertEqual(
                [line] if line else [], [line for w in found if line and line in str(w.message)]
            )
            self.assertEqual(len(found), 1 if line else 0)
            self.assertEqual(
                c.coverage.left_out_calls, 2 if line and "no rules" in line and "MVA" in mpi else 0
            )
            for w in found:
                self.assertIs(w.category, berth.EstimateWarning)
                self.assertEqual(w.filename, __file__)


class Lifetimes(inputs.Case):
    def test_closed_objects_are_refused(self) -> None:
        with self.pattern as p, self.topology as t:
            m = berth.map(p, t, algorithm="round-robin")
            c = berth.cost(p, t, m)
        members = ("ranks", "phases", "sites", "collectives", "mpi_share", "command")
        cases: list[Callable[[], Any]] = [functools.partial(getattr, p, name) for name in members]
        cases += [
            lambda: list(p.messages()),
            p.frame,
            p.matrix,
            lambda: p.save(self.folder / "x"),
            lambda: t.n_pus,
            lambda: t.elements,
            lambda: t.message_time(0, 1, 1),
            lambda: m.places(),
            lambda: m.save(self.folder / "x"),
            lambda: berth.map(p, t),
            lambda: berth.cost(p, t, m),
            lambda: berth.load_mapping("x", t),
        ]
        for case in cases:
            with self.assertRaisesRegex(
                berth.ClosedError, "found a closed (Pattern|Topology), expected an open"
            ):
                case()
        self.assertEqual(repr(t), "<berth.Topology, closed>")
        self.assertIn(", closed>", repr(p))
        repr(m), m._repr_html_(), repr(c)
        p.close()  # again is no error

    def test_estimates_outlive_their_inputs(self) -> None:
        c = berth.cost(self.pattern, self.topology)
        expected = c.loads(), c.pairs_on(c.bottleneck.port) if c.bottleneck else []
        d = berth.cost(self.pattern, self.topology)
        self.pattern.close()
        self.topology.close()
        del self.pattern, self.topology
        gc.collect()
        found = d.loads(), d.pairs_on(d.bottleneck.port) if d.bottleneck else []
        self.assertEqual(found, expected)
        self.assertGreater(len(found[1]), 3)

    def test_everything_is_freed(self) -> None:
        """Memory doesn't grow with objects that come and go: by some 200 KiB here, by 1.3 MiB if
        the smallest of them, an assessment, stayed. Under a sanitizer, freed memory stays for a
        while.
        """

        def use() -> None:
            p, t = berth.load_pattern(inputs.PATTERN), berth.load_topology(inputs.TOPOLOGY)
            c = berth.cost(p, t)
            c.loads()
            if c.bottleneck:
                c.pairs_on(c.bottleneck.port)

        for _ in range(20):
            use()
        before = resident()
        for _ in range(400):
            use()
        self.assertLess(resident() - before, 8 << 20 if "LD_PRELOAD" in os.environ else 900 << 10)

    def test_threads_share_an_estimate(self) -> None:
        c = berth.cost(self.pattern, self.topology)
        expected, found = c.loads(), []
        threads = [
            threading.Thread(target=lambda: found.append([c.loads() for _ in range(20)]))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [[expected] * 20] * 4)


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * 4096


def without(module: str, function: Callable[[], Any]) -> Any:
    """Calls a function as if a package weren't installed."""
    missing: dict[str, Any] = {name: None for name in sys.modules if name.split(".")[0] == module}
    with unittest.mock.patch.dict(sys.modules, {**missing, module: None}):
        return function()


if __name__ == "__main__":
    unittest.main()
