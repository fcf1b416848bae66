/* SPDX-License-Identifier: BSD-3-Clause */
/* How sure costs are, for people and for scripts. */
#ifndef BERTH_CLI_PRINT_VERDICT_H
#define BERTH_CLI_PRINT_VERDICT_H

#include <berth/uncertainty.h>
#include <stdio.h>

#include "cli/options/inputs.h"
#include "cost/cost_put.h"

/* Says that placement a can't be told from b, if so: "  no verdict: …\n". */
void verdict_print_doubt(FILE *to, const berth_uncertainty_t *u, size_t a, size_t b,
                         const char *name_of_b);
/* What the margins are, nothing where u is NULL; and what else costs leave out or rest on. */
void verdict_print_notes(FILE *to, const inputs_t *in, const berth_uncertainty_t *u);
/* The same without margins, as members of an open object. */
void verdict_put_notes(json_out_t *j, const inputs_t *in);

#endif
