/* SPDX-License-Identifier: BSD-3-Clause */
/* Says in results that a pattern comes from a truncated file. */
#include "pattern/phase_find.h"

#include <stdlib.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "pattern/pattern_internal.h"

/* Counts the ranks that sent anything. */
static int count_senders(const berth_pattern_t *p, bool *sends)
{
  int n = 0;
  for (size_t i = 0; i < p->messages.n; i++) sends[p->messages.items[i].src] = true;
  for (size_t i = 0; i < p->rows.n; i++) sends[p->rows.items[i].src] = true;
  for (size_t i = 0; i < p->rmas.n; i++) sends[p->rmas.items[i].src] = true;
  for (size_t i = 0; i < p->packed.n; i++)
    if (!p->packed.items[i].receives) sends[p->packed.items[i].rank] = true;
  for (int r = 0; r < p->ranks; r++) n += sends[r];
  return n;
}

int pattern_set_cut(berth_pattern_t *p, uint64_t lines, const char *why, berth_error_t *err)
{
  bool *sends = calloc((size_t)p->ranks, sizeof *sends);
  berth_cut_t *cut = arena_alloc(&p->arena, sizeof *cut);
  char *copy = arena_strdup(&p->arena, why);
  if (sends && cut && copy) {
    *cut = (berth_cut_t){lines, count_senders(p, sends), copy};
    p->cut = cut;
  }
  free(sends);
  return p->cut ? BERTH_OK : no_memory(err);
}

const berth_cut_t *berth_pattern_cut(const berth_pattern_t *p) { return p->cut; }

char *pattern_cut_text(const berth_pattern_t *p)
{
  if (!p->cut) return NULL;
  return text_printf("the pattern is truncated after line %llu, with what %d of %d ranks sent (%s)",
                     (unsigned long long)p->cut->lines, p->cut->senders, p->ranks, p->cut->why);
}

void pattern_put_cut(json_out_t *j, const berth_pattern_t *p)
{
  if (!p->cut) return;
  json_open(j, "pattern_cut_off", '{', JSON_ONE_LINE);
  json_put_u64(j, "lines", p->cut->lines);
  json_put_u64(j, "ranks_sending", (uint64_t)p->cut->senders);
  json_put_u64(j, "ranks", (uint64_t)p->ranks);
  json_put_string(j, "reason", p->cut->why);
  json_close(j);
}
