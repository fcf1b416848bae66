#!/usr/bin/env bash
# Random calls (random.c) of both MPIs, with communicators of any members in any order: every result
# is right, and berth serves most of them; with any algorithms, too, that a tuning names.
. "$BERTH_SOURCE_DIR/tests/coll/lib.sh"
calls=$(rounds_of 400)
export BERTH_COLL_FIRST_CALL=1 # both MPIs fail in some of these calls

for mpi in $mpis; do
  compile "$mpi" "$here/random.c" "random.$mpi" "$here"/random_*.c
  for n in 1 2 4 7; do
    coll=(BERTH_COLL_REPORT=1)
    served "$mpi" "$n" "./random.$mpi" "$n" "$calls" > out
    check "$mpi, $n ranks: $(cat out)" grep -qx "$calls calls, 0 wrong" out
    for name in Barrier Bcast Reduce Allreduce Reduce_scatter{,_block} Scan Exscan Gather{,v} \
      Scatter{,v} Allgather{,v} Alltoall{,v}; do
      check "$mpi, $n ranks: berth serves MPI_$name: $(cat err)" \
        grep -qE "^berth-coll: MPI_$name: [1-9][0-9]* calls served by berth" err
    done
  done
  for setting in ONE_COPY=0 REPRODUCIBLE=1; do
    coll=("BERTH_COLL_$setting")
    served "$mpi" 4 "./random.$mpi" 1 "$calls" > out
    check "$mpi, $setting: $(cat out)" grep -qx "$calls calls, 0 wrong" out
  done
  # Groups whose hosts are parts of this one: their leaders exchange messages.
  while read -r name n hosts; do
    python3 -IS "$here/groups.py" "$hosts" > groups.json
    coll=(BERTH_COLL_REPORT=1 "BERTH_GROUPS=$work/groups.json")
    served "$mpi" "$n" "./random.$mpi" "$n" "$calls" > out
    check "$mpi, $name: $(cat out)" grep -qx "$calls calls, 0 wrong" out
    check "$mpi, $name: the groups are used" [ "$(grep -c groups err)" = 0 ]
    check "$mpi, $name: berth serves all: $(cat err)" \
      [ "$(grep -c 'served by berth, 0 by the MPI' err)" = 16 ]
    python3 "$here/tunings.py" "$berth" "$n" "$n" > tuning.json
    for setting in COLL_ONE_COPY=0 COLL_ONE_COPY=1 AGENTS=1; do # overlaps are different
      coll=("BERTH_GROUPS=$work/groups.json" "BERTH_TUNING=$work/tuning.json" "BERTH_$setting" BERTH_COLL_REPORT=1)
      served "$mpi" "$n" "./random.$mpi" "$n" "$calls" > tuned
      check "$mpi, $name, tuned, $setting: $(cat tuned)" grep -qx "$calls calls, 0 wrong" tuned
      check "$mpi, $name, $setting: the tuning is used: $(cat err)" [ "$(grep -c 'TUNING\|isn.t used' err)" = 0 ]
      is "$mpi, $name, $setting: who carries out calls" "$(grep -qE '[1-9][0-9]* by agents' err && echo agents)" \
        "$([ $setting = AGENTS=1 ] && echo agents)"
    done
  done <<'CASES'
block 4 0,1/2,3
cyclic 7 0,4/1,5/2,6/3
unequal 7 6/0,3,5,1/2,4
alone 5 2/4/0/3/1
CASES
done
finish
