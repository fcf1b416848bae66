#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# The benchmarks of agents: their programs run with both MPIs and refuse wrong arguments, and the
# scripts compute what their README says.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
agents=$BERTH_SOURCE_DIR/bench/agents programs=overlap
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
  is "refused: $1 ${*:3}: code" $code 2
  is "refused: $1 ${*:3}" "$(grep "^$1:" err)" "$1: $2"
}
refused overlap "cell 'Igather:8', expected Iallreduce, Ibcast or Ialltoall and bytes, as Ibcast:8" Igather:8
refused overlap "cell 'Ibcast:9', expected Iallreduce, Ibcast or Ialltoall and bytes, as Ibcast:8" Ibcast:9
refused overlap "--factors '1,x', expected up to 8 numbers above 0" --factors 1,x Ibcast:8
refused overlap "--ms '0', expected a number above 0" --ms 0 Ibcast:8
refused overlap "option '--slep', expected --sleep, --ms MS or --factors F,F…" --slep Ibcast:8

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

# A call that ends before it has a result isn't taken for one that is hidden.
cat >early.c <<'C'
#include <mpi.h>
int MPI_Ibcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *r)
{
  return PMPI_Ibarrier(c, r);
}
C
mpicc.openmpi -shared -fPIC -w -o early.so early.c || exit 1
fails_early() { ! program openmpi 2 overlap "$@" >out && grep -q "^overlap: Ibcast, rank 1, call 1: found -1, expected 4096" err; }
preloaded=$idle idle=$idle:$work/early.so
check "a wrong result ends the job" fails_early Ibcast:64
idle=$preloaded

cat >computed.py <<'PYTHON'
import sys

sys.path.insert(0, sys.argv[1])
import jobs, overlap

for times, share in (((2, 1, 3), 0), ((2, 1, 2), 0.5), ((2, 2, 2), 1), ((2, 4, 5), 0.5), ((2, 4, 9), 0), ((2, 4, 3), 1)):
    assert overlap.share_hidden(*times) == share, (times, share)
assert overlap.times_of(["Ibcast 8 0.5 1 2 3.5"]) == {"Ibcast 8 0.5": [1, 2, 3.5]}
assert jobs.blocks(4, 2) == ["h0", "h0", "h1", "h1", "h5", "h5", "h6", "h6"]  # two of each switch
assert jobs.numbers(2, 8)("2,4-6") == [2, 4, 5, 6]
PYTHON
check "what the scripts compute" python3 computed.py "$agents"
check "the scripts' command lines" eval 'for s in overlap; do "$agents/$s.py" --help >/dev/null || exit 1; done'
finish
