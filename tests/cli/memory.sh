#!/usr/bin/env bash
# The optimised program under valgrind: uninitialised values, which the sanitizers don't see.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
if is_sanitized; then
  echo "skipped: valgrind and the address sanitizer exclude each other"
  exit 77
fi
cd "$work" || exit 1
p=$BERTH_SOURCE_DIR/examples/ladder/pattern.acp t=$BERTH_SOURCE_DIR/testbed/topology.json
memcheck() {
  valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
    "$berth" "$@" > out 2> err || { cat err; return 1; }
}
for algorithm in random best; do # best tries most of the others; more iterations run no other lines
  check "map $algorithm" memcheck map --pattern "$p" --topology "$t" --algorithm $algorithm \
    --iterations 1000 --mapping $algorithm.json --rankfile r --groups g
done
check "cost with intervals" memcheck cost --pattern "$p" --topology "$t" --json \
  --mapping random.json --mapping best.json
for model in port bound sum flow; do
  check "cost $model" memcheck cost --pattern "$data/cases/halo16-linear.acp" --model $model --json \
    --topology "$data/cases/halo16-linear.topo.json" --mapping "$data/cases/halo16-linear.mapping.json"
done
check "topo show" memcheck topo show "$t"
# A pattern with everything that a database holds
cat > all.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":4,"mpi":"Open MPI 4.1.4","parameters":[{"name":"OMPI_MCA_coll","value":"^sm","text":"x"}]}
{"kind":"phase","id":7,"name":"x","repeats":2}
{"kind":"site","id":1,"op":"MPI_Send","frames":["f x.c:1"]}
{"kind":"comm","id":1,"ranks":[2,0]}
{"kind":"coll","phase":7,"site":1,"comm":1,"op":"MPI_Allgatherv","bytes":8,"count":3,"root":null,"rank_bytes":[16,80]}
{"kind":"p2p","phase":7,"site":1,"src":2,"msgs":[[0,0,4],[1,8,2]]}
{"kind":"order","phase":7,"src":2,"rounds":2,"sends":[[0,0,0,2],{"receive":3},[1,8,3],{"posted":1},{"meet":0},{"meet":0,"to":1,"op":"MPI_Reduce","bytes":8}]}
{"kind":"rma","phase":7,"src":1,"op":"MPI_Put","sync":"fence","msgs":[[0,8,3]]}
{"kind":"time","op":"MPI_Allgatherv","total_s":1.5,"max_s":1,"max_rank":2}
{"kind":"time","op":"MPI_Allgatherv","site":1,"comm":1,"total_s":1.5,"max_s":1,"max_rank":2}
{"kind":"end","records":9}
ACP
check "show" memcheck show all.acp
for format in sqlite csv; do
  check "export $format" memcheck export -f $format all.acp -o all.$format
  check "import $format" memcheck import -f $format all.$format -o back.acp
done
finish
