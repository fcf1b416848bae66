/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads plain and zstd-compressed files, line by line or as a whole. */
#include "base/in_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/own.h"

enum { RAW_SIZE = 1 << 16 };
static const size_t max_text = (size_t)1 << 30;

struct in_file {
  FILE *file;
  char *path;
  ZSTD_DStream *zstd; /* NULL for plain text */
  ZSTD_inBuffer raw;  /* bytes that were read and not yet decompressed or copied */
  int frame_open;     /* not 0: the last frame isn't complete yet */
  bool cut;           /* the file ended within a frame or within the last line */
  char *text;         /* decompressed text; [start, end) isn't delivered yet */
  size_t start, end, cap;
  char raw_bytes[RAW_SIZE];
};

/* What in_peek has read of standard input, [given, n) for those who read it next. */
static struct {
  char *bytes; /* NULL: nobody asked */
  size_t n, given;
} peeked;

size_t in_peek(const char **bytes)
{
  enum { PEEK = 1 << 18 }; /* more than a block of zstd */
  if (!peeked.bytes && (peeked.bytes = malloc(PEEK)))
    peeked.n = fread(peeked.bytes, 1, PEEK, stdin);
  *bytes = peeked.bytes ? peeked.bytes + peeked.given : "";
  return peeked.n - peeked.given;
}

static size_t take_peeked(char *to, size_t room)
{
  size_t left = peeked.n - peeked.given, n = left < room ? left : room;
  if (n) memcpy(to, peeked.bytes + peeked.given, n);
  peeked.given += n;
  return n;
}

static int fill_raw(in_file_t *in, berth_error_t *err)
{
  size_t n = in->file == stdin ? take_peeked(in->raw_bytes, RAW_SIZE) : 0;
  if (n == 0) n = fread(in->raw_bytes, 1, RAW_SIZE, in->file);
  in->raw = (ZSTD_inBuffer){in->raw_bytes, n, 0};
  if (ferror(in->file))
    return berth_fail(err, BERTH_MISSING, "%s: cannot read: %s", in->path, strerror(errno));
  return BERTH_OK;
}

static int looks_like_zstd(const in_file_t *in)
{
  return in->raw.size >= 4 && memcmp(in->raw_bytes, "\x28\xb5\x2f\xfd", 4) == 0;
}

in_file_t *in_attach(FILE *file, const char *name, berth_error_t *err)
{
  in_file_t *in = calloc(1, sizeof *in);
  if (!in || !(in->path = strdup(name))) {
    no_memory(err);
    if (file != stdin) fclose(file);
    free(in);
    return NULL;
  }
  in->file = file;
  if (fill_raw(in, err) == BERTH_OK) {
    if (!looks_like_zstd(in) || (in->zstd = ZSTD_createDStream())) return in;
    no_memory(err);
  }
  in_close(in);
  return NULL;
}

in_file_t *in_open(const char *path, berth_error_t *err)
{
  if (strcmp(path, "-") == 0) return in_attach(stdin, "standard input", err);
  struct stat st;
  FILE *file = fopen(path, "rb");
  if (!file) {
    berth_fail(err, BERTH_MISSING, "%s: cannot open: %s", path, strerror(errno));
    return NULL;
  }
  if (fstat(fileno(file), &st) == 0 && S_ISDIR(st.st_mode)) {
    fclose(file);
    berth_fail(err, BERTH_MISSING, "%s: found a directory, expected a file", path);
    return NULL;
  }
  return in_attach(file, path, err);
}

/* Appends more text to in->text. Sets *more to 0 at the end of the file. */
static int fill_text(in_file_t *in, int *more, berth_error_t *err)
{
  if (in->raw.pos == in->raw.size && fill_raw(in, err)) return err ? err->code : BERTH_MISSING;
  *more = in->raw.size > in->raw.pos;
  if (!*more && in->frame_open) {
    in->cut = true;
    return berth_fail(err, BERTH_BAD_INPUT,
                      "%s: found the end of the file in a zstd frame: the file is truncated",
                      in->path);
  }
  if (!*more) return BERTH_OK;
  size_t room = in->zstd ? ZSTD_DStreamOutSize() : in->raw.size - in->raw.pos;
  if (in->end + room + 1 > max_text)
    return berth_fail(err, BERTH_BAD_INPUT, "%s: found a line or document of more than 1 GiB",
                      in->path);
  if (!array_reserve(&in->text, &in->cap, in->end + room + 1, 1)) return no_memory(err);
  if (!in->zstd) {
    memcpy(in->text + in->end, in->raw_bytes + in->raw.pos, room);
    in->raw.pos = in->raw.size;
    in->end += room;
    return BERTH_OK;
  }
  ZSTD_outBuffer out = {in->text + in->end, room, 0};
  size_t left = ZSTD_decompressStream(in->zstd, &out, &in->raw);
  if (ZSTD_isError(left))
    return berth_fail(err, BERTH_BAD_INPUT, "%s: zstd data is corrupt: %s", in->path,
                      ZSTD_getErrorName(left));
  in->frame_open = left != 0;
  in->end += out.pos;
  return BERTH_OK;
}

size_t in_look(in_file_t *in, char *to, size_t n)
{
  berth_error_t err;
  int more = 1;
  while (more && in->end - in->start < n && fill_text(in, &more, &err) == BERTH_OK) continue;
  if (in->end - in->start < n) n = in->end - in->start;
  if (n) memcpy(to, in->text + in->start, n);
  return n;
}

int in_line(in_file_t *in, char **line, size_t *length, berth_error_t *err)
{
  if (in->start > in->cap / 2) {
    memmove(in->text, in->text + in->start, in->end - in->start);
    in->end -= in->start;
    in->start = 0;
  }
  char *newline = NULL;
  for (size_t seen = in->start;;) {
    if (in->end > seen) newline = memchr(in->text + seen, '\n', in->end - seen);
    seen = in->end;
    int more = 1;
    if (newline) break;
    int rc = fill_text(in, &more, err);
    if (rc) return rc;
    if (!more) break;
  }
  size_t stop = newline ? (size_t)(newline - in->text) : in->end;
  *length = stop - in->start;
  *line = newline || *length ? in->text + in->start : NULL;
  if (*line) in->text[stop] = '\0';
  in->cut = *line && !newline;
  in->start = newline ? stop + 1 : stop;
  return BERTH_OK;
}

bool in_is_cut(const in_file_t *in) { return in->cut; }

void in_close(in_file_t *in)
{
  if (!in) return;
  if (in->file && in->file != stdin) fclose(in->file);
  ZSTD_freeDStream(in->zstd);
  free(in->text);
  free(in->path);
  free(in);
}

/* Reads the rest of a file and closes it. NULL means that opening failed and *err is filled. */
static int read_rest(in_file_t *in, char **text, size_t *length, berth_error_t *err)
{
  if (!in) return err ? err->code : BERTH_MISSING;
  int rc = BERTH_OK, more = 1;
  while (!rc && more) rc = fill_text(in, &more, err);
  if (!rc && !array_reserve(&in->text, &in->cap, in->end + 1, 1)) rc = no_memory(err);
  if (!rc) {
    in->text[in->end] = '\0';
    *text = in->text;
    *length = in->end;
    in->text = NULL;
  }
  in_close(in);
  return rc;
}

int in_read_all(const char *path, char **text, size_t *length, berth_error_t *err)
{
  return read_rest(in_open(path, err), text, length, err);
}

int in_read_own(const char *path, char **text, size_t *length, berth_error_t *err)
{
  int fd = own_open(path, S_IFREG, err);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
  if (fd >= 0 && !file) {
    close(fd);
    return no_memory(err);
  }
  return read_rest(file ? in_attach(file, path, err) : NULL, text, length, err);
}
