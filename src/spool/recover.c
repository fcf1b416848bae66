/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the pattern of a dead job's table files, and says what it lacks. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/in_file.h"
#include "base/no_memory.h"
#include "spool/recovery.h"

void berth_recovery_clear(berth_recovery_t *what)
{
  if (!what) return;
  for (size_t i = 0; i < what->n_notes; i++) free(what->notes[i]);
  for (size_t i = 0; i < what->n_refused; i++) free(what->refused[i]);
  free(what->notes);
  free(what->refused);
  *what = (berth_recovery_t){0};
}

/* Appends a copy of a text to a list of n. */
static int put(char ***list, size_t *n, const char *text, berth_error_t *err)
{
  char *copy = strdup(text);
  char **longer = copy ? realloc(*list, (*n + 1) * sizeof *longer) : NULL;
  if (!longer) {
    free(copy);
    return no_memory(err);
  }
  *list = longer;
  longer[(*n)++] = copy;
  return BERTH_OK;
}

int recover_refuse(berth_recovery_t *what, const berth_error_t *why, berth_error_t *err)
{
  return put(&what->refused, &what->n_refused, why->text, err);
}

int recover_fill(berth_recovery_t *what, const assembly_stats_t *s, berth_error_t *err)
{
  const char *const notes[] = {s->phases_note, s->auto_note, s->orders_note, s->unmodelled_note};
  const totals_t *t = &s->total;
  const spool_missed_t *m = &t->missed;
  what->ranks = s->ranks;
  what->found = (int)t->found;
  what->finished = (int)t->finished;
  what->aborted = (int)t->aborted;
  what->outside = m->outside;
  what->outside_calls = m->outside_calls;
  what->spawned = m->spawned;
  what->lost = m->lost;
  what->lost_bytes = m->lost_bytes;
  what->lost_calls = m->lost_calls + t->unknown_calls;
  what->lost_threads = m->threads;
  what->lost_layouts = m->lost_layouts;
  what->cut_ranks = m->in_memory;
  what->lost_rows = t->rows_lost;
  what->undivided_rows = t->rows_undivided;
  what->coarse = t->coarse;
  what->coarse_bytes = t->coarse_bytes;
  what->stopped = m->stopped;
  what->stopped_calls = m->stopped_calls;
  what->impossible = t->impossible;
  int rc = BERTH_OK;
  for (size_t i = 0; !rc && i < sizeof notes / sizeof *notes; i++)
    if (*notes[i]) rc = put(&what->notes, &what->n_notes, notes[i], err);
  return rc;
}

berth_pattern_t *recover_finish(assembly_t *a, int rc, const berth_tables_t *job,
                                berth_recovery_t *what, berth_error_t *err)
{
  berth_pattern_t *p = NULL;
  assembly_stats_t stats;
  if (!rc && what->n_refused == job->n_paths)
    rc = berth_fail(err, BERTH_MISSING, "%s: found no usable table of its job",
                    job->n_paths ? job->paths[0] : "no files");
  if (!rc) rc = assembly_finish(a, &p, &stats, err);
  if (!rc) rc = recover_fill(what, &stats, err);
  assembly_free(a);
  if (!rc) return p;
  berth_pattern_free(p);
  return NULL;
}

/* Adds a file's tables. Bad tables aren't a failure; lack of memory is. */
static int add_file(assembly_t *a, const char *path, bool own, berth_recovery_t *what,
                    berth_error_t *err)
{
  berth_error_t why = {0};
  char *image = NULL;
  size_t size;
  errno = 0; /* tells a missing file from missing memory: both are BERTH_MISSING */
  int rc = own ? in_read_own(path, &image, &size, &why) : in_read_all(path, &image, &size, &why);
  bool enough = !rc || errno != ENOMEM;
  if (!rc && (rc = assembly_add(a, path, image, size, &why)) == BERTH_MISSING) enough = false;
  free(image);
  if (!enough) return no_memory(err);
  return rc ? recover_refuse(what, &why, err) : BERTH_OK;
}

berth_pattern_t *berth_recover(const berth_tables_t *job, berth_recovery_t *what,
                               berth_error_t *err)
{
  berth_recovery_t own;
  berth_recovery_t *made = what ? what : &own;
  *made = (berth_recovery_t){0};
  assembly_t *a = assembly_new(err);
  int rc = a ? BERTH_OK : BERTH_MISSING;
  for (size_t i = 0; !rc && i < job->n_paths; i++)
    rc = add_file(a, job->paths[i], job->own != 0, made, err);
  berth_pattern_t *p = recover_finish(a, rc, job, made, err);
  if (!what) berth_recovery_clear(made);
  return p;
}
