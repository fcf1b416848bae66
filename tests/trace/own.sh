#!/usr/bin/env bash
# Programs that have functions of MPI of their own, as with a profiler that is linked in: what they call of
# PMPI_ counts, once, and a line names them. What the MPI library calls of PMPI_ itself doesn't count.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
says_nothing_of() { ! grep -qF -- "$1" "$work/err" || { cat "$work/err"; return 1; }; }
calls() { acp lines own.acp | grep -c "$1"; }
counts() { # 100 messages of 8 bytes and 3 calls of MPI_Allreduce, nothing else
  [ "$(acp pairs own.acp)" = "0 1 100 800" ] && [ "$(grep '"kind":"coll"' own.acp | grep -o '"op":"[A-Za-z_]*"\|"count":[0-9]*' | sort | tr '\n' ' ')" = "$1" ] ||
    { cat err; acp pairs own.acp; grep '"kind":"coll"' own.acp; return 1; }
}
three='"count":3 "op":"MPI_Allreduce" '

for mpi in $mpis; do
  library=libmpi.so.40; [ "$mpi" = mpich ] && library=libmpich.so.12
  # MPI-IO's library, as Open MPI has two
  for io in ompio romio321; do
    [ "$mpi$io" = mpichromio321 ] && continue
    export OMPI_MCA_io=$io
    # what it is compiled with, and what is said of it
    while IFS='|' read -r name options line; do
      # shellcheck disable=SC2086
      compile "$mpi" "$here/own.c" own $options
      traced "$mpi" 2 own.acp ./own file < /dev/null > out
      check "$mpi, $io, $name: the exit code" [ $? = 0 ]
      if [ -n "$line" ]; then check "$mpi, $io, $name: it is said" says "$line"
      else check "$mpi, $io, $name: nothing is said" says_nothing_of "itself"; fi
      check "$mpi, $io, $name: all counts, once" counts "$three"
    done <<TABLE
none of its own||
none of its own, and a fixed address|-fno-pic -no-pie|
own functions|-DOWN|own defines MPI_Allreduce, MPI_Finalize, MPI_Init and MPI_Send itself; calls count where they reach PMPI_
TABLE
  done
  compile "$mpi" "$here/own.c" own -DOWN -DALL "-DLIBRARY=\"$library\"" -ldl
  traced "$mpi" 2 own.acp ./own file < /dev/null > out
  check "$mpi, PMPI_ as well: the exit code" [ $? = 0 ]
  check "$mpi, PMPI_ as well: it is said" says "own defines PMPI_Send itself; calls of it aren't counted"
  check "$mpi, PMPI_ as well: the program's own functions run" [ "$(cat out)" = "100 3" ]
  while read -r binding name pmpi final_name final_pmpi; do
    [ "${binding%:*}" = "$mpi" ] || continue
    "mpicc.$mpi" -c -o names.o "$here/own_names.c" "-DNAME=$name" "-DPMPI=$pmpi" \
      "-DFINAL_NAME=$final_name" "-DFINAL_PMPI=$final_pmpi" || exit 1
    define=${binding#*:}
    for names in "" names.o; do
      "mpifort.$mpi" -w -fallow-argument-mismatch "-D$define" -o own "$here/own.F90" $names || exit 1
      traced "$mpi" 2 own.acp ./own < /dev/null
      check "$binding $names: the exit code" [ $? = 0 ]
      check "$binding $names: all counts, once" counts "$three"
      [ -z "$names" ] || check "$binding: it is said" says "own defines $final_name and $name itself"
    done
  done <<'TABLE'
openmpi:MODULE mpi_send_ pmpi_send_ mpi_finalize_ pmpi_finalize_
openmpi:F08 mpi_send_f08_ pmpi_send_f08_ mpi_finalize_f08_ pmpi_finalize_f08_
mpich:MODULE mpi_send_ pmpi_send_ mpi_finalize_ pmpi_finalize_
mpich:F08 mpi_send_f08ts_ pmpir_send_f08ts_ mpi_finalize_f08_ pmpir_finalize_f08_
TABLE
done
finish
