/* SPDX-License-Identifier: BSD-3-Clause */
/* Names for the phases that nobody named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "symbol/symbol_internal.h"

enum { CANDIDATES = 4 /* sites of a phase that may give it its name */ };

/* What a site sends in a phase. */
typedef struct voice {
  size_t phase;
  int site;
  uint64_t bytes;
} voice_t;

struct namer {
  const berth_pattern_t *sites; /* has the sites, resolved */
  voice_t *voice;               /* by phase, the loudest first */
  size_t n;
  char **taken; /* the names of the first phases */
  size_t n_taken;
};

static int site_order(const void *x, const void *y)
{
  const voice_t *a = x, *b = y;
  if (a->phase != b->phase) return a->phase < b->phase ? -1 : 1;
  return (a->site > b->site) - (a->site < b->site);
}

static int loudness_order(const void *x, const void *y)
{
  const voice_t *a = x, *b = y;
  if (a->phase != b->phase) return a->phase < b->phase ? -1 : 1;
  if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
  return (a->site > b->site) - (a->site < b->site);
}

static size_t add_up(voice_t *v, size_t n)
{
  size_t kept = 0;
  if (n) qsort(v, n, sizeof *v, site_order);
  for (size_t i = 0; i < n; i++) {
    if (kept && site_order(&v[kept - 1], &v[i]) == 0)
      v[kept - 1].bytes += v[i].bytes;
    else
      v[kept++] = v[i];
  }
  if (kept) qsort(v, kept, sizeof *v, loudness_order);
  return kept;
}

static voice_t *voices(const berth_pattern_t *p, size_t *n)
{
  size_t n_phases, n_messages = 0, k;
  berth_pattern_phases(p, &n_phases);
  for (size_t i = 0; i < n_phases; i++) {
    berth_pattern_messages(p, i, &k);
    n_messages += k;
  }
  voice_t *v = malloc((n_messages + 1) * sizeof *v);
  *n = 0;
  for (size_t i = 0; i < n_phases && v; i++) {
    const berth_message_t *m = berth_pattern_messages(p, i, &k);
    for (size_t j = 0; j < k; j++)
      if (m[j].site) v[(*n)++] = (voice_t){i, m[j].site, m[j].bytes};
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

/* The voices of a phase; *n of them. */
static const voice_t *voices_of(const namer_t *f, size_t phase, size_t *n)
{
  size_t first = 0;
  while (first < f->n && f->voice[first].phase < phase) first++;
  for (*n = 0; first + *n < f->n && f->voice[first + *n].phase == phase;) ++*n;
  return f->voice + first;
}

/* Whether no site has the frame but those that send in this phase. */
static bool is_own(const namer_t *f, size_t phase, const char *frame)
{
  size_t n;
  const voice_t *own = voices_of(f, phase, &n);
  for (size_t i = 0; i < f->n; i++) {
    const voice_t *v = &f->voice[i];
    if (v->phase == phase || !has_frame(berth_pattern_site(f->sites, v->site), frame)) continue;
    bool here = false;
    for (size_t k = 0; k < n; k++) here |= own[k].site == v->site;
    if (!here) return false;
  }
  return true;
}

static bool is_taken(const namer_t *f, const char *frame)
{
  size_t n;
  const char *name = symbols_brief(frame, &n);
  for (size_t i = 0; i < f->n_taken; i++)
    if (strncmp(f->taken[i], name, n) == 0 && !f->taken[i][n]) return true;
  return false;
}

/* The innermost frame of a site that has a name, else the innermost; `own`: of those that tell the
 * phase from others. */
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

/* A frame of one of the loudest sites that tells this phase from others. */
static const char *own_frame(const namer_t *f, size_t phase)
{
  size_t n;
  const voice_t *v = voices_of(f, phase, &n);
  for (size_t i = 0; i < n && i < CANDIDATES; i++) {
    const char *own = best_frame(f, phase, berth_pattern_site(f->sites, v[i].site), true);
    if (own && !is_taken(f, own)) return own;
  }
  return NULL;
}

/* The name of a phase where a tracer had none; NULL when memory is out. */
static char *name_of(namer_t *f, size_t place, const berth_phase_t *phase)
{
  char number[32];
  size_t n;
  snprintf(number, sizeof number, "phase %d", phase->id);
  const voice_t *v = voices_of(f, place, &n);
  const berth_site_t *loudest = n ? berth_pattern_site(f->sites, v->site) : NULL;
  if (strcmp(phase->name, number) != 0 || !loudest || !loudest->n_frames)
    return strdup(phase->name);
  const char *own = own_frame(f, place);
  const char *brief = symbols_brief(own ? own : best_frame(f, place, loudest, false), &n);
  char *name = own ? strndup(brief, n) : text_printf("%.*s (%s)", (int)n, brief, number);
  if (name) text_clean(name);
  return name;
}

namer_t *namer_new(const berth_pattern_t *p, const berth_pattern_t *sites)
{
  size_t n_phases;
  berth_pattern_phases(p, &n_phases);
  namer_t *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->sites = sites;
  f->voice = voices(p, &f->n);
  f->taken = calloc(n_phases + 1, sizeof *f->taken);
  if (f->voice && f->taken) return f;
  namer_free(f);
  return NULL;
}

void namer_free(namer_t *f)
{
  if (!f) return;
  for (size_t i = 0; i < f->n_taken; i++) free(f->taken[i]);
  free(f->taken);
  free(f->voice);
  free(f);
}

const char *namer_next(namer_t *f, const berth_phase_t *phase)
{
  char *name = name_of(f, f->n_taken, phase);
  if (name) f->taken[f->n_taken++] = name;
  return name;
}
