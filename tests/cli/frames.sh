#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What becomes of a stored frame: the names of C++ functions for people, and what `berth show` leaves
# of a frame that has no name.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
command -v g++ > /dev/null || { echo "skipped: g++ is missing"; exit 77; }

cat > names.cc <<'CXX'
template <typename T> struct vec { T x; };
namespace lib {
struct grid {
  void swap(int) {}
  explicit operator bool() { return true; }
  void operator()(double) {}
  template <typename T> bool operator<(T) { return true; }
  template <typename T> vec<vec<T> > halo(T) { return {}; }
};
template <typename T> const T *pack(const T *p, void (*)(int)) { return p; }
namespace {
__attribute__((used, noinline)) void hidden(vec<int>) {}
}
}
extern "C" void plain() {
  lib::grid g;
  g.swap(1), g(2.0), (void)bool(g), g < 3, g.halo(4.0f), lib::pack<char>(nullptr, nullptr);
  auto each = [](int) {};
  each(5);
}
CXX
g++ -O0 -shared -fPIC -Wl,--build-id -o names.so names.cc || exit 1
id=$(readelf -n names.so | awk '/Build ID/ { print $3 }')

# the functions' linkage names and what they are to people
cat > want <<'NAMES'
plain plain
_ZN3lib4grid4swapEi lib::grid::swap
_ZN3lib4gridcvbEv lib::grid::operator bool
_ZN3lib4gridclEd lib::grid::operator()
_ZN3lib4gridltIiEEbT_ lib::grid::operator< <int>
_ZN3lib4grid4haloIfEE3vecIS2_IT_EES3_ lib::grid::halo<float>
_ZN3lib4packIcEEPKT_S3_PFviE lib::pack<char>
_ZN3lib12_GLOBAL__N_16hiddenE3vecIiE lib::(anonymous namespace)::hidden
_ZZ5plainENKUliE_clEi plain::{lambda(int)#1}::operator()
NAMES
n=0
{
  echo '{"format":"berth-pattern","version":1,"ranks":1}'
  while read -r linkage _; do
    n=$((n + 1))
    at=$(nm names.so | awk -v name="$linkage" '$3 == name { print $1 }')
    printf '{"kind":"site","id":%d,"op":"MPI_Send","frames":["%s/names.so+0x%x (%s)"]}\n' \
      "$n" "$work" "$((16#$at + 1))" "$id"
  done < want
  # no function lies here
  printf '{"kind":"site","id":%d,"op":"MPI_Send","frames":["%s/names.so+0x1 (%s)","a b+0x2"]}\n' \
    "$((n + 1))" "$work" "$id"
  # a call site of times alone is resolved, but not counted
  printf '{"kind":"site","id":20,"op":"MPI_Recv","frames":["%s/names.so+0x%x (%s)"]}\n' \
    "$work" "$((16#$(nm names.so | awk '$3 == "plain" { print $1 }') + 1))" "$id"
  echo '{"kind":"time","op":"MPI_Recv","total_s":1,"max_s":1,"max_rank":0}'
  echo '{"kind":"time","op":"MPI_Recv","site":20,"total_s":1,"max_s":1,"max_rank":0}'
  for ((k = 1; k <= n + 1; k++)); do
    printf '{"kind":"p2p","site":%d,"src":0,"msgs":[[0,%d,1]]}\n' "$k" "$((100 - k))"
  done
  printf '{"kind":"end","records":%d}\n' "$((2 * n + 5))"
} > raw.acp
"$berth" resolve raw.acp -o named.acp > out 2>&1
check "resolve" grep -q "10 call sites (9 resolved)" out
check "a site of times alone" grep -qx '.*  MPI_Recv  plain+0x1 names.so' <("$berth" show named.acp)
"$berth" show --top 0 named.acp | sed -n 's/.*MPI_Send  //p' > frames
check "as many functions" [ "$n" -eq 9 ]
while read -r linkage name; do
  check "$linkage" grep -qxF "$name+0x1 names.so" frames
done < want
check "a frame without a name" grep -qxF "names.so+0x1 < a b+0x2" frames
"$berth" show --json --top 0 named.acp > json
check "JSON has all of it" grep -qF "$work/names.so+0x1 ($id)" json

# the line counts collective calls, with the repeats of their phases; bytes only of messages
while read -r phase repeats messages says; do
  { echo '{"format":"berth-pattern","version":1,"ranks":4}'
    echo "{\"kind\":\"phase\",\"id\":$phase,\"name\":\"\",\"repeats\":$repeats}"
    [ "$messages" = 0 ] || echo "{\"kind\":\"p2p\",\"phase\":$phase,\"src\":0,\"msgs\":[[1,100,$messages]]}"
    echo "{\"kind\":\"coll\",\"phase\":$phase,\"op\":\"MPI_Allreduce\",\"bytes\":8,\"count\":5}"
    echo "{\"kind\":\"end\",\"records\":$((messages ? 3 : 2))}"
  } > calls.acp
  "$berth" resolve calls.acp -o named.acp > out 2>&1
  check "$messages messages, calls x $repeats" grep -qxF "berth resolve: named.acp: 4 ranks, $says, 0 call sites (0 resolved)" out
done <<'END'
0 99 0 0 messages, 495 collective calls
3 1 0 0 messages, 5 collective calls
3 2 1 2 messages, 200 B, 10 collective calls
END
"$berth" export -f sqlite -o calls.db calls.acp
"$berth" import calls.db -o back.acp 2> out
check "import says the same" grep -qxF "berth import: back.acp: 4 ranks, 2 messages, 200 B, 10 collective calls" out

# phases without a name get that of their loudest site's innermost frame with a name, once
cat > phases.acp <<END
{"format":"berth-pattern","version":1,"ranks":1}
{"kind":"phase","id":1,"name":"phase 1"}
{"kind":"phase","id":2,"name":"phase 2"}
{"kind":"phase","id":3,"name":"phase 3"}
{"kind":"phase","id":4,"name":"mine"}
{"kind":"site","id":1,"op":"MPI_Send","frames":["$work/names.so+0x1 ($id)","swap a.c:3","step a.c:7"]}
{"kind":"site","id":2,"op":"MPI_Send","frames":["$work/names.so+0x2 ($id)","$work/names.so+0x1 ($id)"]}
{"kind":"p2p","phase":1,"site":1,"src":0,"msgs":[[0,100,1]]}
{"kind":"p2p","phase":2,"site":1,"src":0,"msgs":[[0,100,1]]}
{"kind":"p2p","phase":3,"site":2,"src":0,"msgs":[[0,100,1]]}
{"kind":"p2p","phase":4,"site":2,"src":0,"msgs":[[0,100,1]]}
{"kind":"end","records":10}
END
"$berth" resolve phases.acp -o named.acp > out 2>&1
check "phases" [ "$("$berth" show named.acp | grep -oE '^  [1-9] "[^"]*"')" = '  1 "swap a.c:3"
  2 "swap a.c:3 (phase 2)"
  3 "names.so+0x2"
  4 "mine"' ]
finish
