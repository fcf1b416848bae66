/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes hierarchies with distances, as the process-mapping literature has them.
 * From the innermost level outwards: "8:8:8" and "1:10:100" are eight groups of eight groups of
 * eight PUs. Distances are 1 within a group, 10 within a group of groups, 100 beyond. A file has
 * both words, separated by blanks or a slash; '#' begins a comment. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/numeric.h"
#include "base/text.h"
#include "exchange/exchange_internal.h"
#include "exchange/topo/regular.h"

bool levels_is_text(const char *path)
{
  return strpbrk(path, ":/") && *path >= '0' && *path <= '9' &&
         path[strspn(path, "0123456789:.eE+-/ ")] == '\0' && access(path, F_OK) != 0;
}

static int bad(const char *file, const char *what, int level, const char *found,
               const char *expected, berth_error_t *err)
{
  return berth_fail(err, BERTH_BAD_INPUT, "%s: %s of level %d: found '%.40s', expected %s", file,
                    what, level, found, expected);
}

static int read_arities(char *word, const char *file, regular_t *r, berth_error_t *err)
{
  for (char *part; (part = strsep(&word, ":"));) {
    uint64_t arity;
    if (r->n == REGULAR_MAX_LEVELS)
      return berth_fail(err, BERTH_BAD_INPUT, "%s: found more than %d levels", file, r->n);
    if (!text_to_u64(part, 1, BERTH_MAX_PUS, &arity))
      return bad(file, "arity", r->n + 1, part, "a whole number from 1 to 16777216", err);
    r->arity[r->n++] = (int)arity;
  }
  return BERTH_OK;
}

static int read_distances(char *word, const char *file, regular_t *r, berth_error_t *err)
{
  int n = 0;
  for (char *part; (part = strsep(&word, ":")); n++) {
    char *end;
    double distance = strtod(part, &end);
    if (end == part || *end || !isfinite(distance) || distance < 0)
      return bad(file, "distance", n + 1, part, "a number from 0", err);
    if (n < r->n) r->distance[n] = distance;
  }
  if (n == r->n) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT, "%s: found %d distances, expected %d, one for each level",
                    file, n, r->n);
}

static int parse(char *text, const char *file, regular_t *r, berth_error_t *err)
{
  static const char between[] = " \t\r\n/";
  char *rest, *arities = strtok_r(text, between, &rest),
              *distances = strtok_r(NULL, between, &rest);
  if (!distances || strtok_r(NULL, between, &rest))
    return berth_fail(err, BERTH_BAD_INPUT,
                      "%s: found %s two words, expected those such as 8:8:8 and 1:10:100", file,
                      distances ? "more than" : "less than");
  locale_t before = numeric_begin();
  int rc = read_arities(arities, file, r, err);
  if (!rc) rc = read_distances(distances, file, r, err);
  numeric_end(before);
  return rc;
}

/* Copies a file's lines, without comments, to a buffer. */
static int read_words(const char *path, char *text, size_t room, berth_error_t *err)
{
  scan_t s;
  bool more;
  size_t n = 0;
  int rc = scan_open(&s, path, err);
  while (!rc && !(rc = scan_content(&s, '#', &more, err)) && more) {
    size_t length = strcspn(s.at, "#");
    if (n + length + 2 > room)
      rc = scan_fail(&s, err, "found more than %zu characters, expected two words", room);
    else
      memcpy(text + n, s.at, length), n += length;
    text[n++] = '\n';
  }
  scan_close(&s);
  text[n] = '\0';
  return rc;
}

berth_topo_t *levels_read(const char *path, const char *name, berth_error_t *err)
{
  char text[4096] = "";
  regular_t r = {0};
  int rc = BERTH_OK;
  if (!levels_is_text(path))
    rc = read_words(path, text, sizeof text - 1, err);
  else if (strlen(path) < sizeof text)
    memcpy(text, path, strlen(path) + 1);
  if (!rc) rc = parse(text, path, &r, err);
  return rc ? NULL : regular_build(&r, path, name, err);
}

int levels_write(const berth_topo_t *t, const char *path, berth_error_t *err)
{
  regular_t r;
  int rc = regular_of(t, &r, err);
  out_file_t *out = rc ? NULL : out_open(path, err);
  if (!out) return rc ? rc : BERTH_MISSING;
  locale_t before = numeric_begin();
  for (int i = 0; i < r.n; i++) out_printf(out, "%s%d", i ? ":" : "", r.arity[i]);
  for (int i = 0; i < r.n; i++) out_printf(out, "%s%.12g", i ? ":" : " ", r.distance[i]);
  out_text(out, "\n");
  numeric_end(before);
  return out_commit(out, err);
}
