#!/usr/bin/env bash
# Algorithms of the MPI itself: the library measures them, `berth tune settings` writes what sets them, and
# in a job that was told so the library leaves these calls to the MPI.
. "$BERTH_SOURCE_DIR/tests/coll/lib.sh"
few_windows
export MPIR_CVAR_NOLOCAL=1 # all of MPICH's messages go through UCX
export OMPI_MCA_coll_tuned_use_dynamic_rules=1
said() { grep -qE "$1" err || { cat err; return 1; }; }
# plan CHOICE…: of a broadcast, as algorithm/segment/degree=seconds
plan() {
  python3 -IS - "$hosts" "$version" "$@" << 'P' > plan.json
import json, sys
def choice(text):
    name, _, seconds = text.partition("=")
    algorithm, segment, degree = (name.split("/") + ["0", "0"])[:3]
    one = {"algorithm": algorithm, "segment_bytes": int(segment), "degree": int(degree)}
    return {**one, "measured_s": float(seconds)} if seconds else one
json.dump({"format": "berth-tuning", "version": 1, "ranks": 4, "mpi": sys.argv[2], "cells": [
    {"operation": "bcast", "ranks": 4, "hosts": int(sys.argv[1]), "bytes": 50001,
     "choices": [choice(a) for a in sys.argv[3:]]}]}, sys.stdout)
P
}
measure() { coll=("BERTH_TUNE=$work/plan.json"); served "$1" 4 "./told.$1" > out; }

for mpi in $mpis; do
  hosts=1 version="Open MPI 4.1.4"
  [ "$mpi" = mpich ] && hosts=4 version="MPICH 4.0.2"
  compile "$mpi" "$here/told.c" "told.$mpi" -rdynamic -ldl
  # What the MPI does while the library measures. MPICH: the sizes of rank 0's messages.
  while IFS='|' read -r of choice does; do
    [ "$of" = "$mpi" ] || continue
    plan "$choice"
    measure "$mpi"
    check "$mpi, $choice: $(cat out)" [ "$(cat out)" = "$does" ]
    check "$mpi, $choice: it is measured" grep -qE "\"algorithm\": *\"${choice%%/*}\".*measured_s" plan.json
  done <<'CASES'
openmpi|mpi:linear|linear
openmpi|mpi:binomial|binomial 0
openmpi|mpi:pipeline/8192|pipeline 8192
openmpi|mpi:chain/4096/3|chain 4096 3
openmpi|mpi:scatter_allgather|scatter_allgather
mpich|mpi:binomial|50001
mpich|mpi:scatter_ring_allgather|24999, 12501, 12498
CASES
  # Without choices in the plan, the library lists some.
  plan
  measure "$mpi"
  check "$mpi: it lists the MPI's algorithms: $(cat plan.json)" [ "$(grep -o '"mpi:[a-z_]*' plan.json | wc -l)" -gt 1 ]
  # An algorithm of the other MPI, one that is unknown, an operation that can't be told.
  [ "$mpi" = openmpi ] && theirs=mpi:scatter_ring_allgather || theirs=mpi:pipeline
  plan "$theirs" mpi:magic mpi
  measure "$mpi"
  check "$mpi: an algorithm of another MPI" said "cells\[0\].choices\[0\]: found $theirs, expected one that serves bcast on $hosts hosts; it isn't measured"
  check "$mpi: an unknown algorithm" said "cells\[0\].choices\[1\].algorithm: found mpi:magic, expected one that .berth schedule bcast. lists; it isn't measured"
  check "$mpi: the rest is measured" grep -q measured_s plan.json

  # A table with such a choice: it holds only if the job was told.
  plan mpi:binomial=0.001 binomial=0.002 mpi=0.002
  coll=("BERTH_TUNING=$work/plan.json" BERTH_COLL_REPORT=1)
  served "$mpi" 4 "./told.$mpi" call > out
  check "$mpi, a table in a job that wasn't told: $(cat err)" said "MPI_Bcast: 4 calls served by berth, 0 by the MPI"
  "$berth" tune -o settings settings plan.json > told 2> err
  check "$mpi: settings are written" [ $? = 0 ]
  check "$mpi: a line says what they bring: $(cat told)" grep -qE '^  MPI_Bcast.*: binomial, 1.000 ms instead of 2.000 ms \(50% less\)$' told
  if [ "$mpi" = openmpi ]; then
    coll+=("OMPI_MCA_coll_tuned_dynamic_rules_filename=$work/settings")
  else
    mapfile -t -O "${#coll[@]}" coll < <(sed -n 's/^export //p' settings)
  fi
  served "$mpi" 4 "./told.$mpi" call > out
  check "$mpi, in a job that was told, the MPI serves" said "MPI_Bcast: 0 calls served by berth, 4 by the MPI"
  check "$mpi, it takes what it was told: $(cat out)" grep -qxE 'binomial 0|50001' out
done

# What is written, from measurements in a file.
cells() { # MPI CELL…: OPERATION RANKS BYTES CALLS ALGORITHM=SECONDS…
  python3 -IS - "$@" << 'P'
import json, sys
cells = []
for text in sys.argv[2:]:
    op, ranks, size, calls, *choices = text.split()
    cells.append({"operation": op, "ranks": int(ranks), "hosts": 2, "bytes": int(size), "calls": int(calls), "choices": [
        {"algorithm": c.split("=")[0].split("/")[0], "segment_bytes": int((c.split("=")[0].split("/") + ["0"])[1]),
         "measured_s": float(c.split("=")[1].split("~")[0]), "relative_error": float((c.split("~") + ["0"])[1])}
        for c in choices]})
json.dump({"format": "berth-tuning", "version": 1, "ranks": 16, "mpi": sys.argv[1], "cells": cells}, sys.stdout)
P
}
settings_of() { cells "$@" > cells.json; "$berth" tune settings cells.json | grep -vE '^#' > written; }
settings_of "Open MPI 4.1.4" "bcast 16 100000 5 mpi:pipeline/8192=1 mpi=2" "bcast 8 1000 1 mpi:linear=1 mpi=1.01" \
  "allgather 16 100 1 mpi:ring=1 mpi=2" "gather 16 8 1 mpi:binomial=1 mpi=2" "allreduce 16 8 1 mpi:ring=1~0.4 mpi=1.5~0.2"
cat > expected <<'TEXT'
2 # operations
7 # MPI_Bcast
3 # sizes of communicators
1 # ranks
1
0 0 0 0
16 # ranks
3 # lines: bytes, algorithm, degree, bytes of a segment
0 0 0 0
65536 3 0 8192 # pipeline
131072 0 0 0
17 # ranks
1
0 0 0 0
0 # MPI_Allgather
3 # sizes of communicators
1 # ranks
1
0 0 0 0
16 # ranks
3 # lines: bytes, algorithm, degree, bytes of a segment
0 0 0 0
1024 4 0 0 # ring
2048 0 0 0
17 # ranks
1
0 0 0 0
TEXT
check "what gains 3% and the errors, and can be told: $(cat written)" cmp -s expected written
settings_of "Open MPI 4.1.4" "bcast 16 64 10 mpi:linear=1 mpi:chain=3 mpi=2" "bcast 16 64 1 mpi:chain=1 mpi:linear=9 mpi=10"
check "calls that the MPI looks up alike: the sum counts" grep -qx '64 1 0 0 # linear' written
settings_of "MPICH 4.0.2" "bcast 16 64 10 mpi:binomial=1 mpi=2" "bcast 16 100000 1 mpi:scatter_ring_allgather=1 mpi:binomial=2 mpi=3" \
  "allreduce 16 8 1 mpi:recursive_doubling=1 mpi=2" "allreduce 16 80000 1 mpi=2"
check "MPICH: one algorithm that was measured in all cells" [ "$(cat written)" = "export MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial" ]
cells "Intel MPI 2021" "bcast 16 64 10 mpi=2" > cells.json
expect 3 'berth tune: cells.json: mpi: found "Intel MPI 2021", expected Open MPI or MPICH: berth knows no settings of others' \
  "$berth" tune settings cells.json
usage=$'\n'"Try \`berth tune --help' or \`berth tune --usage' for more information."
expect 2 "berth tune: settings: expected one file of \`berth tune\`$usage" "$berth" tune settings
expect 2 "berth tune: settings: found an option for jobs, expected none$usage" "$berth" tune --only settings cells.json
finish
