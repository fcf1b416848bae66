/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams that clean text on its way to standard output and standard error. */
#include "cli/print/clean_stream.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/print/fit.h"
#include "cli/print/screen.h"

enum { SEQUENCE = 4, PIECE = 4096 }; /* the longest of UTF-8; bytes written at once */

/* How much of a CI system's command the text before ends in. */
typedef enum mark {
  MARK_NONE,
  MARK_BEGIN,  /* the line's beginning, with blanks and characters that may be some */
  MARK_COLON,  /* ":" behind that */
  MARK_HASH,   /* "#" */
  MARK_HASHES, /* "##", with letters behind it */
} mark_t;

typedef struct clean {
  int fd;
  bool in_ci;
  mark_t mark;
  char begun[SEQUENCE]; /* a sequence of which the rest hasn't come yet */
  size_t n_begun;
  char piece[PIECE];
  size_t n;
  int columns; /* of the terminal, for which lines are fitted; 0: they aren't */
  bool keep;   /* the current line isn't fitted */
  char *line;  /* its beginning, if lines are fitted */
  size_t n_line, cap;
} clean_t;

static clean_t cleaned_out = {.fd = STDOUT_FILENO}, cleaned_err = {.fd = STDERR_FILENO};

static bool write_piece(clean_t *c)
{
  size_t done = 0;
  while (done < c->n) {
    ssize_t n = write(c->fd, c->piece + done, c->n - done);
    if (n < 0 && errno != EINTR) break;
    if (n > 0) done += (size_t)n;
  }
  bool all = done == c->n;
  c->n = 0;
  return all;
}

static bool put_plain(void *to, const char *s, size_t n)
{
  clean_t *c = to;
  for (size_t part; n > 0; s += part, n -= part) {
    if (c->n == PIECE && !write_piece(c)) return false;
    part = n < PIECE - c->n ? n : PIECE - c->n;
    memcpy(c->piece + c->n, s, part);
    c->n += part;
  }
  return true;
}

static bool end_line(clean_t *c)
{
  size_t n = c->n_line;
  bool keep = c->keep;
  c->n_line = 0;
  c->keep = false;
  return keep ? put_plain(c, c->line, n) : fit_line(c->line, n, c->columns, put_plain, c);
}

/* A line is fitted when it is complete. */
static bool put(clean_t *c, const char *s, size_t n)
{
  if (!c->columns) return put_plain(c, s, n);
  if (*s == '\n') return end_line(c) && put_plain(c, s, n);
  if (!array_reserve(&c->line, &c->cap, c->n_line + n, 1)) return false;
  memcpy(c->line + c->n_line, s, n);
  c->n_line += n;
  return true;
}

/* GitHub and Azure pass over what Unicode calls white space before "::": no character above ASCII
 * ends the beginning of a line here. */
static mark_t mark_behind(mark_t mark, unsigned char c)
{
  if (c == '\n') return MARK_BEGIN;
  if (c == '#') return mark == MARK_HASH || mark == MARK_HASHES ? MARK_HASHES : MARK_HASH;
  if (mark == MARK_HASHES && isalpha(c)) return MARK_HASHES;
  if (mark == MARK_BEGIN && c == ':') return MARK_COLON;
  return mark == MARK_BEGIN && (isspace(c) || c >= 0x80) ? MARK_BEGIN : MARK_NONE;
}

static bool put_shown(clean_t *c, const char *s, size_t n)
{
  bool command =
      c->in_ci && ((c->mark == MARK_COLON && *s == ':') || (c->mark == MARK_HASHES && *s == '['));
  c->mark = command ? MARK_NONE : mark_behind(c->mark, (unsigned char)*s);
  return (!command || put(c, "\\", 1)) && put(c, s, n);
}

/* How long the sequence is that a byte begins, as it says itself. */
static size_t length_said(unsigned char first)
{
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
}

static bool put_sequence(clean_t *c)
{
  size_t n = c->n_begun;
  bool blank = n == 1 && (*c->begun == '\n' || *c->begun == '\t');
  c->n_begun = 0;
  if (blank || text_shown_length(c->begun, n) == n) return put_shown(c, c->begun, n);
  for (size_t i = 0; i < n; i++)
    if (!put_shown(c, "?", 1)) return false;
  return true;
}

/* Sequences are put together byte by byte; one that another byte breaks off isn't shown. */
static bool take_byte(clean_t *c, char byte)
{
  bool continues = ((unsigned char)byte & 0xc0) == 0x80;
  if (c->n_begun && !continues && !put_sequence(c)) return false;
  c->begun[c->n_begun++] = byte;
  return c->n_begun < length_said((unsigned char)*c->begun) || put_sequence(c);
}

static ssize_t clean_write(void *cookie, const char *text, size_t n)
{
  clean_t *c = cookie;
  for (size_t i = 0; i < n; i++)
    if (!take_byte(c, text[i])) return 0;
  return write_piece(c) ? (ssize_t)n : 0;
}

static bool says_yes(const char *variable)
{
  const char *value = getenv(variable);
  return value && *value && strcasecmp(value, "false") != 0 && strcmp(value, "0") != 0;
}

static bool runs_in_ci(void)
{
  return says_yes("CI") || says_yes("GITHUB_ACTIONS") || says_yes("TF_BUILD") ||
         says_yes("TEAMCITY_VERSION");
}

/* The stream that cleans, or `plain` where memory is out: then nothing much will be printed. */
static FILE *install(clean_t *c, FILE *plain, int buffering)
{
  FILE *stream = fopencookie(c, "w", (cookie_io_functions_t){.write = clean_write});
  c->in_ci = runs_in_ci();
  c->mark = MARK_BEGIN;
  if (stream) setvbuf(stream, NULL, buffering, BUFSIZ);
  return stream ? stream : plain;
}

void clean_streams_install(void)
{
  cleaned_out.columns = runs_in_ci() ? 0 : screen_columns();
  stdout = install(&cleaned_out, stdout, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
  stderr = install(&cleaned_err, stderr, _IOLBF);
}

void clean_stream_keep_line(FILE *cleaned)
{
  if (cleaned != stdout || !cleaned_out.columns) return;
  fflush(stdout);
  cleaned_out.keep = true;
}

void clean_stream_mark(const char *escape)
{
  fflush(stdout);
  put(&cleaned_out, escape, strlen(escape));
}

bool clean_streams_end(void)
{
  clean_t *c = &cleaned_out;
  bool written = (c->n_line == 0 || end_line(c)) && write_piece(c);
  free(c->line);
  c->line = NULL;
  c->cap = 0;
  return written;
}

FILE *clean_stream_raw(FILE *cleaned)
{
  fflush(cleaned);
  if (cleaned == stdout) clean_streams_end();
  int copy = fcntl(cleaned == stdout ? STDOUT_FILENO : STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  FILE *raw = copy < 0 ? NULL : fdopen(copy, "w");
  if (!raw && copy >= 0) close(copy);
  return raw;
}
