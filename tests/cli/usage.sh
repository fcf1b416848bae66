#!/usr/bin/env bash
# What every command does when asked for help or used wrongly.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"

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
  "$berth" "$c" --no-such-option > /dev/null 2>&1
  check "$c with an unknown option exits 2" [ $? -eq 2 ]
done
"$berth" > /dev/null 2>&1
check "no command exits 2" [ $? -eq 2 ]
"$berth" frobnicate > "$work/out" 2>&1
check "an unknown command exits 2" [ $? -eq 2 ]
check "an unknown command is named" grep -q "found command 'frobnicate'" "$work/out"
check "--version" grep -qE '^berth [0-9]+\.[0-9]+\.[0-9]+$' <("$berth" --version)
for words in --help --version "map --help" "cost --usage" "map --version" "help map"; do
  $berth $words > /dev/full 2> "$work/err"
  check "no room for $words" [ $?/"$(wc -l < "$work/err")" = 4/1 ]
done
"$berth" cost --pattern "$data/cases/chain5.acp" --topology "$data/cases/chain5.topo.json" \
  --mapping "$data/cases/chain5.mapping.json" > /dev/full 2> "$work/err"
check "results that cannot be written exit 4" [ $? -eq 4 ]
check "and are said to be lost" grep -q "cannot write standard output" "$work/err"
finish
