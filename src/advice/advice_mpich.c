/* SPDX-License-Identifier: BSD-3-Clause */
/* MPICH 4.0 is told by MPIR_CVAR_<OPERATION>_INTRA_ALGORITHM (src/schedule/rules/tell_mpich.c). Its
 * JSON file replaces all decisions of all operations, so it can't say a part of them. */
#include <string.h>

#include "advice/advice_mpi.h"

static bool is_told(schedule_op_t op)
{
  (void)op;
  return true;
}

static void find(const schedule_request_t *q, int *ranks, uint64_t *bytes)
{
  (void)q;
  *ranks = 0;
  *bytes = 0;
}

static void write(out_file_t *out, const berth_setting_t *s, size_t n)
{
  out_text(out, "# Algorithms of MPICH 4.0: for all calls of an operation that they serve.\n");
  for (size_t i = 0; i < n; i++) {
    char variable[SCHEDULE_VARIABLE];
    schedule_mpich_variable(s[i].op + strlen("MPI_"), variable);
    out_printf(out, "export %s=%s\n", variable, s[i].choice.setting);
  }
}

const advice_mpi_t advice_mpich = {"mpich-4.0", is_told, find, write, ". ", " && mpiexec …"};
