#!/usr/bin/env bash
# MPI_THREAD_MULTIPLE under ThreadSanitizer: no race in the tracer, and what each thread did is there.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
# The MPIs put functions of their own in place of the kernel's for memory. They are called when a
# thread ends, which is after the sanitizer's part of it.
export OMPI_MCA_memory=^patcher UCX_MEM_MMAP_HOOK_MODE=none
export BERTH_TRACE_SPOOL=$work/tables
gcc -shared -fPIC -O1 -o libunwind.so.8 "$here/unwind.c" || exit 1

# sanitized MPI NAME LIBRARY PHASES ORDER: whether threads change the phase, and orders are kept. What
# the program says is in NAME.said, the trace is NAME.acp, reports are in NAME.report.PROCESS.
# The job goes on until there was a snapshot of it; else $snapshots is 0.
sanitized() {
  local mpi=$1 name=$2 how=auto; [ "$5" -eq 1 ] && how=pcontrol
  TSAN_OPTIONS="exitcode=0 detect_deadlocks=0 ignore_noninstrumented_modules=1 log_path=$work/$name.report" \
  BERTH_TRACE_FILE=$work/$name.acp BERTH_TRACE_PHASES=$how BERTH_TRACE_ORDER=$5 \
    launch "$mpi" 2 env LD_LIBRARY_PATH="$work" \
    LD_PRELOAD="$lib/tsan-$mpi/libberth-trace.so:$idle" "./threads.$mpi" 3 8 "$3" "$4" "$name.seen" \
    > "$name.said" 2> "$name.err" &
  local job=$!
  snapshots=0
  for _ in $(seq 300); do
    "$berth" snapshot -o "$name.seen" "$BERTH_TRACE_SPOOL" 2> /dev/null && snapshots=1 && break
    sleep 0.2
  done
  touch "$name.seen"
  wait $job
}
# Windows are numbered as they come, which is another order in each rank.
counts() { acp lines "$1" | sed -n '/^epochs/d; s/^rma \([0-9]*\) [0-9]* fence MPI_Put/rma \1/; p' | acp sum; }
# unseen MODULE NAME: no frame of the sanitizer's reports is in the module.
unseen() { cat "$2".report.* 2> /dev/null | { ! grep -B12 -A12 -- "($1+"; }; }

for mpi in $mpis; do
  compile "$mpi" "$here/plugin.c" "./plugin.$mpi.so" -shared -fPIC
  compile "$mpi" "$here/threads.c" "threads.$mpi" -fsanitize=thread
  for how in "0 0" "1 0" "1 1"; do
    name=$mpi.${how/ /}
    # shellcheck disable=SC2086
    sanitized "$mpi" "$name" "./plugin.$mpi.so" $how
    check "$name: it ends well" [ $? -eq 0 ]
    check "$name: no race in the tracer" unseen libberth-trace.so "$name"
    check "$name: snapshots meanwhile" [ $snapshots -gt 0 ]
    # ranks needn't agree on how many of their calls are of each phase
    what=.; [ "$how" != "0 0" ] && what='^p2p\|^rma'
    acp sum < "$name.said" | grep "$what" > want
    counts "$name.acp" | grep "$what" > got
    check "$name: all that each thread did" same want got
    check "$name: many kinds" [ "$(wc -l < want)" -gt 40 ]
  done
done

# that races would be seen
compile openmpi "$here/racy.c" racy.so -shared -fPIC -fsanitize=thread
sanitized openmpi racy ./racy.so 0 0
check "a race would be seen" eval '! unseen racy.so racy > report'
finish
