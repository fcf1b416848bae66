/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/trace_files.h"

#include <berth/symbol.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/own.h"
#include "base/text.h"
#include "cli/print/contents.h"
#include "spool/spool_format.h"
#include "spool/spool_parent.h"
#include "spool/trace_losses.h"

const char *trace_spool_parent(void) { return spool_parent(); }

/* The name of the n-th trace: x.acp.zst, x-2.acp.zst. The caller frees it. */
static char *numbered_path(const char *path, int n)
{
  if (n == 1) return strdup(path);
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strchr(name + 1, '.');
  size_t stem = dot ? (size_t)(dot - path) : strlen(path);
  return text_printf("%.*s-%d%s", (int)stem, path, n, path + stem);
}

static void say_line(const char *who, const char *line) { fprintf(stderr, "%s: %s\n", who, line); }

/* How many call sites are functions and lines by now. */
static void say_sites(const berth_resolution_t *s)
{
  fprintf(stderr, "%zu call site%s", s->sites, text_plural((double)s->sites));
  if (s->sites && s->named == s->sites)
    fputs(" (already resolved)", stderr);
  else if (s->named)
    fprintf(stderr, " (%zu resolved, %zu already)", s->resolved, s->named);
  else
    fprintf(stderr, " (%zu resolved)", s->resolved);
}

static void say_unread(const trace_target_t *target, const berth_resolution_t *s)
{
  if (s->unread == 0) return;
  fprintf(stderr, "%s: %s", target->program, s->why);
  if (s->unread > 1)
    fprintf(stderr, " (and %zu other module%s)", s->unread - 1, text_plural((double)s->unread - 1));
  fprintf(stderr, ": %s call sites stay as they are\n", s->unread > 1 ? "their" : "its");
}

/* The one line. */
static void say_written(const trace_target_t *target, char *path, const berth_pattern_t *p,
                        const berth_recovery_t *s, const berth_resolution_t *sites)
{
  text_clean(path);
  fprintf(stderr, "%s: %s: ", target->program, path);
  print_contents(stderr, p);
  fputs(", ", stderr);
  say_sites(sites);
  if (s && target->snapshot)
    fprintf(stderr, "; a snapshot of %d of %d ranks", s->found, s->ranks);
  else if (s && s->finished < s->found)
    fprintf(stderr, "; recovered from the tables of %d of %d ranks, %s", s->found, s->ranks,
            s->aborted ? "after MPI_Abort" : "which ended without MPI_Finalize");
  else if (s)
    fprintf(stderr, "; recovered from the tables of %d of %d ranks", s->found, s->ranks);
  fputc('\n', stderr);
  if (s) losses_say(s, &(losses_to_t){say_line, target->program, "--memory", "--phases"});
}

/* Whether it is a file whose second name could be removed again. */
static bool is_renamable(const char *path, const struct stat *st)
{
  const char *slash = strrchr(path, '/');
  char *folder = text_printf("%.*s", slash ? (int)(slash + 1 - path) : 0, path);
  bool is = folder && S_ISREG(st->st_mode) && own_may_replace(folder, st);
  free(folder);
  return is;
}

/* Gives an older trace a second name, so that it hands down its permissions to the new one; where
 * the file system has no hard links, and to a link, another name. *kept: there is an older one, and
 * it has that name. */
static int keep(const char *path, const char *old, bool *kept, berth_error_t *err)
{
  struct stat st;
  *kept = lstat(path, &st) == 0;
  if (!*kept) return BERTH_OK;
  char *second = is_renamable(path, &st) ? text_printf("%s.%ld", old, (long)getpid()) : NULL;
  bool linked = second && link(path, second) == 0;
  *kept = rename(linked ? second : path, old) == 0;
  int error = errno;
  if (linked) unlink(second); /* still there if both were the same file */
  free(second);
  if (*kept) return BERTH_OK;
  return berth_fail(err, BERTH_MISSING, "%s: cannot keep %s: %s", old, path, strerror(error));
}

/* Writes the trace. The old one is out of the way only once there is a new one. */
static int save(const trace_target_t *target, const berth_pattern_t *p, const char *path,
                berth_error_t *err)
{
  bool kept = false;
  char *old = target->keep_old ? text_printf("%s.old", path) : NULL;
  if (target->keep_old && !old) return no_memory(err);
  int rc = old ? keep(path, old, &kept, err) : BERTH_OK;
  out_choose_names(old || target->chosen || target->written > 0);
  if (!rc) rc = berth_pattern_save(p, path, err);
  out_choose_names(false);
  if (rc && kept) {
    rename(old, path); /* which does nothing if both are the same file */
    unlink(old);
  }
  free(old);
  return rc;
}

int trace_write(trace_target_t *target, const berth_pattern_t *p, const berth_recovery_t *lacks,
                berth_error_t *err)
{
  berth_resolution_t sites;
  char *path = numbered_path(target->path, target->written + 1);
  if (!path) return no_memory(err);
  berth_pattern_t *resolved = berth_resolve_apart(
      p, target->resolve_s > 0 ? target->resolve_s : TRACE_RESOLVE_S, &sites, err);
  int rc = resolved ? save(target, resolved, path, err) : BERTH_MISSING;
  if (!rc) {
    target->written++;
    say_written(target, path, resolved, lacks, &sites);
    say_unread(target, &sites);
  }
  berth_pattern_free(resolved);
  free(path);
  return rc;
}

int trace_write_recovered(trace_target_t *target, berth_pattern_t *p, berth_recovery_t *what,
                          berth_error_t *err)
{
  for (size_t i = 0; i < what->n_refused; i++)
    fprintf(stderr, "%s: left out: %s\n", target->program, what->refused[i]);
  int rc = p ? trace_write(target, p, what, err) : BERTH_MISSING;
  if (!rc && what->cut_ranks && !target->snapshot)
    rc = berth_fail(
        err, BERTH_MISSING,
        "the trace is incomplete: found tables of %llu rank%s truncated by a full disk or a file "
        "size limit, and the rest is lost",
        (unsigned long long)what->cut_ranks, text_plural((double)what->cut_ranks));
  berth_recovery_clear(what);
  return rc;
}

/* Traces that jobs wrote, in an open folder. */
typedef struct written {
  DIR *folder;
  struct written_item {
    char *name;
    struct timespec changed;
  } * items;
  size_t n, cap;
} written_t;

static void written_clear(written_t *w)
{
  for (size_t i = 0; i < w->n; i++) free(w->items[i].name);
  free(w->items);
  if (w->folder) closedir(w->folder);
}

bool trace_is_written(const char *name)
{
  size_t n = strspn(name, "0123456789abcdef");
  return n == TRACE_IDENTITY && (!name[n] || strcmp(name + n, SPOOL_SPAWNED) == 0);
}

/* Jobs that another one spawned come behind it, however early they end. */
static int by_age(const void *a, const void *b)
{
  bool p = text_ends(((const struct written_item *)a)->name, SPOOL_SPAWNED);
  bool q = text_ends(((const struct written_item *)b)->name, SPOOL_SPAWNED);
  if (p != q) return p - q;
  const struct timespec *s = &((const struct written_item *)a)->changed;
  const struct timespec *t = &((const struct written_item *)b)->changed;
  if (s->tv_sec != t->tv_sec) return s->tv_sec < t->tv_sec ? -1 : 1;
  if (s->tv_nsec != t->tv_nsec) return s->tv_nsec < t->tv_nsec ? -1 : 1;
  return strcmp(((const struct written_item *)a)->name, ((const struct written_item *)b)->name);
}

static int add_written(written_t *w, const char *name, berth_error_t *err)
{
  struct stat st;
  if (!trace_is_written(name) || fstatat(dirfd(w->folder), name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(st.st_mode))
    return BERTH_OK;
  char *copy = strdup(name);
  if (!copy || !ARRAY_GROW(&w->items, w->n, &w->cap)) {
    free(copy);
    return no_memory(err);
  }
  w->items[w->n++] = (struct written_item){copy, st.st_mtim};
  return BERTH_OK;
}

/* Lists the traces in a folder that nobody else can write; one that is gone has none. */
static int list_written(const char *dir, written_t *w, berth_error_t *err)
{
  struct stat st;
  int rc = BERTH_OK;
  *w = (written_t){0};
  if (lstat(dir, &st) != 0 && errno == ENOENT) return BERTH_OK;
  w->folder = own_open_folder(dir, err);
  if (!w->folder) return err ? err->code : BERTH_MISSING;
  for (struct dirent *e; !rc && (e = readdir(w->folder));) rc = add_written(w, e->d_name, err);
  if (w->n) qsort(w->items, w->n, sizeof *w->items, by_age);
  return rc;
}

/* Loads a file of the open folder, wherever that has gone since. Errors have the file's path. */
static berth_pattern_t *load_written(const written_t *w, const char *dir, const char *name,
                                     berth_error_t *err)
{
  berth_error_t why = {0};
  char opened[32 + TRACE_IDENTITY + sizeof SPOOL_SPAWNED];
  snprintf(opened, sizeof opened, "/proc/self/fd/%d/%s", dirfd(w->folder), name);
  berth_pattern_t *p = berth_pattern_load(opened, BERTH_PATTERN_STRICT, &why);
  size_t n = text_starts(why.text, opened) ? strlen(opened) : 0;
  if (!p && n)
    berth_fail(err, why.code, "%s/%s%s", dir, name, why.text + n);
  else if (!p)
    berth_fail(err, why.code, "%s", why.text);
  return p;
}

/* Takes over the traces that jobs wrote in a folder, oldest first, and removes them. */
static int take_written(trace_target_t *target, const char *dir, berth_error_t *err)
{
  written_t w;
  int rc = list_written(dir, &w, err);
  for (size_t i = 0; !rc && i < w.n; i++) {
    berth_pattern_t *p = load_written(&w, dir, w.items[i].name, err);
    rc = p ? trace_write(target, p, NULL, err) : BERTH_BAD_INPUT;
    berth_pattern_free(p);
    if (!rc) unlinkat(dirfd(w.folder), w.items[i].name, 0);
  }
  written_clear(&w);
  return rc;
}

void trace_say_kept(const char *program, const char *dir)
{
  written_t w;
  list_written(dir, &w, NULL);
  for (size_t i = 0; i < w.n; i++) {
    char *path = text_printf("%s/%s", dir, w.items[i].name);
    if (path) text_clean(path);
    fprintf(stderr, "%s: the trace is kept, its call sites not resolved, as %s\n", program,
            path ? path : w.items[i].name);
    free(path);
  }
  written_clear(&w);
}

void trace_remove_folder(const char *dir)
{
  if (rmdir(dir) == 0 || (errno != ENOTEMPTY && errno != EEXIST)) return;
  DIR *d = own_open_folder(dir, NULL);
  for (struct dirent *e; d && (e = readdir(d));)
    if (strlen(e->d_name) > TRACE_IDENTITY && strstr(e->d_name, ".tmp."))
      unlinkat(dirfd(d), e->d_name, 0);
  if (d) closedir(d);
  rmdir(dir);
}

static int recover_job(trace_target_t *target, const berth_tables_t *job, bool remove_files,
                       berth_error_t *err)
{
  berth_recovery_t what;
  berth_pattern_t *p = berth_recover(job, &what, err);
  int rc = trace_write_recovered(target, p, &what, err);
  berth_pattern_free(p);
  for (size_t i = 0; !rc && remove_files && i < job->n_paths; i++) unlink(job->paths[i]);
  return rc;
}

int trace_recover(trace_target_t *target, berth_spool_t *spool, bool remove_files,
                  berth_error_t *err)
{
  size_t n;
  if (!spool) return err->code;
  const berth_tables_t *jobs = berth_spool_jobs(spool, &n);
  int rc = BERTH_OK;
  for (size_t i = 0; i < n; i++) {
    berth_error_t why = {0};
    int one = recover_job(target, &jobs[i], remove_files, &why);
    if (one && !rc) rc = berth_fail(err, one, "%s", why.text);
  }
  berth_spool_free(spool);
  return rc;
}

int trace_take_left(trace_target_t *target, const char *dir, const char *spool, berth_error_t *err)
{
  berth_error_t why = {0};
  int rc = take_written(target, dir, err);
  if (access(spool, F_OK) != 0) return rc; /* the ranks have removed it */
  int tables = trace_recover(target, berth_spool_open_own(spool, &why), true, &why);
  return tables && !rc ? berth_fail(err, tables, "%s", why.text) : rc;
}
