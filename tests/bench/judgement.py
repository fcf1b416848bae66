"""Checks bench/ranking/'s figures by hand-made cases."""
import math
import os
import sys
import unittest

SOURCE = sys.argv.pop(1)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "bench", "ranking"))
import cases, judge, machine, models, smpi  # noqa: E401,E402

TESTBED = machine.read_pus(os.path.join(SOURCE, "testbed", "topology.json"))


class Judgement(unittest.TestCase):
    def test_ranks(self):
        self.assertEqual(judge.ranks([30, 10, 20]), [3, 1, 2])
        self.assertEqual(judge.ranks([5, 5, 1, 9]), [2.5, 2.5, 1, 4])

    def test_spearman(self):
        self.assertAlmostEqual(judge.spearman([1, 2, 3, 4], [10, 20, 30, 400]), 1)
        self.assertAlmostEqual(judge.spearman([1, 2, 3, 4], [4, 3, 2, 1]), -1)
        # 1 - 6 * sum of squared differences / (n (n^2 - 1)): one swap of neighbours among five
        self.assertAlmostEqual(judge.spearman([1, 2, 3, 4, 5], [1, 3, 2, 4, 5]), 1 - 6 * 2 / 120)
        self.assertTrue(math.isnan(judge.spearman([1, 1, 1], [1, 2, 3])))

    def test_pairs(self):
        # 1.0 and 1.05 do not really differ; ties and wrong orders count as wrong
        self.assertEqual(judge.pairs([1, 2, 3], [1, 1.05, 2]), (2, 2))
        self.assertEqual(judge.pairs([1, 1, 3], [1, 2, 3]), (2, 3))
        self.assertEqual(judge.pairs([3, 2, 1], [1, 2, 3]), (0, 3))

    def test_errors(self):
        row = judge.judge_model(models.BY_NAME["port"], {"p": [(1.1, 1), (1.8, 2), (2, 4)]})
        self.assertAlmostEqual(row["mean_absolute_error"], (0.1 + 0.1 + 0.5) / 3)
        self.assertAlmostEqual(row["worst_error"], -0.5)
        self.assertAlmostEqual(row["bias"], (0.1 - 0.1 - 0.5) / 3)
        self.assertEqual((row["pairs"], row["pairs_right"]), (3, 1))

    def test_scaled(self):
        row = judge.judge_model(models.BY_NAME["hop-bytes"], {"p": [(100, 1), (200, 2)],
                                                              "q": [(7, 3), (14, 6)]})
        self.assertAlmostEqual(row["mean_absolute_error"], 0)
        predicted, measured = [1, 3], [1, 1]
        best = judge.scale(predicted, measured)
        loss = lambda k: sum((k * p / m - 1) ** 2 for p, m in zip(predicted, measured))
        self.assertLess(loss(best), min(loss(best * 1.01), loss(best * 0.99)))

    def test_short_phases_are_left_out(self):
        predictions = [{"pattern": "p", "placement": n, "predicted": {"port": 1}} for n in range(3)]
        measured = [{"pattern": "p", "placement": n, "round": 0, "median_s": s}
                    for n, s in enumerate([0.04, 0.05, 1.0])]
        again = [{"pattern": "p", "placement": 2, "round": 1, "median_s": 2.0}]
        self.assertEqual(judge.join(predictions, measured + again, 0.05),
                         {"port": {"p": [(1, 0.05), (1, 1.0)]}})
        self.assertEqual(judge.noise(measured + again)["largest_difference"], 1.0)
        self.assertIsNone(judge.noise(measured))


class Machine(unittest.TestCase):
    def test_testbed(self):
        self.assertEqual([(pu.host, pu.slot) for pu in TESTBED],
                         [(f"h{i // 2}", i % 2) for i in range(16)])
        hops = [machine.hops(TESTBED[a], TESTBED[b])
                for a, b in ((0, 1), (0, 2), (0, 9), (0, 10), (15, 10), (15, 9))]
        self.assertEqual(hops, [0, 2, 2, 4, 2, 4])

    def test_routes(self):
        lines = smpi.platform(TESTBED, 25).splitlines()
        self.assertEqual(sum(line.startswith("<host ") for line in lines), 8)
        self.assertEqual(sum('bandwidth="3125000Bps"' in line for line in lines), 10)
        across = next(line for line in lines if '<route src="h4" dst="h5">' in line)
        trunks = [TESTBED[8].path[0], TESTBED[10].path[0]]
        self.assertEqual(across.count("UP"), 2)
        self.assertLess(across.index(f'"{trunks[0]}" direction="UP"'),
                        across.index(f'"{trunks[1]}" direction="DOWN"'))


class Cases(unittest.TestCase):
    def test_structure(self):
        def degrees(name):
            out = [0] * cases.RANKS
            for src, _, _ in cases.make_pattern(name, 5, 25):
                out[src] += 1
            return sorted(out)
        self.assertEqual(degrees("halo-periodic"), [4] * 16)
        self.assertEqual(degrees("halo-open"), [2] * 4 + [3] * 8 + [4] * 4)
        self.assertEqual(degrees("halo-3d"), [3] * 8 + [4] * 8)
        self.assertEqual(degrees("ladder"), [2] * 4 + [3] * 12)
        self.assertEqual(degrees("sparse"), [3] * 16)
        into = [0] * cases.RANKS
        for _, dst, _ in cases.make_pattern("irregular", 5, 25):
            into[dst] += 1
        self.assertEqual(max(into), 15)

    def test_seed(self):
        for name in cases.PATTERNS:
            self.assertEqual(cases.make_pattern(name, 5, 25), cases.make_pattern(name, 5, 25))
            self.assertNotEqual(cases.make_pattern(name, 5, 25), cases.make_pattern(name, 6, 25))
            self.assertTrue(all(a != b for a, b, _ in cases.make_pattern(name, 5, 25)))


unittest.main(verbosity=0)
