#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is advice on collective operations right? bench/advice/README.md says what is measured.

usage: measure.py [--predict] [--rounds N] [--model NAME] BUILD DIR
"""
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import placed  # pylint: disable=wrong-import-position

MBIT, ITERATIONS = 25, 3
# Operation, bytes of a block, and whether a pattern's bytes are those of all blocks. On 16 ranks.
CASES = [("Bcast", 1 << 20, 1), ("Bcast", 256 << 10, 1), ("Allreduce", 32 << 10, 1),
         ("Allreduce", 256 << 10, 1), ("Reduce", 256 << 10, 1), ("Allgather", 32 << 10, 1),
         ("Allgather", 64 << 10, 1), ("Alltoall", 4 << 10, placed.RANKS),
         ("Alltoall", 32 << 10, placed.RANKS)]
PLACEMENTS = {"linear": placed.LINEAR, "round-robin": placed.ROUND_ROBIN}


def write_pattern(path, operation, size):
    lines = [{"format": "berth-pattern", "version": 1, "ranks": placed.RANKS, "mpi": "Open MPI 4.1.4"},
             {"kind": "coll", "op": "MPI_" + operation, "bytes": size, "count": 1}]
    if operation in ("Bcast", "Reduce"):
        lines[1]["root"] = 0
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(line) + "\n" for line in lines + [{"kind": "end", "records": 1}])


def advise(berth, case, placement, pus, model):
    """What berth says of a case, and writes to a file; None: it advises nothing."""
    operation, size, blocks = case
    name = f"{operation}-{size}-{placement}"
    write_pattern(f"{name}.acp", operation, size * blocks)
    placed.write_mapping("placement.json", pus)
    out = placed.run(berth, "cost", "--pattern", f"{name}.acp", "--topology", "topology.json", "--mapping",
                     "placement.json", "--model", model, "--no-intervals", "--json", "--advise",
                     os.path.abspath(f"{name}.conf"))
    group = json.loads(out)["results"][0]["collectives"][0]
    if not group["advised"]:
        return None
    best = group["choices"][0]
    return {"operation": operation, "size": size, "placement": placement, "taken": group["algorithm"],
            "advised": best["algorithm"], "segment_bytes": best["segment_bytes"], "degree": best["degree"],
            "before_s": group["cost_s"], "after_s": best["cost_s"], "file": os.path.abspath(f"{name}.conf")}


def measure(row, told):
    options = ["--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_dynamic_rules_filename",
               row["file"]] if told else []
    out = placed.run_placed(PLACEMENTS[row["placement"]], *options, os.path.abspath("calls"),
                            row["operation"], str(row["size"]), str(ITERATIONS))
    return statistics.median(map(float, out.split()))


def report(rows, measured):
    close = 0
    for i, row in enumerate(rows):
        before, after = measured[str(i)]["before"], measured[str(i)]["after"]
        a, b = statistics.median(before), statistics.median(after)
        predicted, found = 1 - row["after_s"] / row["before_s"], 1 - b / a
        close += abs(predicted - found) <= 0.1
        told = row["advised"] + (f"/{row['segment_bytes'] >> 10}K" if row["segment_bytes"] else "") + \
            (f" degree {row['degree']}" if row["degree"] else "")
        print(f"{row['operation']:9} {row['size'] >> 10:5} KiB {row['placement']:11} {row['taken']} -> {told}: "
              f"{1e3 * a:.1f} ({1e3 * min(before):.1f} to {1e3 * max(before):.1f}; {1e3 * row['before_s']:.1f}) -> "
              f"{1e3 * b:.1f} ({1e3 * min(after):.1f} to {1e3 * max(after):.1f}; {1e3 * row['after_s']:.1f}) ms, "
              f"{found:.0%} less ({predicted:.0%} predicted)")
    print(f"{close} of {len(rows)} within 10 percentage points. Milliseconds: median (lowest to highest; predicted)")


def advise_all(berth, model):
    placed.write_topology("topology.json", MBIT)
    said = [advise(berth, case, placement, pus, model) for case in CASES for placement, pus in PLACEMENTS.items()]
    rows = [row for row in said if row]
    print(f"{len(rows)} of {len(said)} cases have advice")
    return rows


def main():
    parser = placed.arguments(__doc__, rounds=5)
    parser.add_argument("--model", default="flow")
    a = parser.parse_args()
    berth = placed.enter(a)
    placed.compile_c(f"{HERE}/calls.c", "calls")
    rows = placed.frozen(lambda: advise_all(berth, a.model))
    if a.predict:
        return
    with placed.testbed(MBIT):
        measured = placed.measure({str(i): ("before", "after") for i in range(len(rows))}, a.rounds,
                                  lambda i, when: measure(rows[int(i)], when == "after"))
    report(rows, measured)


main()
