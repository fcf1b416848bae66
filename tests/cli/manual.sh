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

# commands of examples have room on 80 columns, or are broken as a shell reads them on
awk '/^```/ { inside = !inside; blocks[FILENAME] += inside; next }
  inside && blocks[FILENAME] > (FILENAME ~ /\/man\//) && length($0) > 76 && !/^berth [a-z]+: / &&
    /^(\$ |  )?(berth [a-z]|mpirun |srun |[A-Z_]+=)/ { print FILENAME ": " $0 }' \
  "$BERTH_SOURCE_DIR"/man/*.md "$BERTH_SOURCE_DIR"/docs/formats/*.md "$BERTH_SOURCE_DIR"/docs/environment.md > "$work/long"
check "commands longer than 76 columns: $(head -n 3 "$work/long")" [ ! -s "$work/long" ]

# of a build that isn't installed
check "man finds the pages of a build" [ "$(man -M "$BERTH_BUILD_DIR/man" -w berth-cost berth-pattern berth-environment | xargs -n 1 basename | xargs)" = \
  "berth-cost.1 berth-pattern.5 berth-environment.7" ]
check "by the PATH of its program" [ "$(env -u MANPATH PATH="$BERTH_BUILD_DIR:$PATH" man -w berth-cost)" = "$BERTH_BUILD_DIR/man/man1/berth-cost.1" ]

expect 2 "berth manual: found 'none', expected one command or format
Try \`berth manual --help' or \`berth manual --usage' for more information." "$berth" manual none
finish
