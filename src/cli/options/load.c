/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading the files that a command is given, with errors that say which one. */
#include "cli/options/load.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/in_file.h"
#include "base/text.h"
#include "cli/options/defaults.h"
#include "cli/print/progress.h"
#include "pattern/phase_find.h"

enum { HEAD = 4096 }; /* bytes in which a file of berth's says its format */

static const struct {
  const char *format, *name, *origin;
} kinds[] = {
    [FILE_PATTERN] = {"berth-pattern", "a pattern", "berth trace or berth import"},
    [FILE_TOPOLOGY] = {"berth-topology", "a topology", "berth topo"},
    [FILE_MAPPING] = {"berth-mapping", "a mapping", "berth map, Scotch or METIS"},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* The beginning of a compressed file (NULL: none), which it closes. */
static size_t unpack_head(in_file_t *in, char head[HEAD + 1])
{
  size_t n = in ? in_look(in, head, HEAD) : 0;
  in_close(in);
  return n;
}

static bool is_compressed(const char *bytes, size_t n)
{
  return n >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0;
}

/* The beginning of standard input. */
static size_t read_stdin_head(char head[HEAD + 1])
{
  berth_error_t err;
  const char *bytes;
  size_t n = in_peek(&bytes);
  if (is_compressed(bytes, n)) {
    FILE *f = fmemopen((char *)(uintptr_t)bytes, n, "rb");
    return f ? unpack_head(in_attach(f, "-", &err), head) : 0;
  }
  n = n < HEAD ? n : HEAD;
  memcpy(head, bytes, n);
  return n;
}

/* The beginning of a regular file or of standard input, "" for others. */
static void read_head(const char *path, char head[HEAD + 1])
{
  berth_error_t err;
  struct stat st;
  size_t n = 0;
  if (strcmp(path, "-") == 0) {
    head[read_stdin_head(head)] = '\0';
    return;
  }
  FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
  if (f) {
    n = fread(head, 1, HEAD, f);
    fclose(f);
  }
  if (is_compressed(head, n)) n = unpack_head(in_open(path, &err), head);
  head[n] = '\0';
}

/* What the member "format" says, "" where there is none. */
static void find_format(const char *head, char *format, size_t size)
{
  const char *at = strstr(head, "\"format\"");
  *format = '\0';
  if (!at) return;
  at += strlen("\"format\"");
  at += strspn(at, " \t\r\n:");
  if (*at != '"') return;
  snprintf(format, size, "%.*s", (int)strcspn(at + 1, "\""), at + 1);
}

file_kind_t load_kind(const char *path)
{
  char head[HEAD + 1], format[40];
  int kind = 0;
  read_head(path, head);
  find_format(head, format, sizeof format);
  while (kind < N_KINDS && strcmp(format, kinds[kind].format) != 0) kind++;
  return (file_kind_t)kind;
}

/* Says which kind of file it is, if that is another one. */
static bool found_another(berth_error_t *err, const char *option, const char *path,
                          file_kind_t expected)
{
  char head[HEAD + 1], format[40];
  read_head(path, head);
  find_format(head, format, sizeof format);
  if (!*format || strcmp(format, kinds[expected].format) == 0) return false;
  const char *found = NULL;
  for (int k = 0; k < N_KINDS; k++)
    if (strcmp(format, kinds[k].format) == 0) found = kinds[k].name;
  berth_fail(err, err->code, "%s%s%s: found %s%s%s, expected %s (from %s)", option ? option : "",
             option ? " " : "", path, found ? found : "format \"", found ? "" : format,
             found ? "" : "\"", kinds[expected].name, kinds[expected].origin);
  return true;
}

int load_refuse_hwloc(const char *option, const char *path, const char *expected,
                      berth_error_t *err)
{
  char head[HEAD + 1];
  bool is_file = strcmp(path, "-") != 0;
  read_head(path, head);
  if (!text_starts(head, "<?xml") || !strstr(head, "<topology")) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s%s%s: found hwloc XML, expected %s; `berth topo make --like %s host:1` "
                    "makes a topology of it",
                    option ? option : "", option ? " " : "", is_file ? path : "standard input",
                    expected, is_file ? path : "FILE");
}

int load_refuse_known(const char *path, berth_error_t *err)
{
  file_kind_t kind = load_kind(path);
  if (kind == FILE_OTHER) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT, "%s: found %s, expected a description of a machine%s",
                    path, kinds[kind].name,
                    kind == FILE_TOPOLOGY ? " (--like takes a topology)" : "");
}

static bool is_about(const berth_error_t *err, const char *path)
{
  return text_starts(err->text, path) && strcmp(path, "-") != 0;
}

int load_name_option(berth_error_t *err, const char *option, const char *path)
{
  berth_error_t was = *err;
  if (option && is_about(err, path)) berth_fail(err, err->code, "%s %s", option, was.text);
  return err->code;
}

/* Completes an error that a library filled when it loaded `path`. Returns the code. */
static int complete(berth_error_t *err, const char *option, const char *path, file_kind_t expected)
{
  if (err->code == BERTH_BAD_INPUT && is_about(err, path) &&
      found_another(err, option, path, expected))
    return err->code;
  return load_name_option(err, option, path);
}

berth_pattern_t *load_pattern(const char *option, const char *path, int truncated,
                              berth_error_t *err)
{
  progress("reading", path);
  berth_pattern_t *p =
      berth_pattern_load(path, truncated ? BERTH_PATTERN_TRUNCATED : BERTH_PATTERN_STRICT, err);
  progress(NULL, NULL);
  if (!p) complete(err, option, path, FILE_PATTERN);
  char *text = p ? pattern_cut_text(p) : NULL;
  if (text) fprintf(stderr, "note: %s\n", text);
  free(text);
  return p;
}

berth_topo_t *load_topology(const char *option, const char *path, berth_error_t *err)
{
  option = defaults_source(option);
  if (load_refuse_hwloc(option, path, "a topology", err)) return NULL;
  progress("reading", path);
  berth_topo_t *t = berth_topo_load(path, err);
  progress(NULL, NULL);
  if (!t) complete(err, option, path, FILE_TOPOLOGY);
  return t;
}

int load_mapping(const char *option, const char *path, int ranks, const berth_topo_t *t, int shared,
                 berth_mapping_t *out, berth_error_t *err)
{
  int rc = berth_mapping_load(path, ranks, t, shared, out, err);
  return rc ? complete(err, option, path, FILE_MAPPING) : rc;
}
