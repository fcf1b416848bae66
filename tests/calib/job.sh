#!/usr/bin/env bash
# `berth calibrate` with a job that says what it likes: what berth makes of it. (tests/measure has
# real ones.)
. "$BERTH_SOURCE_DIR/tests/calib/lib.sh"
cd "$work" || exit 1
cat > t.json <<'JSON'
{"format":"berth-topology","version":1,"name":"t","types":{"host":{},"switch":{}},
 "root":{"type":"switch","children":[{"type":"host","host":"host%d","repeat":2,"children":[{"pu":0,"core":0},{"pu":1,"core":1}]}]}}
JSON
sed 's/"repeat":2/"repeat":1/' t.json > one.json

# A job of four ranks on two hosts, whose messages take 0.1 ms + 1 us a byte and share what they use.
cat > job.py <<'PY'
#!/usr/bin/env python3
import json, os, sys
mode, experiments = sys.argv[1], 0
def say(**what): print(json.dumps({"berth-measure": 1, "run": sys.argv[-1], **what}, separators=(",", ":")), flush=True)
print("started", file=sys.stderr)
if mode == "cut": print('{"berth-measure":1,"run":"%s","ranks":' % sys.argv[-1], flush=True)
if mode == "other text":
    print('{"berth-measure":1,"ranks":1}\n{"berth-measure":1,"run":"%032d","error":"x"}' % 0, flush=True)
if mode == "endless": sys.stdout.write("x" * (1 << 25)), sys.stdout.flush()
if mode == "rank first": say(rank=0, host="host0", cpus="0")
say(ranks=4, mpi="some MPI", inside="", between="tcp")
if mode == "twice": say(ranks=7, mpi="some MPI", inside="", between="tcp")
for r in range(4):
    if mode != "lost" or r != 2: say(rank=r, host="host%d" % (r // 2), cpus="%d" % (r % 2))
if mode == "rank 99": say(rank=99, host="host0", cpus="0")
say(ready=True)
for line in sys.stdin:
    words = line.split()
    if words[0] == "quit": break
    experiments += 1
    if mode == "folder is gone" and experiments == 60: os.rmdir("gone")
    if mode in ("out of memory", "folder is gone") and experiments == 60: say(error="out of memory"), sys.exit(1)
    n = 1 if words[0] == "pingpong" else int(words[9])
    seconds = [(1e-4 + 1e-6 * int(words[1])) * n] * n
    seconds = {"few": seconds[1:], "zero": [0] * n, "less": [-1] * n, "text": ["x"] * n}.get(mode, seconds)
    say(seconds=seconds)
PY
chmod +x job.py
calibrate() { # MODE TOPOLOGY OPTION…
  local code=0
  "$berth" calibrate --topology "$2" -o out.json --mpi openmpi "${@:3}" -- ./job.py "$1" 2> said || code=$?
  grep -v '^started$' said >&2
  return "$code"
}
job() { # CODE MODE LINE
  expect "$1" "berth calibrate: $3" calibrate "$2" t.json
  check "$2: nothing is written" [ ! -e out.json ]
}
job 3 cut "the measuring job:1:69: not valid JSON: found the end of the text"
job 3 endless "the measuring job: found a line of more than 16777216 bytes, expected less"
job 3 "rank first" "the measuring job: found a line of another kind, expected a result"
job 3 twice "the measuring job: found a line of another kind, expected a result"
job 3 lost "the measuring job: found nothing about rank 2"
job 3 "rank 99" "the measuring job: rank: found 99, expected a whole number from 0 to 3"
job 3 few "the measuring job: found a line of another kind, expected a result"
job 3 text "the measuring job: found a line of another kind, expected a result"
job 3 zero "host0 pu 0 to host1 pu 1, a first look: found 0 s per message, expected more than 0"
job 3 less "host0 pu 0 to host1 pu 1, a first look: found -1 s per message, expected more than 0"
expect 3 'berth calibrate: found rank 2 on host "host1", expected a host of one.json: "host0"' \
  calibrate "" one.json

# A launcher that isn't one: its name and how it ended, in one line, whether or not --mpi was given.
launched_by() { "$berth" calibrate --topology t.json -o out.json -- "$@"; }
cat > killed.sh <<'SH'
#!/bin/sh
kill -9 $$
SH
chmod +x killed.sh
unspoken="before its ranks said where they are"
expect 4 "berth calibrate: the measuring job, true, ended with exit code 0 $unspoken" launched_by true
expect 4 "berth calibrate: the measuring job, sh, ended with exit code 7 $unspoken" \
  launched_by sh -c 'exit 7'
expect 4 "berth calibrate: the measuring job, ./killed.sh, ended by signal 9 $unspoken" \
  launched_by ./killed.sh
expect 4 "berth calibrate: nosuchlauncher: cannot start: No such file or directory" \
  launched_by nosuchlauncher
check "nothing is written" [ ! -e out.json ]

# An output that can't be written is noticed before anything is measured.
to() { "$berth" calibrate --topology t.json -o "$1" --mpi openmpi -- ./job.py ""; }
expect 4 "berth calibrate: nowhere/x: cannot write: No such file or directory" to nowhere/x
expect 4 "berth calibrate: .: cannot write: Is a directory" to .
expect 4 "berth calibrate: : cannot write: No such file or directory" to ""

code=0
calibrate "out of memory" t.json > text 2> err || code=$?
check "an error in between: the code, found $code" [ $code -eq 3 ]
check "it is said" grep -q "^berth calibrate: the measuring job: out of memory; what was measured is kept" err
check "what was measured is written" "$berth" topo check out.json > text

mkdir gone
"$berth" calibrate --topology t.json -o gone/x --mpi openmpi -- ./job.py "folder is gone" > text 2> err
check "an output that can't be written in the end" grep -qx \
  "berth calibrate: gone/x: cannot write: No such file or directory" err
check "why the job ended is said" grep -qx "berth calibrate: the measuring job: out of memory" err
check "nothing says that it is kept" [ -z "$(grep kept err)" ]

# Lines of the protocol without the run's secret are text of the job.
check "other text is none of the measuring program's" calibrate "other text" t.json 2> err
check "it is shown" grep -qF '{"berth-measure":1,"run":"00000000000000000000000000000000","error":"x"}' err

# Standard output holds one thing.
check "a topology" "$berth" topo check - < <(to - 2> err) > text
check "the report is elsewhere" grep -q "^-: [0-9]* experiments in .* with some MPI" err
json() { calibrate "" t.json -o - --json 2>&1 | head -n 1; }
check "not both" [ "$(json)" = \
  "berth calibrate: --json: found another output to standard output, expected one" ]
finish
