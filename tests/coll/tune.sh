#!/usr/bin/env bash
# Measurements in MPI_Init: cells of a plan get choices, which the job and later ones take. `berth tune`
# does that for the calls of a trace.
. "$BERTH_SOURCE_DIR/tests/coll/lib.sh"
cat > plan.json <<'JSON'
{"format": "berth-tuning", "version": 1, "ranks": 4, "cells": [
 {"operation": "allreduce", "ranks": 4, "bytes": 8, "calls": 400, "choices": []},
 {"operation": "bcast", "ranks": 4, "bytes": 100000, "choices": []},
 {"operation": "reduce", "ranks": 4, "bytes": 12, "choices": []},
 {"operation": "gather", "ranks": 4, "bytes": 100, "choices": []},
 {"operation": "scatter", "ranks": 4, "bytes": 100, "choices": []},
 {"operation": "allgather", "ranks": 4, "bytes": 0, "choices": []},
 {"operation": "allgatherv", "ranks": 4, "bytes": 64, "choices": []},
 {"operation": "alltoall", "ranks": 4, "bytes": 64, "choices": []},
 {"operation": "reduce_scatter", "ranks": 4, "bytes": 8192, "choices": []},
 {"operation": "scan", "ranks": 4, "bytes": 8192, "choices": []},
 {"operation": "exscan", "ranks": 4, "bytes": 16, "choices": []},
 {"operation": "barrier", "ranks": 4, "bytes": 0, "choices": []},
 {"operation": "bcast", "ranks": 2, "bytes": 8, "members": [3, 1], "choices": []},
 {"operation": "bcast", "ranks": 2, "bytes": 9, "members": [1, 3], "choices": []},
 {"operation": "bcast", "ranks": 2, "bytes": 8, "members": [3, 2], "choices": []},
 {"operation": "bcast", "ranks": 1, "bytes": 8, "members": [2], "choices": []},
 {"operation": "nonsense", "ranks": 4, "bytes": 8, "choices": []}]}
JSON
# Each cell is measured once for the hosts that it has, and the fastest choice is first.
cat > look.py <<'PY'
import json, sys
t = json.load(open(sys.argv[1]))
assert t["measured_in_s"] > 0 and t["mpi"], t
found = [(c["operation"], c["ranks"], c["hosts"], len(c["choices"])) for c in t["cells"]]
for c in t["cells"]:
    if not c["choices"]: continue
    times = [choice["measured_s"] for choice in c["choices"]]
    assert times[1:] == sorted(times[1:]), c
    doubt = c["choices"][0].get("relative_error", 0) + c["choices"][times.index(min(times))].get("relative_error", 0)
    assert times[0] <= (1.03 + doubt) * min(times) * 1.001, c
    names = [choice["algorithm"] for choice in c["choices"]]
    for choice in c["choices"]:
        h = choice["histogram"]
        assert len(h["counts"]) == 16 and sum(h["counts"]) + h["above"] > 0, choice
        assert h["from_s"] <= 1.001 * choice["measured_s"] and h["from_s"] <= h["most_s"] and h["factor"] >= 1, choice
    assert "mpi" in names and len(names) > 1, c
    assert ("host" in names) == (c["hosts"] == 1), c
    for choice in c["choices"]:
        assert ("predicted_s" in choice) == (not choice["algorithm"].startswith("mpi")) or c["operation"] in ("scan", "exscan"), choice
assert all(n > 1 for _, _, _, n in found[:13]), found
# ranks 1 and 3 are on one host, as in the cell before; 3 and 2 aren't; one rank has nothing to do
assert [n > 0 for _, _, _, n in found[13:]] == [False, True, False, False], found
assert [h for _, _, h, _ in found[12:15]] == [1, 1, 2], found
PY
said() { grep -qE "$1" err || { cat err; return 1; }; }
python3 -IS "$here/groups.py" 0,2/1,3 > groups.json

for mpi in $mpis; do
  compile "$mpi" "$here/modes.c" "modes.$mpi" -lm
  run() { served "$mpi" 4 "./modes.$mpi" sum > out; }
  cp plan.json tuned.json
  coll=("BERTH_TUNE=$work/tuned.json" "BERTH_GROUPS=$work/groups.json")
  run
  check "$mpi: the application runs behind the measurements" grep -qx right out
  check "$mpi: one line says so" said "^berth-coll: $work/tuned.json: 14 kinds of calls measured in [0-9.]+ s$"
  check "$mpi: the cells" python3 look.py tuned.json

  coll=("BERTH_TUNE=$work/tuned.json" BERTH_TUNE_ONLY=1 BERTH_TUNE_SECONDS=0.000001)
  cp plan.json tuned.json; run
  check "$mpi, --only: the application doesn't run" [ ! -s out ]
  check "$mpi, a limit of time: nothing is measured" said "tuned.json: 0 kinds of calls measured"
  cp plan.json broken.json; sed -i 's/"ranks": 4, "cells"/"ranks": 5, "cells"/' broken.json
  coll=("BERTH_TUNE=$work/broken.json"); run
  check "$mpi, a plan of another job: the application runs" grep -qx right out
  check "$mpi, a plan of another job: one line" \
    said "^berth-coll: BERTH_TUNE: $work/broken.json: ranks: found 5, expected 4, the job's ranks; it isn't used$"
  coll=("BERTH_TUNE=$work/broken.json" BERTH_TUNE_ONLY=1)
  check "$mpi, --only: what isn't measured fails the job" [ "$(run; echo $?)" = 1 ]

  # Choices that a plan has are measured alone, if they can be.
  cat > chosen.json <<'JSON'
{"format": "berth-tuning", "version": 1, "ranks": 4, "cells": [
 {"operation": "bcast", "ranks": 4, "bytes": 1024, "choices": [{"algorithm": "binomial"}, {"algorithm": "knomial"},
   {"algorithm": "knomial", "degree": 3}, {"algorithm": "host"}, {"algorithm": "magic"}]},
 {"operation": "nonsense", "ranks": 4, "bytes": 8, "choices": [{"algorithm": "ring"}]}]}
JSON
  coll=("BERTH_TUNE=$work/chosen.json" "BERTH_GROUPS=$work/groups.json"); run
  check "$mpi, choices of a plan: $(cat chosen.json)" python3 - chosen.json <<'PY'
import json, sys
bcast, nonsense = json.load(open(sys.argv[1]))["cells"]
assert sorted((c["algorithm"], c.get("degree")) for c in bcast["choices"]) == [("binomial", None), ("knomial", 3)], bcast
assert not nonsense["choices"], nonsense
PY
  check "$mpi, choices of a plan: a line for each that isn't measured" [ "$(grep -c "isn't measured$" err)" = 4 ]

  # Agents are among the choices where there are some; a file that prefers them holds without them, too.
  printf '{"format": "berth-tuning", "version": 1, "ranks": 4, "cells": [
    {"operation": "allreduce", "ranks": 4, "bytes": 4, "choices": []},
    {"operation": "alltoall", "ranks": 4, "bytes": 8, "choices": []}]}' > agents.json
  coll=("BERTH_TUNE=$work/agents.json" "BERTH_GROUPS=$work/groups.json" BERTH_AGENTS=1); run
  check "$mpi, agents are measured: $(cat agents.json)" python3 - agents.json <<'PY'
import json, sys
t = json.load(open(sys.argv[1]))
for cell in t["cells"]:
    assert [c["measured_s"] > 0 for c in cell["choices"] if c["algorithm"] == "agents"] == [True], cell
    cell["choices"].sort(key=lambda c: c["algorithm"] != "agents")
json.dump(t, open(sys.argv[1], "w"))
PY
  for agents in 1 0; do
    coll=("BERTH_TUNING=$work/agents.json" "BERTH_GROUPS=$work/groups.json" "BERTH_AGENTS=$agents" BERTH_COLL_REPORT=1); run
    by=$([ $agents = 1 ] && echo 'served by berth .400 by agents.,' || echo 'served by berth, [0-9]* by the MPI\|served by berth (0')
    check "$mpi, a table of agents, BERTH_AGENTS=$agents: the result" grep -qx right out
    check "$mpi, a table of agents, BERTH_AGENTS=$agents: who carries out calls: $(cat err)" grep -q "MPI_Allreduce: .*$by" err
  done

  # What a table says is done.
  for hosts in 1 2; do
    printf '{"format": "berth-tuning", "version": 1, "ranks": 4, "cells": [{"operation": "allreduce", "ranks": 4,
      "hosts": %d, "bytes": 4, "choices": [{"algorithm": "mpi"}]}]}' $hosts > mpi.json
    coll=("BERTH_TUNING=$work/mpi.json" BERTH_COLL_REPORT=1); run
    served=$([ $hosts = 1 ] && echo "0 calls served by berth, 400 by the MPI" || echo "400 calls served by berth, 0 by the MPI")
    check "$mpi, a table for $hosts hosts: the result" grep -qx right out
    check "$mpi, a table for $hosts hosts: $served" said "^berth-coll: MPI_Allreduce: $served, on all ranks$"
  done
  sed -i 's/"hosts": 2/"hosts": 1/; s/"mpi"}/"magic"}/' mpi.json
  coll=("BERTH_TUNING=$work/mpi.json"); run
  check "$mpi, an unknown algorithm: the result" grep -qx right out
  check "$mpi, an unknown algorithm: one line" said "^berth-coll: BERTH_TUNING: $work/mpi.json: cells\[0\].choices\[0\].algorithm: found magic, expected one that .berth schedule allreduce. lists; the cell isn't used$"
  coll=("BERTH_TUNING=$work/none.json"); run
  check "$mpi, no file: the result" grep -qx right out
  check "$mpi, no file: one line" said "^berth-coll: BERTH_TUNING: $work/none.json: cannot open: No such file or directory; it isn't used$"

  # Two choices that were nearly as fast are compared in calls; here the second one is much faster.
  cat > near.json <<'JSON'
{"format": "berth-tuning", "version": 1, "ranks": 4, "cells": [{"operation": "bcast", "ranks": 4, "hosts": 2,
 "bytes": 65536, "choices": [{"algorithm": "pipeline", "segment_bytes": 128, "measured_s": 0.001},
                               {"algorithm": "binomial", "measured_s": 0.0011}]}]}
JSON
  coll=("BERTH_TUNING=$work/near.json" "BERTH_GROUPS=$work/groups.json" BERTH_COLL_REPORT=1)
  served "$mpi" 4 "./modes.$mpi" long > out
  check "$mpi: calls settle for the faster of two choices" \
    said "^berth-coll: two choices were compared 1 times, the second one was taken 1 times, on rank 0$"
  check "$mpi: what calls settle for isn't kept unasked" grep -q 0.0011 near.json
  coll+=(BERTH_TUNING_KEEP=1)
  served "$mpi" 4 "./modes.$mpi" long > out
  check "$mpi: what calls settle for is kept: the first choice, and that it is settled" python3 - near.json <<'PY'
import json, sys
(cell,) = json.load(open(sys.argv[1]))["cells"]
assert [c["algorithm"] for c in cell["choices"]] == ["binomial", "pipeline"] and cell["settled"], cell
PY
  served "$mpi" 4 "./modes.$mpi" long > out
  check "$mpi: what is settled isn't compared again" [ "$(grep -c compared err)" = 0 ]
  python3 - near.json <<'PY'
import json, sys
t = json.load(open(sys.argv[1]))
del t["cells"][0]["settled"]
t["cells"][0]["choices"][1]["measured_s"] = 0.0013
json.dump(t, open(sys.argv[1], "w"))
PY
  served "$mpi" 4 "./modes.$mpi" long > out
  check "$mpi: what was clearly slower isn't compared" [ "$(grep -c compared err)" = 0 ]

  # The command: it needs a trace of the job, whose calls it has measured.
  launcher=mpirun.openmpi
  [ "$mpi" = mpich ] && launcher=mpiexec.mpich
  of_job() { LD_PRELOAD=$idle "$berth" "$@" -- "$launcher" -n 2 "./modes.$mpi" sum > out 2> err < /dev/null; }
  of_job tune --cache "$work/cache.$mpi"
  check "$mpi: without a trace" said "^berth tune: found no trace of this job, expected one of an earlier .berth run. of the same command, or --pattern$"
  of_job trace -o job.acp
  of_job tune --cache "$work/cache.$mpi" --pattern job.acp
  check "$mpi: berth tune" [ $? = 0 ]
  check "$mpi: berth tune: the application ran" grep -qx right out
  check "$mpi: berth tune: its calls" grep -qE '^allreduce +2 on 1 .* (host|mpi[a-z:_]*) ' out
  kept=$(sed -n 's/^berth tune: the measurements are kept as //p' err)
  check "$mpi: berth tune: the file" [ -s "$kept" ]
  (umask 002; LD_PRELOAD=$idle "$berth" tune --cache "$work/cache.$mpi" --pattern job.acp -- "$launcher" -n 2 \
    sh -c "touch made.$mpi; exec ./modes.$mpi sum" > shell 2> err < /dev/null)
  check "$mpi: the application has the user's umask" [ "$(stat -c %a "made.$mpi")" = 664 ]
  other=$(sed -n 's/^berth tune: the measurements are kept as //p' err)
  check "$mpi: the measurements are for the user alone to write" [ "$(stat -c %a "$other")" = 644 ]
  check "$mpi: nothing else is left" [ "$(find "cache.$mpi" -name '*.partial' | wc -l)" = 0 ]
  check "$mpi: berth tune show" grep -qE '^allreduce +2 on 1 ' <("$berth" tune show "$kept")
  check "$mpi: berth tune --all show" grep -qE '^    mpi  +[0-9.]+ [mun]*s' <("$berth" tune --all show "$kept")
  check "$mpi: berth tune --json show" python3 -c 'import json, sys; assert json.load(sys.stdin)["cells"]' \
    < <("$berth" tune --json show "$kept")
  of_job tune --cache "$work/cache.$mpi" --pattern job.acp --agents --only
  check "$mpi: berth tune --agents" grep -q '"agents"' "$kept"
  of_job run --cache "$work/cache.$mpi" --collectives
  check "$mpi: later runs take the file" said "BERTH_TUNING[= ]$kept"
done
finish
