/* SPDX-License-Identifier: BSD-3-Clause */
/* Says what became of each call site, which grids the ranks have, and what was assumed. */
#include "scale/scale_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/field.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "scale/scale_words.h"

enum { MOST_OTHERS = 8 };

/* --- parts --- */

static bool grows(const scale_law_t *law)
{
  char name[SCALE_LAW_NAME];
  return strcmp(scale_law_name(law, name), "the same") != 0;
}

/* Whether two sizes show growth, which any law with a factor fits. */
static bool is_from_two(const scale_job_t *job, const scale_unit_t *u, const scale_found_t *f)
{
  bool grown = false;
  if (job->n != 2) return false;
  for (int k = 0; u->kind == SCALE_CALLS && k < f->calls.rule.n; k++)
    grown |= grows(&f->calls.rule.bytes[k]) || grows(&f->calls.rule.count[k]);
  for (int k = 0; u->kind != SCALE_CALLS && k < f->messages.n; k++)
    grown |= grows(&f->messages.rules[k].bytes) || grows(&f->messages.rules[k].messages);
  return grown;
}

/* Whether steps are in dimensions of at most two ranks in all traces, but more here. There
 * neighbours look like ranks that differ in a bit, and edges can't be told. A grid that the program
 * made is sure. */
static bool is_flat(const scale_job_t *job, const scale_families_t *families, const scale_unit_t *u,
                    const scale_found_t *f)
{
  const scale_family_t *family = &families->family[scale_family_of(u, f)];
  unsigned flat = 0;
  for (int d = 0; d < family->made.n; d++)
    if (scale_most_ranks(job, family, d) <= 2 && family->made.dims[d] > 2) flat |= 1u << d;
  bool found = false;
  for (int k = 0; u->kind != SCALE_CALLS && !family->recorded && k < f->messages.n; k++)
    found |= f->messages.rules[k].relation.kind == SCALE_STEP &&
             (f->messages.rules[k].relation.dims & flat);
  return found;
}

static const char *unsure(const scale_job_t *job, const scale_families_t *families,
                          const scale_unit_t *u, const scale_found_t *f)
{
  if (scale_why_not(u, f)) return "";
  if (is_flat(job, families, u, f))
    return "with two ranks in a dimension, all relations look alike";
  return is_from_two(job, u, f) ? "two traces don't show by which law it grows" : "";
}

static bool words(const scale_families_t *families, const scale_unit_t *u, const scale_found_t *f,
                  berth_scaled_t *s, berth_scale_part_t *part)
{
  bool calls = u->kind == SCALE_CALLS;
  const char *why = scale_why_not(u, f);
  const grid_t *grid = &families->family[scale_family_of(u, f)].made;
  part->kept = why == NULL;
  if (why) {
    part->what = why;
    part->bytes = "";
  } else if (calls) {
    part->what = scale_words_callers(&s->arena, &f->calls.rule, grid);
    part->bytes = scale_words_calls(&s->arena, &f->calls.rule);
    part->error = f->calls.error;
  } else {
    part->what = scale_words_pairs(&s->arena, u, &f->messages, grid);
    part->bytes = scale_words_amounts(&s->arena, &f->messages);
    part->error = f->messages.error;
  }
  return part->what && part->bytes;
}

ORDER_BY(part_order, berth_scale_part_t, FALLING(share) RISING_TEXT(op))

static int add_parts(scale_job_t *job, const scale_families_t *families, const scale_found_t *found,
                     berth_scaled_t *s, berth_error_t *err)
{
  s->parts = arena_alloc(&s->arena, (job->n_units + 1) * sizeof *s->parts);
  if (!s->parts) return no_memory(err);
  for (size_t i = 0; i < job->n_units; i++) {
    const scale_unit_t *u = &job->units[i];
    const scale_site_t *site = &job->sites[u->site];
    berth_scale_part_t part = {.op = arena_strdup(&s->arena, scale_unit_op(job, u)),
                               .n_frames = site->n_frames,
                               .phase = arena_strdup(&s->arena, job->phases[u->phase].name),
                               .share = u->share,
                               .messages = job->messages > 0 ? u->messages / job->messages : 0};
    part.frames = arena_strings(&s->arena, site->n_frames, site->frames);
    if (!words(families, u, &found[i], s, &part) || !part.op || !part.phase ||
        (site->n_frames && !part.frames))
      return no_memory(err);
    double explained = u->kind == SCALE_CALLS ? 1 : found[i].messages.last;
    if (part.kept) s->kept += part.share * explained;
    if (part.kept) s->kept_messages += part.messages * explained;
    part.unsure = unsure(job, families, u, &found[i]);
    if (*part.unsure) s->unsure += part.share * explained;
    s->parts[s->n_parts++] = part;
  }
  qsort(s->parts, s->n_parts, sizeof *s->parts, part_order);
  return BERTH_OK;
}

/* --- notes --- */

static int note(berth_scaled_t *s, berth_error_t *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int note(berth_scaled_t *s, berth_error_t *err, const char *format, ...)
{
  FIELD_ARGUMENTS(text, 512, format);
  const char *kept = arena_strdup(&s->arena, text);
  return kept && ARRAY_ADD(&s->notes, &s->n_notes, &s->cap_notes, kept) ? BERTH_OK : no_memory(err);
}

/* In a dimension of two ranks both neighbours are the same one, so much can't be told. */
static int note_flat(const scale_job_t *job, const scale_family_t *f, berth_scaled_t *s,
                     berth_error_t *err)
{
  const grid_t *last = &f->traced[job->n - 1];
  bool flat = false;
  if (f->recorded) return BERTH_OK;
  for (int d = 0; d < last->n; d++) flat |= last->dims[d] <= 2 && f->made.dims[d] > 2;
  if (!flat) return BERTH_OK;
  return note(s, err,
              "some dimensions of the grid have at most two ranks in all traces, but more here: "
              "check the grid and whether its edges are neighbours, or trace more ranks");
}

/* --- grids --- */

static bool depends_on_grid(const scale_unit_t *u, const scale_found_t *f, const grid_t *grid)
{
  if (scale_why_not(u, f)) return false;
  unsigned dims = f->calls.rule.dims;
  return u->kind != SCALE_CALLS || (dims && dims + 1 != 1u << grid->n);
}

/* The grid of most bytes that depend on one; false: none does. */
static bool main_family(const scale_job_t *job, const scale_families_t *families,
                        const scale_found_t *found, size_t *family)
{
  double most = -1;
  for (size_t i = 0; i < job->n_units; i++) {
    const scale_unit_t *u = &job->units[i];
    size_t f = scale_family_of(u, &found[i]);
    if (!depends_on_grid(u, &found[i], &families->family[f].made) || u->share <= most) continue;
    most = u->share;
    *family = f;
  }
  return most >= 0 && families->family[*family].made.n > 1;
}

/* Numbers of ranks that divide badly, such as a prime. */
static int note_thin(const scale_job_t *job, const scale_family_t *f, berth_scaled_t *s,
                     berth_error_t *err)
{
  bool thin = false;
  for (int d = 0; d < f->made.n; d++)
    thin |= f->made.dims[d] == 1 && f->traced[job->n - 1].dims[d] > 1;
  if (!thin || job->options.n_grid) return BERTH_OK;
  return note(s, err,
              "%d ranks leave one rank in a dimension of the grid that has more in the "
              "traces: another number of ranks may divide better",
              job->options.ranks);
}

static berth_scale_grid_t shown(const grid_t *grid, int ranks)
{
  berth_scale_grid_t g = {.ranks = ranks, .n_dims = grid->n};
  for (int d = 0; d < grid->n; d++) g.dims[d] = grid->dims[d];
  return g;
}

/* The pattern has the program's own grid, too. */
static int add_own(const scale_family_t *f, berth_pattern_t *p, berth_error_t *err)
{
  berth_grid_t grid = {.n_dims = f->made.n};
  if (!f->recorded) return BERTH_OK;
  for (int d = 0; d < f->made.n; d++) {
    grid.dims[d] = f->made.dims[d];
    grid.periodic[d] = (int)(f->recorded->periodic >> d & 1);
  }
  return berth_pattern_add_grid(p, &grid, err);
}

static int add_grids(scale_job_t *job, const scale_families_t *families, const scale_found_t *found,
                     berth_scaled_t *s, berth_error_t *err)
{
  size_t family = 0;
  s->rule = "";
  if (!main_family(job, families, found, &family)) return BERTH_OK;
  const scale_family_t *f = &families->family[family];
  s->recorded = f->recorded != NULL;
  s->rule = arena_strdup(&s->arena, job->options.n_grid ? "as given" : f->rule);
  s->grids = arena_alloc(&s->arena, (job->n + 1) * sizeof *s->grids);
  s->others = arena_alloc(&s->arena, MOST_OTHERS * sizeof *s->others);
  if (!s->rule || !s->grids || !s->others) return no_memory(err);
  for (size_t t = 0; t < job->n; t++) s->grids[s->n_grids++] = shown(&f->traced[t], job->ranks[t]);
  s->grids[s->n_grids++] = shown(&f->made, job->options.ranks);
  if (note_flat(job, f, s, err) || note_thin(job, f, s, err) || add_own(f, s->pattern, err))
    return err->code;
  for (size_t i = 0; i < families->n_others && s->n_others < MOST_OTHERS; i++)
    if (families->like[i] == family)
      s->others[s->n_others++] = shown(&families->others[i].made, job->options.ranks);
  return BERTH_OK;
}

/* --- phases, and what is left out of all --- */

static int note_repeats(const scale_job_t *job, size_t p, const scale_repeats_t *r,
                        berth_scaled_t *s, berth_error_t *err)
{
  const scale_place_t place = scale_place_of(job->options.ranks);
  double least = job->phases[p].repeats[0], most = least;
  for (size_t t = 1; t < job->n; t++) {
    double here = job->phases[p].repeats[t];
    if (here < least) least = here;
    if (here > most) most = here;
  }
  if (least == most) return BERTH_OK;
  return note(s, err, "phase \"%s\" occurs %.0f to %.0f times in the traces, %.0f times here%s",
              job->phases[p].name, least, most, scale_law_at(&r->law, &place),
              r->sure ? "" : ": its number follows no law");
}

/* A grid that the program made, and that wasn't taken: as "4 x 2"; "": there is none. */
static void name_own(const scale_job_t *job, char text[80])
{
  size_t n = 0;
  const grid_t *last = job->n_recorded ? &job->recorded[0].traced[job->n - 1] : NULL;
  text[0] = '\0';
  for (int d = 0; last && last->n > 1 && d < last->n; d++)
    n += (size_t)snprintf(text + n, 80 - n, "%s%d", d ? " x " : "", last->dims[d]);
}

/* Whether a rule gives such grids, or the user gave the pattern's. */
static bool has_rule(const scale_job_t *job, const scale_families_t *families)
{
  bool found = false;
  for (size_t f = 0; f < families->n; f++)
    found |= families->family[f].recorded == &job->recorded[0];
  return found;
}

#define NO_RULE                                                                                    \
  "the program made a grid of %s ranks itself (MPI_Cart_create), which no known rule gives: say "  \
  "the grid of %d ranks (`grid`)"

static int note_own(const scale_job_t *job, const scale_families_t *families, berth_scaled_t *s,
                    berth_error_t *err)
{
  char text[80];
  name_own(job, text);
  if (!*text || s->recorded) return BERTH_OK;
  if (!has_rule(job, families)) return note(s, err, NO_RULE, text, job->options.ranks);
  return note(s, err,
              "the program made a grid of %s ranks itself (MPI_Cart_create), but its "
              "messages follow another structure better",
              text);
}

/* What was run, without the folder and the arguments; of berth's own patterns with their kind. */
static void name_program(const berth_pattern_t *p, char text[80])
{
  size_t n, used = 0;
  const char *const *command = berth_pattern_command(p, &n);
  const char *slash = n ? strrchr(command[0], '/') : NULL;
  size_t words = n && strcmp(command[0], "berth") == 0 ? 4 : 1;
  text[0] = '\0';
  for (size_t i = 0; i < n && i < words && used < 79; i++) {
    int length = snprintf(text + used, 80 - used, "%s%.60s", i ? " " : "",
                          i || !slash ? command[i] : slash + 1);
    used += length > 0 ? (size_t)length : 0;
  }
}

/* Traces of different programs, or with different MPIs: names may have their sizes in them, so it
 * isn't refused. */
static int note_origins(const scale_job_t *job, berth_scaled_t *s, berth_error_t *err)
{
  char first[80], other[80];
  const char *mpi = berth_pattern_mpi(job->trace[0]);
  int rc = BERTH_OK;
  bool programs = false, mpis = false;
  name_program(job->trace[0], first);
  for (size_t t = 1; t < job->n && !rc; t++) {
    name_program(job->trace[t], other);
    if (!programs && strcmp(first, other) != 0) {
      programs = true;
      rc = note(s, err, "the traces are of different commands, %s and %s: expected one program",
                first, other);
    }
    const char *with = berth_pattern_mpi(job->trace[t]);
    if (!rc && !mpis && strcmp(mpi, with) != 0) {
      mpis = true;
      rc = note(s, err,
                "the traces are of different MPIs, %.40s and %.40s: call sites and what they "
                "send may differ",
                *mpi ? mpi : "unknown", *with ? with : "unknown");
    }
  }
  return rc;
}

static int add_notes(const scale_job_t *job, const scale_families_t *families,
                     const scale_repeats_t *repeats, berth_scaled_t *s, berth_error_t *err)
{
  int rc = BERTH_OK;
  bool orders = false;
  size_t n;
  rc = note_origins(job, s, err);
  if (!rc && job->merged) rc = note(s, err, "the traces' phases differ: they are one phase here");
  for (size_t p = 0; p < job->n_phases && !rc; p++) rc = note_repeats(job, p, &repeats[p], s, err);
  for (size_t t = 0; t < job->n; t++) {
    berth_pattern_orders(job->trace[t], &n);
    orders |= n > 0;
  }
  if (!rc) rc = note_own(job, families, s, err);
  if (orders && !rc)
    rc = note(s, err, "the order of sends isn't generalised: estimates take it as unknown");
  berth_pattern_unmodelled(job->trace[job->n - 1], &n);
  if (n && !rc) rc = note(s, err, "calls of which the traces have only the number are left out");
  return rc;
}

int scale_report(scale_job_t *job, const scale_families_t *families, const scale_found_t *found,
                 const scale_repeats_t *repeats, berth_scaled_t *s, berth_error_t *err)
{
  int rc = add_parts(job, families, found, s, err);
  if (!rc) rc = add_grids(job, families, found, s, err);
  if (!rc) rc = add_notes(job, families, repeats, s, err);
  bool any = job->n_units == 0;
  for (size_t i = 0; i < s->n_parts; i++) any |= s->parts[i].kept;
  if (rc || any) return rc;
  char own[80], first[80], last[80];
  name_program(job->trace[0], first);
  name_program(job->trace[job->n - 1], last);
  if (strcmp(first, last) != 0)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "found traces of %s and %s, of which nothing can be generalised together: "
                      "expected traces of one program",
                      first, last);
  name_own(job, own);
  if (*own && !has_rule(job, families))
    return berth_fail(err, BERTH_BAD_INPUT, NO_RULE, own, job->options.ranks);
  return berth_fail(err, BERTH_BAD_INPUT,
                    "nothing of the traces can be generalised: %s (%s, %.1f%% of the bytes)",
                    s->parts[0].what,
                    *s->parts[0].op ? s->parts[0].op : "messages of an unknown call site",
                    100 * s->parts[0].share);
}

/* --- reading --- */

void berth_scaled_free(berth_scaled_t *s)
{
  if (!s) return;
  berth_pattern_free(s->pattern);
  free(s->notes);
  arena_free(&s->arena);
  free(s);
}

const berth_pattern_t *berth_scaled_pattern(const berth_scaled_t *s) { return s->pattern; }

berth_pattern_t *berth_scaled_take(berth_scaled_t *s)
{
  berth_pattern_t *p = s->pattern;
  s->pattern = NULL;
  return p;
}

const berth_scale_part_t *berth_scaled_parts(const berth_scaled_t *s, size_t *n)
{
  *n = s->n_parts;
  return s->parts;
}

const berth_scale_grid_t *berth_scaled_grids(const berth_scaled_t *s, size_t *n)
{
  *n = s->n_grids;
  return s->grids;
}

const berth_scale_grid_t *berth_scaled_other_grids(const berth_scaled_t *s, size_t *n)
{
  *n = s->n_others;
  return s->others;
}

const char *const *berth_scaled_notes(const berth_scaled_t *s, size_t *n)
{
  *n = s->n_notes;
  return s->notes;
}

const char *berth_scaled_rule(const berth_scaled_t *s) { return s->rule; }
int berth_scaled_grid_recorded(const berth_scaled_t *s) { return s->recorded; }
double berth_scaled_kept(const berth_scaled_t *s) { return s->kept; }
double berth_scaled_kept_messages(const berth_scaled_t *s) { return s->kept_messages; }
double berth_scaled_unsure(const berth_scaled_t *s) { return s->unsure; }
