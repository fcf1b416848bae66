/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth snapshot`: a trace of what a running job has counted so far. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/running.h"
#include "cli/trace_files.h"
#include "spool/spool_snapshot.h"

enum { OPT_LIST = 256 };

typedef struct options {
  const char *output, *which;
  bool list;
} options_t;

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  options_t *o = state->input;
  switch (key) {
  case 'o':
    o->output = arg;
    break;
  case OPT_LIST:
    o->list = true;
    break;
  case ARGP_KEY_ARG:
    if (o->which) argp_error(state, "found '%s' behind '%s', expected one job", arg, o->which);
    o->which = arg;
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp_option option_table[] = {
    {"output", 'o', "OUT", 0, "The trace (default: berth-snapshot.acp.zst).", 0},
    {"list", OPT_LIST, NULL, 0, "Only list the traced jobs that are running on this machine.", 0},
    {0}};

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "[-o OUT] [PID|DIR]\n--list [PID|DIR]",
    .doc = "Makes a trace of what a running job has counted so far on this machine. PID is that of "
           "`berth trace`, of the launcher or of a rank; DIR is the job's folder of tables. "
           "Neither is needed where one job is running."};

/* One rank's tables, mapped, and the first copy of them. */
typedef struct tables {
  spool_image_t live;
  void *mapped; /* the same bytes; NULL when there are none */
  spool_bytes_t first;
} tables_t;

static int map_tables(const char *path, tables_t *t, berth_error_t *err)
{
  struct stat st;
  void *bytes = MAP_FAILED;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && fstat(fd, &st) == 0)
    bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED)
    berth_fail(err, BERTH_MISSING, "%s: cannot open: %s", path, strerror(errno));
  else
    *t = (tables_t){.live = {path, bytes, (size_t)st.st_size}, .mapped = bytes};
  if (fd >= 0) close(fd);
  return bytes == MAP_FAILED ? BERTH_MISSING : BERTH_OK;
}

static void unmap_tables(tables_t *t)
{
  if (t->mapped) munmap(t->mapped, t->live.size);
  free(t->first.bytes);
}

/* The second copy, and both together into the assembly. Between the two the tables may have grown:
 * they are mapped anew. */
static int add_tables(assembly_t *a, tables_t *t, berth_error_t *err)
{
  tables_t grown = {0};
  spool_bytes_t second = {0}, joined = {0};
  bool there = map_tables(t->live.name, &grown, err) == BERTH_OK; /* else the job has ended */
  int rc = spool_copy(there ? &grown.live : &t->live, &second, err);
  if (!rc) rc = spool_join(&t->first, &second, &joined, err);
  if (!rc) rc = assembly_add(a, t->live.name, joined.bytes, joined.size, err);
  unmap_tables(&grown);
  free(second.bytes);
  free(joined.bytes);
  return rc;
}

/* All ranks' counts are copied first, so that they are of about the same moment. */
static void copy_all(assembly_t *a, tables_t *t, const running_rank_t *ranks, size_t n,
                     const char *program)
{
  berth_error_t err = {0};
  for (size_t i = 0; i < n; i++) {
    int rc = map_tables(ranks[i].path, &t[i], &err);
    if (!rc) rc = spool_copy(&t[i].live, &t[i].first, &err);
    if (rc) fprintf(stderr, "%s: left out: %s\n", program, err.text);
  }
  for (size_t i = 0; i < n; i++)
    if (t[i].first.bytes && add_tables(a, &t[i], &err))
      fprintf(stderr, "%s: left out: %s\n", program, err.text);
}

static int take_snapshot(trace_target_t *target, const running_rank_t *ranks, size_t n,
                         berth_error_t *err)
{
  assembly_t *a = assembly_new(err);
  tables_t *t = calloc(n, sizeof *t);
  berth_pattern_t *p = NULL;
  assembly_stats_t stats;
  int rc = a && t ? BERTH_OK : berth_fail(err, BERTH_MISSING, "out of memory");
  if (!rc) copy_all(a, t, ranks, n, target->program);
  if (!rc) rc = assembly_finish(a, &p, &stats, err);
  if (!rc) rc = trace_write(target, p, &stats, err);
  for (size_t i = 0; t && i < n; i++) unmap_tables(&t[i]);
  free(t);
  berth_pattern_free(p);
  assembly_free(a);
  return rc;
}

/* Whether a rank's tables are in the folder that is `which`, or its process is below that. */
static bool is_meant(const running_rank_t *rank, const char *which)
{
  uint64_t pid;
  if (text_to_u64(which, 1, INT_MAX, &pid)) return running_is_below(rank->pid, (pid_t)pid);
  char *folder = realpath(which, NULL);
  bool in = folder && running_is_in(rank, folder);
  free(folder);
  return in;
}

/* Keeps only the jobs that are meant: of one rank that is, all are. Returns how many jobs. */
static size_t select_jobs(running_t *list, const char *which)
{
  size_t kept = 0, jobs = 0;
  for (size_t i = 0, end; i < list->n; i = end) {
    end = running_job_end(list, i);
    bool meant = !which;
    for (size_t k = i; !meant && k < end; k++) meant = is_meant(&list->ranks[k], which);
    jobs += meant;
    for (size_t k = i; k < end; k++) {
      running_rank_t rank = list->ranks[k];
      if (meant)
        list->ranks[kept++] = rank;
      else
        free(rank.path);
    }
  }
  list->n = kept;
  return jobs;
}

/* One line about a job: a process of it, its ranks here, since when, its command. */
static void print_job(FILE *to, const running_rank_t *ranks, size_t n)
{
  berth_error_t err = {0};
  tables_t t = {0};
  if (map_tables(ranks[0].path, &t, &err) == BERTH_OK &&
      spool_copy(&t.live, &t.first, &err) == BERTH_OK) {
    const spool_image_t image = {ranks[0].path, t.first.bytes, t.first.size};
    const spool_header_t *h = spool_header(&image, &err);
    struct tm utc;
    char created[32] = "?";
    time_t seconds = h ? (time_t)h->created : 0;
    if (h && gmtime_r(&seconds, &utc)) strftime(created, sizeof created, "%FT%TZ", &utc);
    if (h)
      fprintf(to, "%ld: %zu of %u ranks here, since %s,", (long)ranks[0].pid, n, h->ranks, created);
    char word[sizeof h->command];
    for (size_t at = 0; h && at < h->command_bytes; at += strlen(h->command + at) + 1) {
      strcpy(word, h->command + at);
      text_clean(word);
      fprintf(to, " %s", word);
    }
    if (h) fputc('\n', to);
  }
  unmap_tables(&t);
}

static void print_jobs(FILE *to, const running_t *list)
{
  for (size_t i = 0, end; i < list->n; i = end) {
    end = running_job_end(list, i);
    print_job(to, list->ranks + i, end - i);
  }
}

static int snapshot(const options_t *o, const char *program, running_t *list, berth_error_t *err)
{
  int rc = running_find(list, err);
  if (rc) return rc;
  size_t jobs = select_jobs(list, o->which);
  if (o->list) {
    print_jobs(stdout, list);
    return BERTH_OK;
  }
  if (jobs == 0)
    return berth_fail(err, BERTH_MISSING, "%s%sfound no traced job that is running here",
                      o->which ? o->which : "", o->which ? ": " : "");
  if (jobs > 1) {
    print_jobs(stderr, list);
    return berth_fail(err, BERTH_USAGE,
                      "found %zu jobs, expected one; say which by the number "
                      "that its line begins with",
                      jobs);
  }
  trace_target_t target = {.program = program,
                           .path = o->output ? o->output : "berth-snapshot.acp.zst",
                           .snapshot = true};
  return take_snapshot(&target, list->ranks, list->n, err);
}

static int run(int argc, char **argv)
{
  options_t o = {0};
  berth_error_t err = {0};
  running_t list = {0};
  if (argp_parse(&argp, argc, argv, 0, NULL, &o)) return BERTH_USAGE;
  int rc = snapshot(&o, argv[0], &list, &err);
  running_clear(&list);
  return rc ? cli_report(argv[0], &err) : BERTH_OK;
}

const cli_command_t cmd_snapshot = {
    "snapshot",
    "make a trace of what a running job has counted so far",
    run,
    &argp,
    "The job's processes aren't stopped, signalled or slowed: they count in mapped files, which "
    "are read. Any number of snapshots leaves the job's own trace as it is. Ranks on other "
    "machines are not in it.\n"
    "\n"
    "Each rank's counts are of about one moment, and of about the same at all ranks; nothing that "
    "was counted before the command began is missing. Wall times end with the moment of the "
    "snapshot; time in a call that hasn't returned isn't in MPI's.\n"
    "\n"
    "Examples:\n"
    "\n"
    "  berth snapshot --list\n"
    "  berth snapshot -o now.acp.zst\n"
    "  berth snapshot -o now.acp.zst 12345\n",
    NULL,
    false};
