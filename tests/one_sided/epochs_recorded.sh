#!/usr/bin/env bash
# What both MPIs send for one-sided operations, recorded in real runs under the tracer, and what
# berth makes of the trace of the same run: each message, source, destination and size.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
export OMPI_MCA_osc=pt2pt # what Open MPI takes between hosts
export MPIR_CVAR_NOLOCAL=1 # all ranks of MPICH send by its network
sources=$BERTH_SOURCE_DIR/tests/one_sided recorders=$BERTH_SOURCE_DIR/tests/schedule
gcc -std=gnu11 -O1 -I"$BERTH_SOURCE_DIR/include" \
  -I"$BERTH_BUILD_DIR/include" -o included "$sources/print_included.c" \
  -L"$BERTH_BUILD_DIR/src" -lberth -Wl,-rpath,"$BERTH_BUILD_DIR/src" || exit 1
compare() { python3 -B "$sources/epochs_recorded.py" "$@"; }

for mpi in $mpis; do
  rules=openmpi-4.1
  [ "$mpi" = mpich ] && rules=mpich-4.0
  compile "$mpi" "$sources/make_epochs.c" "epochs.$mpi" "$recorders/record_$mpi.c" \
    "$recorders/record.c" -I"$recorders" -rdynamic -ldl
  for n in 4 5; do
    mkdir -p "$mpi.$n"
    check "$n ranks of $mpi have their epochs" traced "$mpi" "$n" "$mpi.$n.acp" "./epochs.$mpi" "$mpi.$n"
    ./included "$mpi.$n.acp" $rules > "$mpi.$n.included"
    check "$n ranks of $mpi send what berth says" compare "$mpi.$n.included" "$mpi.$n"
  done
done
served() { # MPI N FILE COMMAND…
  LD_PRELOAD=$lib/$1/libberth-rma.so BERTH_GROUPS=$work/apart.json BERTH_RMA_BYTES=12288 traced "$@"
}
# berth's one-sided library, on hosts that have one rank each, with messages of the size that it
# begins with. Where an operation belongs takes a byte or more, so sizes differ.
for mpi in $mpis; do
  for n in 4 5; do
    python3 -IS "$BERTH_SOURCE_DIR/tests/coll/groups.py" "$(seq -s / 0 $((n - 1)))" > apart.json
    mkdir -p "library.$mpi.$n"
    check "$n ranks of $mpi have their epochs with the library" served "$mpi" "$n" \
      "library.$mpi.$n.acp" "./epochs.$mpi" "library.$mpi.$n"
    ./included "library.$mpi.$n.acp" berth > "library.$mpi.$n.included"
    check "$n ranks of $mpi send with the library what berth says" compare --places \
      "library.$mpi.$n.included" "library.$mpi.$n"
  done
done
# the comparison itself
./included openmpi.4.acp mpich-4.0 > other
compare other openmpi.4 > found
check "rules of another MPI disagree" [ "$(grep -c "only recorded" found)" = 15 ]
sed '/^5 0>1:/d' openmpi.4.included > less
compare less openmpi.4 > found
check "a message less is found" grep -q "^window 5: only recorded" found
check "in no other window" [ "$(grep -c alike found)" = 14 ]
compare library.openmpi.4.included openmpi.4 > found
check "an MPI sends other messages than the library" [ "$(grep -c ': alike' found)" = 0 ]
finish
