#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# How long each rank waited for a core outside of MPI calls, in the trace. Two ranks share one, so
# that each waits while the other computes. A rank that spins in MPI waits for it, too, which doesn't
# count. The program reads the system's count just inside and just outside of what the tracer sees.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
idle= # ranks shall spin while they wait in MPI

cpu=$(taskset -cp $$ | grep -oE '[0-9]+' | sed -n 2p)
slack=20000000 # the program may lose its core just outside of a call
for mpi in $mpis; do
  compile "$mpi" "$here/core_wait.c" "core_wait.$mpi"
  for what in alike meets; do
    mkdir "$mpi.$what"
    check "$mpi, $what: it runs" \
      traced "$mpi" 2 "$what.acp" taskset -c "$cpu" "./core_wait.$mpi" $what "$mpi.$what"
    for rank in 0 1; do
      read -r least most < "$mpi.$what/$rank"
      found=$(acp core_wait "$what.acp" $rank)
      if [ "$least" = -1 ]; then
        check "$mpi, $what, rank $rank: the system doesn't say, nor does the trace: $found" [ "$found" = None ]
      else
        check "$mpi, $what, rank $rank: $found s, the system says $least to $most ns" \
          python3 -c "exit(not $least - $slack <= $found * 1e9 <= $most + $slack)"
      fi
    done
  done
  if [ "$least" != -1 ]; then
    read -r least most < "$mpi.alike/0"
    check "$mpi: about as long as the other computed" [ "$least" -gt 150000000 ]
    check "$mpi: berth show says so" \
      grep -q '^note: in the recorded run rank [01] waited for a core for' <("$berth" show alike.acp)
  fi
  check "$mpi: no times" \
    traced "$mpi" 2 none.acp --no-times taskset -c "$cpu" "./core_wait.$mpi" alike "$mpi.alike"
  check "$mpi: none at all: $(acp core_wait none.acp 0)" [ "$(acp core_wait none.acp 0)" = None ]
done
finish
