/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the pattern of the tables of a running job. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/no_memory.h"
#include "base/own.h"
#include "base/text.h"
#include "spool/recovery.h"
#include "spool/spool_snapshot.h"

int live_table_map(const char *path, spool_image_t *live, berth_error_t *err)
{
  struct stat st;
  void *bytes = MAP_FAILED;
  *live = (spool_image_t){.name = path};
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
    close(fd);
    return berth_fail(err, BERTH_BAD_INPUT, "%s: found %s, expected a file of tables", path,
                      own_type_name(st.st_mode));
  }
  if (fd >= 0 && fstat(fd, &st) == 0)
    bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED)
    berth_fail(err, BERTH_MISSING, "%s: cannot open: %s", path, strerror(errno));
  else
    *live = (spool_image_t){path, bytes, (size_t)st.st_size};
  if (fd >= 0) close(fd);
  return live->bytes ? BERTH_OK : BERTH_MISSING;
}

void live_table_unmap(const spool_image_t *live)
{
  /* munmap doesn't change the bytes */
  if (live->bytes) munmap((void *)(uintptr_t)live->bytes, live->size);
}

/* One rank's tables, mapped, and the first copy of them. */
typedef struct tables {
  spool_image_t live;
  spool_bytes_t first;
} tables_t;

/* Makes the second copy and adds both to the assembly. The tables may have grown in between, so
 * they are mapped again. */
static int add_tables(assembly_t *a, tables_t *t, berth_error_t *err)
{
  spool_image_t grown;
  spool_bytes_t second = {0}, joined = {0};
  bool there = live_table_map(t->live.name, &grown, NULL) == BERTH_OK; /* else the job has ended */
  int rc = spool_copy(there ? &grown : &t->live, &second, err);
  if (!rc) rc = spool_join(&t->first, &second, &joined, err);
  if (!rc) rc = assembly_add(a, t->live.name, joined.bytes, joined.size, err);
  live_table_unmap(&grown);
  free(second.bytes);
  free(joined.bytes);
  return rc;
}

/* Tables that exist fail as BERTH_MISSING only if memory is out. */
static int refuse_or_fail(berth_recovery_t *what, int rc, const berth_error_t *why,
                          berth_error_t *err)
{
  if (rc == BERTH_MISSING) return berth_fail(err, rc, "%s", why->text);
  return rc ? recover_refuse(what, why, err) : BERTH_OK;
}

/* Copies the counts of all ranks first, so that they are from about the same moment. Bad tables
 * aren't a failure; lack of memory is. */
static int copy_all(assembly_t *a, tables_t *t, const berth_tables_t *job, berth_recovery_t *what,
                    berth_error_t *err)
{
  berth_error_t why = {0};
  int rc = BERTH_OK;
  for (size_t i = 0; !rc && i < job->n_paths; i++)
    if (live_table_map(job->paths[i], &t[i].live, &why))
      rc = recover_refuse(what, &why, err);
    else
      rc = refuse_or_fail(what, spool_copy(&t[i].live, &t[i].first, &why), &why, err);
  for (size_t i = 0; !rc && i < job->n_paths; i++)
    if (t[i].first.bytes) rc = refuse_or_fail(what, add_tables(a, &t[i], &why), &why, err);
  return rc;
}

berth_pattern_t *berth_snapshot(const berth_tables_t *job, berth_recovery_t *what,
                                berth_error_t *err)
{
  berth_recovery_t own;
  berth_recovery_t *made = what ? what : &own;
  *made = (berth_recovery_t){0};
  assembly_t *a = assembly_new(err);
  tables_t *t = calloc(job->n_paths, sizeof *t);
  int rc = a && t ? BERTH_OK : no_memory(err);
  if (!rc) rc = copy_all(a, t, job, made, err);
  berth_pattern_t *p = recover_finish(a, rc, job, made, err);
  for (size_t i = 0; t && i < job->n_paths; i++) {
    live_table_unmap(&t[i].live);
    free(t[i].first.bytes);
  }
  free(t);
  if (!what) berth_recovery_clear(made);
  return p;
}

int berth_tables_look(const char *path, berth_tables_info_t *out, berth_error_t *err)
{
  spool_image_t live;
  spool_bytes_t copy = {0};
  int rc = live_table_map(path, &live, err);
  if (!rc) rc = spool_copy(&live, &copy, err);
  live_table_unmap(&live);
  const spool_image_t image = {path, copy.bytes, copy.size};
  const spool_header_t *h = rc ? NULL : spool_header(&image, err);
  if (!rc && !h) rc = BERTH_BAD_INPUT;
  if (h) {
    *out = (berth_tables_info_t){
        .job = h->job, .rank = (int)h->rank, .ranks = (int)h->ranks, .created = h->created};
    memcpy(out->host, h->host, sizeof h->host);
    memcpy(out->command, h->command, h->command_bytes);
    for (size_t i = 0; i + 1 < h->command_bytes; i++)
      if (!out->command[i]) out->command[i] = ' ';
    text_clean(out->host);
    text_clean(out->command);
  }
  free(copy.bytes);
  return rc;
}
