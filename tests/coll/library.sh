#!/usr/bin/env bash
# The collective library in a job: its settings, Fortran, beside the tracer, without shared memory,
# and when a rank is late or dies.
. "$BERTH_SOURCE_DIR/tests/coll/lib.sh"
trace=$BERTH_SOURCE_DIR/tests/trace
# A system that has no memory to share: preloaded.
cat > none.c <<'C'
#include <errno.h>
int memfd_create(const char *name, unsigned flags) { errno = EPERM; return -1; }
C
gcc -shared -fPIC -w -o none.so none.c || exit 1
said() { grep -qE "$1" err || { cat err; return 1; }; }
silent() { ! grep -q berth-coll err || { cat err; return 1; }; }
with() { coll=("$@"); }

for mpi in $mpis; do
  compile "$mpi" "$here/modes.c" "modes.$mpi" -lm
  run() { served "$mpi" 4 "./modes.$mpi" "$1" > out; } # MODE

  with; run sum
  check "$mpi: the result" grep -qx right out
  check "$mpi: nothing is said" silent
  with BERTH_COLL_REPORT=1; run sum
  check "$mpi: all calls are served" said '^berth-coll: MPI_Allreduce: 400 calls served by berth, 0 by the MPI, on all ranks$'
  with BERTH_COLL_REPORT=1 BERTH_COLL=0; run sum
  check "$mpi, switched off: the result" grep -qx right out
  check "$mpi, switched off: no report" silent
  with BERTH_COLL=yes BERTH_COLL_REPORT=2 BERTH_COLL_PATIENCE=-3; run sum
  check "$mpi: wrong settings, one line each" [ "$(grep -c ^berth-coll: err)" = 3 ]
  check "$mpi: a wrong switch" said '^berth-coll: BERTH_COLL: found "yes", expected 0 or 1; taken as 1$'
  check "$mpi: a wrong patience" said '^berth-coll: BERTH_COLL_PATIENCE: found "-3", expected seconds, at least 0 and below 1e9; taken as 0$'
  with; run structs
  check "$mpi, structures with gaps: $(cat out)" grep -qx right out
  with; run threads
  check "$mpi, threads with communicators of their own: $(cat out)" grep -qx right out
  with BERTH_COLL_REPRODUCIBLE=1; run sums
  check "$mpi, reproducible: sums are within the rounding: $(cat out)" grep -qx right out
  with BERTH_COLL_REPORT=1; run unserved
  check "$mpi, what isn't served: the result" grep -qx right out
  check "$mpi, what isn't served" said '^berth-coll: MPI_Allreduce: 400 calls served by berth, 4 by the MPI'
  check "$mpi, between two groups" said '^berth-coll: MPI_Barrier: 4 calls served by berth, 4 by the MPI'

  with BERTH_COLL_REPORT=1; run early
  check "$mpi, new communicators: the result" grep -qx right out
  check "$mpi, new communicators: served from the fourth call on" said '^berth-coll: MPI_Allreduce: 412 calls served by berth, 12 by the MPI'
  check "$mpi, new communicators: a long call is served" said '^berth-coll: MPI_Allgather: 4 calls served by berth, 0 by the MPI'
  for first in 1/424/0 3/416/8 7/400/24; do
    IFS=/ read -r call served passed <<< "$first"
    with BERTH_COLL_REPORT=1 "BERTH_COLL_FIRST_CALL=$call"; run early
    check "$mpi, served from call $call on" said "^berth-coll: MPI_Allreduce: $served calls served by berth, $passed by the MPI"
  done
  with BERTH_COLL_FIRST_CALL=0; run sum
  check "$mpi, a wrong first call" said '^berth-coll: BERTH_COLL_FIRST_CALL: found "0", expected a number from 1 to 2147483647; taken as 4$'

  with; run errors
  check "$mpi, what the MPI refuses: $(cat out)" grep -qx right out

  with BERTH_GROUPS=/nowhere/groups.json; run sum
  check "$mpi, no groups: the result" grep -qx right out
  check "$mpi, no groups" said '^berth-coll: BERTH_GROUPS: /nowhere/groups.json: cannot open: No such file or directory; it isn.t used$'
  python3 -IS "$here/groups.py" 0,2/1 > groups.json
  with "BERTH_GROUPS=$work/groups.json"; run sum
  check "$mpi, another job's groups: the result" grep -qx right out
  check "$mpi, another job's groups" said "^berth-coll: BERTH_GROUPS: $work/groups.json: ranks: found 3, expected 4, the job's ranks; it isn't used$"

  [ -p pipe ] || mkfifo pipe
  with "BERTH_GROUPS=$work/pipe"; run sum
  check "$mpi, groups in a pipe" said "^berth-coll: BERTH_GROUPS: $work/pipe: found no regular file, expected one; it isn't used$"

  before=$work/none.so:
  with BERTH_COLL_REPORT=1; run sum
  before=''
  check "$mpi, no memory to share: the result" grep -qx right out
  check "$mpi, no memory to share: said once" [ "$(grep -c 'cannot share memory' err)" = 1 ]
  check "$mpi, no memory to share" said '^berth-coll: rank 0: cannot share memory on its host: Operation not permitted; the MPI serves these calls$'
  check "$mpi, no memory to share: the MPI serves" said '^berth-coll: MPI_Allreduce: 0 calls served by berth, 400 by the MPI'
  with; run limit
  check "$mpi, a limit of files: the result" grep -qx right out
  check "$mpi, a limit of files" said '^berth-coll: rank 0: cannot share memory on its host: File too large; the MPI serves these calls$'

  with BERTH_COLL_PATIENCE=0.2; run late
  check "$mpi, a late rank: the result" grep -qx right out
  check "$mpi, a late rank" said '^berth-coll: rank [0-2] has waited for rank 3 for 0.2 s in MPI_Barrier at 0x[0-9a-f]+$'
  with; ls /dev/shm > shm.before; code=0
  served "$mpi" 4 timeout 60 "./modes.$mpi" die > out || code=$?
  check "$mpi, a rank dies: the job ends with $code" [ "$code" != 0 ]
  ls /dev/shm > shm.after
  check "$mpi, a rank dies: nothing of berth's is left" [ "$(diff shm.before shm.after | grep -c berth)" = 0 ]
  check "$mpi, a rank dies: nobody goes on" [ "$(grep -c right out)" = 0 ]

  # Beside the tracer, which is first: the pattern is the tracer's alone.
  compile "$mpi" "$trace/own.c" "own.$mpi"
  rm -f ./*.acp
  for alone in 1 0; do
    before=$lib/$mpi/libberth-trace.so:
    with BERTH_TRACE_TIMES=0 "BERTH_TRACE_FILE=$work/$alone.acp" BERTH_COLL_REPORT=1 BERTH_COLL_FIRST_CALL=1 "BERTH_COLL=$((1 - alone))"
    served "$mpi" 2 "./own.$mpi" file > out
    before=''
    grep -vE '^\{"(format"|kind":"rank")' "$alone.acp" > "pattern.$alone"
  done
  check "$mpi, beside the tracer: the same pattern" same pattern.1 pattern.0
  check "$mpi, beside the tracer: served" said '^berth-coll: MPI_Allreduce: [1-9][0-9]* calls served by berth, 0 by the MPI'

  for binding in MPIFH MODULE F08; do
    "mpifort.$mpi" -w -fallow-argument-mismatch "-D$binding" -o own "$trace/own.F90" || exit 1
    with BERTH_COLL_REPORT=1
    served "$mpi" 2 ./own file > out
    check "$mpi, $binding: served" said '^berth-coll: MPI_Allreduce: 6 calls served by berth, 0 by the MPI'
  done
  case $mpi in openmpi) launcher=mpirun.openmpi ;; *) launcher=mpiexec.mpich ;; esac
  BERTH_COLL_REPORT=1 "$berth" run --collectives --cache "$work/cache" -- "$launcher" -n 2 "./modes.$mpi" > out 2> err
  check "$mpi, berth run: the result" grep -qx right out
  check "$mpi, berth run: served" said '^berth-coll: MPI_Allreduce: 200 calls served by berth, 0 by the MPI'
  check "$mpi: other programs" [ "$(LD_PRELOAD=$lib/$mpi/libberth-coll.so echo yes)" = yes ]
done
expect 2 'berth run: --agents: found no launcher of Open MPI or MPICH in the command, expected mpirun or mpiexec' \
  "$berth" run --agents --cache "$work/cache" -- ./modes.openmpi
expect 2 'berth run: --collectives: found no launcher of Open MPI or MPICH in the command, expected mpirun or mpiexec' \
  "$berth" run --collectives --cache "$work/cache" -- ./modes.openmpi
finish
