/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the tables that processes of this machine are counting in. */
#include "spool/spool_live.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "base/own.h"
#include "base/text.h"
#include "spool/spool_format.h"

ORDER_BY(by_path, berth_live_rank_t, RISING_TEXT(path) RISING(pid))

static int add(berth_live_t *list, const char *path, pid_t pid, berth_error_t *err)
{
  for (size_t i = list->n; i > 0 && list->ranks[i - 1].pid == pid; i--)
    if (strcmp(list->ranks[i - 1].path, path) == 0) return BERTH_OK;
  const berth_live_rank_t rank = {strdup(path), pid};
  if (rank.path && ARRAY_ADD(&list->ranks, &list->n, &list->cap, rank)) return BERTH_OK;
  free(rank.path);
  return no_memory(err);
}

/* The user as whom a process runs; -1: it has ended. */
static uid_t user_of(pid_t pid)
{
  char name[32], line[256];
  unsigned long real, effective;
  uid_t user = (uid_t)-1;
  snprintf(name, sizeof name, "/proc/%ld/status", (long)pid);
  FILE *file = fopen(name, "re");
  while (file && user == (uid_t)-1 && fgets(line, sizeof line, file))
    if (sscanf(line, "Uid: %lu %lu", &real, &effective) == 2) user = (uid_t)effective;
  if (file) fclose(file);
  return user;
}

/* Whether the tables at that path are the process's: in a mount namespace of its own another user's
 * process can have something else there. */
static bool are_its(const char *path, pid_t pid)
{
  struct stat st;
  return user_of(pid) == (lstat(path, &st) == 0 ? st.st_uid : geteuid());
}

/* Adds what a process has mapped. One that has ended, or is another user's, has nothing. */
static int look_at(berth_live_t *list, pid_t pid, berth_error_t *err)
{
  char name[32], *line = NULL;
  size_t size = 0;
  int rc = BERTH_OK;
  snprintf(name, sizeof name, "/proc/%ld/maps", (long)pid);
  FILE *file = fopen(name, "re");
  if (!file) return BERTH_OK;
  while (!rc && getline(&line, &size, file) > 0) {
    line[strcspn(line, "\n")] = '\0';
    const char *path = strchr(line, '/');
    if (path && text_ends(path, SPOOL_SUFFIX) && are_its(path, pid)) rc = add(list, path, pid, err);
  }
  free(line);
  fclose(file);
  return rc;
}

/* Children of a fork have their parent's tables mapped, too: the parent came first. */
static void drop_children(berth_live_t *list)
{
  size_t kept = 0;
  for (size_t i = 0; i < list->n; i++) {
    if (kept && strcmp(list->ranks[kept - 1].path, list->ranks[i].path) == 0)
      free(list->ranks[i].path);
    else
      list->ranks[kept++] = list->ranks[i];
  }
  list->n = kept;
}

int berth_live_find(berth_live_t *list, berth_error_t *err)
{
  DIR *d = opendir("/proc");
  int rc = BERTH_OK;
  if (!d) return berth_fail(err, BERTH_MISSING, "/proc: cannot open: %s", strerror(errno));
  for (struct dirent *e; !rc && (e = readdir(d));)
    if (isdigit((unsigned char)e->d_name[0])) rc = look_at(list, (pid_t)atol(e->d_name), err);
  closedir(d);
  if (list->n) qsort(list->ranks, list->n, sizeof *list->ranks, by_path);
  drop_children(list);
  return rc;
}

void berth_live_clear(berth_live_t *list)
{
  for (size_t i = 0; i < list->n; i++) free(list->ranks[i].path);
  free(list->ranks);
}

bool live_is_in(const berth_live_rank_t *rank, const char *real_dir)
{
  size_t n = strlen(real_dir);
  const char *slash = strrchr(rank->path, '/');
  return n == (size_t)(slash - rank->path) && strncmp(real_dir, rank->path, n) == 0;
}

bool live_is_own(const berth_live_rank_t *rank)
{
  struct stat st;
  return lstat(rank->path, &st) == 0 && own_is(&st, S_IFREG);
}

static bool any_in(const char *real_dir)
{
  berth_live_t list = {0};
  bool any = false;
  if (berth_live_find(&list, NULL) == BERTH_OK)
    for (size_t i = 0; !any && i < list.n; i++) any = live_is_in(&list.ranks[i], real_dir);
  berth_live_clear(&list);
  return any;
}

void live_wait(const char *dir, double seconds)
{
  static const struct timespec pause = {.tv_nsec = 20000000};
  char *real_dir = realpath(dir, NULL);
  for (double waited = 0; real_dir && waited < seconds && any_in(real_dir); waited += 0.02)
    nanosleep(&pause, NULL);
  free(real_dir);
}

/* A job's files have the beginning of their names in common: JOB-RANK.spool. */
size_t berth_live_job_end(const berth_live_t *list, size_t from)
{
  const char *path = list->ranks[from].path, *dash = strrchr(path, '-');
  size_t end = from + 1, stem = dash ? (size_t)(dash - path) + 1 : strlen(path);
  while (end < list->n && strncmp(path, list->ranks[end].path, stem) == 0) end++;
  return end;
}

static pid_t parent_of(pid_t pid)
{
  char name[32], text[512] = "";
  long parent = 0;
  snprintf(name, sizeof name, "/proc/%ld/stat", (long)pid);
  FILE *file = fopen(name, "re");
  if (!file) return 0;
  size_t n = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[n] = '\0';
  const char *after = strrchr(text, ')'); /* behind the program's name, which may hold anything */
  if (after && sscanf(after + 1, " %*c %ld", &parent) != 1) parent = 0;
  return (pid_t)parent;
}

bool live_is_below(pid_t pid, pid_t ancestor)
{
  while (pid > 0 && pid != ancestor) pid = parent_of(pid);
  return pid == ancestor && pid > 0;
}
