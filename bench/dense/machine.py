#!/usr/bin/env python3
"""Writes a topology: RACKS racks of HOSTS hosts of PUS PUs below a spine.

  machine.py RACKS HOSTS PUS > FILE"""
import json
import sys

racks, hosts, pus = map(int, sys.argv[1:4])
link, memory = {"out": "link", "in": "link"}, {"out": "memory", "in": "memory"}
host = {"type": "host", "name": "h%d", "host": "h%d", "repeat": hosts,
        "children": [{"pu": i, "core": i} for i in range(pus)]}
rack = {"type": "rack", "name": "rack%d", "repeat": racks, "children": [host]}
print(json.dumps({
    "format": "berth-topology", "version": 1,
    "name": f"{racks} racks of {hosts} hosts of {pus} PUs",
    "curves": {
        "link": {"points": [[1, 5e5], [1024, 3e8], [65536, 9e9], [1048576, 1.2e10]]},
        "memory": {"points": [[1, 3e6], [1024, 1.5e9], [65536, 8e9], [1048576, 1e10]]}},
    "types": {
        "host": {"up": {**link, "max_bandwidth": 1.25e10}, "down": {**memory, "max_bandwidth": 1e11}},
        "rack": {"up": {**link, "max_bandwidth": 4e11}, "down": {**link, "max_bandwidth": 1.25e10}},
        "spine": {"down": {**link, "max_bandwidth": 4e11}}},
    "root": {"type": "spine", "name": "spine", "children": [rack]}}))
