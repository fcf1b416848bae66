#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# The breadth-first search example: with both MPIs, both kinds of windows and any number of ranks it
# finds the tree that an implementation apart from it finds, and wrong arguments are refused.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
example=$BERTH_SOURCE_DIR/examples/bfs
cd "$work" || exit 1
for mpi in $mpis; do
  command -v "mpicc.$mpi" >/dev/null || { echo "skipped: no mpicc.$mpi"; exit 77; }
  check "it compiles: $mpi" \
    "mpicc.$mpi" -std=c11 -O2 -Wall -Wextra -Werror -o "bfs.$mpi" "$example/bfs.c"
done
search() { launch "$1" "$2" "./bfs.$1" "${@:3}" 2>err </dev/null; } # MPI RANKS ARGUMENT…

# The graph and its searches once more. Prints the JSON that the program prints, but for times and
# for what says how it ran.
cat >bfs.py <<'PYTHON'
import json, sys

scale, factor, n_roots, seed = map(int, sys.argv[1:])
GOLDEN, ALL, NOBODY = 0x9e3779b97f4a7c15, 2**64 - 1, 2**63 - 1
n = 1 << scale

def mixed(z):
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & ALL
    z = (z ^ z >> 27) * 0x94d049bb133111eb & ALL
    return z ^ z >> 31

def random_at(stream, i):
    return mixed(mixed((seed * 2 + stream + 1) * GOLDEN & ALL) + (i + 1) * GOLDEN & ALL)

def renamed(v):
    for i in range(3):
        v = v * GOLDEN + mixed(i + 1) & n - 1
        v ^= v >> scale // 2 + 1
    return v

def edge(e):
    a = b = 0
    for bit in range(scale):
        x = (random_at(0, e * scale + bit) >> 11) / 2**53
        a |= (x >= 0.76) << bit
        b |= (0.57 <= x < 0.76 or x >= 0.95) << bit
    return renamed(a), renamed(b)

def digest(values):
    found = 0
    for v in values:
        found = mixed(found ^ v & ALL) + GOLDEN & ALL
    return found

edges = [edge(e) for e in range(n * factor)]
assert sorted(map(renamed, range(n))) == list(range(n))
near = [set() for _ in range(n)]
for a, b in edges:
    if a != b:
        near[a].add(b)
        near[b].add(a)
first = random_at(1, 0)
roots = [v for v in (renamed((first + i) % n) for i in range(n)) if near[v]][:n_roots]
searches = []
for root in roots:
    parent, level, frontier, depth, told = {root: root}, {root: 0}, [root], 0, 0
    while frontier:
        depth += 1
        told += sum(len(near[v]) for v in frontier)
        reached = sorted({w for v in frontier for w in near[v]} - level.keys())
        for w in reached:
            parent[w], level[w] = min(near[w] & set(frontier)), depth
        frontier = reached
    searches.append({"root": root, "vertices": len(level), "edges": sum(a in level for a, _ in edges), "levels": depth,
                     "operations": 2 * told, "level_digest": digest(level.get(v, -1) for v in range(n)),
                     "parent_digest": digest(parent.get(v, NOBODY) for v in range(n))})
found = {"scale": scale, "edge_factor": factor, "seed": seed,
         "levels": digest(s["level_digest"] for s in searches), "parents": digest(s["parent_digest"] for s in searches)}
text = lambda item: {k: f"{v:016x}" if k in ("levels", "parents") and item is found or "digest" in k else v for k, v in item.items()}
print(json.dumps({**text(found), "searches": [text(s) for s in searches]}))
PYTHON

# agrees FILE RANKS WINDOW [several]: the line of JSON in `out` is FILE's, and its rates are of its searches.
cat >agrees.py <<'PYTHON'
import json, statistics, sys

(line,) = open("out")
found, expected, ranks, window = json.loads(line), json.load(open(sys.argv[1])), int(sys.argv[2]), sys.argv[3]
assert (found["ranks"], found["window"]) == (ranks, window), line
for s in found["searches"]:
    assert 0 <= s["fences_s"] <= s["seconds"], s
teps = [s["edges"] / s["seconds"] for s in found["searches"]]
for key, value in ("harmonic_mean", statistics.harmonic_mean(teps)), ("minimum", min(teps)), ("median", statistics.median(teps)), ("maximum", max(teps)):
    assert abs(found["teps"][key] / value - 1) < 1e-3, (key, found["teps"][key], value)
for key in "search_s", "fences_s", "teps", "ranks", "window":
    del found[key]
for s in found["searches"]:
    assert s["epochs"] >= s["levels"] if len(sys.argv) == 4 else s["epochs"] > s["levels"], s
    del s["seconds"], s["fences_s"], s["epochs"]
assert found == expected, f"found {found}\nexpected {expected}"
PYTHON
compared() { # RANKS WINDOW SCALE FACTOR ROOTS SEED
  local option=
  [ "$2" = allocate ] && option=--allocate
  python3 bfs.py "${@:3}" >expected.json || exit 1
  for mpi in $mpis; do
    search "$mpi" "$1" --scale "$3" --edge-factor "$4" --roots "$5" --seed "$6" $option --json >out
    check "$mpi: $*" python3 agrees.py expected.json "$1" "$2"
  done
}
for window in create allocate; do
  for ranks in 2 3 6; do # of 128 vertices the last of 3 and of 6 ranks have fewer
    compared $ranks $window 7 16 2 5
  done
done
search mpich 3 --scale 6 --edge-factor 1 --roots 3 --seed 4 --epoch 3 --json >out
python3 bfs.py 6 1 3 4 >expected.json
check "levels of several epochs" python3 agrees.py expected.json 3 create several
compared 6 create 2 1 4 7 # ranks without vertices
compared 2 create 6 1 3 4 # several components

# The text, as the README shows it, but for the machine's times.
without_times() { sed -E '/^(TEPS|time) /d'; }
sed -n '/^\$ mpirun.*bfs/,/^parents/p' "$example/README.md" | tail -n +2 | without_times >expected
check "README.md has an output" [ "$(wc -l <expected)" = 5 ]
search mpich 4 --scale 10 | without_times >out
check "the output" same expected out
check "--help" grep -q '^usage: bfs ' <(search mpich 1 --help)
search mpich 1 --help | grep -oE '^  --[a-z-]+' >options
check "--help has seven options and itself" [ "$(wc -l <options)" = 8 ]

refused() { # LINE ARGUMENT…
  local code=0
  search mpich 2 "${@:2}" >out || code=$?
  is "refused: ${*:2}: code" $code 2
  is "refused: ${*:2}" "$(cat err)" "bfs: $1"
  check "refused: ${*:2}: nothing on standard output" [ ! -s out ]
}
refused "--scale '0', expected a whole number from 1 to 22" --scale 0
refused "--edge-factor 'x', expected a whole number from 1 to 64" --edge-factor x
refused "--roots '1025', expected a whole number from 1 to 1024" --roots 1025
refused "--seed '-1', expected a whole number from 0 to 2147483647" --seed -1
refused "--epoch '0', expected a whole number from 1 to 2147483647" --epoch 0
refused "--seed has no value, expected one" --json --seed
refused "unknown option '--root'; see bfs --help" --root 3
finish
