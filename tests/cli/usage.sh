#!/usr/bin/env bash
# What every command does when asked for help or used wrongly.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"

for word in help --help -h; do
  check "help $word lists what there is" cmp -s <("$berth" help $word) <("$berth" --help)
done
commands=$("$berth" --help | awk '/^  [a-z]/ {print $1}')
check "commands are listed" [ "$(echo "$commands" | wc -w)" -ge 2 ]
for c in $commands; do
  "$berth" "$c" --help > "$work/help" 2>&1
  check "$c --help" grep -q "^Usage: berth $c" "$work/help"
  check "help $c" cmp -s <("$berth" help "$c" 2>&1) "$work/help"
  "$berth" manual "$c" > "$work/page" 2>/dev/null
  check "$c has a man page" grep -q "^.TH BERTH" "$work/page"
  check "the man page of $c is well formed" \
    [ -z "$(groff -man -Tutf8 -ww -z "$work/page" 2>&1)" ]
  check "paragraphs of $c's man page end where a sentence does" \
    eval '! grep -E "^.{200,}" "$work/page" | grep -v "[.:;)]\$"'
  # every option of --help stands on the man page
  for option in $(grep -o -- '--[a-z-]*' "$work/help" | sort -u); do
    case $option in --usage) continue ;; esac
    check "$option is on the page of $c" grep -qF -- "${option//-/\\-}" "$work/page"
  done
  # help names no option that the command doesn't have, except of other commands (`berth run --x`) and MPIs
  sed -E 's/`[^`]*`//g; s/--map-by seq//' <(tr '\n' ' ' < "$work/help" | tr -s ' ') | grep -o -- '--[a-z][a-z-]*' | sort -u > "$work/named"
  grep -oE '^ {2,6}(-., )*--[a-z][a-z-]*' "$work/help" | grep -o -- '--.*' | sort -u > "$work/own"
  is "options that $c doesn't have, in its help" "$(comm -23 "$work/named" "$work/own")" ""
  # man/berth-NAME.md has the options that there are, and every option has a text
  page=$BERTH_SOURCE_DIR/man/berth-$c.md
  for option in $(sed -nE '/^## Options/,/^## N/s/^- `(--[a-z-]+).*/\1/p' "$page"); do
    check "$option of $page is an option" grep -qE -- "$option\b" "$work/help"
  done
  awk '/^\.TP/ { getline; option = $0; getline; if ($0 == "") print option }
    /^\.SH NOTES/ { exit }' "$work/page" > "$work/silent"
  check "every option of $c has a text" cmp -s "$work/silent" /dev/null
  "$berth" "$c" --no-such-option > /dev/null 2>&1
  check "$c with an unknown option exits 2" [ $? -eq 2 ]
done
"$berth" > /dev/null 2>&1
check "no command exits 2" [ $? -eq 2 ]
# an unknown command takes one line, with the nearest name: WORD NEAREST
while read -r word nearest; do
  line="berth: found command '$word', expected $nearest or another that \`berth --help\` lists"
  expect 2 "$line" "$berth" "$word"
  expect 2 "$line" "$berth" "$word" --topology x -o y
  expect 2 "${line/command/page}" "$berth" help "$word"
done <<'TABLE'
cst cost
toopo topo
exprot export
snap snapshot
mapp map
snapshoot snapshot
reports report
MAP map
TABLE
# pages of the documentation: NAME FILE, in docs/. They are text without Markdown's marks, which code may
# have, and their lines fit 80 columns.
words() { tr -d '`*|' | tr -cs '[:alnum:]_' '\n' | sort -u; }
while read -r name file; do
  "$berth" help "$name" > "$work/text"
  sed 's/\[\([^]]*\)\]([^)]*)/\1/g; s/docs\/[a-z/-]*\.md//g' "$BERTH_SOURCE_DIR/docs/$file" > "$work/markdown"
  check "help $name: no marks" [ "$(grep -v '^    ' "$work/text" | grep -cE '`|\*\*|^#|^\||\]\(')" = 0 ]
  check "help $name: 80 columns" [ -z "$(grep -v '^    ' "$work/text" | grep -E '^.{81}.*[^ ] [^ ]')" ]
  check "help $name: all its words" [ -z "$(comm -13 <(words < "$work/text") <(words < "$work/markdown"))" ]
done <<'TABLE'
pattern formats/pattern.md
pattern.5 formats/pattern.md
cost-models formats/cost-models.md
cost.5 formats/cost.md
environment environment.md
environment.7 environment.md
TABLE
while read -r name nearest; do
  expect 2 "berth: found page '$name', expected $nearest or another that \`berth --help\` lists" \
    "$berth" help "$name"
done <<'TABLE'
patern pattern
cost.1 cost.5
cost.7 cost.5
pattern. pattern
pattern.55 pattern
enviroment environment
TABLE
for page in cost.5 pattern environment; do
  check "--help lists $page" grep -qwF "$page" <("$berth" --help)
done
check "--help has 80 columns" [ -z "$("$berth" --help | grep -E '^.{81}')" ]
# without a near one no name is given
for word in nosuch zzzz x; do
  expect 2 "berth: found command '$word', expected one that \`berth --help\` lists" "$berth" $word
  expect 2 "berth: found page '$word', expected one that \`berth --help\` lists" "$berth" help $word
  expect 2 "berth map: found option '--$word', expected one that \`berth map --help\` lists" "$berth" map --$word
done
# so does an unknown option: COMMAND OPTION NEAREST
while read -r command option nearest; do
  expect 2 "berth $command: found option '$option', expected --$nearest or another that \`berth $command --help\` lists" \
    "$berth" "$command" "$option" --json
done <<'TABLE'
map --toplogy topology
map --patern=x pattern
topo --lnk link
trace --oder order
show --jsn json
TABLE
expect 4 "berth run: ./none: found no such program" "$berth" run -- ./none --toplogy # its own option
expect 4 "berth map: --pattern --json: cannot open: No such file or directory" \
  "$berth" map --topology "$data/cases/chain5.topo.json" --pattern --json
# -h is --help anywhere behind a command, and the launched program's own behind that
for words in "map -h" "topo -h" "topo discover -h" "trace -h" "cost --json -h" "map a b -o x -h" \
  "cost a -h b" "topo show x -h" "check --pattern a -h"; do
  command=${words%% *}
  check "$words" cmp -s <("$berth" $words 2>&1) <("$berth" "$command" --help 2>&1)
done
check "--help lists -h" grep -qE -- '-[?], -h, --help ' <("$berth" map --help)
expect 4 "berth map: --pattern -h: cannot open: No such file or directory" \
  "$berth" map --topology "$data/cases/chain5.topo.json" --pattern -h # an option's value
[ ! -f "$BERTH_BUILD_DIR/lib/berth/openmpi/libberth-trace.so" ] || # built without MPI
  check "-h of a launched program" grep -qx 'usage of the program' \
    <(cd "$work" && printf '#!/bin/sh\necho "usage of the program"\n' > program && chmod +x program &&
      "$berth" trace --mpi openmpi -o x.acp -- ./program -h 2> /dev/null)
check "--version" grep -qE '^berth [0-9]+\.[0-9]+\.[0-9]+$' <("$berth" --version)
for words in --help --version "map --help" "cost --usage" "map --version" "help map"; do
  $berth $words > /dev/full 2> "$work/err"
  check "no room for $words" [ $?/"$(wc -l < "$work/err")" = 4/1 ]
done
"$berth" cost --pattern "$data/cases/chain5.acp" --topology "$data/cases/chain5.topo.json" \
  --mapping "$data/cases/chain5.mapping.json" > /dev/full 2> "$work/err"
check "results that cannot be written exit 4" [ $? -eq 4 ]
check "and are said to be lost" grep -qx "berth cost: standard output: cannot write: No space left on device" "$work/err"
finish
