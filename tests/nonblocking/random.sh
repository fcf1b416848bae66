#!/usr/bin/env bash
# Non-blocking and persistent collective calls of both MPIs: random ones (random_requests.c), ranks
# that are late (late.c), and Fortran (fortran_requests.F90). The MPIs alone do them right, so they
# must be right with berth's collective library, too, on one host and on several, with and without
# its own processes.
. "$BERTH_SOURCE_DIR/tests/coll/lib.sh"
groups=$here/groups.py
here=$BERTH_SOURCE_DIR/tests/nonblocking
steps=$(rounds_of 400)
seeds=1
all_rounds && seeds='1 2'
export BERTH_COLL_FIRST_CALL=1

# right NAME LINE: the job has printed this line, and nothing went wrong.
right() { check "$1: $(cat out) $(grep -v ': links between\|calls served by' err)" grep -qxE "$2" out; }
# random NAME MPI N SEED: with what `coll` says.
random() {
  served "$2" "$3" "./random.$2" "$4" "$steps" > out
  right "$1" '[1-9][0-9]* calls and [0-9]+ starts, 0 wrong'
}
# alone MPI N COMMAND…: without berth.
alone() { launch "$@" > out 2> err < /dev/null; }
hosts() { # LIST, or nothing
  [ -z "$1" ] && return
  python3 -IS "$groups" "$1" > groups.json
  coll+=("BERTH_GROUPS=$work/groups.json")
}

for mpi in $mpis; do
  compile "$mpi" "$here/random_requests.c" "random.$mpi" "$here"/requests_*.c
  compile "$mpi" "$here/late.c" "late.$mpi"
  for seed in $seeds; do
    for n in 1 2 3 5 8; do
      if all_rounds || [ "$n" = 3 ]; then # it is the program that this tests
        alone "$mpi" "$n" "./random.$mpi" $((100 * n + seed)) "$steps"
        right "$mpi, $n ranks, without berth" '[1-9][0-9]* calls and [0-9]+ starts, 0 wrong'
      fi
      if all_rounds || [ "$n" = 2 ] || [ "$n" = 5 ]; then
        coll=(BERTH_COLL_REPORT=1)
        random "$mpi, $n ranks" "$mpi" "$n" $((200 * n + seed))
        check "$mpi, $n ranks: the library is there: $(cat err)" \
          grep -qE '^berth-coll: MPI_[A-Za-z]+: [1-9][0-9]* calls served by berth' err
      fi
      coll=(BERTH_AGENTS=1)
      random "$mpi, $n ranks, agents" "$mpi" "$n" $((300 * n + seed))
    done
    # Groups whose hosts are parts of this one.
    while read -r name n list; do
      coll=(BERTH_COLL_REPORT=1); hosts "$list"
      if all_rounds || [ "$name" = unequal ]; then
        random "$mpi, $name" "$mpi" "$n" $((400 * n + seed))
        check "$mpi, $name: the groups are used: $(cat err)" [ "$(grep -c BERTH_GROUPS err)" = 0 ]
      fi
      coll=(BERTH_AGENTS=1 BERTH_COLL_REPORT=1); hosts "$list"
      random "$mpi, $name, agents" "$mpi" "$n" $((500 * n + seed))
      for function in I{barrier,bcast,{all,}reduce,gather{,v},scatter{,v},allgather{,v},alltoall{,v}} \
        {Barrier,Bcast,Allreduce,Allgatherv,Alltoall}_init; do
        check "$mpi, $name: agents serve MPI_$function: $(cat err)" \
          grep -qE "^berth-coll: MPI_$function: [1-9][0-9]* calls served by berth" err
      done
    done <<'CASES'
block 4 0,1/2,3
turns 8 0,2,4,6/1,3,5,7
unequal 7 6/0,3,5,1/2,4
one-each 3 2/0/1
CASES
  done

  # Late ranks, without berth and with it on one host and on two.
  if all_rounds; then
    alone "$mpi" 3 "./late.$mpi"
    right "$mpi, late ranks, without berth" right
    coll=()
    served "$mpi" 3 "./late.$mpi" > out
    right "$mpi, late ranks" right
  fi
  for list in '' 0,2/1,3,4; do
    coll=(BERTH_AGENTS=1); hosts "$list"
    n=$([ -z "$list" ] && echo 3 || echo 5)
    served "$mpi" "$n" "./late.$mpi" > out
    right "$mpi, late ranks, agents, hosts ${list:-all}" right
  done

  for binding in MPIFH MODULE F08; do
    options=(-w -g -fallow-argument-mismatch -ffree-line-length-none "-D$binding")
    [ "$mpi" = openmpi ] && options+=(-DOPENMPI)
    "mpifort.$mpi" "${options[@]}" -o fortran "$here/fortran_requests.F90" 2> err ||
      { cat err; exit 1; }
    if all_rounds; then
      alone "$mpi" 3 ./fortran
      right "$mpi, $binding, without berth" right
    fi
    for list in '' 0,2/1; do
      coll=(BERTH_AGENTS=1); hosts "$list"
      served "$mpi" 3 ./fortran > out
      right "$mpi, $binding, agents, hosts ${list:-all}" right
    done
  done
done
finish
