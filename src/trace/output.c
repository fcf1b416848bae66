/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the trace's name, and collects the header's facts about the process. */
#include "trace/output.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spool/spool_parent.h"
#include "trace/tracer.h"

/* Prints the job's identity, with SPOOL_SPAWNED behind it if another job spawned this one. */
static int put_identity(char *buf, size_t size)
{
  return snprintf(buf, size, "%016llx%s", (unsigned long long)tracer.job,
                  tracer.spawned ? SPOOL_SPAWNED : "");
}

/* Copies a path and replaces %j by the job's identity and %% by %. Returns false if it doesn't
 * fit. */
static bool expand(const char *from, char *buf, size_t size)
{
  size_t n = 0;
  for (; *from; from++) {
    if (n + 17 + sizeof SPOOL_SPAWNED >= size) return false;
    if (from[0] == '%' && from[1] == 'j') {
      n += (size_t)put_identity(buf + n, size - n);
      from++;
    } else {
      buf[n++] = *from;
      from += from[0] == '%' && from[1] == '%';
    }
  }
  buf[n] = '\0';
  return true;
}

/* Spawned processes mustn't replace the trace of the job that spawned them. If the name has no
 * %j, x.acp becomes x-ID-spawned.acp. */
static bool give_way(char *path, size_t size)
{
  char ending[64], *slash = strrchr(path, '/'), *dot = strchr(slash ? slash + 1 : path, '.');
  size_t n = dot ? (size_t)(dot - path) : strlen(path);
  if (strlen(path + n) >= sizeof ending || n + 17 + sizeof SPOOL_SPAWNED + sizeof ending >= size)
    return false;
  strcpy(ending, path + n);
  path[n++] = '-';
  n += (size_t)put_identity(path + n, size - n);
  strcpy(path + n, ending);
  return true;
}

/* The default name. */
static bool default_name(char *buf, size_t size)
{
  const char *job = getenv("SLURM_JOB_ID"), *program = program_invocation_short_name;
  int n = job && *job ? snprintf(buf, size, "berth-%s-%s.acp", program, job)
                      : snprintf(buf, size, "berth-%s-%ld.acp", program, (long)getpid());
  return n > 0 && (size_t)n < size;
}

bool output_trace_path(char *buf, size_t size)
{
  const char *given = getenv("BERTH_TRACE_FILE");
  bool own = given && *given, fits = true;
  size_t n = 0;
  if (!own || *given != '/') {
    fits = getcwd(buf, size - 1);
    if (fits) strcat(buf, "/");
    n = fits ? strlen(buf) : 0;
  }
  if (fits) fits = own ? expand(given, buf + n, size - n) : default_name(buf + n, size - n);
  if (fits && tracer.spawned && !(own && strstr(given, "%j"))) fits = give_way(buf, size);
  if (!fits) *buf = '\0';
  return fits;
}

bool output_trace_is_chosen(void)
{
  const char *given = getenv("BERTH_TRACE_FILE");
  return !given || !*given || tracer.spawned || strstr(given, "%j");
}

bool output_spool_dir(char *buf, size_t size)
{
  const char *given = getenv("BERTH_TRACE_SPOOL");
  int n = given && *given
              ? snprintf(buf, size, "%s", given)
              : snprintf(buf, size, "%s/berth-spool-%ld", spool_parent(), (long)geteuid());
  if (n > 0 && (size_t)n < size) return true;
  *buf = '\0';
  return false;
}

ssize_t output_read(const char *path, char *buf, size_t size)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  size_t n = 0;
  ssize_t got = 1;
  while (got > 0 && n < size) {
    got = read(fd, buf + n, size - n);
    n += got > 0 ? (size_t)got : 0;
  }
  close(fd);
  return got < 0 ? -1 : (ssize_t)n;
}

uint32_t output_header_command(char *buf, size_t size)
{
  ssize_t n = output_read("/proc/self/cmdline", buf, size);
  while (n > 0 && buf[n - 1] != '\0') n--; /* drop a truncated word */
  return n > 0 ? (uint32_t)n : 0;
}

/* The hardware threads of a PU's core, from a list such as "0-1" or "0,4". */
static void core_of(int pu, cpu_set_t *set)
{
  char path[96], list[256] = "";
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", pu);
  CPU_ZERO(set);
  CPU_SET(pu, set);
  if (output_read(path, list, sizeof list - 1) <= 0) return;
  for (char *s = list; isdigit((unsigned char)*s); s += *s == ',') {
    long from = strtol(s, &s, 10), to = *s == '-' ? strtol(s + 1, &s, 10) : from;
    for (long i = from; i <= to && i < CPU_SETSIZE; i++) CPU_SET((int)i, set);
  }
}

int32_t output_header_pu(void)
{
  cpu_set_t bound, core, both;
  if (sched_getaffinity(0, sizeof bound, &bound) != 0) return -1;
  int first = 0;
  while (first < CPU_SETSIZE && !CPU_ISSET(first, &bound)) first++;
  if (first == CPU_SETSIZE) return -1;
  core_of(first, &core);
  CPU_AND(&both, &bound, &core);
  return CPU_EQUAL(&both, &bound) ? first : -1;
}
