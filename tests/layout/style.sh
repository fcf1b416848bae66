#!/usr/bin/env bash
# Sizes and names (style.py): the tree keeps to them, and a planted violation is found.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
here=$BERTH_SOURCE_DIR/tests/layout
check "the tree" python3 "$here/style.py" "$BERTH_SOURCE_DIR" "$BERTH_BUILD_DIR"

fresh() {
  rm -rf "$work/tree"
  mkdir "$work/tree"
  cp -r "$BERTH_SOURCE_DIR"/{src,include} "$work/tree"
}
# found EXPECTED [BUILD]: the check fails and says so.
found() {
  local said code=0
  said=$(python3 "$here/style.py" "$work/tree" "${@:2}") || code=$?
  check "$1: exit code $code" [ $code -eq 1 ]
  check "$1: found ${said:-nothing}" grep -qF -- "$1" <<< "$said"
}
fresh
printf '/* %097d */\n' 0 >> "$work/tree/src/base/text.c"
found "found 103 columns, expected at most 100"
fresh
echo '`old_name.c`' >> "$work/tree/src/map/README.md"
found "src/map/README.md: found old_name.c, expected a file that is there"
fresh
printf '\n%.0s' {1..600} >> "$work/tree/src/base/text.c"
found "lines, expected at most 600"
fresh
cp "$work/tree/src/exchange/text/cells.c" "$work/tree/src/report/cells.c"
found "found a second cells.c"
fresh
printf 'const char *f(void)\n{\n  return "a text "\n    "in "\n    "pieces";\n}\n' >> "$work/tree/src/base/text.c"
found "found a string broken around one word"
fresh
echo 'const char *f(void) { return "found 1, expected --reserve 0"; }' >> "$work/tree/src/map/map_problem.c"
found "found option --reserve in the library"
fresh
# shellcheck disable=SC2016
echo 'const char *f(void) { return "`no_such_field`: found 1"; }' >> "$work/tree/src/map/map_problem.c"
# shellcheck disable=SC2016
found 'found field `no_such_field`'
fresh
# shellcheck disable=SC2016
sed -i 's/`max_moves`/`threads`/' "$work/tree/src/map/map_problem.c"
found "found max_moves, expected a field that a text of the library has"
fresh
mkdir -p "$work/build/src/CMakeFiles/berth_base.dir/base"
for name in one two; do
  echo 'int same_name(void) { return 1; }' > "$work/tree/src/base/$name.c"
  gcc -c "$work/tree/src/base/$name.c" -o "$work/build/src/CMakeFiles/berth_base.dir/base/$name.c.o"
done
found "found a second same_name" "$work/build"
found "src/base/one.c: found same_name, expected a name that begins with one_" "$work/build"
finish
