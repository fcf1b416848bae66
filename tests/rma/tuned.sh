#!/usr/bin/env bash
# `berth tune --one-sided` keeps with which messages operations go, and later jobs begin with that.
. "$BERTH_SOURCE_DIR/tests/rma/lib.sh"
said() { grep -qE "$1" err || { cat err; return 1; }; }
python3 -IS "$groups" 0/1 > groups.json
export BERTH_GROUPS=$work/groups.json

for mpi in $mpis; do
  launcher=mpirun.openmpi
  [ "$mpi" = mpich ] && launcher=mpiexec.mpich
  compile "$mpi" "$here/puts.c" "puts.$mpi"
  of_job() { LD_PRELOAD=$idle "$berth" "$@" --cache "$work/cache.$mpi" -- "$launcher" -n 2 "./puts.$mpi" > out 2> err < /dev/null; }
  of_job tune --one-sided
  check "$mpi: berth tune --one-sided: $(cat err)" [ $? = 0 ]
  check "$mpi: the application ran" grep -qx right out
  check "$mpi: what was chosen is printed" grep -qE '^    2 on 2 +1 +2[34]\.[0-9]+ KiB ' out
  kept=$(sed -n 's/^berth tune: the measurements are kept as //p' err)
  check "$mpi: the file: $(cat "$kept")" python3 - "$kept" <<'PY'
import json, sys
t = json.load(open(sys.argv[1]))
(epochs,) = t["one_sided"]["epochs"]
assert t["mpi"] and t["cells"] == [] and t["bytes_per_s"] > 0 and t["one_sided"]["message_s"] > 0, t
assert (epochs["ranks"], epochs["hosts"], epochs["targets"], epochs["bytes"]) == (2, 2, 1, 24000), epochs
assert 1024 <= epochs["message_bytes"] <= 16384 and 0 <= epochs["early"] <= 1, epochs
PY
  of_job run --one-sided
  check "$mpi: later runs take the file" said "BERTH_TUNING[= ]$kept"
  if [ "$mpi" = openmpi ]; then # whose jobs `berth run` places
    "$berth" topo discover -q -o here.json
    of_job run --one-sided --topology here.json
    "$berth" map cache.openmpi/*.acp.zst here.json --one-sided berth > library
    check "$mpi: estimates are of the library: $(cat err library)" \
      said " $(sed -n 's/^2 ranks placed .*: \(.* [mun]*s\) (model.*/\1/p' library) of communication estimated"
  fi

  # An epoch is one message by what the file says, not by what the job would choose itself.
  printf '{"format": "berth-tuning", "version": 1, "ranks": 2, "bytes_per_s": 1e9, "cells": [], "one_sided":
    {"message_s": 1, "epochs": [{"ranks": 2, "hosts": 2, "targets": 1, "bytes": 24000, "message_bytes": 16000}]}}' > told.json
  rma=("BERTH_TUNING=$work/told.json" BERTH_RMA_REPORT=1)
  served "$mpi" 2 "./puts.$mpi" > out
  check "$mpi: told: the result" grep -qx right out
  check "$mpi: told: two messages an epoch" said "^berth-rma: (4[0-9]|[56][0-9]) messages, on all ranks$"
  rma=("BERTH_TUNING=$work/none.json")
  served "$mpi" 2 "./puts.$mpi" > out
  check "$mpi, no file: the result" grep -qx right out
  check "$mpi, no file: one line" said "^berth-rma: BERTH_TUNING: $work/none.json: cannot open: No such file or directory; it isn't used$"

  # A file that is no tuning of this job is replaced.
  sed 's/"ranks": 2, "b/"ranks": 3, "b/' told.json > other.json
  of_job tune --one-sided -o "$work/other.json"
  check "$mpi, a file of another job: $(cat err)" grep -q '"ranks": 2' other.json

  # Within one host there is nothing to choose.
  unset BERTH_GROUPS
  of_job tune --one-sided -o "$work/one.json"
  check "$mpi, one host: one line" said "^berth tune: found no choice in the job, expected one: a job on several hosts whose MPI_Finalize leaves it$"
  check "$mpi, one host: no file" [ ! -e one.json ]
  export BERTH_GROUPS=$work/groups.json
done
finish
