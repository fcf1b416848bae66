#!/usr/bin/env bash
# `berth trace` is killed while its job goes on: the job's trace, or what it counted, is found by `doctor`
# and taken by `recover`.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
none_runs() { ! pgrep -f "$work/wait" > /dev/null; }
still_runs() {
  grep -qx "berth recover: found nothing to recover: the traced job of process [0-9]* ($work/wait.$mpi go $how) is still running; \`berth snapshot [0-9]*\` makes a trace of what it has counted" err
}
left() { find "$work" "$TMPDIR" -name '.k.acp*' -o -name '*.spool' -o -name 'berth-spool-*'; }

cat > wait.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
/* wait FILE crash|end: five messages, then waits for the file, then ends or crashes. */
int main(int argc, char **argv)
{
  int rank, x = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 5; i++)
    MPI_Sendrecv(&x, 1, MPI_INT, 1 - rank, 0, &x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  FILE *f = fopen("begun", "w");
  if (f) fclose(f);
  while (access(argv[1], F_OK)) usleep(10000);
  if (argv[2][0] == 'c') abort();
  MPI_Finalize();
  return 0;
}
C
for mpi in $mpis; do
  compile "$mpi" wait.c "wait.$mpi"
  launcher=mpirun.openmpi; [ "$mpi" = mpich ] && launcher=mpiexec.mpich
  for how in end crash; do
    rm -rf begun go k.acp
    "$berth" trace -o k.acp -- "$launcher" -n 2 "$work/wait.$mpi" go $how > /dev/null 2>&1 < /dev/null &
    pid=$!
    check "$mpi, $how: begins" await test -e begun
    # while it runs nobody takes anything of it
    "$berth" recover 2> err
    check "$mpi, $how: nothing to recover while it runs" [ $? = 4 ]
    check "$mpi, $how: it is said: $(cat err)" still_runs
    kill -KILL $pid
    wait $pid 2> /dev/null
    "$berth" recover 2> err
    check "$mpi, $how: nothing to recover while its job runs" [ $? = 4 ]
    check "$mpi, $how: that is said: $(cat err)" still_runs
    sed -n 's/.*; `\(.*\)` makes a trace of .*/\1 -o now.acp/p' err > hint
    PATH=$BERTH_BUILD_DIR:$PATH bash hint 2> err
    check "$mpi, $how: the command that is named: $(cat hint)" [ "$(acp pairs now.acp | tr '\n' ' ')" = "0 1 5 20 1 0 5 20 " ]
    touch go
    check "$mpi, $how: the job ends" await none_runs
    sleep 0.5
    check "$mpi, $how: doctor finds it" grep -q 'killed berth trace .*k\.acp; berth recover' <("$berth" doctor)
    check "$mpi, $how: recover takes it: $(cat err)" "$berth" recover
    check "$mpi, $how: under its name" [ "$(acp pairs k.acp | tr '\n' ' ')" = "0 1 5 20 1 0 5 20 " ]
    check "$mpi, $how: nothing is left" [ -z "$(left)" ]
    check "$mpi, $how: doctor finds nothing more" [ "$("$berth" doctor | grep -c 'killed berth')" = 0 ]
  done
  # The launcher has ended, its ranks go on: one signal is answered, and the trace taken; two end berth.
  # berth waits for them for five seconds. On a busy machine these may be over before the signal comes;
  # then the same begins anew.
  no_child() { ! pgrep -P "$pid" > /dev/null; }
  where="^berth trace: .*the counts of the ranks are in .*berth-spool-.*; a second signal leaves them there for berth recover$"
  said() { [ "$(grep -c "$where" err)" = 1 ]; }
  said_or_gone() { said || ! kill -0 "$pid" 2> /dev/null; }
  signalled() {
    for signal in $signals; do
      kill "-$signal" "$pid" 2> /dev/null && await said_or_gone && said || return
    done
  }
  ends() { wait "$pid" 2> /dev/null; code=$?; touch go; check "$mpi, $signals: the job ends" await none_runs; }
  orphans() {
    rm -rf begun go k.acp
    : > err
    env --default-signal=INT "$berth" trace -o k.acp --mpi "$mpi" -- sh -c \
      "$launcher -n 2 $work/wait.$mpi go end & until test -e begun; do sleep 0.05; done" \
      > /dev/null 2> err < /dev/null &
    pid=$!
    check "$mpi, $signals: begins" await test -e begun
    check "$mpi, $signals: the launcher ends" await no_child
  }
  for signals in "INT" "TERM" "INT INT"; do
    for _ in {1..5}; do
      orphans
      signalled && break
      ends
    done
    check "$mpi, $signals: says where the counts are: $(cat err)" said
    [ "$signals" = "INT INT" ] || touch go
    ends
    if [ "$signals" = "INT INT" ]; then
      check "$mpi, $signals: ends by the signal: $code" [ $code = 130 ]
      check "$mpi, $signals: recover takes it" await "$berth" recover
    fi
    check "$mpi, $signals: the trace: $(cat err)" [ "$(acp pairs k.acp | tr '\n' ' ')" = "0 1 5 20 1 0 5 20 " ]
  done
done
finish
