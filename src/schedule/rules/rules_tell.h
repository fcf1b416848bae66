/* SPDX-License-Identifier: BSD-3-Clause */
/* How each MPI is told of algorithms. */
#ifndef BERTH_SCHEDULE_RULES_TELL_H
#define BERTH_SCHEDULE_RULES_TELL_H

#include "schedule/rules/rule.h"
#include "schedule/schedule_told.h"

/* Rules in the making: those of each operation, in order, to go in front of the MPI's own. */
typedef struct telling {
  schedule_rules_t *rules;
  rule_t *first[SCHEDULE_OPS], *last[SCHEDULE_OPS];
  bool failed; /* memory is out */
} telling_t;

/* Adds a rule. Without `told` the setting has the degree and segment of the MPI's own rules. */
void rules_tell_add(telling_t *t, const schedule_setting_t *setting, const schedule_told_t *told,
                    const condition_t *when, int n_when);

typedef struct tells {
  const char *rules; /* the name of the MPI's */
  /* Adds rules for parameters, and says which of them the rules don't follow. */
  void (*tell)(telling_t *t, const schedule_parameter_t *parameter, size_t n, bool *follows);
} tells_t;

extern const tells_t tells_openmpi, tells_mpich;

#endif
