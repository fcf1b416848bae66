#!/usr/bin/env bash
# CONTRIBUTING.md's worked example: berth is built with its pieces, and its commands are run.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
mkdir "$work/src"
cp -r "$BERTH_SOURCE_DIR/src/mapping" "$work/src/mapping"
python3 - "$BERTH_SOURCE_DIR/CONTRIBUTING.md" "$work" > "$work/session" <<'PY' || exit 1
import pathlib
import re
import sys

text, work = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
pieces = re.findall(r"<!-- example: (.*?) -->\n```c?\n(.*?)```\n", text, re.S)
for where, piece in pieces:
    name, _, before = where.partition(", before: ")
    if where == "run":
        print(piece, end="")
    elif before:
        whole = (work / name).read_text()
        assert whole.count(before) == 1, f"{name}: found {whole.count(before)} times '{before}', expected one"
        (work / name).write_text(whole.replace(before, piece.rstrip("\n") + "\n" + before))
    else:
        (work / name).write_text(piece)
assert len(pieces) == 4, f"found {len(pieces)} pieces of the example, expected 4"
PY

# The program's link line, with the changed objects before the module that has the others.
cd "$work" || exit 1
objects=()
for source in write_table writer_list; do
  gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-missing-field-initializers -fPIC -c \
    -I "$work/src" -I "$BERTH_SOURCE_DIR/src" -I "$BERTH_SOURCE_DIR/include" \
    -I "$BERTH_BUILD_DIR/include" \
    "src/mapping/writers/$source.c" -o "$source.o" || exit 1
  objects+=("$work/$source.o")
done
line=$(ninja -C "$BERTH_BUILD_DIR" -t commands src/cli/berth | grep -m 1 -- ' -o src/cli/berth ')
line=${line#*&& } line=${line%%&&*}
check "the program links" bash -c "cd '$BERTH_BUILD_DIR' &&
  ${line/ -o src\/cli\/berth / ${objects[*]} -o $work/berth }"

ran=0
cp -r "$BERTH_SOURCE_DIR"/{testbed,rankfiles} .
PATH=$work:$PATH
expected=
compare() { check "$command" [ "$found" = "$expected" ]; }
while IFS= read -r text; do
  if [[ $text == '$ '* ]]; then
    [ $ran -eq 0 ] || compare
    command=${text#'$ '} expected=
    found=$(eval "$command" 2>&1)
    code=$?
    check "$command: exit code $code" [ $code -eq 0 ]
    [[ $command != berth* ]] || found=
    ran=$((ran + 1))
  else
    expected+=${expected:+$'\n'}$text
  fi
done < session
compare
check "the commands ran" [ $ran -eq 2 ]
check "its list knows the format" grep -q '^  table ' <(berth write --list)
finish
