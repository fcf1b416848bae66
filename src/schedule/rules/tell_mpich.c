/* SPDX-License-Identifier: BSD-3-Clause */
/* MPICH 4.0: what its variables MPIR_CVAR_<OPERATION>_INTRA_ALGORITHM do. A variable is for all
 * calls of an operation; where its algorithm doesn't serve one, MPICH takes what it takes anyway
 * (MPIR_CVAR_COLLECTIVE_FALLBACK). Calls that it composes by hosts are made of calls on
 * communicators whose ranks share no host, or one host alone; the variable is for these. */
#include <string.h>

#include "base/text.h"
#include "schedule/rules/rules_tell.h"

/* Whether the variable is that of the operation. */
static bool is_of(const char *variable, schedule_op_t op)
{
  char own[SCHEDULE_VARIABLE];
  schedule_mpich_variable(schedule_op_name(op), own);
  return strcmp(variable, own) == 0;
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
  size_t n_all;
  const schedule_setting_t *all = schedule_settings(tells_mpich.rules, &n_all);
  for (size_t i = 0; i < n; i++) {
    follows[i] = !chooses(parameter[i].name) || strcmp(parameter[i].value, "auto") == 0;
    for (size_t k = 0; k < n_all; k++) {
      if (!is_of(parameter[i].name, all[k].op) || strcmp(parameter[i].value, all[k].name) != 0)
        continue;
      follows[i] = true;
      rules_tell_add(t, &all[k], NULL, &apart, 1);
    }
  }
}

const tells_t tells_mpich = {"mpich-4.0", tell};
