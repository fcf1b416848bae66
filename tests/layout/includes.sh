#!/usr/bin/env bash
# Who may include whom (docs/architecture.md), and who may see MPI and hwloc.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$BERTH_SOURCE_DIR/src" || exit 1

# What each module may include besides itself: modules as "name/", public headers by name.
allowed() {
  case $1 in
    base) echo "error memory version" ;;
    pattern) echo "base error version pattern" ;;
    topo) echo "base error version topo" ;;
    cost) echo "base pattern topo error version cost sharing uncertainty" ;;
    map) echo "base pattern topo cost error version map sharing uncertainty team" ;;
    check) echo "base pattern topo cost error version check" ;;
    report) echo "base pattern topo cost error version sharing uncertainty" ;;
    launch) echo "base error version" ;;
    symbol) echo "base pattern error version" ;;
    calib) echo "base topo error version" ;;
    measure) echo "base" ;;
    job) echo "error version team" ;;
    spool) echo "base pattern error version" ;;
    exchange) echo "base pattern topo error version exchange" ;;
    trace) echo "base pattern spool error version" ;;
    cli) echo "base pattern topo calib cost sharing uncertainty map check report launch symbol spool exchange job error memory version team" ;;
  esac
}

for module in *; do
  [ -d "$module" ] || continue
  may=$(allowed "$module")
  check "the table above knows $module" [ -n "$may" ]
  included=$(grep -hoE '#include ("[a-z]+/|<berth/[a-z]+)' "$module"/*.[ch] |
    sed -E 's/.*"([a-z]+)\//\1/; s/.*<berth\///' | sort -u)
  for other in $included; do
    [ "$other" = "$module" ] && continue
    check "$module may include $other" grep -qw -- "$other" <<< "$may"
  done
done

check "only trace, measure and job include mpi.h" \
  [ -z "$(grep -lE '#include <mpi.h>' -r . | grep -vE '^./(trace|measure|job)/')" ]
check "only topo's hwloc file includes hwloc.h" \
  [ -z "$(grep -lE '#include <hwloc' -r . | grep -v '^./topo/topo_hwloc.c')" ]
check "no source knows whether the build has an MPI: check.sh relies on it" \
  [ -z "$(grep -rl BERTH_MPI --include="*.[ch]" . ../include; grep -l BERTH_MPI ../cmake/*)" ]
check "libraries never exit or print" \
  [ -z "$(grep -nE '(^|[^_a-z])(exit|printf|puts|perror)\(' -r base pattern topo calib cost map check report launch symbol spool trace job)" ]
finish
