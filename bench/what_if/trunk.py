#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A sweep over the trunk's rate, predicted by `berth compare --sweep` and measured on the testbed.

All ranks send 50 kB to all others. Hosts have links of 20 Mbit/s; the trunks between the switches get one
rate after the other, in turns. Writes sweep.json and prints a table."""
import argparse
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTBED = [os.path.join(ROOT, "testbed", "testbed"), "--name", "what-if"]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
RANKS, SIZE, PORTS, HOST = 16, 50000, 25, 20  # bytes; Mbit/s of the topology's ports and of hosts


def run(*words):
    done = subprocess.run(words, check=False, capture_output=True, text=True, env=ENVIRONMENT,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def write_pattern(path):
    with open(path, "w", encoding="ascii") as file:
        file.write(f'{{"format":"berth-pattern","version":1,"ranks":{RANKS}}}\n')
        file.write('{"kind":"phase","id":0,"name":"","repeats":1}\n')
        for source in range(RANKS):
            messages = [[to, SIZE, 1] for to in range(RANKS) if to != source]
            file.write(json.dumps({"kind": "p2p", "src": source, "msgs": messages}) + "\n")
        file.write(json.dumps({"kind": "end", "records": RANKS + 1}) + "\n")


def measure(build, rates, rounds):
    """The seconds of an iteration by rate, in turns."""
    times = {rate: [] for rate in rates}
    run(*TESTBED, "--rate", "100", "up")
    try:
        for host in range(8):
            run(*TESTBED, "limit", f"h{host}", "up", "both", str(HOST))
        for _ in range(rounds):
            for rate in rates:
                for trunk in "AB":
                    run(*TESTBED, "limit", trunk, "up", "both", str(rate))
                out = run(*TESTBED, "run", "--linear", str(RANKS), f"{build}/testbed/play", "--iterations", "3",
                          os.path.abspath("all.acp"))
                times[rate].append(float(out.split()[0]))
    finally:
        run(*TESTBED, "down")
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rates", default="20,30,60,90", help="of the trunks, in Mbit/s, up to 100 (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each rate (%(default)s)")
    parser.add_argument("build", help="the build's folder")
    parser.add_argument("folder", help="where the pattern and the sweep are kept")
    a = parser.parse_args()
    build, rates = os.path.abspath(a.build), [int(rate) for rate in a.rates.split(",")]
    os.makedirs(a.folder, exist_ok=True)
    os.chdir(a.folder)
    write_pattern("all.acp")
    sweep = ",".join(f"{rate / PORTS:g}" for rate in rates)
    text = run(f"{build}/berth", "compare", "all.acp", os.path.join(ROOT, "testbed", "topology.json"), "--json",
               "--set", f"host.rate*={HOST / PORTS:g}", "--sweep", f"switch.rate*={sweep}")
    with open("sweep.json", "w", encoding="utf-8") as file:
        file.write(text)
    predicted = {rate: m for rate, m in zip(rates, json.loads(text)["machines"])}
    times = measure(build, rates, a.rounds)
    print(f"{'Mbit/s':>8} {'predicted':>11} {'measured':>11} {'ratio':>6}  limited by")
    for rate in rates:
        seconds, expected = statistics.median(times[rate]), predicted[rate]["default_order_s"]
        print(f"{rate:8} {1e3 * expected:8.1f} ms {1e3 * seconds:8.1f} ms {seconds / expected:6.3f}  "
              f"{predicted[rate]['bottleneck_level']}")


if __name__ == "__main__":
    main()
