#!/usr/bin/env bash
# What MPI_Finalize makes of the ranks' tables: a file that they write together, the same bytes each
# time, on whatever file system, into whatever it is told to write.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
export BERTH_TRACE_SITES=0 # recovered traces are resolved, others aren't
gcc -shared -fPIC -w -o badfile.so "$here/badfile.c" || exit 1
n=17 # two groups

# job MPI FILE [VARIABLE=VALUE…]: the ring under the tracer alone; the exit code is the job's
job() {
  local mpi=$1 file=$2; shift 2
  launch "$mpi" "${ranks:-$n}" env LD_PRELOAD="$lib/$mpi/libberth-trace.so:$work/badfile.so:$idle" \
    BERTH_TRACE_FILE="$file" BERTH_TRACE_TIMES=0 "$@" "./ring.$mpi" > out 2> err
}
without_times() { zstd -dcqf "$1" | grep -v '"kind":"time"' | sed -E 's/"(created":"[^"]*"|wall_s":[^,}]*|mpi_s":[^,}]*)//g; s/,"(unsure_s|core_wait_s)":[^,}]*//g'; }
quiet() { [ ! -s err ] || { cat err; return 1; }; }
alone() { [ "$(cd "$1" && ls -A)" = "$2" ] || { ls -A "$1"; return 1; }; }
opens() { sort -u log | grep -c "$1"; } # processes that opened the unfinished file so

for mpi in $mpis; do
  compile "$mpi" "$here/ring.c" "ring.$mpi"
  mkdir "$mpi"
  here_is="$work/$mpi"

  # the same bytes, each time and in each way
  rm -f log
  for i in 1 2 3; do
    job "$mpi" "$here_is/$i.acp.zst" BADFILE_LOG="$work/log"
    check "$mpi: run $i ends well" [ $? -eq 0 ]
    check "$mpi: and quietly" quiet
  done
  check "$mpi: three runs, the same bytes" cmp "$mpi/1.acp.zst" "$mpi/2.acp.zst"
  check "$mpi: all three" cmp "$mpi/1.acp.zst" "$mpi/3.acp.zst"
  check "$mpi: files were made by one process each" [ "$(opens makes)" -eq 3 ]
  check "$mpi: and written by two" [ "$(opens writes)" -eq 6 ]
  check "$mpi: nothing is left beside them" alone "$mpi" $'1.acp.zst\n2.acp.zst\n3.acp.zst'
  check "$mpi: two frames" [ "$(zstd -lv "$mpi/1.acp.zst" 2>&1 | awk '/Frames/ {print $NF}' | tr -d ' ')" = 2 ]
  check "$mpi: MPI-IO of the tracer's own isn't counted" [ -z "$(zstd -dcq "$mpi/1.acp.zst" | grep unmodelled)" ]
  check "$mpi: no times" [ -z "$(zstd -dcq "$mpi/1.acp.zst" | grep -E 'created|_s"')" ]
  job "$mpi" "$here_is/plain.acp"
  zstd -dcq "$mpi/1.acp.zst" > text
  check "$mpi: uncompressed, the same text" cmp text "$mpi/plain.acp"
  check "$mpi: the messages" [ "$(acp pairs text | awk '{m += $3; b += $4} END {print m, b}')" = "1224 $((17 * 8 * 72 * 73 / 2))" ]
  job "$mpi" /proc/none/x BERTH_TRACE_SPOOL="$work/spool"
  check "$mpi: no file, one line" says "berth: cannot write the trace: /proc/none/x: cannot write"
  "$berth" recover -o "$mpi/recovered.acp.zst" spool 2> err
  check "$mpi: recovered, the same bytes" cmp "$mpi/1.acp.zst" "$mpi/recovered.acp.zst"
  rm -r spool
  [ "$mpi" = openmpi ] || continue # its jobs take twice as long; the rest is the same code
  for i in 1 2; do job "$mpi" "$here_is/timed$i.acp.zst" BERTH_TRACE_TIMES=1; done
  without_times "$mpi/timed1.acp.zst" > want; without_times "$mpi/timed2.acp.zst" > got
  check "$mpi: times are all that differs" same want got
  check "$mpi: and there are times" [ "$(zstd -dcq "$mpi/timed1.acp.zst" | grep -c '"wall_s"')" -eq $n ]
  for i in 1 2; do traced "$mpi" $n "$mpi/berth$i.acp.zst" --no-times "./ring.$mpi"; done
  check "$mpi: two runs under berth trace" cmp "$mpi/berth1.acp.zst" "$mpi/berth2.acp.zst"
  check "$mpi: unknown times" grep -q "times: unknown" <("$berth" show "$mpi/berth1.acp.zst")
  ranks=1 job "$mpi" "$here_is/one.acp.zst"
  check "$mpi: one rank" [ "$(acp pairs "$mpi/one.acp.zst")" = "0 0 72 $((8 * 72 * 73 / 2))" ]

  # file systems on which MPI-IO fails, in whichever way
  bads="missing full lost"
  [ "$mpi" = mpich ] || all_rounds || bads=missing # what the tracer then does is the same code
  for bad in $bads; do
    mkdir "$mpi.$bad"
    job "$mpi" "$work/$mpi.$bad/x.acp.zst" BADFILE=$bad
    check "$mpi: $bad: the job ends well" [ $? -eq 0 ]
    check "$mpi: $bad: the same bytes" cmp "$mpi/1.acp.zst" "$mpi.$bad/x.acp.zst"
    check "$mpi: $bad: nothing is left" alone "$mpi.$bad" x.acp.zst
  done

  # what is there already
  echo old > "$mpi/kept.acp.zst" && chmod 0444 "$mpi/kept.acp.zst"
  : > log
  job "$mpi" "$here_is/kept.acp.zst" BADFILE_LOG="$work/log"
  check "$mpi: a file that may not be written is replaced" cmp "$mpi/1.acp.zst" "$mpi/kept.acp.zst"
  check "$mpi: in parallel" [ "$(opens writes)" -eq 2 ]
  check "$mpi: and stays so" [ "$(stat -c %a "$mpi/kept.acp.zst")" = 444 ]
  job "$mpi" /dev/stdout
  check "$mpi: /dev/stdout" cmp text out
  ln -s "$here_is/target.acp.zst" "$mpi/link.acp.zst"
  job "$mpi" "$here_is/link.acp.zst"
  check "$mpi: a link that leads to no file yet" cmp "$mpi/1.acp.zst" "$mpi/target.acp.zst"
  check "$mpi: stays a link" [ -L "$mpi/link.acp.zst" ]
  mkfifo "$mpi/fifo.acp.zst"
  cat "$mpi/fifo.acp.zst" > fifo &
  job "$mpi" "$here_is/fifo.acp.zst"
  wait $!
  check "$mpi: a pipe" cmp "$mpi/1.acp.zst" fifo
  job "$mpi" /dev/full
  check "$mpi: no space: one line" says "berth: cannot write the trace: /dev/full: cannot write: No space left on device"

  # ranks without tables, since 64 GiB of addresses are more than they may have
  withouts="0 3"
  [ "$mpi" = mpich ] || all_rounds || withouts=0
  for without in $withouts; do
    printf '#!/bin/sh\n[ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" = %s ] && ulimit -v 16000000\nexec "./ring.%s"\n' \
      $without "$mpi" > limited.sh && chmod +x limited.sh
    launch "$mpi" $n env BERTH_TRACE_MEMORY=68719476736 BERTH_TRACE_TIMES=0 \
      BERTH_TRACE_FILE="$here_is/less.acp" LD_PRELOAD="$lib/$mpi/libberth-trace.so:$idle" ./limited.sh 2> err
    check "$mpi: rank $without has no table" says "berth: the trace lacks 1 of 17 ranks, which had no memory for it"
    acp pairs text | awk -v r=$without '$1 != r' > want
    acp pairs "$mpi/less.acp" > got
    check "$mpi: the others are there without $without" same want got
  done
done

# both of Open MPI's drivers
for io in romio321 ompio; do
  job openmpi "$work/$io.acp.zst" OMPI_MCA_io=$io
  check "$io: the same bytes" cmp openmpi/1.acp.zst "$io.acp.zst"
done
job mpich "$work/nfs.acp.zst" ROMIO_FSTYPE_FORCE=nfs:
check "MPICH's driver for NFS: the same bytes" cmp mpich/1.acp.zst nfs.acp.zst
finish
