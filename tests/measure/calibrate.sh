#!/usr/bin/env bash
# `berth calibrate` with real MPI jobs on this host, under both MPIs: a start without curves, an
# interruption, a job that dies, wrong use.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
[ "$(nproc)" -ge 2 ] || { echo "skipped: two ranks need two cores"; exit 77; }
[ -x "$lib/openmpi/berth-measure" ] || { echo "skipped: built without MPI"; exit 77; }
# field FILE EXPRESSION: a Python expression over the file as t
field() { python3 -c 'import json, sys; t = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }
calibrate() { "$berth" calibrate "$@"; }
read -r first second < <(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2])')
host=$(hostname)
cat > blank.json <<JSON
{"format": "berth-topology", "version": 1, "name": "here", "types": {"host": {}},
 "root": {"type": "host", "host": "$host", "children": [{"pu": $first, "core": 0}, {"pu": $second, "core": 1}]}}
JSON

launcher_of() { [ "$1" = mpich ] && echo mpiexec.mpich || echo mpirun.openmpi; }
for mpi in $mpis; do
  launcher=$(launcher_of "$mpi")
  calibrate -t blank.json -o out.json --time-limit 3600 --samples 3 --spread 50 --json \
    -- "$launcher" -np 2 > found.json 2> err
  is "$mpi: the exit code" $? 0
  [ -e out.json ] || cat err
  check "$mpi: the result is a topology" "$berth" topo check out.json > /dev/null
  is "$mpi: sizes" "$(field out.json 'sum(len(c["points"]) for c in t["curves"].values())')" 43
  curve='list(t["curves"].values())[0]["measured"]'
  is "$mpi: every point has samples and spread" \
    "$(field out.json "(len($curve['samples']), len($curve['spread']))")" "(43, 43)"
  check "$mpi: the MPI is named" grep -qi "\"mpi\": \"${mpi%mpi}" out.json
  check "$mpi: a transport is named" [ -n "$(field out.json "$curve['transport']")" ]
  is "$mpi: none between hosts, where there is one" "$(field found.json 't["transport_between"]')" None
  # 4.1 has vader's stub beside it; which of both is mapped first is chance
  [ "$mpi" = mpich ] || is "$mpi: what carries messages" "$(field out.json "$curve['transport']")" \
    "$(case $(mpirun.openmpi --version) in *' 4.'*) echo vader ;; *) echo sm ;; esac)"
  is "$mpi: nothing is left out" "$(field found.json '(t["unmeasured"], t["stopped"])')" "([], None)"
  check "$mpi: the picture" grep -q '43 points of .* samples, spread' <("$berth" topo show out.json)
  is "$mpi: all of it as JSON" \
    "$("$berth" topo show --json out.json | field /dev/stdin 'len(t["curves"][0]["spreads"])')" 43
done

# What is known stays, and the exit code tells why it ended.
interrupted() { # SIGNAL CODE
  rm -f out.json err # that of the run before would do: then a signal would hit a shell on its way
  env --default-signal=INT "$berth" calibrate -t blank.json -o out.json --time-limit 600 --verbose \
    -- mpirun.openmpi -np 2 > /dev/null 2> err &
  local pid=$! code=0
  await grep -qs ', 528 B' err
  kill -"$1" $pid
  wait $pid || code=$?
  is "SIG$1: the exit code" $code "$2"
  check "SIG$1: it is said" grep -q "interrupted by signal .*; what was measured is kept" err
  check "SIG$1: what was measured is written" "$berth" topo check out.json > /dev/null
  is "SIG$1: one sample has no spread" "$(field out.json "[n for c in t['curves'].values() for n, s in
    zip(c['measured']['samples'], c['measured']['spread']) if (n == 1) != (s is None)]")" "[]"
  check "SIG$1: as far as it came" [ "$(field out.json 'len(t["curves"]["host-pu"]["points"])')" -ge 12 ]
}
interrupted TERM 143
interrupted INT 130 # which bash has its background jobs ignore

# A job that dies in between: a launcher of ours that ends it.
cat > dies.sh <<'SH'
#!/usr/bin/env bash
mkfifo pipe
mpirun.openmpi -np 2 "$@" <&0 > pipe &
n=0
while read -r line; do
  echo "$line"
  [ $((++n)) -ne 90 ] || kill $!
done < pipe
SH
chmod +x dies.sh
code=0
calibrate -t blank.json -o out.json --mpi openmpi -- ./dies.sh > /dev/null 2> err || code=$?
is "a dying job: the exit code" $code 4
# a launcher that takes longer to end is said to have closed its output
check "a dying job: it is said" grep -qE \
  "the measuring job, ./dies.sh, (ended with exit code [0-9]+|closed its output) before it was done; what was measured is kept" err
check "a dying job: what was measured is written" "$berth" topo check out.json > /dev/null

# Wrong use
sed "s/\"host\": \"$host\"/\"host\": \"x$host\"/" blank.json > other.json
expect 3 "berth calibrate: found rank 0 on host \"$host\", expected a host of other.json: \"x$host\"" \
  calibrate -t other.json -o x.json -- mpirun.openmpi -np 2
expect 3 "berth calibrate: found 1 rank on a PU of the topology that it may run on, expected two or more" \
  calibrate -t blank.json -o x.json -- mpirun.openmpi -np 1
expect 2 "berth calibrate: found program './app' behind the launcher, expected none: berth adds its own" \
  calibrate -t blank.json -o x.json -- mpirun.openmpi -np 2 ./app
expect 4 "berth calibrate: --topology no.json: cannot open: No such file or directory" \
  calibrate -t no.json -o x.json -- mpirun.openmpi -np 2
check "nothing was written" [ ! -e x.json ]
finish
