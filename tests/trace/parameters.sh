#!/usr/bin/env bash
# What a job sets for its MPI is in the trace, and estimates take the algorithms that this chooses.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
cat > bcast.c <<'C'
#include <mpi.h>
static char block[4096];
int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Bcast(block, sizeof block, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Finalize();
}
C
for mpi in $mpis; do compile "$mpi" bcast.c "bcast.$mpi"; done
"$berth" topo import -f levels 5:1/1:1 -o t.json || exit 1
printf '1 # operation\n7 # MPI_Bcast\n1\n1\n1\n0\t6 0 0 # \xff\n' > rules
printf '%70000s\n' 1 > long

# set_by FILE: name=value, one a line
set_by() { python3 -c 'import json, sys
for p in json.loads(sys.stdin.readline()).get("parameters", []): print(p["name"] + "=" + p["value"])'  < <(zstd -dcqf "$1"); }
text_of() { python3 -c 'import json, sys
for p in json.loads(sys.stdin.readline())["parameters"]:
    if "text" in p: print(p["text"], end="")' < "$1"; }
taken() { # FILE: the algorithms that estimates take
  "$berth" map --pattern "$1" --topology t.json --algorithm linear --mapping m.json > /dev/null 2> notes
  "$berth" cost --pattern "$1" --topology t.json --mapping m.json --json 2> notes |
    grep -o 'MPI_Bcast of [^,]*, [^:]*: [a-z_]*' | sed 's/.*: //' | sort -u
}
# case NAME MPI PARAMETERS ALGORITHM COMMAND…
one() {
  local name=$1 mpi=$2 want=$3 algorithm=$4; shift 4
  rm -f p.acp
  "$berth" trace -o p.acp -- "$@" "./bcast.$mpi" 2> err
  check "$name: exit code" [ $? -eq 0 ]
  check "$name: parameters" [ "$(set_by p.acp | tr '\n' ' ')" = "$want" ]
  check "$name: the algorithm ($(taken p.acp))" [ "$(taken p.acp)" = "$algorithm" ]
}
o=OMPI_MCA_coll_tuned
one "nothing" openmpi "" binomial mpirun.openmpi -n 5
one "on the command line" openmpi "${o}_bcast_algorithm=3 ${o}_use_dynamic_rules=1 " pipeline \
  mpirun.openmpi -n 5 --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_bcast_algorithm 3
one "without dynamic rules" openmpi "${o}_bcast_algorithm=3 " binomial env ${o}_bcast_algorithm=3 mpirun.openmpi -n 5
one "in a file" openmpi "${o}_dynamic_rules_filename=$work/rules ${o}_use_dynamic_rules=1 " binomial \
  mpirun.openmpi -n 5 --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename "$work/rules"
check "the file's text" [ "$(text_of p.acp)" = "$(tr '\t\377' ' ?' < rules)" ]
sed -i 's/^0\t6/0\t1/' rules
check "the trace has the file as it was" [ "$(taken p.acp)" = binomial ]
check "berth show has them" grep -qx "${o}_use_dynamic_rules=1" <("$berth" show p.acp)
check "so has its JSON" grep -q "\"name\": \"${o}_use_dynamic_rules\", \"value\": \"1\"" <("$berth" show --json p.acp)
"$berth" export -f sqlite p.acp -o p.sqlite && "$berth" import -f sqlite p.sqlite -o q.acp
check "a database has them" cmp p.acp q.acp
for file in long missing "."; do
  one "the file '$file'" openmpi "${o}_dynamic_rules_filename=$file ${o}_use_dynamic_rules=1 " binomial \
    mpirun.openmpi -n 5 --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename "$file"
  check "the file '$file': a note" grep -qx "note: estimates don't follow ${o}_dynamic_rules_filename, which \
the job had set: its MPI may take other algorithms" notes
done
one "two that aren't followed" openmpi "OMPI_MCA_coll=^tuned OMPI_MCA_coll_basic_priority=90 " binomial \
  mpirun.openmpi -n 5 --mca coll ^tuned --mca coll_basic_priority 90
check "two that aren't followed: a note" grep -q "follow OMPI_MCA_coll and 1 other parameter, which" notes
export LD_PRELOAD=$idle
export MPIR_CVAR_NOLOCAL=1 # or it composes calls by hosts
one "MPICH" mpich "MPIR_CVAR_NOLOCAL=1 " knomial mpiexec.mpich -n 5
one "MPICH's variable" mpich "MPIR_CVAR_BCAST_INTRA_ALGORITHM=scatter_ring_allgather MPIR_CVAR_NOLOCAL=1 " \
  scatter_ring_allgather env MPIR_CVAR_BCAST_INTRA_ALGORITHM=scatter_ring_allgather mpiexec.mpich -n 5
unset MPIR_CVAR_NOLOCAL
unset LD_PRELOAD

# a job that dies has them, too
cat > dies.c <<'C'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  abort();
}
C
compile openmpi dies.c dies
"$berth" trace -o dead.acp -- mpirun.openmpi -n 2 --mca coll_tuned_bcast_algorithm 2 ./dies > /dev/null 2>&1
check "a recovered trace" [ "$(set_by dead.acp)" = "${o}_bcast_algorithm=2" ]
finish
