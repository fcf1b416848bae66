# shellcheck shell=bash
# Sourced by the tests of the one-sided library.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
here=$BERTH_SOURCE_DIR/tests/rma
groups=$BERTH_SOURCE_DIR/tests/coll/groups.py
rma=()    # more variables, as NAME=VALUE
before='' # libraries before it

# served MPI N COMMAND…: with the library; standard error is in `err`.
served() {
  local mpi=$1 n=$2; shift 2
  launch "$mpi" "$n" env "LD_PRELOAD=$before$lib/$mpi/libberth-rma.so:$idle" "${rma[@]}" "$@" \
    2> err < /dev/null
}
