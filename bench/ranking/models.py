# SPDX-License-Identifier: BSD-3-Clause
"""The models that are compared, as one list, and their predictions for all cases of a pattern."""
import dataclasses
import json
import os
import subprocess
import tempfile
import time

import cases
import machine
import smpi


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    kind: str          # "berth", "smpi", or "traffic" for figures that have no unit of time
    argument: str = ""
    text: str = ""


MODELS = (
    Model("port", "berth", "port", "berth cost --model port"),
    Model("bound", "berth", "bound", "berth cost --model bound"),
    Model("flow", "berth", "flow", "berth cost --model flow"),
    Model("hop-bytes", "traffic", "hops", "bytes of each message times the links it crosses"),
    Model("inter-host", "traffic", "hosts", "bytes between different hosts"),
    Model("smpi", "smpi", "SMPI", "SimGrid's SMPI, its default network model, uncalibrated"),
    Model("smpi-cm02", "smpi", "CM02", "SimGrid's SMPI with network model CM02"),
)
BY_NAME = {model.name: model for model in MODELS}


class Unavailable(Exception):
    """A model that this machine or this berth lacks."""


class Predictor:
    """Predicts with every model; the context holds what is made only once."""

    def __init__(self, source, build, topology, header):
        self.source, self.build, self.topology = source, build, topology
        self.header = header
        self.pus = machine.read_pus(topology)
        self.simulator = None
        self.folder = tempfile.TemporaryDirectory(prefix="berth-ranking-")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def predict(self, model, pattern, placements):
        """One figure for each placement, and the seconds that one took."""
        begin = time.monotonic()
        figures = {"berth": self._berth, "traffic": self._traffic,
                   "smpi": self._smpi}[model.kind](model.argument, pattern, placements)
        return figures, (time.monotonic() - begin) / len(placements)

    def _berth(self, name, pattern, placements):
        command = [os.path.join(self.build, "berth"), "cost", "--json", "--model", name,
                   "--pattern", pattern, "--topology", self.topology]
        for i, placement in enumerate(placements):
            path = os.path.join(self.folder.name, f"mapping-{i}.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"format": "berth-mapping", "version": 1, "algorithm": "random",
                           "pu_of_rank": placement}, file)
            command += ["--mapping", path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 2:
            raise Unavailable(done.stderr.strip().splitlines()[0])
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return [result["cost_s"] for result in json.loads(done.stdout)["results"]]

    def _traffic(self, what, pattern, placements):
        messages = list(cases.read_messages(pattern))
        figures = []
        for placement in placements:
            at = [self.pus[pu] for pu in placement]
            links = ((size, machine.hops(at[src], at[dst])) for src, dst, size in messages)
            figures.append(sum(size * (n if what == "hops" else n > 0) for size, n in links))
        return figures

    def _smpi(self, network, pattern, placements):
        if not self.simulator:
            try:
                self.simulator = smpi.Player(self.folder.name, self.source, self.build, self.pus,
                                                self.header["mbit"])
            except (FileNotFoundError, subprocess.CalledProcessError) as error:
                raise Unavailable(f"{error} (Debian: libsimgrid-dev)") from error
        return [self.simulator.predict(pattern, placement, self.header["play"], network)
                for placement in placements]


def predict_all(predictor, lines, folder, wanted, say):
    """The cases' lines with their predictions, and the seconds that one of each model's took."""
    lines = [dict(line, predicted={}) for line in lines]
    taken = {}
    for model in wanted:
        try:
            for name in predictor.header["patterns"]:
                mine = [line for line in lines if line["pattern"] == name]
                figures, seconds = predictor.predict(
                    model, os.path.join(folder, name + ".acp"), [m["pu_of_rank"] for m in mine])
                taken[model.name] = taken.get(model.name, 0) + seconds / len(
                    predictor.header["patterns"])
                for line, figure in zip(mine, figures):
                    line["predicted"][model.name] = figure
            say(f"{model.name}: {taken[model.name] * 1e3:.2f} ms a prediction")
        except Unavailable as reason:
            say(f"{model.name}: left out: {reason}")
    return lines, taken
