/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/placed.h"

#include <stdlib.h>
#include <string.h>

#include "cli/usable.h"

static int add_file(const inputs_t *in, const placed_question_t *q, placed_list_t *list,
                    const char *path, berth_error_t *err)
{
  placed_t *item = &list->item[list->n++];
  item->name = path;
  return usable_load(in, path, q->shared, &item->mapping, err);
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

int placed_load(const inputs_t *in, const placed_question_t *q, placed_list_t *out,
                berth_error_t *err)
{
  bool fits, wants_linear = q->against && strcmp(q->against, "linear") == 0;
  int rc = BERTH_OK;
  *out = (placed_list_t){.item = calloc(q->n_files + 2, sizeof *out->item)};
  if (!out->item) return berth_fail(err, BERTH_MISSING, "out of memory");
  for (size_t i = 0; i < q->n_files && !rc; i++) rc = add_file(in, q, out, q->file[i], err);
  if (!rc && q->against && !wants_linear) {
    size_t i = 0;
    while (i < out->n && strcmp(out->item[i].name, q->against) != 0) i++;
    if (i == out->n) rc = add_file(in, q, out, q->against, err);
    out->reference = i;
  }
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
