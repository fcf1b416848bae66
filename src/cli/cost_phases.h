/* SPDX-License-Identifier: BSD-3-Clause */
/* The mapping that would suit each phase of a pattern alone. */
#ifndef BERTH_CLI_COST_PHASES_H
#define BERTH_CLI_COST_PHASES_H

#include <berth/map.h>
#include <stdbool.h>

#include "cli/options/inputs.h"

/* What a mapper reaches when it sees one phase only. */
typedef struct alone {
  bool known;
  const char *algorithm; /* static text */
  double cost_s;         /* of all occurrences of the phase, their communication */
  double pattern_cost_s; /* of the whole pattern under that mapping, with sharing of cores */
} alone_t;

typedef struct alone_question {
  const berth_mapper_t *mapper;
  size_t max; /* ask for so many of the most expensive phases */
} alone_question_t;

/* Fills out[] (as many as phases) for the most expensive phases, by weight[], which has what each
 * phase costs. The objective is in->map.objective. Nothing is known when there are more ranks than
 * PUs. */
int phases_alone_find(const inputs_t *in, const alone_question_t *question, const double *weight,
                      alone_t *out, berth_error_t *err);

/* The command that writes the mapping which suits a phase alone; the caller frees it. */
char *phases_alone_command(const inputs_t *in, const berth_mapper_t *mapper, int phase_id);

#endif
