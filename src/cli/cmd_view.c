/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth view`: a browser of a pattern, a machine and the loads of a placement. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options/inputs.h"
#include "cli/options/load.h"
#include "cli/options/memory_option.h"
#include "cli/options/usable.h"
#include "cli/view_screens.h"

typedef struct options {
  inputs_t in;
  option_words_t files;
  const char *mapping;
  int shared;
} options_t;

static void take_known(struct argp_state *state, options_t *o, const char *path, file_kind_t kind)
{
  const char **field = kind == FILE_PATTERN    ? &o->in.pattern_path
                       : kind == FILE_TOPOLOGY ? &o->in.topology_path
                                               : &o->mapping;
  if (*field) argp_error(state, "found '%s' and '%s', expected one of a kind", *field, path);
  *field = path;
}

/* A file that doesn't say what it is, or that can't be read, stands for the first one of the
 * synopsis that is missing. Whoever reads it says what is wrong. */
static void take_unknown(struct argp_state *state, options_t *o, const char *path)
{
  const char **field = !o->in.pattern_path    ? &o->in.pattern_path
                       : !o->in.topology_path ? &o->in.topology_path
                       : !o->mapping          ? &o->mapping
                                              : NULL;
  if (!field || strcmp(path, "-") == 0)
    argp_error(state, "found '%s', expected a pattern, a topology or a mapping", path);
  if (access(path, R_OK) != 0)
    argp_failure(state, BERTH_MISSING, 0, "%s: cannot open: %s", path, strerror(errno));
  *field = path;
}

static void take_files(struct argp_state *state, options_t *o)
{
  size_t unknown = 0;
  for (size_t i = 0; i < o->files.n; i++) {
    if (strcmp(o->files.item[i], "-") == 0) take_unknown(state, o, "-"); /* keys come from there */
    file_kind_t kind = load_kind(o->files.item[i]);
    if (kind != FILE_OTHER)
      take_known(state, o, o->files.item[i], kind);
    else
      o->files.item[unknown++] = o->files.item[i];
  }
  for (size_t i = 0; i < unknown; i++) take_unknown(state, o, o->files.item[i]);
}

static void check(struct argp_state *state, void *all)
{
  options_t *o = all;
  take_files(state, o);
  if (!o->in.topology_path) option_take_default(state, "--topology");
  if (!o->in.pattern_path && !o->in.topology_path)
    argp_error(state, "expected a pattern or a topology");
  if (o->mapping && (!o->in.pattern_path || !o->in.topology_path))
    argp_error(state, "found the mapping '%s', expected a pattern and a topology beside it",
               o->mapping);
}

static const option_t own_options[] = {
    OPTION("--topology", option_file, options_t, in.topology_path),
    OPTION_OR_DEFAULT("--model", inputs_model, options_t, in.map.objective),
    OPTION("--oversubscribe", option_flag, options_t, shared),
    OPTION("", option_list, options_t, files),
    {0}};

static const option_table_t own = {own_options, check};
static const option_part_t parts[] = {{&own, 0}, {&memory_option, 0}, {0}};

/* The loads of the mapping, or of the default order. If that doesn't fit, it is an error: without
 * loads the machine would look idle. */
static int add_loads(options_t *o, view_data_t *d, berth_mapping_t *m, int **linear,
                     berth_error_t *err)
{
  int rc = inputs_load(&o->in, err);
  if (rc) return rc;
  d->topo = o->in.topo;
  if (o->mapping)
    rc = usable_load(&o->in, NULL, o->mapping, o->shared, m, err);
  else
    rc = inputs_linear(&o->in, linear, err);
  const int *placement = o->mapping ? m->pu_of_rank : *linear;
  if (!rc && !placement)
    rc = berth_fail(err, BERTH_BAD_INPUT,
                    "found %d ranks and %d PUs of %s, expected as many PUs as ranks, or a mapping",
                    berth_pattern_ranks(o->in.pattern), berth_topo_n_pus(d->topo),
                    o->in.topology_path);
  if (rc) return rc;
  return view_add_loads(d, o->in.pattern, o->in.map.objective, placement, err);
}

static int show(view_data_t *d, const char *title, berth_error_t *err)
{
  view_screen_t screens[VIEW_SCREENS];
  const char *slash = strrchr(title, '/');
  size_t n = view_screens(d, screens);
  return view_run(slash ? slash + 1 : title, screens, n, err);
}

static int view(options_t *o, berth_error_t *err)
{
  view_data_t d = {0};
  summary_t summary = {0};
  berth_mapping_t mapping = {.cost_s = -1};
  berth_topo_t *alone = NULL;
  int rc = BERTH_OK, *linear = NULL;
  const char *path = o->in.pattern_path;
  berth_pattern_t *p = path ? load_pattern(NULL, path, false, err) : NULL;
  if (path) rc = p ? summary_init(&summary, p, err) : err->code;
  if (!rc && p) d.pattern = p, d.summary = &summary;
  if (!rc && p) rc = view_sort_calls(&d, err);
  if (!rc && p && o->in.topology_path) rc = add_loads(o, &d, &mapping, &linear, err);
  if (!rc && !p) {
    d.topo = alone = load_topology("--topology", o->in.topology_path, err);
    rc = alone ? BERTH_OK : err->code;
  }
  if (!rc) rc = show(&d, o->mapping ? o->mapping : path ? path : o->in.topology_path, err);
  free(d.up);
  free(d.down);
  free(d.calls);
  free(linear);
  berth_mapping_clear(&mapping);
  berth_topo_free(alone);
  summary_clear(&summary);
  berth_pattern_free(p);
  return rc;
}

static int run(int argc, char **argv)
{
  options_t o = {.in.map = berth_map_defaults()};
  berth_error_t err = {0};
  int rc = option_parse(&cmd_view, argc, argv, &o);
  if (rc) return rc;
  rc = view(&o, &err);
  if (rc) cli_report(argv[0], &err);
  inputs_clear(&o.in);
  free(o.files.item);
  return rc;
}

const cli_command_t cmd_view = {.name = "view", .run = run, .parts = parts};
