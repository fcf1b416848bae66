#!/usr/bin/env bash
# `berth doctor`: what is there, what is missing, and how it says so.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
state() { # WHAT: of the finding of that name in doctor.json
  python3 -c 'import json, sys
print(*[f["state"] for f in json.load(open("doctor.json"))["findings"] if f["what"] == sys.argv[1]])' "$1"
}
"$berth" doctor --json > doctor.json
code=$?
check "the machine is described" [ "$(state "this machine")" = ok ]
check "the folder for tables is there" [ "$(state "folder for tables")" = ok ]
can=$(python3 -c 'import json; print(json.load(open("doctor.json"))["can_trace"])')
check "the exit code says whether jobs can be traced" [ "$code/$can" = 0/True -o "$code/$can" = 4/False ]
if "$berth" trace --library openmpi > /dev/null 2>&1 && command -v mpirun.openmpi > /dev/null; then
  check "with an MPI and its tracer they can" [ "$can" = True ]
fi
"$berth" doctor > text
check "text has the same findings" [ "$(grep -cE '^(ok|note|missing|broken) ' text)" = "$(grep -c '"state"' doctor.json)" ]

# nothing in PATH
PATH=$work /usr/bin/env "$berth" doctor --json > doctor.json
check "without launchers the exit code is 4" [ $? = 4 ]
check "they are missing" [ "$(state "Open MPI")/$(state MPICH)" = missing/missing ]
BERTH_TRACE_SPOOL=$work/none "$berth" doctor --json > doctor.json
check "a folder that isn't there" [ "$(state "folder for tables")" = broken ]
expect 2 "berth doctor: found 'x', expected options only
Try \`berth doctor --help' or \`berth doctor --usage' for more information." "$berth" doctor x
finish
