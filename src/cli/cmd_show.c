/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth show`: what is in a pattern, for people and for scripts. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/options/inputs.h"
#include "cli/options/load.h"
#include "cli/options/memory_option.h"
#include "cli/print/show.h"
#include "cli/show_watch.h"

enum { TOP = 10 };

/* Between looks at a running job. */
static const double USUAL_S = 2, LEAST_S = 0.1;

typedef struct options {
  const char *path, *phase; /* path: with --watch what names a job, or NULL */
  size_t top;
  int json, truncated;
  double watch_s; /* 0: a file is shown */
} options_t;

static void check(struct argp_state *state, void *all)
{
  const options_t *o = all;
  if (o->watch_s > 0 && (o->phase || o->json || o->truncated))
    argp_error(state, "--watch: found %s, expected it with a file",
               o->phase  ? "--phase"
               : o->json ? "--json"
                         : "--truncated");
  if (!o->path && o->watch_s <= 0) argp_error(state, "expected a pattern");
}

static void take_watch(struct argp_state *state, const option_t *option, char *arg, void *field)
{
  double *seconds = field;
  *seconds = arg ? option_seconds_from(state, option, arg, LEAST_S) : USUAL_S;
}

static const option_t own_options[] = {
    OPTION_IN("--top", option_number, options_t, top, 0, SIZE_MAX / 2),
    OPTION("--phase", option_text, options_t, phase),
    OPTION("--json", option_flag, options_t, json),
    OPTION("--truncated", option_flag, options_t, truncated),
    OPTION("--watch", take_watch, options_t, watch_s),
    OPTION("", option_word, options_t, path),
    {0}};

static const option_table_t own = {own_options, check};
static const option_part_t parts[] = {{&own, 0}, {&memory_option, 0}, {0}};

static int show(const options_t *o, const berth_pattern_t *p, berth_error_t *err)
{
  summary_t s;
  time_summary_t times = {0};
  int rc = summary_init(&s, p, err);
  if (!rc) rc = time_summary_init(&times, p, err);
  if (!rc && o->json) rc = show_json(&s, &times, o->path, o->top, err);
  if (!rc && !o->json) show_print(&s, &times, o->top);
  time_summary_clear(&times);
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
  int wrong = option_parse(&cmd_show, argc, argv, &o);
  if (wrong) return wrong;
  if (o.watch_s > 0)
    return show_watch(o.path, o.watch_s, o.top, &err) ? cli_report(argv[0], &err) : BERTH_OK;
  berth_pattern_t *p = load_pattern(NULL, o.path, o.truncated, &err);
  int rc = !p ? err.code : o.phase ? show_phase(&o, p, &err) : show(&o, p, &err);
  berth_pattern_free(p);
  return rc ? cli_report(argv[0], &err) : BERTH_OK;
}

const cli_command_t cmd_show = {.name = "show", .run = run, .parts = parts};
