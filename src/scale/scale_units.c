/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what traces have in common by name: call sites, and the messages of each. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "scale/scale_internal.h"

/* --- call sites --- */

static bool same_site(const scale_site_t *a, const berth_site_t *b)
{
  if (strcmp(a->op, b->op) != 0 || a->n_frames != b->n_frames) return false;
  for (size_t i = 0; i < a->n_frames; i++)
    if (strcmp(a->frames[i], b->frames[i]) != 0) return false;
  return true;
}

static bool add_site(scale_job_t *job, const berth_site_t *site, int *index)
{
  size_t i = 1;
  while (i < job->n_sites && !same_site(&job->sites[i], site)) i++;
  *index = (int)i;
  const scale_site_t added = {site->op, site->n_frames, site->frames};
  return i < job->n_sites || ARRAY_ADD(&job->sites, &job->n_sites, &job->cap_sites, added);
}

static int find_sites(scale_job_t *job, berth_error_t *err)
{
  const scale_site_t unknown = {"", 0, NULL};
  if (!ARRAY_ADD(&job->sites, &job->n_sites, &job->cap_sites, unknown)) return no_memory(err);
  for (size_t t = 0; t < job->n; t++) {
    size_t n;
    const berth_site_t *sites = berth_pattern_sites(job->trace[t], &n);
    job->site_of[t] = arena_alloc(&job->arena, (n + 1) * sizeof *job->site_of[t]);
    for (size_t i = 0; i < n && job->site_of[t]; i++)
      if (!add_site(job, &sites[i], &job->site_of[t][i])) return no_memory(err);
    if (!job->site_of[t]) return no_memory(err);
  }
  return BERTH_OK;
}

int scale_unit_site(const scale_job_t *job, size_t trace, int id)
{
  size_t n;
  const berth_site_t *first = berth_pattern_sites(job->trace[trace], &n);
  const berth_site_t *site = berth_pattern_site(job->trace[trace], id);
  return site ? job->site_of[trace][site - first] : 0;
}

/* --- units --- */

static bool same_unit(const scale_unit_t *a, const scale_unit_t *b)
{
  if (a->kind != b->kind || a->phase != b->phase || a->site != b->site || a->size != b->size)
    return false;
  if (a->kind == SCALE_ONE_SIDED)
    return strcmp(a->rma->op, b->rma->op) == 0 && strcmp(a->rma->sync, b->rma->sync) == 0 &&
           a->rma->win == b->rma->win;
  if (a->kind != SCALE_CALLS) return true;
  const berth_coll_t *x = a->coll, *y = b->coll;
  return a->all == b->all && strcmp(x->op, y->op) == 0 && x->in_place == y->in_place &&
         x->user_operation == y->user_operation && x->uncommutative == y->uncommutative;
}

scale_unit_t *scale_unit_add(scale_job_t *job, const scale_unit_t *like)
{
  for (size_t i = 0; i < job->n_units; i++)
    if (same_unit(&job->units[i], like)) return &job->units[i];
  if (!ARRAY_ADD(&job->units, &job->n_units, &job->cap_units, *like)) return NULL;
  scale_unit_t *u = &job->units[job->n_units - 1];
  bool calls = u->kind == SCALE_CALLS;
  u->cell = calls ? NULL : arena_alloc(&job->arena, job->n * sizeof *u->cell);
  u->calls = calls ? arena_alloc(&job->arena, job->n * sizeof *u->calls) : NULL;
  u->epochs = arena_alloc(&job->arena, job->n * sizeof *u->epochs);
  if ((!u->cell && !u->calls) || !u->epochs) return job->n_units--, NULL;
  for (size_t t = 0; t < job->n; t++) {
    if (u->cell) u->cell[t] = (scale_cell_t){0};
    if (u->calls) u->calls[t] = (scale_calls_t){0};
    u->epochs[t] = 0;
  }
  return u;
}

const char *scale_unit_op(const scale_job_t *job, const scale_unit_t *u)
{
  if (u->site) return job->sites[u->site].op;
  return u->coll ? u->coll->op : u->rma ? u->rma->op : "";
}

/* --- messages --- */

/* A message of a trace, and the unit that it belongs to. */
typedef struct placed {
  size_t unit;
  berth_message_t m;
} placed_t;

typedef struct messages {
  size_t n, cap;
  placed_t *list;
} messages_t;

#define BY_PAIR RISING(m.src) RISING(m.dst) RISING(m.size)
ORDER_BY(placed_order, placed_t, RISING(unit) BY_PAIR)

/* `repeats` of the phase become part of the amounts if phases count as one. */
static bool place(messages_t *all, size_t unit, const berth_message_t *m, int src, double times)
{
  placed_t placed = {unit, *m};
  placed.m.src = src;
  placed.m.count *= (uint64_t)times;
  placed.m.bytes *= (uint64_t)times;
  return ARRAY_ADD(&all->list, &all->n, &all->cap, placed);
}

static int place_messages(scale_job_t *job, size_t t, messages_t *all, berth_error_t *err)
{
  size_t n_phases, n;
  const berth_phase_t *phases = berth_pattern_phases(job->trace[t], &n_phases);
  for (size_t p = 0; p < n_phases; p++) {
    const berth_message_t *m = berth_pattern_messages(job->trace[t], p, &n);
    int last = -1;
    size_t unit = 0;
    for (size_t i = 0; i < n; i++) {
      if (m[i].site != last) {
        const scale_unit_t like = {.kind = SCALE_MESSAGES,
                                   .phase = scale_phase_of(job, t, phases[p].id),
                                   .site = scale_unit_site(job, t, m[i].site)};
        const scale_unit_t *u = scale_unit_add(job, &like);
        if (!u) return no_memory(err);
        unit = (size_t)(u - job->units);
        last = m[i].site;
      }
      if (!place(all, unit, &m[i], m[i].src, scale_times(job, t, phases[p].id)))
        return no_memory(err);
    }
  }
  return BERTH_OK;
}

static int place_one_sided(scale_job_t *job, size_t t, messages_t *all, berth_error_t *err)
{
  size_t n;
  const berth_rma_t *r = berth_pattern_rmas(job->trace[t], &n);
  for (size_t i = 0; i < n; i++) {
    double times = scale_times(job, t, r[i].phase);
    const scale_unit_t like = {.kind = SCALE_ONE_SIDED,
                               .phase = scale_phase_of(job, t, r[i].phase),
                               .site = scale_unit_site(job, t, r[i].site),
                               .rma = &r[i]};
    scale_unit_t *u = scale_unit_add(job, &like);
    if (!u) return no_memory(err);
    u->epochs[t] += times * (double)r[i].epochs;
    for (size_t k = 0; k < r[i].n_msgs; k++)
      if (!place(all, (size_t)(u - job->units), &r[i].msgs[k], r[i].src, times))
        return no_memory(err);
  }
  return BERTH_OK;
}

/* --- cells --- */

/* Makes pairs of the entries, which are sorted. */
static int fill_cell(scale_job_t *job, scale_cell_t *cell, const placed_t *list, size_t n,
                     int ranks, berth_error_t *err)
{
  cell->entries = arena_alloc(&job->arena, n * sizeof *cell->entries);
  cell->pairs = arena_alloc(&job->arena, n * sizeof *cell->pairs);
  cell->row = arena_alloc(&job->arena, ((size_t)ranks + 1) * sizeof *cell->row);
  if (!cell->entries || !cell->pairs || !cell->row) return no_memory(err);
  for (size_t i = 0; i < n; i++) {
    const berth_message_t *m = &list[i].m;
    scale_pair_t *last = cell->n_pairs ? &cell->pairs[cell->n_pairs - 1] : NULL;
    cell->entries[i] = *m;
    if (!last || last->src != m->src || last->dst != m->dst) {
      last = &cell->pairs[cell->n_pairs++];
      *last = (scale_pair_t){.src = m->src, .dst = m->dst, .first = i};
    }
    last->n++;
    last->messages += (double)m->count;
    last->bytes += (double)m->bytes;
    cell->bytes += (double)m->bytes;
    cell->messages += (double)m->count;
  }
  size_t at = 0;
  for (int r = 0; r <= ranks; r++) {
    while (at < cell->n_pairs && cell->pairs[at].src < r) at++;
    cell->row[r] = at;
  }
  return BERTH_OK;
}

static int senders(const scale_cell_t *cell, int ranks)
{
  int n = 0;
  for (int r = 0; r < ranks; r++) n += cell->row[r + 1] > cell->row[r];
  return n;
}

static int fill_cells(scale_job_t *job, size_t t, messages_t *all, berth_error_t *err)
{
  int rc = BERTH_OK;
  if (all->n) qsort(all->list, all->n, sizeof *all->list, placed_order);
  for (size_t begin = 0, end; begin < all->n && !rc; begin = end) {
    scale_unit_t *u = &job->units[all->list[begin].unit];
    for (end = begin; end < all->n && all->list[end].unit == all->list[begin].unit;) end++;
    rc = fill_cell(job, &u->cell[t], all->list + begin, end - begin, job->ranks[t], err);
    if (!rc && u->epochs[t] > 0) u->epochs[t] /= senders(&u->cell[t], job->ranks[t]);
  }
  return rc;
}

/* --- sizes --- */

/* How many different sizes each pair has, if all pairs of all traces have as many; else 1. */
static size_t sizes_of_pairs(const scale_job_t *job, const scale_unit_t *u)
{
  size_t sizes = 0;
  for (size_t t = 0; t < job->n; t++) {
    for (size_t i = 0; i < u->cell[t].n_pairs; i++) {
      size_t n = u->cell[t].pairs[i].n;
      if (n > SCALE_SIZES || (sizes && n != sizes)) return 1;
      sizes = n;
    }
  }
  return sizes ? sizes : 1;
}

/* The messages of one size of each pair, the k-th smallest. */
static int take_size(scale_job_t *job, const scale_cell_t *from, size_t k, scale_cell_t *to,
                     berth_error_t *err)
{
  *to = (scale_cell_t){.n_pairs = from->n_pairs, .row = from->row};
  to->entries = arena_alloc(&job->arena, (from->n_pairs + 1) * sizeof *to->entries);
  to->pairs = arena_alloc(&job->arena, (from->n_pairs + 1) * sizeof *to->pairs);
  if (!to->entries || !to->pairs) return no_memory(err);
  for (size_t i = 0; i < from->n_pairs; i++) {
    const berth_message_t *m = &from->entries[from->pairs[i].first + k];
    to->entries[i] = *m;
    to->pairs[i] = (scale_pair_t){.src = m->src,
                                  .dst = m->dst,
                                  .first = i,
                                  .n = 1,
                                  .messages = (double)m->count,
                                  .bytes = (double)m->bytes};
    to->messages += (double)m->count;
    to->bytes += (double)m->bytes;
  }
  return BERTH_OK;
}

/* Makes a unit of each size: a flag and the data that follows it may grow in different ways. */
static int split_sizes(scale_job_t *job, size_t unit, berth_error_t *err)
{
  size_t sizes = sizes_of_pairs(job, &job->units[unit]);
  const scale_cell_t *whole = job->units[unit].cell;
  for (size_t k = 0; k < sizes && sizes > 1; k++) {
    scale_unit_t like = job->units[unit];
    like.size = (int)k + 1;
    like.sizes = (int)sizes;
    scale_unit_t *u = k ? scale_unit_add(job, &like) : &job->units[unit];
    if (!u) return no_memory(err);
    if (k == 0) u->cell = arena_alloc(&job->arena, job->n * sizeof *u->cell);
    if (!u->cell) return no_memory(err);
    for (size_t t = 0; t < job->n; t++)
      if (take_size(job, &whole[t], k, &u->cell[t], err)) return err->code;
    u->size = like.size;
    u->sizes = like.sizes;
  }
  return BERTH_OK;
}

const scale_pair_t *scale_pair_find(const scale_cell_t *cell, int src, int dst)
{
  if (!cell->n_pairs) return NULL;
  LOWER_BOUND(at, cell->row[src], cell->row[src + 1], cell->pairs[middle].dst < dst);
  return at < cell->row[src + 1] && cell->pairs[at].dst == dst ? &cell->pairs[at] : NULL;
}

int scale_units(scale_job_t *job, berth_error_t *err)
{
  int rc = scale_phases(job, err);
  if (!rc) rc = find_sites(job, err);
  for (size_t t = 0; t < job->n && !rc; t++) {
    messages_t all = {0};
    rc = place_messages(job, t, &all, err);
    if (!rc) rc = place_one_sided(job, t, &all, err);
    if (!rc) rc = fill_cells(job, t, &all, err);
    free(all.list);
  }
  size_t n = job->n_units;
  for (size_t i = 0; i < n && !rc; i++)
    if (job->units[i].kind == SCALE_MESSAGES) rc = split_sizes(job, i, err);
  if (!rc) rc = scale_units_calls(job, err);
  for (size_t i = 0; i < job->n_units && !rc; i++) {
    scale_unit_t *u = &job->units[i];
    double repeats = job->phases[u->phase].repeats[job->n - 1];
    if (u->cell) {
      u->bytes = u->cell[job->n - 1].bytes * repeats;
      u->messages = u->cell[job->n - 1].messages * repeats;
    }
    job->bytes += u->bytes;
    job->messages += u->messages;
  }
  for (size_t i = 0; i < job->n_units && !rc; i++)
    job->units[i].share = job->bytes > 0 ? job->units[i].bytes / job->bytes : 0;
  return rc;
}

void scale_units_free(scale_job_t *job)
{
  for (size_t i = 0; i < job->n_units; i++)
    for (size_t t = 0; t < job->n && job->units[i].calls; t++) free(job->units[i].calls[t].call);
  for (size_t t = 0; t < job->n; t++) {
    free(job->groups[t].group);
    free(job->traced[t].phase);
  }
  free(job->sites);
  free(job->units);
  arena_free(&job->arena);
}
