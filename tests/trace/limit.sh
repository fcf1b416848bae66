#!/usr/bin/env bash
# Files that may not grow: the tables go on in memory, and a trace that can't be written is reported. The
# job never notices.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
for mpi in $mpis; do
  compile "$mpi" "$here/limit.c" "limit.$mpi"
  check "$mpi: without the tracer" launch "$mpi" 2 "./limit.$mpi" 128 4 10
  # LIMIT PHASES SIZES: the tables take more than the limit, the trace doesn't
  while read -r limit phases sizes; do
    traced "$mpi" 2 trace.acp.zst --phases pcontrol --memory 16MiB "./limit.$mpi" "$limit" "$phases" "$sizes" \
      < /dev/null
    check "$mpi, $limit KiB: exit code $?: $(tail -n 1 err)" [ $? = 0 ]
    sum=$((phases * sizes * (sizes + 1) / 2))
    check "$mpi, $limit KiB: all messages" [ "$(acp pairs trace.acp.zst | tr '\n' ' ')" = \
      "0 1 $((phases * sizes)) $sum 1 0 $((phases * sizes)) $sum " ]
  done <<'TABLE'
128 40 500
700 40 500
1024 80 500
TABLE
  # the trace doesn't fit, either: the job goes on, and berth trace says that there is none
  traced "$mpi" 2 large.acp --phases pcontrol --memory 16MiB "./limit.$mpi" 1 40 500
  check "$mpi: no whole trace" [ $? = 4 ]
  check "$mpi: and why" says 'berth: cannot write the trace: '
  check "$mpi: what isn't whole is said" says "the trace is incomplete: found tables of 2 ranks truncated"
done
finish
