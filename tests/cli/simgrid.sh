#!/usr/bin/env bash
# SimGrid itself takes the platforms that berth writes, and its simulated times are those of the links.
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
smpirun -np 3 -platform platform.xml -hostfile hosts --cfg=network/model:CM02 \
  --cfg=network/crosstraffic:no --cfg=network/TCP-gamma:0 --cfg=smpi/simulate-computation:no \
  ./times > times.out 2> said
check "within a host 10 MB take 10 / 4 s" grep -qx '1 2.50' times.out
check "to another 10 s and the latency" grep -qx '2 10.10' times.out
[ "$failures" -eq 0 ] || { cat times.out; tail -n 20 said; }
finish
