/* SPDX-License-Identifier: BSD-3-Clause */
/* Hosts' descriptions in records, as launchers forward them.
 *
 * Launchers forward the output of many processes in pieces, and may put a piece of one process
 * into a line of another. So a probe prints its description in records short enough to be
 * forwarded whole as a rule (nearly always there is one, of a hundred bytes), each with a checksum;
 * what is damaged is dropped. All processes of a host print the same records, so one that is whole
 * is enough. A record is a line:
 *
 *   berth-probe-2 SECRET HOST ID INDEX COUNT TEXT CHECKSUM
 *
 * SECRET is this run's (base/secret.h): whatever else a job prints is its own text. ID is the
 * checksum of all TEXTs together. All TEXTs but the last are PIECE bytes long. */
#include <berth/probe.h>
#include <berth/topo.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "topo/topo_names.h"

static const char magic[] = "berth-probe-2 ";
/* MAX_BYTES: of all answers. */
enum { PIECE = 800, MAX_PIECES = 10000, HOST = 256, MAX_BYTES = 1 << 30 };
enum { MAX_SECRET = 64 };

/* FNV-1a, 32 bits. */
static unsigned checksum(const char *s, size_t n)
{
  unsigned h = 0x811c9dc5u;
  for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 0x01000193u;
  return h;
}

int berth_probe_print(const char *secret, FILE *to, berth_error_t *err)
{
  char host[HOST] = "", line[PIECE + 512];
  if (gethostname(host, sizeof host - 1))
    return berth_fail(err, BERTH_MISSING, "cannot tell this host's name: %s", strerror(errno));
  char *text = berth_host_describe((long)getppid(), err);
  if (!text) return err->code;
  size_t n = strlen(text), count = (n + PIECE - 1) / PIECE;
  unsigned id = checksum(text, n);
  for (size_t k = 0; k < count; k++) {
    int used = snprintf(line, sizeof line, "%s%.*s %s %08x %zu %zu %.*s", magic, MAX_SECRET, secret,
                        host, id, k, count, PIECE, text + k * PIECE);
    used +=
        snprintf(line + used, sizeof line - (size_t)used, " %08x\n", checksum(line, (size_t)used));
    fwrite(line, 1, (size_t)used, to);
    fflush(to); /* one write a record */
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

struct berth_probe {
  char begin[sizeof magic + MAX_SECRET + 1]; /* of a record of this run */
  bool ran_out;                              /* of memory, or of MAX_BYTES */
  berth_probed_host_t *hosts;
  arena_t arena;
  size_t bytes; /* in the arena */
  answer_t *answers;
  size_t n, cap;
  name_table_t by_key; /* "HOST ID COUNT" */
};

/* A record's fields; its text ends with a NUL and is at most PIECE bytes long. */
typedef struct record {
  char host[HOST];
  unsigned id;
  size_t index, count;
  const char *text;
} record_t;

/* Memory for n bytes; NULL when it is out, or the answers have as much as they may. */
static void *take_bytes(berth_probe_t *a, size_t n)
{
  if (n > MAX_BYTES - a->bytes) return NULL;
  a->bytes += n;
  return arena_alloc(&a->arena, n);
}

static char *take_string(berth_probe_t *a, const char *s)
{
  size_t n = strlen(s) + 1;
  char *copy = take_bytes(a, n);
  return copy ? memcpy(copy, s, n) : NULL;
}

static answer_t *find_answer(berth_probe_t *a, const record_t *r)
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
static bool read_record(const berth_probe_t *a, char *line, record_t *r)
{
  unsigned sum;
  size_t n = strcspn(line, "\r\n"), begin = strlen(a->begin);
  line[n] = '\0';
  if (n < begin + 9 || line[n - 9] != ' ' || !read_hex(line + n - 8, &sum)) return false;
  if (checksum(line, n - 9) != sum) return false;
  line[n - 9] = '\0';
  return read_fields(line + begin, r);
}

static bool take_record(berth_probe_t *a, const record_t *r)
{
  answer_t *answer = find_answer(a, r);
  if (!answer) return false;
  if (answer->pieces[r->index]) return true;
  answer->pieces[r->index] = take_string(a, r->text);
  answer->n_missing--;
  return answer->pieces[r->index] != NULL;
}

int berth_probe_take(berth_probe_t *p, char *line)
{
  record_t r;
  char *begin = strstr(line, p->begin), *next;
  if (!begin) return 0;
  while ((next = strstr(begin + 1, p->begin))) begin = next; /* those before are damaged */
  if (read_record(p, begin, &r) && !take_record(p, &r)) p->ran_out = true;
  return 1;
}

/* The text of an answer's pieces, in the arena; NULL when memory is out. */
static const char *put_together(berth_probe_t *p, const answer_t *a)
{
  size_t n = 1;
  for (size_t i = 0; i < a->n_pieces; i++) n += strlen(a->pieces[i]);
  char *text = arena_alloc(&p->arena, n), *end = text;
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
static int drop_foreign(berth_probe_t *a, berth_error_t *err)
{
  size_t kept = 0;
  for (size_t i = 0; i < a->n; i++) {
    answer_t *answer = &a->answers[i];
    if (answer->n_missing == 0) {
      const char *text = put_together(a, answer);
      if (!text) return no_memory(err);
      if (checksum(text, strlen(text)) != answer->id) continue;
    }
    a->answers[kept++] = *answer;
  }
  a->n = kept;
  return BERTH_OK;
}

/* One description a host. */
static int choose(berth_probe_t *p, size_t *n, berth_error_t *err)
{
  for (size_t i = 0; i < p->n; i++) {
    const answer_t *answer = &p->answers[i];
    bool known = *n > 0 && strcmp(p->hosts[*n - 1].name, answer->host) == 0;
    if (answer->n_missing > 0) {
      if (known) continue;
      return berth_fail(err, BERTH_MISSING,
                        "host %s: its answer was damaged on the way (%zu of %zu pieces missing), "
                        "expected a launcher that keeps lines whole",
                        answer->host, answer->n_missing, answer->n_pieces);
    }
    if (known)
      return berth_fail(err, BERTH_BAD_INPUT,
                        "host %s: found two different answers, expected hosts to have different "
                        "names and all processes of one the same PUs",
                        answer->host);
    p->hosts[(*n)++] = (berth_probed_host_t){answer->host, put_together(p, answer)};
  }
  return BERTH_OK;
}

int berth_probe_hosts(berth_probe_t *p, const berth_probed_host_t **hosts, size_t *n,
                      berth_error_t *err)
{
  *n = 0;
  if (p->ran_out)
    return berth_fail(err, BERTH_MISSING, "out of memory for the hosts' answers (at most %d MiB)",
                      MAX_BYTES >> 20);
  int rc = drop_foreign(p, err);
  if (rc) return rc;
  if (p->n == 0)
    return berth_fail(err, BERTH_MISSING,
                      "no host answered: the launcher must start `berth topo probe` on every host, "
                      "berth at the same path");
  qsort(p->answers, p->n, sizeof *p->answers, by_host);
  p->hosts = arena_alloc(&p->arena, p->n * sizeof *p->hosts);
  if (!p->hosts) return no_memory(err);
  *hosts = p->hosts;
  rc = choose(p, n, err);
  for (size_t i = 0; i < *n && !rc; i++)
    if (!p->hosts[i].description) rc = no_memory(err);
  return rc;
}

berth_probe_t *berth_probe_new(const char *secret, berth_error_t *err)
{
  berth_probe_t *p = calloc(1, sizeof *p);
  if (p)
    snprintf(p->begin, sizeof p->begin, "%s%.*s ", magic, MAX_SECRET, secret);
  else
    no_memory(err);
  return p;
}

void berth_probe_free(berth_probe_t *p)
{
  if (!p) return;
  free(p->answers);
  name_table_clear(&p->by_key);
  arena_free(&p->arena);
  free(p);
}
