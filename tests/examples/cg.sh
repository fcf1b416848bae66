#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# The conjugate-gradient example: with both MPIs and any number of ranks, both forms find what an
# implementation apart from it finds, and wrong arguments are refused.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
example=$BERTH_SOURCE_DIR/examples/cg
cd "$work" || exit 1
cc -shared -fPIC -O2 -w -o "$idle" "$BERTH_SOURCE_DIR/tests/trace/idle.c" || exit 1
for mpi in $mpis; do
  command -v "mpicc.$mpi" >/dev/null || { echo "skipped: no mpicc.$mpi"; exit 77; }
  check "it compiles: $mpi" \
    "mpicc.$mpi" -std=c11 -O2 -Wall -Wextra -Werror -o "cg.$mpi" "$example/cg.c" -lm
done
solve() { launch "$1" "$2" "./cg.$1" "${@:3}" 2>err </dev/null; } # MPI RANKS ARGUMENT…

# The method of Hestenes and Stiefel once more, point by point: the norms of the right-hand side and
# of the residual after some iterations.
cat >cg.py <<'PYTHON'
import math, sys

points, seed, iterations = map(int, sys.argv[1:])
cube = [(z, y, x) for z in range(points) for y in range(points) for x in range(points)]

def random_at(point):
    z = ((seed << 36) + point + 1) * 0x9e3779b97f4a7c15 % 2**64
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 % 2**64
    z = (z ^ z >> 27) * 0x94d049bb133111eb % 2**64
    return ((z ^ z >> 31) >> 11) / 2**52 - 1

def product(v):
    return {(z, y, x): 6 * v[z, y, x] - sum(v.get(c, 0) for c in (
        (z - 1, y, x), (z + 1, y, x), (z, y - 1, x), (z, y + 1, x), (z, y, x - 1), (z, y, x + 1))) for z, y, x in cube}

def add(a, factor, b):
    return {c: a[c] + factor * b[c] for c in cube}

def dot(a, b):
    return math.fsum(a[c] * b[c] for c in cube)

b = {c: random_at((c[0] * points + c[1]) * points + c[2]) for c in cube}
x, r, p = dict.fromkeys(cube, 0.0), b, b
for _ in range(iterations):
    q, squares = product(p), dot(r, r)
    alpha = squares / dot(p, q)
    x, r = add(x, alpha, p), add(r, -alpha, q)
    p = add(r, dot(r, r) / squares, p)
rest = add(b, -1, product(x))
print(math.sqrt(dot(b, b)), math.sqrt(dot(rest, rest)))
PYTHON
read -r norm residual < <(python3 cg.py 9 5 12)

# agrees FORM RANKS: the line of JSON in `out` has these norms, after these iterations.
cat >agrees.py <<'PYTHON'
import json, math, sys

(line,) = open("out")
found, (form, ranks, norm, residual) = json.loads(line), sys.argv[1:]
assert (found["form"], found["ranks"], found["iterations"], found["end"]) == (form, int(ranks), 12, "iterations"), line
assert math.prod(found["grid"]) == int(ranks) and (found["points"], found["seed"]) == (9, 5), line
assert 0 < found["iteration_s"] <= found["total_s"], line
for key, expected in ("right_hand_side", norm), ("residual", residual):
    assert abs(found[key] / float(expected) - 1) < 1e-9, f"{key}: found {found[key]}, expected {expected}"
PYTHON
for mpi in $mpis; do
  for ranks in 1 2 4 6; do # of 9 points two or three ranks have unequal shares
    for form in plain pipelined; do
      solve "$mpi" $ranks --$form --points 9 --seed 5 --iterations 12 --tolerance 0 --json >out
      check "$mpi, $ranks ranks, $form: the residual" python3 agrees.py $form $ranks "$norm" "$residual"
    done
  done
done

# To the tolerance: both forms reach it, and their residuals differ by less than 1%.
cat >reaches.py <<'PYTHON'
import json

plain, pipelined = map(json.loads, open("out"))
for found in plain, pipelined:
    assert found["end"] == "tolerance" and found["residual"] < 1.01e-6 * found["right_hand_side"], found
assert abs(pipelined["residual"] / plain["residual"] - 1) < 0.01, (plain, pipelined)
assert abs(pipelined["iterations"] - plain["iterations"]) <= 1, (plain, pipelined)
PYTHON
for mpi in $mpis; do
  for ranks in 1 6; do
    for form in plain pipelined; do
      solve "$mpi" $ranks --$form --points 24 --tolerance 1e-6 --json
    done >out
    check "$mpi, $ranks ranks: both reach the tolerance" python3 reaches.py
  done
done

# The text, as the README shows it: the time is of the machine, the last digits are of the compiler.
without_time() { sed -E '/^time +[0-9.]+ ms an iteration \(median\), [0-9.]+ s in all$/d; s/(\.[0-9]{4})[0-9]*/\1/'; }
for form in plain pipelined; do
  sed -n "/ --$form\$/,/^residual/p" "$example/README.md" | tail -n +2 | without_time >expected
  check "README.md has the output of --$form" [ "$(wc -l <expected)" = 5 ]
  solve openmpi 4 --$form | without_time >out
  check "the output of --$form" same expected out
done
check "--help" grep -q '^usage: cg ' <(solve openmpi 1 --help)
solve openmpi 1 --help | grep -oE '^  --[a-z]+' >options
check "--help has seven options and itself" [ "$(wc -l <options)" = 8 ]

refused() { # LINE RANKS ARGUMENT…
  local code=0
  solve mpich "${@:2}" >out || code=$?
  is "refused: ${*:2}: code" $code 2
  is "refused: ${*:2}" "$(cat err)" "cg: $1"
  check "refused: ${*:2}: nothing on standard output" [ ! -s out ]
}
refused "--points 'x', expected a whole number from 1 to 4096" 2 --points x
refused "--points '0', expected a whole number from 1 to 4096" 1 --points 0
refused "--iterations '1e3', expected a whole number from 1 to 1000000" 1 --iterations 1e3
refused "--seed '-1', expected a whole number from 0 to 2147483647" 1 --seed -1
refused "--seed '99999999999999999999', expected a whole number from 0 to 2147483647" 1 --seed 99999999999999999999
refused "--tolerance '2', expected a number from 0 to 1" 1 --tolerance 2
refused "--tolerance 'nan', expected a number from 0 to 1" 1 --tolerance nan
refused "--tolerance has no value, expected one" 1 --json --tolerance
refused "unknown option '--point'; see cg --help" 1 --point 3
refused "found --plain and --pipelined, expected one of them" 1 --plain --pipelined
refused "--points 2 for 3 ranks as 3 x 1 x 1, expected a point for each" 3 --points 2
finish
