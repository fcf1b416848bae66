#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `berth show --watch` of a job that runs: blocks with what was sent so far, rates and phases, until the
# job ends.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
unset CI GITHUB_ACTIONS TF_BUILD TEAMCITY_VERSION NO_COLOR COLUMNS
export BERTH_PROJECT=none
looks() { grep -c '^[0-9:]* [0-9] of 4 ranks here' "$1"; }
has_looks() { [ "$(looks "$1")" -ge "$2" ]; }
# rises FILE: no look has fewer messages than the one before, and the last one has more than the first
rises() { awk '$2 == "messages," { if ($1 + 0 < last) { wrong = 1 } last = $1 + 0; if (!n++) first = last }
  END { exit wrong || last <= first }' "$1"; }

for mpi in $mpis; do
  compile "$mpi" "$here/beat.c" "beat.$mpi"
  rm -f stop
  "$berth" trace -o "$mpi.acp" -- "$(command -v mpirun."$mpi")" -n 4 "./beat.$mpi" stop > out 2> trace.err &
  job=$!
  running() { "$berth" snapshot --list $job | grep -q ": 4 of 4 ranks here"; }
  check "$mpi: the job has started" await running
  "$berth" show --watch=0.2 $job > "$mpi.looks" 2> "$mpi.err" &
  watch=$!
  "$berth" show --watch=0.2 --top 1 $job > "$mpi.stopped" 2> err &
  stopped=$!
  check "$mpi: several looks" await has_looks "$mpi.looks" 4
  check "$mpi: several looks of the other" await has_looks "$mpi.stopped" 2
  kill $stopped
  wait $stopped
  check "$mpi: a signal: code $?" [ $? = 143 ]
  check "$mpi: --top" grep -q '  ... and [12] more phases\?' "$mpi.stopped"

  # on a terminal
  TERM=xterm python3 "$BERTH_SOURCE_DIR/tests/cli/on_terminal.py" 80 "$berth" show --watch=0.2 $job > terminal &
  on_terminal=$!
  replaced() { [ "$(grep -c $'^\033\[H\033\[J[0-9:]* 4 of 4 ranks' terminal)" -ge 2 ]; }
  check "$mpi: a look replaces the one before" await replaced
  kill $on_terminal
  wait $on_terminal
  plain=$(sed $'s/\033\[[0-9]*[a-zA-Z]//g' terminal)
  is "$mpi: 80 columns" "$(grep -E '^.{81}' <<< "$plain")" ""

  touch stop
  wait $watch
  check "$mpi: the end of the job: code $?" [ $? = 0 ]
  wait $job
  is "$mpi: the last line" "$(tail -n 1 "$mpi.looks")" "the job has ended"
  is "$mpi: no error" "$(cat "$mpi.err")" ""
  check "$mpi: counts rise" rises "$mpi.looks"
  check "$mpi: all ranks" grep -q "4 of 4 ranks here, [0-9.]* m\?s, ./beat.$mpi stop$" "$mpi.looks"
  is "$mpi: the first look has averages" "$(grep -c '^  since the job began  .*messages/s .*B/s$' "$mpi.looks")" 1
  is "$mpi: others have rates" "$(grep -c '^  since the last look  .*messages/s .*B/s$' "$mpi.looks")" $(($(looks "$mpi.looks") - 1))
  check "$mpi: a matrix" grep -qE '^ +0 \|.*@' "$mpi.looks"
  for phase in 2 3; do
    check "$mpi: phase $phase" grep -qE "^ +$phase .*B .*messages/s .*B/s\$" "$mpi.looks"
  done
  # rates are differences between looks, over a time that there was
  check "$mpi: rates" python3 - "$mpi.looks" <<'PY'
import re, sys
text = open(sys.argv[1]).read()
looks = [int(n) for n in re.findall(r"^(\d+) messages, ", text, re.M)]
rates = [float(r) for r in re.findall(r"since the last look +([0-9.]+) messages/s", text)]
assert len(looks) > 2 and len(rates) == len(looks) - 1, (looks, rates)
for before, after, rate in zip(looks, looks[1:], rates):
    assert (after > before) == (rate > 0), (before, after, rate)
    if after == before: # a busy machine
        continue
    seconds = (after - before) / rate
    assert 0.15 < seconds < 60, (before, after, rate)
PY
  check "$mpi: the job's own trace" grep -q ': 4 ranks, ' trace.err
done
rm -f stop
hint="
Try \`berth show --help' or \`berth show --usage' for more information."
sleep 60 & other=$!
expect 4 "berth show: $other: found no traced job that is running here" "$berth" show --watch $other
kill $other
expect 2 "berth show: --watch: found --json, expected it with a file$hint" "$berth" show --watch --json
expect 2 "berth show: --watch: found --phase, expected it with a file$hint" "$berth" show --watch --phase 1
for seconds in 0 0.09 -1 abc 5s nan 2e15 ""; do
  expect 2 "berth show: --watch: found '$seconds', expected a number of seconds from 0.1 to 1e15$hint" \
    "$berth" show "--watch=$seconds"
done
finish
