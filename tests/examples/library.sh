#!/usr/bin/env bash
# examples/library: a C program that is built against an installed berth does what `berth map` does;
# the Python program's numbers are those of `berth cost`.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cmake --install "$BERTH_BUILD_DIR" --prefix "$work/prefix" > log 2>&1 || { cat log; exit 1; }
lib=$(dirname "$(find prefix -name libberth.so)")
examples=$BERTH_SOURCE_DIR/examples
inputs=("$examples/ladder/pattern.acp" "$BERTH_SOURCE_DIR/testbed/topology.json")
flags=$(PKG_CONFIG_PATH=$work/$lib/pkgconfig pkg-config --cflags --libs berth)
# shellcheck disable=SC2086
check "place.c builds" gcc -std=c11 -Wall -Wextra -Werror -o place "$examples/library/place.c" $flags
sanitizer=$(ldd "$lib/libberth.so" | awk '/libasan/ { print $3 }')
env LD_LIBRARY_PATH="$work/$lib" LD_PRELOAD="$sanitizer" ./place "${inputs[@]}" by-library > out
"$berth" map --pattern "${inputs[0]}" --topology "${inputs[1]}" --rankfile by-program \
  --mapping best.json > /dev/null
check "both place alike" cmp by-library by-program
check "and price alike" [ "$(sed 's/.*: \(.*\) s/\1/' out)" = \
  "$(python3 -c 'import json; print("%.6f" % json.load(open("best.json"))["cost_s"])')" ]
expect 3 "place: log:1:1: not valid JSON at '-- Install c'" \
  env LD_LIBRARY_PATH="$work/$lib" LD_PRELOAD="$sanitizer" ./place log log log

PATH=$work/prefix/bin:$PATH "$examples/library/bottlenecks.py" "${inputs[@]}" best.json > out
check "the JSON's reader" grep -q '^best.json: 0.438736 s, A: down port to h' out

symbols=$(nm -D --defined-only "$lib/libberth.so" | awk '$2 ~ /[TDBRVW]/ { print $3 }')
check "the library has functions" grep -q '^berth_map_run@@BERTH_0$' <<< "$symbols"
check "all of its symbols are berth's, and versioned" \
  [ -z "$(grep -vE '^berth_[a-z_0-9]+@@BERTH_0$|^BERTH_0' <<< "$symbols")" ]
finish
