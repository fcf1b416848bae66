/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a tuning (docs/formats/tuning.md). */
#include <berth/limits.h>
#include <berth/tuning.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/json.h"
#include "base/no_memory.h"
#include "base/times_json.h"
#include "tune/tuning_file.h"
#include "tune/tuning_internal.h"

enum { MOST_CELLS = 1 << 20 };

static int get_name(const json_place_t *object, const char *key, char *out, size_t size)
{
  const char *text = NULL;
  json_place_t at = json_member(object, key);
  int rc = json_get_string(object, key, JSON_NEEDED, &text);
  if (rc) return rc;
  if (!*text || strlen(text) >= size)
    return json_unexpected(&at, "a name of an operation or algorithm");
  snprintf(out, size, "%s", text);
  return BERTH_OK;
}

static int read_choice(const json_place_t *at, berth_tuned_choice_t *c)
{
  *c = (berth_tuned_choice_t){.predicted_s = -1, .measured_s = -1, .error = -1};
  int rc = get_name(at, "algorithm", c->algorithm, sizeof c->algorithm);
  if (!rc) rc = json_get_u64(at, "segment_bytes", JSON_OPTIONAL, 0, JSON_MAX_INT, &c->segment);
  if (!rc) rc = json_get_u64(at, "overlap_bytes", JSON_OPTIONAL, 0, JSON_MAX_INT, &c->overlap);
  if (!rc) rc = json_get_int(at, "degree", JSON_OPTIONAL, 0, 1 << 20, &c->degree);
  if (!rc) rc = json_get_number(at, "predicted_s", JSON_OPTIONAL, 0, 0, &c->predicted_s);
  if (!rc) rc = json_get_number(at, "measured_s", JSON_OPTIONAL, 0, 0, &c->measured_s);
  if (!rc) rc = json_get_number(at, "relative_error", JSON_OPTIONAL, 0, 0, &c->error);
  if (!rc) rc = times_get(at, "histogram", &c->times);
  return rc;
}

static int read_choices(const json_place_t *cell, berth_tuned_cell_t *c)
{
  json_place_t list;
  int rc = json_get_array(cell, "choices", JSON_NEEDED, &list);
  if (rc) return rc;
  int n = cJSON_GetArraySize(list.node);
  if (n > BERTH_MAX_CHOICES)
    return json_fail(&list, "found %d choices, expected at most %d", n, BERTH_MAX_CHOICES);
  if (n > 0 && !(c->choice = malloc((size_t)n * sizeof *c->choice)))
    return no_memory(list.source->err);
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at))
    rc = read_choice(&at, &c->choice[c->n_choices++]);
  return rc;
}

/* Different ranks of the job. */
static int read_members(const json_place_t *cell, int ranks, berth_tuned_cell_t *c)
{
  json_place_t list;
  int rc = json_get_array(cell, "members", JSON_OPTIONAL, &list);
  if (rc || !list.node) return rc;
  if (cJSON_GetArraySize(list.node) != c->ranks)
    return json_fail(&list, "found %d ranks, expected %d", cJSON_GetArraySize(list.node), c->ranks);
  char *there = calloc((size_t)ranks, 1);
  c->members = malloc((size_t)c->ranks * sizeof *c->members);
  if (!there || !c->members) rc = no_memory(list.source->err);
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) {
    uint64_t rank = 0;
    rc = json_as_u64(&at, 0, (uint64_t)ranks - 1, &rank);
    if (!rc && there[rank]) rc = json_fail(&at, "found rank %d again", (int)rank);
    if (rc) break;
    there[rank] = 1;
    c->members[at.index] = (int)rank;
  }
  free(there);
  return rc;
}

static int read_cell(const json_place_t *at, int ranks, berth_tuned_cell_t *c)
{
  *c = (berth_tuned_cell_t){.within_s = -1};
  int rc = get_name(at, "operation", c->operation, sizeof c->operation);
  if (!rc) rc = json_get_int(at, "ranks", JSON_NEEDED, 1, ranks, &c->ranks);
  if (!rc) rc = json_get_int(at, "hosts", JSON_OPTIONAL, 1, c->ranks, &c->hosts);
  if (!rc) rc = json_get_u64(at, "bytes", JSON_NEEDED, 0, JSON_MAX_INT, &c->bytes);
  if (!rc) rc = json_get_u64(at, "calls", JSON_OPTIONAL, 0, JSON_MAX_INT, &c->calls);
  if (!rc) rc = json_get_number(at, "within_s", JSON_OPTIONAL, 0, 0, &c->within_s);
  if (!rc) rc = json_get_bool(at, "settled", JSON_OPTIONAL, &c->settled);
  if (!rc) rc = read_members(at, ranks, c);
  return rc ? rc : read_choices(at, c);
}

static int read_epochs(const json_place_t *at, int ranks, berth_tuned_epochs_t *e)
{
  *e = (berth_tuned_epochs_t){.fill_s = -1};
  int rc = json_get_int(at, "ranks", JSON_NEEDED, 2, ranks, &e->ranks);
  if (!rc) rc = json_get_int(at, "hosts", JSON_NEEDED, 2, e->ranks, &e->hosts);
  if (!rc) rc = json_get_u64(at, "targets", JSON_NEEDED, 1, JSON_MAX_INT, &e->targets);
  if (!rc) rc = json_get_number(at, "bytes", JSON_NEEDED, 0, 0, &e->bytes);
  if (!rc) rc = json_get_number(at, "fill_s", JSON_OPTIONAL, 0, 0, &e->fill_s);
  if (!rc) rc = json_get_u64(at, "message_bytes", JSON_NEEDED, 1, JSON_MAX_INT, &e->message);
  if (!rc) rc = json_get_number(at, "early", JSON_OPTIONAL, 0, 0, &e->early);
  json_place_t early = json_member(at, "early");
  if (!rc && e->early > 1)
    rc = json_fail(&early, "found %g, expected a number from 0 to 1", e->early);
  return rc;
}

static int read_one_sided(const json_place_t *root, berth_tuning_t *t)
{
  json_place_t part, list, at;
  int rc = json_get_object(root, "one_sided", JSON_OPTIONAL, &part);
  if (rc || !part.node) return rc;
  rc = json_get_number(&part, "message_s", JSON_OPTIONAL, 0, 0, &t->message_s);
  if (!rc) rc = json_get_array(&part, "epochs", JSON_NEEDED, &list);
  if (rc) return rc;
  int n = cJSON_GetArraySize(list.node);
  if (n > MOST_CELLS)
    return json_fail(&list, "found %d kinds of windows, expected at most %d", n, MOST_CELLS);
  if (!(t->epochs = calloc((size_t)n + 1, sizeof *t->epochs))) return no_memory(root->source->err);
  for (at = json_first(&list); at.node && !rc; json_step(&at))
    rc = read_epochs(&at, t->ranks, &t->epochs[t->n_epochs++]);
  return rc;
}

static int read_tuning(const json_place_t *root, int ranks, berth_tuning_t *t)
{
  json_place_t list, at = json_member(root, "ranks");
  const char *mpi = "";
  int rc = json_check_header(root, "berth-tuning", 1);
  if (!rc) rc = json_get_int(root, "ranks", JSON_NEEDED, 1, BERTH_MAX_RANKS, &t->ranks);
  if (!rc && ranks > 0 && t->ranks != ranks)
    rc = json_fail(&at, "found %d, expected %d, the job's ranks", t->ranks, ranks);
  if (!rc) rc = json_get_string(root, "mpi", JSON_OPTIONAL, &mpi);
  if (!rc) rc = json_get_bool(root, "agents", JSON_OPTIONAL, &t->agents);
  if (!rc) rc = json_get_number(root, "half_bytes", JSON_OPTIONAL, 0, 1, &t->half);
  if (!rc) rc = json_get_number(root, "bytes_per_s", JSON_OPTIONAL, 0, 1, &t->bandwidth);
  if (!rc) rc = json_get_number(root, "measured_in_s", JSON_OPTIONAL, 0, 0, &t->seconds);
  if (!rc) rc = json_get_array(root, "cells", JSON_NEEDED, &list);
  if (rc) return rc;
  snprintf(t->mpi, sizeof t->mpi, "%s", mpi);
  int n = cJSON_GetArraySize(list.node);
  if (n > MOST_CELLS) return json_fail(&list, "found %d cells, expected at most %d", n, MOST_CELLS);
  if (!(t->cell = calloc((size_t)n + 1, sizeof *t->cell))) return no_memory(root->source->err);
  for (at = json_first(&list); at.node && !rc; json_step(&at))
    rc = read_cell(&at, t->ranks, &t->cell[t->n++]);
  return rc ? rc : read_one_sided(root, t);
}

/* Takes over the document; NULL: the error is there already. */
static int read_document(cJSON *doc, const json_source_t *source, int ranks, berth_tuning_t *out)
{
  *out = (berth_tuning_t){0};
  if (!doc) return source->err->code;
  json_place_t root = json_root(source, doc);
  int rc = read_tuning(&root, ranks, out);
  if (rc) berth_tuning_clear(out);
  cJSON_Delete(doc);
  return rc;
}

int tuning_parse(const char *text, size_t n, const char *name, int ranks, berth_tuning_t *out,
                 berth_error_t *err)
{
  json_source_t source = {name, 0, err, "a file of berth tune"};
  return read_document(json_parse(text, n, &source), &source, ranks, out);
}

bool tuning_is_file(const char *path)
{
  berth_error_t err = {0};
  budget_t budget;
  const json_source_t source = {path, 0, &err, "a file of berth tune"};
  const char *format = "";
  budget_begin(&budget);
  cJSON *doc = json_parse_file(path, &source);
  json_place_t root = json_root(&source, doc);
  bool is = doc && json_get_string(&root, "format", JSON_OPTIONAL, &format) == BERTH_OK &&
            strcmp(format, "berth-tuning") == 0;
  cJSON_Delete(doc);
  budget_end(&budget, path, BERTH_OK, &err);
  return is;
}

int berth_tuning_load(const char *path, int ranks, berth_tuning_t *out, berth_error_t *err)
{
  berth_error_t local = {0};
  budget_t budget;
  if (!err) err = &local;
  json_source_t source = {path, 0, err, "a file of berth tune"};
  budget_begin(&budget);
  int rc = read_document(json_parse_file(path, &source), &source, ranks, out);
  return budget_end(&budget, path, rc, err);
}
