#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# However a run or a testbed ends, by itself, by SIGTERM, by SIGKILL: no process, namespace, mount
# or file of it remains.
. "$BERTH_SOURCE_DIR/tests/testbed/lib.sh"
make_ladder
up_or_skip
touch "$work/began"
cat >"$work/rank.sh" <<'SH'
echo started
exec "$(dirname "$0")/ladder" 262144 1000
SH

# True when some process is in one of the namespaces that this file lists, one link text per line.
anyone_in() { readlink /proc/[0-9]*/ns/* 2>/dev/null | grep -qxFf "$1"; }

# Lists the namespaces of the testbed that is up, all of its own.
list_namespaces() {
  for i in 0 1 2 3 4 5 6 7; do
    "$testbed" exec h$i sh -c 'readlink /proc/self/ns/net /proc/self/ns/mnt /proc/self/ns/uts \
      /proc/self/ns/ipc /proc/self/ns/pid'
  done | sort -u >"$work/namespaces"
  check "33 namespaces: four for each host, and one of processes" \
    [ "$(wc -l <"$work/namespaces")" = 33 ]
  check "none of them is the machine's" \
    eval '! readlink /proc/self/ns/* | grep -qxFf "$work/namespaces"'
  check "somebody is in them" anyone_in "$work/namespaces"
}

nothing_remains() { # WHEN
  check "$1: no folder" [ ! -e "$state" ]
  check "$1: no mount" eval '! grep -q "$BERTH_TESTBED" /proc/self/mountinfo'
  # Processes that the killed one left to the machine's init are ended, but not at once reaped.
  check "$1: no process and no namespace" await eval '! anyone_in "$work/namespaces"'
  check "$1: no file" [ -z "$(find /tmp /dev/shm -maxdepth 1 -newer "$work/began" \
    \( -name 'ompi.h[0-7]*' -o -name 'vader_segment.h[0-7]*' \) )" ]
}

# Starts a run of 16 ranks and waits until all of them run.
start_run() {
  : >"$work/output" # not left to the run's process, which may be late: the last run's is there
  "$testbed" run --linear 16 sh "$work/rank.sh" >"$work/output" 2>"$work/errors" &
  run=$!
  await eval '[ "$(grep -c started "$work/output")" = 16 ]'
}

# Processes inside beside this count's own: the first one, and one that keeps each host.
inside() {
  local namespace
  namespace=$(grep '^pid:' "$work/namespaces")
  readlink /proc/[0-9]*/ns/pid 2>/dev/null | grep -cxF "$namespace"
}

ended_with() { # CODE: of the run
  local code=0
  wait "$run" 2>/dev/null || code=$?
  [ $code -eq "$1" ]
}

check "a limit" "$testbed" limit A all 40
list_namespaces
check "a run" start_run
check "its ranks are inside" [ "$(inside)" -ge 32 ]
check "a second run is refused" eval '"$testbed" run --linear 2 true 2>/dev/null; [ $? -eq 1 ]'
kill -TERM "$run"
check "SIGTERM ends it" ended_with 143
check "only the hosts remain" await eval '[ "$(inside)" = 9 ]'
check "no file of the run" [ -z "$(find "$state" -name 'run.*')" ]
check "nothing in the hosts' memory" \
  [ -z "$("$testbed" exec h0 sh -c 'ls -A /dev/shm')$("$testbed" exec h6 sh -c 'ls -A /dev/shm')" ]

check "another run" start_run
kill -KILL "$run"
check "SIGKILL ends it" ended_with 137
check "only the hosts remain again" await eval '[ "$(inside)" = 9 ]'

check "a third run" start_run
check "down during it" "$testbed" down
check "it is over" eval '! ended_with 0'
nothing_remains "down"
check "down again" "$testbed" down

"$testbed" up >/dev/null
list_namespaces
read -r keeper _ <"$state/keeper"
kill -KILL "$keeper"
check "a killed testbed ends" await eval '! anyone_in "$work/namespaces"'
check "its folder is left" [ -e "$state" ]
check "down removes it" "$testbed" down
nothing_remains "killed"

# A run that makes its own testbed.
namespaces_of_run() {
  start_run && list_namespaces
}
namespaces_of_run
kill -TERM "$run"
check "SIGTERM ends run and testbed" ended_with 143
nothing_remains "terminated run"
namespaces_of_run
kill -KILL "$run"
check "SIGKILL ends the run" ended_with 137
await eval '[ ! -e "$state" ]'
nothing_remains "killed run"
check "a run to its end" "$testbed" run --linear 2 true 2>/dev/null
nothing_remains "finished run"
finish
