#!/usr/bin/env bash
# SimGrid itself takes the platforms that berth writes, and its simulated times are those of the links;
# platforms of its own that berth read and wrote again have the times that they had.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
for tool in smpicc smpirun; do
  command -v $tool > /dev/null || { echo "skipped: $tool (libsimgrid-dev) is missing"; exit 77; }
done
export TMPDIR=$work

# 2 hosts of 2 PUs: ports of 4 MB/s in hosts and 1 MB/s (out), 2 MB/s (in) to the switch, which
# forwards 10 MB/s in all; a latency of 0.1 s on the hosts' links
cat > t.json <<'JSON'
{"format":"berth-topology","version":1,"name":"two",
 "curves":{"slow":{"points":[[1,9.9999],[10000000,990099.0099]]}},
 "types":{"host":{"up":{"out":"slow","max_bandwidth":{"out":1e6,"in":2e6}},"down":{"max_bandwidth":4e6}},
          "switch":{"max_bandwidth":1e7}},
 "root":{"type":"switch","children":[
  {"type":"host","host":"n0","children":[{"pu":0,"core":0},{"pu":1,"core":1}]},
  {"type":"host","host":"n1","children":[{"pu":0,"core":0},{"pu":3,"core":1}]}]}}
JSON
"$berth" topo export -f simgrid t.json -o platform.xml
cat > times.c <<'C'
#include <mpi.h>
#include <stdio.h>
static char data[10000000];
int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int to = 1; to < 3; to++) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    if (rank == 0) MPI_Send(data, sizeof data, MPI_CHAR, to, 0, MPI_COMM_WORLD);
    if (rank != to) continue;
    MPI_Recv(data, sizeof data, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d %.2f\n", to, MPI_Wtime() - start);
  }
  MPI_Finalize();
  return 0;
}
C
printf '%s\n' 'n0#pu0' 'n0#pu1' 'n1#pu3' > hosts
check "it compiles" smpicc -O1 times.c -o times > said 2>&1
simulate() { # PLATFORM HOSTFILE RANKS PROGRAM
  smpirun -np "$3" -platform "$1" -hostfile "$2" --cfg=network/model:CM02 \
    --cfg=network/crosstraffic:no --cfg=network/TCP-gamma:0 --cfg=smpi/simulate-computation:no \
    "$4" 2> said
}
simulate platform.xml hosts 3 ./times > times.out
check "within a host 10 MB take 10 / 4 s" grep -qx '1 2.50' times.out
check "to another 10 s and the latency" grep -qx '2 10.10' times.out

# Zones in zones, and full routing: each pair alone, and all of them at once
cat > pairs.c <<'C'
#include <mpi.h>
#include <stdio.h>
static char data[1000000], got[64][1000000];
int main(int argc, char **argv)
{
  int rank, n;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  for (int pair = 0; pair <= n * n; pair++) {
    MPI_Request request[128];
    int k = 0, all = pair == n * n;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int other = 0; other < n; other++) {
      if (other != rank && (all || pair == other * n + rank))
        MPI_Irecv(got[other], sizeof data, MPI_CHAR, other, 0, MPI_COMM_WORLD, &request[k++]);
      if (other != rank && (all || pair == rank * n + other))
        MPI_Isend(data, sizeof data, MPI_CHAR, other, 0, MPI_COMM_WORLD, &request[k++]);
    }
    MPI_Waitall(k, request, MPI_STATUSES_IGNORE);
    double mine = MPI_Wtime() - start, longest;
    MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d %.5f\n", pair, longest);
  }
  MPI_Finalize();
  return 0;
}
C
check "it compiles" smpicc -O1 pairs.c -o pairs > said 2>&1
while read -r name hosts; do
  tr ' ' '\n' <<< "$hosts" > "$name.hosts"
  sed 's/$/#pu0/' "$name.hosts" > "$name.pus"
  n=$(wc -l < "$name.hosts")
  "$berth" topo import "$data/topology/$name.xml" -o "$name.json" 2> /dev/null
  "$berth" topo export -f simgrid "$name.json" -o "$name.again.xml"
  simulate "$data/topology/$name.xml" "$name.hosts" "$n" ./pairs > "$name.before"
  simulate "$name.again.xml" "$name.pus" "$n" ./pairs > "$name.after"
  check "$name: all times are there" [ "$(wc -l < "$name.before")" = $((n * n + 1)) ]
  check "$name: the same times of each pair" \
    cmp <(head -n $((n * n)) "$name.before") <(head -n $((n * n)) "$name.after")
  # links for what costs nothing, which SimGrid wants, change a little how others are shared
  check "$name: nearly the same of all at once: $(tail -n 1 "$name.before" "$name.after")" \
    awk '{ t[FILENAME] = $2 } END { d = t[ARGV[1]] / t[ARGV[2]]; exit !(d > 0.98 && d < 1.02) }' \
    "$name.before" "$name.after"
done << 'PLATFORMS'
nested r0n0 r0n1 r1n0 r1n1 login
full h0 h1 h2 h3 h4
full-clusters a0 a1 b0 b1 b2 c0 c1
shared h0 h1 h2 l0 l1 l2
PLATFORMS
[ "$failures" -eq 0 ] || { cat times.out; tail -n 20 said; }
finish
