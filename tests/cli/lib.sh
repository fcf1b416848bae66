# shellcheck shell=bash
# Sourced by the script tests: where things are, and how checks are counted.
# BERTH_SOURCE_DIR and BERTH_BUILD_DIR come from CTest.
set -u
berth=$BERTH_BUILD_DIR/berth
data=$BERTH_SOURCE_DIR/tests/data
# `finish` removes it. No trap does: twice a process ran it while the script went on, in trace/watch.
work=$(mktemp -d)
checks=0 failures=0

# Whether the program is a sanitized one, which takes some times as long.
is_sanitized() { nm "$berth" | grep -q __asan_init; }

# How often a property is tried, as in tests/harness.h. rounds_of USUAL: BERTH_TEST_ROUNDS times as
# often, at least once. all_rounds: whether what is rare or slow is tried, too. rounds_above N.
rounds_above() { awk -v rounds="${BERTH_TEST_ROUNDS:-1}" -v n="$1" 'BEGIN { exit !(rounds > n) }'; }
all_rounds() { awk -v rounds="${BERTH_TEST_ROUNDS:-1}" 'BEGIN { exit !(rounds >= 1) }'; }
rounds_of() {
  awk -v rounds="${BERTH_TEST_ROUNDS:-1}" -v n="$1" 'BEGIN { n = int(n * rounds); print n < 1 ? 1 : n }'
}

# check NAME CONDITION…: the condition is a command.
check() {
  local name=$1; shift
  checks=$((checks + 1))
  "$@" && return
  failures=$((failures + 1))
  echo "FAILED: $name: $*"
}

# four_hosts RATE: a topology of four hosts of one PU, whose links carry so many bytes a second.
four_hosts() {
  cat <<JSON
{"format": "berth-topology", "version": 1, "name": "four hosts",
 "types": {"root": {"down": {"max_bandwidth": $1}}, "host": {}},
 "root": {"type": "root", "children": [{"type": "host", "name": "h%d", "host": "h%d", "repeat": 4,
   "children": [{"pu": 0, "core": 0}]}]}}
JSON
}

# is NAME FOUND EXPECTED: two texts that must be equal.
is() { check "$1: found '$2', expected '$3'" [ "$2" = "$3" ]; }

# expect CODE LINE COMMAND…: the command's exit code and its whole standard error, with the test's
# folder cut out of names.
expect() {
  local code=$1 line=$2 found got; shift 2
  found=$("$@" 2>&1 >/dev/null </dev/null) && got=0 || got=$?
  found=${found//"$work/"/}
  checks=$((checks + 1))
  if [ "$got" -ne "$code" ] || [ "$found" != "$line" ]; then
    failures=$((failures + 1))
    printf 'FAILED: %s\n  found    %s: %s\n  expected %s: %s\n' "$*" "$got" "$found" "$code" "$line"
  fi
}

# Waits up to a minute until a command is true.
await() {
  for _ in {1..1200}; do
    "$@" && return
    sleep 0.05
  done
  return 1
}

# worked PID TICKS: whether the process has had that much time of a core, in ticks of 10 ms: on a busy
# machine seconds say little.
worked() {
  local fields
  read -r fields 2> /dev/null < "/proc/$1/stat" || return 0 # it has ended
  read -r -a fields <<< "${fields##*) }"
  [ $((fields[11] + fields[12])) -ge "$2" ]
}

# A topology of two hosts of four cores. Each core loses 1 ms 50 times a second, unless one is left
# idle.
noisy_hosts() {
  python3 - << 'END'
import json
noise = [{"pu": i, "quantum": 1e-5, "seconds": 100, "lost": 0.05, "longest": 0.001, "interruptions": [[0.001, 5000]]}
         for i in range(4)]
noise += [{"pu": i, "idle": 3, "quantum": 1e-5, "seconds": 100, "lost": 0, "longest": 0, "interruptions": []}
          for i in range(3)]
host = {"type": "host", "name": "h%d", "host": "h%d", "repeat": 2, "children": [{"pu": i, "core": i} for i in range(4)]}
types = {"network": {}, "host": {"node": {"noise": noise}}}
print(json.dumps({"format": "berth-topology", "version": 1, "name": "noisy", "types": types,
                  "root": {"type": "network", "children": [host]}}))
END
}

finish() {
  check "the test's folder is still there" [ -d "$work" ]
  echo "$((checks - failures)) of $checks checks passed"
  rm -rf "$work"
  [ "$failures" -eq 0 ] && [ "$checks" -gt 0 ]
}
