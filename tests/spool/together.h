/* SPDX-License-Identifier: BSD-3-Clause */
/* What a team, whose members have a table each or none, makes of tables has to be what one process
 * makes of them. */
#ifndef BERTH_TESTS_SPOOL_TOGETHER_H
#define BERTH_TESTS_SPOOL_TOGETHER_H

#include "image.h"
#include "spool/assemble/assemble_order.h"
#include "spool/assemble/assemble_phase.h"
#include "spool/assemble/assemble_unmodelled.h"
#include "spool/assemble/job_frame.h"
#include "team/members.h"

typedef struct together {
  const image_t *image; /* NULL: this member has no table */
  bool packed;
  job_frame_t frame;
  assembly_stats_t stats;
  int rc;
  berth_error_t err;
  size_t largest; /* bytes that the member received at once, if the test wants to know */
} together_t;

static inline void run_together(member_t *m)
{
  together_t *t = m->context;
  t->rc = frame_library()->make(&m->team, t->image ? t->image->bytes : NULL,
                                t->image ? t->image->size : 0, t->packed, &t->frame, &t->stats,
                                &t->err);
}

/* A file's bytes, which are the caller's to free. */
static inline char *file_bytes(const char *path, size_t *n)
{
  char *bytes = malloc(1 << 22);
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  *n = fread(bytes, 1, 1 << 22, f);
  fclose(f);
  return bytes;
}

static inline void same_stats(const assembly_stats_t *s, const assembly_stats_t *t)
{
#define SAME(field) assert_int_equal(s->field, t->field)
  SAME(job), SAME(ranks), SAME(total.found), SAME(total.finished), SAME(total.aborted);
  SAME(total.messages), SAME(total.bytes), SAME(total.calls), SAME(total.unknown_calls);
  SAME(total.impossible), SAME(total.coarse), SAME(total.coarse_bytes);
  SAME(total.rows_lost), SAME(total.rows_undivided);
#undef SAME
  assert_memory_equal(&s->total.missed, &t->total.missed, sizeof s->total.missed);
  assert_string_equal(s->phases_note, t->phases_note);
  assert_string_equal(s->auto_note, t->auto_note);
  assert_string_equal(s->orders_note, t->orders_note);
  assert_string_equal(s->unmodelled_note, t->unmodelled_note);
}

/* The team's file is the pattern's. */
static inline void same_file(together_t *t, int n, const berth_pattern_t *p, const char *path)
{
  berth_error_t err = {0};
  size_t size, at = 0;
  assert_int_equal(berth_pattern_save(p, path, &err), BERTH_OK);
  char *bytes = file_bytes(path, &size);
  unlink(path);
  for (int i = 0; i < n; i++) {
    if (t[i].rc) fail_msg("member %d of %d: %s", i, n, t[i].err.text);
    assert_int_equal(t[i].frame.bytes != NULL, i % t[i].frame.group == 0);
    if (!t[i].frame.bytes) continue;
    if (t[i].frame.n > size - at || memcmp(bytes + at, t[i].frame.bytes, t[i].frame.n) != 0)
      fail_msg("member %d of %d wrote\n%.*s\nexpected\n%.*s", i, n, (int)t[i].frame.n,
               t[i].frame.bytes, (int)(size - at), bytes + at);
    at += t[i].frame.n;
    frame_library()->free(&t[i].frame);
  }
  assert_int_equal(at, size);
  free(bytes);
}

/* `p` and `stats` are what one process made of the images. */
static inline void check_together(const image_t *const *images, size_t n_images,
                                  const berth_pattern_t *p, const assembly_stats_t *stats)
{
  static together_t t[MOST_MEMBERS];
  void *contexts[MOST_MEMBERS];
  int n = berth_pattern_ranks(p);
  if (n > MOST_MEMBERS) return;
  for (int packed = 0; packed < 2; packed++) {
    memset(t, 0, sizeof t);
    for (int i = 0; i < n; i++) t[i].packed = packed, contexts[i] = &t[i];
    for (size_t i = 0; i < n_images; i++) {
      spool_header_t h;
      memcpy(&h, images[i]->bytes, sizeof h);
      t[h.rank].image = images[i];
    }
    run_team(n, run_together, contexts);
    same_file(t, n, p, scratch_file(packed ? "together.acp.zst" : "together.acp", "", 0));
    if (stats) same_stats(&t[0].stats, stats);
  }
}

#endif
