/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth agents`: where agents that carry out reductions would be faster than hosts. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/print/agents_view.h"
#include "cli/print/progress.h"
#include "topo/topo_rate.h"

enum { MOST_ROWS = 64 };

typedef struct options {
  const char *file, *operation, *type;
  int hosts[MOST_ROWS], n_hosts, elements, degree, splits;
  size_t reductions;
  berth_simulation_t noise;
  bool json;
} options_t;

static void take_hosts(struct argp_state *state, const option_t *option, char *arg, void *all)
{
  options_t *o = all;
  const char *at = arg;
  o->n_hosts = 0;
  while (*at && o->n_hosts < MOST_ROWS) {
    char *end;
    unsigned long n = strtoul(at, &end, 10);
    if (*at < '0' || *at > '9' || n < 1 || n > BERTH_REDUCE_MAX_HOSTS ||
        (*end && (*end != ',' || !end[1])))
      break;
    o->hosts[o->n_hosts++] = (int)n;
    at = *end ? end + 1 : end;
  }
  if (*at || o->n_hosts == 0)
    argp_error(state, "%s: found '%s', expected up to %d numbers from 1 to %d, as in 2,16,128",
               option->name, arg, MOST_ROWS, BERTH_REDUCE_MAX_HOSTS);
}

static void take_noise(struct argp_state *state, const option_t *option, char *arg, void *field)
{
  berth_noise_t *noise = field;
  char *slash = strchr(arg, '/');
  char *length = slash ? strndup(arg, (size_t)(slash - arg)) : NULL;
  if (slash && !length) option_no_memory(state);
  bool read = length && topo_rate_time(length, &noise->length_s) &&
              topo_rate_time(slash + 1, &noise->every_s);
  free(length);
  if (!read || noise->length_s >= noise->every_s)
    argp_error(state,
               "%s: found '%s', expected the length of detours and how often there is one, "
               "as in 1ms/20ms",
               option->name, arg);
}

static const option_t own_options[] = {
    OPTION("", option_word, options_t, file),
    OPTION_OF_ALL("--hosts", take_hosts),
    OPTION("--operation", option_text, options_t, operation),
    OPTION("--type", option_text, options_t, type),
    OPTION_IN("--elements", option_number, options_t, elements, 1, BERTH_REDUCE_MAX_ELEMENTS),
    OPTION_IN("--degree", option_number, options_t, degree, 2, BERTH_REDUCE_MAX_HOSTS),
    OPTION_IN("--splits", option_number, options_t, splits, 0, 20),
    OPTION("--noise", take_noise, options_t, noise.host),
    OPTION("--agent-noise", take_noise, options_t, noise.agent),
    OPTION_IN("--reductions", option_number, options_t, reductions, 1, 10000000),
    OPTION_IN("--seed", option_number, options_t, noise.seed, 0, UINT64_MAX),
    OPTION("--json", option_flag, options_t, json),
    {0}};

static bool is_noisy(const options_t *o)
{
  return o->noise.host.length_s > 0 || o->noise.agent.length_s > 0;
}

static void check(struct argp_state *state, void *all)
{
  const options_t *o = all;
  if (!o->file) argp_error(state, "expected a file with what hosts and agents take");
  if (!o->n_hosts) argp_error(state, "expected --hosts with numbers of hosts");
  for (int i = 0; i < 2; i++) {
    const char *name = i ? "--seed" : "--reductions";
    if (option_given(state, name) && !is_noisy(o))
      argp_error(state, "found %s, expected it with --noise or --agent-noise", name);
  }
}

static const option_table_t own = {own_options, check};
static const option_part_t parts[] = {{&own, 0}, {0}};

/* --- work --- */

typedef struct work {
  const options_t *o;
  berth_reduction_t what;
  double *times;
  agents_row_t *row;
  int place, at; /* what is being played */
} work_t;

static void show_progress(void *data, size_t done, size_t n)
{
  const work_t *w = data;
  size_t all = (size_t)w->o->n_hosts * BERTH_REDUCE_N_PLACES;
  size_t before = (size_t)w->at * BERTH_REDUCE_N_PLACES + (size_t)w->place;
  if (done % (n / 100 + 1) == 0)
    progress_parts("playing reductions", before * n + done, all * n, NULL);
}

static int find_tree(const work_t *w, berth_reduce_place_t place, agents_result_t *r,
                     berth_error_t *err)
{
  const options_t *o = w->o;
  if (o->degree) {
    r->tree = (berth_reduce_tree_t){o->degree, o->splits > 0 ? o->splits : 0};
    r->time_s = berth_reduction_time(&w->what, place, r->tree);
  } else {
    r->tree = berth_reduction_best(&w->what, place, o->splits, &r->time_s);
  }
  return r->time_s < 0 ? no_memory(err) : BERTH_OK;
}

static int do_place(work_t *w, berth_error_t *err)
{
  berth_reduce_place_t place = (berth_reduce_place_t)w->place;
  agents_result_t *r = &w->row[w->at].of[place];
  int rc = find_tree(w, place, r, err);
  if (rc || !w->times) return rc;
  berth_simulation_t noise = w->o->noise;
  noise.progress = show_progress;
  noise.progress_data = w;
  rc = berth_reduction_simulate(&w->what, place, r->tree, &noise, w->o->reductions, w->times, err);
  if (rc) return rc;
  r->spread = berth_spread_of(w->times, w->o->reductions);
  r->times = berth_histogram_of(w->times, w->o->reductions);
  return BERTH_OK;
}

static int do_row(work_t *w, berth_error_t *err)
{
  int rc = BERTH_OK, most;
  w->row[w->at].hosts = w->what.hosts = w->o->hosts[w->at];
  if (berth_reduction_check(&w->what, err)) return err->code;
  if (w->o->splits > (most = berth_reduction_max_splits(&w->what)))
    return berth_fail(err, BERTH_BAD_INPUT,
                      "found %d splits, expected at most %d: %d hosts reduce %d "
                      "element%s",
                      w->o->splits, most, w->what.hosts, w->what.elements,
                      text_plural(w->what.elements));
  for (w->place = 0; w->place < BERTH_REDUCE_N_PLACES && !rc; w->place++) rc = do_place(w, err);
  return rc;
}

static int estimate(const options_t *o, const berth_agents_t *agents, berth_error_t *err)
{
  int rc = BERTH_OK;
  work_t w = {.o = o, .what = {agents, o->operation, o->type, 1, o->elements}};
  w.row = calloc((size_t)o->n_hosts, sizeof *w.row);
  w.times = is_noisy(o) ? malloc(o->reductions * sizeof *w.times) : NULL;
  if (!w.row || (is_noisy(o) && !w.times)) rc = no_memory(err);
  for (w.at = 0; w.at < o->n_hosts && !rc; w.at++) rc = do_row(&w, err);
  progress(NULL, NULL);
  const agents_view_t view = {
      &w.what, o->file, is_noisy(o) ? o->reductions : 0, &o->noise, (size_t)o->n_hosts, w.row};
  if (!rc && o->json) rc = agents_json(&view, "-", err);
  if (!rc && !o->json) agents_print(&view);
  free(w.row);
  free(w.times);
  return rc;
}

static int run_agents(int argc, char **argv)
{
  options_t o = {.operation = "sum",
                 .type = "double",
                 .elements = 1,
                 .splits = -1,
                 .reductions = 1000,
                 .noise = {.size = sizeof o.noise, .seed = 1}};
  berth_error_t err = {0};
  int wrong = option_parse(&cmd_agents, argc, argv, &o);
  if (wrong) return wrong;
  berth_agents_t *agents = berth_agents_load(o.file, &err);
  int rc = agents ? estimate(&o, agents, &err) : err.code;
  berth_agents_free(agents);
  return rc ? cli_report(argv[0], &err) : BERTH_OK;
}

const cli_command_t cmd_agents = {.name = "agents", .run = run_agents, .parts = parts};
