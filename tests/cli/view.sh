#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `berth view` on a terminal (view.py), and where there is none.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
unset BERTH_TOPOLOGY BERTH_MODEL COLUMNS LINES
export BERTH_PROJECT=none
P=$BERTH_SOURCE_DIR/examples/ladder/pattern.acp T=$BERTH_SOURCE_DIR/testbed/topology.json
M=$BERTH_SOURCE_DIR/rankfiles/ladder.mapping
python3 "$BERTH_SOURCE_DIR/tests/cli/hostile.py" write
"$berth" make pattern stencil3d -n 4096 -q -o many.acp
"$berth" topo make leaf:16 host:16:compute-node-with-a-very-long-name-[00000-00255] core:16 -q -o many.json
# patterns without messages, or without call sites
head='{"format":"berth-pattern","version":1,"ranks":16,"mpi":"Open MPI 4.1.4","created":"2026-11-28T09:00:00Z"}'
printf '%s\n' "$head" '{"kind":"phase","id":0,"name":"all","repeats":3}' \
  '{"kind":"site","id":1,"op":"MPI_Allreduce","frames":["norm solve.c:7","main main.c:9"]}' \
  '{"kind":"coll","phase":0,"site":1,"comm":0,"op":"MPI_Allreduce","bytes":65536,"count":20,"root":null}' \
  '{"kind":"coll","phase":0,"comm":0,"op":"MPI_Bcast","bytes":4194304,"count":1,"root":5}' \
  '{"kind":"end","records":4}' > calls.acp
printf '%s\n' "$head" '{"kind":"rma","phase":0,"src":0,"win":0,"sync":"fence","op":"MPI_Put","epochs":10,"msgs":[[15,65536,160]]}' \
  '{"kind":"end","records":1}' > puts.acp
printf '%s\n' "$head" '{"kind":"p2p","src":0,"msgs":[[15,65536,160]]}' '{"kind":"end","records":1}' > plain.acp
printf '%s\n' "$head" '{"kind":"end","records":0}' > none.acp
seq 0 15 > scotch.map
/usr/bin/python3 "$BERTH_SOURCE_DIR/tests/cli/view.py" "$berth" "$P" "$T" "$M" > found 2>&1
check "on a terminal: code $?" [ $? = 0 ]
check "$(cat found)" grep -qE '^[1-9][0-9]* checks passed$' found

expect 4 "berth view: found no terminal on standard input and output, expected one" "$berth" view "$P"
on() { python3 "$BERTH_SOURCE_DIR/tests/cli/on_terminal.py" 80 env "$@"; }
if ! is_sanitized; then # ncurses itself loses memory then
  ERR=err on TERM=no-such "$berth" view "$P" > log
  code=$?
  check "an unknown terminal: code $code" [ $code = 4 ]
  is "an unknown terminal" "$(cat err)" \
    "berth view: TERM: found 'no-such', expected a terminal that ncurses knows"
fi
hint="
Try \`berth view --help' or \`berth view --usage' for more information."
expect 2 "berth view: expected a pattern or a topology$hint" "$berth" view
expect 2 "berth view: found '$P' and 'many.acp', expected one of a kind$hint" "$berth" view "$P" many.acp
expect 2 "berth view: found the mapping '$M', expected a pattern and a topology beside it$hint" "$berth" view "$M" "$P"
# what can't be read: the line and the code of show, cost and topo show
for file in none.file folder empty text.txt cut.acp; do
  case $file in
  folder) mkdir folder ;;
  empty) : > empty ;;
  text.txt) echo "# a text" > text.txt ;;
  cut.acp) head -c 300 "$P" > cut.acp ;;
  esac
  line=$("$berth" show $file 2>&1 > log)
  code=$?
  check "show $file fails" [ $code = 3 -o $code = 4 ]
  expect $code "${line/berth show/berth view}" "$berth" view $file
  expect $code "${line/berth show/berth view}" "$berth" view "$T" $file
done
expect 4 "berth view: none.file: cannot open: No such file or directory" "$berth" view "$P" none.file
expect 4 "berth view: none.file: cannot open: No such file or directory" "$berth" view "$T" none.file
expect 4 "berth view: none.file: cannot open: No such file or directory" "$berth" view "$P" "$T" none.file
expect 4 "berth cost: none.file: cannot open: No such file or directory" "$berth" cost "$P" none.file "$M"
expect 4 "berth cost: none.file: cannot open: No such file or directory" "$berth" cost none.file "$T" "$M"
line=$("$berth" cost "$P" "$T" text.txt 2>&1 > log)
expect 3 "${line/berth cost/berth view}" "$berth" view "$P" "$T" text.txt
expect 2 "berth view: found 'text.txt', expected a pattern, a topology or a mapping$hint" "$berth" view "$P" "$T" "$M" text.txt
expect 2 "berth view: found '-', expected a pattern, a topology or a mapping$hint" "$berth" view -
expect 3 "berth view: m.json: pu_of_rank: found 8 ranks, expected 16, the number of the pattern" "$berth" view "$P" "$T" m.json
expect 4 "berth view: BERTH_TOPOLOGY none.json: cannot open: No such file or directory" \
  env BERTH_TOPOLOGY=none.json "$berth" view "$P"
finish
