#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# The ladder example: it runs, refuses wrong arguments, and its recorded pattern is what its
# description says.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
example=$BERTH_SOURCE_DIR/examples/ladder
mpicc=$(command -v mpicc.openmpi || command -v mpicc) || { echo "skipped: no mpicc"; exit 77; }
mpirun=$(command -v mpirun.openmpi || command -v mpirun) || { echo "skipped: no mpirun"; exit 77; }
cd "$work" || exit 1
export TMPDIR=$work
if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
check "it compiles" "$mpicc" -std=c11 -Wall -Wextra -Werror -o ladder "$example/ladder.c"
for other in mpicc.openmpi mpicc.mpich; do # optimised: then gcc looks into the calls
  command -v $other > /dev/null &&
    check "by $other, too" $other -std=c11 -O2 -Wall -Wextra -Werror -o other "$example/ladder.c"
done
start() { "$mpirun" --oversubscribe -np "$@" 2>err; }

for ranks in 2 6; do
  start $ranks ./ladder 4096 3 >out
  check "$ranks ranks: one line" grep -qxE '[0-9]+\.[0-9]{6} seconds per iteration' out
  check "$ranks ranks: no other" [ "$(wc -l <out)" = 1 ]
done

refused() { # RANKS ARGUMENT…
  local code=0
  start "$1" ./ladder "${@:2}" >out || code=$?
  check "refused: $*: code" [ $code = 2 ]
  check "refused: $*: usage" grep -qx 'usage: ladder \[BYTES \[ITERATIONS\]\]' err
  check "refused: $*: nothing on standard output" [ ! -s out ]
}
refused 3
refused 2 7
refused 2 12x
refused 2 99999999999
refused 2 4096 3 1

cat >expected.py <<'PYTHON'
import collections, json, sys

lines = [json.loads(line) for line in open(sys.argv[1])]
ranks, size, n = map(int, sys.argv[2:5])
half = ranks // 2
assert lines[0]["ranks"] == ranks, lines[0]
repeats = {line["id"]: line["repeats"] for line in lines if line.get("kind") == "phase"}
sent = collections.Counter()
for line in lines:
    if line.get("kind") == "p2p":
        for entry in line["msgs"]:
            sent[line["src"], entry[0], entry[1]] += entry[2] * repeats.get(line.get("phase", 0), 1)
expected = collections.Counter()
for r in range(ranks):
    near = [(p, size // 8) for p in (r - 1, r + 1) if 0 <= p < ranks and p // half == r // half]
    for peer, bytes in near + [((r + half) % ranks, size)]:
        expected[r, peer, bytes] = n
        expected[r, peer, 1] = 1
assert sent == expected, "found %s, expected %s" % (sent - expected, expected - sent)
PYTHON
check "it is traced" \
  "$berth" trace -o traced.acp -- "$mpirun" --oversubscribe -np 6 ./ladder 4096 3 >out 2>err
check "the traced pattern" python3 expected.py traced.acp 6 4096 3
check "the recorded pattern" python3 expected.py "$example/pattern.acp" 16 262144 10
finish
