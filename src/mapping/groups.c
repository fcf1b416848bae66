/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the order of groups (docs/formats/groups.md), which writers/write_groups.c writes. */
#include "mapping/groups.h"

#include <berth/limits.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/json.h"
#include "base/no_memory.h"

void berth_groups_clear(berth_groups_t *g)
{
  for (int i = 0; i < g->n_levels; i++) {
    free(g->levels[i].name);
    free(g->levels[i].start);
  }
  for (int i = 0; i < g->n_free; i++) free(g->free[i].pu);
  free(g->free);
  free(g->levels);
  free(g->order);
  *g = (berth_groups_t){0};
}

/* `place` has where each rank is in the order, -1 for those that aren't there yet. */
static int read_order(const json_place_t *list, berth_groups_t *g, int *place)
{
  for (json_place_t at = json_first(list); at.node; json_step(&at)) {
    uint64_t rank = 0;
    int rc = json_as_u64(&at, 0, (uint64_t)g->ranks - 1, &rank);
    if (rc) return rc;
    if (place[rank] >= 0) return json_fail(&at, "found rank %d again", (int)rank);
    place[rank] = (int)at.index;
    g->order[at.index] = (int)rank;
  }
  return BERTH_OK;
}

/* A group's ranks are the next ones of the order; its coordinator is the lowest. */
static int read_group(const json_place_t *group, const berth_groups_t *g, int from, int *end)
{
  json_place_t list;
  int coordinator, lowest = g->ranks;
  int rc = json_get_int(group, "coordinator", JSON_NEEDED, 0, g->ranks - 1, &coordinator);
  if (!rc) rc = json_get_array(group, "ranks", JSON_NEEDED, &list);
  if (rc) return rc;
  *end = from;
  for (json_place_t at = json_first(&list); at.node; json_step(&at)) {
    uint64_t rank = 0;
    rc = json_as_u64(&at, 0, (uint64_t)g->ranks - 1, &rank);
    if (rc) return rc;
    if (*end == g->ranks || g->order[*end] != (int)rank)
      return json_fail(&at, "found rank %d, expected the ranks in the file's order", (int)rank);
    lowest = (int)rank < lowest ? (int)rank : lowest;
    ++*end;
  }
  if (*end == from) return json_fail(&list, "found no ranks, expected one or more");
  json_place_t at = json_member(group, "coordinator");
  return coordinator == lowest ? BERTH_OK
                               : json_fail(&at, "found %d, expected %d, the group's lowest rank",
                                           coordinator, lowest);
}

/* Whether each group of a level ends where one of the level below does. */
static bool is_nested(const berth_group_level_t *below, const berth_group_level_t *level)
{
  int k = 0;
  for (int i = 0; i <= level->n; i++) {
    while (k < below->n && below->start[k] < level->start[i]) k++;
    if (below->start[k] != level->start[i]) return false;
  }
  return true;
}

static int read_level(const json_place_t *at, berth_groups_t *g)
{
  berth_group_level_t *level = &g->levels[g->n_levels];
  json_place_t list;
  const char *name;
  int rc = json_get_string(at, "name", JSON_NEEDED, &name);
  if (!rc) rc = json_get_array(at, "groups", JSON_NEEDED, &list);
  if (rc) return rc;
  int n = cJSON_GetArraySize(list.node);
  *level = (berth_group_level_t){strdup(name), 0, calloc((size_t)n + 1, sizeof *level->start)};
  g->n_levels++;
  if (!level->name || !level->start) return no_memory(at->source->err);
  for (json_place_t group = json_first(&list); group.node && !rc; json_step(&group)) {
    rc = read_group(&group, g, level->start[level->n], &level->start[level->n + 1]);
    if (!rc) level->n++;
  }
  if (rc) return rc;
  if (level->start[level->n] != g->ranks)
    return json_fail(&list, "found %d ranks, expected all %d", level->start[level->n], g->ranks);
  if (g->n_levels > 1 && !is_nested(level - 1, level))
    return json_fail(&list, "found a group that divides one of the level below");
  return BERTH_OK;
}

/* Marks the lowest rank of each group in the level of hosts; all ranks if the file has no such
 * level. */
static void mark_lowest(const berth_groups_t *g, char *mark)
{
  const berth_group_level_t *host = NULL;
  for (int i = 0; i < g->n_levels; i++)
    if (strcmp(g->levels[i].name, "host") == 0) host = &g->levels[i];
  memset(mark, !host, (size_t)g->ranks);
  for (int k = 0; host && k < host->n; k++) {
    int lowest = g->ranks;
    for (int i = host->start[k]; i < host->start[k + 1]; i++)
      if (g->order[i] < lowest) lowest = g->order[i];
    mark[lowest] = 1;
  }
}

static int read_free_pus(const json_place_t *at, const char *lowest, berth_groups_t *g)
{
  berth_free_pus_t *f = &g->free[g->n_free++];
  json_place_t list;
  int rc = json_get_int(at, "coordinator", JSON_NEEDED, 0, g->ranks - 1, &f->coordinator);
  json_place_t place = json_member(at, "coordinator");
  if (!rc && !lowest[f->coordinator])
    rc = json_fail(&place, "found %d, expected the lowest rank of a host", f->coordinator);
  if (!rc) rc = json_get_array(at, "pus", JSON_NEEDED, &list);
  if (rc) return rc;
  if (!(f->pu = calloc((size_t)cJSON_GetArraySize(list.node) + 1, sizeof *f->pu)))
    return no_memory(at->source->err);
  for (json_place_t pu = json_first(&list); pu.node && !rc; json_step(&pu)) {
    uint64_t number = 0;
    rc = json_as_u64(&pu, 0, INT_MAX, &number);
    f->pu[f->n++] = (int)number;
  }
  return rc;
}

static int read_free(const json_place_t *root, berth_groups_t *g)
{
  json_place_t list;
  int rc = json_get_array(root, "free", JSON_OPTIONAL, &list);
  if (rc || !list.node) return rc;
  char *lowest = malloc((size_t)g->ranks);
  g->free = calloc((size_t)cJSON_GetArraySize(list.node) + 1, sizeof *g->free);
  if (!g->free || !lowest)
    rc = no_memory(root->source->err);
  else
    mark_lowest(g, lowest);
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at))
    rc = read_free_pus(&at, lowest, g);
  free(lowest);
  return rc;
}

static int read_groups(const json_place_t *root, int ranks, berth_groups_t *g)
{
  json_place_t order, levels;
  int rc = json_check_header(root, "berth-groups", 1);
  if (!rc) rc = json_get_int(root, "ranks", JSON_NEEDED, 1, BERTH_MAX_RANKS, &g->ranks);
  if (!rc) rc = json_get_array(root, "order", JSON_NEEDED, &order);
  if (!rc) rc = json_get_array(root, "levels", JSON_NEEDED, &levels);
  if (rc) return rc;
  json_place_t at = json_member(root, "ranks");
  if (ranks >= 0 && g->ranks != ranks)
    return json_fail(&at, "found %d, expected %d, the job's ranks", g->ranks, ranks);
  if (cJSON_GetArraySize(order.node) != g->ranks)
    return json_fail(&order, "found %d ranks, expected %d", cJSON_GetArraySize(order.node),
                     g->ranks);
  int *place = malloc((size_t)g->ranks * sizeof *place);
  g->order = malloc((size_t)g->ranks * sizeof *g->order);
  g->levels = calloc((size_t)cJSON_GetArraySize(levels.node) + 1, sizeof *g->levels);
  if (!place || !g->order || !g->levels) {
    rc = no_memory(root->source->err);
  } else {
    memset(place, -1, (size_t)g->ranks * sizeof *place);
    rc = read_order(&order, g, place);
  }
  free(place);
  for (json_place_t level = json_first(&levels); level.node && !rc; json_step(&level))
    rc = read_level(&level, g);
  if (!rc && g->n_levels > 0 && g->levels[g->n_levels - 1].n != 1)
    return json_fail(&levels, "found %d groups in the last one, expected one of all ranks",
                     g->levels[g->n_levels - 1].n);
  return rc ? rc : read_free(root, g);
}

/* Takes over the document; NULL: the error is there already. */
static int read_document(cJSON *doc, const json_source_t *source, int ranks, berth_groups_t *out)
{
  *out = (berth_groups_t){0};
  if (!doc) return source->err->code;
  json_place_t root = json_root(source, doc);
  int rc = read_groups(&root, ranks, out);
  if (rc) berth_groups_clear(out);
  cJSON_Delete(doc);
  return rc;
}

int groups_parse(const char *text, size_t n, const char *name, int ranks, berth_groups_t *out,
                 berth_error_t *err)
{
  json_source_t source = {name, 0, err, "a file of groups"};
  return read_document(json_parse(text, n, &source), &source, ranks, out);
}

int berth_groups_load(const char *path, int ranks, berth_groups_t *out, berth_error_t *err)
{
  berth_error_t local = {0};
  budget_t budget;
  if (!err) err = &local;
  json_source_t source = {path, 0, err, "a file of groups"};
  budget_begin(&budget);
  int rc = read_document(json_parse_file(path, &source), &source, ranks, out);
  return budget_end(&budget, path, rc, err);
}
