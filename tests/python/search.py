#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Searches: their progress, and what ends them. No time is asserted: a search that nothing ends has
no limit, so that a test without an end would hang."""
import os
import signal
import subprocess
import sys
import threading
import unittest
from typing import Any

import berth
import inputs

SLOW: dict[str, Any] = {"quality": "strong", "iterations": 1 << 60}  # for ever


class Searches(inputs.Case):
    def setUp(self) -> None:
        super().setUp()
        self.grid = berth.import_pattern(self.csv(20), ranks=64, format="csv")
        self.machine = berth.import_topology("4:4:4/1:10:100")

    def csv(self, n: int) -> str:
        """Messages without a shape: rank r sends to n others, wherever they are."""
        lines = ["phase,name,repeats,site,src,dst,size,messages,bytes"]
        for r in range(64):
            for k in range(n):
                to = (r * 7919 + k * k * 104729 + 13) % 64
                lines.append(f"0,x,1,0,{r},{to},{1000 + k},1,{1000 + k}")
        return str(self.file("m.csv", "\n".join(lines) + "\n"))

    def test_progress(self) -> None:
        seen: list[berth.Progress] = []

        def look(p: berth.Progress) -> None:
            seen.append(p)
            if len(seen) == 5:
                raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            berth.map(self.grid, self.machine, progress=look, **SLOW)
        self.assertEqual(len(seen), 5)
        self.assertTrue(any(p.stage for p in seen))
        times = [p.elapsed_s for p in seen]
        self.assertEqual(times, sorted(times))
        self.assertIsNone(seen[0].left_s)

    def test_interrupt(self) -> None:
        """Ctrl-C: the exception has the best placement so far."""
        sent = threading.Event()

        def look(p: berth.Progress) -> None:
            if p.best_s is not None and not sent.is_set():
                sent.set()
                os.kill(os.getpid(), signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt) as raised:
            berth.map(self.grid, self.machine, progress=look, **SLOW)
        found = raised.exception
        assert isinstance(found, berth.Interrupted)
        m = found.mapping
        self.assertTrue(m.unfinished)
        self.assertEqual(len(set(m.pu_of_rank)), 64)
        assert m.search and m.cost_s
        self.assertIsNone(m.search.lower_bound_s)
        self.assertLessEqual(m.cost_s, berth.cost(self.grid, self.machine).cost_s)
        m.save(self.folder / "m.json")
        self.assertTrue(berth.load_mapping(self.folder / "m.json", self.machine).unfinished)

    def test_interrupts_of_a_program(self) -> None:
        """Two signals, as of an impatient user, while a program has nothing to look with. Python
        says what was found."""
        script = (
            "import berth, os, signal, sys, threading\n"
            f"p = berth.import_pattern({str(self.folder / 'm.csv')!r}, ranks=64, format='csv')\n"
            "t = berth.import_topology('4:4:4/1:10:100')\n"
            "print('ready', flush=True)\n"
            f"berth.map(p, t, **{SLOW!r})\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert child.stdout
        self.assertEqual(child.stdout.readline(), "ready\n")
        while not self.searches(child.pid):
            pass
        child.send_signal(signal.SIGINT)
        child.send_signal(signal.SIGINT)
        _, text = child.communicate()
        self.assertEqual(child.returncode, 1)
        self.assertIn("berth.errors.Interrupted: the search was stopped", text)
        self.assertIn("<berth.Mapping of 64 ranks", text)

    @staticmethod
    def searches(pid: int) -> bool:
        """Whether the search's thread runs."""
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            return any(line.split() == ["Threads:", n] for line in f for n in ("2", "3", "4"))

    def test_time_limit(self) -> None:
        """It ends a search that wouldn't end. The mapping isn't marked as unfinished."""
        m = berth.map(self.grid, self.machine, time_limit_s=0.3, **SLOW)
        self.assertFalse(m.unfinished)
        self.assertEqual(len(set(m.pu_of_rank)), 64)

    def test_threads_change_nothing(self) -> None:
        one, two = (
            berth.map(self.grid, self.machine, model="sum", threads=n, quality="fast")
            for n in (1, 2)
        )
        self.assertEqual(one, two)
        self.assertLess(one.cost_s or 0, berth.cost(self.grid, self.machine, model="sum").cost_s)

    def test_two_searches_at_a_time(self) -> None:
        found: list[berth.Mapping] = []
        threads = [
            threading.Thread(
                target=lambda: found.append(berth.map(self.grid, self.machine, quality="fast"))
            )
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [found[0]] * 3)

    def test_closed_while_it_runs(self) -> None:
        """A search holds what it uses: closing the inputs changes nothing."""

        def look(p: berth.Progress) -> None:
            self.grid.close()
            self.machine.close()
            if p.best_s is not None:
                raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            berth.map(self.grid, self.machine, progress=look, **SLOW)

    def test_options(self) -> None:
        p, t = self.pattern, self.topology
        hosts = {place.host for place in berth.map(p, t, hosts="h[0-3]", ranks_per_pu=2).places()}
        self.assertEqual(hosts, {"h0", "h1", "h2", "h3"})
        pinned = berth.map(p, t, pinned={3: "h7:1", 4: 0})
        self.assertEqual((pinned.pu_of_rank[3], pinned.pu_of_rank[4]), (15, 0))
        start = berth.map(p, t, algorithm="round-robin")
        few = berth.map(p, t, from_=[*start.pu_of_rank[:15], None], max_moves=0)
        self.assertEqual(few.pu_of_rank, start.pu_of_rank)
        assert few.search
        self.assertEqual(few.search.moves[0].moved, 0)
        self.assertIn("greedy", berth.algorithms())
        search = berth.map(p, t).search
        self.assertIn("greedy 438.9 ms", search.summary() if search else "")


if __name__ == "__main__":
    unittest.main()
