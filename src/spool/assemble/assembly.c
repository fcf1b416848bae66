/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes one pattern from the tables of a job's ranks. */
#include "spool/assemble/assembly.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "spool/assemble/assemble_calls.h"
#include "spool/assemble/assemble_load.h"
#include "spool/assemble/assemble_order.h"
#include "spool/assemble/assemble_packed.h"
#include "spool/assemble/assemble_phase.h"
#include "spool/assemble/assemble_rma.h"
#include "spool/assemble/assemble_rows.h"
#include "spool/assemble/assemble_segment.h"
#include "spool/assemble/assemble_spent.h"
#include "spool/assemble/assemble_team.h"
#include "spool/assemble/assemble_unmodelled.h"

assembly_t *assembly_new(berth_error_t *err)
{
  assembly_t *a = calloc(1, sizeof *a);
  if (!a) no_memory(err);
  return a;
}

void assembly_free(assembly_t *a)
{
  if (a) assembly_clear(a);
  free(a);
}

void assembly_clear(assembly_t *a)
{
  for (size_t i = 0; i < a->comms.n && a->comm; i++) free(a->comm[i].ranks);
  intern_clear(&a->sites);
  intern_clear(&a->comms);
  intern_clear(&a->ops);
  intern_clear(&a->hosts);
  intern_clear(&a->parameters);
  intern_clear(&a->grids);
  rmas_clear(a);
  intern_clear(&a->sequences);
  void *const arrays[] = {a->unmodelled, a->rank,     a->known,   a->comm,       a->sent,
                          a->called,     a->row,      a->changed, a->max_called, a->phase,
                          a->share,      a->sequence, a->step,    a->spent,      a->packed};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}

void assembly_add_up(void *sums, const void *more, size_t bytes)
{
  uint64_t *sum = sums, x;
  for (size_t i = 0; i < bytes / sizeof x; i++) {
    memcpy(&x, (const unsigned char *)more + i * sizeof x, sizeof x);
    sum[i] += x;
  }
}

/* Checks that the image belongs to the job. The first image defines the job. */
static int check_job(assembly_t *a, const spool_image_t *image, const spool_header_t *h,
                     berth_error_t *err)
{
  if (a->n_ranks == 0) {
    free(a->known);
    a->known = calloc(h->ranks, 1);
    if (!a->known) return no_memory(err);
    a->job = h->job;
    a->ranks = h->ranks;
  }
  if (h->job != a->job || h->ranks != a->ranks)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "%s: found job %016llx of %u ranks, expected job %016llx of %u", image->name,
                      (unsigned long long)h->job, h->ranks, (unsigned long long)a->job, a->ranks);
  if (a->known[h->rank])
    return berth_fail(err, BERTH_BAD_INPUT, "%s: found rank %u a second time", image->name,
                      h->rank);
  return BERTH_OK;
}

static double seconds(const spool_header_t *h, uint64_t ticks)
{
  return h->ticks_per_s > 0 ? (double)ticks / h->ticks_per_s : 0;
}

static double wall_of(const rank_load_t *load)
{
  const spool_header_t *h = load->header;
  uint64_t end = h->end_tick ? h->end_tick : load->last_tick;
  return end > h->begin_tick ? seconds(h, end - h->begin_tick) : 0;
}

enum { RECENT = 100 }; /* the last one of so many parts of a run */

/* Nobody knows it of a rank without a thread's times, or of one that runs and made no call lately.
 * Clocks may differ a little. */
static double core_wait_of(const rank_load_t *load, double max)
{
  const spool_header_t *h = load->header;
  bool known = load->n_threads > 0 && load->core_wait_ns != SPOOL_UNKNOWN_WAIT;
  if (h->state == SPOOL_RUNNING && h->end_tick > load->last_tick)
    known &= h->end_tick - load->last_tick <= (h->end_tick - h->begin_tick) / RECENT;
  return known ? fmin((double)load->core_wait_ns / 1e9, max) : -1;
}

static int take_rank(assembly_t *a, const rank_load_t *load, berth_error_t *err)
{
  const spool_header_t *h = load->header;
  char host[sizeof h->host];
  memcpy(host, h->host, sizeof host);
  text_clean(host);
  long number = intern(&a->hosts, host, strlen(host));
  if (number < 0 || !ARRAY_GROW(&a->rank, a->n_ranks, &a->cap_ranks)) return no_memory(err);
  double wall = wall_of(load), mpi = seconds(h, load->mpi_ticks), max = seconds(h, load->max_ticks);
  if (mpi > wall) mpi = wall;
  if (max > wall) max = wall;
  double unsure = max > mpi ? max - mpi : 0;
  double core_wait = core_wait_of(load, wall - mpi);
  if (h->no_times) wall = mpi = core_wait = -1, unsure = 0;
  a->rank[a->n_ranks++] = (struct rank_entry){.rank = h->rank,
                                              .state = (spool_state_t)h->state,
                                              .pu = h->pu,
                                              .wall_s = wall,
                                              .mpi_s = mpi,
                                              .unsure_s = unsure,
                                              .core_wait_s = core_wait,
                                              .host = (uint32_t)number};
  a->known[h->rank] = 1;
  if (a->n_ranks == 1 || h->rank < a->first.rank) a->first = *h;
  const totals_t more = {.found = 1,
                         .finished = h->state == SPOOL_FINISHED,
                         .aborted = h->state == SPOOL_ABORTED,
                         .impossible = load->impossible,
                         .coarse = load->coarse,
                         .coarse_bytes = load->coarse_bytes,
                         .missed = h->missed};
  assembly_add_up(&a->total, &more, sizeof more);
  return BERTH_OK;
}

/* Appends what a rank counted. It makes room first, so that a failure changes nothing. */
static int take_over(assembly_t *a, rank_load_t *load, berth_error_t *err)
{
  size_t n_sent = merge_sent(load->sent, load->n_sent);
  size_t n_called = rows_merge(load->called, load->n_called);
  if (!array_reserve(&a->sent, &a->cap_sent, a->n_sent + n_sent, sizeof *a->sent) ||
      !array_reserve(&a->called, &a->cap_called, a->n_called + n_called, sizeof *a->called) ||
      !array_reserve(&a->phase, &a->cap_phases, a->n_phases + load->n_phases, sizeof *a->phase) ||
      !array_reserve(&a->share, &a->cap_share, a->n_ranks + 1, sizeof *a->share) ||
      !rmas_reserve(load) || !unmodelled_reserve(load) || !spent_reserve(load) ||
      !packed_reserve(load))
    return no_memory(err);
  long sequence = refine_segments_intern(a, load);
  if (sequence < 0) return no_memory(err);
  size_t n_sequences = a->n_sequences, n_steps = a->n_steps;
  int rc = orders_take(load, err);
  if (!rc) rc = take_rank(a, load, err);
  if (rc) {
    a->n_sequences = n_sequences;
    a->n_steps = n_steps;
    return rc;
  }
  a->share[a->n_ranks - 1] =
      (share_t){load->automatic, load->auto_state, (uint32_t)sequence, a->n_sent, n_sent,
                a->n_called,     n_called};
  if (n_sent) memcpy(a->sent + a->n_sent, load->sent, n_sent * sizeof *a->sent);
  if (n_called) memcpy(a->called + a->n_called, load->called, n_called * sizeof *a->called);
  for (size_t i = 0; i < load->n_phases; i++)
    a->phase[a->n_phases++] =
        (phase_entry_t){.id = load->phase[i].id, .repeats = load->phase[i].begun};
  a->n_sent += n_sent;
  a->n_called += n_called;
  rmas_take(load);
  unmodelled_take(load);
  spent_limit(load, fmin(seconds(load->header, load->mpi_ticks), wall_of(load)));
  spent_take(load);
  packed_take(load);
  return BERTH_OK;
}

int assembly_add(assembly_t *a, const char *name, const void *image, size_t size,
                 berth_error_t *err)
{
  const spool_image_t from = {name, image, size};
  const spool_header_t *h = spool_header(&from, err);
  if (!h) return BERTH_BAD_INPUT;
  rank_load_t load = {.a = a, .image = &from, .header = h};
  int rc = check_job(a, &from, h, err);
  if (!rc) rc = load_rank(&load, err);
  if (!rc) rc = take_over(a, &load, err);
  load_rank_clear(&load);
  return rc;
}

int assemble_comms_order(const assembly_t *a, size_t x, size_t y)
{
  const comm_entry_t *c = &a->comm[x], *d = &a->comm[y];
  for (uint32_t i = 0; i < c->n && i < d->n; i++)
    if (c->ranks[i] != d->ranks[i]) return c->ranks[i] < d->ranks[i] ? -1 : 1;
  if (c->n != d->n) return c->n < d->n ? -1 : 1;
  return memcmp(a->comms.items[x].bytes, a->comms.items[y].bytes, 24);
}

typedef struct numbered {
  const assembly_t *a;
  size_t number;
} numbered_t;

static int comm_ranks_order(const void *x, const void *y)
{
  const numbered_t *p = x, *q = y;
  return assemble_comms_order(p->a, p->number, q->number);
}

/* The pattern being made, and the final numbers of sites and communicators. */
typedef struct output {
  assembly_t *a;
  berth_pattern_t *pattern;
  names_t names;
} output_t;

static void mark_spent(output_t *o)
{
  const assembly_t *a = o->a;
  for (size_t i = 0; i < a->n_spent; i++) {
    const spent_t *x = &a->spent[i];
    if (x->comm) o->names.comm.of[x->comm] = 1;
    if (x->site && !o->names.site[x->site - 1]) o->names.site[x->site - 1] = SITE_OF_TIMES;
  }
}

/* Marks the sites and communicators in use. */
static void mark_used(output_t *o)
{
  assembly_t *a = o->a;
  for (size_t i = 0; i < a->n_sent; i++)
    if (a->sent[i].site) o->names.site[a->sent[i].site - 1] = SITE_USED;
  for (size_t i = 0; i < a->n_called; i++) {
    const called_t *k = &a->called[i];
    if (k->comm && !a->comm[k->comm - 1].ranks) continue;
    if (k->comm) o->names.comm.of[k->comm] = 1;
    if (k->site) o->names.site[k->site - 1] = SITE_USED;
  }
  rmas_mark_sites(a, o->names.site);
  packed_mark_sites(a, o->names.site);
  mark_spent(o);
  if (assembly_is_first(a)) rma_windows_mark_comms(a, o->names.comm.of); /* it knows all of them */
}

static int add_site(output_t *o, const intern_item_t *text, int id, berth_error_t *err)
{
  const char *frames[SPOOL_MAX_FRAMES], *end = text->bytes + text->n;
  berth_site_t site = {id, text->bytes, 0, frames};
  for (const char *s = text->bytes + strlen(text->bytes) + 1; s < end; s += strlen(s) + 1)
    frames[site.n_frames++] = s;
  return berth_pattern_add_site(o->pattern, &site, err);
}

static int add_comm(output_t *o, uint32_t number, int id, berth_error_t *err)
{
  const comm_entry_t *entry = &o->a->comm[number - 1];
  int *ranks = malloc((entry->n ? entry->n : 1) * sizeof *ranks);
  if (!ranks) return no_memory(err);
  for (uint32_t i = 0; i < entry->n; i++) ranks[i] = (int)entry->ranks[i];
  const berth_comm_t comm = {id, entry->n, ranks, load_comms_border(o->a, number)};
  int rc = berth_pattern_add_comm(o->pattern, &comm, err);
  free(ranks);
  return rc;
}

/* Replaces the marks of communicators by their positions, from 1. */
static int number_comms(output_t *o, berth_error_t *err)
{
  const assembly_t *a = o->a;
  uint32_t *number = o->names.comm.of;
  size_t n = 0;
  numbered_t *used = malloc((a->comms.n + 1) * sizeof *used);
  if (!used) return no_memory(err);
  for (size_t i = 0; i < a->comms.n; i++)
    if (number[i + 1]) used[n++] = (numbered_t){a, i};
  if (n) qsort(used, n, sizeof *used, comm_ranks_order);
  for (size_t i = 0; i < n; i++) number[used[i].number + 1] = (uint32_t)i + 1;
  free(used);
  return BERTH_OK;
}

static int mark_names(output_t *o, berth_error_t *err)
{
  const assembly_t *a = o->a;
  o->names.site = calloc(a->sites.n + 1, sizeof *o->names.site);
  if (!o->names.site || !load_numbers_set(&o->names.comm, (uint32_t)a->comms.n, 0))
    return no_memory(err);
  mark_used(o);
  return number_comms(o, err);
}

static int add_sites(output_t *o, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; !rc && i < o->names.n_sites; i++)
    rc = add_site(o, &o->a->sites.items[o->names.sorted[i]], (int)i + 1, err);
  return rc;
}

static int add_comms(output_t *o, berth_error_t *err)
{
  const assembly_t *a = o->a;
  int rc = BERTH_OK;
  for (uint32_t i = 0; !rc && i < a->comms.n; i++) {
    uint32_t number = numbers_get(&o->names.comm, i + 1);
    if (number) rc = add_comm(o, i + 1, (int)number, err);
  }
  return rc;
}

static int add_messages(output_t *o, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; !rc && i < o->a->n_sent; i++) {
    const sent_t *s = &o->a->sent[i];
    uint64_t repeats = phases_repeats(o->a, s->phase);
    const berth_message_t m = {(int)s->phase,     s->site ? (int)o->names.site[s->site - 1] : 0,
                               (int)s->src,       (int)s->dst,
                               s->size,           s->count / repeats,
                               s->bytes / repeats};
    rc = berth_pattern_add_message(o->pattern, &m, err);
    o->a->total.messages += s->count;
    o->a->total.bytes += s->bytes;
  }
  return rc;
}

static int add_ranks(output_t *o, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; !rc && i < o->a->n_ranks; i++) {
    const struct rank_entry *r = &o->a->rank[i];
    const berth_rank_info_t info = {
        o->a->hosts.items[r->host].bytes, r->pu, r->wall_s, r->mpi_s, r->unsure_s, r->core_wait_s};
    rc = berth_pattern_set_rank(o->pattern, (int)r->rank, &info, err);
  }
  return rc;
}

static int add_origin(output_t *o, berth_error_t *err)
{
  spool_header_t *h = &o->a->first;
  const char *words[sizeof h->command];
  size_t n = 0;
  for (char *s = h->command; s < h->command + h->command_bytes; s += strlen(s) + 1) {
    text_clean(s);
    words[n++] = s;
  }
  char created[32] = "";
  struct tm utc;
  time_t seconds_since_1970 = (time_t)h->created;
  if (!h->no_times && gmtime_r(&seconds_since_1970, &utc) && utc.tm_year < 8100)
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
  text_clean(h->mpi);
  int rc = berth_pattern_set_command(o->pattern, n, words, err);
  return rc ? rc : berth_pattern_set_origin(o->pattern, h->mpi, created, err);
}

void assembly_fill_stats(const assembly_t *a, const berth_pattern_t *made, assembly_stats_t *stats)
{
  *stats = (assembly_stats_t){.job = a->job, .ranks = (int)a->ranks, .total = a->total};
  phases_note(a, stats->phases_note, sizeof stats->phases_note);
  snprintf(stats->auto_note, sizeof stats->auto_note, "%s", a->auto_note);
  orders_note(a, stats->orders_note, sizeof stats->orders_note);
  unmodelled_note(made, stats->unmodelled_note, sizeof stats->unmodelled_note);
}

static bool has_parameter(const berth_pattern_t *p, const char *name)
{
  size_t n, i = 0;
  const berth_parameter_t *all = berth_pattern_parameters(p, &n);
  while (i < n && strcmp(all[i].name, name) != 0) i++;
  return i < n;
}

/* A parameter's three texts. Of variables with one name the first counts, as for getenv. */
static int add_parameter(output_t *o, const intern_item_t *item, berth_error_t *err)
{
  char *copy = malloc(item->n);
  if (!copy) return no_memory(err);
  memcpy(copy, item->bytes, item->n);
  char *value = copy + strlen(copy) + 1, *text = value + strlen(value) + 1;
  bool has_text = text < copy + item->n;
  text_clean(copy);
  text_clean(value);
  if (has_text) text_clean_lines(text);
  const berth_parameter_t parameter = {copy, value, has_text ? text : NULL};
  int rc = has_parameter(o->pattern, copy)
               ? BERTH_OK
               : berth_pattern_add_parameter(o->pattern, &parameter, err);
  free(copy);
  return rc;
}

static int add_parameters(output_t *o, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < o->a->parameters.n && !rc; i++)
    rc = add_parameter(o, &o->a->parameters.items[i], err);
  return rc;
}

/* A grid that isn't one of all ranks was damaged. */
static int add_grid(output_t *o, const intern_item_t *item, berth_error_t *err)
{
  spool_grid_t made;
  berth_grid_t grid = {0};
  berth_error_t why = {0};
  memcpy(&made, item->bytes, sizeof made);
  if (made.n_dims > BERTH_GRID_DIMS) return BERTH_OK;
  for (uint32_t d = 0; d < made.n_dims; d++) {
    grid.dims[grid.n_dims] = made.dims[d] > BERTH_MAX_RANKS ? 0 : (int)made.dims[d];
    grid.periodic[grid.n_dims++] = (int)(made.periodic >> d & 1);
  }
  int rc = berth_pattern_add_grid(o->pattern, &grid, &why);
  return rc == BERTH_MISSING ? no_memory(err) : BERTH_OK;
}

static int add_grids(output_t *o, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < o->a->grids.n && !rc; i++) rc = add_grid(o, &o->a->grids.items[i], err);
  return rc;
}

/* Adds everything that belongs to no rank. */
static int fill_head(output_t *o, berth_error_t *err)
{
  int rc = add_origin(o, err);
  if (!rc) rc = add_parameters(o, err);
  if (!rc) rc = add_grids(o, err);
  if (!rc) rc = phases_add(o->a, o->pattern, err);
  if (!rc) rc = add_sites(o, err);
  if (!rc) rc = add_comms(o, err);
  if (!rc) rc = calls_add(o->a, o->pattern, &o->names, err);
  if (!rc) rc = unmodelled_add(o->a, o->pattern, err);
  if (!rc) rc = spent_add(o->a, o->pattern, &o->names, err);
  return rc;
}

static int fill(output_t *o, berth_error_t *err)
{
  assembly_t *a = o->a;
  size_t kept;
  o->pattern = berth_pattern_new((int)a->ranks, err);
  int rc = o->pattern ? BERTH_OK : BERTH_MISSING;
  a->total.messages = a->total.bytes = a->total.calls = a->total.unknown_calls = 0;
  a->total.rows_lost = a->total.rows_undivided = 0;
  if (!rc && assembly_is_first(a)) rc = fill_head(o, err);
  if (!rc) rc = add_ranks(o, err);
  if (!rc) rc = add_messages(o, err);
  if (!rc) rc = orders_add(a, o->pattern, &o->names, err);
  if (!rc) rc = rmas_add(a, o->pattern, &o->names, err);
  if (!rc) rc = rows_add(a, o->pattern, &o->names, err);
  if (!rc) rc = packed_add(a, o->pattern, &o->names, err);
  if (!rc) rc = berth_pattern_finish(o->pattern, err);
  if (rc) return rc;
  berth_pattern_orders(o->pattern, &kept);
  a->total.orders = a->n_sequences;
  a->total.orders_kept = kept;
  return BERTH_OK;
}

int assembly_make(assembly_t *a, berth_pattern_t **out, int rc, berth_error_t *err)
{
  output_t o = {.a = a};
  rc = segments_settle(a, rc, err);
  if (!rc) rc = calls_merge(a, err);
  if (!rc) spent_merge(a);
  rc = phases_settle(a, rc, err);
  if (!rc) spent_settle(a);
  if (!rc) rc = mark_names(&o, err);
  rc = team_names(a, &o.names, rc, err);
  if (!rc) rc = fill(&o, err);
  free(o.names.site);
  free(o.names.window);
  free(o.names.sorted);
  free(o.names.comm.of);
  if (rc) berth_pattern_free(o.pattern);
  if (!rc) *out = o.pattern;
  return rc;
}

int assembly_finish(assembly_t *a, berth_pattern_t **out, assembly_stats_t *stats,
                    berth_error_t *err)
{
  if (a->n_ranks == 0) return berth_fail(err, BERTH_MISSING, "found no rank's table");
  int rc = assembly_make(a, out, BERTH_OK, err);
  if (!rc && stats) assembly_fill_stats(a, *out, stats);
  return rc;
}
