#!/usr/bin/env bash
# The one-sided library in a job: its settings, threads, errors, Fortran, and beside the others.
. "$BERTH_SOURCE_DIR/tests/rma/lib.sh"
said() { grep -qE "$1" err || { cat err; return 1; }; }
silent() { ! grep -q berth-rma err || { cat err; return 1; }; }
with() { rma=("$@"); }
cat > none.c <<'C'
#include <errno.h>
int memfd_create(const char *name, unsigned flags) { errno = EPERM; return -1; }
C
gcc -shared -fPIC -w -o none.so none.c || exit 1
python3 -IS "$groups" 0/1 > two.json
python3 -IS "$groups" 0,1/2,3 > four.json

for mpi in $mpis; do
  compile "$mpi" "$here/sum.c" "sum.$mpi"
  run() { served "$mpi" 2 "./sum.$mpi" > out; }
  with; run
  check "$mpi: the result" grep -qx right out
  check "$mpi: nothing is said" silent
  with BERTH_RMA_REPORT=1; run
  check "$mpi: the window is served" said '^berth-rma: 2 windows served by berth, on all ranks$'
  check "$mpi: where operations go" said '^berth-rma: [1-9][0-9]* operations on memory that ranks share, on all ranks$'
  with BERTH_RMA_REPORT=1 "BERTH_GROUPS=$work/two.json"; run
  check "$mpi, two hosts: the result" grep -qx right out
  check "$mpi, two hosts: messages" said '^berth-rma: [1-9][0-9]* operations in messages, on all ranks$'
  with BERTH_RMA_REPORT=1 BERTH_RMA=0; run
  check "$mpi, switched off: the result" grep -qx right out
  check "$mpi, switched off: no report" silent
  with BERTH_RMA=yes BERTH_RMA_STRATEGY=busy BERTH_RMA_BYTES=0 BERTH_RMA_PATIENCE=-1 BERTH_COPY=memmove:8; run
  check "$mpi, wrong settings: the result" grep -qx right out
  check "$mpi, wrong settings, one line each" [ "$(grep -c ^berth-rma: err)" = 5 ]
  check "$mpi: a wrong switch" said '^berth-rma: BERTH_RMA: found "yes", expected 0 or 1; taken as 1$'
  check "$mpi: a wrong strategy" said '^berth-rma: BERTH_RMA_STRATEGY: found "busy", expected hybrid, lazy or eager; taken as hybrid$'
  check "$mpi: a wrong kernel" said '^berth-rma: BERTH_COPY: found "memmove:8", expected a kernel of this processor and '
  check "$mpi: wrong bytes" said '^berth-rma: BERTH_RMA_BYTES: found "0", expected a number from 1 to [0-9]+; berth chooses$'
  before=$work/none.so:
  with BERTH_RMA_REPORT=1; run
  before=''
  check "$mpi, no memory to share: the result" grep -qx right out
  check "$mpi, no memory to share" said '^berth-rma: rank [01]: cannot share memory on its host: Operation not permitted; the MPI serves this window$'
  check "$mpi, no memory to share: the MPI serves" said '^berth-rma: 2 windows served by the MPI, on all ranks$'

  compile "$mpi" "$here/threads.c" "threads.$mpi" -lpthread
  for hosts in one four; do
    with; [ "$hosts" = four ] && with "BERTH_GROUPS=$work/four.json"
    served "$mpi" 4 "./threads.$mpi" 20 > out
    check "$mpi, threads, hosts: $hosts: $(cat out err)" grep -q '^4 ranks, 4 threads each, 20 rounds' out
  done

  # More than an MPI has under way at a time (flood.c).
  compile "$mpi" "$here/flood.c" "flood.$mpi"
  python3 -IS "$groups" 0/1 > flood.json
  for strategy in hybrid lazy; do
    with "BERTH_GROUPS=$work/flood.json" "BERTH_RMA_STRATEGY=$strategy"; served "$mpi" 2 "./flood.$mpi" > out
    check "$mpi, flood, $strategy: $(cat out err)" grep -qx right out
  done

  # Who has a lock doesn't wait behind those who wait for it (turns.c), wherever they are.
  compile "$mpi" "$here/turns.c" "turns.$mpi"
  for hosts in 0,1,2,3 0,1/2,3 0,3/1,2 0/1/2/3; do
    python3 -IS "$groups" "$hosts" > turns.json
    with "BERTH_GROUPS=$work/turns.json"; served "$mpi" 4 timeout 60 "./turns.$mpi" > out
    check "$mpi, turns, hosts $hosts: $(cat out err)" grep -qx right out
  done

  # Windows in memory of MPI_Alloc_mem (alloc.c).
  compile "$mpi" "$here/alloc.c" "alloc.$mpi"
  with BERTH_RMA_REPORT=1; served "$mpi" 4 "./alloc.$mpi" > out
  check "$mpi, MPI_Alloc_mem: $(cat out)" grep -qx right out
  check "$mpi, MPI_Alloc_mem: ranks share it: $(cat err)" said '^berth-rma: [1-9][0-9]* operations on memory that ranks share'
  with "BERTH_GROUPS=$work/four.json"; served "$mpi" 4 "./alloc.$mpi" > out
  check "$mpi, MPI_Alloc_mem, two hosts: $(cat out err)" grep -qx right out

  # The library beside the tracer and the collective library, in two orders.
  for order in trace,coll coll,trace; do
    before="$lib/$mpi/libberth-${order%,*}.so:$lib/$mpi/libberth-${order#*,}.so:"
    with BERTH_RMA_REPORT=1 "BERTH_TRACE_FILE=$work/$mpi.acp"; run
    check "$mpi, behind $order: the result" grep -qx right out
    check "$mpi, behind $order: it serves: $(cat err)" said '^berth-rma: 2 windows served by berth'
    before=''
  done
  check "$mpi: the tracer has the operations" bash -c "'$berth' show '$mpi.acp' | grep -q MPI_Put"

  # Wrong programs (wrong.c): the class of the error, and a text that says what was found.
  compile "$mpi" "$here/wrong.c" "wrong.$mpi"
  while read -r name class text; do
    with; served "$mpi" 2 "./wrong.$mpi" "$name" > out
    check "$mpi, wrong: $name: $(cat out)" grep -qE "^$name: $class: $text" out
  done <<'CASES'
no_epoch MPI_ERR_RMA_SYNC MPI_Put: found no epoch in which this rank may access the target, expected one of a fence, MPI_Win_start or MPI_Win_lock
outside_start MPI_ERR_RMA_SYNC MPI_Put: found a target that MPI_Win_start didn't name, expected one of its group
rank_out_of_range MPI_ERR_RANK MPI_Put: found target rank 2, expected one from 0 to 1
disp_negative MPI_ERR_DISP MPI_Put: found bytes -8 to -1 of rank 1's window, expected some from 0 to 4095
partly_beyond MPI_ERR_RMA_RANGE MPI_Put: found bytes 4088 to 4103 of rank 1's window, expected some from 0 to 4095
unlock_without_lock MPI_ERR_RMA_SYNC MPI_Win_unlock: found a target that this rank hasn't locked, expected one that it has
fence_in_lock MPI_ERR_RMA_SYNC MPI_Win_fence: found an access epoch that is open, expected none
sizes_differ MPI_ERR_TRUNCATE MPI_Put: found 24 bytes of data at the origin and 16 at the target, expected the same number
op_of_other_type MPI_ERR_OP MPI_Accumulate: found an operation that isn't defined for the target's datatype
swap_double MPI_ERR_TYPE MPI_Compare_and_swap: found a datatype that can't be compared, expected an integer, MPI_BYTE or a logical type
free_in_epoch MPI_ERR_RMA_SYNC MPI_Win_free: found an access epoch that is open, expected none
attach_twice MPI_ERR_RMA_ATTACH MPI_Win_attach: found memory at 0x[0-9a-f]+ of which some is attached already
unattached MPI_ERR_RMA_RANGE MPI_Put: found 8 bytes at address 0x[0-9a-f]+ of rank 1, expected memory that it has attached
CASES
  with "BERTH_GROUPS=$work/two.json"; served "$mpi" 2 "./wrong.$mpi" unattached > out
  check "$mpi, wrong: unattached, told by the target: $(cat out)" grep -qE '^unattached: MPI_ERR_RMA_RANGE: ' out

  if command -v "mpifort.$mpi" > /dev/null; then
    for binding in MPI F08; do
      "mpifort.$mpi" -w "-D$binding" -o "fence.$mpi" "$here/fence.F90" || exit 1
      with BERTH_RMA_REPORT=1; served "$mpi" 2 "./fence.$mpi" > out
      check "$mpi, Fortran, $binding: $(cat out)" grep -q right out
      check "$mpi, Fortran, $binding: it serves: $(cat err)" said '^berth-rma: 2 windows served by berth'
    done
  fi
done
finish
