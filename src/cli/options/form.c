/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/form.h"

enum { OPT_JSON = 768, OPT_CSV };

static const struct argp_option option_table[] = {
    {"json", OPT_JSON, NULL, 0, "Print one JSON object instead of text.", 0},
    {"csv", OPT_CSV, NULL, 0,
     "Print comma-separated values: a line for each placement, and each sample where there are "
     "any.",
     0},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  (void)arg;
  form_t *form = state->input, asked = key == OPT_JSON ? FORM_JSON : FORM_CSV;
  if (key != OPT_JSON && key != OPT_CSV) return ARGP_ERR_UNKNOWN;
  if (*form != FORM_TEXT && *form != asked) argp_error(state, "expected --json or --csv, not both");
  *form = asked;
  return 0;
}

const struct argp form_argp = {.options = option_table, .parser = parse_option};
