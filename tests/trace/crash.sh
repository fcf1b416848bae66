#!/usr/bin/env bash
# Jobs that fail: their exit code is passed on, and the trace holds all that was counted.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows

for r in 0 1 2 3; do
  printf '%s\n' "p2p $r $r $r $((100 + r))" "p2p $r $(((r + 1) % 4)) 64 1"
done | acp sum > want
echo "coll MPI_Barrier 0,1,2,3 0 - 1" > barrier
acp sum < barrier | cat - want | sort > all

for mpi in $mpis; do
  compile "$mpi" "$here/crash.c" "crash.$mpi"
  hows="code exit abort wrong kill"
  [ "$mpi" = mpich ] && hows="$hows segv term" # Open MPI's mpirun takes a second for each of these
  for how in $hows; do
    launch "$mpi" 4 "./crash.$mpi" $how > /dev/null 2>&1
    plain=$?
    rm -f crash.acp
    traced "$mpi" 4 crash.acp "./crash.$mpi" $how > /dev/null
    code=$?
    # Hydra says 3, or 9 where it was quicker to end the other ranks than they to exit
    [ $mpi-$how = mpich-exit ] && [ $code -ne 0 ] && plain=3 code=3
    check "$mpi, $how: the exit code is the program's" [ $code -eq $plain ]
    acp lines crash.acp | sort > got
    check "$mpi, $how: everything is in the trace" same all got
    case $how in
      code) line="4 ranks, 410 messages, 870 B, 1 collective call, 3 call sites (3 resolved)" ;;
      abort) line="; recovered from the tables of 4 of 4 ranks, after MPI_Abort" ;;
      *) line="; recovered from the tables of 4 of 4 ranks, which ended without MPI_Finalize" ;;
    esac
    check "$mpi, $how: the line" says "berth trace: crash.acp: "
    check "$mpi, $how: what it says" says "$line"
    case $how in code) n=5 ;; exit) n=3 ;; abort) n=7 ;; *) n=$plain ;; esac
    check "$mpi, $how: the code is known" [ $plain -eq $n ]
    [ $how = wrong ] && check "$mpi: the wrong call is left out" \
      says "berth trace: not included (no call can have made them): records: 1"
  done

  # a signal to berth itself reaches the job, and the trace is kept
  "$berth" trace -o term.acp -- "$(command -v mpirun."$mpi")" -n 2 "./crash.$mpi" hang \
    > /dev/null 2> err &
  job=$!
  both_begun() { [ "$(grep -la "crash.$mpi" "$TMPDIR"/berth-spool-*/*.spool 2> /dev/null | wc -l)" -eq 2 ]; }
  check "$mpi: both ranks have tables" await both_begun
  sleep 0.5
  kill -TERM $job
  wait $job
  code=$?
  [ $mpi = mpich ] && code=1 # Hydra itself may end with 0 on SIGTERM
  check "$mpi: SIGTERM ends the job with a failing code" [ $code -ne 0 ]
  check "$mpi: SIGTERM keeps the trace" says "recovered from the tables of 2 of 2 ranks"
done

# two of the ranks' tables are damaged or gone: the others make a trace
export BERTH_TRACE_SPOOL=$work/spool
launch openmpi 4 -x LD_PRELOAD="$lib/openmpi/libberth-trace.so" -x BERTH_TRACE_SPOOL \
  ./crash.openmpi exit > /dev/null 2>&1
check "a job that berth didn't start leaves tables" [ "$(find spool -name '*.spool' | wc -l)" -eq 4 ]
rm spool/*-2.spool
printf x | dd of="$(ls spool/*-3.spool)" conv=notrunc bs=1 seek=8 2> /dev/null
"$berth" recover -o half.acp spool 2> err
check "recover succeeds" [ $? -eq 0 ]
check "it names what is left out" grep -q "berth recover: left out: spool/.*-3.spool: header: version: found 120" err
check "it says how many are there" says "recovered from the tables of 2 of 4 ranks"
grep -E '^p2p [01] ' want > want2
acp lines half.acp | grep p2p > got
check "the others are whole" same want2 got
check "the tables stay" [ "$(find spool -name '*.spool' | wc -l)" -eq 3 ]
expect 4 "berth recover: empty: cannot open: No such file or directory" "$berth" recover empty
mkdir empty
expect 4 "berth recover: empty: found no tables of traced ranks" "$berth" recover empty
finish
