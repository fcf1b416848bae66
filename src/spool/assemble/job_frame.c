/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the frames of a job's pattern file, by all ranks together. */
#include "spool/assemble/job_frame.h"

#include <stdio.h>
#include <stdlib.h>

#include "pattern/pattern_frame.h"
#include "spool/assemble/assemble_team.h"
#include "team/team.h"
#include "team/team_facts.h"

/* A growing text. */
typedef struct text {
  char *bytes;
  size_t n;
} text_t;

/* Writes this rank's lines. The first member writes the lines of no rank before them. */
static int write_lines(assembly_t *a, const berth_pattern_t *p, text_t *text, berth_error_t *err)
{
  out_file_t *out = out_open_memory(&text->bytes, &text->n, err);
  if (!out) return BERTH_MISSING;
  a->total.records = 0;
  a->total.items = pattern_items(p);
  if (assembly_is_first(a)) pattern_put_head(p, out, &a->total.records);
  int rc = pattern_put_rank(p, a->team->rank, out, &a->total.records, err);
  if (!rc) return out_commit(out, err);
  out_abort(out);
  return rc;
}

/* Receives a rank's bytes and, unless rc is a failure, appends them to `out`. */
static int take_from(const berth_team_t *team, int from, out_file_t *out, int rc,
                     berth_error_t *err)
{
  unsigned char *bytes;
  size_t n;
  berth_error_t theirs = {0};
  int failed = team_receive(team, from, &bytes, &n, &theirs);
  if (!rc && failed) rc = berth_fail(err, failed, "%s", theirs.text);
  if (!rc && n) out_write(out, bytes, n);
  free(bytes);
  return rc;
}

/* Collects the text of a group at its first rank. All ranks send, even if the first one failed. */
static int join_group(const assembly_t *a, const text_t *own, int group, text_t *all, int rc,
                      berth_error_t *err)
{
  const berth_team_t *team = a->team;
  if (team->rank % group)
    return team_send(team, team->rank / group * group, own->bytes, own->n, rc, err);
  out_file_t *out = rc ? NULL : out_open_memory(&all->bytes, &all->n, err);
  if (!rc && !out) rc = BERTH_MISSING;
  if (!rc) out_write(out, own->bytes, own->n);
  for (int i = 1; i < group && i < team->size - team->rank; i++)
    rc = take_from(team, team->rank + i, out, rc, err);
  if (!rc && group >= team->size - team->rank) pattern_put_end(out, a->total.records);
  if (!rc) return out_commit(out, err);
  out_abort(out);
  return rc;
}

/* Makes a frame of the group's text. */
static int make_frame(const assembly_t *a, text_t *all, bool packed, job_frame_t *frame,
                      berth_error_t *err)
{
  if (!all->bytes) return BERTH_OK;
  if (packed)
    return pattern_pack(all->bytes, all->n, a->total.items, &frame->bytes, &frame->n, err);
  frame->bytes = all->bytes;
  frame->n = all->n;
  all->bytes = NULL;
  return BERTH_OK;
}

static int write_part(assembly_t *a, const berth_pattern_t *p, bool packed, job_frame_t *frame,
                      int rc, berth_error_t *err)
{
  text_t own = {0}, all = {0};
  if (!rc) rc = write_lines(a, p, &own, err);
  rc = team_totals(a, rc, err);
  rc = facts_status(a->team, rc, err); /* the groups depend on totals that all must know */
  if (!rc) {
    frame->group = pattern_group(a->team->size, a->total.items);
    rc = join_group(a, &own, frame->group, &all, rc, err);
    if (!rc) rc = make_frame(a, &all, packed, frame, err);
    rc = facts_status(a->team, rc, err);
  }
  free(own.bytes);
  free(all.bytes);
  return rc;
}

static void free_frame(job_frame_t *frame)
{
  free(frame->bytes);
  frame->bytes = NULL;
}

static int make(const berth_team_t *team, const void *image, size_t size, bool packed,
                job_frame_t *frame, assembly_stats_t *stats, berth_error_t *err)
{
  berth_pattern_t *p = NULL;
  char name[32];
  assembly_t a = {.team = team, .ranks = (uint32_t)team->size};
  int rc = BERTH_OK;
  *frame = (job_frame_t){0};
  snprintf(name, sizeof name, "rank %d", team->rank);
  if (image) rc = assembly_add(&a, name, image, size, err);
  rc = assembly_make(&a, &p, rc, err);
  rc = write_part(&a, p, packed, frame, rc, err);
  if (!rc && assembly_is_first(&a)) assembly_fill_stats(&a, p, stats);
  if (rc) free_frame(frame);
  berth_pattern_free(p);
  assembly_clear(&a);
  return rc;
}

/* Ranks send their frame when they are asked, so that only one is in transit. */
static int collect(const berth_team_t *team, const job_frame_t *frame, out_file_t *out,
                   berth_error_t *err)
{
  int rc = BERTH_OK;
  char go = 1;
  if (team->rank && !frame->bytes) return rc;
  if (team->rank && team->receive(team->context, 0, &go, 1)) return BERTH_MISSING;
  if (team->rank) return team_send(team, 0, frame->bytes, frame->n, rc, err);
  out_write(out, frame->bytes, frame->n);
  for (int from = frame->group; from < team->size; from += frame->group) {
    if (team->send(team->context, from, &go, 1) == 0)
      rc = take_from(team, from, out, rc, err);
    else if (!rc)
      rc = berth_fail(err, BERTH_MISSING, "rank %d: cannot be asked for its part of the trace",
                      from);
  }
  return rc;
}

const frame_library_t *frame_library(void)
{
  static const frame_library_t library = {
      make,         free_frame,    collect,    losses_say_stats, out_choose_names,
      out_open_raw, out_temporary, out_rewind, out_commit,       out_abort};
  return &library;
}
