#!/usr/bin/env bash
# Random calls (random.c) of both MPIs, with communicators of any members in any order: every result
# is right, and berth serves most of them.
. "$BERTH_SOURCE_DIR/tests/coll/lib.sh"
calls=$(rounds_of 400)

for mpi in $mpis; do
  compile "$mpi" "$here/random.c" "random.$mpi"
  for n in 2 4 7; do
    coll=(BERTH_COLL_REPORT=1)
    served "$mpi" "$n" "./random.$mpi" "$n" "$calls" > out
    check "$mpi, $n ranks: $(cat out)" grep -qx "$calls calls, 0 wrong" out
    for name in Barrier Bcast Reduce Allreduce; do
      check "$mpi, $n ranks: berth serves MPI_$name: $(cat err)" \
        grep -qE "^berth-coll: MPI_$name: [1-9][0-9]* calls served by berth" err
    done
  done
done
finish
