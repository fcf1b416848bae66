/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the formats of patterns, finds a file's format, and imports files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/field.h"
#include "base/no_memory.h"
#include "exchange/exchange_internal.h"

/* What only whole patterns hold. */
enum {
  BESIDES = BERTH_LOSES_ORDER | BERTH_LOSES_SITES | BERTH_LOSES_TIMES | BERTH_LOSES_COLLECTIVES |
            BERTH_LOSES_RMA | BERTH_LOSES_CALLS | BERTH_LOSES_BASELINE | BERTH_LOSES_PACKED,
  NUMBERS = BERTH_LOSES_PHASES | BERTH_LOSES_SIZES | BESIDES, /* one number for each pair */
  BYTES = NUMBERS | BERTH_LOSES_MESSAGES | BERTH_LOSES_EMPTY,
  GRAPH = BYTES | BERTH_LOSES_DIRECTIONS | BERTH_LOSES_SELF
};

/* METIS and Scotch usually sum up weights in signed 32 bits. Scotch multiplies them by distances in
 * its target, which tleaf_write limits. */
#define BELOW (UINT64_C(1) << 31)

static const berth_exchange_t formats[] = {
    {"monitoring", "what Open MPI's monitoring writes, a file for each rank", monitoring_recognises,
     monitoring_import},
    {"otf2", otf2_about, otf2_recognises, otf2_import},
    {"ipm", "IPM's XML", ipm_recognises, ipm_import},
    {"mpip", "mpiP's report: the ranks' times and hosts alone, to go with another file",
     mpip_recognises, mpip_import},
    {"tau", "TAU's profiles of a run with TAU_COMM_MATRIX=1, a file for each rank", tau_recognises,
     tau_import},
    {"sqlite", sqlite_about, sqlite_recognises, sqlite_import, sqlite_export},
    {"csv", "comma-separated values with a line of names", csv_recognises, csv_import, csv_export,
     BESIDES | BERTH_LOSES_IDLE},
    {"matrix-market", "a Matrix Market matrix of bytes, and maybe one of messages",
     matrix_market_recognises, matrix_market_import, matrix_market_export, BYTES},
    {"matrix-market-messages", "a Matrix Market matrix of messages", NULL, NULL,
     matrix_market_export_messages, NUMBERS | BERTH_LOSES_BYTES},
    {"matrix",
     "a square of numbers, as TreeMatch and TopoMatch read it, of bytes, and maybe one of messages",
     NULL, matrix_import, matrix_export, BYTES},
    {"metis", "a METIS graph", NULL, metis_import, NULL, GRAPH, metis_export, BELOW},
    {"scotch", "a Scotch graph", NULL, scotch_import, NULL, GRAPH, scotch_export,
     BELOW / TARGET_DISTANCE},
};

const berth_exchange_t *berth_exchanges(size_t *n)
{
  *n = sizeof formats / sizeof *formats;
  return formats;
}

const berth_exchange_t *berth_exchange_find(const char *name)
{
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strcmp(formats[i].name, name) == 0) return &formats[i];
  return NULL;
}

int exchange_start(const char *path, char *text, size_t room, size_t *n, berth_error_t *err)
{
  char *line;
  size_t length;
  in_file_t *in = in_open(path, err);
  if (!in) return err ? err->code : BERTH_MISSING;
  int rc = in_line(in, &line, &length, err);
  for (*n = 0; !rc && line && *n + 1 < room; rc = in_line(in, &line, &length, err)) {
    size_t part = length < room - *n - 1 ? length : room - *n - 1;
    memcpy(text + *n, line, part);
    *n += part;
    text[(*n)++] = '\n';
  }
  in_close(in);
  return rc;
}

void exchange_refuse(const char *path, const char *text, size_t n, berth_error_t *err)
{
  static const char *const kinds[] = {"pattern", "topology", "mapping"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char format[32];
    int length = snprintf(format, sizeof format, "\"berth-%s\"", kinds[i]);
    if (!memmem(text, n, format, (size_t)length)) continue;
    berth_fail(err, BERTH_BAD_INPUT, "%s: found a %s of berth's, expected a file of another tool's",
               path, kinds[i]);
    return;
  }
  berth_fail(err, BERTH_BAD_INPUT,
             "%s: found no known format at its beginning, expected one, or -f with its name", path);
}

const berth_exchange_t *berth_exchange_of(const char *path, berth_error_t *err)
{
  char text[16384];
  size_t n = 0;
  berth_error_t own;
  if (!err) err = &own;
  if (exchange_start(path, text, sizeof text, &n, err)) return NULL;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (formats[i].recognises && formats[i].recognises(text, n)) return &formats[i];
  exchange_refuse(path, text, n, err);
  return NULL;
}

int formats_one_file(const berth_import_t *in, berth_error_t *err)
{
  if (in->n_paths == 1) return BERTH_OK;
  return berth_fail(err, BERTH_USAGE, "%s: found a second file of its format, expected one",
                    scan_name(in->paths[1]));
}

int formats_import_one(const berth_import_t *in,
                       int (*read)(scan_t *s, const berth_import_t *in, traffic_t *into,
                                   berth_error_t *err),
                       traffic_t *into, berth_error_t *err)
{
  scan_t s = {0};
  int rc = formats_one_file(in, err);
  if (!rc) rc = scan_open(&s, in->paths[0], err);
  if (!rc) rc = read(&s, in, into, err);
  scan_close(&s);
  return rc;
}

int formats_export_totals(const berth_pattern_t *p, const char *path, exchange_put_t *put,
                          berth_error_t *err)
{
  size_t n;
  flow_total_t *total;
  int rc = traffic_totals(p, &total, &n, err);
  out_file_t *out = rc ? NULL : out_open(path, err);
  if (!rc && !out) rc = BERTH_MISSING;
  if (!rc) {
    put(out, berth_pattern_ranks(p), total, n);
    rc = out_commit(out, err);
  }
  free(total);
  return rc;
}

void formats_import_note(const berth_import_t *in, const char *format, ...)
{
  if (!in->note) return;
  FIELD_ARGUMENTS(text, 400, format);
  in->note(text, in->note_to);
}

/* Times are only useful with messages, and if all ranks have them. */
static int check_times(const berth_import_t *in, const traffic_t *t, berth_error_t *err)
{
  int ranks = in->ranks > t->ranks ? in->ranks : t->ranks, timed = 0;
  if (t->n_times == 0 || t->whole) return BERTH_OK;
  if (t->n == 0)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "%s: found times of ranks and no messages, expected a second file with "
                      "messages, such as monitoring's",
                      scan_name(in->paths[0]));
  bool *has = calloc((size_t)ranks, sizeof *has);
  if (!has) return no_memory(err);
  for (size_t i = 0; i < t->n_times; i++) {
    timed += !has[t->times[i].rank];
    has[t->times[i].rank] = true;
  }
  free(has);
  if (timed < ranks)
    formats_import_note(in,
                        "%d of %d ranks have times: gains of run time are unknown unless all have",
                        timed, ranks);
  return BERTH_OK;
}

/* Reads all files of one format together, wherever they are in the list. `paths` has room for
 * all. */
static int import_some(const berth_import_t *in, const berth_exchange_t *format,
                       const berth_exchange_t *const *of_path, const char **paths, traffic_t *into,
                       berth_error_t *err)
{
  berth_import_t part = *in;
  part.paths = paths;
  part.n_paths = 0;
  for (size_t i = 0; i < in->n_paths; i++)
    if (of_path[i] == format) paths[part.n_paths++] = in->paths[i];
  if (part.n_paths == 0) return BERTH_OK;
  if (!format->read)
    return berth_fail(err, BERTH_USAGE, "%s: found format %s, which can't be imported", paths[0],
                      format->name);
  into->at_phase = 0;
  return format->read(&part, into, err);
}

static int import_all(const berth_import_t *in, const berth_exchange_t **of_path,
                      const char **paths, traffic_t *into, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < in->n_paths; i++) {
    of_path[i] = in->format ? in->format : berth_exchange_of(in->paths[i], err);
    if (!of_path[i]) return err->code;
  }
  for (size_t i = 0; i < in->n_paths && !rc; i++) {
    size_t first = 0;
    while (of_path[first] != of_path[i]) first++;
    if (first == i) rc = import_some(in, of_path[i], of_path, paths, into, err);
  }
  return rc ? rc : check_times(in, into, err);
}

berth_pattern_t *berth_import(const berth_import_t *in, berth_error_t *err)
{
  berth_error_t own;
  traffic_t traffic = {0};
  budget_t budget;
  if (!err) err = &own;
  budget_begin(&budget);
  const berth_exchange_t **of_path = malloc(in->n_paths * sizeof *of_path);
  const char **paths = malloc(in->n_paths * sizeof *paths);
  int rc = of_path && paths ? import_all(in, of_path, paths, &traffic, err) : no_memory(err);
  free(of_path);
  free(paths);
  berth_pattern_t *p = rc ? NULL : traffic_finish(&traffic, in, err);
  traffic_clear(&traffic);
  budget_end(&budget, in->n_paths ? scan_name(in->paths[0]) : "import",
             p ? BERTH_OK : BERTH_BAD_INPUT, err);
  return p;
}
