/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes the member "baseline" of a pattern's header. */
#include "pattern/pattern_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "pattern/pattern_check.h"
#include "pattern/pattern_time.h"

enum { VERSION = 1 };

const berth_baseline_t *berth_pattern_baseline(const berth_pattern_t *p) { return p->baseline; }

int berth_pattern_set_baseline(berth_pattern_t *p, const berth_baseline_t *baseline,
                               berth_error_t *err)
{
  arena_t *a = &p->arena;
  size_t n = baseline->n_phases;
  int rc = pattern_check_baseline(baseline, p->ranks, err);
  if (rc) return rc;
  berth_baseline_t *copy = arena_copy(a, baseline, sizeof *copy);
  berth_baseline_phase_t *phases = arena_copy(a, baseline->phases, n * sizeof *phases);
  bool enough = copy && phases;
  for (size_t k = 0; k < n && enough; k++)
    enough = (phases[k].name = arena_strdup(a, phases[k].name)) != NULL;
  if (enough) {
    copy->phases = phases;
    copy->berth = arena_strdup(a, baseline->berth);
    copy->model = arena_strdup(a, baseline->model);
    copy->topology = arena_strdup(a, baseline->topology);
    copy->algorithm = arena_strdup(a, baseline->algorithm);
    copy->pu_of_rank =
        arena_copy(a, baseline->pu_of_rank, (size_t)p->ranks * sizeof *baseline->pu_of_rank);
    enough = copy->berth && copy->model && copy->topology && copy->algorithm && copy->pu_of_rank;
    for (int i = 0; i < BERTH_N_OPERATIONS && enough; i++)
      enough =
          (copy->rules[i] = arena_strdup(a, baseline->rules[i] ? baseline->rules[i] : "")) != NULL;
  }
  if (!enough) return no_memory(err);
  p->baseline = copy;
  return BERTH_OK;
}

void berth_pattern_drop_run(berth_pattern_t *p)
{
  free(p->rank);
  free(p->rank_known);
  p->rank = NULL;
  p->rank_known = NULL;
  p->ranks_known = 0;
  p->created = "";
  pattern_drop_times(p);
}

static int read_phases(const json_place_t *from, berth_baseline_phase_t **out, size_t *n)
{
  json_place_t list;
  int rc = json_get_array(from, "phases", JSON_NEEDED, &list);
  if (rc) return rc;
  *out = calloc((size_t)cJSON_GetArraySize(list.node) + 1, sizeof **out);
  if (!*out) return no_memory(from->source->err);
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) {
    berth_baseline_phase_t *phase = &(*out)[(*n)++];
    if (!cJSON_IsObject(at.node)) return json_unexpected(&at, "an object");
    phase->name = "";
    rc = json_get_int(&at, "id", JSON_NEEDED, 0, INT32_MAX, &phase->id);
    if (!rc) rc = json_get_string(&at, "name", JSON_OPTIONAL, &phase->name);
    if (!rc) rc = json_get_number(&at, "cost_s", JSON_NEEDED, 0, 0, &phase->cost_s);
  }
  return rc;
}

static int read_placement(const json_place_t *from, int ranks, const char **algorithm, int **pus)
{
  json_place_t placement, list;
  int rc = json_get_object(from, "placement", JSON_NEEDED, &placement);
  if (!rc) rc = json_get_string(&placement, "algorithm", JSON_OPTIONAL, algorithm);
  if (!rc) rc = json_get_array(&placement, "pu_of_rank", JSON_NEEDED, &list);
  if (rc) return rc;
  if (cJSON_GetArraySize(list.node) != ranks)
    return json_fail(&list, "found %d ranks, expected %d, the number of the pattern",
                     cJSON_GetArraySize(list.node), ranks);
  *pus = malloc((size_t)ranks * sizeof **pus);
  if (!*pus) return no_memory(from->source->err);
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) {
    uint64_t pu = 0;
    rc = json_as_u64(&at, 0, INT32_MAX, &pu);
    (*pus)[at.index] = (int)pu;
  }
  return rc;
}

static int read_texts(const json_place_t *from, int ranks, berth_baseline_t *b)
{
  int found = 0, rc = json_get_int(from, "version", JSON_NEEDED, VERSION, VERSION, &found);
  if (!rc) rc = json_get_string(from, "berth", JSON_NEEDED, &b->berth);
  if (!rc) rc = json_get_string(from, "model", JSON_NEEDED, &b->model);
  if (!rc) rc = json_get_string(from, "topology", JSON_NEEDED, &b->topology);
  for (int i = 0; i < BERTH_N_OPERATIONS && !rc; i++)
    rc = json_get_string(from, berth_operations_name((berth_operations_t)i), JSON_OPTIONAL,
                         &b->rules[i]);
  if (!rc) rc = json_get_hash(from, "topology_hash", JSON_NEEDED, &b->topology_hash);
  if (!rc) rc = json_get_int(from, "ranks", JSON_NEEDED, ranks, ranks, &found);
  return rc ? rc : json_get_number(from, "cost_s", JSON_NEEDED, 0, 0, &b->cost_s);
}

int pattern_read_baseline(const json_place_t *header, berth_pattern_t *p)
{
  json_place_t from;
  berth_baseline_t b = {.algorithm = "", .rules = {"", ""}};
  berth_baseline_phase_t *phases = NULL;
  int *pus = NULL, rc = json_get_object(header, "baseline", JSON_OPTIONAL, &from);
  if (rc || !from.node) return rc;
  rc = read_texts(&from, p->ranks, &b);
  if (!rc) rc = read_phases(&from, &phases, &b.n_phases);
  if (!rc) rc = read_placement(&from, p->ranks, &b.algorithm, &pus);
  b.phases = phases;
  b.pu_of_rank = pus;
  if (!rc) rc = berth_pattern_set_baseline(p, &b, header->source->err);
  free(phases);
  free(pus);
  return rc;
}

void pattern_put_baseline(json_out_t *j, const berth_pattern_t *p)
{
  const berth_baseline_t *b = p->baseline;
  if (!b) return;
  json_open(j, "baseline", '{', JSON_COMPACT);
  json_put_u64(j, "version", VERSION);
  json_put_string(j, "berth", b->berth);
  json_put_string(j, "model", b->model);
  json_put_string(j, "topology", b->topology);
  json_put_hash(j, "topology_hash", b->topology_hash);
  json_put_u64(j, "ranks", (uint64_t)p->ranks);
  json_put_number(j, "cost_s", b->cost_s);
  for (int i = 0; i < BERTH_N_OPERATIONS; i++)
    if (*b->rules[i]) json_put_string(j, berth_operations_name((berth_operations_t)i), b->rules[i]);
  json_open(j, "phases", '[', JSON_COMPACT);
  for (size_t k = 0; k < b->n_phases; k++) {
    json_open(j, NULL, '{', JSON_COMPACT);
    json_put_u64(j, "id", (uint64_t)b->phases[k].id);
    json_put_string(j, "name", b->phases[k].name);
    json_put_number(j, "cost_s", b->phases[k].cost_s);
    json_close(j);
  }
  json_close(j);
  json_open(j, "placement", '{', JSON_COMPACT);
  json_put_string(j, "algorithm", b->algorithm);
  json_put_ints(j, "pu_of_rank", JSON_COMPACT, b->pu_of_rank, (size_t)p->ranks);
  json_close(j);
  json_close(j);
}
