/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks every host of a job for its description.
 *
 * Launchers forward the output of many processes in pieces, and may put a piece of one process
 * into a line of another. So a probe prints its description in records short enough to be
 * forwarded whole as a rule (nearly always there is one, of a hundred bytes), each with a checksum;
 * what is damaged is dropped. All processes of a host print the same records, so one that is whole
 * is enough. A record is a line:
 *
 *   berth-probe-1 HOST ID INDEX COUNT TEXT CHECKSUM */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/topo_view.h"
#include "launch/launch.h"
#include "topo/topo_names.h"

static const char magic[] = "berth-probe-1 ";
enum { PIECE = 800, MAX_PIECES = 10000 };

/* FNV-1a, 32 bits. */
static unsigned checksum(const char *s, size_t n)
{
  unsigned h = 0x811c9dc5u;
  for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 0x01000193u;
  return h;
}

int topo_probe(berth_error_t *err)
{
  char host[256] = "", line[PIECE + 512];
  if (gethostname(host, sizeof host - 1))
    return berth_fail(err, BERTH_MISSING, "cannot tell this host's name: %s", strerror(errno));
  char *text = berth_host_describe((long)getppid(), err);
  if (!text) return err->code;
  size_t n = strlen(text), count = (n + PIECE - 1) / PIECE;
  unsigned id = checksum(text, n);
  for (size_t k = 0; k < count; k++) {
    int used = snprintf(line, sizeof line, "%s%s %08x %zu %zu %.*s", magic, host, id, k, count,
                        PIECE, text + k * PIECE);
    used +=
        snprintf(line + used, sizeof line - (size_t)used, " %08x\n", checksum(line, (size_t)used));
    fwrite(line, 1, (size_t)used, stdout);
    fflush(stdout); /* one write a record */
  }
  free(text);
  return BERTH_OK;
}

/* A description that comes in. */
typedef struct answer {
  const char *host;
  const char **pieces; /* NULL for what is missing */
  size_t n_pieces, n_missing;
} answer_t;

typedef struct answers {
  arena_t arena;
  answer_t *answers;
  size_t n, cap;
  name_table_t by_key; /* "HOST ID COUNT" */
} answers_t;

static answer_t *find_answer(answers_t *a, const char *host, const char *id, size_t count)
{
  char key[512];
  snprintf(key, sizeof key, "%s %s %zu", host, id, count);
  int number = name_table_find(&a->by_key, key);
  if (number >= 0) return &a->answers[number];
  const char *copy = arena_strdup(&a->arena, key);
  answer_t new = {.host = arena_strdup(&a->arena, host), .n_pieces = count, .n_missing = count};
  new.pieces = arena_alloc(&a->arena, count * sizeof *new.pieces);
  if (!copy || !new.host || !new.pieces || !ARRAY_GROW(&a->answers, a->n, &a->cap) ||
      !name_table_add(&a->by_key, copy, (int)a->n))
    return NULL;
  for (size_t i = 0; i < count; i++) new.pieces[i] = NULL;
  a->answers[a->n] = new;
  return &a->answers[a->n++];
}

/* Takes one record, or drops it; `record` begins with the magic word. False: memory is out. */
static bool take_record(answers_t *a, char *record)
{
  char host[256], id[9], *end = record + strcspn(record, "\r\n");
  *end = '\0';
  size_t index, count, n = (size_t)(end - record);
  int text = 0;
  if (n < 9 || record[n - 9] != ' ') return true;
  char *sum = record + n - 8;
  if (checksum(record, n - 9) != strtoul(sum, NULL, 16)) return true;
  sum[-1] = '\0';
  if (sscanf(record, "berth-probe-1 %255s %8s %zu %zu %n", host, id, &index, &count, &text) != 4 ||
      text == 0 || index >= count || count > MAX_PIECES)
    return true;
  answer_t *answer = find_answer(a, host, id, count);
  if (!answer) return false;
  if (answer->pieces[index]) return true;
  answer->pieces[index] = arena_strdup(&a->arena, record + text);
  answer->n_missing--;
  return answer->pieces[index] != NULL;
}

/* Reads what the launcher prints; what is no record is for the user. */
static int read_answers(answers_t *a, FILE *from, berth_error_t *err)
{
  char *line = NULL;
  size_t cap = 0;
  bool enough = true;
  while (enough && getline(&line, &cap, from) >= 0) {
    char *record = strstr(line, magic), *next;
    if (!record) fputs(line, stderr);
    for (; record && enough; record = next) { /* a damaged one may stand before a whole one */
      next = strstr(record + 1, magic);
      if (!next) enough = take_record(a, record);
    }
  }
  free(line);
  return enough ? BERTH_OK : berth_fail(err, BERTH_MISSING, "out of memory");
}

static int by_host(const void *x, const void *y)
{
  const answer_t *a = x, *b = y;
  int order = strverscmp(a->host, b->host);
  if (order) return order;
  return (a->n_missing > 0) - (b->n_missing > 0); /* whole ones first */
}

static char *put_together(const answer_t *a)
{
  char *text = malloc(a->n_pieces * PIECE + 1), *end = text;
  for (size_t i = 0; text && i < a->n_pieces; i++) end = stpcpy(end, a->pieces[i]);
  return text;
}

/* One description a host. */
static int choose(answers_t *a, probed_host_t **hosts, size_t *n, berth_error_t *err)
{
  if (a->n == 0)
    return berth_fail(err, BERTH_MISSING,
                      "no host answered: the launcher must start `berth topo "
                      "probe` on every host, berth at the same path");
  qsort(a->answers, a->n, sizeof *a->answers, by_host);
  *hosts = calloc(a->n, sizeof **hosts);
  if (!*hosts) return berth_fail(err, BERTH_MISSING, "out of memory");
  for (size_t i = 0; i < a->n; i++) {
    const answer_t *answer = &a->answers[i];
    bool known = *n > 0 && strcmp((*hosts)[*n - 1].name, answer->host) == 0;
    if (answer->n_missing > 0) {
      if (known) continue;
      return berth_fail(err, BERTH_MISSING,
                        "host %s: its answer was damaged on the way (%zu of "
                        "%zu pieces missing), expected a launcher that keeps lines whole",
                        answer->host, answer->n_missing, answer->n_pieces);
    }
    if (known)
      return berth_fail(err, BERTH_BAD_INPUT,
                        "host %s: found two different answers, expected "
                        "hosts to have different names and all processes of one the same PUs",
                        answer->host);
    probed_host_t host = {strdup(answer->host), put_together(answer)};
    (*hosts)[(*n)++] = host;
    if (!host.name || !host.description) return berth_fail(err, BERTH_MISSING, "out of memory");
  }
  return BERTH_OK;
}

static char probe_words[2][6] = {"topo", "probe"};

/* The words of a parsed command with the probe as the program of each of its contexts. NULL when
 * memory is out. */
static char **with_probe(const launch_t *launch, char *const *words, char *self)
{
  static char colon[] = ":";
  char **command = calloc(launch->argc + 4 * launch->n_contexts + 1, sizeof *command);
  char **out = command;
  if (!command) return NULL;
  for (size_t i = 0; i <= launch->launcher; i++) *out++ = words[i];
  for (size_t c = 0; c < launch->n_contexts; c++) {
    const launch_context_t *context = &launch->contexts[c];
    if (c > 0) *out++ = colon;
    for (size_t i = context->begin; i < context->program; i++) *out++ = words[i];
    *out++ = self;
    *out++ = probe_words[0];
    *out++ = probe_words[1];
  }
  return command;
}

/* The probe takes the place of a program that the user gave, or of the one that is missing. */
static int build_command(char *const *words, char *self, char ***command, berth_error_t *err)
{
  size_t n = 0;
  while (words[n]) n++;
  const char **given = calloc(n + 3, sizeof *given);
  if (!given) return berth_fail(err, BERTH_MISSING, "out of memory");
  for (size_t i = 0; i < n; i++) given[i] = words[i];
  given[n] = self;
  given[n + 1] = probe_words[0];
  given[n + 2] = probe_words[1];
  launch_t launch;
  int rc = launch_parse(n + 3, given, &launch, err);
  if (!rc) {
    if (launch.kind == LAUNCHER_NONE)
      rc = berth_fail(err, BERTH_USAGE, "found '%s' behind --, expected mpirun, mpiexec or srun",
                      words[0]);
    else if (!(*command = with_probe(&launch, words, self)))
      rc = berth_fail(err, BERTH_MISSING, "out of memory");
    launch_clear(&launch);
  }
  free(given);
  return rc;
}

/* Starts argv with its standard output at *from and nothing to read. */
static int start(char **argv, pid_t *pid, FILE **from, berth_error_t *err)
{
  extern char **environ;
  int fd[2];
  if (pipe(fd)) return berth_fail(err, BERTH_MISSING, "cannot make a pipe: %s", strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
  posix_spawn_file_actions_addclose(&actions, fd[0]);
  posix_spawn_file_actions_addclose(&actions, fd[1]);
  int failed = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(fd[1]);
  *from = failed ? NULL : fdopen(fd[0], "r");
  if (*from) return BERTH_OK;
  close(fd[0]);
  return berth_fail(err, BERTH_MISSING, "%s: cannot start: %s", argv[0], strerror(failed));
}

static int check_status(const char *launcher, int status, berth_error_t *err)
{
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return BERTH_OK;
  if (WIFSIGNALED(status))
    return berth_fail(err, BERTH_MISSING, "%s ended by signal %d", launcher, WTERMSIG(status));
  return berth_fail(err, BERTH_MISSING, "%s ended with exit code %d", launcher,
                    WEXITSTATUS(status));
}

static int ask(char **command, answers_t *answers, berth_error_t *err)
{
  pid_t pid;
  FILE *from;
  int status, rc = start(command, &pid, &from, err);
  if (rc) return rc;
  rc = read_answers(answers, from, err);
  fclose(from);
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return berth_fail(err, BERTH_MISSING, "lost the launcher");
  return rc ? rc : check_status(command[0], status, err);
}

int topo_probe_hosts(char *const *launcher, probed_host_t **hosts, size_t *n, berth_error_t *err)
{
  char self[4096], **command = NULL;
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  *hosts = NULL;
  *n = 0;
  if (length < 0)
    return berth_fail(err, BERTH_MISSING, "cannot find berth's own file: %s", strerror(errno));
  self[length] = '\0';
  answers_t answers = {0};
  int rc = build_command(launcher, self, &command, err);
  if (!rc) rc = ask(command, &answers, err);
  if (!rc) rc = choose(&answers, hosts, n, err);
  free(command);
  free(answers.answers);
  name_table_clear(&answers.by_key);
  arena_free(&answers.arena);
  return rc;
}

void topo_free_probed(probed_host_t *hosts, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    free(hosts[i].name);
    free(hosts[i].description);
  }
  free(hosts);
}
