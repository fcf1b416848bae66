#!/usr/bin/env bash
# Call sites: the right function and line, whatever the program is built like.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows

# at FILE MARK: the number of the line that is marked so.
own=$BERTH_SOURCE_DIR/tests/symbol
at() { cat "$own/$1" "$here/$1" 2> /dev/null | grep -n "/\* SITE $2 \*/" | cut -d: -f1; }
s=sites.c
cat > want << WANT
MPI_Isend inlined $s:$(at $s inlined) < main $s:$(at $s "main inlined")
MPI_Send own $s:$(at $s own) < outer $s:$(at $s "outer again") < main $s:$(at $s "main outer")
MPI_Send own $s:$(at $s own) < outer $s:$(at $s outer) < main $s:$(at $s "main outer")
MPI_Sendrecv plugin_run plugin.c:$(at plugin.c run) < from_plugin $s:$(at $s plugin) < main $s:$(at $s "main plugin")
WANT
sort -o want want

for mpi in $mpis; do
  compile "$mpi" "$here/plugin.c" "plugin.$mpi.so" -shared -fPIC
  # frames that begin at the base pointer, or that the stack is aligned for, are walked otherwise
  for kind in "" -fPIE\ -pie -fno-pie\ -no-pie -fno-omit-frame-pointer -mstackrealign; do
    # shellcheck disable=SC2086
    compile "$mpi" "$own/sites.c" "sites.$mpi" $kind -fno-optimize-sibling-calls
    traced "$mpi" 2 sites.acp --sites 6 "./sites.$mpi" "./plugin.$mpi.so"
    acp sites sites.acp | grep -v compare > got
    check "$mpi ${kind:-as the compiler does}: functions and lines" same want got
    callback="MPI_Sendrecv compare $s:$(at $s cb) < .* < main $s:$(at $s "main qsort")"
    check "$mpi: through the C library" [ "$(acp sites sites.acp | grep -c "^$callback$")" -eq 1 ]
    check "$mpi: the line" says "2 ranks, 30 messages, 90 B, 5 call sites (5 resolved)"
  done

  strip --strip-debug "sites.$mpi"
  traced "$mpi" 1 sites.acp "./sites.$mpi"
  check "$mpi, symbols only: functions" [ "$(acp sites sites.acp |
    grep -cE "^MPI_Send own\+0x[0-9a-f]+ sites.$mpi < outer\+0x[0-9a-f]+ sites.$mpi < main\+0x[0-9a-f]+ sites.$mpi$")" -eq 2 ]
  strip "sites.$mpi"
  traced "$mpi" 1 sites.acp "./sites.$mpi"
  check "$mpi, stripped: module and offset" [ "$(acp sites sites.acp |
    grep -cE "^MPI_Send ($work/sites.$mpi\+0x[0-9a-f]+ \([0-9a-f]{40}\) < ){2}$work/sites.$mpi\+0x[0-9a-f]+ \([0-9a-f]{40}\)$")" -eq 2 ]
  check "$mpi, stripped: it says so" says "4 call sites (0 resolved)"

  # depths
  compile "$mpi" "$own/sites.c" "sites.$mpi" -fno-optimize-sibling-calls
  traced "$mpi" 1 one.acp --sites 1 "./sites.$mpi"
  check "$mpi, depth 1" [ "$(acp sites one.acp | grep -c '<')" -le 1 ]
  check "$mpi, depth 1: a function" [ "$(acp sites one.acp | grep -c "^MPI_Send own $s:$(at $s own)$")" -eq 1 ]
  traced "$mpi" 1 none.acp --sites 0 "./sites.$mpi"
  check "$mpi, depth 0" [ -z "$(acp sites none.acp)" ]

  # resolved afterwards; not where the program has changed since
  LD_PRELOAD=$lib/$mpi/libberth-trace.so BERTH_TRACE_FILE=$work/own.acp "./sites.$mpi"
  check "$mpi: a job started by itself" [ "$(acp sites own.acp | grep -c "^MPI_Send $work/sites.$mpi+0x")" -eq 2 ]
  "$berth" resolve own.acp -o resolved.acp 2> err
  check "$mpi: resolve" [ "$(acp sites resolved.acp | grep -c "^MPI_Send own $s:")" -eq 2 ]
  acp lines own.acp > want2; acp lines resolved.acp > got
  check "$mpi: resolve changes nothing else" same want2 got
  compile "$mpi" "$own/sites.c" "sites.$mpi" -O2
  "$berth" resolve own.acp 2> err
  check "$mpi: another program isn't taken for the one that ran" says "4 call sites (0 resolved)"

  # in a folder whose name a trace cannot hold, beside another of the same letters
  if [ "$mpi" = openmpi ]; then
    odd=$'od\xffd[1]'
    mkdir "$odd" 'od.d[1]' && cp "sites.$mpi" "$odd" && cp "$(command -v true)" "od.d[1]/sites.$mpi"
    "$berth" trace -o odd.acp -- "./$odd/sites.$mpi" 2> err
    check "a folder that isn't UTF-8" says "4 call sites (4 resolved)"
  fi

  # MPI out of sight of the program
  gcc -O1 -g -o host "$own/host.c" || exit 1
  "$berth" trace -o host.acp --mpi "$mpi" -- ./host "./plugin.$mpi.so" 2> err
  check "$mpi: a program that loads MPI later" [ "$(acp lines host.acp)" = "p2p 0 0 5 1" ]
done
finish
