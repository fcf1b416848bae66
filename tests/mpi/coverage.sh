#!/usr/bin/env bash
# Writes docs/trace-coverage.md, of what the traces of the test mpi/every hold:
#
#   BERTH_SOURCE_DIR=. BERTH_BUILD_DIR=build tests/mpi/coverage.sh
#
# The test holds them against the table, too.
. "$BERTH_SOURCE_DIR/tests/mpi/lib.sh"

head='| functions of MPI |' rule='|---|' columns=()
for mpi in $mpis; do
  for binding in C MPIFH MODULE F08; do
    every "$mpi" "$binding" || { cat wrong err; exit 1; }
    sed 's/:.*//' found > names_of_rows
    sed 's/.*: //' found > "column.$mpi.$binding"
    columns+=("column.$mpi.$binding")
    head="$head $mpi, $binding |" rule="$rule---|"
  done
done
{
  cat << 'TEXT'
# What the tracer's tests count

The test `mpi/every` calls each function of MPI that the tracer models, in each way in which that
makes a difference, in a phase of its own (`MPI_Pcontrol`). What the trace has of that phase must be
what the call did: every message, collective call, one-sided operation and epoch, with ranks, sizes and
numbers, under the name of the function that was called, and nothing else.

"n of m" says that the MPI's libraries have m such functions in this binding (as `nm` lists them, – for
none), and that the trace holds exactly what n of them did. Bindings are C, `mpif.h` (MPIFH), `use mpi`
(MODULE) and `use mpi_f08` (F08); Open MPI is 4.1.4, MPICH 4.0.2. What counts, and how, is in trace.md.
`tests/mpi/coverage.sh` writes this file, and the test fails when it finds something else.

TEXT
  echo "$head"
  echo "$rule"
  paste -d'|' names_of_rows "${columns[@]}" | sed 's/^/| /; s/|/ | /2g; s/$/ |/'
  echo
  echo "Where n is less than m, the MPI can't do it itself, untraced as well:"
  echo
  python3 -B "$here/every.py" faults
  cat << 'TEXT'

Messages and calls to spawned processes are with processes outside of `MPI_COMM_WORLD`: their trace has
the numbers of such calls by name. Of two groups of one `MPI_COMM_WORLD` that connect or join it has
messages as any others. Programs that have sessions alone are the test `mpi/session`'s. Open MPI 4.1 has
persistent collectives as an extension of its own (`MPIX_Bcast_init`); they count as `MPI_Bcast_init`
and so on. In Fortran MPI-IO has no large counts, and in MPICH large counts are C's and `mpi_f08`'s.

The tests `mpi/truth` and `mpi/fortran` hold longer programs to the same rule: handles that are used
again, derived types, `MPI_IN_PLACE`, `MPI_BOTTOM`, calls that MPI refuses, threads, both languages in
one program.
TEXT
} > "$BERTH_SOURCE_DIR/docs/trace-coverage.md"
