#!/usr/bin/env bash
# Where the time in MPI goes: by function, call site and communicator, it adds up to the ranks' times.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"

# of_waits: functions, ranks of their communicators and the callers of the long calls
of_waits() { grep -v ^MPI_Send | sed -nE 's/^(MPI_[A-Z][a-z]+ [0-9,-]+) MPI_[A-Za-z]+ (wait[a-z_]+|receives) .*/\1 \2/p' | sort -u; }

for mpi in $mpis; do
  compile "$mpi" "$here/spent.c" "spent.$mpi" -fno-inline -fno-optimize-sibling-calls
  traced "$mpi" 4 spent.acp "./spent.$mpi"
  acp spent spent.acp > got
  check "$mpi: functions, communicators and sites" same <(of_waits < got) - << 'WAITS'
MPI_Allreduce 0,1,2,3 waits_for_all
MPI_Barrier 0,1 waits_in_rows
MPI_Barrier 2,3 waits_in_rows
MPI_Recv - receives
MPI_Waitall - waits_for_requests
WAITS
  check "$mpi: a site is as deep as others" [ "$(grep -cE '^MPI_Waitall .* waits_for_requests .* < waits_t?here ' got)" = 2 ]
  traced "$mpi" 4 none.acp --sites 0 "./spent.$mpi"
  acp spent none.acp > got
  check "$mpi, without sites: functions and communicators" [ "$(grep -cE ' -$' got)" = "$(wc -l < got)" ]
  check "$mpi, without sites: a line for each row" [ "$(grep -c "MPI_Barrier [0-9]" got)" = 2 ]
  traced "$mpi" 4 off.acp --no-times "./spent.$mpi"
  check "$mpi, without times: none" [ "$(grep -c '"kind":"time"' off.acp)" = 0 ]
  check "$mpi, without times: no other sites" same <(acp sites spent.acp) <(acp sites off.acp)
done
finish
