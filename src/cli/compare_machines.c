/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/compare_machines.h"

#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "cli/print/machines.h"
#include "topo/topo_change.h"
#include "topo/topo_levels.h"

/* The most expensive level beside `but`; n_levels if no other one has a cost. */
static size_t find_level(const machine_t *m, size_t but)
{
  size_t found = m->n_levels;
  for (size_t d = 0; d < m->n_levels; d++) {
    double cost = m->levels[d].cost_s;
    if (d != but && cost > 0 && (found == m->n_levels || cost > m->levels[found].cost_s)) found = d;
  }
  return found;
}

/* Keeps what the assessment says of its only placement. */
static int keep_reasons(machine_t *m, const inputs_t *in, const berth_assessment_t *a,
                        berth_error_t *err)
{
  const berth_cost_result_t *r = berth_assessment_reasons(a, 0);
  m->default_s = berth_assessment_estimate(a, 1)->cost_s;
  m->best_s = berth_assessment_estimate(a, 0)->cost_s;
  m->levels = calloc(r->n_levels + 1, sizeof *m->levels);
  if (!m->levels) return no_memory(err);
  m->n_levels = r->n_levels;
  for (size_t d = 0; d < r->n_levels; d++) {
    topo_level_types(in->topo, r->levels[d].depth, m->levels[d].types, sizeof m->levels[d].types);
    m->levels[d].cost_s = r->levels[d].cost_s;
  }
  m->top = find_level(m, m->n_levels);
  m->next = find_level(m, m->top);
  if (m->top < m->n_levels && r->levels[m->top].has_busiest)
    berth_resource_text(in->topo, r->levels[m->top].busiest, m->bottleneck, sizeof m->bottleneck);
  return BERTH_OK;
}

static int place(machine_t *m, const inputs_t *in, berth_error_t *err)
{
  berth_mapping_t mapping = {0};
  berth_map_report_t report;
  int rc = inputs_map(in, in->pattern, berth_mapper_find("best"), &mapping, &report, err);
  berth_assess_options_t options = berth_assess_defaults();
  options.reasons = 1;
  options.intervals = 0;
  const int *placement = mapping.pu_of_rank;
  berth_assessment_t *a = rc ? NULL : inputs_assess(in, in->pattern, options, 1, &placement, err);
  if (!rc) rc = a ? keep_reasons(m, in, a, err) : err->code;
  if (!rc) {
    m->hosts = berth_topo_n_hosts(in->topo);
    m->pus = berth_topo_n_pus(in->topo);
    m->distances = berth_topo_has_distances(in->topo);
    m->bound_s = report.lower_bound;
    snprintf(m->algorithm, sizeof m->algorithm, "%s", mapping.algorithm);
  }
  berth_assessment_free(a);
  berth_mapping_clear(&mapping);
  return rc;
}

/* Says which machine an error is about, and that the change is one of the sweep. */
static int name_machine(const machine_t *m, berth_error_t *err)
{
  berth_error_t was = *err;
  const char *text = was.text;
  if (m->change && text_starts(text, "--set ") && text_starts(text + 6, m->change))
    return berth_fail(err, was.code, "%s: --sweep %s", m->path, text + 6);
  if (strstr(text, m->path)) return was.code;
  return berth_fail(err, was.code, "%s%s%s: %s", m->path, m->change ? " with " : "",
                    m->change ? m->change : "", text);
}

/* Loads a machine, which replaces the one in *loaded, and places the ranks on it. */
static int take_machine(machine_t *m, const inputs_t *in, inputs_t *loaded, berth_error_t *err)
{
  const size_t n = in->changes.n;
  inputs_clear(loaded);
  *loaded = *in;
  loaded->topology_path = m->path;
  loaded->pins = loaded->topologies = loaded->changes = (option_words_t){0};
  for (size_t i = 0; i < in->pins.n; i++)
    if (!option_add_word(&loaded->pins, in->pins.item[i])) return no_memory(err);
  for (size_t i = 0; i < n + (m->change != NULL); i++)
    if (!option_add_word(&loaded->changes, i < n ? in->changes.item[i] : m->change))
      return no_memory(err);
  int rc = inputs_load(loaded, err);
  if (!rc) rc = place(m, loaded, err);
  return rc ? name_machine(m, err) : rc;
}

/* The k-th value of a sweep, as a change, and its name; NULL behind the last one, or if memory is
 * out. */
static char *sweep_value(const char *sweep, size_t k, char **name)
{
  const char *value = strchr(sweep, '=') + 1;
  for (; k > 0 && value; k--) {
    value = strchr(value, ',');
    value = value ? value + 1 : NULL;
  }
  if (!value) return NULL;
  int length = (int)strcspn(value, ",");
  *name = text_printf("%.*s", length, value);
  return text_printf("%.*s%.*s", (int)(strchr(sweep, '=') + 1 - sweep), sweep, length, value);
}

/* The file's name without folder and ending. */
static char *name_of(const char *path)
{
  const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path;
  const char *end = strstr(begin, ".json");
  return strndup(begin, end && end > begin ? (size_t)(end - begin) : strlen(begin));
}

/* Lists the machines: each topology, or each with each value. */
static int list_machines(machines_view_t *v, const inputs_t *in, const char *sweep,
                         berth_error_t *err)
{
  size_t values = 1, n = in->topologies.n;
  for (const char *c = sweep; c && *c; c++) values += *c == ',';
  v->machine = calloc(n * values, sizeof *v->machine);
  if (!v->machine) return no_memory(err);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < values; k++) {
      machine_t *m = &v->machine[v->n++];
      char *name = NULL;
      m->path = in->topologies.item[i];
      if (sweep && !(m->change = sweep_value(sweep, k, &name))) return no_memory(err);
      change_t change;
      if (sweep && change_read(m->change, &change, NULL) == BERTH_OK)
        m->value = change_value(&change);
      char *file = name_of(m->path);
      m->name = !sweep ? file : n > 1 && file && name ? text_printf("%s %s", file, name) : name;
      if (m->name != file) free(file);
      if (m->name != name) free(name);
      if (!m->name) return no_memory(err);
    }
  return BERTH_OK;
}

/* A machine of distances has no times to put beside those of others. */
static int check_units(const machines_view_t *v, berth_error_t *err)
{
  for (size_t i = 1; i < v->n; i++)
    if (v->machine[i].distances != v->machine[0].distances)
      return berth_fail(err, BERTH_BAD_INPUT,
                        "found distances in one of %s and %s, and bandwidths in the other; "
                        "expected the same in all",
                        v->machine[0].path, v->machine[i].path);
  return BERTH_OK;
}

int compare_machines(const inputs_t *in, const char *sweep, form_t form, berth_error_t *err)
{
  inputs_t loaded = {0};
  machines_view_t v = {.asked = in, .in = &loaded, .sweep = sweep};
  if (sweep) v.sweep_length = (int)(strchr(sweep, '=') - sweep);
  int rc = list_machines(&v, in, sweep, err);
  for (size_t i = 0; i < v.n && !rc; i++) rc = take_machine(&v.machine[i], in, &loaded, err);
  if (!rc) rc = check_units(&v, err);
  if (!rc && form == FORM_TEXT) machines_print(&v);
  if (!rc && form == FORM_JSON) rc = machines_json(&v, "-", err);
  if (!rc && form == FORM_CSV) rc = machines_csv(&v, "-", err);
  for (size_t i = 0; i < v.n; i++) {
    free(v.machine[i].name);
    free((void *)(uintptr_t)v.machine[i].change);
    free(v.machine[i].levels);
  }
  free(v.machine);
  inputs_clear(&loaded);
  return rc;
}
