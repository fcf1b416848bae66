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
for part in OTF2 SQLite METIS libdw D3 toml++ ncurses libfabric; do # layout/left_out.sh leaves them out
  check "$part is in this build" [ "$(state $part)" = ok ]
done
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
# where tables go: berth trace puts them below TMPDIR, jobs that preload the tracer in BERTH_TRACE_SPOOL
TMPDIR=$work/none "$berth" doctor --json > doctor.json
check "without a folder for tables /tmp is taken" [ $?/"$(state "folder for tables")" = $code/note ]
TMPDIR=$work/none "$berth" doctor > text
check "it says which" grep -q "folder for tables.*/tmp: .* left; TMPDIR is no folder that can be written" text
for wrong in "$work/none" /proc/self/none /proc/self; do
  BERTH_TRACE_SPOOL=$wrong "$berth" doctor --json > doctor.json
  check "the other folder: $wrong" [ $?/"$(state "folder for tables")/$(state BERTH_TRACE_SPOOL)" = $code/ok/broken ]
done
check "nothing is left" [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'berth-doctor-*')" ]

# the last line names the MPIs: a launcher of one, a launcher of the other, both
if [ "$can" = True ]; then
  mkdir bin
  for pair in "mpirun.openmpi|jobs of Open MPI can be traced and placed here; those of MPICH can't be traced" \
    "mpiexec.mpich|jobs of MPICH can be traced and placed here; those of Open MPI can't be traced" \
    "|jobs of Open MPI and MPICH can be traced and placed here"; do
    rm -f bin/*
    one=${pair%%|*} line=${pair#*|}
    for launcher in ${one:-mpirun.openmpi mpiexec.mpich}; do
      path=$(command -v $launcher) && "$berth" trace --library "${launcher#*.}" > /dev/null 2>&1 || continue 2
      ln -s "$path" bin/$launcher
    done
    ln -s "$(command -v true)" bin/true
    check "the last line: $line" [ "$(PATH=$work/bin "$berth" doctor | tail -1)" = "$line" ]
  done
fi
expect 2 "berth doctor: found 'x', expected options only, as in: berth doctor [--json]
Try \`berth doctor --help' or \`berth doctor --usage' for more information." "$berth" doctor x
finish
