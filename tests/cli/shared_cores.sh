#!/usr/bin/env bash
# Nearer communication against slower computation on shared cores: what is printed of it.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
# machine SLOWDOWN: two hosts of two cores of two threads, PUs 0 to 3 and 4 to 7
machine() {
  echo '{"format":"berth-topology","version":1,"name":"smt","types":{"top":{},"host":{
 "up":{"max_bandwidth":100},"shared_core_slowdown":'"$1"'}},"root":{"type":"top","children":[
  {"type":"host","name":"n%d","host":"n%d","repeat":2,"children":[
   {"pu":0,"core":0},{"pu":1,"core":0},{"pu":2,"core":1},{"pu":3,"core":1}]}]}}'
}
# ring COMPUTE: four ranks in a ring, 100 bytes each; they compute so long, and 2 s are in MPI
ring() {
  echo '{"format":"berth-pattern","version":1,"ranks":4}'
  for r in 0 1 2 3; do
    [ -n "$1" ] && echo "{\"kind\":\"rank\",\"rank\":$r,\"wall_s\":$(($1 + 2)),\"mpi_s\":2}"
    echo "{\"kind\":\"p2p\",\"src\":$r,\"msgs\":[[$(((r + 1) % 4)),100,1]]}"
  done
}
whole() { ring "$1" > lines; cat lines; echo "{\"kind\":\"end\",\"records\":$(($(wc -l < lines) - 1))}"; }
machine 1.6 > t.json
machine '[1.6,2.3]' > list.json
machine 0.9 > bad.json
whole 1 > light.acp
whole 100 > heavy.acp
whole "" > untimed.acp
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,2,4,6]}' > apart.json
# value FILE EXPRESSION: of the JSON object t
value() { python3 -c 'import json,sys; t = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }
has() { check "$1" grep -qxF -- "$3" "$2"; }

"$berth" map --pattern light.acp --topology t.json --mapping near.json > near.txt
has "what sharing costs" near.txt 'Included for computing on shared cores: 600.0 ms, in the default order 0 s'
has "its gain" near.txt 'Communication time with shared cores: 40.0% less than in the default order (1.000 s). Run time: 13.3 to 46.7% less.'
has "second threads" near.txt \
  'Second hardware threads are used, though each rank could have its own core. That saves 400.0 ms, 40.0%.'
"$berth" map --pattern light.acp --topology t.json --json > near-map.json
is "on one host" "$(value near-map.json 'sorted(t["pu_of_rank"])')" "[0, 1, 2, 3]"
is "the costs of berth map" "$(value near-map.json \
  '[round(t[k], 9) for k in ["cost_s", "sharing_s", "linear_cost_s", "linear_sharing_s", "price_s"]]')" \
  "[0.6, 0.6, 1, 0, 0.6]"
is "the gain of threads" "$(value near-map.json \
  '[round(t["second_threads"][k], 9) for k in ["price_without_s", "gain"]]')" "[1, 0.4]"
"$berth" map --pattern heavy.acp --topology t.json --json > far-map.json
is "a core each" "$(value far-map.json '[t["pu_of_rank"], t["second_threads"], t["sharing_s"]]')" \
  "[[0, 2, 4, 6], None, 0]"
"$berth" map --pattern heavy.acp --topology t.json --any-thread --algorithm linear --json > any.json
is "threads as the user wants, at their price" "$(value any.json '[t["pu_of_rank"], t["cost_s"]]')" \
  "[[0, 1, 2, 3], 60]"
"$berth" map --pattern light.acp --topology list.json --quality fast --json > fast.json
is "also at quality fast" "$(value fast.json 'sorted(t["pu_of_rank"])')" "[0, 1, 2, 3]"
is "looked at on both lists of places" \
  "$(value fast.json 'sum(c.get("any_thread", 0) for c in t["candidates"]) * 2 == len(t["candidates"])')" True

cost() { "$berth" cost --topology t.json --mapping near.json --mapping apart.json "$@"; }
cost --pattern light.acp > cost.txt
has "of this" cost.txt '  Included for computing on shared cores: 600.0 ms, in the default order 0 s'
check "nothing where no core is shared" [ "$(grep -c 'Included' cost.txt)" -eq 1 ]
cost --pattern light.acp --json > cost.json
is "the costs of berth cost" "$(value cost.json \
  '[[round(r[k], 9) for k in ["cost_s", "sharing_s", "linear_sharing_s", "run_gain"]] for r in t["results"]]')" \
  "[[0.6, 0.6, 0, 0.466666667], [1, 0, 0, 0]]"
cost --pattern heavy.acp --json > cost.json
is "the run gets slower" "$(value cost.json 't["results"][0]["cost_s"] == 60 and t["results"][0]["run_gain"] < -0.5')" True
cost --pattern light.acp --model sum --json > cost.json
is "a sum isn't a time" "$(value cost.json '[t["results"][0][k] for k in ["cost_s", "sharing_s"]]')" "[0, None]"
for command in "cost --mapping near.json" map; do
  # shellcheck disable=SC2086
  "$berth" $command --pattern untimed.acp --topology t.json > untimed.txt
  has "times are missing" untimed.txt "note: the topology says how much slower shared cores compute, \
but the pattern lacks the times of ranks. Costs don't include that loss."
done
check "topo show" grep -qx ' *cores  *compute 1.6 times as long with 2 busy PUs, 2.3 with 3' \
  <("$berth" topo show list.json)
"$berth" topo show --json list.json > show.json
is "topo show as JSON" "$(value show.json 't["types"][1]["shared_core_slowdown"]')" "[1.6, 2.3]"
"$berth" topo discover --like list.json --hosts 'x[1-2]' -o like.json > like.txt
is "discover keeps it" "$(value like.json 't["types"]["host"]["shared_core_slowdown"]')" "[1.6, 2.3]"
expect 3 "berth map: --topology bad.json: types.host.shared_core_slowdown: found 0.9 for 2 busy PUs, expected a number from 1 to 1000" \
  "$berth" map --pattern light.acp --topology bad.json
finish
