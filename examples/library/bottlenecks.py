#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bottlenecks.py PATTERN TOPOLOGY MAPPING...: the dearest port of each mapping and its pairs.

Other languages read what `berth … --json` prints (docs/formats/): no binding is needed. What berth
says of bad input is its own line on standard error, and its exit code is passed on."""
import json
import subprocess
import sys

if len(sys.argv) < 4:
    print("usage: bottlenecks.py PATTERN TOPOLOGY MAPPING...", file=sys.stderr)
    sys.exit(2)
pattern, topology, *mappings = sys.argv[1:]
command = ["berth", "compare", "--json", "--pattern", pattern, "--topology", topology, "--", *mappings]
try:
    compared = subprocess.run(command, stdout=subprocess.PIPE)
except FileNotFoundError:
    print("bottlenecks.py: found no program berth in PATH", file=sys.stderr)
    sys.exit(4)
if compared.returncode:
    sys.exit(compared.returncode if compared.returncode > 0 else 128 - compared.returncode)
for placement in json.loads(compared.stdout)["placements"]:
    bottleneck = placement["bottleneck"]
    if not bottleneck:
        print(f"{placement['mapping']}: no port costs anything")
        continue
    print(f"{placement['mapping']}: {placement['cost_s']['port']:.6f} s, {bottleneck['text']}")
    for pair in bottleneck["pairs"][:3]:
        print(f"  rank {pair['src']} -> {pair['dst']}: {pair['bytes']:.0f} bytes, {pair['time_s']:.6f} s")
