/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/placed.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "cli/options/usable.h"

/* With so many ranks model flow takes minutes, so it waits to be asked for. */
enum { MANY_RANKS = 4096 };

enum { OPT_AGAINST = 512, OPT_MODELS, OPT_SHARED };

static const struct argp_option placed_options[] = {
    {"oversubscribe", OPT_SHARED, NULL, 0,
     "Take mappings with several ranks on one PU. --ranks-per-pu does that, and lets linear share "
     "PUs, too.",
     0},
    {0}};

static error_t parse_placed(int key, char *arg, struct argp_state *state)
{
  placed_question_t *q = state->input;
  switch (key) {
  case OPT_SHARED:
    q->shared = true;
    return 0;
  case ARGP_KEY_ARG:
    if (!ARRAY_GROW(&q->file, q->n_files, &q->cap)) return ENOMEM;
    q->file[q->n_files++] = arg;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp placed_argp = {.options = placed_options, .parser = parse_placed};

static const struct argp_option against_options[] = {
    {"models", OPT_MODELS, "LIST", 0,
     "The models to price by, as in port,flow (default: all, flow for up to 4,096 ranks only).", 0},
    {"against", OPT_AGAINST, "FILE", 0,
     "The placement that the others are held against: a mapping, or linear (default, where it "
     "fits; else the first).",
     0},
    {0}};

static error_t parse_against(int key, char *arg, struct argp_state *state)
{
  placed_question_t *q = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = q;
    return 0;
  case OPT_MODELS:
    inputs_models(state, arg, q->asked);
    q->any_asked = true;
    return 0;
  case OPT_AGAINST:
    q->against = arg;
    return 0;
  case ARGP_KEY_END:
    if (!q->n_files) argp_error(state, "expected at least one mapping");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child against_children[] = {{&placed_argp, 0, NULL, 0}, {0}};

const struct argp placed_against_argp = {
    .options = against_options, .parser = parse_against, .children = against_children};

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
  *out = (placed_list_t){.item = calloc(q->n_files + 2, sizeof *out->item)};
  if (!out->item) return no_memory(err);
  for (size_t i = 0; i < q->n_files && !rc; i++) rc = add_file(in, q, out, q->file[i], err);
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
