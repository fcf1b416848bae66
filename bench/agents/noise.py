#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where agents win, by noise and by the number of hosts: noise.py BERTH [REDUCTIONS].

Plays reductions of one double on the machine of examples/agents/elan3.json, and prints a table: mean and
standard deviation in us, of hosts, of agents and of agents at intermediate hosts. Nothing is measured, so
the machine it runs on doesn't matter."""
import json
import pathlib
import subprocess
import sys

NOISES = ("1us/1ms", "10us/1ms", "100us/10ms", "1ms/100ms", "1ms/20ms")
HOSTS = (64, 1024, 16384, 100000)
PLACES = ("host", "agent", "intermediate")


def main():
    berth, reductions = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "1000"
    machine = pathlib.Path(__file__).parents[2] / "examples/agents/elan3.json"
    print("| detours | hosts |", " | ".join(PLACES), "| least |")
    print("|---|---|" + "---|" * (len(PLACES) + 1))
    for noise in (None, *NOISES):
        command = [berth, "agents", machine, "--json", "--hosts", ",".join(map(str, HOSTS))]
        if noise:
            command += ["--noise", noise, "--reductions", reductions]
        rows = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["rows"]
        for row in rows:
            time = {p: row[p]["mean_s" if noise else "time_s"] * 1e6 for p in PLACES}
            cells = [f"{time[p]:.1f}" + (f" ± {row[p]['deviation_s'] * 1e6:.1f}" if noise else "") for p in PLACES]
            print("|", noise or "none", "|", row["hosts"], "|", " | ".join(cells), "|", min(time, key=time.get), "|")


main()
