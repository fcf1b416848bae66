/* SPDX-License-Identifier: BSD-3-Clause */
/* --json and --csv. */
#include "cli/options/form.h"

#include <string.h>

static void take_form(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  (void)arg;
  form_t *form = field, asked = strcmp(o->name, "--json") == 0 ? FORM_JSON : FORM_CSV;
  if (*form != FORM_TEXT && *form != asked) argp_error(state, "expected --json or --csv, not both");
  *form = asked;
}

static const option_t options[] = {
    OPTION_OF_ALL("--json", take_form), OPTION_OF_ALL("--csv", take_form), {0}};

const option_table_t form_options = {options, NULL};
