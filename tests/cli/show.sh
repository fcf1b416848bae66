#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What `berth show` says of a pattern that is known.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1

cat > app.acp <<'END'
{"format":"berth-pattern","version":1,"ranks":4,"command":["./app","-n","2 x"],"mpi":"Open MPI 4.1.4","created":"2026-11-20T21:00:00Z","unmodelled":[{"op":"MPI_File_read","calls":1},{"op":"MPI_Comm_spawn","calls":4}]}
{"kind":"rank","rank":0,"host":"a","pu":0,"wall_s":10,"mpi_s":5,"unsure_s":2,"core_wait_s":0.75}
{"kind":"rank","rank":1,"host":"a","pu":1,"wall_s":10,"mpi_s":3,"core_wait_s":0}
{"kind":"rank","rank":2,"host":"b","pu":0,"wall_s":10,"mpi_s":1,"core_wait_s":0.25}
{"kind":"rank","rank":3,"host":"b","pu":1,"wall_s":10,"mpi_s":1,"core_wait_s":0}
{"kind":"phase","id":0,"name":"all","repeats":1}
{"kind":"phase","id":2,"name":"exchange","repeats":10}
{"kind":"site","id":1,"op":"MPI_Isend","frames":["exchange halo.c:120","main app.c:44"]}
{"kind":"p2p","phase":0,"site":0,"src":3,"msgs":[[0,0,5]]}
{"kind":"p2p","phase":2,"site":1,"src":0,"msgs":[[1,1000,3],[2,8,2]]}
{"kind":"p2p","phase":2,"site":1,"src":1,"msgs":[[0,1024,1,1020]]}
{"kind":"coll","phase":2,"site":0,"comm":0,"op":"MPI_Allreduce","bytes":8,"count":5,"root":null}
{"kind":"coll","phase":0,"site":0,"comm":0,"op":"MPI_Allreduce","bytes":16,"count":50,"root":null}
{"kind":"rma","phase":0,"site":0,"src":1,"win":0,"sync":"fence","op":"MPI_Put","epochs":10,"msgs":[[1,8,160]]}
{"kind":"rma","phase":2,"site":0,"src":0,"win":0,"sync":"fence","op":"MPI_Put","epochs":2,"msgs":[[1,8,1],[2,10,2]]}
{"kind":"rma","phase":0,"site":1,"src":0,"win":1,"sync":"lock_all","op":"MPI_Rget","epochs":1,"msgs":[[1,8,1]]}
{"kind":"rma","phase":0,"site":0,"src":0,"win":0,"sync":"","op":"MPI_Get","epochs":0,"msgs":[[2,8,3]]}
{"kind":"comm","id":1,"ranks":[3,1,2]}
{"kind":"coll","phase":2,"site":0,"comm":1,"op":"MPI_Alltoallv","bytes":8,"count":5,"root":null,"rank_bytes":[500,100,600]}
{"kind":"coll","phase":0,"site":0,"comm":1,"op":"MPI_Alltoallv","bytes":10,"count":2,"root":null}
{"kind":"row","phase":2,"comm":1,"op":"MPI_Alltoallv","src":3,"rank_bytes":[0,[250,2]]}
{"kind":"site","id":2,"op":"MPI_Allreduce","frames":["norm solve.c:7"]}
{"kind":"site","id":5,"op":"MPI_Recv","frames":["take halo.c:9","main app.c:44"]}
{"kind":"time","op":"MPI_Waitall","total_s":4,"max_s":2.5,"max_rank":0}
{"kind":"time","op":"MPI_Allreduce","total_s":3,"max_s":1.25,"max_rank":1}
{"kind":"time","op":"MPI_Recv","total_s":0.5,"max_s":0.5,"max_rank":2}
{"kind":"time","op":"MPI_Waitall","site":1,"total_s":4,"max_s":2.5,"max_rank":0}
{"kind":"time","op":"MPI_Allreduce","site":2,"comm":0,"total_s":2,"max_s":1,"max_rank":1}
{"kind":"time","op":"MPI_Allreduce","comm":1,"total_s":1,"max_s":0.75,"max_rank":3}
{"kind":"time","op":"MPI_Recv","site":5,"total_s":0.5,"max_s":0.5,"max_rank":2}
{"kind":"end","records":29}
END
check "it is shown" eval '"$berth" show app.acp > out'
says() { check "says: $1" grep -qxF -- "$1" out; }
says "./app -n '2 x'"
says "4 ranks on 2 hosts, Open MPI 4.1.4, 2026-11-20T21:00:00Z"
says "time: 10.00 s, 25.0 to 30.0% of it in MPI"
says "note: in the recorded run rank 0 waited for a core for 7.5% of the time, because other processes or ranks had it. An undisturbed run takes less time."
says "MPI time: 25.0% of the run, 2.500 s a rank on average; rank 0 the most, 5.000 s, rank 2 the least, 1.000 s"
says "  function                    share     average      maximum  at rank   max/avg."
says "  MPI_Waitall                 40.0%     1.000 s      2.500 s        0       2.50"
says "  MPI_Allreduce               30.0%    750.0 ms      1.250 s        1       1.67"
says "  MPI_Recv                     5.0%    125.0 ms     500.0 ms        2       4.00"
says "  (other)                     25.0%    625.0 ms"
says "  40.0%     1.000 s      2.500 s        0       2.50  MPI_Waitall  exchange halo.c:120 < main app.c:44"
says "  MPI_COMM_WORLD          4   20.0%    500.0 ms  MPI_Allreduce 20.0%"
says "  1                       3   10.0%    333.3 ms  MPI_Allreduce 10.0%  (ranks 3, 1, 2)"
check "in descending order" [ "$(grep -oE '^ +[0-9.]+% .* MPI_[A-Z][a-z]+  [a-z]+' out | awk '{ print $NF }' | paste -sd' ')" = "exchange norm take" ]
says "65 messages, 39.41 KiB"
says "  4 of 16 pairs of ranks; a rank sends to 0 to 2 others, 1.0 on average"
says "  a rank sends 9.854 KiB on average; rank 0 the most, 29.45 KiB, rank 2 the least, 0 B"
says "        0 |  @@..  |"
says "          |##      |"
says "       0 -> 1                30 messages    29.30 KiB  74.3%"
says "       3 -> 0                 5 messages          0 B   0.0%"
says "            60 messages    39.41 KiB 100.0%  MPI_Isend  exchange halo.c:120 < main app.c:44"
says "             5 messages          0 B   0.0%  unknown"
says "                       0 B            5 messages          0 B  #######"
says "         8 B to below 16 B           20 messages        160 B  ###########################"
says "     512 B to below 1024 B           30 messages    29.30 KiB  ########################################"
says "    1024 B to below 2048 B           10 messages    9.961 KiB  ##############"
says '  2 "exchange": 10 x (6 messages, 3.941 KiB) = 39.41 KiB, 100.0%'
says "  MPI_Allreduce                       100 calls of 12 B on average"
says "  MPI_Alltoallv                        52 calls of 8.077 B on average"
says "                             rank 2 gave the most, 620 B in all, rank 1 the least, 120 B"
says "                             per-destination amounts are known in 1 case"
says "  window 0, unknown   MPI_Get                         3 operations, 24 B, in 0 epochs"
says "  window 0, fence     MPI_Put                       190 operations, 1.523 KiB, in 30 epochs: 6.333 in each"
says "  window 1, lock_all  MPI_Rget                        1 operation, 8 B, in 1 epoch: 1 in each"
says "  MPI_File_read                         1 call"
says "  MPI_Comm_spawn                        4 calls"

"$berth" show --json --top 1 app.acp > json
check "as JSON" eval 'python3 -m json.tool json > /dev/null'
field() { check "JSON: $1" [ "$(python3 -c "import json; d = json.load(open('json')); print(d$1)")" = "$2" ]; }
field "['messages']" 65
field "['bytes']" 40360
field "['mpi_share']" 0.25
field "['unsure_share']" 0.05
field "['core_wait_share']" 0.025
field "['pairs_total']" 4
field "['pairs']" "[{'src': 0, 'dst': 1, 'messages': 30, 'bytes': 30000}]"
field "['sizes'][0]" "{'least': 0, 'most': 0, 'messages': 5, 'bytes': 0}"
field "['phases'][1]" "{'id': 2, 'name': 'exchange', 'repeats': 10, 'messages': 6, 'bytes': 4036}"
field "['collectives'][0]" "{'op': 'MPI_Allreduce', 'calls': 100, 'bytes': 1200}"
field "['collectives'][1]" "{'op': 'MPI_Alltoallv', 'calls': 52, 'bytes': 420, 'most_rank': 2, 'most_bytes': 620, 'least_rank': 1, 'least_bytes': 120, 'rows': 1}"
field "['one_sided'][1]" "{'win': 0, 'sync': 'fence', 'op': 'MPI_Put', 'operations': 190, 'bytes': 1560, 'epochs': 30}"
field "['unmodelled'][0]" "{'op': 'MPI_Comm_spawn', 'calls': 4}"

field "['mpi_time']['all_s']" 10
field "['mpi_time']['other_s']" 2.5
field "['mpi_time']['functions'][1]" "{'op': 'MPI_Allreduce', 'total_s': 3, 'share': 0.3, 'mean_s': 0.75, 'max_s': 1.25, 'max_rank': 1, 'imbalance': 1.6666666666666667}"
field "['mpi_time']['sites'][2]" "{'id': 5, 'op': 'MPI_Recv', 'total_s': 0.5, 'share': 0.05, 'mean_s': 0.125, 'max_s': 0.5, 'max_rank': 2, 'imbalance': 4, 'max_is_bound': False, 'frames': ['take halo.c:9', 'main app.c:44']}"
field "['mpi_time']['communicators'][1]" "{'id': 1, 'ranks': 3, 'total_s': 1, 'share': 0.1, 'mean_s': 0.3333333333333333, 'functions': [{'op': 'MPI_Allreduce', 'total_s': 1}]}"
field "['sites_total']" 2

# times alone: of one rank, without call sites, communicators that nobody knows
{
  echo '{"format":"berth-pattern","version":1,"ranks":2}'
  for op in Barrier Bcast Gather Scan; do
    for comm in '' '"comm":7,'; do
      echo "{\"kind\":\"time\",\"op\":\"MPI_$op\",$comm\"total_s\":0.5,\"max_s\":0.25,\"max_rank\":0}"
    done
  done
  echo '{"kind":"end","records":8}'
} > times.acp
"$berth" show times.acp > out
says "MPI time: 1.000 s a rank on average"
says "  MPI_Barrier                 25.0%    250.0 ms     250.0 ms        0       1.00"
says "  7                 unknown  100.0%     unknown  MPI_Barrier 25.0%, MPI_Bcast 25.0%, MPI_Gather 25.0%, 1 more"
check "no rest" [ "$(grep -c 'other' out)" = 0 ]
check "no bounds" [ "$(grep -c '>=' out)" = 0 ]
check "no call sites" [ "$(grep -c 'call sites' out)" = 0 ]

# the same rank's most on several communicators is its sum; lines without time say nothing
cat > same.acp <<'END'
{"format":"berth-pattern","version":1,"ranks":2}
{"kind":"time","op":"MPI_Bcast","total_s":1,"max_s":0.75,"max_rank":1}
{"kind":"time","op":"MPI_Bcast","site":1,"comm":1,"total_s":0.5,"max_s":0.5,"max_rank":1}
{"kind":"time","op":"MPI_Bcast","site":1,"comm":2,"total_s":0.5,"max_s":0.25,"max_rank":1}
{"kind":"time","op":"MPI_Bcast","site":1,"comm":3,"total_s":0,"max_s":0,"max_rank":0}
{"kind":"time","op":"MPI_Reduce","total_s":6.5,"max_s":3.5,"max_rank":1}
{"kind":"time","op":"MPI_Reduce","site":3,"comm":1,"total_s":2,"max_s":1,"max_rank":0}
{"kind":"time","op":"MPI_Reduce","site":3,"comm":2,"total_s":2,"max_s":1.5,"max_rank":1}
{"kind":"time","op":"MPI_Reduce","site":3,"comm":3,"total_s":2,"max_s":1.0625,"max_rank":0}
{"kind":"time","op":"MPI_Reduce","site":4,"comm":3,"total_s":0.5,"max_s":0.5,"max_rank":0}
{"kind":"end","records":9}
END
"$berth" show --top 2 same.acp > out
says "  MPI_Bcast                   13.3%    500.0 ms     750.0 ms        1       1.50"
says "  MPI_Reduce                  86.7%     3.250 s      3.500 s        1       1.08"
says "  80.0%     3.000 s >=   3.000 s  unknown >=    1.00  MPI_Reduce  unknown"
says "  13.3%    500.0 ms     750.0 ms        1       1.50  MPI_Bcast  unknown"
says "  ... and 1 more call site (--top)"
says "  >=: at least. Different ranks spent the most time on different communicators."

"$berth" show --phase exchange --top 1 app.acp > out
says "60 messages, 39.41 KiB"
says "  ... and 2 more pairs (--top)"
check "times are of the whole run" [ "$(grep -c 'MPI time' out)" = 0 ]
says "  window 0, fence     MPI_Put                        30 operations, 280 B, in 20 epochs: 1.5 in each"
says "  MPI_Comm_spawn                        4 calls"
expect 2 "berth show: --phase x: found 0 phases of that name, expected one, or its number; there are 0 \"all\", 2 \"exchange\"" \
  "$berth" show --phase x app.acp

# many ranks: a character stands for several
{
  echo '{"format":"berth-pattern","version":1,"ranks":1000}'
  for r in $(seq 0 999); do echo "{\"kind\":\"p2p\",\"src\":$r,\"msgs\":[[$(((r + 1) % 1000)),100,1]]}"; done
  echo '{"kind":"end","records":1000}'
} > ring.acp
"$berth" show ring.acp > out
says "times: unknown"
says "  1000 of 1000000 pairs of ranks; a rank sends to 1 other"
check "32 rows" [ "$(grep -c '|$' out)" = 32 ]
check "of 64 columns" [ "$(grep '|$' out | awk '{ sub(/^[^|]*/, ""); print length }' | sort -u)" = 66 ]
check "the next ones are beside the diagonal" grep -qxF "        0 |@@.$(printf '%61s')|" out
check "and the first one's in the corner" grep -qxF "          |.$(printf '%61s')@@|" out

# nothing in it, and bad input
printf '%s\n' '{"format":"berth-pattern","version":1,"ranks":1}' '{"kind":"end","records":0}' > empty.acp
check "an empty one" eval '"$berth" show empty.acp > out'
says "0 messages, 0 B"
head -n 5 app.acp > cut.acp
expect 3 "berth show: cut.acp:5: found the end of the file, expected a line of kind \"end\": the file is truncated (--truncated takes what is there)" \
  "$berth" show cut.acp
check "what is there of a cut one" eval '"$berth" show --truncated cut.acp > out 2> said'
expect 4 "berth show: nofile: cannot open: No such file or directory" "$berth" show nofile
"$berth" show > out 2>&1
check "no pattern exits 2" [ $? = 2 ]
check "no pattern" grep -q "expected a pattern" out
"$berth" show app.acp b > out 2>&1
check "two patterns exit 2" [ $? = 2 ]
check "two patterns" grep -q "found 'b' behind 'app.acp', expected one name" out
printf '%s\n' '{"format":"berth-pattern","version":1,"ranks":2}' \
  '{"kind":"rma","phase":0,"src":0,"win":0,"sync":"fence","op":"MPI_Put","epochs":2,"msgs":[[1,8,246914]]}' '{"kind":"end","records":1}' > many.acp
check "a mean without an exponent" grep -q "246914 operations, 1.884 MiB, in 2 epochs: 123457 in each$" <("$berth" show many.acp)
finish
