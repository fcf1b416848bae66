# shellcheck shell=bash
# Sourced by the tests that start MPI jobs.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader
export OMPI_MCA_mpi_yield_when_idle=1 # other work may be on this machine
mkdir "$work/tmp" && export TMPDIR=$work/tmp
here=$BERTH_SOURCE_DIR/tests/mpi
lib=$BERTH_BUILD_DIR/lib/berth
mpis="openmpi mpich"
acp() { python3 "$here/acp.py" "$@"; }

# launch MPI N COMMAND…
launch() {
  local mpi=$1 n=$2; shift 2
  case $mpi in
    openmpi) mpirun.openmpi -np "$n" "$@" ;;
    mpich) mpiexec.mpich -n "$n" "$@" ;;
  esac
}
# traced MPI N FILE [OPTION…] COMMAND…: under berth trace; standard error is in $work/err.
traced() {
  local mpi=$1 n=$2 file=$3 launcher=mpirun.openmpi options=(); shift 3
  while true; do
    case $1 in
      --sites | --phases | --eager | --memory) options+=("$1" "$2"); shift 2 ;;
      --order) options+=("$1"); shift ;;
      *) break ;;
    esac
  done
  [ "$mpi" = mpich ] && launcher=mpiexec.mpich
  "$berth" trace -o "$file" "${options[@]}" -- "$launcher" -n "$n" "$@" 2> "$work/err"
}
says() { grep -qF -- "$1" "$work/err" || { cat "$work/err"; return 1; }; }
same() { cmp -s "$1" "$2" || { diff "$1" "$2" | head -20; return 1; }; }

# compile MPI SOURCE OUTPUT [OPTION…]
compile() {
  local mpi=$1 source=$2 output=$3; shift 3
  "mpicc.$mpi" -std=gnu11 -w -g -O1 "$@" -o "$output" "$source" -pthread || exit 1
}
for tool in mpirun.openmpi mpiexec.mpich mpicc.openmpi mpicc.mpich python3; do
  command -v "$tool" > /dev/null || { echo "skipped: $tool is missing"; exit 77; }
done
[ -f "$lib/openmpi/libberth-trace.so" ] || { echo "skipped: built without MPI"; exit 77; }
cd "$work" || exit 1
