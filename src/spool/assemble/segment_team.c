/* SPDX-License-Identifier: BSD-3-Clause */
/* The facts about automatic phases that a team's members exchange.
 *
 * Parts of the refinement are numbered by their first segments. So the numbers don't depend on
 * who refined first. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/no_memory.h"
#include "spool/assemble/assemble_segment.h"
#include "team/team_facts.h"

static void combine_common(facts_t *into, const fact_t *x, const fact_t *y)
{
  common_t a, b;
  memcpy(&a, x->value, sizeof a);
  memcpy(&b, y->value, sizeof b);
  a.any |= b.any;
  a.told_apart |= b.told_apart;
  a.no_room |= b.no_room;
  a.longer |= b.longer;
  a.several |= b.several || a.hash != b.hash || a.bytes != b.bytes;
  if (b.n < a.n) a.n = b.n;
  if (b.stop < a.stop) {
    a.stop = b.stop;
    a.threads = b.threads;
  }
  facts_put(into, x->kind, x->key, x->key_bytes, &a, sizeof a);
}

int team_common(const assembly_t *a, common_t *c, int rc, berth_error_t *err)
{
  if (!a->team) return rc;
  return facts_agree_on(a->team, combine_common, c, sizeof *c, a->n_ranks > 0, rc, err);
}

/* Puts the parts of all segments, compressed; no bytes if there are too many parts. REST isn't
 * in this fact; team_unions exchanges it. */
static void put_parts(facts_t *f, const settling_t *s)
{
  if (s->n == 0) {
    facts_put(f, 0, NULL, 0, NULL, 0);
    return;
  }
  size_t n = s->n * sizeof(uint16_t), max = ZSTD_compressBound(n), size = 0;
  uint16_t *part = malloc(n);
  void *packed = malloc(max);
  bool good = part && packed;
  for (uint64_t i = 0; good && i < s->n; i++) part[i] = (uint16_t)s->part[i];
  if (good) size = ZSTD_compress(packed, max, part, n, 1);
  if (good && !ZSTD_isError(size))
    facts_put(f, 0, NULL, 0, packed, size);
  else
    f->failed = true;
  free(part);
  free(packed);
}

/* NULL if memory is out. */
static uint16_t *unpack(const fact_t *fact, uint64_t *n)
{
  unsigned long long size = ZSTD_getFrameContentSize(fact->value, fact->value_bytes);
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) return NULL;
  uint16_t *part = malloc(size);
  if (!part || ZSTD_isError(ZSTD_decompress(part, size, fact->value, fact->value_bytes))) {
    free(part);
    return NULL;
  }
  *n = size / sizeof *part;
  return part;
}

/* Refines the parts by a compressed fact. Returns false if memory is out. */
static bool refine_by_fact(settling_t *s, const fact_t *fact)
{
  static const bool lumped[MAX_PARTS + 1];
  uint64_t n;
  if (s->n == 0 || !fact->value_bytes) {
    s->n = s->n_parts = 0;
    return true;
  }
  uint16_t *part = unpack(fact, &n);
  bool good = part && refine_segments_by(s, part, lumped);
  free(part);
  return good;
}

static void combine_parts(facts_t *into, const fact_t *a, const fact_t *b)
{
  bool lumped[MAX_PARTS + 1] = {false};
  settling_t s = {.lumped = lumped};
  if (!a->value_bytes || !b->value_bytes) {
    facts_put(into, 0, NULL, 0, NULL, 0);
    return;
  }
  uint16_t *part = unpack(a, &s.n);
  s.part = calloc(s.n + 1, sizeof *s.part);
  for (uint64_t i = 0; s.part && part && i < s.n; i++) s.part[i] = part[i];
  if (!s.part || !part || !refine_by_fact(&s, b))
    into->failed = true;
  else
    put_parts(into, &s);
  free(s.part);
  free(part);
}

int team_parts(settling_t *s, int rc, berth_error_t *err)
{
  facts_t f = {0};
  fact_t fact;
  if (!s->a->team) return rc;
  bool some = !rc && s->some && !s->by_class;
  if (some && s->a->n_ranks) put_parts(&f, s);
  rc = facts_agree(&f, s->a->team, combine_parts, true, rc, err);
  for (size_t at = 0; !rc && some && facts_next(&f, &at, &fact);)
    if (!refine_by_fact(s, &fact)) rc = no_memory(err);
  facts_clear(&f);
  return rc;
}

static void combine_unions(facts_t *into, const fact_t *a, const fact_t *b)
{
  uint32_t up[MAX_PARTS + 1], more[MAX_PARTS + 1];
  memcpy(up, a->value, a->value_bytes);
  memcpy(more, b->value, b->value_bytes);
  for (uint32_t i = 0; i < a->value_bytes / sizeof *up; i++) refine_parts_unite(up, i, more[i]);
  facts_put(into, a->kind, a->key, a->key_bytes, up, a->value_bytes);
}

int team_unions(settling_t *s, int rc, berth_error_t *err)
{
  size_t bytes = s->n_parts ? (s->n_parts + 1) * sizeof *s->up : 0;
  if (!s->a->team) return rc;
  return facts_agree_on(s->a->team, combine_unions, s->up, bytes, !rc && bytes, rc, err);
}

static void combine_senders(facts_t *into, const fact_t *a, const fact_t *b)
{
  (void)b;
  facts_put(into, a->kind, a->key, a->key_bytes, a->value, a->value_bytes);
}

int team_senders(settling_t *s, int rc, berth_error_t *err)
{
  facts_t f = {0};
  fact_t fact;
  uint32_t part;
  if (!s->a->team) return rc;
  for (uint32_t i = 1; !rc && i <= s->n_parts; i++)
    if (s->up[i] == i && s->sends[i])
      facts_put(&f, 0, &i, sizeof i, &s->length[i], sizeof *s->length);
  rc = facts_agree(&f, s->a->team, combine_senders, true, rc, err);
  for (size_t at = 0; !rc && facts_next(&f, &at, &fact);) {
    memcpy(&part, fact.key, sizeof part);
    memcpy(&s->length[part], fact.value, sizeof *s->length);
    s->sends[part] = true;
  }
  facts_clear(&f);
  return rc;
}
