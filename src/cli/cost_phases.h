/* SPDX-License-Identifier: BSD-3-Clause */
/* The best placement for each phase of a pattern alone. */
#ifndef BERTH_CLI_COST_PHASES_H
#define BERTH_CLI_COST_PHASES_H

#include <berth/map.h>

#include "cli/options/inputs.h"

typedef struct alone_question {
  const berth_mapper_t *mapper;
  size_t max; /* ask for so many of the most expensive phases */
} alone_question_t;

/* Fills out[] (as many as phases) for the most expensive phases, by weight[], which has what each
 * phase costs. The objective is in->map.objective. Nothing is found when there are more ranks than
 * PUs. */
int phases_alone_find(const inputs_t *in, const alone_question_t *question, const double *weight,
                      berth_alone_t *out, berth_error_t *err);

/* The command that writes the mapping which suits a phase alone; the caller frees it. */
char *phases_alone_command(const inputs_t *in, const berth_mapper_t *mapper, int phase_id);

#endif
