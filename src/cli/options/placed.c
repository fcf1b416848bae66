/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/placed.h"

#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "cli/options/usable.h"

/* With so many ranks model flow takes minutes, so it waits to be asked for. */
enum { MANY_RANKS = 4096 };

static const option_t placed[] = {OPTION("--oversubscribe", option_flag, placed_question_t, shared),
                                  OPTION("", option_list, placed_question_t, files),
                                  {0}};

const option_table_t placed_options = {placed, NULL};

/* Marks the models of a list as in port,flow. */
static void take_models(struct argp_state *state, const option_t *o, char *arg, void *all)
{
  placed_question_t *q = all;
  berth_model_t model;
  char *list = strdup(arg), *rest = NULL;
  if (!list) option_no_memory(state);
  for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    inputs_model(state, o, name, &model);
    q->asked[model] = q->any_asked = true;
  }
  free(list);
  if (!q->any_asked)
    argp_error(state, "%s: found '%s', expected names as in port,flow", o->name, arg);
}

static void check_against(struct argp_state *state, void *all)
{
  const placed_question_t *q = all;
  if (!q->files.n && !q->none_needed) argp_error(state, "expected at least one mapping");
}

static const option_t against[] = {OPTION_OF_ALL("--models", take_models),
                                   OPTION("--against", option_text, placed_question_t, against),
                                   {0}};

const option_table_t placed_against_options = {against, check_against};

void placed_models(const placed_question_t *question, int ranks, berth_model_t always,
                   bool asked[BERTH_N_MODELS])
{
  for (int m = 0; m < BERTH_N_MODELS; m++)
    asked[m] =
        question->any_asked ? question->asked[m] : m != BERTH_MODEL_FLOW || ranks <= MANY_RANKS;
  asked[always] = true;
}

bool placed_is_same(const berth_mapping_t *a, const berth_mapping_t *b)
{
  return memcmp(a->pu_of_rank, b->pu_of_rank, (size_t)a->ranks * sizeof *a->pu_of_rank) == 0;
}

static int add_file(inputs_t *in, const placed_question_t *q, placed_list_t *list, const char *path,
                    berth_error_t *err)
{
  placed_t *item = &list->item[list->n++];
  item->name = path;
  return usable_load(in, NULL, path, q->shared, &item->mapping, err);
}

static int add_linear(const inputs_t *in, placed_list_t *list, bool *fits, berth_error_t *err)
{
  int *pus = NULL, rc = inputs_linear(in, &pus, err);
  *fits = pus != NULL;
  if (!pus) return rc;
  list->item[list->n++] =
      (placed_t){.name = "linear",
                 .is_linear = true,
                 .mapping = {.ranks = berth_pattern_ranks(in->pattern), .pu_of_rank = pus}};
  return BERTH_OK;
}

int placed_load(inputs_t *in, const placed_question_t *q, placed_list_t *out, berth_error_t *err)
{
  bool fits, wants_linear = q->against && strcmp(q->against, "linear") == 0;
  int rc = BERTH_OK;
  *out = (placed_list_t){.item = calloc(q->files.n + 2, sizeof *out->item)};
  if (!out->item) return no_memory(err);
  for (size_t i = 0; i < q->files.n && !rc; i++) rc = add_file(in, q, out, q->files.item[i], err);
  if (!rc && q->against && !wants_linear) {
    size_t i = 0;
    while (i < out->n && strcmp(out->item[i].name, q->against) != 0) i++;
    if (i == out->n) rc = add_file(in, q, out, q->against, err);
    out->reference = i;
  }
  usable_adopt_scope(in);
  if (!rc) rc = add_linear(in, out, &fits, err);
  if (rc) return rc;
  if (wants_linear && !fits)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "--against linear: found %d ranks and fewer PUs for them, expected a mapping",
                      berth_pattern_ranks(in->pattern));
  if (fits && (!q->against || wants_linear)) out->reference = out->n - 1;
  return BERTH_OK;
}

void placed_clear(placed_list_t *list)
{
  for (size_t i = 0; i < list->n; i++) berth_mapping_clear(&list->item[i].mapping);
  free(list->item);
  *list = (placed_list_t){0};
}
