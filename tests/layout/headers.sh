#!/usr/bin/env bash
# Every public header compiles alone, as C11 and as C++17.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
for header in "$BERTH_SOURCE_DIR"/include/berth/*.h; do
  name=$(basename "$header")
  printf '#include <berth/%s>\nint one(void);\n' "$name" > "$work/one.c"
  check "$name as C11" gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
    -I "$BERTH_SOURCE_DIR/include" "$work/one.c"
  check "$name as C++17" g++ -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only \
    -x c++ -I "$BERTH_SOURCE_DIR/include" "$work/one.c"
done
finish
