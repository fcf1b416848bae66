/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that the levels of a sketch make a machine. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "topo/sketch/sketch_internal.h"

uint64_t sketch_count(const sketch_level_t *level, uint64_t k)
{
  return level->counts[level->n_counts > 1 ? k : 0];
}

/* How many elements a level has if there are n above it; UINT64_MAX if they are too many. */
static uint64_t total_of(const sketch_level_t *l, uint64_t n)
{
  uint64_t sum = 0;
  if (l->n_counts == 1)
    return l->counts[0] > BERTH_MAX_ELEMENTS / n ? UINT64_MAX : l->counts[0] * n;
  for (size_t i = 0; i < l->n_counts; i++) sum += l->counts[i];
  return sum;
}

static int check_counts(const berth_sketch_t *s, const sketch_level_t *l, uint64_t above,
                        uint64_t *total, berth_error_t *err)
{
  if (l->n_counts > 1 && l->n_counts != above)
    return sketch_fail(l->word, err,
                       "found %zu counts, expected one, or %" PRIu64 ": one for each %s",
                       l->n_counts, above, l->parent < 0 ? "machine" : s->levels[l->parent].stem);
  *total = total_of(l, above);
  if (*total > BERTH_MAX_ELEMENTS)
    return sketch_fail(l->word, err, "found more than %d of them, expected fewer",
                       BERTH_MAX_ELEMENTS);
  if (l->names.n > 0 && l->names.n != *total)
    return sketch_fail(l->word, err, "found %zu name%s, expected %" PRIu64 ": one for each %s",
                       l->names.n, text_plural((double)l->names.n), *total, l->stem);
  return BERTH_OK;
}

/* What is expected in a level without any; NULL if it may be without. */
static const char *lacks(const sketch_level_t *l)
{
  if (l->child >= 0 || l->kind >= KIND_CORE) return NULL;
  return l->kind == SKETCH_SWITCH ? "host:COUNT" : "core:COUNT";
}

/* Whether the host that a level is, or is in, is like a model. */
static bool has_model(berth_sketch_t *s, const sketch_level_t *l)
{
  while (l->kind > KIND_HOST) l = &s->levels[l->parent];
  return l->kind == KIND_HOST && sketch_find(s, l, "like");
}

static int check_inside(berth_sketch_t *s, const sketch_level_t *l, berth_error_t *err)
{
  const char *expected = lacks(l);
  if (!expected || has_model(s, l)) return BERTH_OK;
  const sketch_level_t *misspelt = l->kind == SKETCH_SWITCH ? sketch_misspelt(s, l) : NULL;
  if (misspelt)
    return sketch_fail(misspelt->word, err,
                       "found a switch without hosts in it, expected %s:COUNT in place of it",
                       sketch_near_type(misspelt));
  return sketch_fail(l->word, err, "expected %s in it%s", expected,
                     l->kind == KIND_HOST ? ", or like=FILE" : "");
}

/* Sets total[] to the number of elements of each level. */
static int check_levels(berth_sketch_t *s, uint64_t *total, berth_error_t *err)
{
  uint64_t pus = 0;
  for (size_t i = 0; i < s->n_levels; i++) {
    const sketch_level_t *l = &s->levels[i];
    int rc = check_counts(s, l, l->parent < 0 ? 1 : total[l->parent], &total[i], err);
    if (!rc) rc = check_inside(s, l, err);
    if (rc) return rc;
    if (l->child < 0) pus += total[i];
    if (pus > BERTH_MAX_PUS)
      return sketch_fail(l->word, err, "found %" PRIu64 " PUs, expected at most %d", pus,
                         BERTH_MAX_PUS);
  }
  return BERTH_OK;
}

int sketch_check(berth_sketch_t *s, berth_error_t *err)
{
  if (s->block > 0) return sketch_fail(s->blocks[s->block].word, err, "expected \"}\" behind it");
  if (s->n_levels == 0)
    return berth_fail(err, BERTH_BAD_INPUT, "found no levels, expected some such as host:4 core:8");
  uint64_t *total = calloc(s->n_levels, sizeof *total);
  int rc = total ? check_levels(s, total, err) : no_memory(err);
  free(total);
  return rc;
}
