/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the tables in a folder, by job. */
#include <berth/spool.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/own.h"
#include "base/text.h"
#include "spool/spool_format.h"
#include "spool/spool_parent.h"

struct berth_spool {
  char **path; /* sorted, so that a job's files are adjacent */
  size_t n, cap;
  bool own;
  berth_tables_t *jobs;
  size_t n_jobs, cap_jobs;
};

void berth_spool_free(berth_spool_t *s)
{
  if (!s) return;
  for (size_t i = 0; i < s->n; i++) free(s->path[i]);
  free(s->path);
  free(s->jobs);
  free(s);
}

static int by_name(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds a file of the folder if it is a table. */
static int add_path(berth_spool_t *s, const char *folder, const char *name, berth_error_t *err)
{
  struct stat st;
  char *path = text_printf("%s/%s", folder, name);
  if (!path) return no_memory(err);
  bool is_file = (s->own ? lstat(path, &st) : stat(path, &st)) == 0 && S_ISREG(st.st_mode);
  if (is_file && ARRAY_ADD(&s->path, &s->n, &s->cap, path)) return BERTH_OK;
  free(path);
  return is_file ? no_memory(err) : BERTH_OK;
}

static DIR *open_folder(const char *folder, bool own, berth_error_t *err)
{
  if (own) return own_open_folder(folder, err);
  DIR *d = opendir(folder);
  if (!d) berth_fail(err, BERTH_MISSING, "%s: cannot open: %s", folder, strerror(errno));
  return d;
}

static int find_paths(berth_spool_t *s, const char *folder, berth_error_t *err)
{
  DIR *d = open_folder(folder, s->own, err);
  if (!d) return err ? err->code : BERTH_MISSING;
  int rc = BERTH_OK;
  for (struct dirent *e; !rc && (e = readdir(d));)
    if (text_ends(e->d_name, SPOOL_SUFFIX)) rc = add_path(s, folder, e->d_name, err);
  closedir(d);
  if (s->n) qsort(s->path, s->n, sizeof *s->path, by_name);
  return rc;
}

/* A file's name begins with its job. */
static bool is_same_job(const char *path, const char *other)
{
  const char *name = strrchr(path, '/') + 1;
  size_t stem = (size_t)(name - path) + strcspn(name, "-");
  return strncmp(path, other, stem + 1) == 0;
}

static int find_jobs(berth_spool_t *s, berth_error_t *err)
{
  for (size_t i = 0, end; i < s->n; i = end) {
    for (end = i + 1; end < s->n && is_same_job(s->path[i], s->path[end]);) end++;
    const berth_tables_t job = {end - i, (const char *const *)s->path + i, s->own};
    if (!ARRAY_ADD(&s->jobs, &s->n_jobs, &s->cap_jobs, job)) return no_memory(err);
  }
  return BERTH_OK;
}

static berth_spool_t *open_spool(const char *folder, bool own, berth_error_t *err)
{
  berth_spool_t *s = calloc(1, sizeof *s);
  if (!s) {
    no_memory(err);
    return NULL;
  }
  s->own = own;
  int rc = find_paths(s, folder, err);
  if (!rc) rc = find_jobs(s, err);
  if (!rc) return s;
  berth_spool_free(s);
  return NULL;
}

berth_spool_t *berth_spool_open(const char *folder, berth_error_t *err)
{
  return open_spool(folder, false, err);
}

berth_spool_t *berth_spool_open_own(const char *folder, berth_error_t *err)
{
  return open_spool(folder, true, err);
}

const berth_tables_t *berth_spool_jobs(const berth_spool_t *s, size_t *n)
{
  *n = s->n_jobs;
  return s->jobs;
}

char *berth_spool_folder(berth_error_t *err)
{
  const char *given = getenv("BERTH_TRACE_SPOOL");
  char *folder = given && *given
                     ? strdup(given)
                     : text_printf("%s/berth-spool-%ld", spool_parent(), (long)geteuid());
  if (!folder) no_memory(err);
  return folder;
}
