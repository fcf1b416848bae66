#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bottlenecks.py PATTERN TOPOLOGY MAPPING...: the dearest port of each mapping and its pairs.

Other languages read what `berth … --json` prints (docs/formats/): no binding is needed."""
import json
import subprocess
import sys

pattern, topology, *mappings = sys.argv[1:]
command = ["berth", "compare", "--json", "--pattern", pattern, "--topology", topology, *mappings]
for placement in json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["placements"]:
    bottleneck = placement["bottleneck"]
    print(f"{placement['mapping']}: {placement['cost_s']['port']:.6f} s, {bottleneck['text']}")
    for pair in bottleneck["pairs"][:3]:
        print(f"  rank {pair['src']} -> {pair['dst']}: {pair['bytes']:.0f} bytes, {pair['time_s']:.6f} s")
