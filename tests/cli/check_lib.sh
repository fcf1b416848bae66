# shellcheck shell=bash disable=SC2154
# Sourced by the tests of `berth check`: their inputs, in the test's folder. Two leaves of three hosts
# of two PUs; a leaf's uplink moves 1 MB/s, and no message in less than 10 ms. Ten ranks in order; in
# each of 100 occurrences of phase solve 2 MB leave leaf A, which is 2 s, and 1.98 MB come in.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1

cat > inputs.py <<'PY'
"""inputs.py PATTERN TOPOLOGY [EDIT]: writes both, after a Python statement about p and t."""
import json, sys
class Pattern:
    """send[phase id, src, dst, size, site id] = count"""
    def __init__(self):
        self.ranks = 10
        self.phases = {0: ["init", 1], 1: ["solve", 100]}
        self.sites = {1: ["MPI_Isend", ["exchange halo.c:120", "main app.c:44"]],
                      2: ["MPI_Send", ["exchange halo.c:130", "main app.c:44"]],
                      3: ["MPI_Send", ["pack pack.c:7", "main app.c:51"]]}
        self.send = {(0, 0, 1, 1000, 1): 1,
                     (1, 0, 6, 10000, 1): 100, (1, 1, 7, 10000, 2): 100,
                     (1, 6, 0, 10000, 1): 99, (1, 7, 1, 10000, 2): 99,
                     (1, 2, 3, 10000, 1): 100, (1, 4, 5, 10000, 3): 2}
        self.other, self.mpi = [], ""
    def coll(self, op, size, count, **more):
        self.other.append({"kind": "coll", "phase": 1, "op": op, "bytes": size, "count": count,
                           "root": None, **more})
    def put(self, count):
        self.other.append({"kind": "rma", "phase": 1, "src": 0, "op": "MPI_Put", "sync": "fence",
                           "msgs": [[9, 8, count]]})
    def more(self, phase, src, dst, size, site, count):
        key = phase, src, dst, size, site
        self.send[key] = self.send.get(key, 0) + count
        if not self.send[key]: del self.send[key]
    def save(self, path):
        lines = [{"kind": "phase", "id": i, "name": n, "repeats": r} for i, (n, r) in self.phases.items()]
        lines += [{"kind": "site", "id": i, "op": o, "frames": f} for i, (o, f) in self.sites.items()]
        lines += [{"kind": "p2p", "phase": k, "site": s, "src": a, "msgs": [[b, z, n]]}
                  for (k, a, b, z, s), n in self.send.items()]
        lines += self.other
        head = {"format": "berth-pattern", "version": 1, "ranks": self.ranks, "command": ["x"],
                "mpi": self.mpi}
        end = {"kind": "end", "records": len(lines)}
        with open(path, "w") as f:
            for line in [head, *lines, end]: print(json.dumps(line), file=f)
leaf = lambda n: {"type": "leaf", "name": n.upper(), "children": [
    {"type": "host", "name": f"{n}{i}", "host": f"{n}{i}",
     "children": [{"pu": 0, "core": 0}, {"pu": 1, "core": 1}]} for i in range(3)]}
t = {"format": "berth-topology", "version": 1, "name": "two leaves",
     "curves": {"uplink": {"points": [[10000, 1e6]]}, "spare": {"points": [[1, 1]]}},
     "types": {"top": {"down": {"max_bandwidth": 1e8}},
               "leaf": {"up": {"out": "uplink", "in": "uplink", "max_bandwidth": 1e6},
                        "down": {"max_bandwidth": 1e7}},
               "host": {"up": {"max_bandwidth": 1e7}, "down": {"max_bandwidth": 1e9}}},
     "root": {"type": "top", "name": "spine", "children": [leaf("a"), leaf("b")]}}
p = Pattern()
exec(sys.argv[3] if len(sys.argv) > 3 else "")
p.save(sys.argv[1])
json.dump(t, open(sys.argv[2], "w"))
PY
python3 inputs.py p.acp t.json
k() { "$berth" check --pattern p.acp --topology t.json --baseline b.acp "$@"; }
c() { "$berth" check --pattern p.acp --topology t.json "$@"; }
usage() { expect 2 "berth check: $1
Try \`berth check --help' or \`berth check --usage' for more information." "${@:2}"; }
