/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth show`: what is in a pattern, for people and for scripts. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/options/inputs.h"
#include "cli/options/load.h"
#include "cli/options/memory_option.h"
#include "cli/print/show.h"

enum { TOP = 10 };

typedef struct options {
  const char *path, *phase;
  size_t top;
  int json, truncated;
} options_t;

enum { OPT_TOP = 256, OPT_PHASE, OPT_JSON, OPT_TRUNCATED };

static const struct argp_option option_table[] = {
    {"top", OPT_TOP, "N", 0, "List the first N pairs, call sites and phases (default 10; 0: all).",
     0},
    {"phase", OPT_PHASE, "ID|NAME", 0, "Show this phase of the pattern alone.", 0},
    {"json", OPT_JSON, 0, 0, "Print one JSON object instead of text.", 0},
    {"truncated", OPT_TRUNCATED, 0, 0, "Take what is there of a pattern that was cut off.", 0},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  options_t *o = state->input;
  switch (key) {
  case OPT_TOP:
    o->top = (size_t)cli_number(state, "--top", arg, 0, SIZE_MAX / 2);
    break;
  case OPT_PHASE:
    o->phase = arg;
    break;
  case OPT_JSON:
    o->json = 1;
    break;
  case OPT_TRUNCATED:
    o->truncated = 1;
    break;
  case ARGP_KEY_ARG:
    if (o->path) argp_error(state, "found '%s' behind '%s', expected one pattern", arg, o->path);
    o->path = arg;
    break;
  case ARGP_KEY_END:
    if (!o->path) argp_error(state, "expected a pattern");
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .children = memory_children,
    .args_doc = "PATTERN",
    .doc = "Shows what is in a pattern: the run, who sends how much to whom as a picture, the "
           "busiest pairs and call sites, sizes, phases, collective and one-sided operations, and "
           "the calls of which only the name is known."};

static int show(const options_t *o, const berth_pattern_t *p, berth_error_t *err)
{
  summary_t s;
  int rc = summary_init(&s, p, err);
  if (!rc && o->json) rc = show_json(&s, o->path, o->top, err);
  if (!rc && !o->json) show_print(&s, o->top);
  summary_clear(&s);
  return rc;
}

static int show_phase(const options_t *o, const berth_pattern_t *p, berth_error_t *err)
{
  size_t place;
  int rc = inputs_find_phase(p, o->phase, &place, err);
  if (rc) return rc;
  const berth_pattern_t *alone = berth_pattern_of_phase(p, place, err);
  if (!alone) return err->code;
  rc = show(o, alone, err);
  berth_pattern_of_phase_free(alone);
  return rc;
}

static int run(int argc, char **argv)
{
  options_t o = {.top = TOP};
  berth_error_t err = {0};
  int wrong = cli_parse(&argp, argc, argv, 0, &o);
  if (wrong) return wrong;
  berth_pattern_t *p = load_pattern(NULL, o.path, o.truncated, &err);
  int rc = !p ? err.code : o.phase ? show_phase(&o, p, &err) : show(&o, p, &err);
  berth_pattern_free(p);
  return rc ? cli_report(argv[0], &err) : BERTH_OK;
}

const cli_command_t cmd_show = {
    "show", "show what is in a pattern: matrix, pairs, call sites, sizes, phases", run, &argp, NULL,
    false};
