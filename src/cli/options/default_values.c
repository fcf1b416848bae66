/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/default_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/mpi_library.h"
#include "cli/options/defaults.h"
#include "cli/options/load.h"
#include "schedule/schedule_rules.h"

char *default_value_name(const project_t *p, const project_value_t *v)
{
  return text_printf("%s:%ld:%ld: %s", p->path, v->line, v->column, v->key->name);
}

/* --- collectives --- */

/* Names of rules and of files stand behind one key. */
static bool is_name(const char *text)
{
  return strcmp(text, "auto") == 0 || strcmp(text, "none") == 0 || schedule_rules_known(text);
}

char *default_value_rules(const project_t *p, const project_value_t *v)
{
  return is_name(v->text) ? strdup(v->text) : project_beside(p->path, v->text);
}

int default_rules_check(const char *name, const char *text, const char *rules, berth_error_t *err)
{
  char known[200];
  if (is_name(text) || access(rules, R_OK) == 0) return BERTH_OK;
  int why = errno;
  schedule_rules_list(known, sizeof known);
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found '%s', expected auto, none, %s, or a file with rules (%s: %s)", name,
                    text, known, rules, strerror(why));
}

/* --- hosts and reserve --- */

static int check_hosts(const char *name, const char *hosts, const berth_topo_t *t,
                       berth_error_t *err)
{
  size_t n;
  berth_error_t why = {0};
  const char **names = berth_hostlist(hosts, &n, &why);
  if (!names)
    return berth_fail(err, why.code == BERTH_MISSING ? why.code : BERTH_BAD_INPUT, "%s: %s", name,
                      why.text);
  int rc = BERTH_OK;
  for (size_t i = 0; t && i < n && !rc; i++)
    if (berth_topo_find_host(t, names[i]) < 0)
      rc = berth_fail(err, BERTH_BAD_INPUT, "%s: found '%s', expected hosts of topology '%s'", name,
                      names[i], berth_topo_name(t));
  free(names);
  return rc;
}

ORDER_POINTERS_BY(by_core, berth_pu_t, RISING(host) RISING(core))

/* The cores of the host that has the most. -1: memory is out. */
static int most_cores(const berth_topo_t *t, const bool *counts)
{
  int n = berth_topo_n_pus(t), most = 0, cores = 0;
  const berth_pu_t **pu = malloc((size_t)n * sizeof *pu);
  if (!pu) return -1;
  for (int i = 0; i < n; i++) pu[i] = berth_topo_pu(t, i);
  qsort(pu, (size_t)n, sizeof *pu, by_core);
  for (int i = 0; i < n; i++) {
    if (i == 0 || pu[i]->host != pu[i - 1]->host) cores = 0;
    cores += cores == 0 || pu[i]->core != pu[i - 1]->core;
    if (counts[pu[i]->host] && cores > most) most = cores;
  }
  free(pu);
  return most;
}

/* Marks the hosts of a list, whose names are all known; NULL: all hosts. */
static int mark_hosts(const berth_topo_t *t, const char *hosts, bool *marks, berth_error_t *err)
{
  size_t n = 0;
  const char **names = hosts ? berth_hostlist(hosts, &n, err) : NULL;
  if (hosts && !names) return err->code;
  for (int h = 0; h < berth_topo_n_hosts(t); h++) marks[h] = !hosts;
  for (size_t i = 0; i < n; i++) {
    int h = berth_topo_find_host(t, names[i]);
    if (h >= 0) marks[h] = true;
  }
  free(names);
  return BERTH_OK;
}

static int check_reserve(const char *name, int reserve, const char *hosts, const berth_topo_t *t,
                         berth_error_t *err)
{
  bool *marks = malloc((size_t)berth_topo_n_hosts(t) * sizeof *marks);
  if (!marks) return no_memory(err);
  int rc = mark_hosts(t, hosts, marks, err), most = rc ? 0 : most_cores(t, marks);
  free(marks);
  if (rc || most > reserve) return rc;
  if (most < 0) return no_memory(err);
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found %d, expected fewer than %d, the cores of the largest host of %s'%s'",
                    name, reserve, most, hosts ? "" : "topology ",
                    hosts ? hosts : berth_topo_name(t));
}

int default_values_fit(const berth_topo_t *t, const char *hosts, int reserve, berth_error_t *err)
{
  static const char list[] = "--hosts", cores[] = "--reserve";
  int rc = BERTH_OK;
  if (hosts && defaults_is_of_file(list)) rc = check_hosts(defaults_source(list), hosts, t, err);
  if (rc || reserve == 0 || !defaults_is_of_file(cores)) return rc;
  berth_error_t why = {0}; /* of a list on the command line, which others look at */
  if (hosts && check_hosts(list, hosts, t, &why)) return BERTH_OK;
  return check_reserve(defaults_source(cores), reserve, hosts, t, err);
}

/* --- all values --- */

/* The row of an option that takes a default; NULL: none has one. */
static const option_t *find_row(const char *key)
{
  static const option_t mpi = {.name = "--mpi", .take = mpi_library_take};
  if (strcmp(key, mpi.name + 2) == 0) return &mpi;
  for (size_t i = 0; cli_commands[i]; i++)
    for (const option_part_t *part = cli_commands[i]->parts; part && part->table; part++)
      for (const option_t *o = part->table->options; o->name; o++)
        if (o->has_default && strcmp(o->name + 2, key) == 0) return o;
  return NULL;
}

/* Hands a value to its option's taker, for a field that nobody needs. */
static int try_taker(const project_value_t *v, const char *name, berth_error_t *err)
{
  union {
    uint64_t number;
    const void *pointer;
    char room[64];
  } field = {0};
  static const struct argp nothing;
  struct argp_state state = {
      .root_argp = &nothing, .name = (char[]){"berth"}, .err_stream = stderr, .out_stream = stdout};
  const option_t *row = find_row(v->key->name);
  if (!row || row->size > sizeof field) return BERTH_OK;
  option_t named = *row;
  named.name = name;
  return defaults_hand(&state, &named, v->text, &field, err) ? BERTH_OK : err->code;
}

static int try_rules(const project_t *p, const project_value_t *v, const char *name,
                     berth_error_t *err)
{
  schedule_rules_t *rules = NULL;
  char *file = default_value_rules(p, v);
  int rc = file ? default_rules_check(name, v->text, file, err) : no_memory(err);
  if (!rc && !is_name(v->text)) {
    rc = schedule_rules_load(file, &rules, err);
    if (rc) load_name_option(err, name, file);
  }
  schedule_rules_free(rules);
  free(file);
  return rc;
}

/* The topology that commands without --topology take. */
typedef struct tried {
  berth_topo_t *topo; /* NULL: there is none, or it can't be read */
  const char *hosts;  /* NULL: all, or the list is wrong */
} tried_t;

static int try_topology(const project_value_t *v, const char *name, tried_t *tried,
                        berth_error_t *err)
{
  berth_topo_t *t = load_topology(name, v->text, err);
  const char *other = getenv("BERTH_TOPOLOGY");
  if (!t) return err->code;
  if (other && *other)
    berth_topo_free(t); /* commands take the other one */
  else
    tried->topo = t;
  return BERTH_OK;
}

static int try_value(const project_t *p, const project_value_t *v, const char *name, tried_t *tried,
                     berth_error_t *err)
{
  const char *key = v->key->name;
  if (strcmp(key, "topology") == 0) return try_topology(v, name, tried, err);
  if (strcmp(key, "collectives") == 0) return try_rules(p, v, name, err);
  if (strcmp(key, "hosts") == 0) {
    int rc = check_hosts(name, v->text, tried->topo, err);
    if (!rc) tried->hosts = v->text;
    return rc;
  }
  int rc = try_taker(v, name, err);
  if (rc || !tried->topo || strcmp(key, "reserve") != 0) return rc;
  return check_reserve(name, atoi(v->text), tried->hosts, tried->topo, err);
}

static void try_key(const project_t *p, const char *key, tried_t *tried,
                    default_value_wrong_t *wrong, void *to)
{
  berth_error_t err = {0};
  const project_value_t *v = project_find(p, key);
  char *name = v ? cli_checked(default_value_name(p, v)) : NULL;
  if (name && try_value(p, v, name, tried, &err)) wrong(to, err.text);
  free(name);
}

void default_values_try(const project_t *p, default_value_wrong_t *wrong, void *to)
{
  /* These first: what is read of files has a limit; others are looked at with the topology. */
  static const char *const first[] = {"memory", "topology", "hosts"};
  enum { N_FIRST = sizeof first / sizeof *first };
  tried_t tried = {0};
  for (size_t i = 0; i < N_FIRST; i++) try_key(p, first[i], &tried, wrong, to);
  for (const project_key_t *k = project_keys; k->name; k++) {
    size_t i = 0;
    while (i < N_FIRST && strcmp(first[i], k->name) != 0) i++;
    if (i == N_FIRST) try_key(p, k->name, &tried, wrong, to);
  }
  berth_topo_free(tried.topo);
}
