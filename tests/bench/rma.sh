#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# The benchmark of epochs: its program runs with both MPIs and refuses wrong arguments, and the script
# runs arms in turns and says what it left out.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
rma=$BERTH_SOURCE_DIR/bench/rma
cd "$work" || exit 1
cc -shared -fPIC -O2 -w -o "$idle" "$BERTH_SOURCE_DIR/tests/trace/idle.c" || exit 1
for mpi in $mpis; do
  command -v "mpicc.$mpi" >/dev/null || { echo "skipped: no mpicc.$mpi"; exit 77; }
  check "it compiles: $mpi" \
    "mpicc.$mpi" -std=gnu11 -O2 -Wall -Wextra -Werror -o "epochs.$mpi" "$rma/epochs.c"
done
epochs() { launch "$1" "$2" "./epochs.$1" "${@:3}" 2>err </dev/null; } # MPI RANKS ARGUMENT…

refused() { # RANKS LINE ARGUMENT…
  local code=0
  epochs mpich "$1" "${@:3}" >out || code=$?
  is "refused: ${*:3}: code" "$code" 2
  is "refused: ${*:3}" "$(grep ^epochs: err)" "epochs: $2"
  check "refused: ${*:3}: nothing on standard output" [ ! -s out ]
}
for cell in single:fence:put:create single:fence:put:create:8:9 double:fence:put:create:8 single:post:put:create:8 \
  single:fence:send:create:8 single:fence:put:shared:8 single:fence:put:create:0 single:fence:put:create:8x \
  many:fence:put:create:16385:contiguous many:fence:put:create:8:dense overlap:fence:put:create:8 \
  busy:fence:put:create:8; do
  refused 2 "cell '$cell', expected one such as single:lock:put:create:8" single:lock:put:create:8 $cell
done
refused 2 "--ms '0', expected a number above 0" --ms 0
refused 2 "--computing 'all', expected origin, target or both" --computing all
refused 2 "--percent '50,', expected up to 8 percentages" --percent 50,
refused 2 "option '--perc', expected --ms MS, --computing WHERE, --until WHERE or --percent P,P…" --perc 50
refused 1 "ranks '1', expected an origin and a target" single:lock:put:create:8

# A line for each cell in the order of the command line, of an overlap for each percentage.
cat >lines.py <<'PYTHON'
import json, sys

*lines, end = open("out").read().splitlines()
assert end == "end", end
expected = []
for cell in sys.argv[2:]:
    test, sync, op, window, *rest = cell.split(":")
    row = {"test": test, "sync": sync, "op": op, "window": window, "count": 1, "bytes": 8}
    if test == "many":
        row.update(count=int(rest[0]), layout=rest[1])
    elif test == "overlap":
        row.update(count=int(rest[0]), bytes=int(rest[1]))
    else:
        row.update(bytes=int(rest[0]))
    expected += [{**row, "computing": sys.argv[1], "percent": p} for p in (50, 100)] if test == "overlap" else [row]
found = list(map(json.loads, lines))
assert len(found) == len(expected), f"found {len(found)} lines, expected {len(expected)}"
for row, wanted in zip(found, expected):
    assert {name: row[name] for name in wanted} == wanted, f"found {row}, expected {wanted}"
    assert row["epochs"] >= 5 and all(row[name] > 0 for name in row if name.endswith("us")), row
    if row["test"] == "overlap":
        share = 1 - max(0, row["both_us"] - row["us"]) / row["computation_us"]
        assert 0 <= row["overlap"] <= 1 and abs(row["overlap"] - max(0, share)) < 0.02, (row, share)
    if row["test"] == "busy":
        assert row["busy_us"] <= row["busy_maximum_us"] and row["busy_mean_us"] <= row["busy_maximum_us"], row
PYTHON
cells=()
for sync in fence pscw lock lockall; do
  for op in put get acc; do
    cells+=("single:$sync:$op:create:1" "single:$sync:$op:allocate:64" "many:$sync:$op:create:20:scattered"
      "many:$sync:$op:allocate:20:contiguous" "overlap:$sync:$op:create:3:4096")
  done
done
cells+=(busy:lock:put:create:8 busy:lockall:acc:allocate:8)
for mpi in $mpis; do
  for ranks in 2 3; do
    [ $ranks = 2 ] && where=origin || where=both
    epochs "$mpi" $ranks --ms 0.1 --percent 50,100 --computing "$where" "${cells[@]}" >out
    check "$mpi, $ranks ranks" python3 lines.py "$where" "${cells[@]}"
    grep epochs: err
  done
  epochs "$mpi" 2 --ms 0.1 --percent 50,100 --computing target overlap:pscw:put:create:3:4096 >out
  check "$mpi, the target computes" python3 lines.py target overlap:pscw:put:create:3:4096
done

# An operation that doesn't take place isn't taken for a fast one.
cat >lost.c <<'C'
#include <mpi.h>
#define PARAMETERS int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype
int MPI_Put(const void *from, PARAMETERS, MPI_Win win) { return MPI_SUCCESS; }
int MPI_Get(void *to, PARAMETERS, MPI_Win win) { return MPI_SUCCESS; }
int MPI_Accumulate(const void *from, PARAMETERS, MPI_Op op, MPI_Win win) { return MPI_SUCCESS; }
C
mpicc.mpich -shared -fPIC -w -o lost.so lost.c || exit 1
for op in put get acc; do
  idle=$idle:$work/lost.so epochs mpich 2 --ms 0.1 "many:lock:$op:create:9:scattered" >out
  check "it ends if a result is wrong: $op" \
    grep -qE "^epochs: many:lock:$op:create, operation 0: found 0 after [0-9]+ epochs, expected [0-9]+$" err
done

# The script: a round of both MPIs and of the component for messages; what isn't built is left out, or
# refused if it was asked for.
script() { python3 -B "$rma/epochs.py" --ms 0.1 --rounds 1 "$@"; }
script --tests single,busy --only 'lock:put:create:8' --ranks 3 --build "$work" --json found.json >out 2>err
check "the script's arms" [ "$(grep -cE '^(Open MPI|Open MPI pt2pt|MPICH)$' err)" = 3 ]
check "it says what it left out" grep -qE "^left out: .*/lib/berth/openmpi/libberth-rma.so: not built" err
check "a line for each cell" [ "$(grep -cE '^(single|busy):lock:put:create:8 ' out)" = 2 ]
cat >arms.py <<'PYTHON'
import json

found = json.load(open("found.json"))
assert list(found["arms"]) == ["Open MPI", "MPICH", "Open MPI pt2pt"] and found["ranks"] == 3, found
for rounds in found["arms"].values():
    (cells,) = rounds
    assert set(cells) == {"single:lock:put:create:8", "busy:lock:put:create:8"}, cells
PYTHON
check "its JSON" python3 arms.py
expect 1 "--arms: found no lib/berth/mpich/libberth-rma.so, expected a build with it (--build)" \
  script --tests single --build "$work" --arms "MPICH lazy"
expect 1 "--tests: found 'one', expected some of single, many, overlap, busy" script --tests one
expect 1 "--only: found 'x', expected an expression that matches a cell, as single:fence:put:create:8" script --only x
finish
