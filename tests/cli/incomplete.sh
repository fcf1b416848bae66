#!/usr/bin/env bash
# What is only a part of a recording: refused, or taken and said.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cp "$BERTH_SOURCE_DIR"/tests/data/exchange/prof.*.prof .
printf '%s\n' '# POINT TO POINT' '# OSC' '# COLLECTIVES' \
  $'D\tMPI_COMM_WORLD\tprocs: 0,1,2,3' $'A2A\t1\t0 bytes\t0 msgs sent' > silent.1.prof

# Files of Open MPI's monitoring, and what stands on standard error besides what was made. Lines
# begin with the exit code; -f monitoring comes first.
said() { # FILE…
  local found code
  found=$("$berth" import -f monitoring "$@" -o out.acp 2>&1) && code=0 || code=$?
  echo "$code $found"
}
made() { echo "berth import: out.acp: 4 ranks, $1"; }
note() { echo "0 berth import: note: found no files of $1"; }
check "all" [ "$(said prof.[0-3].prof)" = "0 $(made '27 messages, 260.6 KiB')" ]
check "all in one" [ "$(said <(cat prof.[0-3].prof))" = "0 $(made '27 messages, 260.6 KiB')" ]
check "a rank that sent nothing" [ "$(said prof.[023].prof silent.1.prof)" = "0 $(made '22 messages, 195.6 KiB')" ]
check "which begins as the others" "$berth" import silent.1.prof prof.[023].prof -o out.acp 2> said
check "and isn't missing" [ "$(cat said)" = "$(made '22 messages, 195.6 KiB')" ]
check "one rank is missing" [ "$(said prof.[012].prof)" = \
  "$(note '1 of 4 ranks, whose messages are missing: 3')
$(made '22 messages, 195.6 KiB')" ]
check "several are" [ "$(said prof.0.prof)" = \
  "$(note '3 of 4 ranks, whose messages are missing: 1-3')
$(made '12 messages, 65.67 KiB')" ]
check "among others" [ "$(said prof.[13].prof)" = \
  "$(note '2 of 4 ranks, whose messages are missing: 0, 2')
$(made '10 messages, 130.0 KiB')" ]
cp prof.0.prof again.prof
head -c 300 prof.0.prof > in_sizes.prof
head -c 100 prof.0.prof > at_first.prof
head -n 3 prof.0.prof > behind_line.prof
sed 's/\(66545 bytes.*,0\),0$/\1,0,0/' prof.0.prof > more.prof
cat prof.0.prof prof.0.prof > doubled.prof
grep -v '^E' prof.0.prof > no_messages.prof
printf 'a,b\n1,2\n' > table.csv
printf '7 iterations\nE = 5.0\n' > program.out
while IFS='|' read -r files error; do
  expect 3 "berth import: $error" "$berth" import -f monitoring $files -o nothing.acp
  check "nothing is written" [ ! -e nothing.acp ]
done <<'TABLE'
table.csv|table.csv: found no line '# POINT TO POINT', expected what Open MPI's monitoring writes
prof.0.prof table.csv|table.csv: found no line '# POINT TO POINT', expected what Open MPI's monitoring writes
program.out|program.out: found no line '# POINT TO POINT', expected what Open MPI's monitoring writes
prof.0.prof prof.0.prof|prof.0.prof:2: found lines of rank 0, which prof.0.prof has, too, expected one file of each rank
prof.0.prof prof.1.prof again.prof|again.prof:2: found lines of rank 0, which prof.0.prof has, too, expected one file of each rank
doubled.prof|doubled.prof: found two lines of rank 0 to rank 1, expected one
in_sizes.prof|in_sizes.prof:3: found 47 sizes, expected 66: the line is truncated
at_first.prof|at_first.prof:2: found 27 sizes, expected 66: the line is truncated
behind_line.prof|behind_line.prof:3: found the end of the file, expected a line '# COLLECTIVES': the file is truncated
more.prof|more.prof:2: found more than 66 sizes, expected the end of the line
no_messages.prof|no_messages.prof: found no lines 'E', expected messages of the program
TABLE

# mpiP's times, which need messages beside them
times() { # TASK APPTIME MPITIME…
  printf '@ mpiP\n@--- MPI Time (seconds) ---\n---\nTask    AppTime    MPITime     MPI%%\n'
  printf '   %s %s %s 1\n' "$@"
  printf '   *       1       1    1\n'
}
times 0 8.12 4.12 1 8.11 4.2 2 8.11 8.12 3 8.1 8.1 > all.mpiP
times 0 8.12 4.12 2 8.11 4.17 > some.mpiP
times 0 6.01 99.12 > wrong.mpiP
expect 3 "berth import: all.mpiP: found times of ranks and no messages, expected a second file with messages, such as monitoring's" \
  "$berth" import all.mpiP -o nothing.acp
expect 3 "berth import: wrong.mpiP:5: MPITime: found 99.12, expected at most the AppTime, 6.01" \
  "$berth" import wrong.mpiP prof.[0-3].prof -o nothing.acp
expect 0 "$(made '27 messages, 260.6 KiB')" "$berth" import prof.[0-3].prof all.mpiP -o out.acp
check "rounded ones" grep -qF '"rank":2,"wall_s":8.11,"mpi_s":8.11}' out.acp
expect 0 "$(made '27 messages, 260.6 KiB')" "$berth" import prof.0.prof all.mpiP prof.[1-3].prof -o out.acp
expect 0 "berth import: note: 2 of 4 ranks have times: gains of run time are unknown unless all have
$(made '27 messages, 260.6 KiB')" "$berth" import prof.[0-3].prof some.mpiP -o out.acp
expect 0 "berth import: note: 4 of 6 ranks have times: gains of run time are unknown unless all have
berth import: out.acp: 6 ranks, 27 messages, 260.6 KiB" \
  "$berth" import prof.[0-3].prof all.mpiP --ranks 6 -o out.acp

# A pattern that was cut off: every command that takes it says so, on standard error and in JSON.
c=$data/cases/chain5
cp "$c.topo.json" t.json
cp "$c.mapping.json" m.json
{
  echo '{"format":"berth-pattern","version":1,"ranks":5,"command":["x"]}'
  for r in 0 1 2 3; do echo "{\"kind\":\"p2p\",\"src\":$r,\"msgs\":[[$((r + 1)),1000,1]]}"; done
  echo '{"kind":"end","records":4}'
} > whole.acp
head -n 4 whole.acp > lines.acp
head -c 215 whole.acp > middle.acp
head -n 1 whole.acp > nothing.acp
{ head -n 3 whole.acp; echo '{"kind":"p2p","src":9,"msgs":[]}'; tail -n 2 whole.acp; } > damaged.acp
for r in $(seq 9999); do echo "{\"kind\":\"p2p\",\"src\":1,\"msgs\":[[0,$((r * r)),$r]]}"; done |
  cat <(head -n 1 whole.acp) - | zstd -q > long.acp.zst
head -c $(($(wc -c < long.acp.zst) * 3 / 4)) long.acp.zst > cut.acp.zst
while IFS='|' read -r file lines sending why; do
  text="the pattern is truncated after line $lines, with what $sending of 5 ranks sent ($why)"
  json="\"pattern_cut_off\": {\"lines\": $lines, \"ranks_sending\": $sending, \"ranks\": 5, \"reason\": \"${why//\"/\\\"}\"}"
  both=(--pattern "$file" --topology t.json --truncated)
  expect 0 "note: $text" "$berth" show --truncated "$file"
  expect 0 "note: $text" "$berth" map "${both[@]}"
  check "$file: show --json" grep -qF "$json" <("$berth" show --json --truncated "$file" 2> said)
  check "$file: it is said there, too" [ "$(cat said)" = "note: $text" ]
  check "$file: map --json" grep -qF "$json" <("$berth" map --json "${both[@]}" 2> /dev/null)
  check "$file: cost --json" grep -qF "$json" <("$berth" cost --json --mapping m.json "${both[@]}" 2> /dev/null)
  check "$file: compare --json" grep -qF "$json" <("$berth" compare --json "${both[@]}" m.json 2> /dev/null)
  check "$file: explore --json" grep -qF "$json" <("$berth" explore --json --samples 20 "${both[@]}" 2> /dev/null)
  check "$file: export" grep -qxF "note: $text" <("$berth" export -f csv --truncated "$file" 2>&1 > /dev/null)
  check "$file: report" eval '"$berth" report "${both[@]}" m.json -o page.html 2> said'
  check "$file: report says it" grep -qxF "note: $text" said
  page_text=${text//\"/\&quot;}
  check "$file: the page's notes" grep -qF "<li>${page_text^}</li>" page.html
  check "$file: the page's data" grep -qF "$json" page.html
done <<'TABLE'
lines.acp|4|3|lines.acp:4: found the end of the file, expected a line of kind "end": the file is truncated
middle.acp|4|3|middle.acp:5: found the end of the file in this line: the file is truncated
nothing.acp|1|0|nothing.acp:1: found the end of the file, expected a line of kind "end": the file is truncated
damaged.acp|3|2|damaged.acp:4: src: found 9, expected a whole number from 0 to 4
TABLE
expect 0 "" "$berth" show --truncated whole.acp
check "nothing of it in a whole one" [ -z "$("$berth" show --json --truncated whole.acp | grep cut_off)" ]
check "compressed" grep -q "^note: the pattern is truncated after line [0-9]*, with what 1 of 5 ranks sent (cut.acp.zst:" \
  <("$berth" show --truncated cut.acp.zst 2>&1 > /dev/null)
finish
