#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The module says what the program says in JSON, of the same files: each number to the last bit."""
import csv
import io
import json
import math
import pathlib
import unittest
import warnings
from typing import Any

import berth
import inputs

CASES = inputs.SOURCE / "tests/data/cases"
# The testbed as if it had been measured: the model is 6% off, and estimates are intervals.
UNSURE = ('"name": "testbed, 25 Mbit/s",', '"name": "unsure", "model_error": {"port": 0.06},')


def with_unsure(folder: pathlib.Path) -> pathlib.Path:
    path = folder / "unsure.json"
    path.write_text(inputs.TOPOLOGY.read_text().replace(*UNSURE))
    return path


def number(value: float | None) -> float | None:
    """As JSON has it: what isn't a number is null."""
    return value if value is not None and math.isfinite(value) else None


def bottleneck(b: berth.Bottleneck | None) -> Any:
    if b is None:
        return None
    return {
        "phase": b.phase,
        "text": b.port.text,
        "port": b.port.port,
        "direction": b.port.direction,
        "bytes": b.bytes,
        "pairs_total": b.pairs_total,
        "pairs": [q._asdict() for q in b.pairs],
    }


def by_module(c: berth.Cost) -> dict[str, Any]:
    """A cost with the keys of the program's JSON."""
    found = {
        "cost_s": c.cost_s,
        "linear_cost_s": c.reference_cost_s,
        "cost_gain": c.cost_gain,
        "mpi_share": c.mpi_share,
        "mpi_explained": c.mpi_explained,
        "run_gain": c.run_gain,
        "run_gain_low": number(c.run_gain_low),
        "run_gain_high": c.run_gain_high,
        "run_gain_limit": c.run_gain_limit,
        "bottleneck": bottleneck(c.bottleneck),
        "phases": [
            {
                "id": p.id,
                "name": p.name,
                "repeats": p.repeats,
                "cost_s": p.cost_s,
                "bottleneck": bottleneck(p.bottleneck),
            }
            for p in c.phases
        ],
        "levels": [
            {
                "depth": v.depth,
                "cost_s": v.cost_s,
                "messages": v.messages,
                "bytes": v.bytes,
                "busiest": v.busiest and v.busiest.text,
            }
            for v in c.levels
        ],
    }
    if c.interval_high_s != c.cost_s:
        found.update(
            interval_low_s=c.interval_low_s,
            interval_high_s=number(c.interval_high_s),
            verdict=c.verdict,
        )
    return found


def same_keys(found: Any, told: Any) -> Any:
    """What the program told, with the keys that the module has."""
    if isinstance(found, dict) and isinstance(told, dict):
        return {key: same_keys(found[key], told.get(key)) for key in found}
    if isinstance(found, list) and isinstance(told, list) and len(found) == len(told):
        return [same_keys(f, t) for f, t in zip(found, told)]
    if isinstance(told, dict):  # a port
        return told["text"]
    return told


class Costs(inputs.Case):
    def compare(
        self,
        pattern: pathlib.Path,
        topology: pathlib.Path,
        mapping: pathlib.Path,
        *options: str,
        **parameters: Any,
    ) -> berth.Cost:
        told = inputs.answer(
            "cost",
            "--pattern",
            pattern,
            "--topology",
            topology,
            "--mapping",
            mapping,
            "--others",
            0,
            "--alone",
            0,
            *options,
        )
        p, t = berth.load_pattern(pattern), berth.load_topology(topology)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", berth.EstimateWarning)
            c = berth.cost(p, t, berth.load_mapping(mapping, t, shared=True), **parameters)
        found = by_module(c)
        self.assertEqual(found, same_keys(found, told["results"][0]), f"{pattern} {options}")
        self.assertEqual("interval_low_s" in found, "interval_low_s" in told["results"][0])
        n = told["not_included"]
        self.assertEqual(
            (c.coverage.left_out_calls, c.coverage.left_out_bytes, c.coverage.unknown_calls),
            (n["calls"], n["bytes"], n["unknown_calls"]),
        )
        return c

    def loads(self, c: berth.Cost) -> None:
        """The loads of ports are those that phases, bottlenecks and levels are made of."""
        elements = c.mapping.topology.elements
        for p in c.phases:
            of_phase = c.loads(p.id)
            self.assertEqual(max([v.cost_s for v in of_phase], default=0), p.cost_s)
            if p.bottleneck:
                pairs = c.pairs_on(p.bottleneck.port, p.id)
                self.assertEqual(len(pairs), p.bottleneck.pairs_total)
                self.assertEqual(tuple(pairs[:10]), p.bottleneck.pairs)
                self.assertIn(p.bottleneck.bytes, [v.bytes for v in of_phase])
        of_phases = [(p.repeats, c.loads(p.id)) for p in c.phases]
        for level in c.levels:
            found = 0.0
            for repeats, of_phase in of_phases:
                here = [v.cost_s for v in of_phase if elements[v.port.element].depth == level.depth]
                found += repeats * max(here, default=0)
            self.assertTrue(math.isclose(found, level.cost_s, rel_tol=1e-12), level)
        for whole in c.loads():
            parts = [(n, v) for n, of_phase in of_phases for v in of_phase if v.port == whole.port]
            self.assertTrue(math.isclose(whole.cost_s, sum(n * v.cost_s for n, v in parts)))
            self.assertTrue(math.isclose(whole.bytes, sum(n * v.bytes for n, v in parts)))

    def test_cases(self) -> None:
        patterns = sorted(CASES.glob("*.acp"))
        self.assertGreater(len(patterns), 12)
        for pattern in patterns:
            name = str(pattern)[: -len(".acp")]
            topology, mapping = (
                pathlib.Path(f"{name}.{kind}.json") for kind in ("topo", "mapping")
            )
            self.loads(self.compare(pattern, topology, mapping))
            self.compare(pattern, topology, mapping, "--model", "sum", model="sum")

    def test_operations(self) -> None:
        """Collective and one-sided operations by all rules, on machines with and without shared
        hosts."""
        one_host_each = self.folder / "star.json"
        inputs.program("topo", "import", "16:1/1:10", "-o", one_host_each)
        patterns = [
            inputs.PATTERN,
            inputs.CORPUS / "pattern/one-sided.acp",
            inputs.CORPUS / "pattern/natures.acp",
            inputs.CORPUS / "pattern/parameters.acp",
            inputs.CORPUS / "pattern/whole.acp",
        ]
        costs = set()
        for pattern in patterns:
            for topology in (inputs.TOPOLOGY, one_host_each):
                mapping = self.folder / "m.json"
                inputs.program(
                    "map",
                    "--pattern",
                    pattern,
                    "--topology",
                    topology,
                    "--algorithm",
                    "random",
                    "--mapping",
                    mapping,
                )
                for rules in ("none", "auto", "openmpi-4.1", "mpich-4.0", "berth"):
                    one_sided = "auto" if rules == "berth" else rules
                    c = self.compare(
                        pattern,
                        topology,
                        mapping,
                        "--collectives",
                        rules,
                        "--one-sided",
                        one_sided,
                        collectives=rules,
                        one_sided=one_sided,
                    )
                    costs.add(c.cost_s)
                    if rules == "openmpi-4.1":  # others' phases may stand for several rounds
                        self.loads(c)
        self.assertGreater(len(costs), 15)  # rules matter

    def linear(self) -> pathlib.Path:
        path = self.folder / "linear.json"
        berth.Mapping(self.topology, range(16)).save(path)
        return path

    def test_intervals(self) -> None:
        unsure, mapping = with_unsure(self.folder), self.folder / "m.json"
        inputs.program(
            "map", "--pattern", inputs.PATTERN, "--topology", unsure, "--mapping", mapping
        )
        c = self.compare(inputs.PATTERN, unsure, mapping)
        self.assertLess(c.interval_low_s, c.cost_s)
        same = self.compare(inputs.PATTERN, unsure, self.linear())
        for cost, file in ((c, mapping), (same, self.linear())):
            said = inputs.program(
                *("cost", "--pattern", inputs.PATTERN, "--topology", unsure, "--mapping", file)
            )
            line = f"{file}: {cost.sentence}."
            if cost is same:
                line = f"Keep the default order: {file} takes {cost.sentence}."
            self.assertEqual(said.splitlines()[0], line)
        self.assertEqual(c.verdict, "cheaper")

    def test_scopes(self) -> None:
        """The default order is that of the PUs that the mapping was made with."""
        pattern = inputs.CORPUS / "pattern/whole.acp"
        for options in (
            ["--hosts", "h[4-6]"],
            ["--reserve", "1"],
            ["--hosts", "h2", "--ranks-per-pu", "2"],
        ):
            mapping = self.folder / "m.json"
            inputs.program(
                "map",
                "--pattern",
                pattern,
                "--topology",
                inputs.TOPOLOGY,
                "--mapping",
                mapping,
                "--algorithm",
                "linear",
                *options,
            )
            c = self.compare(
                pattern, inputs.TOPOLOGY, mapping, *(["--oversubscribe"] if "h2" in options else [])
            )
            self.assertEqual(c.cost_gain, 0)

    def test_a_difference_is_found(self) -> None:
        c = berth.cost(self.pattern, self.topology)
        found = by_module(c)
        told = json.loads(json.dumps(found))
        told["phases"][0]["bottleneck"]["pairs"][3]["time_s"] *= 1 + 1e-15
        told["levels"][1]["busiest"] = {"text": "elsewhere"}
        self.assertNotEqual(found["phases"], same_keys(found, told)["phases"])
        self.assertNotEqual(found["levels"], same_keys(found, told)["levels"])


class Others(inputs.Case):
    def test_map(self) -> None:
        usual = ("map", "--pattern", inputs.PATTERN, "--topology", inputs.TOPOLOGY)
        cases: list[tuple[list[object], dict[str, Any]]] = [
            ([], {}),
            (["--algorithm", "greedy"], {"algorithm": "greedy"}),
            (["--model", "sum", "--quality", "fast"], {"model": "sum", "quality": "fast"}),
            (["--pin", "0=h7:1", "--pin", "5=3"], {"pinned": {0: "h7:1", 5: 3}}),
            (["--seed", 7, "--algorithm", "random"], {"seed": 7, "algorithm": "random"}),
            (["--reserve", 1, "--ranks-per-pu", 2], {"reserve": 1, "ranks_per_pu": 2}),
            (["--sum-share", "30"], {"sum_share": 0.3}),
            (["--collectives", "none"], {"collectives": "none"}),
            (["--moves", 4, "--from", "from.json"], {"max_moves": 4, "from_": range(16)}),
            (
                ["--move-price", "0.05", "--from", "from.json"],
                {"move_price_s": 0.05, "from_": range(16)},
            ),
            (["--phase", "0"], {"phase": 0}),
        ]
        berth.Mapping(self.topology, range(16)).save(self.folder / "from.json")
        for options, parameters in cases:
            options = [self.folder / o if o == "from.json" else o for o in options]
            told = inputs.answer(*usual, *options)
            m = berth.map(self.pattern, self.topology, **parameters)
            self.assertEqual(list(m.pu_of_rank), told["pu_of_rank"], options)
            self.assertEqual(
                (m.algorithm, m.model, m.cost_s), (told["algorithm"], told["model"], told["cost_s"])
            )
            s = m.search
            assert s
            self.assertEqual(
                [(c.algorithm, c.price_s) for c in s.candidates],
                [(c["algorithm"], c["price_s"]) for c in told["candidates"]],
            )
            self.assertEqual(
                (s.lower_bound_s, s.moved, s.chosen.price_s, s.min_gain),
                (told["lower_bound_s"], told["moved"], told["price_s"], told["min_gain"]),
            )
            self.assertEqual(
                [v._asdict() for v in s.moves],
                [{k: v[k] for k in ("at_most", "moved", "cost_s")} for v in told["moves"] or []],
            )

    def test_compare(self) -> None:
        m = berth.map(self.pattern, self.topology)
        m.save(self.folder / "best.json")
        told = inputs.answer(
            "compare",
            "--pattern",
            inputs.PATTERN,
            "--topology",
            inputs.TOPOLOGY,
            self.folder / "best.json",
        )["placements"]
        rows = berth.compare(self.pattern, self.topology, {"linear": "linear", "best": m})
        self.assertEqual([row.name for row in rows], ["best", "linear"])
        for row, t in zip(rows, told):
            self.assertEqual({model: getattr(row, model) for model in t["cost_s"]}, t["cost_s"])
            self.assertEqual((row.moved, row.moved_hosts), (t["moved"], t["to_other_hosts"]))
        (one,) = berth.compare(
            self.pattern, self.topology, {"best": m}, models=["bound"], by="bound"
        )
        self.assertEqual((one.bound, one.port), (rows[0].bound, None))

    def test_explore(self) -> None:
        told = inputs.answer(
            "explore",
            "--pattern",
            inputs.PATTERN,
            "--topology",
            inputs.TOPOLOGY,
            "--samples",
            1000,
            "--seed",
            3,
        )
        costs = sorted(berth.sample(self.pattern, self.topology, 1000, seed=3, threads=2))
        quantiles = {q["share"]: q["cost_s"] for q in told["quantiles"]}
        self.assertEqual((costs[0], costs[-1]), (quantiles[0], quantiles[1]))
        self.assertAlmostEqual(sum(costs) / 1000, told["mean_s"], places=12)

    def test_messages(self) -> None:
        path = self.folder / "m.csv"
        for pattern in (inputs.PATTERN, CASES / "two-phases.acp"):
            inputs.program("export", "-f", "csv", pattern, "-o", path)
            rows = list(csv.DictReader(io.StringIO(path.read_text())))
            frame = berth.load_pattern(pattern).frame()
            self.assertEqual(list(frame.columns), list(rows[0]))
            self.assertEqual(
                [[str(v) for v in row] for row in frame.itertuples(index=False)],
                [list(row.values()) for row in rows],
            )

    def test_topology(self) -> None:
        told = inputs.answer("topo", "show", inputs.TOPOLOGY)
        t = self.topology
        self.assertEqual((t.name, t.n_pus, t.n_hosts), (told["name"], told["pus"], told["hosts"]))
        self.assertEqual([h.name for h in t.hosts], told["host_names"])
        self.assertEqual(
            [(c.name, list(c.sizes), list(c.bandwidths)) for c in t.curves],
            [(c["name"], c["sizes"], c["bandwidths"]) for c in told["curves"]],
        )


if __name__ == "__main__":
    unittest.main()
