/* SPDX-License-Identifier: BSD-3-Clause */
/* One function for each thing that can hold a node back, and one line of the list at the end. */
#include "calib/node/node_faults.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "calib/node/node_processes.h"
#include "calib/number_list.h"

typedef struct node {
  int cores; /* PUs that this process may use */
  node_processes_t processes;
} node_t;

static void found(node_finding_t *f, node_verdict_t verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void found(node_finding_t *f, node_verdict_t verdict, const char *format, ...)
{
  va_list args;
  f->verdict = verdict;
  va_start(args, format);
  vsnprintf(f->text, sizeof f->text, format, args);
  va_end(args);
  text_clean(f->text);
}

/* The first line of a file, without its end; false if there is none. */
static bool read_line(const char *path, char *out, size_t size)
{
  FILE *f = fopen(path, "r");
  bool got = f && fgets(out, (int)size, f);
  if (f) fclose(f);
  if (got) out[strcspn(out, "\n")] = '\0';
  return got;
}

static int memory_nodes(void)
{
  char list[256];
  return read_line("/sys/devices/system/node/has_memory", list, sizeof list)
             ? number_list_count(list, -1)
             : 0;
}

/* --- settings of the system --- */

static void look_at_governor(const node_t *n, node_finding_t *f)
{
  char path[128], governor[64], slow[64] = "";
  int cpus = (int)sysconf(_SC_NPROCESSORS_CONF), known = 0, others = 0, first = -1;
  (void)n;
  for (int i = 0; i < cpus; i++) {
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", i);
    if (!read_line(path, governor, sizeof governor)) continue;
    known++;
    if (strcmp(governor, "performance") == 0) continue;
    if (others++ > 0) continue;
    first = i;
    snprintf(slow, sizeof slow, "%s", governor);
  }
  if (known == 0)
    found(f, NODE_UNKNOWN, "the system has no frequency governor (a virtual machine?)");
  else if (others == 0)
    found(f, NODE_FINE, "performance on all %d PUs", known);
  else
    found(f, NODE_SLOW,
          "%s on %d of %d PUs, PU %d first: cores take their time to get fast. As root: "
          "cpupower frequency-set -g performance",
          slow, others, known, first);
}

static void look_at_balancing(const node_t *n, node_finding_t *f)
{
  char value[64];
  int nodes = memory_nodes();
  (void)n;
  if (!read_line("/proc/sys/kernel/numa_balancing", value, sizeof value))
    found(f, NODE_FINE, "this kernel has none");
  else if (nodes < 2)
    found(f, NODE_FINE, "%s, and the machine has one NUMA node", *value == '0' ? "off" : "on");
  else if (*value == '0')
    found(f, NODE_FINE, "off");
  else
    found(f, NODE_SLOW,
          "on, with %d NUMA nodes: the system interrupts ranks to sample and to move their pages, "
          "although they are bound. As root: sysctl kernel.numa_balancing=0",
          nodes);
}

/* The word in brackets. */
static bool chosen_word(const char *path, char *out, size_t size)
{
  char line[256], *begin, *end;
  if (!read_line(path, line, sizeof line)) return false;
  if (!(begin = strchr(line, '[')) || !(end = strchr(begin, ']'))) return false;
  *end = '\0';
  snprintf(out, size, "%s", begin + 1);
  return true;
}

static void look_at_huge_pages(const node_t *n, node_finding_t *f)
{
  char use[64], defrag[64] = "";
  (void)n;
  if (!chosen_word("/sys/kernel/mm/transparent_hugepage/enabled", use, sizeof use)) {
    found(f, NODE_UNKNOWN, "this kernel has none");
    return;
  }
  chosen_word("/sys/kernel/mm/transparent_hugepage/defrag", defrag, sizeof defrag);
  if (strcmp(use, "never") == 0)
    found(f, NODE_SLOW,
          "never: large arrays have pages of 4 KiB, and each page costs an entry of the TLB. As "
          "root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
  else if (strcmp(defrag, "always") == 0)
    found(f, NODE_SLOW,
          "%s, with defrag always: ranks stop in page faults while the system compacts memory. As "
          "root: echo madvise > /sys/kernel/mm/transparent_hugepage/defrag",
          use);
  else
    found(f, NODE_FINE, "%s, defrag %s", use, *defrag ? defrag : "unknown");
}

/* --- copies between processes --- */

/* Reads from a process that is no child of the reader, as ranks do. Returns 0 or an errno. */
static int try_copy(void)
{
  static volatile char word = 7;
  int status = 0;
  pid_t other = fork();
  if (other == 0) {
    for (;;) pause();
  }
  if (other < 0) return errno;
  pid_t reader = fork();
  if (reader == 0) {
    char got = 0;
    struct iovec to = {&got, 1}, from = {(void *)(uintptr_t)&word, 1};
    bool good = process_vm_readv(other, &to, 1, &from, 1, 0) == 1 && got == 7;
    _exit(good ? 0 : errno ? errno : EIO);
  }
  if (reader > 0) waitpid(reader, &status, 0);
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  return reader < 0 ? EAGAIN : WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

static void look_at_cma(const node_t *n, node_finding_t *f)
{
  char scope[64] = "";
  int error = try_copy();
  (void)n;
  if (error == 0) {
    found(f, NODE_FINE, "processes may copy from each other (process_vm_readv)");
    return;
  }
  bool yama = read_line("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof scope) && *scope != '0';
  found(f, NODE_SLOW,
        "processes may not copy from each other (process_vm_readv: %s): MPIs copy large messages "
        "within the host twice. %s",
        strerror(error),
        yama ? "As root: sysctl kernel.yama.ptrace_scope=0"
             : "A container's seccomp filter has to allow the call");
}

/* --- cores --- */

/* The cores that a cgroup's quota allows; 0: no limit. */
static double quota(void)
{
  char line[128], period[64] = "";
  double allowed = 0;
  if (read_line("/sys/fs/cgroup/cpu.max", line, sizeof line)) {
    double limit, each;
    if (sscanf(line, "%lf %lf", &limit, &each) == 2 && each > 0) allowed = limit / each;
  } else if (read_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", line, sizeof line) &&
             read_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", period, sizeof period)) {
    if (atof(line) > 0 && atof(period) > 0) allowed = atof(line) / atof(period);
  }
  return allowed;
}

static void look_at_load(const node_t *n, node_finding_t *f)
{
  double allowed = quota();
  int online = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (allowed > 0 && allowed < n->cores)
    found(f, NODE_SLOW,
          "a cgroup allows %.2g cores of %d: with more busy ranks, the system stops them in turns. "
          "Start no more ranks, or raise the quota",
          allowed, n->cores);
  else if (n->processes.runnable > online + 0.5)
    found(f, NODE_SLOW,
          "%.1f threads for %d cores in the last second: ranks wait for their turn. Start fewer "
          "ranks, or wait for the other jobs",
          n->processes.runnable, online);
  else
    found(f, NODE_FINE, "%.1f threads for %d cores in the last second", n->processes.runnable,
          online);
}

static void look_at_spinning(const node_t *n, node_finding_t *f)
{
  int online = (int)sysconf(_SC_NPROCESSORS_ONLN), ranks = 0;
  const node_process_t *first = NULL;
  for (size_t i = 0; i < n->processes.n; i++) {
    const node_process_t *p = &n->processes.list[i];
    if (p->local_ranks == 0) continue;
    ranks++;
    if (p->local_ranks > online && !p->yields && !first) first = p;
  }
  if (first)
    found(f, NODE_SLOW,
          "a job with %d ranks runs on %d cores, and its MPI polls while it waits (%s, pid %d): "
          "who waits keeps the core from who computes. Start fewer ranks; Open MPI yields with "
          "OMPI_MCA_mpi_yield_when_idle=1",
          first->local_ranks, online, first->name, first->pid);
  else
    found(f, NODE_FINE, ranks ? "no job has more ranks than cores" : "no MPI job runs here");
}

/* Names the busiest programs that are neither ranks nor the caller; returns how many it names.
 * Those after the first one must take at least `much` of a core. */
static int name_others(const node_t *n, double much, char *text, size_t size, double *share)
{
  enum { MOST = 4 };
  int named = 0;
  size_t used = 0;
  for (size_t i = 0; i < n->processes.n && named < MOST; i++) {
    const node_process_t *p = &n->processes.list[i];
    if (p->ours || p->local_ranks > 0) continue;
    if (named > 0 && p->share < much) break;
    if (named == 0) *share = p->share;
    used += (size_t)snprintf(text + used, size - used,
                             "%s%s (pid %d) takes %.*f%% of a core, last PU %d", named ? "; " : "",
                             p->name, p->pid, p->share < much, 100 * p->share, p->pu);
    named++;
  }
  return named;
}

static void look_at_daemons(const node_t *n, node_finding_t *f)
{
  const double much = 0.05; /* of a core */
  char text[400];
  double share = 0;
  int named = name_others(n, much, text, sizeof text, &share);
  if (named == 0)
    found(f, NODE_FINE, "none ran in the last second");
  else if (share < much)
    found(f, NODE_FINE, "none takes 5%% of a core; %s", text);
  else
    found(f, NODE_SLOW,
          "%s: ranks there are late, and all who wait for them. Stop %s, or leave a core of each "
          "host free",
          text, named > 1 ? "these programs" : "it");
}

/* --- memory --- */

static void look_at_memory(const node_t *n, node_finding_t *f)
{
  static const char key[] = "Mems_allowed_list:";
  char line[512], list[256] = "";
  int nodes = memory_nodes();
  FILE *status = fopen("/proc/self/status", "r");
  (void)n;
  while (status && fgets(line, sizeof line, status))
    if (strncmp(line, key, strlen(key)) == 0) sscanf(line + strlen(key), " %255[^\n]", list);
  if (status) fclose(status);
  int allowed = number_list_count(list, -1);
  if (nodes == 0 || allowed == 0)
    found(f, NODE_UNKNOWN, "the system doesn't say which NUMA nodes there are");
  else if (allowed < nodes)
    found(f, NODE_SLOW,
          "jobs get memory of %d of %d NUMA nodes (%s): ranks on the others' cores use distant "
          "memory, and all share what these nodes carry. Change the cpuset's mems, or numactl's",
          allowed, nodes, list);
  else
    found(f, NODE_FINE, "of %s", nodes == 1 ? "the machine's only NUMA node" : "all NUMA nodes");
}

static const struct {
  const char *what;
  void (*look)(const node_t *n, node_finding_t *f);
} list[NODE_FINDINGS] = {{"frequency governor", look_at_governor},
                         {"NUMA balancing", look_at_balancing},
                         {"huge pages", look_at_huge_pages},
                         {"copies between processes", look_at_cma},
                         {"busy cores", look_at_load},
                         {"polling ranks", look_at_spinning},
                         {"other programs", look_at_daemons},
                         {"memory", look_at_memory}};

size_t node_faults_find(node_finding_t out[NODE_FINDINGS])
{
  cpu_set_t usable;
  node_t n = {.cores = (int)sysconf(_SC_NPROCESSORS_ONLN)};
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) n.cores = CPU_COUNT(&usable);
  node_processes_watch(&n.processes, 1);
  for (size_t i = 0; i < NODE_FINDINGS; i++) {
    out[i] = (node_finding_t){.what = list[i].what};
    list[i].look(&n, &out[i]);
  }
  node_processes_clear(&n.processes);
  return NODE_FINDINGS;
}
