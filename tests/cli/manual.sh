#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every man page on a terminal of 80 columns: its lines, and whether all of its text is there.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
mkdir "$work/pages"
"$berth" manual --directory "$work/pages"
check "pages of commands, formats and the environment" \
  [ "$(cd "$work/pages" && ls berth.1 berth-map.1 berth-pattern.5 berth-environment.7 | wc -l)" -eq 4 ]
for file in "$BERTH_SOURCE_DIR"/docs/formats/*.md; do
  name=$(basename "$file" .md)
  check "berth-$name(5)" [ -s "$work/pages/berth-$name.5" ]
  check "manual $name.5" cmp -s <("$berth" manual "$name.5") "$work/pages/berth-$name.5"
done
for page in "$work"/pages/*; do
  name=$(basename "$page")
  check "$name is well formed" [ -z "$(groff -man -t -Tutf8 -ww -z -rLL=78n "$page" 2>&1)" ]
  check "$name is found by its subject" grep -q ": \"${name%.*} - ." <(lexgrog "$page")
done
python3 "$BERTH_SOURCE_DIR/tests/cli/manual.py" "$work/pages" > "$work/found"
check "the text of all pages" cmp -s "$work/found" /dev/null
head -n 30 "$work/found"
expect 2 "berth manual: found 'none', expected one command or format
Try \`berth manual --help' or \`berth manual --usage' for more information." "$berth" manual none
finish
