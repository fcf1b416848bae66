#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# The benchmarks of agents: their programs run with both MPIs and refuse wrong arguments, and the
# scripts compute what their README says.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
agents=$BERTH_SOURCE_DIR/bench/agents programs="overlap latency"
cd "$work" || exit 1
cc -shared -fPIC -O2 -w -o "$idle" "$BERTH_SOURCE_DIR/tests/trace/idle.c" || exit 1
for mpi in $mpis; do
  command -v "mpicc.$mpi" >/dev/null || { echo "skipped: no mpicc.$mpi"; exit 77; }
  for program in $programs; do
    check "$program compiles: $mpi" "mpicc.$mpi" -std=gnu11 -O2 -Wall -Wextra -Werror \
      -o "$program.$mpi" "$agents/$program.c" -lm
  done
done
program() { launch "$1" "$2" "./$3.$1" "${@:4}" 2>err </dev/null; } # MPI RANKS PROGRAM ARGUMENT…

refused() { # PROGRAM LINE ARGUMENT…
  local code=0
  program openmpi 1 "$1" "${@:3}" >out || code=$?
  is "refused: $1 ${*:3}: code" "$code" 2
  is "refused: $1 ${*:3}" "$(grep "^$1:" err)" "$1: $2"
}
refused overlap "cell 'Igather:8', expected Iallreduce, Ibcast or Ialltoall and bytes, as Ibcast:8" Igather:8
refused overlap "cell 'Ibcast:9', expected Iallreduce, Ibcast or Ialltoall and bytes, as Ibcast:8" Ibcast:9
refused overlap "--factors '1,x', expected up to 8 numbers above 0" --factors 1,x Ibcast:8
refused overlap "--ms '0', expected a number above 0" --ms 0 Ibcast:8
refused overlap "option '--slep', expected --sleep, --ms MS or --factors F,F…" --slep Ibcast:8
refused latency "cell 'Allreduce:float:1', expected one such as Allreduce:double:8" Allreduce:float:1
refused latency "cell 'Gather:int:1', expected one such as Allreduce:double:8" Gather:int:1
refused latency "cell 'Bcast:int:0', expected one such as Allreduce:double:8" Barrier Bcast:int:0
refused latency "cell 'Bcast:int:1x', expected one such as Allreduce:double:8" Bcast:int:1x
refused latency "--calls '0', expected 1 to 10000000" --calls 0 Barrier

# Lines in the order of the command line: three times each, and computation takes as long as asked for.
cat >overlap_lines.py <<'PYTHON'
import sys

lines = [line.split() for line in open("out")]
assert lines[-1] == ["end"], lines
names = [(f, b, x) for f, b in (("Iallreduce", "8"), ("Ibcast", "65536"), ("Ialltoall", "4096")) for x in ("0.5", "2")]
assert [tuple(line[:3]) for line in lines[:-1]] == names, lines
for line in lines[:-1]:
    coll, comp, both = map(float, line[3:])
    assert coll > 0 and comp > 0 and both > 0, line
PYTHON
cells=(Iallreduce:8 Ibcast:65536 Ialltoall:4096)
for mpi in $mpis; do
  for ranks in 1 3; do
    for how in "" --sleep; do
      program "$mpi" $ranks overlap $how --ms 1 --factors 0.5,2 "${cells[@]}" >out
      check "overlap $how, $mpi, $ranks ranks" python3 overlap_lines.py
      [ -s err ] && grep overlap: err
    done
  done
done

# As many times as calls, for each cell.
cat >latency_lines.py <<'PYTHON'
import sys

sys.path.insert(0, sys.argv[1])
import latency

lines = open("out").read().splitlines()
assert lines[-1] == "end", lines[-1]
found = latency.times_of(lines)
assert list(found) == ["Barrier", "Allreduce:double:8", "Reduce:int:3", "Bcast:int:1"], list(found)
assert all(len(times) == 250 and min(times) >= 0 and max(times) > 0 for times in found.values()), found
PYTHON
for mpi in $mpis; do
  for ranks in 1 3; do
    program "$mpi" $ranks latency --calls 250 Barrier Allreduce:double:8 Reduce:int:3 Bcast:int:1 >out
    check "latency, $mpi, $ranks ranks" python3 latency_lines.py "$agents"
  done
done

# A call that ends before it has a result isn't taken for one that is hidden, or for a fast one.
cat >early.c <<'C'
#include <mpi.h>
int MPI_Ibcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *r)
{
  return PMPI_Ibarrier(c, r);
}
int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
  return PMPI_Reduce(in, out, n, t, o, 0, c);
}
C
mpicc.openmpi -shared -fPIC -w -o early.so early.c || exit 1
fails_early() { # PROGRAM CELL LINE
  idle=$idle:$work/early.so program openmpi 2 "$1" "$2" >out && return 1
  grep -q "^$1: $3" err || { cat err; return 1; }
}
check "overlap ends if a result is wrong" \
  fails_early overlap Ibcast:64 "Ibcast, rank 1, call 1: found -1, expected 4096"
check "latency ends if a result is wrong" \
  fails_early latency Allreduce:int:2 "Allreduce, rank 1, call 0, element 0: found -1, expected 3"

# The noise: the share of the core that it says it took is what it was told to take.
cc -std=gnu11 -O2 -Wall -Wextra -Werror -o detours "$agents/detours.c" || exit 1
core=$(taskset -cp $$ | sed -E 's/.*: ([0-9]+).*/\1/')
./detours "$core" 200 10000 >noise 2>err &
await worked $! 3
kill $! 2>/dev/null
wait $! && code=0 || code=$?
if grep -qx 'detours: found no right to a high priority' err; then
  is "detours without rights: code" "$code" 4
else
  is "detours: code" "$code" 0
  check "detours: its line" grep -qE "^$core (fifo|nice) [0-9]+ 0\.0[0-9]+\$" noise
fi
expect 2 "usage: detours CORE LENGTH_US EVERY_US, up to 10 s, the length at most the period" ./detours 0 2 1
expect 2 "usage: detours CORE LENGTH_US EVERY_US, up to 10 s, the length at most the period" ./detours 0 1x 2

cat >computed.py <<'PYTHON'
import sys

sys.path.insert(0, sys.argv[1])
import argparse
import jobs, cg, latency, overlap

for times, share in (((2, 1, 3), 0), ((2, 1, 2), 0.5), ((2, 2, 2), 1), ((2, 4, 5), 0.5), ((2, 4, 9), 0), ((2, 4, 3), 1)):
    assert overlap.share_hidden(*times) == share, (times, share)
assert overlap.times_of(["Ibcast 8 0.5 1 2 3.5", "end"]) == {"Ibcast 8 0.5": [1, 2, 3.5]}
assert jobs.blocks(4, 2) == ["h0", "h0", "h1", "h1", "h5", "h5", "h6", "h6"]  # two of each switch
times = [*range(100, 200), 1, 1000]  # 98.94 of 102 are 97%
assert latency.band(times) == (100, 198), latency.band(times)
assert latency.band([5.0]) == (5.0, 5.0)
found = latency.distribution([1e-6, 1.01e-6, 3e-6, 1e-3])
assert (found["calls"], found["min_s"], found["max_s"]) == (4, 1e-6, 1e-3), found
assert abs(found["median_s"] / 2.005e-6 - 1) < 1e-9 and abs(found["mean_s"] / 251.2525e-6 - 1) < 1e-9, found
assert [h[2] for h in found["histogram"]] == [2, 1, 1], found
assert all(low <= t < high for t, (low, high, _) in zip((1.001e-6, 3e-6, 1.001e-3), found["histogram"])), found
found = latency.times_of(["cell Barrier", "1000 2000", "3000", "cell Bcast:int:1", "5", "end"])
assert {c: [round(1e9 * t) for t in times] for c, times in found.items()} == {
    "Barrier": [1000, 2000, 3000], "Bcast:int:1": [5]}, found
assert latency.detours_of("1ms/20ms") == (1000, 20000) and latency.detours_of("50us/1s") == (50, 1000000)
runs = {"a": {"x": [{"residual": 1.0}, {"residual": 1.25}]}, "b": {"x": [{"residual": 1.1}]}}
assert cg.difference(runs) == 0.25, cg.difference(runs)
for wrong in "1ms", "20ms/1ms", "0ms/1ms", "1ms/20m", "1s/11s":
    try:
        latency.detours_of(wrong)
    except argparse.ArgumentTypeError:
        continue
    assert False, wrong
assert jobs.numbers(2, 8)("2,4-6") == [2, 4, 5, 6]
PYTHON
check "what the scripts compute" python3 computed.py "$agents"
check "the scripts' command lines" eval 'for s in overlap latency cg; do "$agents/$s.py" --help >/dev/null || exit 1; done'
finish
