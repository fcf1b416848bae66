/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the words of a sketch from a file: separated by white space, with comments behind '#'. */
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/in_file.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "topo/sketch/sketch_internal.h"

/* A word longer than this isn't one. */
enum { MAX_WORD = 1 << 20 };

static int read_line(berth_sketch_t *s, char *line, size_t n, const char *place, const char *folder,
                     berth_error_t *err)
{
  if (strlen(line) != n)
    return berth_fail(err, BERTH_BAD_INPUT, "%sfound a NUL byte, expected text", place);
  line[strcspn(line, "#")] = '\0';
  int rc = BERTH_OK;
  for (char *word; (word = strsep(&line, " \t\r\v\f")) && !rc;) {
    if (strlen(word) > MAX_WORD)
      rc = berth_fail(err, BERTH_BAD_INPUT, "%sfound a word of %zu bytes, expected at most %d",
                      place, strlen(word), MAX_WORD);
    else if (*word)
      rc = sketch_add_word(s, (sketch_word_t){word, place}, folder, err);
  }
  return rc;
}

static int read_lines(berth_sketch_t *s, in_file_t *in, const char *path, const char *folder,
                      berth_error_t *err)
{
  char *line;
  size_t n;
  int rc = BERTH_OK;
  for (long number = 1; !rc; number++) {
    rc = in_line(in, &line, &n, err);
    if (rc || !line) break;
    if (number == 1 && text_starts(line, "\xef\xbb\xbf")) line += 3, n -= 3; /* a byte order mark */
    char *place = text_printf("%s:%ld: ", path, number);
    rc = place ? read_line(s, line, n, place, folder, err) : no_memory(err);
    free(place);
  }
  return rc;
}

static int read_file(berth_sketch_t *s, const char *path, berth_error_t *err)
{
  const char *slash = strrchr(path, '/');
  int outer = s->block;
  char *folder = strndup(path, slash ? (size_t)(slash - path) : 0);
  in_file_t *in = folder ? in_open(path, err) : NULL;
  int rc = in       ? read_lines(s, in, path, slash == path ? "/" : folder, err)
           : folder ? err->code
                    : no_memory(err);
  in_close(in);
  free(folder);
  if (!rc && s->block != outer)
    rc = berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found braces that aren't in pairs, expected a \"}\" for each \"{\"", path);
  return rc;
}

int berth_sketch_load(berth_sketch_t *s, const char *path, berth_error_t *err)
{
  berth_error_t own;
  if (!err) err = &own;
  budget_t budget;
  budget_begin(&budget);
  return budget_end(&budget, path, read_file(s, path, err), err);
}
