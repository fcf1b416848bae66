/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes mapping files. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/in_file.h"
#include "base/json.h"
#include "base/json_out.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "mapping/mapping_internal.h"

void berth_mapping_clear(berth_mapping_t *m)
{
  free(m->pu_of_rank);
  free(m->algorithm);
  free(m->model);
  free(m->topology);
  free(m->scope.hosts);
  *m = (berth_mapping_t){.cost_s = -1};
}

/* Reads the list of PUs. `rank_of_pu` has an entry for each PU; NULL allows shared PUs. */
static int read_pus(const json_place_t *list, int pus, int *rank_of_pu, berth_mapping_t *m)
{
  for (json_place_t at = json_first(list); at.node; json_step(&at)) {
    uint64_t pu = 0;
    int rc = json_as_u64(&at, 0, (uint64_t)pus - 1, &pu);
    if (rc) return rc;
    m->pu_of_rank[at.index] = (int)pu;
    if (!rank_of_pu) continue;
    if (rank_of_pu[pu]) return json_fail(&at, MAPPING_PU_TAKEN, (int)pu, rank_of_pu[pu] - 1);
    rank_of_pu[pu] = (int)at.index + 1;
  }
  return BERTH_OK;
}

static int read_texts(const json_place_t *root, berth_mapping_t *m)
{
  const char *algorithm = "", *model = "", *topology = "";
  int rc = json_get_string(root, "algorithm", JSON_OPTIONAL, &algorithm);
  if (!rc) rc = json_get_string(root, "model", JSON_OPTIONAL, &model);
  if (!rc) rc = json_get_string(root, "topology", JSON_OPTIONAL, &topology);
  if (!rc) rc = json_get_number(root, "cost_s", JSON_OPTIONAL, 0, 0, &m->cost_s);
  if (rc) return rc;
  m->algorithm = strdup(algorithm);
  m->model = strdup(model);
  m->topology = strdup(topology);
  if (!m->algorithm || !m->model || !m->topology) return no_memory(root->source->err);
  return BERTH_OK;
}

/* Fails with the machine that the mapping is for and the machine that it was to be used on. */
static int refuse_machine(const json_place_t *root, const berth_topo_t *t, const berth_mapping_t *m)
{
  const char *hosts = "";
  json_place_t at = json_member(root, "machine");
  int rc = json_get_string(root, "hosts", JSON_OPTIONAL, &hosts);
  char *expected = rc ? NULL : berth_topo_hosts_text(t, root->source->err);
  if (!rc && !expected) rc = BERTH_MISSING;
  if (!rc)
    rc = json_fail(&at,
                   "found a mapping for '%.40s' (hosts %.80s), expected one for '%.40s' (hosts "
                   "%.80s): map again, or translate it with `berth_mapping_translate`",
                   m->topology, *hosts ? hosts : "unknown", berth_topo_name(t), expected);
  free(expected);
  return rc;
}

static int check_machine(const json_place_t *root, const berth_topo_t *t, const berth_mapping_t *m)
{
  uint64_t machine = 0;
  int rc = json_get_hash(root, "machine", JSON_OPTIONAL, &machine);
  bool known = !rc && json_member(root, "machine").node;
  return rc || !t || !known || machine == berth_topo_machine(t) ? rc : refuse_machine(root, t, m);
}

static int read_scope(const json_place_t *root, berth_mapping_scope_t *out)
{
  json_place_t scope;
  const char *hosts = NULL;
  uint64_t reserve = 0, ranks_per_pu = 1;
  int rc = json_get_object(root, "scope", JSON_OPTIONAL, &scope);
  if (rc || !scope.node) return rc;
  if (!rc) rc = json_get_string(&scope, "hosts", JSON_OPTIONAL, &hosts);
  if (!rc) rc = json_get_u64(&scope, "reserve", JSON_OPTIONAL, 0, INT_MAX, &reserve);
  if (!rc) rc = json_get_u64(&scope, "ranks_per_pu", JSON_OPTIONAL, 1, INT_MAX, &ranks_per_pu);
  if (rc) return rc;
  *out = (berth_mapping_scope_t){NULL, (int)reserve, (int)ranks_per_pu};
  out->hosts = hosts ? strdup(hosts) : NULL;
  return hosts && !out->hosts ? no_memory(root->source->err) : BERTH_OK;
}

static int read_unfinished(const json_place_t *root, int *out)
{
  bool unfinished = false;
  int rc = json_get_bool(root, "unfinished", JSON_OPTIONAL, &unfinished);
  *out = unfinished;
  return rc;
}

static int read_mapping(const json_place_t *root, const mapping_rules_t *rules, berth_mapping_t *m)
{
  json_place_t list;
  int rc = json_check_header(root, "berth-mapping", 1);
  if (!rc) rc = read_texts(root, m);
  if (!rc) rc = check_machine(root, rules->t, m);
  if (!rc) rc = read_scope(root, &m->scope);
  if (!rc) rc = read_unfinished(root, &m->unfinished);
  if (!rc) rc = json_get_array(root, "pu_of_rank", JSON_NEEDED, &list);
  if (rc) return rc;
  m->ranks = cJSON_GetArraySize(list.node);
  if (m->ranks < 1 || (rules->ranks >= 0 && m->ranks != rules->ranks))
    return json_fail(&list, "found %d ranks, expected %d, the number of the pattern", m->ranks,
                     rules->ranks < 1 ? 1 : rules->ranks);
  m->pu_of_rank = malloc((size_t)m->ranks * sizeof *m->pu_of_rank);
  int *rank_of_pu = rules->shared ? NULL : calloc((size_t)rules->pus, sizeof *rank_of_pu);
  if (m->pu_of_rank && (rank_of_pu || rules->shared))
    rc = read_pus(&list, rules->pus, rank_of_pu, m);
  else
    rc = no_memory(root->source->err);
  free(rank_of_pu);
  return rc;
}

/* All members that are read above. Files may have others, which are ignored. */
static const json_known_t scope_members[] = {
    {"hosts", NULL}, {"reserve", NULL}, {"ranks_per_pu", NULL}, {NULL, NULL}};
static const json_known_t members[] = {
    {"format", NULL},         {"version", NULL},    {"algorithm", NULL},  {"model", NULL},
    {"topology", NULL},       {"cost_s", NULL},     {"hosts", NULL},      {"machine", NULL},
    {"scope", scope_members}, {"unfinished", NULL}, {"pu_of_rank", NULL}, {NULL, NULL}};

static int parse_json(const char *text, size_t n, const char *name, const mapping_rules_t *rules,
                      berth_mapping_t *out, berth_error_t *err)
{
  json_source_t source = {name, 0, err, "a mapping (from berth map)"};
  cJSON *doc = json_parse_known(text, n, members, &source);
  if (!doc) return err->code;
  json_place_t root = json_root(&source, doc);
  int rc = read_mapping(&root, rules, out);
  cJSON_Delete(doc);
  return rc;
}

int mapping_parse(const char *text, size_t n, const char *name, const mapping_rules_t *rules,
                  berth_mapping_t *out, berth_error_t *err)
{
  berth_error_t local = {0};
  if (!err) err = &local;
  *out = (berth_mapping_t){.cost_s = -1};
  int rc = parts_recognises(text, n) ? parts_parse(text, n, name, rules, out, err)
                                     : parse_json(text, n, name, rules, out, err);
  if (rc) berth_mapping_clear(out);
  return rc;
}

int berth_mapping_load(const char *path, int ranks, const berth_topo_t *t, int shared,
                       berth_mapping_t *out, berth_error_t *err)
{
  char *text = NULL;
  size_t n;
  budget_t budget;
  mapping_rules_t rules = {ranks, t ? berth_topo_n_pus(t) : BERTH_MAX_PUS, shared, t};
  *out = (berth_mapping_t){.cost_s = -1};
  budget_begin(&budget);
  int rc = in_read_all(path, &text, &n, err);
  if (!rc) rc = mapping_parse(text, n, path, &rules, out, err);
  free(text);
  return budget_end(&budget, path, rc, err);
}

static void put_scope(json_out_t *j, const berth_mapping_scope_t *scope)
{
  if (scope->ranks_per_pu == 0) return;
  json_open(j, "scope", '{', JSON_ONE_LINE);
  json_put_string(j, "hosts", scope->hosts);
  json_put_u64(j, "reserve", (uint64_t)scope->reserve);
  json_put_u64(j, "ranks_per_pu", (uint64_t)scope->ranks_per_pu);
  json_close(j);
}

/* Refuses texts that the reader would refuse. */
static int check_texts(const berth_mapping_t *m, berth_error_t *err)
{
  const char *const texts[][2] = {
      {"algorithm", m->algorithm}, {"model", m->model}, {"scope.hosts", m->scope.hosts}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const char *s = texts[i][1] ? texts[i][1] : "";
    if (!text_utf8_valid(s, strlen(s), NULL) || text_has_control(s))
      return berth_fail(err, BERTH_BAD_INPUT,
                        "found %s \"%.60s\", expected UTF-8 text without control characters",
                        texts[i][0], s);
  }
  return BERTH_OK;
}

int mapping_write(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                  berth_error_t *err)
{
  int rc = check_texts(m, err);
  char *hosts = rc ? NULL : berth_topo_hosts_text(t, err);
  if (!rc && !hosts) rc = err ? err->code : BERTH_MISSING;
  json_out_t j;
  if (!rc) rc = json_begin(&j, path, "berth-mapping", err);
  if (rc) {
    free(hosts);
    return rc;
  }
  json_put_string(&j, "algorithm", m->algorithm);
  json_put_ints(&j, "pu_of_rank", JSON_ONE_LINE, m->pu_of_rank, (size_t)m->ranks);
  if (m->cost_s >= 0) json_put_number(&j, "cost_s", m->cost_s);
  if (*m->model) json_put_string(&j, "model", m->model);
  json_put_string(&j, "topology", berth_topo_name(t));
  json_put_string(&j, "hosts", hosts);
  json_put_hash(&j, "machine", berth_topo_machine(t));
  put_scope(&j, &m->scope);
  if (m->unfinished) json_put_bool(&j, "unfinished", true);
  json_close(&j);
  free(hosts);
  return out_commit(j.out, err);
}
