/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions of `berth trace` that were killed. */
#include "cli/left_session.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/own.h"
#include "base/text.h"
#include "cli/trace_files.h"
#include "spool/spool_format.h"

enum { PARTS = 3, MAX_BYTES = 3 * 4096 + 64 }; /* texts of the file; bytes of it */

static const char SESSION[] = "session", BEGIN[] = "berth-spool-";
static const char *const how[] = {"replace", "keep"}; /* what is done with an older trace */

static char *file_of(const char *spool) { return text_printf("%s/%s", spool, SESSION); }

int left_session_begin(const left_session_t *s)
{
  const char *const part[PARTS] = {s->output, s->dir, how[s->keep_old]};
  char *path = file_of(s->spool);
  int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
  bool good = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
  for (int i = 0; good && i < PARTS; i++) {
    size_t n = strlen(part[i]) + 1;
    good = write(fd, part[i], n) == (ssize_t)n;
  }
  if (!good && fd >= 0) {
    unlink(path);
    close(fd);
  }
  free(path);
  return good ? fd : -1;
}

void left_session_end(const char *spool, int lock)
{
  char *path = file_of(spool);
  if (path) unlink(path);
  free(path);
  if (lock >= 0) close(lock);
}

static void clear_one(left_session_t *s)
{
  free(s->spool);
  free(s->output);
  free(s->dir);
}

void left_sessions_clear(left_sessions_t *s)
{
  for (size_t i = 0; i < s->n; i++) clear_one(&s->list[i]);
  free(s->list);
  *s = (left_sessions_t){0};
}

/* Opens the file of a session in a folder of this user's own. */
static int open_session(const char *spool)
{
  int folder = own_open(spool, S_IFDIR, NULL);
  int fd = folder < 0 ? -1 : own_open_at(folder, SESSION, spool, S_IFREG, NULL);
  if (folder >= 0) close(folder);
  return fd;
}

/* Reads the file of a session that nobody holds; false where there is none. */
static bool read_session(const char *spool, left_session_t *out)
{
  char text[MAX_BYTES + 1], *part[PARTS];
  int fd = open_session(spool);
  bool held = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0;
  ssize_t n = held ? -1 : read(fd, text, MAX_BYTES);
  if (fd >= 0) close(fd);
  if (n <= 0 || text[n - 1]) return false;
  text[n] = '\0';
  char *at = text;
  for (int i = 0; i < PARTS; i++, at += strlen(at) + 1) {
    if (at >= text + n) return false;
    part[i] = at;
  }
  bool keep_old = strcmp(part[2], how[1]) == 0;
  if (!keep_old && strcmp(part[2], how[0]) != 0) return false;
  *out = (left_session_t){strdup(spool), strdup(part[0]), strdup(part[1]), keep_old};
  return true;
}

static bool runs_here(const berth_live_t *jobs, const char *spool)
{
  char *real = realpath(spool, NULL);
  bool runs = false;
  for (size_t i = 0; real && i < jobs->n; i++) runs = runs || live_is_in(&jobs->ranks[i], real);
  free(real);
  return runs;
}

static int add(left_sessions_t *out, const berth_live_t *jobs, const char *spool,
               berth_error_t *err)
{
  left_session_t s;
  if (runs_here(jobs, spool) || !read_session(spool, &s)) return BERTH_OK;
  if (s.spool && s.output && s.dir && ARRAY_GROW(&out->list, out->n, &out->cap)) {
    out->list[out->n++] = s;
    return BERTH_OK;
  }
  clear_one(&s);
  return no_memory(err);
}

bool left_session_will_have(const berth_live_rank_t *rank)
{
  char *parent = realpath(trace_spool_parent(), NULL);
  char *begins = parent ? text_printf("%s/%s", parent, BEGIN) : NULL;
  bool will = begins && text_starts(rank->path, begins) && live_is_own(rank);
  free(begins);
  free(parent);
  return will;
}

int left_sessions_find(left_sessions_t *out, berth_error_t *err)
{
  berth_live_t jobs = {0};
  *out = (left_sessions_t){0};
  int rc = berth_live_find(&jobs, err);
  DIR *d = rc ? NULL : opendir(trace_spool_parent());
  for (struct dirent *e; d && !rc && (e = readdir(d));) {
    if (!text_starts(e->d_name, BEGIN) || strlen(e->d_name + strlen(BEGIN)) != 16) continue;
    char *spool = text_printf("%s/%s", trace_spool_parent(), e->d_name);
    rc = spool ? add(out, &jobs, spool, err) : no_memory(err);
    free(spool);
  }
  if (d) closedir(d);
  berth_live_clear(&jobs);
  return rc;
}

static bool is_table(const char *name) { return text_ends(name, SPOOL_SUFFIX); }

static size_t count_in(const char *folder, bool (*counts)(const char *name))
{
  size_t n = 0;
  DIR *d = own_open_folder(folder, NULL);
  for (struct dirent *e; d && (e = readdir(d));) n += counts(e->d_name);
  if (d) closedir(d);
  return n;
}

size_t left_session_count(const left_session_t *s)
{
  return count_in(s->dir, trace_is_written) + count_in(s->spool, is_table);
}
