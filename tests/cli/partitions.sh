#!/usr/bin/env bash
# Graphs for METIS and Scotch: weights that they can add up, and the same bytes again; what the
# programs themselves make of them, and what their placements cost.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cp "$BERTH_SOURCE_DIR/testbed/topology.json" t.json
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,5,9,2]}' > m.json
cost() { # PATTERN: under all models
  "$berth" compare --pattern "$1" --topology t.json m.json --csv |
    sed -n 's/^"m.json","",\(.*\),"[^"]*",.*/\1/p'
}
pattern() { # BYTES BYTES BYTES: of the pairs 0-1, 0-2 and 2-3, in each direction
  printf '%s\n' '{"format":"berth-pattern","version":1,"ranks":4,"command":["x"]}' \
    "{\"kind\":\"p2p\",\"src\":0,\"msgs\":[[1,$1,1],[2,$2,1]]}" \
    "{\"kind\":\"p2p\",\"src\":1,\"msgs\":[[0,$1,1]]}" \
    "{\"kind\":\"p2p\",\"src\":2,\"msgs\":[[0,$2,1],[3,$3,1]]}" \
    "{\"kind\":\"p2p\",\"src\":3,\"msgs\":[[2,$3,1]]}" '{"kind":"end","records":4}' > p.acp
}
weights() { # FORMAT FILE: of those three pairs
  case $1 in
    metis) grep -v '^%' "$2" | awk 'NR == 2 { a = $2 " " $4 } NR == 4 { print a, $4 }' ;;
    scotch) awk 'NR == 4 { a = $2 " " $4 } NR == 6 { print a, $4 }' "$2" ;;
  esac
}

# A format, bytes of the pairs, what a weight of 1 stands for, whether that is rounded, the weights:
# from both ends they add up to less than 2^31, for Scotch to less than 2^31 / 1000.
while read -r format a b c unit exact first second third; do
  pattern "$a" "$b" "$c"
  "$berth" export -f "$format" p.acp -o out 2> said
  found=$(sed -n 's/.* a weight of 1 stands for \([0-9]* bytes\).*/\1/p' said)
  check "$format: unit of $a, $b, $c" [ "${found:-1 bytes}" = "$unit bytes" ]
  check "$format: weights of $a, $b, $c" [ "$(weights "$format" out)" = "$first $second $third" ]
  check "$format: is rounding said" [ "$(grep -c '), rounded$' said)" = $((exact == 0)) ]
  found=$(sed -n 's/^% a weight of 1 is //p' out)
  check "$format: the unit in the file" [ "${found:-1 bytes}" = "$unit bytes" ]
  check "it comes back" "$berth" import -f "$format" out -o back.acp 2> /dev/null
  if [ "$exact" = 1 ]; then
    check "$format: costs of $a, $b, $c" [ "$(cost p.acp)" = "$(cost back.acp)" ]
  else
    "$berth" export -f "$format" --unit "$unit" back.acp -o again 2> /dev/null
    check "$format: the same weights again" cmp -s out again
  fi
  "$berth" export -f "$format" --unit 1 p.acp -o exact 2> said
  check "$format: bytes" [ "$(weights "$format" exact)" = "$((2 * a)) $((2 * b)) $((2 * c))" ]
  check "$format: nothing to say of them" [ ! -s said ]
done <<'TABLE'
metis  1000         70000      3          1          1 2000       140000  6
scotch 1000         70000      3          1          1 2000       140000  6
metis  1000000      70000      3          1          1 2000000    140000  6
scotch 1000000      70000      3          2          1 1000000    70000   3
metis  536870909    1          1          1          1 1073741818 2       2
metis  536870910    1          1          2          1 536870910  1       1
metis  700000000000 1400000000 2100000000 1400000000 1 1000       2       3
scotch 700000000000 1400000000 2100000000 1400000000 1 1000       2       3
metis  700000000001 1400000000 3          1307       0 1071155318 2142311 1
scotch 700000000001 1400000000 3          1306461    0 1071597    2143    1
TABLE
check "costs are there" [ -n "$(cost p.acp)" ]
pattern 1000 70000 3
expect 2 "berth export: found --unit with --format csv, expected it with a graph
Try \`berth export --help' or \`berth export --usage' for more information." \
  "$berth" export -f csv --unit 2 p.acp
"$berth" export -f scotch p.acp -o out
echo '% a weight of 1 is 9007199254740993 bytes' >> out
expect 3 "berth import: out:8: unit of weights: found '9007199254740993', expected a whole number from 1 to 9007199254740992" \
  "$berth" import -f scotch out -o nothing.acp
sed 's/^%.*/% a weight of 1 is 9007199254740991 bytes/' <("$berth" export -f metis p.acp) > out
expect 3 "berth import: out:3: found weight 2000 of 9007199254740991 bytes each, expected at most 2^53 bytes" \
  "$berth" import -f metis out -o nothing.acp

# The programs themselves, on a stencil whose bytes are too many for 32 bits: what they say of their
# placements is what these cost here.
"$BERTH_SOURCE_DIR/examples/stencil/generate.sh" pattern 4 4 4 1048576 1000 > stencil.acp
"$berth" topo import -f levels 4:16/1:10 -o levels.json 2> /dev/null # sum: bytes times distance
"$berth" topo import -f levels 4:16/0:1 -o cut.json 2> /dev/null     # sum: bytes between hosts
"$berth" topo export -f tleaf levels.json -o levels.tgt
sum() { # TOPOLOGY MAPPING
  "$berth" compare --pattern stencil.acp --topology "$1" "$2" --csv |
    grep "^\"$2\"," | cut -d, -f5
}
same_number() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a == b) }'; }
for format in metis scotch; do
  "$berth" export -f $format stencil.acp -o stencil.$format 2> said
  check "$format: unit" grep -q "a weight of 1 stands for 2097152000 bytes" said
done
check "gmap" eval "scotch_gmap stencil.scotch levels.tgt stencil.map -b0 -vm > said 2>&1"
found=$(sed -n 's/^M.CommExpan=.*(\([0-9]*\)).*/\1/p' said)
check "gmap's cost is berth's" same_number "$(sum levels.json stencil.map)" $((found * 2097152000))
check "gpmetis" eval "gpmetis -ufactor=1 stencil.metis 16 > said 2>&1"
found=$(sed -n 's/.*Edgecut: \([-0-9]*\),.*/\1/p' said)
check "gpmetis's cut is berth's" same_number "$(sum cut.json stencil.metis.part.16)" \
  $((found * 2097152000))
for mapping in stencil.map stencil.metis.part.16; do
  check "$mapping is priced" eval '"$berth" cost --pattern stencil.acp --topology levels.json \
    --mapping $mapping | sed -n 3p | grep -q "^$mapping (\(scotch\|metis\)): [0-9.e+]* (model port)"'
  check "$mapping becomes a rankfile" eval '"$berth" write --mapping $mapping --topology levels.json \
    rankfile=$mapping.rankfile > /dev/null && [ "$(wc -l < $mapping.rankfile)" = 64 ]'
done
head -n 5 stencil.metis.part.16 > short
expect 3 "berth cost: --mapping short: found 5 lines, expected 64, the number of the pattern's ranks" \
  "$berth" cost --pattern stencil.acp --topology levels.json --mapping short
finish
