#!/usr/bin/env bash
# What both MPIs send when they were told what `berth cost --advise` wrote: the advised algorithms
# for the advised calls, and their own for all others. Messages are recorded, and compared with what
# `berth schedule` says by rules that have the settings in front of the MPI's own. With
# BERTH_TEST_ROUNDS above 1, there are 4 ranks, too, and Open MPI is told all other choices.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
export MPIR_CVAR_NOLOCAL=1 # MPICH's rules are of ranks that share no host
sources=$BERTH_SOURCE_DIR/tests/schedule
rules=$BERTH_SOURCE_DIR/src/schedule/rules
advised() { python3 -B "$BERTH_SOURCE_DIR/tests/advice/advised.py" "$@"; }
# Open MPI takes what it was told for operations that aren't commutative, too (docs/formats/cost.md).
compare() { cat "$2/all" "$2/odd" 2> /dev/null | grep -v $' in_order\t' > "$2/told" &&
  python3 -B "$sources/recorded.py" "$BERTH_BUILD_DIR/tests/schedule/print_calls" "$1" "$2/told"; }
# Whether rules without the settings disagree, for each operation that has one.
differs() { ! grep -q "^\([0-9]*\) of \1 calls" "$1/other"; }
# make_calls MPI N FOLDER FILE: under what the file says
make_calls() {
  mkdir -p "$3"
  if [ "$1" = openmpi ]; then
    OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=$PWD/$4 \
      launch "$1" "$2" "./calls.$1" "$3"
  else
    (. "./$4" && launch "$1" "$2" "./calls.$1" "$3")
  fi
}

sizes=5 choices=(2 9)
if rounds_above 1; then
  sizes="4 5"
  mapfile -t choices < <(seq 0 23)
fi

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
    advised rules "$rules/$name.json" "$mpi.$n.told" "$mpi.$n.json" > number
    read -r settings operations < number
    check "it has settings ($settings) for operations ($operations)" \
      test "$settings" -ge "$least" -a "$operations" -ge "$least"
    check "$n ranks of $mpi make their calls" make_calls "$mpi" "$n" "$mpi.$n" "$mpi.$n.told"
    check "$mpi does what it was told, and the rest as before" compare "$mpi.$n.json" "$mpi.$n"
    compare "$name" "$mpi.$n" > "$mpi.$n/other"
    check "which it doesn't do otherwise" differs "$mpi.$n"
  done
done

# Choices that aren't the cheapest: each number, segment and degree means what berth takes it for.
advised pattern 5 "Open MPI 4.1.4" p.acp t.json
"$berth" cost --pattern p.acp --topology t.json --mapping m.json --others 1000 --json > costs 2> notes
for k in "${choices[@]}"; do
  advised choice costs "$k" "choice.$k"
  advised rules "$rules/openmpi-4.1.json" "choice.$k" rules.json > number
  check "calls by choice $k" make_calls openmpi 5 "made.$k" "choice.$k"
  check "choice $k is what it was told" compare rules.json "made.$k"
done
finish
