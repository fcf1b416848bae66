# shellcheck shell=bash disable=SC2034
# Sourced by tests of `berth calibrate` whose measuring job is a stand-in: the program, beside files
# that it takes for the measuring programs, so that it need not be built with an MPI.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
for mpi in openmpi mpich; do
  mkdir -p "$work/beside/src/cli" "$work/beside/lib/berth/$mpi"
  ln -s /bin/false "$work/beside/lib/berth/$mpi/berth-measure"
done
cp "$berth" "$work/beside/src/cli"
berth=$work/beside/src/cli/berth
