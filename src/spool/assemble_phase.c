/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases: how often each occurred, as far as its ranks and messages agree on that. */
#include <stdio.h>
#include <stdlib.h>

#include "spool/assemble_internal.h"

static int began_order(const void *x, const void *y)
{
  const phase_entry_t *p = x, *q = y;
  return (p->id > q->id) - (p->id < q->id);
}

static phase_entry_t *find(const assembly_t *a, uint32_t id)
{
  const phase_entry_t key = {.id = id};
  if (a->n_phases == 0) return NULL;
  return bsearch(&key, a->phase, a->n_phases, sizeof key, began_order);
}

/* One entry for each phase instead of one for each rank that was in it. */
static void merge(assembly_t *a)
{
  size_t kept = 0;
  if (a->n_phases) qsort(a->phase, a->n_phases, sizeof *a->phase, began_order);
  for (size_t i = 0; i < a->n_phases; i++) {
    phase_entry_t *last = kept ? &a->phase[kept - 1] : NULL;
    if (!last || last->id != a->phase[i].id)
      a->phase[kept++] = a->phase[i];
    else
      last->uneven |= last->repeats != a->phase[i].repeats;
  }
  a->n_phases = kept;
}

/* What a phase has, of which each occurrence must have as much. */
static void hold_against(const assembly_t *a, uint32_t id, uint64_t count, uint64_t bytes)
{
  phase_entry_t *p = find(a, id);
  if (!p) return;
  p->used = true;
  p->uneven |= count % p->repeats || bytes % p->repeats;
}

void phases_settle(assembly_t *a)
{
  merge(a);
  for (size_t i = 0; i < a->n_sent; i++)
    hold_against(a, a->sent[i].phase, a->sent[i].count, a->sent[i].bytes);
  for (size_t i = 0; i < a->n_called; i++)
    if (!a->called[i].comm || a->comm[a->called[i].comm - 1].ranks)
      hold_against(a, a->called[i].phase, a->called[i].count, 0);
  for (size_t i = 0; i < a->n_phases; i++)
    if (a->phase[i].uneven) a->phase[i].repeats = 1;
}

uint64_t phases_repeats(const assembly_t *a, uint32_t id)
{
  const phase_entry_t *p = find(a, id);
  return p ? p->repeats : 1;
}

int phases_add(const assembly_t *a, berth_pattern_t *to, berth_error_t *err)
{
  size_t used = 0;
  int rc = BERTH_OK;
  for (size_t i = 0; i < a->n_phases; i++) used += a->phase[i].used;
  for (size_t i = 0; i < a->n_phases && !rc; i++) {
    const phase_entry_t *p = &a->phase[i];
    if (!p->used && (used || p->id)) continue; /* phase 0 stands where there is no other */
    char name[32] = "all";
    if (p->id) snprintf(name, sizeof name, "MPI_Pcontrol(%u)", p->id);
    rc = berth_pattern_add_phase(to, &(berth_phase_t){(int)p->id, name, p->repeats}, err);
  }
  return rc;
}

void phases_note(const assembly_t *a, char *text, size_t size)
{
  size_t n = 0;
  uint32_t first = 0;
  for (size_t i = a->n_phases; i-- > 0;)
    if (a->phase[i].used && a->phase[i].uneven) first = a->phase[i].id, n++;
  *text = '\0';
  if (n == 0) return;
  int at = snprintf(text, size,
                    "taken as one occurrence, as not all ranks began as many or these are not "
                    "alike: phase %u",
                    first);
  if (n > 1) snprintf(text + at, size - (size_t)at, " and %zu more", n - 1);
}
