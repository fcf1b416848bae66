/* SPDX-License-Identifier: BSD-3-Clause */
/* Names the phases that the program didn't name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/id_table.h"
#include "base/order.h"
#include "base/text.h"
#include "symbol/symbol_internal.h"

enum { CANDIDATES = 4 /* sites of a phase that may name it */ };

/* What a site sends in a phase. */
typedef struct sender {
  size_t phase;
  int site;
  uint64_t bytes;
} sender_t;

/* A sending site with a frame, by the frame's hash. */
typedef struct holder {
  uint64_t hash;
  const berth_site_t *site;
} holder_t;

struct namer {
  const berth_pattern_t *sites; /* has the resolved sites */
  sender_t *sender;             /* by phase; the site that sends most comes first */
  size_t n;
  size_t *first; /* per phase, and one more: index of its senders */
  holder_t *holder;
  size_t n_holders;
  size_t *sends_in; /* per site: the last examined phase in which it sends, from 1 */
  char **taken;     /* names of earlier phases */
  size_t n_taken;
  id_table_t place_of_name; /* by hash; the first of equal hashes */
};

ORDER_BY(site_order, sender_t, RISING(phase) RISING(site))

ORDER_BY(bytes_order, sender_t, RISING(phase) FALLING(bytes) RISING(site))

static size_t add_up(sender_t *v, size_t n)
{
  size_t kept = 0;
  if (n) qsort(v, n, sizeof *v, site_order);
  for (size_t i = 0; i < n; i++) {
    if (kept && site_order(&v[kept - 1], &v[i]) == 0)
      v[kept - 1].bytes += v[i].bytes;
    else
      v[kept++] = v[i];
  }
  if (kept) qsort(v, kept, sizeof *v, bytes_order);
  return kept;
}

static sender_t *senders(const berth_pattern_t *p, size_t *n)
{
  size_t n_phases, n_messages = 0, k;
  berth_pattern_phases(p, &n_phases);
  for (size_t i = 0; i < n_phases; i++) {
    berth_pattern_messages(p, i, &k);
    n_messages += k;
  }
  sender_t *v = malloc((n_messages + 1) * sizeof *v);
  *n = 0;
  for (size_t i = 0; i < n_phases && v; i++) {
    const berth_message_t *m = berth_pattern_messages(p, i, &k);
    for (size_t j = 0; j < k; j++)
      if (m[j].site) v[(*n)++] = (sender_t){i, m[j].site, m[j].bytes};
  }
  if (v) *n = add_up(v, *n);
  return v;
}

static bool has_frame(const berth_site_t *site, const char *frame)
{
  for (size_t i = 0; site && i < site->n_frames; i++)
    if (strcmp(site->frames[i], frame) == 0) return true;
  return false;
}

/* The senders of a phase; *n is their number. */
static const sender_t *senders_of(const namer_t *f, size_t phase, size_t *n)
{
  *n = f->first[phase + 1] - f->first[phase];
  return f->sender + f->first[phase];
}

static size_t number_of(const namer_t *f, const berth_site_t *site)
{
  size_t n;
  return (size_t)(site - berth_pattern_sites(f->sites, &n));
}

static void note_senders(namer_t *f, size_t phase)
{
  size_t n;
  const sender_t *v = senders_of(f, phase, &n);
  for (size_t i = 0; i < n; i++) {
    const berth_site_t *site = berth_pattern_site(f->sites, v[i].site);
    if (site) f->sends_in[number_of(f, site)] = phase + 1;
  }
}

static uint64_t hash_of(const char *text, size_t n) { return hash_bytes(HASH_START, text, n); }

/* The first holder of a hash, by bisection. */
static size_t first_holder(const namer_t *f, uint64_t hash)
{
  size_t low = 0, high = f->n_holders;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (f->holder[middle].hash < hash)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Whether the only sending sites with this frame send in this phase. sends_in must be set for
 * this phase. */
static bool is_own(const namer_t *f, size_t phase, const char *frame)
{
  uint64_t hash = hash_of(frame, strlen(frame));
  for (size_t i = first_holder(f, hash); i < f->n_holders && f->holder[i].hash == hash; i++) {
    const berth_site_t *site = f->holder[i].site;
    if (f->sends_in[number_of(f, site)] != phase + 1 && has_frame(site, frame)) return false;
  }
  return true;
}

static bool is_taken(const namer_t *f, const char *frame)
{
  size_t n, place;
  const char *name = symbols_brief(frame, &n);
  if (!id_table_find(&f->place_of_name, hash_of(name, n), &place)) return false;
  for (size_t i = place; i < f->n_taken; i++) /* usually the first one matches */
    if (strncmp(f->taken[i], name, n) == 0 && !f->taken[i][n]) return true;
  return false;
}

static bool take_name(namer_t *f, char *name)
{
  size_t place;
  uint64_t hash = hash_of(name, strlen(name));
  f->taken[f->n_taken++] = name;
  return id_table_find(&f->place_of_name, hash, &place) ||
         id_table_add(&f->place_of_name, hash, f->n_taken - 1);
}

/* The innermost resolved frame of a site, else its innermost one. With `own`, only frames that
 * no other phase has. */
static const char *best_frame(const namer_t *f, size_t phase, const berth_site_t *site, bool own)
{
  const char *innermost = NULL;
  for (size_t k = 0; site && k < site->n_frames; k++) {
    if (own && !is_own(f, phase, site->frames[k])) continue;
    if (symbol_is_named(site->frames[k])) return site->frames[k];
    if (!innermost) innermost = site->frames[k];
  }
  return innermost;
}

/* A frame that only this phase has, of one of the sites that send most. */
static const char *own_frame(const namer_t *f, size_t phase)
{
  size_t n;
  const sender_t *v = senders_of(f, phase, &n);
  for (size_t i = 0; i < n && i < CANDIDATES; i++) {
    const char *own = best_frame(f, phase, berth_pattern_site(f->sites, v[i].site), true);
    if (own && !is_taken(f, own)) return own;
  }
  return NULL;
}

/* The name of a phase that the tracer couldn't name; NULL if memory is out. */
static char *name_of(namer_t *f, size_t place, const berth_phase_t *phase)
{
  char number[32];
  size_t n;
  snprintf(number, sizeof number, "phase %d", phase->id);
  const sender_t *v = senders_of(f, place, &n);
  const berth_site_t *biggest = n ? berth_pattern_site(f->sites, v->site) : NULL;
  if (strcmp(phase->name, number) != 0 || !biggest || !biggest->n_frames)
    return strdup(phase->name);
  const char *own = own_frame(f, place);
  const char *brief = symbols_brief(own ? own : best_frame(f, place, biggest, false), &n);
  char *name = own ? strndup(brief, n) : text_printf("%.*s (%s)", (int)n, brief, number);
  if (name) text_clean(name);
  return name;
}

ORDER_BY(by_hash, holder_t, RISING(hash))

/* Collects the frames of all sites that send, each site once. */
static bool find_holders(namer_t *f)
{
  size_t cap = 0;
  for (size_t i = 0; i < f->n; i++) {
    const berth_site_t *site = berth_pattern_site(f->sites, f->sender[i].site);
    if (!site || f->sends_in[number_of(f, site)]) continue;
    f->sends_in[number_of(f, site)] = SIZE_MAX; /* no phase */
    for (size_t k = 0; k < site->n_frames; k++) {
      const holder_t holder = {hash_of(site->frames[k], strlen(site->frames[k])), site};
      if (!ARRAY_ADD(&f->holder, &f->n_holders, &cap, holder)) return false;
    }
  }
  if (f->n_holders) qsort(f->holder, f->n_holders, sizeof *f->holder, by_hash);
  return true;
}

static void find_first(namer_t *f, size_t n_phases)
{
  size_t i = 0;
  for (size_t k = 0; k <= n_phases; k++) {
    while (i < f->n && f->sender[i].phase < k) i++;
    f->first[k] = i;
  }
}

namer_t *phase_namer_new(const berth_pattern_t *p, const berth_pattern_t *sites)
{
  size_t n_phases, n_sites;
  berth_pattern_phases(p, &n_phases);
  berth_pattern_sites(sites, &n_sites);
  namer_t *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->sites = sites;
  f->sender = senders(p, &f->n);
  f->taken = calloc(n_phases + 1, sizeof *f->taken);
  f->first = calloc(n_phases + 1, sizeof *f->first);
  f->sends_in = calloc(n_sites + 1, sizeof *f->sends_in);
  bool enough = f->sender && f->taken && f->first && f->sends_in && find_holders(f);
  if (enough) {
    find_first(f, n_phases);
    return f;
  }
  phase_namer_free(f);
  return NULL;
}

void phase_namer_free(namer_t *f)
{
  if (!f) return;
  for (size_t i = 0; i < f->n_taken; i++) free(f->taken[i]);
  id_table_clear(&f->place_of_name);
  free(f->holder);
  free(f->sends_in);
  free(f->first);
  free(f->taken);
  free(f->sender);
  free(f);
}

const char *phase_namer_next(namer_t *f, const berth_phase_t *phase)
{
  note_senders(f, f->n_taken);
  char *name = name_of(f, f->n_taken, phase);
  return name && take_name(f, name) ? name : NULL;
}
