/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds how often each phase occurred, if its ranks and messages agree. */
#include "spool/assemble/assemble_phase.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/no_memory.h"
#include "spool/assemble/assemble_calls.h"
#include "spool/assemble/assemble_rma.h"
#include "spool/assemble/assemble_team.h"

ORDER_BY(began_order, phase_entry_t, RISING(id))

static phase_entry_t *find(const assembly_t *a, uint32_t id)
{
  const phase_entry_t key = {.id = id};
  if (a->n_phases == 0) return NULL;
  return bsearch(&key, a->phase, a->n_phases, sizeof key, began_order);
}

uint64_t phases_repeats(const assembly_t *a, uint32_t id)
{
  const phase_entry_t *p = find(a, id);
  return p ? p->repeats : 1;
}

bool phases_is_used(const assembly_t *a, uint32_t id)
{
  const phase_entry_t *p = find(a, id);
  return p && p->used;
}

/* Merges the entries of all ranks into one per phase. */
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

/* Entries that differ only in their call sites are adjacent. */
ORDER_BY(sent_order, sent_t, RISING(phase) RISING(src) RISING(dst) RISING(size))

/* A call's entries with all of their parts are adjacent, whatever their sites. */
ORDER_BY(called_order, called_t,
         RISING(phase) RISING(comm) RISING(op) RISING(root) RISING(varies) RISING(parts)
             RISING(bytes))

static bool divides(uint64_t repeats, uint64_t count, uint64_t bytes)
{
  return count % repeats == 0 && bytes % repeats == 0;
}

/* Sums the entries that differ from s[i] only in the site. Returns their end. */
static size_t sum_sent(const sent_t *s, size_t n, size_t i, sent_t *sum)
{
  size_t end = i + 1;
  for (*sum = s[i]; end < n && sent_order(&s[i], &s[end]) == 0; end++) {
    sum->count += s[end].count;
    sum->bytes += s[end].bytes;
  }
  return end;
}

/* Counts the calls that differ from s[i] only in the site. Returns the end of their entries. */
static size_t count_called(const called_t *s, size_t n, size_t i, uint64_t *count)
{
  size_t end = i;
  for (*count = 0; end < n && called_order(&s[i], &s[end]) == 0; end++)
    if (!s[end].src) *count += s[end].count;
  return end;
}

/* Checks that each occurrence of a phase can have the same share of these. */
static void hold_against(void *assembly, uint32_t id, uint64_t count, uint64_t bytes)
{
  phase_entry_t *p = find(assembly, id);
  if (!p) return;
  p->used = true;
  p->uneven |= !divides(p->repeats, count, bytes);
}

static void check_messages(assembly_t *a)
{
  sent_t sent;
  if (a->n_sent) qsort(a->sent, a->n_sent, sizeof *a->sent, sent_order);
  for (size_t i = 0; i < a->n_sent;) {
    i = sum_sent(a->sent, a->n_sent, i, &sent);
    hold_against(a, sent.phase, sent.count, sent.bytes);
  }
  rmas_visit_counts(a, hold_against, a);
}

static void check_calls(assembly_t *a)
{
  uint64_t calls;
  if (a->n_called) qsort(a->called, a->n_called, sizeof *a->called, called_order);
  for (size_t i = 0, end; i < a->n_called; i = end) {
    const called_t *k = &a->called[i];
    end = count_called(a->called, a->n_called, i, &calls);
    if (!k->comm || a->comm[k->comm - 1].ranks) hold_against(a, k->phase, calls, 0);
  }
}

/* The length of the common beginning of two sites, in whole words with their NULs: the
 * operation, then frames. */
static size_t common_words(const intern_item_t *a, const intern_item_t *b)
{
  size_t n = 0;
  for (size_t i = 0; i < a->n && i < b->n && a->bytes[i] == b->bytes[i]; i++)
    if (!a->bytes[i]) n = i + 1;
  return n;
}

/* The site with the innermost frames that two sites have in common. Numbers as in sent_t; -1 if
 * memory is out. */
static long common_site(assembly_t *a, uint32_t x, uint32_t y)
{
  if (x == y || !x || !y) return x == y ? x : 0;
  const intern_item_t *first = &a->sites.items[x - 1];
  size_t n = common_words(first, &a->sites.items[y - 1]);
  long number = n ? intern(&a->sites, first->bytes, n) : 0;
  return n && number >= 0 ? number + 1 : number;
}

/* Occurrences may send the same from different call sites: a loop's first step may be outside of
 * it. If an entry's count isn't a multiple of the occurrences, it is merged with those that
 * differ only in the site. */
static int fold_sent(assembly_t *a, berth_error_t *err)
{
  size_t kept = 0;
  sent_t *s = a->sent, sum;
  for (size_t i = 0, end; i < a->n_sent; i = end) {
    uint64_t repeats = phases_repeats(a, s[i].phase);
    long site = s[i].site;
    bool fold = false;
    end = sum_sent(s, a->n_sent, i, &sum);
    for (size_t k = i; k < end; k++) fold |= !divides(repeats, s[k].count, s[k].bytes);
    for (size_t k = i + 1; fold && k < end && site >= 0; k++)
      site = common_site(a, (uint32_t)site, s[k].site);
    if (site < 0) return no_memory(err);
    sum.site = (uint32_t)site;
    if (fold) s[kept++] = sum;
    for (size_t k = i; !fold && k < end; k++) s[kept++] = s[k];
  }
  a->n_sent = kept;
  return BERTH_OK;
}

static int fold_called(assembly_t *a, berth_error_t *err)
{
  called_t *s = a->called;
  uint64_t calls;
  int rc = BERTH_OK;
  for (size_t i = 0, end; i < a->n_called && !rc; i = end) {
    uint64_t repeats = phases_repeats(a, s[i].phase);
    long site = s[i].site;
    bool fold = false;
    end = count_called(s, a->n_called, i, &calls);
    for (size_t k = i; k < end; k++) fold |= !s[k].src && !divides(repeats, s[k].count, 0);
    for (size_t k = i + 1; fold && k < end && site >= 0; k++)
      site = common_site(a, (uint32_t)site, s[k].site);
    if (site < 0) return no_memory(err);
    for (size_t k = i; fold && k < end && !rc; k++) {
      const changed_t change = {s[k], true, s[k].phase, (uint32_t)site};
      if (!s[k].src && s[k].site != change.site) rc = calls_note_change(a, &change, err);
      s[k].site = (uint32_t)site;
    }
  }
  a->n_called = merge_called(s, a->n_called, false);
  return rc;
}

int phases_settle(assembly_t *a, int rc, berth_error_t *err)
{
  merge(a);
  rc = team_phases(a, rc, err);
  check_messages(a);
  rc = team_gather(a, rc, err);
  if (!rc) check_calls(a);
  rc = team_phases(a, rc, err);
  for (size_t i = 0; i < a->n_phases; i++)
    if (a->phase[i].uneven) a->phase[i].repeats = 1;
  if (!rc) rc = fold_sent(a, err);
  return rc ? rc : fold_called(a, err);
}

/* src/symbol renames automatic phases after what they send. Phase 0 beside other phases is the
 * rest. */
static const char *phase_name(const assembly_t *a, bool others, uint32_t id, char *buf, size_t size)
{
  if (id == 0) return others ? "rest" : "all";
  snprintf(buf, size, a->n_auto ? "phase %u" : "MPI_Pcontrol(%u)", id);
  return buf;
}

int phases_add(const assembly_t *a, berth_pattern_t *to, berth_error_t *err)
{
  size_t used = 0;
  bool others = a->n_auto > 0;
  int rc = BERTH_OK;
  for (size_t i = 0; i < a->n_phases; i++) {
    used += a->phase[i].used;
    others |= a->phase[i].used && a->phase[i].id != 0;
  }
  for (size_t i = 0; i < a->n_phases && !rc; i++) {
    const phase_entry_t *p = &a->phase[i];
    if (!p->used && (used || p->id)) continue; /* phase 0 is listed if it is the only one */
    char number[32];
    const char *name = phase_name(a, others, p->id, number, sizeof number);
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
  if (n == 0 || a->n_auto) return;
  int at = snprintf(
      text, size, "taken as one occurrence, because ranks or occurrences differ: phase %u", first);
  if (n > 1) snprintf(text + at, size - (size_t)at, " and %zu more", n - 1);
}
