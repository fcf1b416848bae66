#!/usr/bin/env bash
# Every public header compiles alone, and all of them together, as C11 and as C++17.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
includes=(-I "$BERTH_SOURCE_DIR/include" -I "$BERTH_BUILD_DIR/include")
compiles() { # NAME FILE
  check "$1 as C11" gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
    "${includes[@]}" "$2"
  check "$1 as C++17" g++ -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only \
    -x c++ "${includes[@]}" "$2"
}
for header in "$BERTH_SOURCE_DIR"/include/berth/*.h "$BERTH_BUILD_DIR"/include/berth/*.h; do
  name=$(basename "$header")
  printf '#include <berth/%s>\nint one(void);\n' "$name" > "$work/one.c"
  compiles "$name" "$work/one.c"
  printf '#include <berth/%s>\n' "$name" >> "$work/all.c"
done
compiles "all headers" "$work/all.c"
finish
