#!/usr/bin/env bash
# Random one-sided epochs (random.c) against a sequential model, within a host and between parts of it
# that count as hosts, by each strategy. Neither MPI passes all of them alone.
. "$BERTH_SOURCE_DIR/tests/rma/lib.sh"
epochs=$(rounds_of 60)
# What a program may do though one of the MPIs does it wrong (random.c).
every=+late,+high,+logical,+one_rank,+odd_base,+odd_size,+successive,+lock_nocheck,+local_results
every+=,+rget_results,+derived_fetch,+overflows,+pairs,+self_atomic,+ordered_swap,+pscw_nocheck
every+=,+backward,+query
# Windows of MPI_Win_allocate_shared on several of these hosts are the MPI's, which fails in some.
served_kinds=$every,-shared

# right NAME MPI N SEED KINDS
right() {
  served "$2" "$3" "./random.$2" "$4" "$epochs" "$5" > out
  check "$1: $(tail -4 out) $(cat err)" grep -qE "^$epochs epochs, [0-9]+ operations$" out
}

# Kernels copy what else memcpy would (docs/node.md).
kernel=four-streams; [ "$(uname -m)" = x86_64 ] && kernel=nt
for mpi in $mpis; do
  compile "$mpi" "$here/random.c" "random.$mpi" "$here"/random_*.c -lm
  for n in 1 2 4; do
    rma=(BERTH_RMA_REPORT=1)
    right "$mpi, $n ranks" "$mpi" "$n" "$n" "$every"
    check "$mpi, $n ranks: berth serves all: $(cat err)" [ "$(grep -c 'served by the MPI' err)" = 0 ]
  done
  while read -r name n hosts strategy; do
    python3 -IS "$groups" "$hosts" > groups.json
    rma=("BERTH_GROUPS=$work/groups.json" "BERTH_RMA_STRATEGY=$strategy" BERTH_RMA_REPORT=1)
    right "$mpi, $name, $strategy" "$mpi" "$n" 5 "$served_kinds"
    check "$mpi, $name: messages are sent: $(cat err)" grep -qE '^berth-rma: [1-9][0-9]* messages' err
  done <<'CASES'
block 4 0,1/2,3 hybrid
cyclic 4 0,2/1,3 lazy
alone 3 2/0/1 eager
unequal 5 4,0,1/3/2 hybrid
CASES
  rma=("BERTH_COPY=$kernel:1")
  right "$mpi, copies by $kernel" "$mpi" 3 8 "$every"
  check "$mpi, copies by $kernel: nothing is said: $(cat err)" [ ! -s err ]
  rma=(BERTH_RMA_ONE_COPY=0)
  right "$mpi, no copies by the system" "$mpi" 3 7 "$every"
done
finish
