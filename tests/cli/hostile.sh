#!/usr/bin/env bash
# Names that come from files can't control a terminal, command a CI system or start a formula, whatever
# command prints them. A pattern, a topology and a mapping with such names go through every command;
# hostile.py reads what came out as a terminal, as GitHub's runner and as Azure's agent would.
# shellcheck disable=SC2154
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
python3 "$BERTH_SOURCE_DIR/tests/cli/hostile.py" write

# run NAME CODE COMMAND…: the exit code and both outputs, in CI and outside, where less is printed.
where=(true ''); is_sanitized && where=(true)
run() {
  local name=$1 code=$2 ci got; shift 2
  for ci in "${where[@]}"; do
    env CI=$ci GITHUB_ACTIONS=$ci "$berth" "$@" > out 2> err < /dev/null
    got=$?
    check "$name: exit code $got" [ "$got" = "$code" ]
    check "$name${ci:+ in CI}" python3 "$BERTH_SOURCE_DIR/tests/cli/hostile.py" read "${ci:-no}" out err
  done
}
given=(--pattern p.acp --topology t.json)
run show 0 show p.acp
run "show as JSON" 0 show p.acp --json
run view 4 view p.acp t.json m.json # on a terminal: cli/view.sh
run "topo show" 0 topo show t.json
run "topo show of nodes" 0 topo show --node t.json
run "topo check" 0 topo check t.json
cp t.json ::stop-commands::t.json
run "compare machines" 0 compare --pattern p.acp --topology t.json --topology ::stop-commands::t.json
run "compare machines as CSV" 0 compare --pattern p.acp --topology t.json --topology ::stop-commands::t.json --csv
run "topo make" 0 topo make host:2 core:2 --name '::stop-commands::t' -o made.json
run "topo make that fails" 3 topo make 'host:2:::stop-commands::t' core:2
run make 0 make pattern ring -n 4 -o ::stop-commands::p.acp
run "make that fails" 2 make pattern '::stop-commands::t' -n 4
run scale 0 scale ::stop-commands::p.acp --weak --to 9 -o scaled.acp
run "scale that fails" 2 scale '::stop-commands::t' --to 9
run "make of an MPI" 0 make pattern ring -n 4 --mpi '::stop-commands::t' -o made.acp
run "topo export" 0 topo export t.json -f simgrid -o platform.xml
run map 0 map "${given[@]}" --quality fast --rankfile r --mapping made.json
run "map that fails" 2 map --pattern p.acp --topology t.json --pin '0=::stop-commands::t'
run search 0 search "${given[@]}" --quality fast
run cost 0 cost "${given[@]}" --mapping m.json
run "cost as JSON" 0 cost "${given[@]}" --mapping m.json --json
run compare 0 compare "${given[@]}" m.json
run "compare as CSV" 0 compare "${given[@]}" --csv m.json
run explore 0 explore "${given[@]}" --samples 10 m.json
echo '{"format": "berth-collectives", "version": 1, "name": "::stop-commands::t", "rules": {"bcast":
  [{"algorithm": "linear"}], "::stop-commands::t": []}}' > wrong.json
sed 's/, "::stop-commands::t": \[\]//' wrong.json > rules.json
run schedule 0 schedule bcast --ranks 4 --bytes 8 --collectives rules.json
run "schedule as JSON" 0 schedule bcast --ranks 4 --bytes 8 --collectives rules.json --json
run "schedule that fails" 3 schedule bcast --ranks 4 --collectives wrong.json
run "collectives that fail" 3 cost "${given[@]}" --mapping m.json --collectives wrong.json
sed 's/"name":"[^"]*"/"name":"::stop-commands::t"/; s/"operation":"sum"/"operation":"::stop-commands::t"/' \
  "$BERTH_SOURCE_DIR/examples/agents/elan3.json" > agents.json
run agents 0 agents agents.json --hosts 4 --operation ::stop-commands::t
run "agents as JSON" 0 agents agents.json --hosts 4 --operation ::stop-commands::t --json
run "agents that fail" 3 agents agents.json --hosts 4 --operation '::stop-commands::u'
run check 0 check "${given[@]}" --baseline base.acp --update --github --junit j.xml
run "check that fails" 1 check --pattern more.acp --topology t.json --baseline base.acp --github
run "check as JSON" 1 check --pattern more.acp --topology t.json --baseline base.acp --github --json
run "check of a budget" 1 check "${given[@]}" --budget 'bytes:::stop-commands::t=1B' --github
run "check without a file" 4 check --pattern ::stop-commands::t --topology t.json --baseline base.acp --github
run report 0 report "${given[@]}" -o report.html m.json
run "write to standard output" 0 write --mapping m.json --topology t.json rankfile
run write 0 write --mapping m.json --topology t.json split-key=key
run export 0 export p.acp -f csv -o p.csv
run "export that loses" 0 export p.acp -f metis -o p.graph
run import 0 import p.csv -o back.acp
run resolve 0 resolve p.acp -o resolved.acp
run recover 4 recover ::stop-commands::t -o x.acp
run snapshot 4 snapshot ::stop-commands::t -o x.acp
"$berth" doctor > /dev/null && can=0 || can=4 # built without MPI it can't trace
run doctor $can doctor
run "no command" 2 $'::stop-commands::t\e[2J'
run "no option" 2 show $'--a\e[2J\n::stop-commands::t'
run run 4 run -- ::stop-commands::t -np 2 ./app
run trace 4 trace -o x.acp -- ::stop-commands::t
cat > tuning.json <<'JSON'
{"format": "berth-tuning", "version": 1, "ranks": 2, "mpi": "::stop-commands::t", "cells": [
 {"operation": "::stop-commands::t", "ranks": 2, "bytes": 8, "choices": [{"algorithm": "##[set-output name=c]d"}]}]}
JSON
run "tune show" 0 tune --all show tuning.json
run "tune settings" 3 tune settings tuning.json
run "tune plan" 4 tune plan ::stop-commands::t
run tune 2 tune -- ::stop-commands::t -np 2 ./app
run calibrate 4 calibrate --topology t.json -o c.json -- false
run completion 0 completion bash
run manual 0 manual
run "no page" 2 help $'::stop-commands::t\e[2J'

# every command that people see was run
for command in $("$berth" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
  check "$command is tried" grep -qE "^run (\"[^\"]*\"|[a-z]+) ([0-9]+|.can) $command( |\$)" \
    "$BERTH_SOURCE_DIR/tests/cli/hostile.sh"
done

# the command line can be typed again, and a frame stays on its line
"$berth" show p.acp > out
check "the command, to be pasted" grep -qxF "\$'./app\\033[2J\\012::stop-commands::t' 'it'\\''s' \$'a\\\\\\'\\011'" out
check "the frame" grep -qF 'f?[31m?::stop-commands::t' out

# a table for a spreadsheet holds no formula, and comes back as it was
for name in p.csv compare.csv; do
  [ -e $name ] || "$berth" compare "${given[@]}" --csv ./=m.json > $name
  check "$name: no formula" [ "$(grep -cE '(^|,)"?[=+@-][^0-9",]' $name)" = 0 ]
done
"$berth" show back.acp --json > back.json
"$berth" show p.acp --json > was.json
check "phases come back" python3 "$BERTH_SOURCE_DIR/tests/cli/hostile.py" same was.json back.json
finish
