/* SPDX-License-Identifier: BSD-3-Clause */
/* MPICH 4.0: the names that MPIR_CVAR_<OPERATION>_INTRA_ALGORITHM takes (src/mpi/coll/mpir_coll.c).
 * A variable is for all calls of an operation; where its algorithm doesn't serve one, MPICH takes
 * what it takes anyway (MPIR_CVAR_COLLECTIVE_FALLBACK). Calls that it composes by hosts are made of
 * calls on communicators whose ranks share no host, or one host alone; the variable is for these.
 *
 * Reduce_scatter's noncommutative isn't here: it aborts if it doesn't serve a call. */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "schedule/rules/rules_tell.h"

#define NAMED(op, algorithm, name)                                                                 \
  {                                                                                                \
    SCHEDULE_##op, algorithm, name, name, false, false                                             \
  }

static const schedule_setting_t settings[] = {
    NAMED(ALLGATHER, "brucks", "brucks"),
    NAMED(ALLGATHER, "recursive_doubling", "recursive_doubling"),
    NAMED(ALLGATHER, "ring", "ring"),
    NAMED(ALLGATHERV, "brucks", "brucks"),
    NAMED(ALLGATHERV, "recursive_doubling", "recursive_doubling"),
    NAMED(ALLGATHERV, "ring", "ring"),
    NAMED(ALLREDUCE, "recursive_doubling", "recursive_doubling"),
    NAMED(ALLREDUCE, "reduce_scatter_allgather", "reduce_scatter_allgather"),
    NAMED(ALLTOALL, "brucks", "brucks"),
    NAMED(ALLTOALL, "scattered", "scattered"),
    NAMED(ALLTOALL, "pairwise", "pairwise"),
    NAMED(ALLTOALL, "pairwise_by_distance", "pairwise"),
    NAMED(BCAST, "binomial", "binomial"),
    NAMED(BCAST, "scatter_recursive_doubling_allgather", "scatter_recursive_doubling_allgather"),
    NAMED(BCAST, "scatter_ring_allgather", "scatter_ring_allgather"),
    NAMED(REDUCE, "binomial", "binomial"),
    NAMED(REDUCE, "reduce_scatter_gather", "reduce_scatter_gather"),
    NAMED(REDUCE_SCATTER, "pairwise", "pairwise"),
    NAMED(REDUCE_SCATTER, "recursive_doubling", "recursive_doubling"),
    NAMED(REDUCE_SCATTER, "recursive_halving", "recursive_halving"),
    NAMED(REDUCE_SCATTER_BLOCK, "noncommutative", "noncommutative"),
    NAMED(REDUCE_SCATTER_BLOCK, "pairwise", "pairwise"),
    NAMED(REDUCE_SCATTER_BLOCK, "recursive_doubling", "recursive_doubling"),
    NAMED(REDUCE_SCATTER_BLOCK, "recursive_halving", "recursive_halving"),
};
enum { N_SETTINGS = sizeof settings / sizeof *settings };

/* Whether the variable is that of the operation. */
static bool is_of(const char *variable, schedule_op_t op)
{
  static const char prefix[] = "MPIR_CVAR_";
  const char *name = schedule_op_name(op);
  if (!text_starts(variable, prefix)) return false;
  variable += strlen(prefix);
  for (; *name; name++, variable++)
    if (*variable != toupper((unsigned char)*name)) return false;
  return strcmp(variable, "_INTRA_ALGORITHM") == 0;
}

/* Whether a variable has a part in choosing algorithms. */
static bool chooses(const char *variable)
{
  static const char *const parts[] = {"_ALGORITHM",   "_COMPOSITION", "COLL_SELECTION",
                                      "_COLLECTIVES", "_SMP",         "_MSG_SIZE"};
  if (!text_starts(variable, "MPIR_CVAR_")) return false;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strstr(variable, parts[i])) return true;
  return false;
}

static void tell(telling_t *t, const schedule_parameter_t *parameter, size_t n, bool *follows)
{
  static const condition_t apart = {RULE_APART, RULE_EQUAL, 1};
  for (size_t i = 0; i < n; i++) {
    follows[i] = !chooses(parameter[i].name) || strcmp(parameter[i].value, "auto") == 0;
    for (size_t k = 0; k < N_SETTINGS; k++) {
      if (!is_of(parameter[i].name, settings[k].op) ||
          strcmp(parameter[i].value, settings[k].name) != 0)
        continue;
      follows[i] = true;
      rules_tell_add(t, &settings[k], NULL, &apart, 1);
    }
  }
}

const tells_t tells_mpich = {"mpich-4.0", settings, N_SETTINGS, tell};
