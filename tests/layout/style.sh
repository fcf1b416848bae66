#!/usr/bin/env bash
# Sizes and names (style.py): the tree keeps to them, and each planted violation is found.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
here=$BERTH_SOURCE_DIR/tests/layout
check "the tree" python3 "$here/style.py" "$BERTH_SOURCE_DIR" "$BERTH_BUILD_DIR"

cd "$work" || exit 1
cp -r "$BERTH_SOURCE_DIR"/{src,include} .
mkdir -p build/src/CMakeFiles/berth_base.dir/base
expected=()
# planted EXPECTED FILE: appends its input to the file.
planted() { expected+=("$1"); cat >> "$2"; }
planted "found 103 columns, expected at most 100" src/base/text.c < <(printf '/* %097d */\n' 0)
planted "src/map/README.md: found old_name.c, expected a file that is there" src/map/README.md <<< '`old_name.c`'
planted "lines, expected at most 600" src/base/json.c < <(printf '\n%.0s' {1..600})
planted "found a second cells.c" src/report/cells.c < src/exchange/text/cells.c
planted "found a string broken around one word" src/base/text.c \
  < <(printf 'const char *f(void)\n{\n  return "a text "\n    "in "\n    "pieces";\n}\n')
planted "found option --reserve in the library" src/map/map_problem.c \
  <<< 'const char *f(void) { return "found 1, expected --reserve 0"; }'
# shellcheck disable=SC2016 # names in backquotes
planted 'found field `no_such_field`' src/map/map_problem.c \
  <<< 'const char *g(void) { return "`no_such_field`: found 1"; }'
# shellcheck disable=SC2016
sed -i 's/`max_moves`/`threads`/' src/map/map_problem.c
expected+=("found max_moves, expected a field that a text of the library has")
for name in one two; do
  echo 'int same_name(void) { return 1; }' > src/base/$name.c
  gcc -c src/base/$name.c -o build/src/CMakeFiles/berth_base.dir/base/$name.c.o
done
expected+=("found a second same_name" "src/base/one.c: found same_name, expected a name that begins with one_")

code=0
python3 "$here/style.py" . build > found || code=$?
check "violations: exit code $code" [ $code -eq 1 ]
for text in "${expected[@]}"; do
  check "found: $text" grep -qF -- "$text" found
done
finish
