# SPDX-License-Identifier: BSD-3-Clause
"""Predictions by SimGrid's SMPI: the program that is measured, run in its simulator.

Nothing is calibrated: links of the nominal rate in the topology's tree, both directions of a link
apart (SPLITDUPLEX), and SMPI's defaults. Latencies and the rate within a host are round figures for
what has no nominal value; they matter little at these sizes. Computation isn't simulated, so that a
prediction is the same on any machine."""
import os
import re
import subprocess

import machine

LATENCY = "10us"
MEMORY = ("2GBps", "1us")
RESULT = re.compile(r"^([0-9.]+) seconds per iteration$", re.M)
MAPPED = re.compile(r"\[rank (\d+)\] -> (\S+)$", re.M)


def platform(pus, mbit):
    hosts = {pu.host: pu for pu in pus}
    slots = {host: sum(pu.host == host for pu in pus) for host in hosts}
    out = ['<?xml version="1.0"?>',
           '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
           '<platform version="4.1">', '<zone id="machine" routing="Full">']
    out += [f'<host id="{host}" speed="1Gf" core="{slots[host]}"/>' for host in hosts]
    out += [f'<link id="{link}" bandwidth="{mbit * 125000}Bps" latency="{LATENCY}" '
            'sharing_policy="SPLITDUPLEX"/>'
            for link in dict.fromkeys(link for pu in pus for link in pu.path)]
    out += [f'<link id="memory-{host}" bandwidth="{MEMORY[0]}" latency="{MEMORY[1]}" '
            'sharing_policy="FATPIPE"/>' for host in hosts]
    names = list(hosts)
    for i, a in enumerate(names):
        out.append(f'<route src="{a}" dst="{a}"><link_ctn id="memory-{a}"/></route>')
        for b in names[i + 1:]:
            up, down = machine.split_paths(hosts[a], hosts[b])
            links = "".join([f'<link_ctn id="{link}" direction="UP"/>' for link in up] +
                            [f'<link_ctn id="{link}" direction="DOWN"/>' for link in down])
            out.append(f'<route src="{a}" dst="{b}">{links}</route>')
    return "\n".join(out + ["</zone>", "</platform>", ""])


def version():
    text = subprocess.run(["smpirun", "-version"], capture_output=True, text=True, check=True)
    return (text.stdout + text.stderr).strip().splitlines()[0]


class Simulator:
    """Holds a compiled program and the platform in a folder of its own."""

    def __init__(self, folder, pus, mbit, *compiled):
        """`compiled` are smpicc's arguments: sources and options."""
        self.folder, self.pus = folder, pus
        self.program = os.path.join(folder, "program-smpi")
        subprocess.run(["smpicc", "-O2", *compiled, "-o", self.program], check=True)
        with open(os.path.join(folder, "platform.xml"), "w", encoding="utf-8") as file:
            file.write(platform(pus, mbit))

    def run(self, pu_of_rank, options, *arguments):
        """What the program prints. Raises where the simulator put a rank elsewhere."""
        hosts = [self.pus[pu].host for pu in pu_of_rank]
        with open(os.path.join(self.folder, "hostfile"), "w", encoding="utf-8") as file:
            file.write("".join(host + "\n" for host in hosts))
        done = subprocess.run(
            ["smpirun", "-map", "-np", str(len(hosts)), "-platform",
             os.path.join(self.folder, "platform.xml"), "-hostfile",
             os.path.join(self.folder, "hostfile"), "--cfg=smpi/simulate-computation:no", *options,
             self.program, *arguments],
            env=dict(os.environ, TMPDIR=self.folder),  # its option -tmpdir is broken in 3.32
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"smpirun ended with {done.returncode}: {done.stderr[-500:]}")
        mapped = {int(rank): host for rank, host in MAPPED.findall(done.stderr)}
        if mapped != dict(enumerate(hosts)):
            raise RuntimeError(f"smpirun placed ranks at {mapped}, expected {hosts}")
        return done.stdout


class Player(Simulator):
    """Plays patterns."""

    def __init__(self, folder, source, build, pus, mbit):
        library = os.path.join(build, "src")
        super().__init__(folder, pus, mbit, "-I", os.path.join(source, "include"),
                         "-I", os.path.join(build, "include"),
                         os.path.join(source, "testbed", "play.c"), "-L", library, "-lberth",
                         "-Wl,-rpath," + library)

    def predict(self, pattern, pu_of_rank, play, model):
        """Seconds per iteration."""
        said = self.run(pu_of_rank, ["--cfg=network/model:" + model], pattern, "--iterations",
                        str(play["iterations"]), "--warm-up", str(play["warm_up"]))
        return float(RESULT.search(said)[1])
