#!/usr/bin/env bash
# `berth cost` says which algorithms of collective operations would be cheaper, and writes what sets
# them. tests/advice has the costs, and what MPIs do with the files.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1

# Each host's link carries 1,000,000 bytes a second.
four_hosts 1e6 > t.json
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,1,2,3]}' > m.json
pattern() { # NAME MPI LINE…
  local name=$1 mpi=$2; shift 2
  { echo "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,\"mpi\":\"$mpi\"}"
    printf '%s\n' '{"kind":"site","id":1,"op":"MPI_Bcast","frames":["spread grid.c:88","main"]}' "$@"
    echo "{\"kind\":\"end\",\"records\":$(($# + 1))}"; } > "$name.acp"
}
coll() { # OP BYTES COUNT [MEMBERS]
  echo "{\"kind\":\"coll\",\"op\":\"MPI_$1\",\"bytes\":$2,\"count\":$3${4:+,$4}}"
}
cost() { "$berth" cost --pattern "$1.acp" --topology t.json --mapping m.json "${@:2}" 2> err; }
choice() { # ALGORITHM SEGMENT DEGREE: "SETTING COST" of the first group
  python3 -c 'import json, sys
name, segment, degree = sys.argv[1], *map(int, sys.argv[2:])
for c in json.load(sys.stdin)["results"][0]["collectives"][0]["choices"]:
    if (c["algorithm"], c["segment_bytes"], c["degree"]) == (name, segment, degree):
        print(c["setting"], "%.6g" % c["cost_s"])' "$@" < costs.json
}

# A broadcast of 64,000 bytes to 3 ranks: linear sends 3 times as much over the root's link. A pipeline
# of 8 segments takes 9 rounds of 8,192 bytes and one of 6,656.
pattern bcast "Open MPI 4.1.4" "$(coll Bcast 64000 2 '"root":1,"site":1')" "$(coll Bcast 8 1 '"root":1')"
cost bcast > text
check "the text names call, site and both costs" grep -qxF \
  '    MPI_Bcast of 62.50 KiB, 4 ranks at spread grid.c:88: linear 384.0 ms; pipeline in segments of 8.000 KiB 160.8 ms (58% less)' text
check "it has no line for calls without gain" [ "$(grep -c '% less)$' text)" = 1 ]
cost bcast --others 0 > text
check "--others 0 is silent" [ "$(grep -c 'algorithm' text)" = 0 ]
cost bcast --collectives none > text
check "without collectives there is no advice" [ "$(grep -c '% less)$' text)" = 0 ]

cost bcast --json > costs.json
while read -r name segment degree expected; do
  check "$name costs $expected" [ "$(choice "$name" "$segment" "$degree")" = "$expected" ]
done <<'ROWS'
linear 0 0 1 0.384
chain 0 2 2 0.384
pipeline 0 0 3 0.384
binomial 0 0 6 0.384
pipeline 8192 0 3 0.160768
scatter_allgather 0 0 8 0.192
ROWS
check "JSON says what is advised" python3 -c 'import json
a, b = json.load(open("costs.json"))["results"][0]["collectives"]
assert (a["operation"], a["algorithm"], a["bytes"], a["calls"], a["ranks"]) == ("MPI_Bcast", "linear", 64000, 2, 4)
assert a["frames"] == ["spread grid.c:88", "main"] and a["advised"] and not a["more_sites"]
assert a["communicators"] == 1 and b["bytes"] == 8
costs = [c["cost_s"] for c in a["choices"]]
assert costs == sorted(costs) and len(costs) == 23, costs'

# --- files ---

cost bcast --advise told > text
check "the file's command is printed" grep -qxF \
  '  mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename ./told …' text
sed 's/ *#.*//' told | tr -s '\n' ' ' > numbers
check "the file has the advised cell alone" [ "$(cat numbers)" = " 1 7 3 1 1 0 0 0 0 4 3 0 0 0 0 64000 3 0 8192 64001 0 0 0 5 1 0 0 0 0 " ]

# Neighbouring sizes of messages and communicators need no line between them; the same bytes in
# several phases or from several roots are one cell, where the cheapest of both counts.
pattern more "Open MPI 4.1.4" '{"kind":"comm","id":1,"ranks":[0,1,2]}' "$(coll Bcast 64000 2 '"root":1')" \
  "$(coll Bcast 64000 1 '"root":3')" "$(coll Bcast 64001 1 '"root":0')" "$(coll Bcast 64000 1 '"root":0,"comm":1')"
cost more --advise told > text
sed 's/ *#.*//' told | tr -s '\n' ' ' > numbers
check "cells side by side" [ "$(cut -d' ' -f1-5 numbers)" = " 1 7 4 1" ]
check "sizes side by side" grep -qF ' 64000 3 0 8192 64001 3 0 8192 64002 0 0 0 5 1 ' numbers
check "what they cost together" grep -qF \
  'MPI_Bcast on 4 ranks, 62.50 KiB: pipeline in segments of 8.000 KiB, 241.2 ms instead of 576.0 ms (58% less)' text

pattern nothing "Open MPI 4.1.4" "$(coll Gather 1000 1 '"root":0')"
cost nothing --advise told > text
check "no advice is said" grep -qF "so it changes nothing" text
check "and its file has no rules" [ "$(sed 's/ *#.*//' told | tr -s '\n' ' ')" = " 0 " ]

# MPICH: a variable is for all calls, so small ones count, too.
pattern mpich "MPICH 4.0.2" "$(coll Bcast 900000 2 '"root":1')"
cost mpich --advise told > text
check "MPICH's variables" grep -qxE 'export MPIR_CVAR_BCAST_INTRA_ALGORITHM=scatter_[a-z_]+' told
check "MPICH's command" grep -qxF '  . ./told && mpiexec …' text
pattern reduce "Open MPI 4.1.4" "$(coll Allreduce 900000 2)"
cost reduce --advise told > text
check "a warning beside reductions" [ "$(grep -c "aren't commutative" text)" = "$(grep -c '^  MPI_Allreduce' text)" ]

# --- bad input ---

expect 2 \
  "berth cost: --advise: found 2 mappings, expected one
Try \`berth cost --help' or \`berth cost --usage' for more information." \
  "$berth" cost --pattern bcast.acp --topology t.json --mapping m.json --mapping m.json --advise told
expect 2 \
  "berth cost: --advise: found standard output, expected a file
Try \`berth cost --help' or \`berth cost --usage' for more information." \
  "$berth" cost --pattern bcast.acp --topology t.json --mapping m.json --advise -
cat > rules.json <<'JSON'
{"format": "berth-collectives", "version": 1, "name": "own", "rules": {"bcast": [{"algorithm": "linear"}]}}
JSON
pattern unknown "" "$(coll Bcast 64000 2 '"root":1')"
expect 3 \
  "berth cost: --advise told: found rules of an MPI whose settings berth doesn't know, expected --collectives openmpi-4.1 or mpich-4.0" \
  "$berth" cost --pattern unknown.acp --topology t.json --mapping m.json --collectives rules.json --advise told
check "a folder that isn't there" [ "$(cost bcast --advise no/told > /dev/null; echo $?)" = 4 ]
cp bcast.acp keep
expect 2 "berth cost: found 'bcast.acp' for an output and an input, expected different files
Try \`berth cost --help' or \`berth cost --usage' for more information." \
  "$berth" cost --pattern bcast.acp --topology t.json --mapping m.json --advise bcast.acp
check "an input stays" cmp -s keep bcast.acp
finish
