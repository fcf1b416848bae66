/* SPDX-License-Identifier: BSD-3-Clause */
#include "calib/node/node_processes.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/text.h"

typedef struct seen {
  int pid, parent, pu;
  char name[32];
  double ticks, before; /* of time on cores; at the first look */
} seen_t;

typedef struct all {
  seen_t *list;
  size_t n, cap;
} all_t;

static seen_t *find(const all_t *all, int pid)
{
  for (size_t i = 0; i < all->n; i++)
    if (all->list[i].pid == pid) return &all->list[i];
  return NULL;
}

/* The fields of /proc/PID/stat; the name may hold blanks and brackets. */
static bool read_stat(int pid, seen_t *out)
{
  enum { FIELDS = 37, PARENT = 1, USER = 11, SYSTEM = 12, PU = 36 };
  char path[64], line[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *f = fopen(path, "r");
  bool got = f && fgets(line, sizeof line, f);
  if (f) fclose(f);
  char *begin = got ? strchr(line, '(') : NULL, *end = got ? strrchr(line, ')') : NULL;
  if (!begin || !end || end[1] == '\0') return false;
  *end = '\0';
  *out = (seen_t){.pid = pid};
  snprintf(out->name, sizeof out->name, "%s", begin + 1);
  text_clean(out->name);
  char *field[FIELDS] = {0}, *rest = NULL;
  int n = 0;
  for (char *word = strtok_r(end + 2, " ", &rest); word && n < FIELDS;
       word = strtok_r(NULL, " ", &rest))
    field[n++] = word;
  if (n < FIELDS) return false;
  out->parent = atoi(field[PARENT]);
  out->pu = atoi(field[PU]);
  out->ticks = atof(field[USER]) + atof(field[SYSTEM]);
  return true;
}

static void look(all_t *all, bool first)
{
  DIR *folder = opendir("/proc");
  for (struct dirent *e; folder && (e = readdir(folder));) {
    seen_t now;
    if (!isdigit((unsigned char)*e->d_name) || !read_stat(atoi(e->d_name), &now)) continue;
    seen_t *old = first ? NULL : find(all, now.pid);
    now.before = first ? now.ticks : old ? old->before : 0;
    if (old)
      *old = now;
    else if (!ARRAY_ADD(&all->list, &all->n, &all->cap, now))
      break;
  }
  if (folder) closedir(folder);
}

/* Threads that run or wait for a core, this one included. */
static double runnable_now(void)
{
  char line[256];
  int running = 0;
  FILE *f = fopen("/proc/loadavg", "r");
  if (f && fgets(line, sizeof line, f) && sscanf(line, "%*f %*f %*f %d/", &running) != 1)
    running = 0;
  if (f) fclose(f);
  return running;
}

/* A variable of another process's environment, as it was when it started. */
static bool read_variable(const char *text, size_t n, const char *name, char *out, size_t size)
{
  size_t length = strlen(name);
  for (size_t i = 0; i < n; i += strnlen(text + i, n - i) + 1)
    if (strncmp(text + i, name, length) == 0 && text[i + length] == '=') {
      snprintf(out, size, "%s", text + i + length + 1);
      return true;
    }
  return false;
}

static void find_rank(node_process_t *p)
{
  static const char *const ranks[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                      "PMIX_LOCAL_SIZE"};
  static char text[1 << 18];
  char path[64], value[64];
  snprintf(path, sizeof path, "/proc/%d/environ", p->pid);
  FILE *f = fopen(path, "r");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  if (f) fclose(f);
  text[n] = '\0';
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
    if (read_variable(text, n, ranks[i], value, sizeof value)) p->local_ranks = atoi(value);
  /* Only Open MPI can yield. mpirun says whether it knows that there are more ranks than slots. */
  if (!read_variable(text, n, ranks[0], value, sizeof value)) return;
  if (read_variable(text, n, "OMPI_MCA_mpi_yield_when_idle", value, sizeof value) ||
      read_variable(text, n, "OMPI_MCA_mpi_oversubscribe", value, sizeof value))
    p->yields = *value == '1' || *value == 't';
}

static int by_share(const void *a, const void *b)
{
  const node_process_t *p = a, *q = b;
  return (p->share < q->share) - (p->share > q->share);
}

static bool is_ancestor(const all_t *all, int pid)
{
  int at = (int)getpid();
  for (size_t steps = 0; at > 0 && steps <= all->n; steps++) {
    const seen_t *s = find(all, at);
    if (at == pid) return true;
    at = s ? s->parent : 0;
  }
  return false;
}

static void collect(node_processes_t *p, const all_t *all, double seconds)
{
  double tick_s = 1 / (double)sysconf(_SC_CLK_TCK);
  p->list = calloc(all->n + 1, sizeof *p->list);
  for (size_t i = 0; p->list && i < all->n; i++) {
    const seen_t *s = &all->list[i];
    double share = (s->ticks - s->before) * tick_s / seconds;
    if (share <= 0) continue;
    node_process_t *one = &p->list[p->n++];
    *one = (node_process_t){.pid = s->pid, .pu = s->pu, .share = share};
    memcpy(one->name, s->name, sizeof one->name);
    one->ours = is_ancestor(all, s->pid);
    find_rank(one);
  }
  if (p->list) qsort(p->list, p->n, sizeof *p->list, by_share);
}

void node_processes_watch(node_processes_t *p, double seconds)
{
  enum { LOOKS = 20 };
  all_t all = {0};
  double begin = clock_s(), runnable = 0;
  *p = (node_processes_t){0};
  look(&all, true);
  for (int i = 0; i < LOOKS; i++) {
    struct timespec pause = {0, (long)(1e9 * seconds / LOOKS)};
    nanosleep(&pause, NULL);
    runnable += runnable_now() - 1;
  }
  look(&all, false);
  p->runnable = runnable / LOOKS;
  collect(p, &all, clock_s() - begin);
  free(all.list);
}

void node_processes_clear(node_processes_t *p)
{
  free(p->list);
  *p = (node_processes_t){0};
}
