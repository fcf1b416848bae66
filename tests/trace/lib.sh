# shellcheck shell=bash
# Sourced by the tests that start MPI jobs.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader
export OMPI_MCA_mpi_yield_when_idle=1 # other work may be on this machine
export OMPI_MCA_pml=ob1,monitoring # what it takes anyway, after a look at networks
export OMPI_MCA_osc=^rdma # its MPI_Compare_and_swap crashes over shared memory in 4.1.4
export HWLOC_PLUGINS_PATH=/nowhere # every rank would load libraries that look for graphics cards
mkdir "$work/tmp" && export TMPDIR=$work/tmp
here=$BERTH_SOURCE_DIR/tests/trace
lib=$BERTH_BUILD_DIR/lib/berth
mpis="openmpi mpich"
idle=$work/idle.so # makes ranks sleep while they wait
acp() { python3 -IS "$here/acp.py" "$@"; } # begins in two thirds of the time
# Without the windows that threads may share: UCX looks for networks in every rank that starts,
# which takes a third of the time of a job's start.
few_windows() { export OMPI_MCA_osc=^rdma,ucx; }

# launch MPI N COMMAND…
launch() {
  local mpi=$1 n=$2; shift 2
  case $mpi in
    openmpi) LD_PRELOAD=$idle mpirun.openmpi -np "$n" "$@" ;;
    mpich) LD_PRELOAD=$idle mpiexec.mpich -n "$n" "$@" ;;
  esac
}
# traced MPI N FILE [OPTION…] COMMAND…: under berth trace; standard error is in $work/err.
traced() {
  local mpi=$1 n=$2 file=$3 launcher=mpirun.openmpi options=(); shift 3
  while true; do
    case $1 in
      --sites | --phases | --eager | --memory) options+=("$1" "$2"); shift 2 ;;
      --order | --no-times) options+=("$1"); shift ;;
      *) break ;;
    esac
  done
  [ "$mpi" = mpich ] && launcher=mpiexec.mpich
  LD_PRELOAD=$idle${LD_PRELOAD:+:$LD_PRELOAD} \
    "$berth" trace -o "$file" "${options[@]}" -- "$launcher" -n "$n" "$@" 2> "$work/err"
}
says() { grep -qF -- "$1" "$work/err" || { cat "$work/err"; return 1; }; }
same() { cmp -s "$1" "$2" || { diff "$1" "$2" | head -20; return 1; }; }

# compile MPI SOURCE OUTPUT [OPTION…]
compile() {
  local mpi=$1 source=$2 output=$3; shift 3
  "mpicc.$mpi" -std=gnu11 -w -g -O1 "$@" -o "$output" "$source" -pthread || exit 1
}
# compile_truth MPI OUTPUT
compile_truth() {
  compile "$1" "$here/truth.c" "$2" "$here/truth_collectives.c" "$here/truth_one_sided.c"
}
# compile_fortran MPI BINDING OUTPUT [OPTION…]
compile_fortran() {
  local mpi=$1 binding=$2 output=$3 large=; shift 3
  [ "$mpi" = mpich ] && large=-DLARGE
  "mpicc.$mpi" -g -c -o "mixed.$mpi.o" "$here/mixed.c" &&
    "mpifort.$mpi" -g -O0 -w -fopenmp -fallow-argument-mismatch -ffree-line-length-none \
      "-D$binding" $large "$@" -o "$output" "$here/truth.F90" "mixed.$mpi.o" || exit 1
}
# mpi_libraries MPI BINDING: the files of the MPI's libraries that programs of the binding have.
mpi_libraries() {
  if [ "$2" = C ]; then
    echo 'int main(void) { return 0; }' > empty.c
    "mpicc.$1" -Wl,--no-as-needed -o empty empty.c
  else
    printf 'program empty\n  use mpi_f08\nend program\n' > empty.f90
    "mpifort.$1" -Wl,--no-as-needed -o empty empty.f90
  fi && ldd empty | sed -n 's/.*=> \(.*libmpi[^ ]*\).*/\1/p'
}
# library_names MPI BINDING: nm's lines of what these libraries have.
library_names() { mpi_libraries "$@" | xargs nm -D --defined-only | grep ' [A-Z] '; }
# every MPI BINDING: runs the cases of every_table.py under the tracer. `found` says of how many of
# the functions of each kind that the MPI has the trace holds all, and `wrong` what isn't right.
every() {
  local mpi=$1 binding=$2 option=-DEXTENSIONS
  [ "$mpi" = mpich ] && option=-DLARGE
  library_names "$mpi" "$binding" > names && gcc -c -o pair.o "$here/pair.c" &&
    python3 -B "$here/every.py" program "$mpi" "$binding" names > every_cases.h || exit 1
  if [ "$binding" = C ]; then
    "mpicc.$mpi" -std=gnu11 -w -g -I. -o every "$here/every.c" pair.o || exit 1
  else
    "mpifort.$mpi" -w -g -fallow-argument-mismatch -ffree-line-length-none "-D$binding" $option \
      -I. -o every "$here/every.F90" pair.o || exit 1
  fi
  rm -f every*.acp # spawned processes have traces of their own
  OMPI_MCA_btl=self,vader,tcp traced "$mpi" 4 every.acp --sites 1 --phases pcontrol ./every io &&
    python3 -B "$here/every.py" rows "$mpi" "$binding" names \
      "$(grep -l '"ranks":4' every*.acp)" > found 2> wrong
}
for tool in mpirun.openmpi mpiexec.mpich mpicc.openmpi mpicc.mpich python3; do
  command -v "$tool" > /dev/null || { echo "skipped: $tool is missing"; exit 77; }
done
[ -f "$lib/openmpi/libberth-trace.so" ] || { echo "skipped: built without MPI"; exit 77; }
cd "$work" || exit 1
gcc -O1 -shared -fPIC -w -o "$idle" "$here/idle.c" || exit 1
