/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules of an MPI that was told which algorithms to take. */
#ifndef BERTH_SCHEDULE_TOLD_H
#define BERTH_SCHEDULE_TOLD_H

#include "schedule/schedule_rules.h"
#include "schedule/settings/settings.h"

/* An environment variable with a parameter of an MPI, and the text of the file that it names, or
 * NULL. */
typedef struct schedule_parameter {
  const char *name, *value, *text;
} schedule_parameter_t;

/* Puts in front of an MPI's own rules what parameters tell that MPI. Rules of files stay as they
 * are. follows[i] becomes false if parameter i may choose other algorithms than the rules then do.
 * Once for each rules. */
int schedule_rules_tell(schedule_rules_t *r, const schedule_parameter_t *parameter, size_t n,
                        bool *follows, berth_error_t *err);

/* The bytes by which Open MPI looks a call up in its file of dynamic rules; 0, too, for operations
 * that have none. */
uint64_t schedule_openmpi_bytes(const schedule_request_t *q);

#endif
