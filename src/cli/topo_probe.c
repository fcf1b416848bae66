/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks every host of a job for its description.
 *
 * Launchers forward the output of many processes in pieces, and may put a piece of one process
 * into a line of another. So a probe prints its description in records short enough to be
 * forwarded whole as a rule (nearly always there is one, of a hundred bytes), each with a checksum;
 * what is damaged is dropped. All processes of a host print the same records, so one that is whole
 * is enough. A record is a line:
 *
 *   berth-probe-2 SECRET HOST ID INDEX COUNT TEXT CHECKSUM
 *
 * SECRET is this run's (cli/secret.h): whatever else a job prints is its own text. ID is the
 * checksum of all TEXTs together. All TEXTs but the last are PIECE bytes long. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/no_memory.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/print/topo_view.h"
#include "cli/secret.h"
#include "launch/launch.h"
#include "topo/topo_names.h"

static const char magic[] = "berth-probe-2 ";
/* MAX_LINE: longer lines of the job are looked at in parts. MAX_BYTES: of all answers. */
enum { PIECE = 800, MAX_PIECES = 10000, HOST = 256, MAX_LINE = 65536, MAX_BYTES = 1 << 30 };

/* FNV-1a, 32 bits. */
static unsigned checksum(const char *s, size_t n)
{
  unsigned h = 0x811c9dc5u;
  for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 0x01000193u;
  return h;
}

int topo_probe(const char *secret, berth_error_t *err)
{
  char host[HOST] = "", line[PIECE + 512];
  if (gethostname(host, sizeof host - 1))
    return berth_fail(err, BERTH_MISSING, "cannot tell this host's name: %s", strerror(errno));
  char *text = berth_host_describe((long)getppid(), err);
  if (!text) return err->code;
  size_t n = strlen(text), count = (n + PIECE - 1) / PIECE;
  unsigned id = checksum(text, n);
  for (size_t k = 0; k < count; k++) {
    int used = snprintf(line, sizeof line, "%s%.*s %s %08x %zu %zu %.*s", magic, SECRET_LENGTH,
                        secret, host, id, k, count, PIECE, text + k * PIECE);
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
  unsigned id;         /* the checksum of the whole */
  const char **pieces; /* NULL for what is missing */
  size_t n_pieces, n_missing;
} answer_t;

typedef struct answers {
  char begin[sizeof magic + SECRET_LENGTH + 1]; /* of a record of this run */
  arena_t arena;
  size_t bytes; /* in the arena */
  answer_t *answers;
  size_t n, cap;
  name_table_t by_key; /* "HOST ID COUNT" */
} answers_t;

/* A record's fields; its text ends with a NUL and is at most PIECE bytes long. */
typedef struct record {
  char host[HOST];
  unsigned id;
  size_t index, count;
  const char *text;
} record_t;

/* Memory for n bytes; NULL when it is out, or the answers have as much as they may. */
static void *take_bytes(answers_t *a, size_t n)
{
  if (n > MAX_BYTES - a->bytes) return NULL;
  a->bytes += n;
  return arena_alloc(&a->arena, n);
}

static char *take_string(answers_t *a, const char *s)
{
  size_t n = strlen(s) + 1;
  char *copy = take_bytes(a, n);
  return copy ? memcpy(copy, s, n) : NULL;
}

static answer_t *find_answer(answers_t *a, const record_t *r)
{
  char key[HOST + 64];
  snprintf(key, sizeof key, "%s %08x %zu", r->host, r->id, r->count);
  int number = name_table_find(&a->by_key, key);
  if (number >= 0) return &a->answers[number];
  const char *copy = take_string(a, key);
  answer_t new = {
      .host = take_string(a, r->host), .id = r->id, .n_pieces = r->count, .n_missing = r->count};
  new.pieces = take_bytes(a, r->count * sizeof *new.pieces);
  if (!copy || !new.host || !new.pieces || !ARRAY_GROW(&a->answers, a->n, &a->cap) ||
      !name_table_add(&a->by_key, copy, (int)a->n))
    return NULL;
  for (size_t i = 0; i < r->count; i++) new.pieces[i] = NULL;
  a->answers[a->n] = new;
  return &a->answers[a->n++];
}

/* The field up to the next blank, which becomes a NUL; *at moves behind it. "" when there is no
 * blank. */
static const char *next_field(char **at)
{
  char *blank = strchr(*at, ' '), *field = *at;
  if (!blank) return "";
  *blank = '\0';
  *at = blank + 1;
  return field;
}

static bool read_hex(const char *s, unsigned *out)
{
  if (strlen(s) != 8 || strspn(s, "0123456789abcdef") != 8) return false;
  *out = (unsigned)strtoul(s, NULL, 16);
  return true;
}

static bool read_fields(char *at, record_t *r)
{
  uint64_t index, count;
  const char *host = next_field(&at), *id = next_field(&at);
  if (!*host || strlen(host) >= HOST || !read_hex(id, &r->id)) return false;
  if (!text_to_u64(next_field(&at), 0, MAX_PIECES - 1, &index)) return false;
  if (!text_to_u64(next_field(&at), index + 1, MAX_PIECES, &count)) return false;
  strcpy(r->host, host);
  r->index = (size_t)index;
  r->count = (size_t)count;
  r->text = at;
  size_t n = strlen(at);
  return index + 1 == count ? n > 0 && n <= PIECE : n == PIECE;
}

/* The record that begins at `line`, which is changed; false for what isn't whole. */
static bool read_record(const answers_t *a, char *line, record_t *r)
{
  unsigned sum;
  size_t n = strcspn(line, "\r\n"), begin = strlen(a->begin);
  line[n] = '\0';
  if (n < begin + 9 || line[n - 9] != ' ' || !read_hex(line + n - 8, &sum)) return false;
  if (checksum(line, n - 9) != sum) return false;
  line[n - 9] = '\0';
  return read_fields(line + begin, r);
}

static bool take_record(answers_t *a, const record_t *r)
{
  answer_t *answer = find_answer(a, r);
  if (!answer) return false;
  if (answer->pieces[r->index]) return true;
  answer->pieces[r->index] = take_string(a, r->text);
  answer->n_missing--;
  return answer->pieces[r->index] != NULL;
}

/* Takes the record of a line, if there is one; what is none is for the user. False: memory is out.
 */
static bool take_line(answers_t *a, char *line)
{
  record_t r;
  char *begin = strstr(line, a->begin), *next;
  if (!begin) fputs(line, stderr);
  while (begin && (next = strstr(begin + 1, a->begin))) begin = next; /* those before are damaged */
  return !begin || !read_record(a, begin, &r) || take_record(a, &r);
}

/* Reads what the launcher prints, to its end: it isn't to be stopped. */
static int read_answers(answers_t *a, FILE *from, berth_error_t *err)
{
  char *line = malloc(MAX_LINE);
  bool enough = line != NULL;
  while (line && fgets(line, MAX_LINE, from)) enough = enough && take_line(a, line);
  free(line);
  if (enough) return BERTH_OK;
  return berth_fail(err, BERTH_MISSING, "out of memory for the hosts' answers (at most %d MiB)",
                    MAX_BYTES >> 20);
}

static char *put_together(const answer_t *a)
{
  size_t n = 1;
  for (size_t i = 0; i < a->n_pieces; i++) n += strlen(a->pieces[i]);
  char *text = malloc(n), *end = text;
  for (size_t i = 0; text && i < a->n_pieces; i++) end = stpcpy(end, a->pieces[i]);
  return text;
}

static int by_host(const void *x, const void *y)
{
  const answer_t *a = x, *b = y;
  int order = strverscmp(a->host, b->host);
  if (order) return order;
  return (a->n_missing > 0) - (b->n_missing > 0); /* whole ones first */
}

/* Drops answers whose pieces don't make the text that they are of. */
static int drop_foreign(answers_t *a, berth_error_t *err)
{
  size_t kept = 0;
  for (size_t i = 0; i < a->n; i++) {
    answer_t *answer = &a->answers[i];
    if (answer->n_missing == 0) {
      char *text = put_together(answer);
      if (!text) return no_memory(err);
      bool same = checksum(text, strlen(text)) == answer->id;
      free(text);
      if (!same) continue;
    }
    a->answers[kept++] = *answer;
  }
  a->n = kept;
  return BERTH_OK;
}

/* One description a host. */
static int choose(answers_t *a, probed_host_t **hosts, size_t *n, berth_error_t *err)
{
  int rc = drop_foreign(a, err);
  if (rc) return rc;
  if (a->n == 0)
    return berth_fail(err, BERTH_MISSING,
                      "no host answered: the launcher must start `berth topo "
                      "probe` on every host, berth at the same path");
  qsort(a->answers, a->n, sizeof *a->answers, by_host);
  *hosts = calloc(a->n, sizeof **hosts);
  if (!*hosts) return no_memory(err);
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
    if (!host.name || !host.description) return no_memory(err);
  }
  return BERTH_OK;
}

/* berth's own command that every process of the job becomes. */
enum { PROBE_WORDS = 4 };
typedef char *probe_words_t[PROBE_WORDS];

/* The words of a parsed command with the probe as the program of each of its contexts. NULL when
 * memory is out. */
static char **with_probe(const launch_t *launch, char *const *words, const probe_words_t probe)
{
  static char colon[] = ":";
  char **command =
      calloc(launch->argc + (PROBE_WORDS + 1) * launch->n_contexts + 1, sizeof *command);
  char **out = command;
  if (!command) return NULL;
  for (size_t i = 0; i <= launch->launcher; i++) *out++ = words[i];
  for (size_t c = 0; c < launch->n_contexts; c++) {
    const launch_context_t *context = &launch->contexts[c];
    if (c > 0) *out++ = colon;
    for (size_t i = context->begin; i < context->program; i++) *out++ = words[i];
    for (size_t i = 0; i < PROBE_WORDS; i++) *out++ = probe[i];
  }
  return command;
}

/* The probe takes the place of a program that the user gave, or of the one that is missing. */
static int build_command(char *const *words, const probe_words_t probe, char ***command,
                         berth_error_t *err)
{
  size_t n = 0;
  while (words[n]) n++;
  const char **given = calloc(n + PROBE_WORDS, sizeof *given);
  if (!given) return no_memory(err);
  for (size_t i = 0; i < n; i++) given[i] = words[i];
  for (size_t i = 0; i < PROBE_WORDS; i++) given[n + i] = probe[i];
  launch_t launch;
  int rc = launch_parse(n + PROBE_WORDS, given, &launch, err);
  if (!rc) {
    if (launch.kind == LAUNCHER_NONE)
      rc = berth_fail(err, BERTH_USAGE, "found '%s' behind --, expected mpirun, mpiexec or srun",
                      words[0]);
    else if (!(*command = with_probe(&launch, words, probe)))
      rc = no_memory(err);
    launch_clear(&launch);
  }
  free(given);
  return rc;
}

static int ask(char **command, answers_t *answers, berth_error_t *err)
{
  process_t p;
  int rc = process_start(&p, command, PROCESS_FROM, err);
  if (rc) return rc;
  FILE *from = fdopen(p.from, "r");
  rc = from ? read_answers(answers, from, err) : no_memory(err);
  if (from) fclose(from);
  if (from) p.from = -1;
  process_end_t end = process_wait(&p);
  if (rc || (end.code == 0 && !end.signal)) return rc;
  char text[64];
  return berth_fail(err, BERTH_MISSING, "%s %s", command[0],
                    process_end_text(end, text, sizeof text));
}

int topo_probe_hosts(char *const *launcher, probed_host_t **hosts, size_t *n, berth_error_t *err)
{
  char secret[SECRET_LENGTH + 1], topo[] = "topo", word[] = "probe", **command = NULL;
  *hosts = NULL;
  *n = 0;
  char *self = process_self();
  if (!self)
    return berth_fail(err, BERTH_MISSING, "cannot find berth's own file: %s", strerror(errno));
  answers_t answers = {0};
  int rc = secret_make(secret, err);
  if (!rc) {
    snprintf(answers.begin, sizeof answers.begin, "%s%s ", magic, secret);
    rc = build_command(launcher, (probe_words_t){self, topo, word, secret}, &command, err);
  }
  if (!rc) rc = ask(command, &answers, err);
  if (!rc) rc = choose(&answers, hosts, n, err);
  free(command);
  free(self);
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
