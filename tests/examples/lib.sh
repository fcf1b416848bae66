# shellcheck shell=bash disable=SC1091,SC2154
# Sourced by the examples' tests that need Open MPI under its plain names: Debian's mpirun and mpicc
# may be MPICH's.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"

# Puts mpicc, mpirun and berth in $work/bin, and that in PATH; goes to $work.
openmpi_in_path() {
  local tool found
  cd "$work" || exit 1
  mkdir -p bin tmp
  for tool in mpicc mpirun; do
    found=$(command -v $tool.openmpi || command -v $tool) || { echo "skipped: no $tool"; exit 77; }
    ln -s "$found" bin/$tool
  done
  ln -s "$berth" bin/berth
  export PATH=$work/bin:$PATH TMPDIR=$work/tmp
}
