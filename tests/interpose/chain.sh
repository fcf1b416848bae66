#!/usr/bin/env bash
# Several of berth's libraries in one process, in every order: each counting library counts every
# call of the application once, and nothing else; the tracer's pattern and call sites are those of
# the tracer alone.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
for tool in mpifort.openmpi mpifort.mpich; do
  command -v "$tool" > /dev/null || { echo "skipped: $tool is missing"; exit 77; }
done
counting=$BERTH_BUILD_DIR/tests/interpose
export BERTH_TRACE_TIMES=0

# chained MPI N LIBRARIES COMMAND…: with the libraries, the first of which is called first; leaves
# trace.acp, and counts of all ranks in `count` and `again`.
chained() {
  local mpi=$1 n=$2 names=$3 preload='' name; shift 3
  for name in $names; do
    case $name in
      trace) preload+=$lib/$mpi/libberth-trace.so: ;;
      *) preload+=$counting/$mpi/lib$name.so: ;;
    esac
  done
  preload+=$idle
  rm -f trace.acp count.* again.* expected.*
  launch "$mpi" "$n" env "LD_PRELOAD=$preload" "BERTH_TRACE_FILE=$work/trace.acp" \
    "COUNT_FILE=$work/count" "AGAIN_FILE=$work/again" "$@" > out 2> err || { cat err; return 1; }
  counts count; counts again
}
# counts NAME: the sums over ranks.
counts() { cat "$1".[0-9]* 2> /dev/null | awk '{ n[$1] += $2 } END { for (k in n) print k, n[k] }' | sort > "$1"; }
pattern() { grep -vE '^\{"(format"|kind":"rank")' trace.acp; } # without what differs from run to run

all_orders="count:trace trace:count count:trace:again trace:count:again count:again:trace"
few_orders="count:trace trace:count:again" # the small program in C goes through all
depths="1" bindings="F08" # the bindings differ in the names that they call alone (trace/every)
if all_rounds; then depths="6 1" bindings="MPIFH MODULE F08"; fi
asking='^mpi_(test|iprobe|improbe|parrived)' # how often is up to the machine

# small NAME MPI ORDERS COMMAND…: 100 messages from rank 0 to rank 1 and 3 reductions of both.
small() {
  local name=$1 mpi=$2 orders=$3 order want; shift 3
  for order in $orders; do
    chained "$mpi" 2 "${order//:/ }" "$@"
    check "$name, $order: the tracer's messages" [ "$(acp pairs trace.acp)" = "0 1 100 800" ]
    for want in "send[a-z0-9_]* 100" "recv[a-z0-9_]* 100" "allreduce[a-z0-9_]* 6" "init[a-z0-9_]* 2" "finalize[a-z0-9_]* 2"; do
      check "$name, $order: $want" [ "$(grep -ciE "^mpi_$want$" count)" = 1 ]
    done
    check "$name, $order: nothing else" [ "$(grep -cvi mpi_file_ count)" = 5 ]
    case $order in *again*) check "$name, $order: both count the same" same count again ;; esac
  done
}

# long NAME MPI N COMMAND…: as the tracer alone and a counting library alone say.
long() {
  local name=$1 mpi=$2 n=$3 order; shift 3
  chained "$mpi" "$n" trace "$@"; pattern > want.pattern
  check "$name, the tracer alone: call sites" [ "$(acp sites trace.acp | wc -l)" -gt 3 ]
  chained "$mpi" "$n" count "$@"; grep -viE "$asking" count > want.count
  check "$name, the counting library alone: enough to see" [ "$(wc -l < want.count)" -gt 5 ]
  for order in $few_orders; do
    chained "$mpi" "$n" "${order//:/ }" "$@"
    check "$name, $order: the exit code" [ $? = 0 ]
    pattern > got; check "$name, $order: the pattern and the call sites" same want.pattern got
    grep -viE "$asking" count > got; check "$name, $order: the counts" same want.count got
    case $order in *again*)
      grep -viE "$asking" again > got; check "$name, $order: the other's counts" same want.count got ;;
    esac
  done
}


# names LIBRARY: what it exports.
names() { nm -D --defined-only "$1" | awk '$3 != "dlclose" { print $3 }' | sort; }

for mpi in $mpis; do
  names "$lib/$mpi/libberth-trace.so" > want; names "$counting/$mpi/libcount.so" > got
  check "$mpi: the kit wraps all that the tracer wraps" same want got
  # A program may lack every library but the C library, which versions its symbols.
  nm -D --undefined-only "$lib/$mpi/libberth-trace.so" | awk '$1 == "U" && $2 !~ /@GLIBC/' > got
  check "$mpi: the tracer needs no other library: $(cat got)" [ ! -s got ]
  compile "$mpi" "$here/own.c" "own.$mpi"
  small "$mpi, C" "$mpi" "$all_orders" "./own.$mpi" file
  compile "$mpi" "$here/own.c" "own.$mpi" -DOWN
  small "$mpi, C, own functions" "$mpi" "$few_orders" "./own.$mpi" file
  for binding in ${bindings#* }; do
    "mpifort.$mpi" -w -fallow-argument-mismatch "-D$binding" -o own "$here/own.F90" || exit 1
    small "$mpi, $binding" "$mpi" "$few_orders" ./own
  done

  compile "$mpi" "$here/plugin.c" "plugin.$mpi.so" -shared -fPIC
  compile "$mpi" "$BERTH_SOURCE_DIR/tests/symbol/sites.c" "sites.$mpi" -fno-optimize-sibling-calls
  for depth in $depths; do
    export BERTH_TRACE_SITES=$depth
    long "$mpi, sites, depth $depth" "$mpi" 2 "./sites.$mpi" "./plugin.$mpi.so"
  done
  unset BERTH_TRACE_SITES
  compile_truth "$mpi" "truth.$mpi"
  long "$mpi, C, every kind" "$mpi" 4 "./truth.$mpi" expected
  # a call that was left by a jump; MPICH holds a lock inside its calls
  [ "$mpi" = mpich ] || long "$mpi, C, a jump" "$mpi" 4 "./truth.$mpi" expected jump
  for binding in $bindings; do
    compile_fortran "$mpi" "$binding" truth
    long "$mpi, $binding, every kind" "$mpi" 4 ./truth expected
  done
done
finish
