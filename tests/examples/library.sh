#!/usr/bin/env bash
# examples/library: C programs that are built against an installed berth do what `berth map`,
# `berth resolve` and `berth recover` do; the Python program's numbers are those of `berth cost`.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cmake --install "$BERTH_BUILD_DIR" --prefix "$work/prefix" > log 2>&1 || { cat log; exit 1; }
lib=$(dirname "$(find prefix -name libberth.so)")
examples=$BERTH_SOURCE_DIR/examples
inputs=("$examples/ladder/pattern.acp" "$BERTH_SOURCE_DIR/testbed/topology.json")
flags=$(PKG_CONFIG_PATH=$work/$lib/pkgconfig pkg-config --cflags --libs berth)
for program in place sites estimate; do
  # shellcheck disable=SC2086
  check "$program.c builds" gcc -std=c11 -Wall -Wextra -Werror -o $program \
    "$examples/library/$program.c" $flags
done
sanitizer=$(ldd "$lib/libberth.so" | awk '/libasan/ { print $3 }')
with() { env LD_LIBRARY_PATH="$work/$lib" LD_PRELOAD="$sanitizer" "$@"; }
with ./place "${inputs[@]}" by-library > out
"$berth" map --pattern "${inputs[0]}" --topology "${inputs[1]}" --rankfile by-program \
  --mapping best.json > /dev/null
check "both place alike" cmp by-library by-program
check "and price alike" [ "$(sed 's/.*: \(.*\) s/\1/' out)" = \
  "$(python3 -c 'import json; print("%.6f" % json.load(open("best.json"))["cost_s"])')" ]
expect 3 "place: log:1:1: not valid JSON at '-- Install c'" \
  with ./place log log log

# gain, interval and bottleneck, in C and in Python; berth cost says the same
with ./estimate "${inputs[@]}" best.json > by-c
with python3 "$examples/library/estimate.py" "${inputs[@]}" best.json > by-python
check "C and Python print the same" diff by-c by-python
"$berth" cost --pattern "${inputs[0]}" --topology "${inputs[1]}" --mapping best.json --json > cost.json
check "as berth cost" diff by-c <(python3 - <<'PY'
import json
m = json.load(open("cost.json"))["results"][0]
low, high = m.get("cost_low_s", m["cost_s"]), m.get("cost_high_s", m["cost_s"])
moved = sum(pu != r for r, pu in enumerate(json.load(open("best.json"))["pu_of_rank"]))
limit = m["run_gain_limit"]
run = "unknown" if limit is None else f"{100 * limit:.2f}%" if m["run_gain"] is not None else f"at most {100 * limit:.2f}%"
print(f"cost: {m['cost_s']:.6f} s ({low:.6f} to {high:.6f} s)")
print(f"default order: {m['linear_cost_s']:.6f} s")
print(f"gain: {100 * m['cost_gain']:.2f}%, {moved} ranks elsewhere: cheaper")
print(f"gain of the run: {run}")
print(f"bottleneck: {m['bottleneck']['text']}, {m['bottleneck']['bytes']:.0f} bytes")
PY
)
expect 3 "estimate: log:1:1: not valid JSON at '-- Install c'" with ./estimate log log log
expect 2 "usage: estimate PATTERN TOPOLOGY MAPPING" with ./estimate

expect 2 "usage: place PATTERN TOPOLOGY RANKFILE" with ./place

# a trace whose call sites are functions already, and one whose module is here
with ./sites "${inputs[0]}" > out
check "a resolved trace" \
  [ "$(head -n 1 out)" = "16 ranks, 4 call sites, 0 resolved here, 4 before" ]
frames="MPI_Isend < exchange ladder.c:67 < run ladder.c:7[58]"
check "its largest call site" \
  grep -qx "[0-9]* bytes in [0-9]* messages: $frames" <(sed -n 2p out)
check "by bytes" sort -c -rn <(sed 1d out)
printf 'void halo(void)\n{\n  __asm__("nop");\n}\n' > halo.c
gcc -g -O0 -shared -fPIC -Wl,--build-id -o halo.so halo.c || exit 1
id=$(readelf -n halo.so | awk '/Build ID/ { print $3 }')
at=$((16#$(nm halo.so | awk '$3 == "halo" { print $1 }') + 1))
{
  echo '{"format":"berth-pattern","version":1,"ranks":2}'
  printf '{"kind":"site","id":1,"op":"MPI_Send","frames":["%s/halo.so+0x%x (%s)"]}\n' \
    "$work" $at "$id"
  echo '{"kind":"p2p","site":1,"src":0,"msgs":[[1,100,3]]}'
  echo '{"kind":"end","records":2}'
} > halo.acp
printf '%s\n' "2 ranks, 1 call sites, 1 resolved here, 0 before" \
  "300 bytes in 3 messages: MPI_Send < halo halo.c:2" > want
with ./sites halo.acp > out
check "a trace that isn't" cmp want out

# tables that ranks left, of which some are damaged
corpus=$BERTH_SOURCE_DIR/tests/fuzz/corpus/spool
mkdir tables none
cp "$corpus/whole" tables/01-0.spool
cp "$corpus/header" tables/01-1.spool
with ./sites tables > out
check "a folder of tables" [ "$(sed -n 2,3p out)" = \
  "tables of 1 of 3 ranks, 0 messages lost for want of room
3 ranks, 2 call sites, 0 resolved here, 0 before" ]
"$berth" recover -o recovered.acp tables 2> by-program
check "what is left out, as berth recover says it" \
  [ "$(sed -n 1p out)" = "$(sed -n 's/^berth recover: \(left out: \)/\1/p' by-program)" ]
expect 4 "sites: none: found no tables" with ./sites none
expect 4 "sites: nosuch: cannot open: No such file or directory" with ./sites nosuch
expect 2 "usage: sites TRACE|FOLDER" with ./sites

PATH=$work/prefix/bin:$PATH
bottlenecks=$examples/library/bottlenecks.py
"$bottlenecks" "${inputs[@]}" best.json > out
check "the JSON's reader" grep -q '^best.json: 0.438876 s, .*link of h[0-9]*, at A' out
printf '%s\n' '{"format":"berth-pattern","version":1,"ranks":16}' \
  '{"kind":"end","records":0}' > idle.acp
"$bottlenecks" idle.acp "${inputs[1]}" best.json > out
check "of ranks that say nothing" grep -qx 'best.json: no port costs anything' out
expect 2 "usage: bottlenecks.py PATTERN TOPOLOGY MAPPING..." "$bottlenecks"
expect 4 "berth compare: --topology x: cannot open: No such file or directory" "$bottlenecks" nosuch x y
expect 3 "berth compare: --topology log:1:1: not valid JSON at '-- Install c'" \
  "$bottlenecks" "${inputs[0]}" log best.json

symbols=$(nm -D --defined-only "$lib/libberth.so" | awk '$2 ~ /[TDBRVW]/ { print $3 }')
# of headers: names between BERTH_API and a bracket, which may stand on the next line
declared=$(cat "$work"/prefix/include/berth/*.h | sed '/^#/d' | tr '\n' ' ' |
  grep -oE 'BERTH_API [^;(]*\(' | sed -E 's/.*[ *](berth_[a-z_0-9]+)\($/\1/' | sort -u)
check "headers declare functions" \
  [ "$(grep -cE '^berth_(map_run|resolve|recover|calib_next)$' <<< "$declared")" -eq 4 ]
check "the library has each that its headers declare" \
  [ -z "$(comm -23 <(echo "$declared") <(cut -d@ -f1 <<< "$symbols" | sort))" ]
check "all of its symbols are berth's, and versioned" \
  [ -z "$(grep -vE '^berth_[a-z_0-9]+@@BERTH_0$|^BERTH_0' <<< "$symbols")" ]
finish
