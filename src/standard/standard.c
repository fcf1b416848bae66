/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a standard pattern: looks at what was asked for, and has its maker add the messages. */
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "standard/standard_internal.h"

/* --- what was asked for --- */

static int not_taken(const berth_standard_t *s, const char *field, unsigned what, bool given,
                     berth_error_t *err)
{
  if (!given || (s->takes & what)) return BERTH_OK;
  return berth_fail(err, BERTH_USAGE, "%s: found %s, which it doesn't take", s->name, field);
}

static int check_taken(const berth_standard_t *s, const berth_standard_options_t *o,
                       berth_error_t *err)
{
  int rc = not_taken(s, "a block", BERTH_STANDARD_BLOCK, o->n_block > 0, err);
  if (!rc) rc = not_taken(s, "bytes of a point", BERTH_STANDARD_BLOCK, o->element > 0, err);
  if (!rc) rc = not_taken(s, "bytes of a message", BERTH_STANDARD_MESSAGE, o->message > 0, err);
  if (!rc) rc = not_taken(s, "periodic edges", BERTH_STANDARD_PERIODIC, o->periodic, err);
  if (!rc) rc = not_taken(s, "corners", BERTH_STANDARD_CORNERS, o->corners, err);
  if (rc) return rc;
  if (o->n_grid && o->n_grid != s->n_dims)
    return berth_fail(err, BERTH_USAGE, "%s: found a grid of %d dimensions, expected %d", s->name,
                      o->n_grid, s->n_dims);
  if (o->n_block && o->n_block != s->block_dims)
    return berth_fail(err, BERTH_USAGE, "%s: found a block of %d dimensions, expected %d", s->name,
                      o->n_block, s->block_dims);
  if (!o->ranks && !o->n_grid)
    return berth_fail(err, BERTH_USAGE, "%s: expected the number of ranks%s", s->name,
                      s->n_dims ? ", or a grid" : "");
  return BERTH_OK;
}

static int set_grid(const berth_standard_t *s, const berth_standard_options_t *o,
                    standard_job_t *job, berth_error_t *err)
{
  int ranks;
  job->ranks = o->ranks;
  job->grid.n = o->n_grid;
  job->periodic = o->periodic ? (1u << s->n_dims) - 1 : 0;
  for (int d = 0; d < o->n_grid; d++) job->grid.dims[d] = o->grid[d];
  if (grid_check(&job->grid, BERTH_MAX_RANKS, &ranks, err)) return err->code;
  job->grid.n = s->n_dims;
  if (o->n_grid && !o->ranks) job->ranks = ranks;
  if (job->ranks < 1 || job->ranks > BERTH_MAX_RANKS)
    return berth_fail(err, BERTH_BAD_INPUT, "found %d ranks, expected 1 to %d", job->ranks,
                      BERTH_MAX_RANKS);
  if (o->n_grid && job->ranks != ranks)
    return berth_fail(err, BERTH_BAD_INPUT, "found a grid of %d ranks, expected %d", ranks,
                      job->ranks);
  if (!o->n_grid) grid_divide(&job->grid, job->ranks);
  return BERTH_OK;
}

static uint64_t or_default(uint64_t given, uint64_t usual) { return given ? given : usual; }

/* A rank's block or message, in all steps, must be an amount that patterns can have. */
static int set_amounts(const berth_standard_t *s, const berth_standard_options_t *o,
                       standard_job_t *job, berth_error_t *err)
{
  job->element = or_default(o->element, s->element);
  job->message = or_default(o->message, s->message);
  job->corners = o->corners != 0;
  double bytes = (double)(job->message ? job->message : job->element);
  for (int d = 0; d < s->block_dims; d++) {
    job->block[d] = or_default(d < o->n_block ? o->block[d] : 0, s->block);
    bytes *= (double)job->block[d];
  }
  bytes *= (double)or_default(o->steps, 1);
  if (bytes <= (double)BERTH_MAX_AMOUNT) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found %.3g bytes of a rank in all steps, expected at most 2^53", s->name,
                    bytes);
}

/* --- additions --- */

int standard_site(standard_job_t *job, const char *op, const char *frame, berth_error_t *err)
{
  const berth_site_t site = {.id = job->sites + 1, .op = op, .n_frames = 1, .frames = &frame};
  return berth_pattern_add_site(job->pattern, &site, err) ? 0 : ++job->sites;
}

int standard_send(standard_job_t *job, int site, int src, int dst, uint64_t size,
                  berth_error_t *err)
{
  if (src == dst || size == 0) return BERTH_OK;
  const berth_message_t m = {
      .site = site, .src = src, .dst = dst, .size = size, .count = 1, .bytes = size};
  return berth_pattern_add_message(job->pattern, &m, err);
}

int standard_call(standard_job_t *job, const char *op, const char *frame, int comm, uint64_t bytes,
                  berth_error_t *err)
{
  const berth_coll_t call = {.site = standard_site(job, op, frame, err),
                             .comm = comm,
                             .op = op,
                             .bytes = bytes,
                             .count = 1,
                             .root = -1,
                             .element = job->element ? job->element : 8};
  return call.site ? berth_pattern_add_coll(job->pattern, &call, err) : err->code;
}

/* --- the pattern --- */

static int fill(const berth_standard_t *s, uint64_t steps, standard_job_t *job, berth_error_t *err)
{
  char name[128];
  size_t n = (size_t)snprintf(name, sizeof name, "%s", s->name);
  for (int d = 0; d < job->grid.n; d++)
    n += (size_t)snprintf(name + n, sizeof name - n, d ? "x%d" : " on %d", job->grid.dims[d]);
  const berth_phase_t phase = {.name = name, .repeats = or_default(steps, 1)};
  int rc = berth_pattern_add_phase(job->pattern, &phase, err);
  if (!rc) rc = standard_maker(s)->make(job, err);
  return rc ? rc : berth_pattern_finish(job->pattern, err);
}

/* The most messages that a rank sends, besides those of collective calls. */
static int partners(const berth_standard_t *s, const standard_job_t *job)
{
  int bits = 0, cube = 1;
  while (job->ranks >> bits) bits++;
  for (int d = 0; d < s->n_dims; d++) cube *= 3;
  switch (standard_maker(s)->partners) {
  case STANDARD_NONE:
    return 0;
  case STANDARD_TWO:
    return 2;
  case STANDARD_BITS:
    return bits;
  default:
    return job->corners ? cube - 1 : 2 * s->n_dims;
  }
}

/* Whether the messages fit into what a pattern may take: they are in a list. */
static int check_memory(const berth_standard_t *s, const standard_job_t *job, berth_error_t *err)
{
  double bytes = partners(s, job) * (double)job->ranks * (double)sizeof(berth_message_t);
  return budget_allows(bytes, s->name, err);
}

berth_pattern_t *berth_standard_pattern(const berth_standard_t *standard,
                                        const berth_standard_options_t *options, berth_error_t *err)
{
  berth_error_t unused;
  berth_standard_options_t o = {0};
  standard_job_t job = {0};
  if (!err) err = &unused;
  memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
  int rc = check_taken(standard, &o, err);
  if (!rc) rc = set_grid(standard, &o, &job, err);
  if (!rc) rc = set_amounts(standard, &o, &job, err);
  if (!rc) rc = check_memory(standard, &job, err);
  if (rc || !(job.pattern = berth_pattern_new(job.ranks, err))) return NULL;
  if (!fill(standard, o.steps, &job, err)) return job.pattern;
  berth_pattern_free(job.pattern);
  return NULL;
}
