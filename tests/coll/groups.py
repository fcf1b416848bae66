"""Prints groups of hosts: groups.py 0,2/1,3 has ranks 0 and 2 on the first one, 1 and 3 on the second."""
import json
import sys

hosts = [[int(rank) for rank in host.split(",")] for host in sys.argv[1].split("/")]
order = [rank for host in hosts for rank in host]
levels = [("host", hosts), ("all", [order])]
json.dump({"format": "berth-groups", "version": 1, "ranks": len(order), "order": order,
           "levels": [{"name": name, "groups": [{"coordinator": min(group), "ranks": group} for group in groups]}
                      for name, groups in levels]}, sys.stdout)
