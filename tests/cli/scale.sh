#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `berth scale`: programs whose definition says what they send with any number of ranks
# (scale_programs.py, and berth make pattern), generalised from small sizes and held against the
# definition at a larger one; what is left out and refused; wrong usage.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"

cd "$work" || exit 1
programs=$BERTH_SOURCE_DIR/tests/cli/scale_programs.py
value() { python3 -c "import json, sys; d = json.load(open(sys.argv[1])); print($2)" "$1"; }

# NAME RANKS…: NAME-RANKS.acp
write_all() {
  local name=$1 n; shift
  for n in "$@"; do python3 "$programs" write "$name" "$n" "$name-$n.acp" || return 1; done
}
traces() { local name=$1; shift; printf "$name-%s.acp " "$@"; }

while read -r name within low high target traced; do
  # shellcheck disable=SC2086
  write_all "$name" $traced "$target" || exit 1
  # shellcheck disable=SC2046,SC2086
  "$berth" scale $(traces "$name" $traced) --to "$target" --against "$name-$target.acp" --json \
    > "$name.json" 2> "$name.err" || cat "$name.err" >&2
  is "$name from $traced to $target ranks" "$(value "$name.json" \
    "d['against']['within'] >= $within and $low - 1e-9 <= d['kept'] <= $high + 1e-9")" True
done < <(python3 "$programs" list)

# What is left out has its reason and its share.
is "an irregular call site is left out" "$(value half_irregular.json \
  "[s['why'] for s in d['sites'] if not s['kept']]")" \
  "['no relation between senders and receivers holds in all traces']"
is "calls with different amounts are left out" "$(value irregular_calls.json \
  "[s['why'] for s in d['sites'] if not s['kept']]")" "['its ranks give different amounts']"

# Sizes of messages, and not only bytes of pairs: of the flags, and of all else.
"$berth" scale flags-{4,8,16}.acp --to 64 -q -o flags.acp
is "sizes of messages" "$(python3 "$BERTH_SOURCE_DIR/tests/trace/acp.py" lines flags.acp | grep p2p | head -2)" \
  "$(python3 "$BERTH_SOURCE_DIR/tests/trace/acp.py" lines flags-64.acp | grep p2p | head -2)"

# What is left out isn't forgotten: later commands say that something is missing.
"$berth" scale half_irregular-{8,16,32}.acp --to 64 -q -o half.acp
"$berth" topo make host:8 core:8 -q -o machine.json
"$berth" map half.acp machine.json -o half.json > map.txt 2>&1
check "map says that something is left out" grep -q "not included: 26 calls" map.txt

# A stencil on 2 x 2 ranks with one message for each pair doesn't go around its edges.
"$berth" make pattern stencil2d --grid 2x2 -q -o small.acp
"$berth" make pattern stencil2d --grid 8x8 -q -o large.acp
"$berth" scale small.acp --weak --to 64 --against large.acp --json > small.json
is "a stencil on 2 x 2 ranks" "$(value small.json "d['against']['within']")" 1

# The grids, and that two sizes don't tell a 3D halo's rules apart.
is "the grids of traces" "$(value rising3d.json "[g['grid'] for g in d['traced_grids']], d['rule']")" \
  "[[1, 2, 2], [2, 2, 2], [2, 2, 4]] as even as possible, the smallest first"
is "other grids" "$(value rising3d.json "[g['grid'] for g in d['other_grids']]")" "[[4, 2, 8]]"

# Grids that the program made itself, and the pattern's.
is "its own" "$(value own4d.json "d['recorded'], d['traced_grids'][0]['grid'], d['grid'], d['notes']")" \
  "True [2, 2, 1, 1] [4, 4, 4, 4] []"
"$berth" scale own4d-{4,8,16}.acp --to 256 -o own.acp > own.txt
check "its own in words" grep -qF 'in the traces, as the program made them (MPI_Cart_create): 2x2x1x1, ' own.txt
is "its own in the pattern" "$("$berth" show --json own.acp | python3 -c 'import json, sys
print(json.load(sys.stdin)["grids"])')" \
  "[{'dims': [4, 4, 4, 4], 'periodic': [True, True, True, True]}]"
is "one that the messages don't follow" "$(value own_ring.json "'recorded' in d, d['notes']")" \
  "False ['the program made a grid of 4 x 4 ranks itself (MPI_Cart_create), but its messages follow another structure better']"
write_all own_other 12 24 36 48
is "grids that follow no rule, without one" "$("$berth" scale own_other-{12,24,36}.acp --to 48 2>&1)" \
  "berth scale: the program made a grid of 18 x 2 ranks itself (MPI_Cart_create), which no known rule gives: say the grid of 48 ranks (--grid)"
"$berth" scale strong2d-{4,8,16}.acp --to 17 --json > prime.json
is "a prime number of ranks" "$(value prime.json "d['grid'], d['notes'][-1]")" \
  "[17, 1] 17 ranks leave one rank in a dimension of the grid that has more in the traces: another number of ranks may divide better"
"$berth" scale own_other-{12,24,36}.acp --grid 4x12 --against own_other-48.acp --json > other.json
is "grids that follow no rule" "$(value other.json "d['recorded'], d['against']['within'], d['rule']")" \
  "True 1 as given"

# What a few small traces can't tell is said to be unsure.
"$berth" scale collected-{4,8}.acp --to 64 --json > two.json
is "two traces don't show a law" "$(value two.json "[s['unsure'] for s in d['sites']], d['unsure']")" \
  "[\"two traces don't show by which law it grows\"] 1"
write_all bits 4 8 16
"$berth" scale bits-{4,8}.acp --to 64 --json > bits.json
is "nor two ranks in a dimension" "$(value bits.json "[s['unsure'] for s in d['sites']], d['unsure']")" \
  "['with two ranks in a dimension, all relations look alike'] 1"
"$berth" scale bits-{4,8}.acp --to 64 -o bits.acp > bits.txt
check "in words" grep -q '^of that unsure: 100.0% of the bytes, because' bits.txt
is "three traces are enough" "$(value own4d.json "d['unsure']")" 0
# Traces of different programs or MPIs.
sed 's/"mpi": "Open MPI 4.1.4"/"mpi": "MPICH 4.0.2", "command": [".\/other"]/' strong2d-8.acp > other-8.acp
"$berth" scale strong2d-4.acp other-8.acp --to 16 --json > mixed.json
is "two MPIs" "$(value mixed.json "d['notes'][-1]")" \
  "the traces are of different MPIs, Open MPI 4.1.4 and MPICH 4.0.2: call sites and what they send may differ"
write_all drawn_sizes 8 16
for n in 8 16; do sed "1s/\"mpi\"/\"command\": [\"bin\/app$n\", \"-n\"], \"mpi\"/" drawn_sizes-$n.acp > app-$n.acp; done
is "two programs with nothing in common" "$("$berth" scale app-{8,16}.acp --to 64 2>&1)" \
  "berth scale: found traces of app8 and app16, of which nothing can be generalised together: expected traces of one program"

# All standard patterns, the same for each rank.
while read -r name options; do
  for n in 4 8 16 64; do
    # shellcheck disable=SC2086
    "$berth" make pattern $name $options -n "$n" -q -o "$name-$n.acp" || exit 1
  done
  "$berth" scale "$name"-{4,8,16}.acp --to 64 --against "$name-64.acp" --json > made.json
  is "standard $name $options" "$(value made.json "d['against']['within'], d['kept'] > 0.9999")" \
    "1 True"
done << 'STANDARD'
ring
stencil2d --corners
stencil2d --periodic
stencil3d --corners
stencil3d --periodic
cg
sweep
fft2d
fft3d
hypercube
farm
alltoall
allreduce
STANDARD

# One trace, if the user says how the problem grows.
"$berth" make pattern stencil2d --grid 4x4 --block 100x200 -q -o one.acp
"$berth" make pattern stencil2d --grid 8x8 --block 100x200 -q -o weak.acp
"$berth" make pattern stencil2d --grid 8x8 --block 50x100 -q -o strong.acp
for how in weak strong; do
  "$berth" scale one.acp --$how --to 64 --against $how.acp --json > one.json
  is "one trace, --$how" "$(value one.json "d['against']['within'], d['grid']")" "1 [8, 8]"
done
"$berth" scale one.acp --weak --grid 16x4 --json > one.json
is "a grid that is given" "$(value one.json "d['grid'], d['ranks'], d['rule']")" \
  "[16, 4] 64 as given"
# Fewer ranks than were traced.
"$berth" scale strong2d-{8,16,64}.acp --to 4 --against strong2d-4.acp --json > fewer.json
is "fewer ranks" "$(value fewer.json "d['against']['within']")" 1

# The pattern: to a file, to standard output, compressed, with the command and the MPI.
"$berth" scale strong2d-{4,8,16}.acp --to 64 -o made.acp > made.txt
"$berth" scale strong2d-{16,4,8}.acp --to 64 > piped.acp 2> piped.txt
"$berth" scale strong2d-{4,8,16}.acp --to 64 -q -o made.acp.zst > quiet.txt 2>&1
body() { "$berth" show --json "$1" | grep -v '"pattern":\|"command":'; }
is "to a file and to standard output" "$(body made.acp | cksum)" "$(body piped.acp | cksum)"
is "compressed" "$(zstd -dcq made.acp.zst | tail -n +2 | cksum)" "$(tail -n +2 made.acp | cksum)"
is "quiet" "$(cat quiet.txt)" ""
is "its command" "$(head -1 made.acp | python3 -c 'import json, sys; d = json.load(sys.stdin)
print(d["command"][:3], d["mpi"])')" "['berth', 'scale', 'strong2d-4.acp'] Open MPI 4.1.4"
check "the output says where it is" grep -q '^wrote made.acp$' made.txt
check "without a file the report is on standard error" grep -q '4 neighbours' piped.txt
"$berth" scale strong2d-{4,8,16}.acp --to 64 --json > only.json
check "--json alone writes no pattern" test "$(grep -c berth-pattern only.json)" = 0
is "lines of the report that are too long" "$(awk 'length > 80' made.txt piped.txt)" ""

# refused CODE WHAT WORDS…: one line that names what was found, and no file.
refused() {
  local code=$1 what=$2; shift 2
  "$berth" scale "$@" -o no.acp > out 2> err < /dev/null
  is "refused: $*" "$? $(grep -v "^Try " err)" "$code berth scale: $what"
}
refused 2 "expected traces of the same program" --to 8
refused 2 "expected --to with a number of ranks, or --grid" one.acp --weak
refused 2 "found one trace, expected a second one, --weak or --strong" one.acp --to 8
refused 2 "found --weak and --strong, expected one of them" one.acp --weak --strong --to 8
refused 2 "found --weak and 2 traces, expected one trace: several say how the problem grows" strong2d-{4,8}.acp --weak --to 9
refused 2 "--to: found '0', expected a whole number from 1 to 16777216" one.acp --weak --to 0
refused 2 "--grid: found '4x', expected up to 4 numbers of ranks, as in 8x8x4" one.acp --weak --grid 4x
refused 3 "found a grid of 12 ranks, expected 16" one.acp --weak --grid 3x4 --to 16
refused 3 "strong2d-4.acp: found a trace of 4 ranks, as in strong2d-4.acp, expected different numbers" \
  strong2d-4.acp strong2d-4.acp --to 9
before=$(cksum < strong2d-8.acp)
is "refused: a trace as the output" \
  "$("$berth" scale strong2d-{4,8}.acp --to 9 -o strong2d-8.acp 2>&1 | head -1), $(cksum < strong2d-8.acp)" \
  "berth scale: found 'strong2d-8.acp' for an output and an input, expected different files, $before"
refused 2 "found standard input twice, expected it once" - - --to 9
refused 3 "--against strong2d-16.acp: found a pattern of 16 ranks, expected 64" \
  strong2d-{4,8}.acp --to 64 --against strong2d-16.acp
while read -r name traced; do
  # shellcheck disable=SC2086
  write_all "$name" $traced || exit 1
  # shellcheck disable=SC2046,SC2086
  "$berth" scale $(traces "$name" $traced) --to 64 -o no.acp > out 2> err
  is "refused: $name" "$? $(cut -c1-60 err)" \
    "3 berth scale: nothing of the traces can be generalised: $(
      case $name in lawless) echo 'its n' ;; two_groups) echo 'its c' ;; *) echo 'no re' ;; esac)"
done < <(python3 "$programs" refused)
check "nothing was written" [ ! -e no.acp ]
# What a terminal shows meanwhile, and signals.
mkdir progress
check "progress and signals" eval 'cd progress && python3 "$BERTH_SOURCE_DIR/tests/cli/scale_progress.py" "$berth"; code=$?; cd ..; [ $code = 0 ]'
finish
