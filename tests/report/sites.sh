#!/usr/bin/env bash
# Call sites behind a port and a pair that is clicked, in a real Chromium: of messages, of pairs with
# many call sites, of collective calls, of calls that the models count, and of groups of ranks.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
here=$BERTH_SOURCE_DIR/tests/report
. "$here/lib.sh"
. "$here/small.sh"
cd "$work" || exit 1

cp "$BERTH_SOURCE_DIR/testbed/topology.json" t.json
# rank 0 sends 1,000 to 6,000 bytes to rank 15 from six call sites, each rank 500 to the next one;
# two call sites of the same collective call, one three times as often
awk 'BEGIN { print "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":16,\"mpi\":\"Open MPI 4.1.4\"}"
  print "{\"kind\":\"phase\",\"id\":0,\"name\":\"steps\",\"repeats\":10}"
  for (s = 1; s <= 6; s++) {
    printf "{\"kind\":\"site\",\"id\":%d,\"op\":\"MPI_Send\",\"frames\":[\"send%d a.c:%d\",\"main a.c:90\"]}\n", s, s, s
    printf "{\"kind\":\"p2p\",\"site\":%d,\"src\":0,\"msgs\":[[15,%d,1]]}\n", s, 1000 * s
  }
  for (r = 0; r < 16; r++)
    printf "{\"kind\":\"p2p\",\"site\":1,\"src\":%d,\"msgs\":[[%d,500,1]]}\n", r, (r + 1) % 16
  for (s = 7; s <= 8; s++) {
    printf "{\"kind\":\"site\",\"id\":%d,\"op\":\"MPI_Allreduce\",\"frames\":[\"sum%d b.c:%d\"]}\n", s, s, s
    printf "{\"kind\":\"coll\",\"site\":%d,\"op\":\"MPI_Allreduce\",\"bytes\":1024,\"count\":%d}\n", s, s == 7 ? 1 : 3
  }
  print "{\"kind\":\"end\",\"records\":" 1 + 12 + 16 + 4 "}" }' > many.acp
for order in 0,2,4,6,8,10,12,14,1,3,5,7,9,11,13,15; do
  echo "{\"format\":\"berth-mapping\",\"version\":1,\"pu_of_rank\":[$order]}" > other.json
done
"$berth" report many.acp t.json other.json --phase all -o many.html > log
sed 's/Open MPI 4.1.4/MPICH 4.0.2/' many.acp > hosts.acp
"$berth" report hosts.acp t.json other.json --phase all -o hosts.html > log
make_sized 960 alltoall rack:3 host:20 socket:2 core:8
check "in Chromium" in_browser sites.py "$work"
finish
