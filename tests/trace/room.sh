#!/usr/bin/env bash
# Tables that are full: pairs of ranks stay exact, and what has no room at all is reported.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"

sum() { awk '{ m += $3; b += $4 } END { print m + 0, b + 0 }'; } # of pairs
operations() { awk '$1 == "rma" { n += $NF; b += $(NF - 1) * $NF } END { print n + 0, b + 0 }'; }
# reported WORD: messages and bytes of the line with this word
reported() { sed -n "s/.*$1.*: \([0-9]*\) (bytes: \([0-9]*\)).*/\1 \2/p" err; }

# of_threads: how many the line says are missing
of_threads() { sed -n 's/^berth: .*for their tables.*: threads: \([0-9]*\)$/\1/p' err; }

# 10 phases x 100 sizes: 1,000 messages of 50,500 bytes for each pair
for src in 0 1 2 3; do
  for dst in 0 1 2 3; do echo "$src $dst 1000 50500"; done
done > pairs
for mpi in $mpis; do
  compile "$mpi" "$here/room.c" "room.$mpi"
  traced "$mpi" 4 all.acp --memory 4MiB "./room.$mpi" 10 100 1
  check "$mpi: enough memory is quiet" [ "$(wc -l < err)" -eq 1 ]
  acp pairs all.acp > got
  check "$mpi: enough memory" same pairs got
  traced "$mpi" 4 small.acp --memory 256K "./room.$mpi" 10 100 1
  acp pairs small.acp > got
  check "$mpi: each pair's messages and bytes with little memory" same pairs got
  check "$mpi: nothing is lost" [ -z "$(reported "not included")" ]
  read -r messages bytes <<< "$(reported "source and destination only")"
  check "$mpi: kinds that had room are there, others not" \
    [ "$(acp phases small.acp | wc -l)" -lt "$(acp phases all.acp | wc -l)" ]
  check "$mpi: the line says how many are coarse" [ "${messages:-0}" -gt 1000 ]
  check "$mpi: and their bytes" [ "${bytes:-0}" -gt "$messages" ]

  # one-sided operations take no room that is kept for messages; what has none is reported
  traced "$mpi" 4 puts.acp --memory 256K "./room.$mpi" 10 100 1 puts
  acp pairs puts.acp > got
  check "$mpi: each pair's messages and bytes beside operations" same pairs got
  read -r messages bytes <<< "$(acp lines puts.acp | operations)"
  read -r lost lost_bytes <<< "$(reported "no memory left): messages")"
  check "$mpi: some operations are there" [ "$messages" -gt 0 ]
  check "$mpi: and some are lost" [ "${lost:-0}" -gt 0 ]
  check "$mpi: all operations" [ $((messages + lost)) -eq 16000 ]
  check "$mpi: and all their bytes" [ $((bytes + lost_bytes)) -eq 808000 ]

  # 8 threads: there isn't even room for all pairs
  traced "$mpi" 2 threads.acp --memory 256K "./room.$mpi" 3 100 8
  read -r messages bytes <<< "$(acp pairs threads.acp | sum)"
  read -r lost lost_bytes <<< "$(reported "no memory left): messages")"
  check "$mpi: some messages are lost" [ "${lost:-0}" -gt 0 ]
  check "$mpi: what is there and what is lost are all messages" [ $((messages + lost)) -eq 9600 ]
  check "$mpi: and all bytes" [ $((bytes + lost_bytes)) -eq 484800 ]
  check "$mpi: all threads have tables" [ -z "$(of_threads)" ]

  # 300 threads at the same time: the tables of 255 fit into a block, and there is no second one
  # (they end at once, and UCX, told of each stack that is unmapped, spins for a minute)
  UCX_MEM_EVENTS=no traced "$mpi" 1 many.acp --memory 256K "./room.$mpi" 1 1 300
  read -r messages _ <<< "$(acp pairs many.acp | sum)"
  read -r lost _ <<< "$(reported "no memory left): messages")"
  check "$mpi: threads without tables are reported" [ "$(of_threads)" -eq 45 ]
  check "$mpi: all messages of the others" [ $((messages + ${lost:-0})) -eq 255 ]
done
finish
