#!/usr/bin/env bash
# Writes docs/trace-coverage.md, of what the traces of the test trace/every hold:
#
#   BERTH_SOURCE_DIR=. BERTH_BUILD_DIR=build tests/trace/coverage.sh
#
# The test holds them against the table, too.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"

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

The test `trace/every` calls each function of MPI that the tracer models, in each way that makes a difference. Each call is in a phase of its own (`MPI_Pcontrol`). The trace of that phase must have exactly what the call did: every message, collective call, one-sided operation and epoch, with ranks, sizes and numbers, under the name of the called function. trace.md says what the tracer counts.

"n of m": the MPI's libraries have m such functions in this binding (as `nm` lists them), and for n of them the trace is exact. "–": the binding has none. Bindings are C, `mpif.h` (MPIFH), `use mpi` (MODULE) and `use mpi_f08` (F08). Open MPI is 4.1.4, MPICH 4.0.2.

`tests/trace/coverage.sh` writes this file. The test fails if it finds other numbers.

TEXT
  echo "$head"
  echo "$rule"
  paste -d'|' names_of_rows "${columns[@]}" | sed 's/^/| /; s/|/ | /2g; s/$/ |/'
  echo
  echo "If n is less than m, these calls fail without the tracer, too:"
  echo
  python3 -B "$here/every.py" faults
  cat << 'TEXT'

Notes:

- **Spawned processes** are outside of `MPI_COMM_WORLD`. The trace has the number of such calls, by function name. Two groups of one `MPI_COMM_WORLD` may connect or join; their messages are recorded like others.
- **Sessions**: the test `trace/session` has programs that use only sessions.
- **Persistent collectives** are an extension in Open MPI 4.1 (`MPIX_Bcast_init`). They count as `MPI_Bcast_init` and so on.
- **Large counts**: Fortran has none for MPI-IO. MPICH has them in C and in `mpi_f08`.

The tests `trace/truth` and `trace/fortran` check longer programs by the same rule: reused handles, derived types, `MPI_IN_PLACE`, `MPI_BOTTOM`, calls that fail, threads, both languages in one program.
TEXT
} > "$BERTH_SOURCE_DIR/docs/trace-coverage.md"
