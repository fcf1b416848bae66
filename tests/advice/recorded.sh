#!/usr/bin/env bash
# What both MPIs send when they were told which algorithms to take: by what `berth cost --advise`
# wrote, and by parameters. Messages are recorded, and compared with what berth says of the same calls
# by rules that were told the same. With BERTH_TEST_ROUNDS above 1, there are 4 ranks, too, and Open MPI
# is told all other choices and numbers.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
export MPIR_CVAR_NOLOCAL=1 # MPICH's rules are of ranks that share no host
sources=$BERTH_SOURCE_DIR/tests/schedule
advised() { python3 -B "$BERTH_SOURCE_DIR/tests/advice/advised.py" "$@"; }
# Open MPI takes what it was told for operations that aren't commutative, too (docs/formats/cost.md).
# compare RULES FOLDER [PARAMETER=VALUE…]
compare() {
  local rules=$1 folder=$2; shift 2
  cat "$folder/all" "$folder/odd" 2> /dev/null | grep -v $' in_order\t' > "$folder/told" &&
    python3 -B "$sources/recorded.py" "$BERTH_BUILD_DIR/tests/schedule/print_calls" "$rules $*" "$folder/told"
}
# Whether rules without the settings disagree.
differs() { ! grep -q "^\([0-9]*\) of \1 calls" "$1/other"; }
# make_calls MPI N FOLDER [PARAMETER=VALUE…]
make_calls() {
  local mpi=$1 n=$2 folder=$3; shift 3
  mkdir -p "$folder"
  ([ $# -eq 0 ] || export "$@"; launch "$mpi" "$n" "./calls.$mpi" "$folder")
}
# parameters MPI FILE: those by which the MPI is told what the file says
parameters() {
  if [ "$1" = openmpi ]; then
    echo "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=$PWD/$2"
  else
    sed -n 's/^export //p' "$2"
  fi
}
tuned() { # NAME=VALUE…: parameters of component tuned
  echo "OMPI_MCA_coll_tuned_use_dynamic_rules=true"
  printf 'OMPI_MCA_coll_tuned_%s\n' "$@"
}

sizes=5 choices=(2 9)
if rounds_above 1; then
  sizes="4 5"
  mapfile -t choices < <(seq 0 23)
fi

# shellcheck disable=SC2046,SC2086 # parameters are words
for mpi in $mpis; do
  name=openmpi-4.1 version="Open MPI 4.1.4" least=5
  [ "$mpi" = mpich ] && name=mpich-4.0 version="MPICH 4.0.2" least=1
  compile "$mpi" "$sources/make_calls.c" "calls.$mpi" "$sources/calls.c" "$sources/record_$mpi.c" \
    "$sources/record.c" -rdynamic -ldl
  for n in $sizes; do
    advised pattern "$n" "$version" p.acp t.json
    "$berth" map --pattern p.acp --topology t.json --algorithm linear --mapping m.json > /dev/null 2>&1
    "$berth" cost --pattern p.acp --topology t.json --mapping m.json --advise "$mpi.$n.told" \
      > costs 2> notes || exit 1
    advised count "$mpi" "$mpi.$n.told" > number
    read -r settings operations < number
    check "it has settings ($settings) for operations ($operations)" \
      test "$settings" -ge "$least" -a "$operations" -ge "$least"
    told=$(parameters "$mpi" "$mpi.$n.told")
    check "$n ranks of $mpi make their calls" make_calls "$mpi" "$n" "$mpi.$n" $told
    check "$mpi does what it was told, and the rest as before" compare "$name" "$mpi.$n" $told
    compare "$name" "$mpi.$n" > "$mpi.$n/other"
    check "which it doesn't do otherwise" differs "$mpi.$n"
  done
done

# Choices that aren't the cheapest: each number, segment and degree means what berth takes it for.
advised pattern 5 "Open MPI 4.1.4" p.acp t.json
"$berth" cost --pattern p.acp --topology t.json --mapping m.json --others 1000 --json > costs 2> notes
# shellcheck disable=SC2046
for k in "${choices[@]}"; do
  advised choice costs "$k" "choice.$k"
  check "calls by choice $k" make_calls openmpi 5 "made.$k" $(parameters openmpi "choice.$k")
  check "choice $k is what it was told" compare openmpi-4.1 "made.$k" $(parameters openmpi "choice.$k")
done

# Parameters of operations, by names and numbers. Those of the file come first.
one="bcast_algorithm=chain bcast_algorithm_segmentsize=1024 bcast_algorithm_chain_fanout=2 reduce_algorithm=5
  reduce_algorithm_segmentsize=4096 allreduce_algorithm=nonoverlapping alltoall_algorithm=3 allgather_algorithm=bruck
  barrier_algorithm=double_ring gather_algorithm=2 scatter_algorithm=linear_nb scan_algorithm=2 exscan_algorithm=2
  reduce_scatter_algorithm=ring reduce_scatter_block_algorithm=2 alltoallv_algorithm=pairwise allgatherv_algorithm=3"
two="bcast_algorithm=2 init_chain_fanout=3 reduce_algorithm=chain allreduce_algorithm=1 alltoall_algorithm=linear
  allgather_algorithm=5 barrier_algorithm=6 gather_algorithm=basic_linear scatter_algorithm=2 scan_algorithm=linear
  reduce_scatter_algorithm=1 reduce_scatter_block_algorithm=basic_linear allgatherv_algorithm=neighbor"
three="bcast_algorithm=8 reduce_algorithm=7 allreduce_algorithm=4 alltoall_algorithm=4 allgather_algorithm=3
  barrier_algorithm=4 gather_algorithm=3 reduce_scatter_algorithm=2 reduce_scatter_block_algorithm=4"
sets=("$one" "dynamic_rules_filename=$PWD/choice.2 $two")
rounds_above 1 && sets+=("$two" "$three" "dynamic_rules_filename=$PWD/choice.9 $one")
# shellcheck disable=SC2046,SC2086
for set in "${sets[@]}"; do
  rm -rf made
  check "calls by $set" make_calls openmpi 5 made $(tuned $set)
  check "$set is what it was told" compare openmpi-4.1 made $(tuned $set)
done
make_calls openmpi 5 made OMPI_MCA_coll_tuned_bcast_algorithm=1
check "without dynamic rules parameters tell nothing" compare openmpi-4.1 made OMPI_MCA_coll_tuned_bcast_algorithm=1
finish
